/* kind.h: filters in memory, and what they are asked. There are three kinds,
   each with a file of its own: of fixed size (fixed.c), growing (chain.c), and
   forgetting (window.c). A new kind is a new file, and a row in filter.c; a new
   question is a function here, and in each of these files. Verbs ask through
   filter.h. */

#ifndef KIND_H
#define KIND_H

#include "plan.h"
#include "../companions/bloom_chain.h"
#include "../companions/bloom_window.h"

#include <sys/stat.h>

typedef struct filter {
    const struct kind *kind;
    union {                         /* the one of its kind */
        bloom *fixed;
        bloom_chain *chain;
        bloom_window *window;
    } as;
    double p;                       /* planned rate; 0: unknown */
    uint64_t n;                     /* planned number of lines, of a chain: of
                                       its first link; 0: unknown */
    uint64_t known;                 /* a filter of fixed size holds at least
                                       this many */
    bool warns;                     /* if it forgets all, too early or too
                                       late */
    bool changed, sealed;           /* since its file was read or written;
                                       whether that has a seal */
    struct stat file;               /* the one that it was read from */
} filter;

/* A number that `bloom info --json` prints */
typedef struct fact {
    const char *name;               /* NULL: no more facts */
    uint64_t number;
    double rate;                    /* printed instead, unless it is 0 */
} fact;

typedef struct kind {
    const char *name;               /* in info --json: "grows" */
    const char *about;              /* "grows (made by uniq without --fixed)" */
    const char *link;               /* what info calls one of its filters;
                                       NULL: there is only one */
    const char *links, *links_note; /* row of info before them */
    const char *dumped;             /* "It has grown", in a dump; or NULL */
    char magic[4];                  /* how its file begins */
    bool fills;                     /* beyond n lines, its rate rises */

    /* Making. `read` gets the first BLOOM_HEADER_SIZE bytes of the file.
       `agree` exits if the filter was made by other options. */
    bool (*is_wanted)(const wish *w);   /* NULL: by those for no other kind */
    filter (*make)(const wish *w);
    filter (*read)(int fd, const char *name, const unsigned char *head);
    void (*agree)(filter *f, const wish *w, const char *name);
    void (*free)(filter *f);

    /* The filters it consists of, and the pieces of its file: piece i, or NULL
       after the last one */
    unsigned (*count)(const filter *f);
    const bloom *(*one)(const filter *f, unsigned i);
    const void *(*piece)(const filter *f, unsigned i, size_t *size);
    size_t (*size)(const filter *f);
    bloom_error (*verify)(const filter *f);
    void (*seal)(filter *f);

    /* Keys. `add_absent` is for those that a lookup did not find. */
    size_t (*add)(filter *f, const bloom_key *key, size_t count, bool *is_new);
    size_t (*add_absent)(filter *f, const bloom_hash *hash, size_t count);
    void (*look_up)(const filter *f, const bloom_key *key, size_t count,
                    bool *maybe);
    void (*look_up_hashes)(const filter *f, const bloom_hash *hash,
                           size_t count, bool *maybe);
    void (*forget)(filter *f);      /* what is too old; or NULL */

    /* What the cells tell: the rate now, the number of keys (UINT64_MAX: every
       cell is set), and whether the rate has become too high. It then prints a
       warning, in which `fate` is what becomes of new lines. */
    double (*rate)(const filter *f);
    uint64_t (*keys)(const filter *f);
    bool (*warn)(const filter *f, const char *name, const char *fate);

    /* What it was made for: a row of info, or NULL; and for --json */
    const char *(*purpose)(const filter *f, char text[120]);
    void (*facts)(const filter *f, fact list[3]);
} kind;

#endif
