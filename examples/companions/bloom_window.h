/* SPDX-License-Identifier: MIT OR Unlicense
   bloom_window.h: a sliding window, made of filters of bloom.h. It contains the
   last n keys, or those of the last day, and forgets older ones. Its memory
   never grows.

   A window consists of g filters with the same plan, g = 2 to 16: its
   generations. New keys go into the newest generation. A lookup tests all
   generations. When the newest one is full, the oldest one is cleared and
   becomes the newest. To forget by time, call bloom_window_step whenever the
   newest generation should end, for example once an hour, or let
   bloom_window_advance decide.

   USE: #include "bloom_window.h", which includes bloom.h. One file of a program
   compiles the code: it defines BLOOM_IMPLEMENTATION before this #include. If
   the linker misses bloom_window_new, no file does. See USE in bloom.h.
       bloom_window *seen = bloom_window_new(1000000, 0.01, 8, BLOOM_CLASSIC);
       if (!seen)
           return 1;                           // no memory
       bloom_window_add(seen, "apple", 5);     // true: certainly not in
       bloom_window_may_contain(seen, "pear", 4);  // false: certainly not in
       bloom_window_free(seen);
   With bloom_file.h, these lines keep a window in a file, over restarts of the
   program and whenever it is killed:
       int why;
       bloom_error error;
       bloom_window_plan plan = bloom_window_plan_for(1000, 0.01, 8,
                                                      BLOOM_CLASSIC);
       size_t size = bloom_window_plan_size(plan);
       void *file = bloom_file_hold("seen.window", size, &why);
       bloom_window *seen = file ? bloom_window_resume(file, size, plan, &error)
                                 : NULL;
       if (!seen)
           return 1;                           // why, or error if file is there
       why = bloom_file_sync(file);            // the header is on the disk
       bloom_window_add(seen, "apple", 5);     // in the file at once
       why = bloom_file_drop(file);            // on the disk

   Like a filter, a window is one block of bytes, its image, at any address. It
   can lie in static memory, be saved with fwrite, or be used in a mapped file.
   Its calls are those of a filter with another prefix. They do the same, and
   report errors in the same way, unless the comments below say otherwise.

   WHAT IT CONTAINS
   For n keys and the false-positive rate p, each generation is planned for the
   rate p / g. Its capacity, called room, is n / (g - 1) keys, rounded up. A key
   stays in for at least the next n keys, and for at most the next g * room - 1,
   not counting keys that the newest generation already seemed to contain. With
   n = 1000 and g = 8, room is 143: a key stays in for the next 1001 to 1143
   keys. With n = 10 and g = 16, room is 1: it stays in for the next 15.
   If you add a key again, the window keeps it for longer, and the key takes up
   room again. But if the newest generation seems to contain the key, the key
   takes no room, and no generation ends.

   WHAT "NO" MEANS
   A "no" does not mean that the key was never added, only that it was not added
   lately. So skip a lookup in a store because of a "no" only if the store
   forgets its entries at least as early as the window. If it keeps them for
   longer, the program loses live data, without an error. For a store that keeps
   its entries, use a filter or a chain. While a filter, chain or window is
   being filled, its "no" means nothing. Let readers use it only when all keys
   are in.

   The options of bloom.h hold here, too. With BLOOM_NO_MALLOC or BLOOM_TINY,
   use bloom_window_init. A window is in RAM, so the file that compiles this
   code must not define BLOOM_READ_BYTE.
   Threads: any number of threads may make calls that take a const bloom_window
   at the same time. Every other call needs exclusive access, even with
   BLOOM_ATOMIC. */

#if !defined(BLOOM_VERSION) \
    || (defined(BLOOM_IMPLEMENTATION) && !defined(BLOOM_IMPLEMENTATION_DONE_)) \
    || (defined(BLOOM_ATOMIC) && !defined(BLOOM_ATOMIC_FROM_THE_START_))
#include "bloom.h"
#endif

#ifndef BLOOM_WINDOW_H
#define BLOOM_WINDOW_H

#if !defined(BLOOM_VERSION) || BLOOM_VERSION != 30000
#error "bloom_window.h needs the bloom.h of its own version, but the compiler \
found another one first: copy the right one into the folder of bloom_window.h"
#endif
#ifdef BLOOM_NAME_                      /* see "Names" in bloom.h */
#ifdef BLOOM_NAMESPACE
#define bloom_window BLOOM_NAME_(bloom_window)
#endif
#define bloom_window_plan_for BLOOM_NAME_(bloom_window_plan_for)
#define bloom_window_plan_size BLOOM_NAME_(bloom_window_plan_size)
#define bloom_window_new BLOOM_NAME_(bloom_window_new)
#define bloom_window_create BLOOM_NAME_(bloom_window_create)
#define bloom_window_copy BLOOM_NAME_(bloom_window_copy)
#define bloom_window_free BLOOM_NAME_(bloom_window_free)
#define bloom_window_init BLOOM_NAME_(bloom_window_init)
#define bloom_window_open BLOOM_NAME_(bloom_window_open)
#define bloom_window_view BLOOM_NAME_(bloom_window_view)
#define bloom_window_resume BLOOM_NAME_(bloom_window_resume)
#define bloom_window_image_size BLOOM_NAME_(bloom_window_image_size)
#define bloom_window_plan_of BLOOM_NAME_(bloom_window_plan_of)
#define bloom_window_size BLOOM_NAME_(bloom_window_size)
#define bloom_window_clear BLOOM_NAME_(bloom_window_clear)
#define bloom_window_seal BLOOM_NAME_(bloom_window_seal)
#define bloom_window_verify BLOOM_NAME_(bloom_window_verify)
#define bloom_window_add BLOOM_NAME_(bloom_window_add)
#define bloom_window_add_u64 BLOOM_NAME_(bloom_window_add_u64)
#define bloom_window_add_hash BLOOM_NAME_(bloom_window_add_hash)
#define bloom_window_may_contain BLOOM_NAME_(bloom_window_may_contain)
#define bloom_window_may_contain_u64 BLOOM_NAME_(bloom_window_may_contain_u64)
#define bloom_window_may_contain_hash BLOOM_NAME_(bloom_window_may_contain_hash)
#define bloom_window_add_many BLOOM_NAME_(bloom_window_add_many)
#define bloom_window_add_many_u64 BLOOM_NAME_(bloom_window_add_many_u64)
#define bloom_window_add_many_hash BLOOM_NAME_(bloom_window_add_many_hash)
#define bloom_window_may_contain_many BLOOM_NAME_(bloom_window_may_contain_many)
#define bloom_window_may_contain_many_u64 \
    BLOOM_NAME_(bloom_window_may_contain_many_u64)
#define bloom_window_may_contain_many_hash \
    BLOOM_NAME_(bloom_window_may_contain_many_hash)
#define bloom_window_step BLOOM_NAME_(bloom_window_step)
#define bloom_window_generation BLOOM_NAME_(bloom_window_generation)
#define bloom_window_keys BLOOM_NAME_(bloom_window_keys)
#define bloom_window_advance BLOOM_NAME_(bloom_window_advance)
#define bloom_window_time BLOOM_NAME_(bloom_window_time)
#define bloom_window_span BLOOM_NAME_(bloom_window_span)
#define bloom_window_set_time BLOOM_NAME_(bloom_window_set_time)
#define bloom_window_estimate BLOOM_NAME_(bloom_window_estimate)
#define bloom_window_fpr BLOOM_NAME_(bloom_window_fpr)
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define BLOOM_WINDOW_HEADER_SIZE 64     /* bytes before the first generation */

typedef struct bloom_window bloom_window;   /* the image; only by pointer */

/* All that bloom_window_create needs to know */
typedef struct bloom_window_plan {
    bloom_plan filter;                  /* the plan of each generation */
    uint64_t room;                      /* how many keys a generation takes */
    unsigned generations;               /* g: 2..16 */
} bloom_window_plan;

/* ---- Planning ----------------------------------------------------------- */
#ifndef BLOOM_NO_FLOAT
/* Plans a window for the last n keys (0 counts as 1) with the rate p. The plan
   is impossible if g is not 2..16, if p is not between 0 and 1, or if no filter
   can keep the rate p / g. */
BLOOM_API bloom_window_plan bloom_window_plan_for(uint64_t n, double p,
                                                  unsigned g,
                                                  bloom_layout layout);
#endif

/* The size of the image in bytes: 64 + g * bloom_plan_size(plan.filter). It is
   0 if the plan is impossible (no filter, room or g), or too large for size_t.
   Without floating point, a plan can be written by hand:
       static unsigned char memory[64 + 4 * BLOOM_SIZE(100, 1000)];
       bloom_window_plan plan = { BLOOM_PLAN(100, 1000), 100, 4 }; */
BLOOM_API size_t bloom_window_plan_size(bloom_window_plan plan);

/* ---- Making ------------------------------------------------------------- */
#ifndef BLOOM_NO_MALLOC
/* bloom_window_new(n, p, g, layout) uses the plan of bloom_window_plan_for. */
#ifndef BLOOM_NO_FLOAT
BLOOM_USE_RESULT_ BLOOM_API bloom_window *bloom_window_new(uint64_t n, double p,
                                                           unsigned g,
                                                           bloom_layout layout);
#endif
BLOOM_USE_RESULT_ BLOOM_API bloom_window *bloom_window_create(
    bloom_window_plan plan);
BLOOM_USE_RESULT_ BLOOM_API bloom_window *bloom_window_copy(
    const bloom_window *w);
/* Only for the result of these calls or of bloom_file_load, or NULL */
BLOOM_API void bloom_window_free(bloom_window *w);
#endif

/* Makes an empty window in your memory, as bloom_init makes a filter. */
BLOOM_USE_RESULT_ BLOOM_API bloom_window *bloom_window_init(
    void *memory, size_t size, bloom_window_plan plan);

/* These use the `size` bytes at image as a window, in place. The checks, in
   this order, are:
       BLOOM_TRUNCATED      there are fewer than 64 bytes, or image is NULL
       BLOOM_NOT_A_FILTER   they do not begin with the letters BLW
       BLOOM_WRONG_VERSION  the format is not version 1
       BLOOM_BAD_HEADER     a field of the header is impossible
       the errors of bloom_open for each generation, and BLOOM_BAD_HEADER if its
                            plan is not that of the first one
       BLOOM_CORRUPT        the check of the header does not match
   The image of a window is always complete: it need not be sealed before it is
   written or mapped. But a copy that is made while a call changes the window
   may be corrupt, or be BLOOM_BAD_HEADER, or, if that call is
   bloom_window_advance, lack keys without a sign of it. So who reads a window
   that another process changes copies it, and both hold a lock of their own:
   one around the copy, the other around bloom_window_advance. A window in a
   mapped file may be BLOOM_BAD_HEADER, too, if its process was killed in a
   call: bloom_window_open, which may write, ends the change first, and then no
   key that the window had is missing. */
BLOOM_USE_RESULT_ BLOOM_API bloom_window *bloom_window_open(void *image,
                                                            size_t size,
                                                            bloom_error *error);
BLOOM_USE_RESULT_ BLOOM_API const bloom_window *bloom_window_view(
    const void *image, size_t size, bloom_error *error);

/* Goes on with the window in memory that outlives the program, such as a file
   mapped by bloom_file_hold, also if a process was killed while it changed it.
   If the memory is all zeros, it makes a new window of this plan, as
   bloom_window_init does. (If a process was killed while it did so, it makes
   the window again.) Other memory must be a window: the errors are those of
   bloom_window_open, BLOOM_BAD_HEADER if the window has another plan, and
   BLOOM_CORRUPT if a generation does not match its seal. error may be NULL. If
   bloom_window_plan_size(plan) is 0, the window may have any plan, and zeros
   are BLOOM_NOT_A_FILTER.
   It removes the seals, because no seal may outlast a change: see "Seals" at
   bloom_file_hold. It reads the generations that are sealed.

   A process may be killed at any time. The window then has all keys for which a
   call has returned, for as long as it promises. Only three things differ. Keys
   of the call that was interrupted may be in or not. The newest generation may
   take as many keys too many as that call had added (128 at most). And if the
   process was killed while bloom_window_advance moved generations, one may have
   twice as many keys as its rate allows, until it is forgotten.

   Power cuts: of what was stored since the last bloom_file_sync, the disk may
   have any part. So call that after bloom_window_resume: it makes sure that the
   disk has the header of a new window, without which nothing opens. Keys that
   were added later may be missing. Older ones may be, too, if
   bloom_window_advance has just used an older generation again, as the disk may
   have one half of the cells that it moved. A generation that was just begun
   may still have its old keys, so its rate may be too high until it is
   forgotten. It is not counted anew, as it would then end, and keys be
   forgotten, too early.

   BLOOM_TINY builds make no notes of what they change: after a reset in a call
   that writes, the window may not open. Nor do these builds open a window in
   which the process of another build was killed. */
BLOOM_USE_RESULT_ BLOOM_API bloom_window *bloom_window_resume(
    void *memory, size_t size, bloom_window_plan plan, bloom_error *error);

/* The size of the image that begins with these 96 bytes: the header of a
   window, and that of its first generation. To receive an image, read them
   first, and then the rest. If they do not begin a window that this build can
   use, the result is 0 and *error is the reason. error may be NULL. */
BLOOM_API size_t bloom_window_image_size(const void *head, bloom_error *error);

BLOOM_API bloom_window_plan bloom_window_plan_of(const bloom_window *w);
BLOOM_API size_t bloom_window_size(const bloom_window *w);
BLOOM_API void bloom_window_clear(bloom_window *w);

/* bloom_window_seal seals each generation that has no seal. One whose seal does
   not match keeps it, as a new seal would hide the damage. Adding keys removes
   the seal of the newest generation. bloom_window_verify checks the header and
   all generations. It returns BLOOM_CORRUPT if one of them is corrupt, else
   BLOOM_UNSEALED if one has no seal, else BLOOM_OK. */
BLOOM_API void bloom_window_seal(bloom_window *w);
BLOOM_API bloom_error bloom_window_verify(const bloom_window *w);

/* ---- Keys --------------------------------------------------------------- */
/* A key is bytes, an integer (_u64) or a hash (_hash), as in bloom.h. To hash a
   key for _hash, pass bloom_window_generation(w, 0) to bloom_hash_key or _u64.
   The key goes into the newest generation, unless that one seems to contain it.
   If it would be one too many, bloom_window_step comes first. true: no
   generation contained the key. */
BLOOM_READS_(2, 3) BLOOM_API bool bloom_window_add(
    bloom_window *w, const void *key, size_t size);
BLOOM_API bool bloom_window_add_u64(bloom_window *w, uint64_t key);
BLOOM_API bool bloom_window_add_hash(bloom_window *w, bloom_hash h);

BLOOM_READS_(2, 3) BLOOM_API bool bloom_window_may_contain(
    const bloom_window *w, const void *key, size_t size);
BLOOM_API bool bloom_window_may_contain_u64(const bloom_window *w,
                                            uint64_t key);
BLOOM_API bool bloom_window_may_contain_hash(const bloom_window *w,
                                             bloom_hash h);

/* As in bloom.h, these are faster than single calls, and the results may be
   NULL. They take about 7.5 KB of stack (gcc 12 or clang 14, -O2, x86-64), but
   in small builds (see __OPTIMIZE_SIZE__ in bloom.h) only what one call needs
   and some 100 bytes. */
BLOOM_READS_(2, 3) BLOOM_API size_t bloom_window_add_many(
    bloom_window *w, const bloom_key *keys, size_t count, bool *is_new);
BLOOM_READS_(2, 3) BLOOM_API size_t bloom_window_add_many_u64(
    bloom_window *w, const uint64_t *keys, size_t count, bool *is_new);
BLOOM_READS_(2, 3) BLOOM_API size_t bloom_window_add_many_hash(
    bloom_window *w, const bloom_hash *hashes, size_t count, bool *is_new);
BLOOM_READS_(2, 3) BLOOM_API size_t bloom_window_may_contain_many(
    const bloom_window *w, const bloom_key *keys, size_t count, bool *maybe);
BLOOM_READS_(2, 3) BLOOM_API size_t bloom_window_may_contain_many_u64(
    const bloom_window *w, const uint64_t *keys, size_t count, bool *maybe);
BLOOM_READS_(2, 3) BLOOM_API size_t bloom_window_may_contain_many_hash(
    const bloom_window *w, const bloom_hash *hashes, size_t count, bool *maybe);

/* ---- What only windows have --------------------------------------------- */
/* Clears the oldest generation, whose keys are forgotten, and makes it the
   newest. Adding a key does so first if the newest generation is full and does
   not seem to contain the key. */
BLOOM_API void bloom_window_step(bloom_window *w);

/* Generation i, where 0 is the newest; NULL if i is g or more */
BLOOM_API const bloom *bloom_window_generation(const bloom_window *w,
                                               unsigned i);

/* How many keys were new to the newest generation, 0..room */
BLOOM_API uint64_t bloom_window_keys(const bloom_window *w);

/* Forgets keys by their age. `now` is the time, and `span` the age; both have a
   unit of your choice, and a span of 0 counts as 1. Call it before each call
   that adds keys, and then add no more keys than the newest generation has room
   for: bloom_window_plan_of(w).room - bloom_window_keys(w), at least 1. Call it
   before a lookup, too, if keys must be forgotten in time. A key counts as
   added at the time of the last call. At the first call, bloom_window_time and
   bloom_window_span must be 0, and keys that are there count as added then.
   Returns true if keys younger than span may have been forgotten for want of
   room. All other keys stay in until they are `span` old by this clock. For
   clocks that are set, see below.

   The newest generation ends when it is full, or after a part: span / (g - 1),
   rounded up to whole units. If time ends it, the oldest generation is cleared,
   whose keys are all at least `span` old. If it is full, the next newest is one
   that is empty, or that time ended before it was full (not with
   BLOOM_NO_FLOAT). If there is none, the oldest one is cleared; only then is
   the result true.
   If at most n keys come in any 2 * span, there is room for them in most cases.
   With bursts, that is not certain. How many keys a generation has is
   estimated. Each time that a generation is used again, its old keys stay for
   about 2 * span more.
   Under four conditions, a key is forgotten after at most g parts plus the time
   until the next call: the window was empty at the first call, no generation
   was full before its time, span stayed the same, and the clock was not set
   back. The clock counts whole units, so a key may be forgotten up to one unit
   early: choose a unit far below a part.
   A call costs almost nothing, except when a generation ends: then it clears
   one, or, if the newest is full, may read all cells and move up to g
   generations.

   If you call it with another span, the keys that are still in and younger than
   the new span stay until they reach that age. Each change may keep keys for
   longer.

   Clocks: if the clock is put forward, all keys are older at once. So one call
   with a time that is far ahead empties the window; the result is false. Do not
   call before the machine's clock is set.
   If the clock is set back by more than (g - 1) parts, time forgets nothing
   until the clock reaches bloom_window_time(w) again. At that call, every key
   counts as added then. Until then, bloom_window_span(w) is 0, and only full
   generations end. If the clock was wrong before and is right now, call
   bloom_window_set_time(w, 0, 0): the window begins anew at the next call, with
   all its keys, which count as added then.
   If the clock is set back by a smaller amount d, the window either does the
   same or goes on. If it goes on, keys that were added before may be forgotten
   up to d early when the clock is put forward again. */
BLOOM_API bool bloom_window_advance(bloom_window *w, uint64_t now,
                                    uint64_t span);

/* Two numbers that are saved with the window. They are 0 at first, and for your
   own use, unless you call bloom_window_advance. It keeps here when the newest
   generation began, and how long a part is (not the span of that call), or 0
   after the clock was set back. After a generation was full or the span
   changed, that time may lie ahead of the clock, by at most g - 2 parts. */
BLOOM_API uint64_t bloom_window_time(const bloom_window *w);
BLOOM_API uint64_t bloom_window_span(const bloom_window *w);
BLOOM_API void bloom_window_set_time(bloom_window *w, uint64_t time,
                                     uint64_t span);

#ifndef BLOOM_NO_FLOAT
/* An estimate of how many keys are in: the sum of bloom_estimate over the
   generations, UINT64_MAX if all cells of a generation are set. A key that was
   added again counts in each generation that contains it. */
BLOOM_API uint64_t bloom_window_estimate(const bloom_window *w);

/* The false-positive rate of this window, 0..1, computed from its cells */
BLOOM_API double bloom_window_fpr(const bloom_window *w);
#endif

#ifdef __cplusplus
}
#endif
#endif /* BLOOM_WINDOW_H */

#if defined(BLOOM_IMPLEMENTATION) && !defined(BLOOM_WINDOW_DONE_)
#define BLOOM_WINDOW_DONE_
#if BLOOM_IN_ROM_
#error "bloom_window.h: not in a file that defines BLOOM_READ_BYTE"
#endif
#ifdef __cplusplus
extern "C" {
#endif
BLOOM_HUSH_

/* ==== Code ==================================================================

    offset size  field of the header (numbers are little-endian)
       0     4   magic: 'B' 'L' 'W' and the format version, 1
       4     1   g, the number of generations, 2..16
       5     1   the newest generation, below g
       6     2   zero, except in a change (see "Changes")
       8     8   room, not 0
      16     8   keys: how many were new to the newest generation, at most room
      24     8   time
      32     8   span
      40     8   check: h1 of the bytes 0..39, hashed like a key of the window
      48    16   zero, except in a change
      64         the images of the generations, all of one size. The generation
                 after the newest one is the oldest; the last is followed by
                 the first.

   Invariant: whenever no call is running, the check matches. */

static inline const unsigned char *bloom_window_const_bytes_(
    const bloom_window *w)
{
    return (const unsigned char *)w;
}

static inline unsigned char *bloom_window_bytes_(bloom_window *w)
{
    return (unsigned char *)w;
}

/* The number at byte `at` of the header */
static inline uint64_t bloom_window_get_(const bloom_window *w, unsigned at)
{
    return bloom_load64_(bloom_window_const_bytes_(w) + at);
}

static inline void bloom_window_put_(bloom_window *w, unsigned at,
                                     uint64_t number)
{
    bloom_store64_(bloom_window_bytes_(w) + at, number);
}

static inline unsigned bloom_window_count_(const bloom_window *w)
{
    return bloom_window_const_bytes_(w)[4];
}

static inline unsigned bloom_window_newest_(const bloom_window *w)
{
    return bloom_window_const_bytes_(w)[5];
}

/* Where a generation lies in the image. `i` counts from the first, and not, as
   in bloom_window_generation, from the newest. */
static inline size_t bloom_window_at_(const bloom_window *w, unsigned i)
{
    const void *first = bloom_window_const_bytes_(w) + BLOOM_WINDOW_HEADER_SIZE;
    return BLOOM_WINDOW_HEADER_SIZE
         + (i == 0 ? 0 : i * bloom_size((const bloom *)first));
}

BLOOM_API size_t bloom_window_size(const bloom_window *w)
{
    return bloom_window_at_(w, bloom_window_count_(w));
}

static inline const bloom *bloom_window_view_(const bloom_window *w, unsigned i)
{
    const void *at = bloom_window_const_bytes_(w) + bloom_window_at_(w, i);
    return (const bloom *)at;
}

static inline bloom *bloom_window_filter_(bloom_window *w, unsigned i)
{
    void *at = bloom_window_bytes_(w) + bloom_window_at_(w, i);
    return (bloom *)at;
}

/* `size` is a multiple of 8. */
static inline void bloom_window_copy_(unsigned char *to,
                                      const unsigned char *from, size_t size)
{
    size_t at;
    for (at = 0; at < size; at += 8)
        bloom_store64_(to + at, bloom_load64_(from + at));
}

/* ---- Changes --------------------------------------------------------------
   A window may lie in a mapped file, and its process may be killed between any
   two stores. So byte 7 says what is being done, and bloom_window_open ends it:

       'P'   bytes 6 and 48..63 are written or cleared
       'K'   the newest generation becomes number [56], with [48] keys
       'T'   time becomes [48], and span [56]
       'S'   the generation that is [6] older than the newest one, and the one
             before it, exchange their cells
       'U'   seals are written or removed

   Whatever a change needs is stored before its letter, and what depends on it
   afterwards. Each change but 'S' can be made twice.
   Most calls that add keys change only the lowest byte of their number. That
   byte is the old or the new one, so nothing is noted: a 'C' in byte 63 says
   that the check may be wrong. It is not in byte 7, which the check reads: a
   processor is slow to read a word of which it has just written one byte.

   BLOOM_WINDOW_ORDER_ keeps the compiler from moving a store to its other side.
   A call that the compiler does not know does this, too. (The tests define it
   as such a call.)
   BLOOM_TINY is for chips, which map no files. Its code is small, so it makes
   no notes and ends no change. */
#ifdef BLOOM_TINY
enum { BLOOM_WINDOW_NOTES_ = 0 };
#else
enum { BLOOM_WINDOW_NOTES_ = 1 };
#endif

#ifndef BLOOM_WINDOW_ORDER_
#ifdef __GNUC__
#define BLOOM_WINDOW_ORDER_() __asm__ __volatile__("" : : : "memory")
#else
static void bloom_window_nothing_(void)
{
}
static void (*volatile bloom_window_unknown_)(void) = bloom_window_nothing_;
#define BLOOM_WINDOW_ORDER_() bloom_window_unknown_()
#endif
#endif

/* The check of a header, also during a change: bytes 6 and 7 count as 0. */
static inline uint64_t bloom_window_check_(const bloom_window *w,
                                           const unsigned char *header)
{
    unsigned char rest[40];
    if (!BLOOM_WINDOW_NOTES_ || header[7] == 0)
        return bloom_hash_key(bloom_window_view_(w, 0), header, 40).h1;
    bloom_window_copy_(rest, header, 40);
    rest[6] = rest[7] = 0;
    return bloom_hash_key(bloom_window_view_(w, 0), rest, 40).h1;
}

static inline void bloom_window_mark_at_(bloom_window *w, unsigned at,
                                         char what)
{
    if (!BLOOM_WINDOW_NOTES_)
        return;
    BLOOM_WINDOW_ORDER_();
    bloom_window_bytes_(w)[at] = (unsigned char)what;
    BLOOM_WINDOW_ORDER_();
}

static inline void bloom_window_mark_(bloom_window *w, char what)
{
    bloom_window_mark_at_(w, 7, what);
}

/* Notes what is to be changed. */
static inline void bloom_window_plan_change_(bloom_window *w, unsigned older,
                                             uint64_t first, uint64_t second)
{
    if (!BLOOM_WINDOW_NOTES_)
        return;
    bloom_window_mark_(w, 'P');
    bloom_window_bytes_(w)[6] = (unsigned char)older;
    bloom_window_put_(w, 48, first);
    bloom_window_put_(w, 56, second);
}

static inline void bloom_window_put_check_(bloom_window *w)
{
    bloom_window_put_(w, 40, bloom_window_check_(w, bloom_window_bytes_(w)));
}

/* Writes the new check, and removes the notes. */
static inline void bloom_window_end_change_(bloom_window *w)
{
    bloom_window_put_check_(w);
    bloom_window_plan_change_(w, 0, 0, 0);
    bloom_window_mark_(w, 0);
}

/* Makes the change 'K' or 'T' in a header, but for its check. */
static inline void bloom_window_apply_(void *header, char what, uint64_t first,
                                       uint64_t second)
{
    bloom_window *w = (bloom_window *)header;
    bloom_window_put_(w, what == 'T' ? 24 : 16, first);
    if (what == 'T')
        bloom_window_put_(w, 32, second);
    else
        bloom_window_bytes_(w)[5] = (unsigned char)second;
}

static inline void bloom_window_change_(bloom_window *w, char what,
                                        uint64_t first, uint64_t second)
{
    bloom_window_plan_change_(w, 0, first, second);
    bloom_window_mark_(w, what);
    bloom_window_apply_(w, what, first, second);
    bloom_window_end_change_(w);
}

/* A process that is killed while it clears the oldest generation leaves it as
   the oldest one. */
BLOOM_API void bloom_window_step(bloom_window *w)
{
    const unsigned next = bloom_window_newest_(w) + 1;
    const unsigned newest = next < bloom_window_count_(w) ? next : 0;
    bloom_clear(bloom_window_filter_(w, newest));
    bloom_window_change_(w, 'K', 0, newest);
}

BLOOM_API uint64_t bloom_window_keys(const bloom_window *w)
{
    return bloom_window_get_(w, 16);
}

static inline uint64_t bloom_window_room_(const bloom_window *w)
{
    return bloom_window_get_(w, 8);
}

BLOOM_API uint64_t bloom_window_time(const bloom_window *w)
{
    return bloom_window_get_(w, 24);
}

BLOOM_API uint64_t bloom_window_span(const bloom_window *w)
{
    return bloom_window_get_(w, 32);
}

BLOOM_API void bloom_window_set_time(bloom_window *w, uint64_t time,
                                     uint64_t span)
{
    bloom_window_change_(w, 'T', time, span);
}

BLOOM_API const bloom *bloom_window_generation(const bloom_window *w,
                                               unsigned i)
{
    const unsigned g = bloom_window_count_(w);
    return i < g ? bloom_window_view_(w, (bloom_window_newest_(w) + g - i) % g)
                 : NULL;
}

/* ---- Making a window ---------------------------------------------------- */

#ifndef BLOOM_NO_FLOAT
/* A key that is a false positive of the newest generation takes no room. So the
   filters are planned for room * (1 + p / g) keys. */
BLOOM_API bloom_window_plan bloom_window_plan_for(uint64_t n, double p,
                                                  unsigned g,
                                                  bloom_layout layout)
{
    const double share = p > 0 && p < 1 && g > 1 && n >> 62 == 0 ? p / g : 0;
    const uint64_t room = (n > 0 ? n - 1 : 0) / (g > 1 ? g - 1 : 1) + 1;
    bloom_window_plan plan = { { 0, 0, 0, 0, 0 }, 0, 0 };
    plan.filter = bloom_plan_layout(room + (uint64_t)((double)room * share),
                                    share, layout);
    plan.room = room;
    plan.generations = g;
    return plan;
}
#endif

BLOOM_API size_t bloom_window_plan_size(bloom_window_plan plan)
{
    const size_t each = bloom_plan_size(plan.filter);
    const unsigned g = plan.generations;
    if (g < 2 || g > 16 || plan.room == 0 || each == 0
        || each > (SIZE_MAX - BLOOM_WINDOW_HEADER_SIZE) / g)
        return 0;
    return BLOOM_WINDOW_HEADER_SIZE + g * each;
}

/* Writes the headers of a new window over zeros: its own, and those of its
   first `count` generations. The plan is possible. (Inline, it takes 400 bytes
   more on an AVR.) */
BLOOM_NOINLINE_ void bloom_window_start_(void *memory, bloom_window_plan plan,
                                         unsigned count)
{
    const size_t each = bloom_plan_size(plan.filter);
    bloom_window *w = (bloom_window *)memory;
    unsigned char *image = bloom_window_bytes_(w);
    image[0] = 'B';
    image[1] = 'L';
    image[2] = 'W';
    image[3] = 1;
    image[4] = (unsigned char)plan.generations;
    bloom_window_put_(w, 8, plan.room);
    while (count-- > 0)
        bloom_write_header_(image + BLOOM_WINDOW_HEADER_SIZE + count * each,
                            plan.filter);
    bloom_window_put_check_(w);
    BLOOM_WINDOW_ORDER_();
}

BLOOM_API bloom_window *bloom_window_init(void *memory, size_t size,
                                          bloom_window_plan plan)
{
    const size_t needed = bloom_window_plan_size(plan);
    if (!memory || needed == 0 || needed > size)
        return NULL;
    BLOOM_ZERO_((unsigned char *)memory, needed);
    bloom_window_start_(memory, plan, plan.generations);
    return (bloom_window *)memory;
}

#ifndef BLOOM_NO_MALLOC
BLOOM_API bloom_window *bloom_window_create(bloom_window_plan plan)
{
    const size_t size = bloom_window_plan_size(plan);
    return bloom_window_init(bloom_allocate_(size, 32), size, plan);
}

#ifndef BLOOM_NO_FLOAT
BLOOM_API bloom_window *bloom_window_new(uint64_t n, double p, unsigned g,
                                         bloom_layout layout)
{
    return bloom_window_create(bloom_window_plan_for(n, p, g, layout));
}
#endif

BLOOM_API bloom_window *bloom_window_copy(const bloom_window *w)
{
    const size_t size = bloom_window_size(w);
    unsigned char *copy = bloom_allocate_(size, 32);
    if (copy)
        bloom_window_copy_(copy, bloom_window_const_bytes_(w), size);
    return (bloom_window *)(void *)copy;
}

BLOOM_API void bloom_window_free(bloom_window *w)
{
    bloom_free((bloom *)(void *)w);
}
#endif

/* ---- One key ------------------------------------------------------------ */

/* Do the `count` generations before generation i of the image contain it? */
static inline bool bloom_window_before_(const bloom_window *w, unsigned i,
                                        unsigned count, bloom_hash h)
{
    while (count-- > 0) {
        i = i > 0 ? i - 1 : bloom_window_count_(w) - 1;
        if (bloom_may_contain_hash(bloom_window_view_(w, i), h))
            return true;
    }
    return false;
}

BLOOM_API bool bloom_window_may_contain_hash(const bloom_window *w,
                                             bloom_hash h)
{
    return bloom_window_before_(w, bloom_window_newest_(w) + 1,
                                bloom_window_count_(w), h);
}

BLOOM_API bool bloom_window_may_contain(const bloom_window *w, const void *key,
                                        size_t size)
{
    return bloom_window_may_contain_hash(
        w, bloom_hash_key(bloom_window_view_(w, 0), key, size));
}

BLOOM_API bool bloom_window_may_contain_u64(const bloom_window *w, uint64_t key)
{
    return bloom_window_may_contain_hash(
        w, bloom_hash_u64(bloom_window_view_(w, 0), key));
}

static inline void bloom_window_count_keys_(bloom_window *w, size_t added)
{
    const uint64_t before = bloom_window_keys(w), keys = before + added;
    if (BLOOM_WINDOW_NOTES_ && (before ^ keys) > 255) {
        bloom_window_change_(w, 'K', keys, bloom_window_newest_(w));
        return;
    }
    bloom_window_mark_at_(w, 63, 'C');
    bloom_window_put_(w, 16, keys);
    bloom_window_put_check_(w);
    bloom_window_mark_at_(w, 63, 0);
}

BLOOM_API bool bloom_window_add_hash(bloom_window *w, bloom_hash h)
{
    if (bloom_window_keys(w) >= bloom_window_room_(w)) {
        if (bloom_window_before_(w, bloom_window_newest_(w) + 1, 1, h))
            return false;
        bloom_window_step(w);
    }
    if (!bloom_add_hash(bloom_window_filter_(w, bloom_window_newest_(w)), h))
        return false;
    bloom_window_count_keys_(w, 1);
    return !bloom_window_before_(w, bloom_window_newest_(w),
                                 bloom_window_count_(w) - 1, h);
}

BLOOM_API bool bloom_window_add(bloom_window *w, const void *key, size_t size)
{
    return bloom_window_add_hash(
        w, bloom_hash_key(bloom_window_view_(w, 0), key, size));
}

BLOOM_API bool bloom_window_add_u64(bloom_window *w, uint64_t key)
{
    return bloom_window_add_hash(w,
                                 bloom_hash_u64(bloom_window_view_(w, 0), key));
}

/* ---- Many keys ----------------------------------------------------------
   The keys of a batch are hashed once. Each generation is tested only for the
   keys that no newer one contains. */

/* Small builds have little stack. */
#ifdef BLOOM_SMALL_
#define BLOOM_WINDOW_BATCH_ 1U
#else
#define BLOOM_WINDOW_BATCH_ 128U
#endif

typedef struct bloom_window_batch_ {
    bloom_hash hash[BLOOM_WINDOW_BATCH_];       /* of the keys still left */
    unsigned char number[BLOOM_WINDOW_BATCH_];  /* their indices in the batch */
    bool answer[BLOOM_WINDOW_BATCH_];
    size_t left;
} bloom_window_batch_;

/* Keeps the keys of the batch that have this answer. */
static inline void bloom_window_keep_(bloom_window_batch_ *k, bool answer)
{
    const size_t before = k->left;
    size_t i;
    for (i = k->left = 0; i < before; i++) {
        k->hash[k->left] = k->hash[i];
        k->number[k->left] = k->number[i];
        k->left += k->answer[i] == answer;
    }
}

/* Looks up `count` keys, starting at key number `from`, or adds them if `into`,
   which is NULL or w, is not NULL. `count` is at most a batch; to add, at most
   room - keys. The keys that are left in the end are certainly not in, and were
   not in before. Returns how many results are true. */
static inline size_t bloom_window_run_(bloom_window *into,
                                       const bloom_window *w,
                                       const bloom_keys_ *keys, size_t from,
                                       size_t count)
{
    bool *results = keys->results;
    unsigned g = bloom_window_count_(w), at = bloom_window_newest_(w);
    bloom_window_batch_ k;
    size_t i, added;
    for (i = 0; i < count; i++) {
        k.hash[i] = bloom_hash_of_(bloom_window_view_(w, 0), keys, from + i);
        k.number[i] = (unsigned char)i;
    }
    k.left = count;
    if (into) {
        added = bloom_add_many_hash(bloom_window_filter_(into, at), k.hash,
                                    count, k.answer);
        bloom_window_count_keys_(into, added);
    } else {
        bloom_may_contain_many_hash(bloom_window_view_(w, at), k.hash, count,
                                    k.answer);
    }
    bloom_window_keep_(&k, into != NULL);
    while (--g > 0) {
        at = at > 0 ? at - 1 : bloom_window_count_(w) - 1;
        bloom_may_contain_many_hash(bloom_window_view_(w, at), k.hash, k.left,
                                    k.answer);
        bloom_window_keep_(&k, false);
    }
    for (i = 0; results && i < count; i++)
        results[from + i] = !into;
    for (i = 0; results && i < k.left; i++)
        results[from + k.number[i]] = into != NULL;
    return into ? k.left : count - k.left;
}

/* Of the next `count` keys, at most a batch, how many come before the first
   that is not in the newest generation? Their results are false. */
static inline size_t bloom_window_repeats_(const bloom_window *w,
                                           const bloom_keys_ *keys, size_t from,
                                           size_t count)
{
    bloom_window_batch_ k;
    size_t i;
    for (i = 0; i < count; i++)
        k.hash[i] = bloom_hash_of_(bloom_window_view_(w, 0), keys, from + i);
    bloom_may_contain_many_hash(bloom_window_generation(w, 0), k.hash, count,
                                k.answer);
    for (i = 0; i < count && k.answer[i]; i++)
        if (keys->results)
            keys->results[from + i] = false;
    return i;
}

/* A batch ends where the newest generation is full. A step is taken before the
   next key that is not in that generation. */
static inline size_t bloom_window_all_(bloom_window *into,
                                       const bloom_window *w, bloom_keys_ keys)
{
    size_t from, some, repeats, trues = 0;
    uint64_t room;
    for (from = 0; from < keys.count; from += some) {
        some = keys.count - from < BLOOM_WINDOW_BATCH_ ? keys.count - from
                                                       : BLOOM_WINDOW_BATCH_;
        if (into && bloom_window_keys(into) >= bloom_window_room_(into)) {
            repeats = bloom_window_repeats_(into, &keys, from, some);
            if (repeats > 0) {
                some = repeats;
                continue;
            }
            bloom_window_step(into);
        }
        room = bloom_window_room_(w) - bloom_window_keys(w);
        if (into && some > room)
            some = (size_t)room;
        trues += bloom_window_run_(into, w, &keys, from, some);
    }
    return trues;
}

BLOOM_API size_t bloom_window_add_many(bloom_window *w, const bloom_key *keys,
                                       size_t count, bool *is_new)
{
    const bloom_keys_ all = { keys, NULL, NULL, count, is_new };
    return bloom_window_all_(w, w, all);
}

BLOOM_API size_t bloom_window_add_many_u64(bloom_window *w,
                                           const uint64_t *keys, size_t count,
                                           bool *is_new)
{
    const bloom_keys_ all = { NULL, keys, NULL, count, is_new };
    return bloom_window_all_(w, w, all);
}

BLOOM_API size_t bloom_window_add_many_hash(bloom_window *w,
                                            const bloom_hash *hashes,
                                            size_t count, bool *is_new)
{
    const bloom_keys_ all = { NULL, NULL, hashes, count, is_new };
    return bloom_window_all_(w, w, all);
}

BLOOM_API size_t bloom_window_may_contain_many(const bloom_window *w,
                                               const bloom_key *keys,
                                               size_t count, bool *maybe)
{
    const bloom_keys_ all = { keys, NULL, NULL, count, maybe };
    return bloom_window_all_(NULL, w, all);
}

BLOOM_API size_t bloom_window_may_contain_many_u64(const bloom_window *w,
                                                   const uint64_t *keys,
                                                   size_t count, bool *maybe)
{
    const bloom_keys_ all = { NULL, keys, NULL, count, maybe };
    return bloom_window_all_(NULL, w, all);
}

BLOOM_API size_t bloom_window_may_contain_many_hash(const bloom_window *w,
                                                    const bloom_hash *hashes,
                                                    size_t count, bool *maybe)
{
    const bloom_keys_ all = { NULL, NULL, hashes, count, maybe };
    return bloom_window_all_(NULL, w, all);
}

/* ---- Time -----------------------------------------------------------------
   The header has one time for all generations, and the length of a part. Time
   drops generation i, counted from the newest, at time + (g - i) * part. For
   i = 1 .. g - 1, that is at least g - 1 parts after the last key of generation
   i: this is the invariant. A generation that ends by time adds a part to the
   time. So does one that is full before, and the time may then be later than
   now. A time of now + (g - 2) * part is late enough for all generations, even
   if each of them has got a key now. If the time is later still, the clock was
   set back, and the part is 0 until the clock has reached that time. If it was
   set back by less, keys that were added later than now count as added now. */

/* About how many keys generation i has, counted from the newest */
static inline uint64_t bloom_window_taken_(const bloom_window *w, unsigned i)
{
#ifndef BLOOM_NO_FLOAT
    const uint64_t keys = bloom_estimate(bloom_window_generation(w, i));
    if (keys < bloom_window_room_(w))
        return keys;
#else
    if (bloom_ones(bloom_window_generation(w, i)) == 0)
        return 0;
#endif
    return bloom_window_room_(w);
}

/* Bytes of a generation, counted from the newest */
static inline unsigned char *bloom_window_part_(bloom_window *w, unsigned i)
{
    const unsigned g = bloom_window_count_(w);
    return bloom_window_bytes_(w)
         + bloom_window_at_(w, (bloom_window_newest_(w) + g - i) % g);
}

/* Exchanges generation i, counted from the newest, and the one before it. They
   have the same plan and size. Between any two stores, the bytes of both are in
   one of the two. */
static inline void bloom_window_swap_(bloom_window *w, unsigned i)
{
    unsigned char *older = bloom_window_part_(w, i);
    unsigned char *newer = bloom_window_part_(w, i - 1);
    const size_t size = bloom_size(bloom_window_view_(w, 0));
    size_t at;
    for (at = BLOOM_SEAL_AT_; at < size; at++) {
        const unsigned char from_older = older[at], from_newer = newer[at];
        newer[at] = from_older | from_newer;
        BLOOM_WINDOW_ORDER_();
        older[at] = from_newer;
        BLOOM_WINDOW_ORDER_();
        newer[at] = from_older;
    }
}

/* Ends an exchange in which the process was killed: the newer generation gets
   all cells of both, so that no key of either is lost, nor forgotten earlier
   than it would have been. Until then it has too many keys for its rate. */
static inline void bloom_window_unite_(bloom_window *w, unsigned i)
{
    unsigned char *older = bloom_window_part_(w, i);
    unsigned char *newer = bloom_window_part_(w, i - 1);
    const size_t size = bloom_size(bloom_window_view_(w, 0));
    size_t at;
    for (at = BLOOM_HEADER_SIZE; at < size; at++)
        newer[at] |= older[at];
}

/* Makes generation i, counted from the newest, the newest again. */
static inline void bloom_window_reopen_(bloom_window *w, unsigned i,
                                        uint64_t keys)
{
    const unsigned newest = bloom_window_newest_(w);
    for (; i > 0; i--) {
        bloom_window_plan_change_(w, i, keys, newest);
        bloom_window_mark_(w, 'S');
        bloom_window_swap_(w, i);
    }
    bloom_window_mark_(w, 'K');
    bloom_window_apply_(w, 'K', keys, newest);
    bloom_window_end_change_(w);
}

/* Ends the newest generation, which is full. Returns true if that forgets keys.
   A generation is used again if more than 1 / 2g of its room is free. What is
   lost in the others is less than one generation together, and the remaining
   g - 1 have room for n keys. */
static inline bool bloom_window_make_room_(bloom_window *w)
{
    const unsigned g = bloom_window_count_(w);
    const uint64_t room = bloom_window_room_(w);
    const bool forgets = bloom_ones(bloom_window_generation(w, g - 1)) > 0;
    uint64_t taken;
    unsigned i;
    for (i = 1; forgets && i < g; i++) {
        taken = bloom_window_taken_(w, i);
        if (room - taken > room / (2 * g)) {
            bloom_window_reopen_(w, i, taken);
            return false;
        }
    }
    bloom_window_step(w);
    return forgets;
}

/* time + parts * part, at most UINT64_MAX */
static inline uint64_t bloom_window_later_(uint64_t time, unsigned parts,
                                           uint64_t part)
{
    return parts > 0 && part > (UINT64_MAX - time) / parts
         ? UINT64_MAX : time + parts * part;
}

/* At the first call of bloom_window_advance, the newest generation begins. If
   there are older keys already, they count as added now. */
static inline uint64_t bloom_window_begin_(const bloom_window *w, uint64_t now,
                                           uint64_t latest)
{
    unsigned i = bloom_window_count_(w);
    while (--i > 0)
        if (bloom_ones(bloom_window_generation(w, i)) > 0)
            return latest;
    return now;
}

/* The time from which the newest generation counts. If the length of a part has
   changed, the time moves, so that the invariant holds for generations of the
   new length. If parts are longer, that is the oldest generation's due; if they
   are shorter, the newest one's, which then ends no earlier than before. */
static inline uint64_t bloom_window_from_(const bloom_window *w, uint64_t part)
{
    const uint64_t old = bloom_window_span(w), time = bloom_window_time(w);
    return part > old
        ? bloom_window_later_(time, bloom_window_count_(w) - 2, part - old)
        : bloom_window_later_(time, 1, old - part);
}

/* The time moves before generations end: if the process is killed in between,
   keys stay for longer. The other way round, the next call would end as many
   generations again. */
BLOOM_API bool bloom_window_advance(bloom_window *w, uint64_t now,
                                    uint64_t span)
{
    const unsigned g = bloom_window_count_(w);
    const uint64_t old = bloom_window_span(w), before = bloom_window_time(w);
    const bool back = before > bloom_window_later_(now, g - 2, old);
    const uint64_t part = back ? 0 : span > 0 ? (span - 1) / (g - 1) + 1 : 1;
    const uint64_t latest = bloom_window_later_(now, g - 2, part);
    uint64_t time = before, steps = 0;
    bool full;
    if (!back && old > 0) {
        time = bloom_window_from_(w, part);
        steps = now > time ? (now - time) / part : 0;
        time += steps * part;
    } else if (!back) {
        time = bloom_window_begin_(w, now, latest);
    }
    full = steps == 0 && bloom_window_keys(w) >= bloom_window_room_(w);
    if (full)
        time = bloom_window_later_(time, 1, part);
    if (!back && time > latest)
        time = latest;
    if (time != before || part != old)
        bloom_window_set_time(w, time, part);
    for (steps = steps < g ? steps : g; steps > 0; steps--)
        bloom_window_step(w);
    return full && bloom_window_make_room_(w);
}

/* ---- Whole windows ------------------------------------------------------ */

BLOOM_API bloom_window_plan bloom_window_plan_of(const bloom_window *w)
{
    bloom_window_plan plan = { { 0, 0, 0, 0, 0 }, 0, 0 };
    plan.filter = bloom_plan_of(bloom_window_view_(w, 0));
    plan.room = bloom_window_room_(w);
    plan.generations = bloom_window_count_(w);
    return plan;
}

BLOOM_API void bloom_window_clear(bloom_window *w)
{
    unsigned i;
    for (i = 0; i < bloom_window_count_(w); i++)
        bloom_clear(bloom_window_filter_(w, i));
    bloom_window_change_(w, 'K', 0, 0);
}

/* A process that is killed here leaves a window without seals. */
BLOOM_API void bloom_window_seal(bloom_window *w)
{
    unsigned i;
    bloom_window_mark_(w, 'U');
    for (i = 0; i < bloom_window_count_(w); i++)
        if (bloom_verify(bloom_window_view_(w, i)) == BLOOM_UNSEALED)
            bloom_seal(bloom_window_filter_(w, i));
    bloom_window_mark_(w, 0);
}

static inline void bloom_window_unseal_(bloom_window *w)
{
    unsigned i;
    for (i = 0; i < bloom_window_count_(w); i++)
        bloom_unseal_(bloom_window_part_(w, i));
}

/* What is wrong with a header of 64 bytes, but for its check, or BLOOM_OK */
static inline bloom_error bloom_window_check_header_(const unsigned char *head)
{
    const uint64_t room = bloom_load64_(head + 8);
    if (head[0] != 'B' || head[1] != 'L' || head[2] != 'W')
        return BLOOM_NOT_A_FILTER;
    if (head[3] != 1)
        return BLOOM_WRONG_VERSION;
    return head[4] < 2 || head[4] > 16 || head[5] >= head[4] || head[6]
        || head[7] || room == 0 || bloom_load64_(head + 16) > room
        || bloom_load64_(head + 48) || bloom_load64_(head + 56)
         ? BLOOM_BAD_HEADER : BLOOM_OK;
}

static inline bool bloom_window_is_checked_(const bloom_window *w,
                                            const unsigned char *head)
{
    return bloom_load64_(head + 40) == bloom_window_check_(w, head);
}

BLOOM_API bloom_error bloom_window_verify(const bloom_window *w)
{
    const unsigned char *head = bloom_window_const_bytes_(w);
    bloom_error worst = BLOOM_OK, error;
    unsigned i;
    if (bloom_window_check_header_(head) != BLOOM_OK
        || !bloom_window_is_checked_(w, head))
        return BLOOM_CORRUPT;
    for (i = 0; i < bloom_window_count_(w) && worst != BLOOM_CORRUPT; i++) {
        error = bloom_verify(bloom_window_view_(w, i));
        worst = error == BLOOM_OK ? worst : error;
    }
    return worst;
}

#ifndef BLOOM_NO_FLOAT
BLOOM_API uint64_t bloom_window_estimate(const bloom_window *w)
{
    uint64_t sum = 0, keys;
    unsigned i;
    for (i = 0; i < bloom_window_count_(w); i++) {
        keys = bloom_estimate(bloom_window_view_(w, i));
        sum = keys < UINT64_MAX - sum ? sum + keys : UINT64_MAX;
    }
    return sum;
}

BLOOM_API double bloom_window_fpr(const bloom_window *w)
{
    double rate = 0;
    unsigned i;
    for (i = 0; i < bloom_window_count_(w); i++)
        rate += (1 - rate) * bloom_fpr(bloom_window_view_(w, i));
    return rate < 1 ? rate : 1;
}
#endif

/* ---- The image ---------------------------------------------------------- */

/* What is wrong with the generations of a window, or BLOOM_OK */
static inline bloom_error bloom_window_check_parts_(const unsigned char *image,
                                                    size_t size, unsigned count)
{
    bloom_error error = BLOOM_OK;
    size_t at = BLOOM_WINDOW_HEADER_SIZE;
    unsigned j;
    for (; error == BLOOM_OK && count > 0; count--) {
        const bloom *b = bloom_view(image + at, size - at, &error);
        for (j = 0; b && j < BLOOM_SEAL_AT_; j++)
            if (image[at + j] != image[BLOOM_WINDOW_HEADER_SIZE + j])
                return BLOOM_BAD_HEADER;
        at += b ? bloom_size(b) : 0;
    }
    return error;
}

/* What is wrong with the image of a window, or BLOOM_OK. The header may be one
   whose change was ended in a copy, which has a new check: is_new. */
static inline bloom_error bloom_window_check_image_(const bloom_window *w,
                                                    size_t size,
                                                    const unsigned char *head,
                                                    bool is_new)
{
    bloom_error error = bloom_window_check_header_(head);
    if (error == BLOOM_OK)
        error = bloom_window_check_parts_(bloom_window_const_bytes_(w), size,
                                          head[4]);
    return error == BLOOM_OK && !is_new && !bloom_window_is_checked_(w, head)
         ? BLOOM_CORRUPT : error;
}

BLOOM_API size_t bloom_window_image_size(const void *head, bloom_error *error)
{
    const bloom_window *w = (const bloom_window *)head;
    const unsigned char *bytes = bloom_window_const_bytes_(w);
    bloom_error found = head ? bloom_window_check_header_(bytes)
                             : BLOOM_TRUNCATED;
    size_t size = 0;
    if (found == BLOOM_OK)
        bloom_image_size(bytes + BLOOM_WINDOW_HEADER_SIZE, &found);
    if (found == BLOOM_OK && !bloom_window_is_checked_(w, bytes))
        found = BLOOM_CORRUPT;
    if (found == BLOOM_OK)
        size = bloom_window_plan_size(bloom_window_plan_of(w));
    if (found == BLOOM_OK && size == 0)
        found = BLOOM_UNSUPPORTED;
    if (error)
        *error = found;
    return size;
}

BLOOM_API const bloom_window *bloom_window_view(const void *image, size_t size,
                                                bloom_error *error)
{
    const bloom_window *w = (const bloom_window *)image;
    const bloom_error found = !w || size < BLOOM_WINDOW_HEADER_SIZE
        ? BLOOM_TRUNCATED
        : bloom_window_check_image_(w, size, bloom_window_const_bytes_(w),
                                    false);
    if (error)
        *error = found;
    return found == BLOOM_OK ? w : NULL;
}

/* The change in which a process was killed, or 0. The window has 64 bytes. */
static inline char bloom_window_killed_in_(const bloom_window *w)
{
    const unsigned char *head = bloom_window_const_bytes_(w);
    const char what = (char)head[7];
    if (BLOOM_WINDOW_NOTES_ && what == 0 && head[63] == 'C')
        return 'C';
    if (BLOOM_WINDOW_NOTES_ && (what == 'P' || what == 'K' || what == 'T'
                                || what == 'S' || what == 'U'))
        return what;
    return 0;
}

/* Ends the change in which a process was killed. In an image of strangers, its
   notes may be anything, so it is first ended in a copy of the header. */
static inline bloom_error bloom_window_settle_(bloom_window *w, size_t size,
                                               char what)
{
    unsigned char head[BLOOM_WINDOW_HEADER_SIZE];
    const uint64_t first = bloom_window_get_(w, 48);
    const uint64_t second = bloom_window_get_(w, 56);
    const unsigned older = bloom_window_const_bytes_(w)[6];
    const bool is_noted = what == 'K' || what == 'T';
    bloom_error error;
    bloom_window_copy_(head, bloom_window_const_bytes_(w), sizeof head);
    if (is_noted)
        bloom_window_apply_(head, what, first, second);
    BLOOM_ZERO_(head + 48, 16);
    head[6] = head[7] = 0;
    error = bloom_window_check_image_(w, size, head, is_noted || what == 'C');
    if (error != BLOOM_OK)
        return error;
    if (what == 'S' && (older < 1 || older >= head[4]))
        return BLOOM_BAD_HEADER;
    if (what == 'S')
        bloom_window_unite_(w, older);
    if (what == 'S' || what == 'U')
        bloom_window_unseal_(w);
    if (is_noted)
        bloom_window_apply_(w, what, first, second);
    bloom_window_end_change_(w);
    return BLOOM_OK;
}

BLOOM_API bloom_window *bloom_window_open(void *image, size_t size,
                                          bloom_error *error)
{
    bloom_window *w = (bloom_window *)image;
    const char what = (char)(w && size >= BLOOM_WINDOW_HEADER_SIZE
                             ? bloom_window_killed_in_(w) : 0);
    bloom_error found;
    if (what == 0)
        return bloom_window_view(image, size, error) ? w : NULL;
    found = bloom_window_settle_(w, size, what);
    if (error)
        *error = found;
    return found == BLOOM_OK ? w : NULL;
}

/* ---- Going on ----------------------------------------------------------- */

/* Is this memory all zeros, but for bytes of a new window that starts so? A
   process may have been killed while it wrote them. */
static inline bool bloom_window_is_new_(const void *memory,
                                        const unsigned char *start,
                                        bloom_window_plan plan)
{
    const size_t each = bloom_plan_size(plan.filter);
    const unsigned char *at = (const unsigned char *)memory;
    size_t i;
    for (i = 0; i < BLOOM_WINDOW_HEADER_SIZE; i++)
        if (at[i] != 0 && at[i] != start[i])
            return false;
    at += BLOOM_WINDOW_HEADER_SIZE;
    for (; plan.generations > 0; plan.generations--, at += each)
        for (i = 0; i < each; i++)
            if (at[i] != 0
                && (i >= BLOOM_HEADER_SIZE
                    || at[i] != start[BLOOM_WINDOW_HEADER_SIZE + i]))
                return false;
    return true;
}

static inline bool bloom_window_has_plan_(const bloom_window *w,
                                          bloom_window_plan plan)
{
    const bloom_window_plan there = bloom_window_plan_of(w);
    return bloom_same_plan_(there.filter, plan.filter)
        && there.room == plan.room && there.generations == plan.generations;
}

BLOOM_API bloom_window *bloom_window_resume(void *memory, size_t size,
                                            bloom_window_plan plan,
                                            bloom_error *error)
{
    const size_t needed = bloom_window_plan_size(plan);
    unsigned char start[BLOOM_WINDOW_HEADER_SIZE + BLOOM_HEADER_SIZE] = { 0 };
    bloom_error found = BLOOM_OK;
    bloom_window *w = (bloom_window *)memory;
    if (needed > 0)
        bloom_window_start_(start, plan, 1);
    if (memory && needed > 0 && size >= needed
        && bloom_window_is_new_(memory, start, plan))
        bloom_window_start_(memory, plan, plan.generations);
    else
        w = bloom_window_open(memory, size, &found);
    if (w && needed > 0 && !bloom_window_has_plan_(w, plan))
        found = BLOOM_BAD_HEADER;
    else if (w && bloom_window_verify(w) == BLOOM_CORRUPT)
        found = BLOOM_CORRUPT;
    if (error)
        *error = found;
    if (found != BLOOM_OK)
        return NULL;
    bloom_window_mark_(w, 'U');
    bloom_window_unseal_(w);
    bloom_window_mark_(w, 0);
    return w;
}

BLOOM_END_HUSH_
#ifdef __cplusplus
}
#endif
#endif /* BLOOM_IMPLEMENTATION */
