/* help.h: the help texts */

#ifndef HELP_H
#define HELP_H

#include "options.h"

int help(const verb *verbs, const char *name);  /* of one verb; NULL: of all.
                                                   Returns the exit status */

#endif
