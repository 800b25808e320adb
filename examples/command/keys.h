/* keys.h: the lines of a chunk, many at a time, with the key of each: all of
   the line, or the part that the key options select */

#ifndef KEYS_H
#define KEYS_H

#include "input.h"

/* The key options, which no filter records */
typedef struct key_rules {
    uint64_t first, last;           /* fields of -k; first 0: no -k; last 0:
                                       to the end of the line */
    char separator, end;            /* of fields, of lines */
    bool ignore_case, crlf, trim;
} key_rules;

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

/* Returns how many lines and keys are in b then: none at the end of the
   chunk. */
size_t next_batch(batch *b, chunk *c, const key_rules *rules);

/* Moves the lines whose `wanted` is `value` to the front of the chunk, after
   the *kept bytes that are there already. */
void keep_lines(chunk *c, size_t *kept, const batch *b, const bool *wanted,
                bool value, size_t count);

/* Lists of breached passwords */
bool looks_like_a_count(bloom_key key);     /* HASH:COUNT */
bool looks_like_a_hash(bloom_key key);
enum { MANY_HASHES = 100 };         /* so many lines may give a hint */

#endif
