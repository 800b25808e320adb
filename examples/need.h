/* need.h: ends a program with a message, `PROGRAM: name: why`, and the exit
   status 2; and reads files of lines. Include it after
   #define PROGRAM "name". */
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

/* ---- Files of lines ------------------------------------------------------ */

static inline FILE *open_text(const char *name)
{
    FILE *in = fopen(name, "rb");
    need(in != NULL, name, NULL);
    return in;
}

#ifdef _POSIX_C_SOURCE          /* no lock: top.c takes 2/3 of the time */
#define next_byte(in) getc_unlocked(in)
#else
#define next_byte(in) getc(in)
#endif

/* Reads the next line, without its \n: any bytes, at most `room` of them.
   false: there are no more lines. */
static inline bool read_line(FILE *in, const char *name, char *line,
                             size_t room, size_t *size)
{
    int c;
    for (*size = 0; (c = next_byte(in)) != EOF && c != '\n'; ) {
        need(*size < room, name, "has a line that is too long");
        line[(*size)++] = (char)c;
    }
    need(!ferror(in), name, NULL);
    return c != EOF || *size > 0;
}

/* The same for text in `room` bytes: removes a \r at the end of a line, and
   puts a NUL behind it. */
static inline bool read_text(FILE *in, const char *name, char *line,
                             size_t room)
{
    size_t size;
    if (!read_line(in, name, line, room - 1, &size))
        return false;
    need(memchr(line, '\0', size) == NULL, name, "has a line with a NUL");
    size -= size > 0 && line[size - 1] == '\r';
    line[size] = '\0';
    return true;
}

/* Ends the program with a message if some output could not be written. */
static inline void end_output(void)
{
    need(fflush(stdout) == 0 && !ferror(stdout), "standard output", NULL);
}

#endif
