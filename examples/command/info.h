/* info.h: bloom info */

#ifndef INFO_H
#define INFO_H

#include "options.h"

int show_info(const options *o, char **operands);

#endif
