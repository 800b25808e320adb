/* What tests/speed/bench.c measures: loops that each give the same keys to one
   function, and the table of contenders, who have such a loop to add and one to
   look up. bloom.h is included as BLOOM_STATIC. Compiled by itself, as C with
   BENCH_DECLARED, this is an object file with the two loops that call a bloom.h
   in yet another object file. */

#ifndef BENCH_DECLARED
#define BLOOM_STATIC
#endif
#include "bloom.h"

typedef struct keys {                   /* the same keys in three forms */
    uint64_t *u64;
    bloom_key *strings;
    bloom_hash *hashes;
    bool *maybe;                        /* where answers may go */
    size_t count;
} keys;

typedef uint64_t loop(bloom *b, keys k);     /* how many answers were true */

#define LOOP(name, locals, call) \
uint64_t name(bloom *b, keys k) \
{ \
    uint64_t yes = 0; \
    size_t i; \
    locals; \
    (void)b; \
    for (i = 0; i < k.count; i++) \
        yes += (call); \
    return yes; \
}

loop declared_add, declared_ask;

#ifdef BENCH_DECLARED           /* an object file of its own has just these */

LOOP(declared_add, , bloom_add_u64(b, k.u64[i]))
LOOP(declared_ask, , bloom_may_contain_u64(b, k.u64[i]))

#else

/* ---- libbloom's and ours ------------------------------------------------- */

#define bloom libbloom          /* its functions have the names of ours */
#define bloom_init libbloom_init
#define bloom_add libbloom_add
#define bloom_free libbloom_free
#define bloom_merge libbloom_merge
#include "/usr/include/bloom.h"
#undef bloom
#undef bloom_init
#undef bloom_add
#undef bloom_free
#undef bloom_merge

static struct libbloom theirs;
static int (*their_init)(struct libbloom *, int, double);
static int (*their_add)(struct libbloom *, const void *, int);
static int (*their_check)(struct libbloom *, const void *, int);
static int (*their_reset)(struct libbloom *);

#define LOOPS(name, locals, add, ask) \
    static LOOP(name##_add, locals, add) static LOOP(name##_ask, locals, ask)
#define TEXT k.strings[i].data, k.strings[i].size
#define THEIR_TEXT k.strings[i].data, (int)k.strings[i].size

LOOPS(their_u64, , their_add(&theirs, k.u64 + i, 8) == 0,
      their_check(&theirs, k.u64 + i, 8) == 1)
LOOPS(their_string, , their_add(&theirs, THEIR_TEXT) == 0,
      their_check(&theirs, THEIR_TEXT) == 1)
LOOPS(u64, , bloom_add_u64(b, k.u64[i]), bloom_may_contain_u64(b, k.u64[i]))
LOOPS(string, , bloom_add(b, TEXT), bloom_may_contain(b, TEXT))
LOOPS(hash, , bloom_add_hash(b, k.hashes[i]),
      bloom_may_contain_hash(b, k.hashes[i]))

/* Adding, nobody looks at the answers; asking, all are wanted. */
#define MANY(name, suffix, those) \
static uint64_t name##_add(bloom *b, keys k) \
{ \
    return bloom_add_many##suffix(b, those, k.count, NULL); \
} \
static uint64_t name##_ask(bloom *b, keys k) \
{ \
    return bloom_may_contain_many##suffix(b, those, k.count, k.maybe); \
}
MANY(many_u64, _u64, k.u64)
MANY(many_string, , k.strings)
MANY(many_hash, _hash, k.hashes)

/* The machine's floor: one random line of 64 bytes is written, or read, in the
   memory of the blocked filter; which one, says a cheap generator or the hash
   of the key. No touch waits for another. Where most lines are far away it is
   faster to hash 64 keys ahead and to prefetch their lines. */
typedef struct lines { unsigned char *first; uint64_t count; } lines;

static lines lines_of(bloom *b)
{
    unsigned char *cells = bloom_bytes_(b) + 32;
    size_t skip = (size_t)(0 - (uintptr_t)cells) % 64;
    lines all;
    all.first = cells + skip;
    all.count = (bloom_size(b) - 32 - skip) / 64;
    return all;
}

static inline unsigned char *line_of(lines all, uint64_t hash)
{
    return all.first + ((hash >> 32) * all.count >> 32 << 6);
}

/* Reads it and writes it, as it was: no filter is spoiled. */
static inline unsigned written(volatile unsigned char *line)
{
    unsigned char was = *line;
    *line = was;
    return was;
}

#define LINES lines all = lines_of(b)
#define RANDOM_LINE \
    line_of(all, x = x * 6364136223846793005U + 1442695040888963407U)
#define HASHED_LINE line_of(all, bloom_fmix64_(k.u64[i]))
LOOPS(line, LINES; uint64_t x = 1, written(RANDOM_LINE), *RANDOM_LINE)
LOOPS(hashed, LINES, written(HASHED_LINE), *HASHED_LINE)

#define AHEAD(name, what) \
static uint64_t name(bloom *b, keys k) \
{ \
    lines all = lines_of(b); \
    unsigned char *ahead[64]; \
    uint64_t sum = 0; \
    size_t i, j; \
    for (i = 0; i + 64 <= k.count; i += 64) { \
        for (j = 0; j < 64; j++) { \
            ahead[j] = line_of(all, bloom_fmix64_(k.u64[i + j])); \
            __builtin_prefetch(ahead[j]); \
        } \
        for (j = 0; j < 64; j++) \
            sum += what; \
    } \
    return sum; \
}
AHEAD(ahead_add, written(ahead[j]))
AHEAD(ahead_ask, *ahead[j])

/* ---- Contenders ---------------------------------------------------------- */

enum { U64, STRINGS, KINDS };
enum { ADD, ABSENT, PRESENT, MIX, OPERATIONS };
enum { CLASSIC = BLOOM_CLASSIC, BLOCKED = BLOOM_BLOCKED, THEIRS, FILTERS };

static const char *const operation_name[] = { "add", "absent", "present",
                                              "50/50" };

enum {                                       /* in the order of the table */
    LIBBLOOM, C, C_MANY, C_HASH, C_HASH_MANY, C_DECLARED,
    B, B_MANY, B_HASH, B_HASH_MANY, B_DECLARED,
    FLOOR, FLOOR_HASHED, FLOOR_AHEAD, CONTENDERS
};

typedef struct contender {
    const char *name;
    int filter;
    bool in_chart;
    struct { loop *add, *ask; } of[KINDS];
} contender;

#define BOTH(name) { name##_add, name##_ask }
#define ONLY_U64(name) { BOTH(name), { NULL, NULL } }

static const contender contenders[CONTENDERS] = {
    { "libbloom", THEIRS, true, { BOTH(their_u64), BOTH(their_string) } },
    { "classic", CLASSIC, true, { BOTH(u64), BOTH(string) } },
    { "classic many", CLASSIC, true, { BOTH(many_u64), BOTH(many_string) } },
    { "classic prehashed", CLASSIC, false, { BOTH(hash), BOTH(hash) } },
    { "classic prehashed many", CLASSIC, false,
      { BOTH(many_hash), BOTH(many_hash) } },
    { "classic, declarations", CLASSIC, false, ONLY_U64(declared) },
    { "blocked", BLOCKED, true, { BOTH(u64), BOTH(string) } },
    { "blocked many", BLOCKED, true, { BOTH(many_u64), BOTH(many_string) } },
    { "blocked prehashed", BLOCKED, false, { BOTH(hash), BOTH(hash) } },
    { "blocked prehashed many", BLOCKED, false,
      { BOTH(many_hash), BOTH(many_hash) } },
    { "blocked, declarations", BLOCKED, false, ONLY_U64(declared) },
    { "floor: a line", BLOCKED, false, ONLY_U64(line) },
    { "floor: fmix64, a line", BLOCKED, true, ONLY_U64(hashed) },
    { "floor: the same, ahead", BLOCKED, true, ONLY_U64(ahead) }
};

#endif
