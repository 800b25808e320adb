/* dump.h: bloom dump */

#ifndef DUMP_H
#define DUMP_H

#include "options.h"

int dump_filter(const options *o, char **operands);

#endif
