/* need.h: to end with a reason, `PROGRAM: name: why`, and exit status 2.
   Include it after  #define PROGRAM "name"  of the example. */
#ifndef BLOOM_COMMON_NEED_H
#define BLOOM_COMMON_NEED_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of what is `right` nothing is said. why NULL: as errno says */
static void need(bool right, const char *name, const char *why)
{
    if (right)
        return;
    fprintf(stderr, PROGRAM ": %s: %s\n", name, why ? why : strerror(errno));
    exit(2);
}

#endif
