/* filter.h: filters of the three kinds, all asked in the same way: of fixed
   size (bloom.h), growing (bloom_chain.h), and forgetting (bloom_window.h) */

#ifndef FILTER_H
#define FILTER_H

#include "say.h"
#include "../companions/bloom_chain.h"
#include "../companions/bloom_window.h"

typedef struct filter {
    bloom *fixed;                   /* one of the three; the others are NULL */
    bloom_chain *chain;
    bloom_window *window;
    double p;                       /* planned rate; 0: unknown */
    uint64_t n;                     /* planned number of lines, of a chain: of
                                       its first link; 0: unknown */
    uint64_t known;                 /* a filter of fixed size holds at least
                                       this many */
    int file;                       /* of a window that is mapped and changed:
                                       FILE, for lock_moves; else 0 */
    bool is_shared;                 /* others may add to it at the same time */
    bool warns;                     /* if it forgets all, too early or too
                                       late */
} filter;

extern const char *const layouts[];     /* their names */

/* ---- Its parts ---------------------------------------------------------- */

unsigned parts_of(const filter *f);     /* how many filters of bloom.h */
const bloom *part_of(const filter *f, unsigned i);
size_t size_of(const filter *f);
bloom_error seal_of(const filter *f);
void free_filter(filter *f);            /* unless it is in a file */

/* Exits unless it is of fixed size. `why`: "cannot be merged", for example */
void must_be_one(const filter *f, const char *name, const char *why);

/* ---- Keys --------------------------------------------------------------- */

void hash_keys(const filter *f, const bloom_key *key, size_t count,
               bloom_hash *hash);
void look_up(const filter *f, const bloom_key *key, size_t count, bool *maybe);
void look_up_hashes(const filter *f, const bloom_hash *hash, size_t count,
                    bool *maybe);

/* All return how many of the keys are new. add_absent is for keys that
   look_up_hashes did not find. add_atomically is for several threads, or
   processes, that add to one filter of fixed size. */
size_t add_keys(filter *f, const bloom_key *key, size_t count, bool *is_new);
size_t add_absent(filter *f, const bloom_hash *hash, size_t count);
size_t add_atomically(bloom *b, const bloom_key *key, size_t count);
size_t add_hashes_atomically(bloom *b, const bloom_hash *hash, size_t count);
extern const bool processes_can_share;  /* false: only threads can */

/* ---- Folding ------------------------------------------------------------ */

uint64_t least_cells(bloom_plan plan);  /* the unit of its size */

/* Folds b as often as it keeps the rate p for n lines. false: it does not keep
   that rate as it is. */
bool fold_for(bloom *b, uint64_t n, double p);

/* ---- Forgetting --------------------------------------------------------- */

void forget_old(filter *f);             /* if it forgets by time */
void start_clock(filter *f, uint64_t age);      /* of a new window */
uint64_t lines_known(const bloom_window *w);
uint64_t age_known(const bloom_window *w);      /* in seconds; 0: --last */
const char *print_age(char text[40], uint64_t age);     /* such as 24h */

/* ---- What the cells tell ------------------------------------------------ */

double rate_of(const filter *f);        /* now */
uint64_t keys_in(const filter *f);      /* UINT64_MAX: every cell is set */

/* Prints a warning and returns true if the filter has exceeded its planned
   false-positive rate, or 25% if that rate is unknown. Reads all cells. `fate`
   is what becomes of new lines. */
bool warn_if_full(const filter *f, const char *name, const char *fate);
enum { EXCEEDED = 3 };                  /* exit status of the command then */

#endif
