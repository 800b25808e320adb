/* SPDX-License-Identifier: MIT OR Unlicense
   bloom_chain.h: a scalable Bloom filter, made of filters of bloom.h.

   A Bloom filter exceeds its false-positive rate when it holds more keys than
   it was planned for. If you do not know how many keys will come, use a chain.
   It grows with the keys, and keeps the rate p that you choose. It is the
   scalable Bloom filter of Almeida, Baquero, Preguica and Hutchison 2007.

   USE: #include "bloom_chain.h", which includes bloom.h. One file of a program
   compiles the code: it defines BLOOM_IMPLEMENTATION before this #include. If
   the linker misses bloom_chain_new, no file does. See USE in bloom.h.
       bloom_chain *seen = bloom_chain_new(1000, 0.01, BLOOM_CLASSIC);
       if (!seen)
           return 1;                           // no memory
       bloom_chain_add(seen, "apple", 5);      // true: certainly new
       bloom_chain_may_contain(seen, "pear", 4);   // false: certainly not in
       bloom_chain_free(seen);

   HOW IT GROWS
   A chain is a sequence of filters, its links. Link i = 0, 1, 2 .. takes at
   least first_n * 2^i new keys (keys that the chain does not seem to contain),
   and keeps the rate p / ((i + 1)(i + 2)), its share of p. The shares add up to
   p, so the chain keeps p however many keys come. New keys go into the newest
   link. When that link is full, the next new key makes another link. A lookup
   hashes its key once. It then tests the links, newest first, until one may
   contain the key.
   A good estimate of first_n saves memory and time, as a chain does not grow if
   at most first_n keys come. At p = 0.01 and first_n = 10000, such a chain
   takes 1.16 times the memory of one filter that is planned for the same keys.
   Nine full links take 1.9 times the memory of one filter for their keys. With
   a tenth link, still empty, they take 4 times the memory of that filter.
   A chain cannot grow if memory is short, if it has 64 links, or if the plan of
   the next link is impossible. Then the newest link takes all further keys. No
   key is lost, but the rate rises above p, and bloom_chain_fpr reports it. The
   chain tries to grow again when the newest link holds twice as many keys, then
   four times, and so on, or, if it is saved and loaded, at the next new key.
   Chains cannot be merged. To copy one, write it and load the image.

   The options of bloom.h hold here, too. But chains need malloc, IEEE 754
   doubles of 64 bits, and links in RAM. So the file that compiles this code
   must not define BLOOM_TINY, _NO_MALLOC, _NO_FLOAT or _READ_BYTE.
   Threads: any number of threads may make calls that take a const bloom_chain
   at the same time. Every other call needs exclusive access, even with
   BLOOM_ATOMIC. */

#if !defined(BLOOM_VERSION) \
    || (defined(BLOOM_IMPLEMENTATION) && !defined(BLOOM_IMPLEMENTATION_DONE_)) \
    || (defined(BLOOM_ATOMIC) && !defined(BLOOM_ATOMIC_FROM_THE_START_))
#include "bloom.h"
#endif

#ifndef BLOOM_CHAIN_H
#define BLOOM_CHAIN_H

#if !defined(BLOOM_VERSION) || BLOOM_VERSION != 30000
#error "bloom_chain.h needs the bloom.h of its own version, but the compiler \
found another one first: copy the right one into the folder of bloom_chain.h"
#endif
#ifdef BLOOM_NAME_                      /* see "Names" in bloom.h */
#ifdef BLOOM_NAMESPACE
#define bloom_chain BLOOM_NAME_(bloom_chain)
#endif
#define bloom_chain_new BLOOM_NAME_(bloom_chain_new)
#define bloom_chain_create BLOOM_NAME_(bloom_chain_create)
#define bloom_chain_free BLOOM_NAME_(bloom_chain_free)
#define bloom_chain_add BLOOM_NAME_(bloom_chain_add)
#define bloom_chain_add_u64 BLOOM_NAME_(bloom_chain_add_u64)
#define bloom_chain_add_hash BLOOM_NAME_(bloom_chain_add_hash)
#define bloom_chain_may_contain BLOOM_NAME_(bloom_chain_may_contain)
#define bloom_chain_may_contain_u64 BLOOM_NAME_(bloom_chain_may_contain_u64)
#define bloom_chain_may_contain_hash BLOOM_NAME_(bloom_chain_may_contain_hash)
#define bloom_chain_add_many BLOOM_NAME_(bloom_chain_add_many)
#define bloom_chain_add_many_u64 BLOOM_NAME_(bloom_chain_add_many_u64)
#define bloom_chain_add_many_hash BLOOM_NAME_(bloom_chain_add_many_hash)
#define bloom_chain_may_contain_many BLOOM_NAME_(bloom_chain_may_contain_many)
#define bloom_chain_may_contain_many_u64 \
    BLOOM_NAME_(bloom_chain_may_contain_many_u64)
#define bloom_chain_may_contain_many_hash \
    BLOOM_NAME_(bloom_chain_may_contain_many_hash)
#define bloom_chain_add_absent_hash BLOOM_NAME_(bloom_chain_add_absent_hash)
#define bloom_chain_links BLOOM_NAME_(bloom_chain_links)
#define bloom_chain_rate BLOOM_NAME_(bloom_chain_rate)
#define bloom_chain_link BLOOM_NAME_(bloom_chain_link)
#define bloom_chain_estimate BLOOM_NAME_(bloom_chain_estimate)
#define bloom_chain_fpr BLOOM_NAME_(bloom_chain_fpr)
#define bloom_chain_seal BLOOM_NAME_(bloom_chain_seal)
#define bloom_chain_verify BLOOM_NAME_(bloom_chain_verify)
#define bloom_chain_write BLOOM_NAME_(bloom_chain_write)
#define bloom_chain_head BLOOM_NAME_(bloom_chain_head)
#define bloom_chain_size BLOOM_NAME_(bloom_chain_size)
#define bloom_chain_load BLOOM_NAME_(bloom_chain_load)
#define bloom_chain_join BLOOM_NAME_(bloom_chain_join)
#define bloom_chain_open BLOOM_NAME_(bloom_chain_open)
#define bloom_chain_room BLOOM_NAME_(bloom_chain_room)
#define bloom_chain_next BLOOM_NAME_(bloom_chain_next)
#define bloom_chain_append BLOOM_NAME_(bloom_chain_append)
#define bloom_chain_unseal BLOOM_NAME_(bloom_chain_unseal)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Making ------------------------------------------------------------- */
typedef struct bloom_chain bloom_chain;

/* These make a chain with one empty link, for first_n keys (0 counts as 1).
   bloom_chain_create takes the layout and the seed from `like`, and ignores its
   other fields. The result is NULL if the layout is BLOOM_COUNTING, if p is not
   between 0 and 1, if no filter can keep the rate p / 2 with first_n keys, or
   if memory is short. */
BLOOM_USE_RESULT_ BLOOM_API bloom_chain *bloom_chain_new(uint64_t first_n,
                                                         double p,
                                                         bloom_layout layout);
BLOOM_USE_RESULT_ BLOOM_API bloom_chain *bloom_chain_create(uint64_t first_n,
                                                            double p,
                                                            bloom_plan like);
BLOOM_API void bloom_chain_free(bloom_chain *c);  /* c may be NULL */

/* ---- Keys --------------------------------------------------------------- */
/* A key is bytes, an integer (_u64) or a hash (_hash), as in bloom.h. To hash a
   key for _hash, pass any link of the chain to bloom_hash_key or _u64. */

/* Adds a key, unless a link may contain it. true: it was certainly not in. */
BLOOM_READS_(2, 3) BLOOM_API bool bloom_chain_add(
    bloom_chain *c, const void *key, size_t size);
BLOOM_API bool bloom_chain_add_u64(bloom_chain *c, uint64_t key);
BLOOM_API bool bloom_chain_add_hash(bloom_chain *c, bloom_hash h);

/* Looks up a key. false: it is certainly not in. true: it may be in. */
BLOOM_READS_(2, 3) BLOOM_API bool bloom_chain_may_contain(
    const bloom_chain *c, const void *key, size_t size);
BLOOM_API bool bloom_chain_may_contain_u64(const bloom_chain *c, uint64_t key);
BLOOM_API bool bloom_chain_may_contain_hash(const bloom_chain *c, bloom_hash h);

/* These do the same as one call for each of `count` keys, in their order, but
   faster. They write the `count` results to is_new or maybe, unless that is
   NULL, and return how many results are true. The results must not overlap the
   keys. They take about 10 KB of stack (gcc 12 or clang 14, -O2, x86-64). */
BLOOM_READS_(2, 3) BLOOM_API size_t bloom_chain_add_many(
    bloom_chain *c, const bloom_key *keys, size_t count, bool *is_new);
BLOOM_READS_(2, 3) BLOOM_API size_t bloom_chain_add_many_u64(
    bloom_chain *c, const uint64_t *keys, size_t count, bool *is_new);
BLOOM_READS_(2, 3) BLOOM_API size_t bloom_chain_add_many_hash(
    bloom_chain *c, const bloom_hash *hashes, size_t count, bool *is_new);
BLOOM_READS_(2, 3) BLOOM_API size_t bloom_chain_may_contain_many(
    const bloom_chain *c, const bloom_key *keys, size_t count, bool *maybe);
BLOOM_READS_(2, 3) BLOOM_API size_t bloom_chain_may_contain_many_u64(
    const bloom_chain *c, const uint64_t *keys, size_t count, bool *maybe);
BLOOM_READS_(2, 3) BLOOM_API size_t bloom_chain_may_contain_many_hash(
    const bloom_chain *c, const bloom_hash *hashes, size_t count, bool *maybe);

/* Adds keys that bloom_chain_may_contain_many_hash has reported as absent. This
   is faster than bloom_chain_add_many_hash, as it does not test the older links
   again. Returns how many keys were new to the newest link. If keys are added
   between the lookup and this call, a key may be added twice, to two links.
   That costs space, but no key is lost. */
BLOOM_READS_(2, 3) BLOOM_API size_t bloom_chain_add_absent_hash(
    bloom_chain *c, const bloom_hash *hashes, size_t count);

/* ---- Whole chains ------------------------------------------------------- */
BLOOM_API unsigned bloom_chain_links(const bloom_chain *c);   /* 1..64 */
BLOOM_API double bloom_chain_rate(const bloom_chain *c);      /* its p */

/* Link i, where 0 is the oldest; NULL if the chain has no such link */
BLOOM_API const bloom *bloom_chain_link(const bloom_chain *c, unsigned i);

/* An estimate of how many different keys were added, and the present
   false-positive rate, 0..1. Both read the cells of all links. The estimate is
   UINT64_MAX if all cells of a link are set, or if it would be larger. */
BLOOM_API uint64_t bloom_chain_estimate(const bloom_chain *c);
BLOOM_API double bloom_chain_fpr(const bloom_chain *c);

/* ---- Saving and loading ------------------------------------------------- */
/* The image of a chain is a head of 32 bytes, and then the images of its links,
   oldest first. bloom_chain_write writes it to memory of bloom_chain_size
   bytes. To write a large chain to a file without a copy in memory, write its
   head, by bloom_chain_head, and then bloom_size(link) bytes of each link.
   bloom_chain_seal seals each link that has no seal. A link whose seal does not
   match keeps it, as a new seal would hide the damage. Adding keys removes the
   seal of the newest link. bloom_chain_verify verifies all links. It returns
   BLOOM_CORRUPT if one of them is corrupt, else BLOOM_UNSEALED if one has no
   seal, else BLOOM_OK. */
BLOOM_API void bloom_chain_seal(bloom_chain *c);
BLOOM_API bloom_error bloom_chain_verify(const bloom_chain *c);
BLOOM_API void bloom_chain_write(const bloom_chain *c, void *memory);
BLOOM_API void bloom_chain_head(const bloom_chain *c, unsigned char head[32]);
BLOOM_API size_t bloom_chain_size(const bloom_chain *c);

/* Makes a chain from a copy of the `size` bytes at image. It grows just as the
   saved chain would have grown. (If the saved chain had failed to grow, the
   loaded one tries again at the next new key.) If the bytes are
   not the image of a chain, or if memory is short (BLOOM_NO_MEMORY), the result
   is NULL and *error is the reason. error may be NULL. The checks, in order:
       BLOOM_TRUNCATED      there are fewer than 32 bytes, or image is NULL
       BLOOM_NOT_A_FILTER   they do not begin with the letters BLC
       BLOOM_WRONG_VERSION  the format is not version 2
       BLOOM_BAD_HEADER     a field of the head is impossible
       BLOOM_CORRUPT        the check byte of the head does not match
       the errors of bloom_view for each link, and BLOOM_BAD_HEADER for a link
                            of another layout, hash_bits or seed
       BLOOM_BAD_HEADER     another filter follows the last link
   Other bytes after the last link are ignored. The seals are not checked: call
   bloom_chain_verify. Add keys only to a chain from a source that you trust, as
   first_n in the head decides how much memory the next link takes.
   The head does not tell the size of the image. To receive an image, read the
   32 bytes of the head, and call bloom_chain_load(head, 32, &error). If the
   head is good, the error is BLOOM_TRUNCATED. Then read head[6] links (1 to
   64): first 32 bytes of each, from which bloom_image_size tells its size, then
   the rest, up to a limit of your own. */
BLOOM_USE_RESULT_ BLOOM_API bloom_chain *bloom_chain_load(const void *image,
                                                          size_t size,
                                                          bloom_error *error);

/* To read a large chain from a file without a second copy in memory, read its
   head, and then the links. For each link, read its 32 bytes, and make a filter
   of the plan bloom_plan_of((const bloom *)bytes), if bloom_image_size accepts
   them. Copy these bytes over the filter's header, and read the cells after it.
   bloom_chain_join makes a chain of the filters, which then frees them by
   bloom_free. It checks the head as bloom_chain_load does, and that the links
   have one layout, hash_bits and seed. `link` has head[6] elements, none of
   them NULL. If the result is NULL, the links are still yours. */
BLOOM_USE_RESULT_ BLOOM_API bloom_chain *bloom_chain_join(
    const unsigned char head[32], bloom *const *link, bloom_error *error);

/* ---- Links in memory of your own ---------------------------------------- */
/* bloom_chain_open makes a chain whose links stay where they are, in the `size`
   bytes at image: in a mapped file, for example, where a process that is killed
   loses no key. It checks what bloom_chain_load checks, and changes nothing.
   The links are yours. So bloom_chain_free frees the chain alone, and no call
   makes a new link: if the newest one is full, it takes all further keys, and
   the rate rises. To keep the rate, append a link before:
       bloom_chain_unseal(c);              // before a link follows the newest
       while (bloom_chain_room(c) == 0) {
           bloom_plan plan = bloom_chain_next(c);
           bloom *link = ..                // empty, of plan, after the last
           if (!bloom_chain_append(c, link))
               break;                      // NULL, or of another plan
           bloom_chain_head(c, head);      // replaces the head of the image
       }
   bloom_chain_append returns false, and changes nothing, if the link is NULL,
   if its plan is not that of bloom_chain_next, or if the chain makes its own
   links.
   bloom_chain_room is how many new keys the newest link takes, 0 if it is full.
   Add at most so many keys by one call. If the chain cannot grow any more,
   bloom_plan_size(bloom_chain_next(c)) is 0. The image takes
   bloom_chain_size(c) bytes, so a new link begins after as many.
   To begin, write an empty chain there by bloom_chain_write, and open that.

   Kills: add keys to a link only when the head in the image counts it, and
   write the head by one call (pwrite), so that it is old or new. If the newest
   link has no seal, some process may have been killed. So the head may have an
   old number of keys, and bloom_chain_open also estimates it from the cells,
   and takes the larger number. (bloom_chain_load and _join do so if the
   estimate is far above the number in the head.) Then bytes may follow the last
   link, if they are those of an empty one: the process was about to append it.
   Cut the file after bloom_chain_size(c) bytes before you append a link again.
   Power cuts: see "Seals" at bloom_file_hold. bloom_chain_unseal removes the
   seal of the newest link. Let the disk have a new link before its head. */
BLOOM_USE_RESULT_ BLOOM_API bloom_chain *bloom_chain_open(void *image,
                                                          size_t size,
                                                          bloom_error *error);
BLOOM_API uint64_t bloom_chain_room(const bloom_chain *c);
BLOOM_API bloom_plan bloom_chain_next(const bloom_chain *c);
BLOOM_API bool bloom_chain_append(bloom_chain *c, bloom *link);
BLOOM_API void bloom_chain_unseal(bloom_chain *c);

#ifdef __cplusplus
}
#endif
#endif /* BLOOM_CHAIN_H */

#if defined(BLOOM_IMPLEMENTATION) && !defined(BLOOM_CHAIN_DONE_)
#define BLOOM_CHAIN_DONE_
#include <float.h>
#if defined(BLOOM_NO_MALLOC) || defined(BLOOM_NO_FLOAT) || BLOOM_IN_ROM_
#error "bloom_chain.h: not with BLOOM_TINY, BLOOM_NO_MALLOC, BLOOM_NO_FLOAT or \
BLOOM_READ_BYTE"
#endif
#if DBL_MANT_DIG != 53
#error "bloom_chain.h: double must have the 64 bits of IEEE 754"
#endif
#ifdef __cplusplus
extern "C" {
#endif
BLOOM_HUSH_

/* ==== Code ==================================================================

    offset size  field of the head
       0     4   magic: 'B' 'L' 'C' and the format version, 2
       4     1   layout: 0 classic, 1 blocked
       5     1   hash width in bits: 64
       6     1   links that follow, 1..64
       7     1   check: the low byte of the sum of (2i + 1) * byte i over the
                 other 31 bytes
       8     8   first_n, not 0, little-endian like all numbers
      16     8   p: the 64 bits of an IEEE double, between 0 and 1
      24     8   keys: how many were new to the newest link
      32         the links' images, oldest first

   Invariants: there are 1 to 64 links, all with the same layout and seed and
   with hash_bits 64; and keys <= room. `room` is the number of keys that the
   newest link takes before the chain tries to grow. It is computed from the
   image, so that a loaded chain grows like the saved one. If growing failed, it
   is more than `full`, the link's capacity.

   bloom.h 2.2.0 planned link i for first_n * 2^i keys, of which it took its
   share fewer. So new links have other bytes than those of 2.2.0. Each version
   loads and grows the chains of the other. */

struct bloom_chain {
    bloom *link[64];
    unsigned links;
    bloom_plan like;            /* layout and seed of all links */
    double p;
    uint64_t first_n, keys, room, full;
    bool borrows;               /* the links are the caller's */
};

/* The shares add up to p: 1/2 + 1/6 + 1/12 + ... = 1. */
static inline double bloom_chain_share_(const bloom_chain *c, unsigned i)
{
    return c->p / ((i + 1.0) * (i + 2.0));
}

/* For how many keys link i is planned, so that it takes first_n * 2^i new ones.
   UINT64_MAX, for which no plan exists, takes the place of numbers that are too
   large. */
static inline uint64_t bloom_chain_planned_(const bloom_chain *c, unsigned i)
{
    const uint64_t n = c->first_n << i;
    const double keys = (double)n / (1 - bloom_chain_share_(c, i));
    return n >> i == c->first_n && keys < 9e18 ? (uint64_t)keys + 1
                                               : UINT64_MAX;
}

/* How many new keys the newest link takes, at least 1. It has room for n keys.
   Up to n * share of them are false positives and do not count as new. */
static inline uint64_t bloom_chain_capacity_(const bloom_chain *c)
{
    const unsigned newest = c->links - 1;
    const double share = bloom_chain_share_(c, newest);
    const uint64_t n = bloom_plan_capacity(bloom_plan_of(c->link[newest]),
                                           share);
    const double new_keys = (double)n * (1 - share);
    return new_keys > 1 ? (uint64_t)new_keys : 1;
}

/* Sets room to the newest link's capacity, doubled if needed until keys fit. */
static inline void bloom_chain_set_room_(bloom_chain *c)
{
    c->room = c->full = bloom_chain_capacity_(c);
    while (c->room < c->keys)
        c->room = c->room >> 63 ? UINT64_MAX : 2 * c->room;
}

BLOOM_API uint64_t bloom_chain_room(const bloom_chain *c)
{
    return c->keys < c->full ? c->full - c->keys : 0;
}

BLOOM_API bloom_plan bloom_chain_next(const bloom_chain *c)
{
    const unsigned i = c->links;
    bloom_plan plan = { 0, 0, 0, BLOOM_CLASSIC, 64 };
    if (i < 64)
        plan = bloom_plan_layout(bloom_chain_planned_(c, i),
                                 bloom_chain_share_(c, i),
                                 (bloom_layout)c->like.layout);
    plan.seed = c->like.seed;
    return plan;
}

static inline void bloom_chain_append_(bloom_chain *c, bloom *link)
{
    c->link[c->links++] = link;
    c->keys = 0;
    bloom_chain_set_room_(c);
}

BLOOM_API bool bloom_chain_append(bloom_chain *c, bloom *link)
{
    const bloom_plan next = bloom_chain_next(c);
    if (!c->borrows || !link || bloom_plan_size(next) == 0
        || !bloom_same_plan_(bloom_plan_of(link), next))
        return false;
    bloom_chain_append_(c, link);
    return true;
}

/* Appends an empty link of the chain's own, unless there are 64 or there is no
   memory. */
static inline void bloom_chain_grow_(bloom_chain *c)
{
    bloom *link = c->borrows ? NULL : bloom_create(bloom_chain_next(c));
    if (link)
        bloom_chain_append_(c, link);
}

/* Counts a new key. If the newest link is full, appends another for the key. */
static inline void bloom_chain_count_(bloom_chain *c)
{
    if (c->keys >= c->room)
        bloom_chain_grow_(c);
    c->keys += c->keys < UINT64_MAX;
    if (c->keys > c->room)
        bloom_chain_set_room_(c);
}

/* Returns a chain that has no link yet, or NULL if memory is short. */
static inline bloom_chain *bloom_chain_make_(uint64_t first_n, double p,
                                             bloom_plan like)
{
    void *memory = BLOOM_MALLOC(sizeof (bloom_chain));
    bloom_chain *c = (bloom_chain *)memory;
    if (c) {
        c->links = 0;
        c->like = like;
        c->p = p;
        c->first_n = first_n ? first_n : 1;
        c->keys = 0;
        c->borrows = false;
    }
    return c;
}

BLOOM_API void bloom_chain_free(bloom_chain *c)
{
    if (c) {
        while (!c->borrows && c->links > 0)
            bloom_free(c->link[--c->links]);
        BLOOM_FREE(c);
    }
}

BLOOM_API bloom_chain *bloom_chain_create(uint64_t first_n, double p,
                                          bloom_plan like)
{
    bloom_chain *c;
    if (!(p > 0 && p < 1) || like.layout > BLOOM_BLOCKED)
        return NULL;
    c = bloom_chain_make_(first_n, p, like);
    if (c)
        bloom_chain_grow_(c);
    if (c && c->links > 0)
        return c;
    bloom_chain_free(c);
    return NULL;
}

BLOOM_API bloom_chain *bloom_chain_new(uint64_t first_n, double p,
                                       bloom_layout layout)
{
    bloom_plan like = { 0, 0, 0, BLOOM_CLASSIC, 64 };
    like.layout = (uint8_t)layout;
    return bloom_chain_create(first_n, p, like);
}

/* ---- One key ------------------------------------------------------------ */

BLOOM_API bool bloom_chain_may_contain_hash(const bloom_chain *c, bloom_hash h)
{
    unsigned i = c->links;
    while (i-- > 0)
        if (bloom_may_contain_hash(c->link[i], h))
            return true;
    return false;
}

BLOOM_API bool bloom_chain_may_contain(const bloom_chain *c, const void *key,
                                       size_t size)
{
    return bloom_chain_may_contain_hash(c, bloom_hash_key(c->link[0], key,
                                                          size));
}

BLOOM_API bool bloom_chain_may_contain_u64(const bloom_chain *c, uint64_t key)
{
    return bloom_chain_may_contain_hash(c, bloom_hash_u64(c->link[0], key));
}

BLOOM_API bool bloom_chain_add_hash(bloom_chain *c, bloom_hash h)
{
    if (bloom_chain_may_contain_hash(c, h))
        return false;
    bloom_chain_count_(c);
    return bloom_add_hash(c->link[c->links - 1], h);
}

BLOOM_API bool bloom_chain_add(bloom_chain *c, const void *key, size_t size)
{
    return bloom_chain_add_hash(c, bloom_hash_key(c->link[0], key, size));
}

BLOOM_API bool bloom_chain_add_u64(bloom_chain *c, uint64_t key)
{
    return bloom_chain_add_hash(c, bloom_hash_u64(c->link[0], key));
}

/* ---- Many keys ----------------------------------------------------------
   The keys of a batch are hashed once. Each link is tested only for the keys
   that no newer link may contain. */

#define BLOOM_CHAIN_BATCH_ 256U

typedef struct bloom_chain_batch_ {
    bloom_hash hash[BLOOM_CHAIN_BATCH_];        /* of the keys still left */
    unsigned char number[BLOOM_CHAIN_BATCH_];   /* their indices in the batch */
    bool answer[BLOOM_CHAIN_BATCH_];
    size_t left;
} bloom_chain_batch_;

/* A sealed link is tested before keys are added to it. So it keeps its seal if
   it contains them all, as with single calls. */
static inline bool bloom_chain_is_sealed_(const bloom_chain *c)
{
    const void *newest = c->link[c->links - 1];
    return bloom_load64_((const unsigned char *)newest + 24) != 0;
}

/* Drops from k the keys that a link numbered 0 to links - 1 may contain. */
static inline void bloom_chain_sift_(bloom_chain_batch_ *k,
                                     const bloom_chain *c, unsigned links)
{
    size_t i, before;
    while (links-- > 0) {
        before = k->left;
        bloom_may_contain_many_hash(c->link[links], k->hash, before, k->answer);
        for (i = k->left = 0; i < before; i++) {
            k->hash[k->left] = k->hash[i];
            k->number[k->left] = k->number[i];
            k->left += !k->answer[i];
        }
    }
}

/* If `into` is NULL, looks up `count` keys, starting at key number `from`. If
   `into` is c, adds them. `count` is at most a batch; to add, at most room -
   keys. To add keys, only the older links are tested (none, if the keys are
   `absent` from these), as adding to the newest one shows which keys are new to
   it. Returns how many results are true. */
static inline size_t bloom_chain_run_(bloom_chain *into, const bloom_chain *c,
                                      const bloom_keys_ *keys, size_t from,
                                      size_t count, bool absent)
{
    bool *results = keys->results;
    bloom_chain_batch_ k;
    size_t i, added = 0;
    for (i = 0; i < count; i++) {
        k.hash[i] = bloom_hash_of_(c->link[0], keys, from + i);
        k.number[i] = (unsigned char)i;
    }
    k.left = count;
    bloom_chain_sift_(&k, c, absent ? 0
                             : !into || bloom_chain_is_sealed_(c)
                             ? c->links : c->links - 1);
    if (into) {
        added = bloom_add_many_hash(c->link[c->links - 1], k.hash, k.left,
                                    k.answer);
        into->keys += added;
    }
    for (i = 0; results && i < count; i++)
        results[from + i] = !into;
    for (i = 0; results && i < k.left; i++)
        results[from + k.number[i]] = into && k.answer[i];
    return into ? added : count - k.left;
}

/* A batch ends where the newest link is full. The next key is then added by a
   single call, so that links begin at the same keys as with single calls. */
static inline size_t bloom_chain_all_(bloom_chain *into, const bloom_chain *c,
                                      bloom_keys_ keys, bool absent)
{
    size_t from, some, trues = 0;
    for (from = 0; from < keys.count; from += some) {
        some = keys.count - from < BLOOM_CHAIN_BATCH_ ? keys.count - from
                                                      : BLOOM_CHAIN_BATCH_;
        if (into && some > c->room - c->keys)
            some = (size_t)(c->room - c->keys);
        if (some > 0) {
            trues += bloom_chain_run_(into, c, &keys, from, some, absent);
        } else {
            bool is_new = bloom_chain_add_hash(
                into, bloom_hash_of_(c->link[0], &keys, from));
            if (keys.results)
                keys.results[from] = is_new;
            trues += is_new;
            some = 1;
        }
    }
    return trues;
}

BLOOM_API size_t bloom_chain_add_many(bloom_chain *c, const bloom_key *keys,
                                      size_t count, bool *is_new)
{
    const bloom_keys_ all = { keys, NULL, NULL, count, is_new };
    return bloom_chain_all_(c, c, all, false);
}

BLOOM_API size_t bloom_chain_add_many_u64(bloom_chain *c, const uint64_t *keys,
                                          size_t count, bool *is_new)
{
    const bloom_keys_ all = { NULL, keys, NULL, count, is_new };
    return bloom_chain_all_(c, c, all, false);
}

BLOOM_API size_t bloom_chain_add_many_hash(bloom_chain *c,
                                           const bloom_hash *hashes,
                                           size_t count, bool *is_new)
{
    const bloom_keys_ all = { NULL, NULL, hashes, count, is_new };
    return bloom_chain_all_(c, c, all, false);
}

BLOOM_API size_t bloom_chain_add_absent_hash(bloom_chain *c,
                                             const bloom_hash *hashes,
                                             size_t count)
{
    const bloom_keys_ all = { NULL, NULL, hashes, count, NULL };
    return bloom_chain_all_(c, c, all, true);
}

BLOOM_API size_t bloom_chain_may_contain_many(const bloom_chain *c,
                                              const bloom_key *keys,
                                              size_t count, bool *maybe)
{
    const bloom_keys_ all = { keys, NULL, NULL, count, maybe };
    return bloom_chain_all_(NULL, c, all, false);
}

BLOOM_API size_t bloom_chain_may_contain_many_u64(const bloom_chain *c,
                                                  const uint64_t *keys,
                                                  size_t count, bool *maybe)
{
    const bloom_keys_ all = { NULL, keys, NULL, count, maybe };
    return bloom_chain_all_(NULL, c, all, false);
}

BLOOM_API size_t bloom_chain_may_contain_many_hash(const bloom_chain *c,
                                                   const bloom_hash *hashes,
                                                   size_t count, bool *maybe)
{
    const bloom_keys_ all = { NULL, NULL, hashes, count, maybe };
    return bloom_chain_all_(NULL, c, all, false);
}

/* ---- Whole chains ------------------------------------------------------- */

BLOOM_API unsigned bloom_chain_links(const bloom_chain *c)
{
    return c->links;
}

BLOOM_API double bloom_chain_rate(const bloom_chain *c)
{
    return c->p;
}

BLOOM_API const bloom *bloom_chain_link(const bloom_chain *c, unsigned i)
{
    return i < c->links ? c->link[i] : NULL;
}

/* A link received only the share `passed` of the keys, as the others were false
   positives of older links. After a link whose cells are all set, `passed` is 0
   and `keys` is 2^64, infinity or NaN. None of these is below the limit. */
BLOOM_API uint64_t bloom_chain_estimate(const bloom_chain *c)
{
    const double limit = 18446744073709549568.0;    /* 2^64 - 2048 */
    double keys = 0.5, passed = 1;
    unsigned i;
    for (i = 0; i < c->links; i++) {
        const uint64_t n = bloom_estimate(c->link[i]);
        keys += (double)n / passed;
        passed *= 1 - bloom_fpr(c->link[i]);
    }
    return keys < limit ? (uint64_t)keys : UINT64_MAX;
}

/* On x87, where doubles are computed with extra bits, the sum may exceed 1. */
BLOOM_API double bloom_chain_fpr(const bloom_chain *c)
{
    double rate = 0;
    unsigned i;
    for (i = 0; i < c->links; i++)
        rate += (1 - rate) * bloom_fpr(c->link[i]);
    return rate < 1 ? rate : 1;
}

/* ---- The image ---------------------------------------------------------- */

BLOOM_API size_t bloom_chain_size(const bloom_chain *c)
{
    size_t size = 32;
    unsigned i;
    for (i = 0; i < c->links; i++)
        size += bloom_size(c->link[i]);
    return size;
}

BLOOM_API void bloom_chain_seal(bloom_chain *c)
{
    unsigned i;
    for (i = 0; i < c->links; i++)
        if (bloom_verify(c->link[i]) == BLOOM_UNSEALED)
            bloom_seal(c->link[i]);
}

BLOOM_API void bloom_chain_unseal(bloom_chain *c)
{
    void *newest = c->link[c->links - 1];
    bloom_unseal_((unsigned char *)newest);
}

BLOOM_API bloom_error bloom_chain_verify(const bloom_chain *c)
{
    bloom_error worst = BLOOM_OK, error;
    unsigned i;
    for (i = 0; i < c->links && worst != BLOOM_CORRUPT; i++) {
        error = bloom_verify(c->link[i]);
        worst = error == BLOOM_OK ? worst : error;
    }
    return worst;
}

/* A double and its bits */
typedef union bloom_chain_double_ { double number; uint64_t bits; }
    bloom_chain_double_;

static inline double bloom_chain_get_rate_(const unsigned char *head)
{
    bloom_chain_double_ p;
    p.bits = bloom_load64_(head + 16);
    return p.number;
}

static inline unsigned char bloom_chain_check_byte_(const unsigned char *head)
{
    unsigned sum = 0, i;
    for (i = 0; i < 32; i++)
        sum += i == 7 ? 0 : (2 * i + 1) * head[i];
    return (unsigned char)(sum & 255);
}

BLOOM_API void bloom_chain_head(const bloom_chain *c, unsigned char head[32])
{
    bloom_chain_double_ p;
    p.number = c->p;
    head[0] = 'B';
    head[1] = 'L';
    head[2] = 'C';
    head[3] = 2;
    head[4] = c->like.layout;
    head[5] = 64;
    head[6] = (unsigned char)c->links;
    bloom_store64_(head + 8, c->first_n);
    bloom_store64_(head + 16, p.bits);
    bloom_store64_(head + 24, c->keys);
    head[7] = bloom_chain_check_byte_(head);
}

BLOOM_API void bloom_chain_write(const bloom_chain *c, void *memory)
{
    unsigned char *image = (unsigned char *)memory;
    size_t at = 32;
    unsigned i;
    bloom_chain_head(c, image);
    for (i = 0; i < c->links; i++) {
        const size_t size = bloom_size(c->link[i]);
        bloom_copy_bytes_(image + at, bloom_const_bytes_(c->link[i]), size);
        at += size;
    }
}

static inline bloom_error bloom_chain_check_head_(const unsigned char *head,
                                                  size_t size)
{
    double p;
    if (!head || size < 32)
        return BLOOM_TRUNCATED;
    if (head[0] != 'B' || head[1] != 'L' || head[2] != 'C')
        return BLOOM_NOT_A_FILTER;
    if (head[3] != 2)
        return BLOOM_WRONG_VERSION;
    p = bloom_chain_get_rate_(head);
    if (head[4] > BLOOM_BLOCKED || head[5] != 64 || head[6] < 1 || head[6] > 64
        || bloom_load64_(head + 8) == 0 || !(p > 0 && p < 1))
        return BLOOM_BAD_HEADER;
    return head[7] == bloom_chain_check_byte_(head) ? BLOOM_OK : BLOOM_CORRUPT;
}

/* May the chain with this head have this link? All links have one seed. */
static inline bool bloom_chain_fits_(const unsigned char *head, const bloom *b,
                                     uint64_t seed)
{
    const bloom_plan plan = bloom_plan_of(b);
    return plan.layout == head[4] && plan.hash_bits == head[5]
        && plan.seed == seed;
}

/* Does a filter follow the last link? If the chain is in use, that is no error
   if it has no key: it was about to be appended. A part of its header may be
   missing. */
static inline bool bloom_chain_goes_on_(const unsigned char *after, size_t size,
                                        bool in_use)
{
    size_t at = in_use ? BLOOM_HEADER_SIZE : size;
    if (size < 3 || after[0] != 'B' || after[1] != 'L' || after[2] != 'M')
        return false;
    while (at < size && after[at] == 0)
        at++;
    return !in_use || at < size;
}

/* What is wrong with an image, or BLOOM_OK. This allocates nothing. If the
   newest link has no seal, a process may be using the chain, or was killed. */
static inline bloom_error bloom_chain_check_(const unsigned char *image,
                                             size_t size)
{
    bloom_error error = bloom_chain_check_head_(image, size);
    size_t at = 32, last = 32;
    uint64_t seed = 0;
    unsigned i;
    for (i = 0; error == BLOOM_OK && i < image[6]; i++) {
        const bloom *b = bloom_view(image + at, size - at, &error);
        if (b) {
            seed = i == 0 ? bloom_plan_of(b).seed : seed;
            if (!bloom_chain_fits_(image, b, seed))
                return BLOOM_BAD_HEADER;
            last = at;
            at += bloom_size(b);
        }
    }
    if (error == BLOOM_OK
        && bloom_chain_goes_on_(image + at, size - at,
               bloom_load64_(image + last + BLOOM_SEAL_AT_) == 0))
        return BLOOM_BAD_HEADER;
    return error;
}

/* If growing had failed, the chain tries it again at the next new key. */
static inline void bloom_chain_set_keys_(bloom_chain *c, uint64_t keys)
{
    c->keys = keys;
    c->full = bloom_chain_capacity_(c);
    c->room = c->full > keys ? c->full : keys;
}

/* A process that is killed leaves no seal, and perhaps an old number of keys.
   With too small a number, the newest link would take too many keys. So the
   number is the estimate if that is larger. With `doubt`, it must be larger by
   more than an estimate errs (an eighth and eight keys): an image that was
   saved without a seal is to grow as it would have done. */
static inline void bloom_chain_recount_(bloom_chain *c, bool doubt)
{
    uint64_t keys;
    if (c->keys >= c->full || bloom_chain_is_sealed_(c))
        return;
    keys = bloom_estimate(c->link[c->links - 1]);
    if (keys > c->keys && (!doubt || keys - c->keys > keys / 8 + 8))
        bloom_chain_set_keys_(c, keys);
}

/* Makes a chain of a head and links that were checked. NULL: no memory */
static inline bloom_chain *bloom_chain_of_(const unsigned char *head,
                                           bloom *const *link)
{
    bloom_chain *c = bloom_chain_make_(bloom_load64_(head + 8),
                                       bloom_chain_get_rate_(head),
                                       bloom_plan_of(link[0]));
    if (!c)
        return NULL;
    do                                  /* there is at least one */
        c->link[c->links] = link[c->links];
    while (++c->links < head[6]);
    bloom_chain_set_keys_(c, bloom_load64_(head + 24));
    bloom_chain_recount_(c, true);
    return c;
}

BLOOM_API bloom_chain *bloom_chain_join(const unsigned char head[32],
                                        bloom *const *link, bloom_error *error)
{
    bloom_error found = bloom_chain_check_head_(head, 32);
    bloom_chain *c = NULL;
    unsigned i;
    for (i = 0; found == BLOOM_OK && i < head[6]; i++)
        if (!bloom_chain_fits_(head, link[i], bloom_plan_of(link[0]).seed))
            found = BLOOM_BAD_HEADER;
    if (found == BLOOM_OK) {
        c = bloom_chain_of_(head, link);
        found = c ? BLOOM_OK : BLOOM_NO_MEMORY;
    }
    if (error)
        *error = found;
    return c;
}

BLOOM_API bloom_chain *bloom_chain_load(const void *image, size_t size,
                                        bloom_error *error)
{
    const unsigned char *head = (const unsigned char *)image;
    bloom_error found = bloom_chain_check_(head, size);
    bloom_chain *c = NULL;
    bloom *link[64];
    size_t at = 32;
    unsigned links = 0;
    while (found == BLOOM_OK && links < head[6]) {
        link[links] = bloom_copy(bloom_view(head + at, size - at, NULL));
        if (link[links])
            at += bloom_size(link[links++]);
        else
            found = BLOOM_NO_MEMORY;
    }
    if (found == BLOOM_OK) {
        c = bloom_chain_of_(head, link);
        found = c ? BLOOM_OK : BLOOM_NO_MEMORY;
    }
    while (!c && links > 0)
        bloom_free(link[--links]);
    if (error)
        *error = found;
    return c;
}

/* The rate depends on the cells that are set, and so does the estimate. A chain
   with an estimate in place of the number of keys keeps its rate. */
BLOOM_API bloom_chain *bloom_chain_open(void *image, size_t size,
                                        bloom_error *error)
{
    unsigned char *head = (unsigned char *)image;
    bloom_error found = bloom_chain_check_(head, size);
    bloom_chain *c = NULL;
    bloom *link[64];
    size_t at = 32;
    unsigned i;
    for (i = 0; found == BLOOM_OK && i < head[6]; i++) {
        void *next = head + at;
        link[i] = (bloom *)next;
        at += bloom_size(link[i]);
    }
    if (found == BLOOM_OK) {
        c = bloom_chain_of_(head, link);
        found = c ? BLOOM_OK : BLOOM_NO_MEMORY;
    }
    if (c) {
        c->borrows = true;
        bloom_chain_recount_(c, false);
    }
    if (error)
        *error = found;
    return c;
}

BLOOM_END_HUSH_
#ifdef __cplusplus
}
#endif
#endif /* BLOOM_IMPLEMENTATION */
