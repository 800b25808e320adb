/* build.h: bloom build, add and merge */

#ifndef BUILD_H
#define BUILD_H

#include "options.h"

int build_filter(const options *o, char **operands);
int add_to_filter(const options *o, char **operands);
int merge_filters(const options *o, char **operands);

#endif
