/* fold.h: bloom fold */

#ifndef FOLD_H
#define FOLD_H

#include "options.h"

int fold_filter(const options *o, char **operands);

#endif
