/* input.h: reads the lines of files, one file after the other, many lines at a
   time

       reader in = reader_of(names, '\n');      NULL-terminated; empty: "-"
       chunk c = { 0 };
       bloom_key line[256];
       size_t some;
       while (next_chunk(&in, &c))
           while ((some = next_lines(&c, line, 256)) > 0)
               ...

   A chunk is whole lines of one file, as many as one read() returns. A line is
   its bytes without the end character. That character follows in memory, even
   if the last line of a file lacks it. */

#ifndef INPUT_H
#define INPUT_H

#include "posix.h"
#include "bloom.h"

#include <sys/types.h>

/* ---- Bytes -------------------------------------------------------------- */

const char *shown(const char *name);    /* "standard input" for "-" */
int open_input(const char *name);       /* or exits */

/* Waits for at least one byte, and returns what is there. 0: end of file. */
size_t read_some(int fd, const char *name, void *to, size_t most);

/* Does a file begin like an image: with B, L, one of these letters, and the
   number of a version? */
bool begins_as(const char *letters, const char *bytes, size_t size);

/* ---- Lines -------------------------------------------------------------- */

typedef struct chunk {
    char *text;
    size_t room, size;              /* bytes allocated, bytes of lines */
    size_t next;                    /* offset of the next line */
    char end;                       /* follows each line: newline or NUL */
} chunk;

typedef struct reader {
    char **names;                   /* files to come; NULL-terminated */
    const char *name;               /* of the open file */
    int fd;                         /* -1: no file is open */
    bool fresh;                     /* nothing of it was read yet */
    char end;
    char *rest;                     /* the incomplete line after a chunk */
    size_t rest_size, rest_room;
    bool again;                     /* the files will be read once more, */
    off_t origin;                   /* from this offset */
    void (*before_read)(struct reader *);       /* called before a file is
                                                   opened or read; or NULL */
} reader;

enum { CHUNK_ROOM = 1 << 18 };      /* bytes; fits in a core's cache */

reader reader_of(char **names, char end);

/* The lines in c are valid until the next call. Returns false after the last
   line, with the memory of both freed. */
bool next_chunk(reader *in, chunk *c);
size_t next_lines(chunk *c, bloom_key *line, size_t most);

#endif
