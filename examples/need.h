/* need.h: ends a program with a message, `PROGRAM: name: why`, and the exit
   status 2; and reads text files. Include it after  #define PROGRAM "name". */
#ifndef EXAMPLES_NEED_H
#define EXAMPLES_NEED_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Does nothing if `right` is true. A `why` of NULL means the text of errno. */
static void need(bool right, const char *name, const char *why)
{
    if (right)
        return;
    fprintf(stderr, PROGRAM ": %s: %s\n", name, why ? why : strerror(errno));
    exit(2);
}

/* ---- Text files with short lines -------------------------------------------
   command/input.h reads lines of any bytes and any length, many at a time. */

static inline FILE *open_text(const char *name)
{
    FILE *in = fopen(name, "rb");
    need(in != NULL, name, NULL);
    return in;
}

/* Reads the next line into `line`, without its \n or \r\n. It may have at most
   room - 3 bytes. false: there are no more lines. */
static inline bool read_line(FILE *in, const char *name, char *line,
                             size_t room)
{
    size_t size;
    if (!fgets(line, (int)room, in)) {
        need(!ferror(in), name, NULL);
        return false;
    }
    size = strcspn(line, "\r\n");
    need(line[size] != '\0' || feof(in), name,
         "has a line that is too long or contains a NUL");
    line[size] = '\0';
    return true;
}

/* Ends the program with a message if some output could not be written. */
static inline void end_output(void)
{
    need(fflush(stdout) == 0 && !ferror(stdout), "standard output", NULL);
}

#endif
