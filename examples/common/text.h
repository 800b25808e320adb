/* text.h: short lines of text files, one after the other, and the end of what
   was printed. ../bloom/lines.h reads any bytes, and many lines at a time. */
#ifndef BLOOM_COMMON_TEXT_H
#define BLOOM_COMMON_TEXT_H

#include "need.h"

static FILE *open_text(const char *name)
{
    FILE *in = fopen(name, "rb");
    need(in != NULL, name, NULL);
    return in;
}

/* The next line, without its end; at most room - 3 bytes, and \r\n. false:
   there is none. */
static bool read_line(FILE *in, const char *name, char *line, size_t room)
{
    size_t size;
    if (!fgets(line, (int)room, in)) {
        need(!ferror(in), name, NULL);
        return false;
    }
    size = strcspn(line, "\r\n");
    need(line[size] != '\0' || feof(in), name,
         "a line that is too long, or with a NUL");
    line[size] = '\0';
    return true;
}

static void end_output(void)
{
    need(fflush(stdout) == 0 && !ferror(stdout), "standard output", NULL);
}

#endif
