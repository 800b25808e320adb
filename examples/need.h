/* need.h: ends a program with a message, `PROGRAM: name: why`, and the exit
   status 2; reads files of lines and words; and prints strings of JSON. Include
   it after  #define PROGRAM "name". */
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

/* The byte in lower case, if it belongs to a word; 0 if not, or for EOF */
static inline int letter(int c)
{
    if (c >= 'A' && c <= 'Z')
        return c + ('a' - 'A');
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c > 127 ? c : 0;
}

/* ---- Output -------------------------------------------------------------- */

/* The size of the UTF-8 character at s; 0: there is none */
static inline size_t utf8(const unsigned char *s)
{
    const size_t size = s[0] < 0x80 ? 1 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    const unsigned two = size == 1 ? 0 : s[0] * 256u + s[1];
    size_t i;
    for (i = 1; i < size; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    return (size == 2 && two < 0xC200) || (size == 3 && two < 0xE0A0)
           || two / 32 == 0xEDA0 / 32           /* half of a pair in UTF-16 */
           || (size == 4 && (two < 0xF090 || two >= 0xF490)) ? 0 : size;
}

/* Prints text as a string of JSON. Bytes that are not UTF-8, which names of
   files may have, become \udc80 to \udcff, from which Python's os.fsencode gets
   them back. */
static inline void print_json_string(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t size;
    for (putchar('"'); *s; s += size ? size : 1) {
        size = utf8(s);
        if (size == 0)
            printf("\\udc%02x", *s);
        else if (*s < 0x20 || *s == '"' || *s == '\\')
            printf("\\u%04x", *s);
        else
            fwrite(s, 1, size, stdout);
    }
    putchar('"');
}

/* Ends the program with a message if some output could not be written. */
static inline void end_output(void)
{
    need(fflush(stdout) == 0 && !ferror(stdout), "standard output", NULL);
}

#endif
