/* filter.h: filters of any kind, all asked in the same way */

#ifndef FILTER_H
#define FILTER_H

#include "kind.h"

/* ---- Making and reading ------------------------------------------------- */

filter new_filter(const wish *w);   /* of the kind that the wish is for */
filter read_filter(const char *name);
filter read_sound_filter(const char *name);     /* exits if it is damaged */
void free_filter(filter *f);

/* Exits if the filter was made by other options. */
void must_agree(filter *f, const wish *w, const char *name);

/* Exits unless it is of fixed size. `why`: "cannot be merged", for example */
void must_be_one(const filter *f, const char *name, const char *why);

bloom_error seal_of(const filter *f);
void refuse_damage(const filter *f, bloom_error seal, const char *name);

/* ---- Its parts ---------------------------------------------------------- */

unsigned links_of(const filter *f); /* how many filters of bloom.h it has */
const bloom *link_of(const filter *f, unsigned i);
size_t size_of(const filter *f);

/* The pieces of its file, in order: piece i, or NULL after the last one. */
const void *file_piece(const filter *f, unsigned i, size_t *size);
void seal_filter(filter *f);

/* ---- Keys --------------------------------------------------------------- */

/* Both return how many of the keys are new. add_hashes is for keys that
   look_up_hashes did not find. */
size_t add_lines(filter *f, const bloom_key *key, size_t count, bool *is_new);
size_t add_hashes(filter *f, const bloom_hash *hash, size_t count);
const bloom_hash *hash_lines(const filter *f, const bloom_key *key,
                             size_t count, bloom_hash *hash);   /* hash */
void look_up(const filter *f, const bloom_key *key, size_t count, bool *maybe);
void look_up_hashes(const filter *f, const bloom_hash *hash, size_t count,
                    bool *maybe);
void forget_old(filter *f);         /* if it forgets by time */

/* ---- What the cells tell ------------------------------------------------ */

double rate_of(const filter *f);    /* now */
uint64_t keys_in(const filter *f);  /* UINT64_MAX: every cell is set */

/* Prints a warning and returns true if the filter has exceeded its planned
   false-positive rate, or 25% if that rate is unknown. Reads all cells. */
bool warn_if_full(const filter *f, const char *name, const char *fate);
enum { EXCEEDED = 3 };              /* exit status of the command then */

#endif
