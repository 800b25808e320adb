/* Shared by the parts of the benchmark. A contender is a way to add keys to a
   filter and to look them up. Each part enters its contenders: ours.c (bloom.h,
   and the machine's floor), dropped.c, libbloom.c, peers.cpp. bench.c
   makes the keys, lets the contenders take turns, and checks their answers. */

#ifndef BENCH_H
#define BENCH_H
#include "tests/layouts.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { U64, HASHED, STRINGS, KINDS };   /* of keys */
enum { SINGLE, MANY };                  /* keys per call */
#ifndef STRING
#define STRING 20                       /* bytes of a string */
#endif
#define SLICE ((size_t)1024)            /* keys per call for many */

typedef struct keys {                   /* only those of the run's kind */
    const uint64_t *u64;
    const struct bloom_hash *hashes;
    const struct bloom_key *strings;
    const char *text;                   /* of the strings, one after another */
    size_t count;
} keys;

/* The arguments of a run */
extern struct run { int kind; double p; uint64_t n; } run;

/* How answers are checked. EXACT: all contenders on one image of bloom.h must
   give the same answers and bits. RIGHT: answers must be correct. NOTHING: the
   floor has no answers. */
enum { EXACT, RIGHT, NOTHING };

typedef uint64_t loop(void *filter, keys k);    /* returns the true answers */
typedef struct contender {
    const char *name;                   /* of several with equal names */
    int how, check;                     /* and how, the fastest counts */
    void *filter;                       /* several contenders may share it */
    double bytes;                       /* of the filter */
    void (*clear)(void *filter);
    loop *add, *ask;                    /* one may be NULL */
} contender;
void enter(contender c);

void ours_enter(void);
void dropped_enter(void);
void libbloom_enter(void);
void peers_enter(void);

extern struct bloom *ours[LAYOUT_COUNT];           /* the filters of ours.c, by layout */
void enter_ours(const char *name, struct bloom *b, void (*clear)(void *));
void clear_ours(void *filter);
uint64_t add_dropped(void *filter, keys k);        /* dropped.c */

/* h1 of an integer in filters of 64-bit hashes with the seed 0 */
static inline uint64_t hash_of(uint64_t key)
{
    uint64_t h = key + 0x9E3779B97F4A7C15U;
    h = (h ^ h >> 33) * 0xFF51AFD7ED558CCDU;
    h = (h ^ h >> 33) * 0xC4CEB9FE1A85EC53U;
    return h ^ h >> 33;
}

/* LOOP defines a loop that makes a call for each key i, on the filter f. SLICES
   makes a call for each `count` keys, from number i on. */
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
