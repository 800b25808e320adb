/* lines.h: reads files line by line, many lines at a time, with the key of each
   line: all of it, or the part that the key options select

       reader in = reader_of(names, &rules);    NULL-terminated; empty: "-"
       chunk c = { 0 };
       batch b = { 0 };
       size_t count;
       while (next_chunk(&in, &c))
           while ((count = next_batch(&b, &c, &rules, BATCH)) > 0)
               ...

   A chunk is whole lines of one file, as many as one read() returns. A line is
   its bytes without the end character. That character follows in memory, even
   if the last line of a file lacks it. */

#ifndef LINES_H
#define LINES_H

#include "say.h"
#include "bloom.h"

#include <sys/stat.h>
#include <sys/types.h>

/* ---- Chunks ------------------------------------------------------------- */

/* The key options, which no filter records */
typedef struct key_rules {
    uint64_t first, last;           /* fields of -k; first 0: no -k; last 0:
                                       to the end of the line */
    char separator, end;            /* of fields, of lines */
    bool ignore_case, crlf, trim;
} key_rules;

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

const char *shown(const char *name);    /* "standard input" for "-" */
bool look_at_input(const char *name, struct stat *file);    /* stat */
reader reader_of(char **names, const key_rules *rules);

/* The lines in c are valid until the next call. Returns false after the last
   line, with the memory of both freed. */
bool next_chunk(reader *in, chunk *c);

/* Do these bytes begin like the image of a filter? */
bool begins_like_a_filter(const void *bytes, size_t size);

/* ---- Lines and their keys ------------------------------------------------ */

enum { BATCH = 256 };

/* The filter gets many keys per call. A large filter is not in the processor's
   caches, and the memory accesses of one call overlap. */
typedef struct batch {
    bloom_key line[BATCH], made[BATCH];
    const bloom_key *key;           /* `line`, or `made` if keys are not whole
                                       lines */
    char *lower;                    /* buffer for keys in lower case */
    size_t lower_room;
} batch;

/* Returns how many lines and keys are in b then, at most `most`; 0: the chunk
   ends. */
size_t next_batch(batch *b, chunk *c, const key_rules *rules, size_t most);

/* Moves the lines whose `wanted` is `value` to the front of the chunk, after
   the *kept bytes that are there already. */
void keep_lines(chunk *c, size_t *kept, const batch *b, const bool *wanted,
                bool value, size_t count);

/* Lists of breached passwords */
bool looks_like_a_count(bloom_key key);     /* HASH:COUNT */
bool looks_like_a_hash(bloom_key key);
enum { MANY_HASHES = 100 };         /* so many lines may give a hint */

#endif
