/* check.h: bloom check */

#ifndef CHECK_H
#define CHECK_H

#include "options.h"

int check_lines(const options *o, char **operands);

#endif
