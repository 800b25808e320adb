/* uniq.h: bloom uniq */

#ifndef UNIQ_H
#define UNIQ_H

#include "options.h"

int uniq_lines(const options *o, char **operands);

#endif
