/* What the parts of the benchmark share. A contender is a way to add keys to a
   filter and to ask for them; each part enters its own: ours.c (bloom.h, and
   the machine's floor), libbloom.c, lean.c, peers.cpp, pages.c. bench.c makes
   the keys, lets the contenders take turns, and checks what they answer. */

#ifndef BENCH_H
#define BENCH_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { U64, HASHED, STRINGS, KINDS };   /* of keys */
enum { SINGLE, MANY };                  /* keys in a call */
enum { STRING = 20 };                   /* bytes of a string */
#define SLICE ((size_t)1024)            /* keys in a call for many */

typedef struct keys {                   /* those of the run's kind are there */
    const uint64_t *u64;
    const struct bloom_hash *hashes;
    const struct bloom_key *strings;
    const char *text;                   /* of the strings, one after another */
    size_t count;
} keys;

/* What a run is about; a part may lower `added`, the keys that a filter gets.
   */
extern struct run { int kind; double p; uint64_t n, added; } run;

/* What answers are checked for: those of one bloom.h image have to be the same,
   and the bits, those of other filters right, the floor's mean nothing. */
enum { EXACT, RIGHT, NOTHING };

typedef uint64_t loop(void *filter, keys k);    /* how many answers were true */
typedef struct contender {
    const char *name;                   /* of several with the same name, */
    int how, check;                     /* and how, the fastest counts */
    void *filter;                       /* who share it fill it by turns */
    double bytes;                       /* of the filter */
    void (*clear)(void *filter);
    loop *add, *ask;                    /* one may be NULL */
} contender;
void enter(contender c);

void ours_enter(void);
void libbloom_enter(void);
void lean_enter(void);
void peers_enter(void);
void pages_enter(void);

extern struct bloom *ours[3];           /* the filters of ours.c, by layout */
void enter_ours(const char *name, struct bloom *b, void (*clear)(void *));
void enter_floor(const char *name, struct bloom *b, void (*clear)(void *));
void clear_ours(void *filter);

/* A loop that gives keys to a function one by one, k.u64[i] and such to f; and
   one that gives it slices of `count` keys, from number i on. */
#define LOOP(name, filter_type, call) \
static uint64_t name(void *filter, keys k) \
{ \
    filter_type *f = (filter_type *)filter; \
    uint64_t yes = 0; \
    size_t i; \
    for (i = 0; i < k.count; i++) \
        yes += (call); \
    return yes; \
}
#define SLICES(name, filter_type, call) \
static uint64_t name(void *filter, keys k) \
{ \
    filter_type *f = (filter_type *)filter; \
    uint64_t yes = 0; \
    size_t i, count; \
    for (i = 0; i < k.count; i += count) { \
        count = k.count - i < SLICE ? k.count - i : SLICE; \
        yes += (call); \
    } \
    return yes; \
}

#ifdef __cplusplus
}
#endif
#endif
