/* Lean kernels in the benchmark: the least time for the bits and answers of
   bloom.h, without the cost of a general library. Each is written for integer
   keys or for keys of STRING bytes, in filters of one layout, width and k
   (blocked 8, classic 7, at 1%). They use the filters of ours.c, so that
   bench.c compares their bits and answers with those of bloom.h. Of several
   kernels with the same name, the fastest counts. They need a compiler with
   AVX2. guard.sh fails if bloom.h loses time against them. */

#define BLOOM_STATIC
#include "bloom.h"
#include "bench.h"

#ifndef __AVX2__
void lean_enter(void)
{
}
#else
#include <immintrin.h>
#include <string.h>

#define G 0x9E3779B97F4A7C15U
#define INLINE static inline __attribute__((always_inline))
__extension__ typedef unsigned __int128 wide;
typedef uint64_t four __attribute__((vector_size(32)));

typedef struct table { unsigned char *cells; uint64_t m; } table;
typedef struct walk { uint64_t x, y; } walk;    /* a key's hash */
typedef unsigned act(table t, walk w);          /* lookup: found? add: new? */
typedef void ask(table t, walk w);              /* prefetches a key's cells */
typedef walk hash(keys k, size_t i);

/* Hashes keys four at a time; count is a multiple of 4 */
INLINE void hash_all(uint64_t *hash, const uint64_t *key, size_t count)
{
    size_t i;
    for (i = 0; i < count; i += 4) {
        four h;
        memcpy(&h, key + i, sizeof h);
        h += G;
        h = (h ^ h >> 33) * 0xFF51AFD7ED558CCDU;
        h = (h ^ h >> 33) * 0xC4CEB9FE1A85EC53U;
        h ^= h >> 33;
        memcpy(hash + i, &h, sizeof h);
    }
}

INLINE walk walk_of(uint64_t h)
{
    walk w = { h, (h << 32 | h >> 32) * G };
    return w;
}

INLINE walk integer(keys k, size_t i)
{
    return walk_of(hash_of(k.u64[i]));
}

/* MurmurHash3_x64_128 of STRING = 20 bytes: one round, and a tail of four */
INLINE uint64_t rotated(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

INLINE uint64_t finished(uint64_t h)
{
    h = (h ^ h >> 33) * 0xFF51AFD7ED558CCDU;
    h = (h ^ h >> 33) * 0xC4CEB9FE1A85EC53U;
    return h ^ h >> 33;
}

INLINE walk string(keys k, size_t i)
{
    const uint64_t c1 = 0x87C37B91114253D5U, c2 = 0x4CF5AD432745937FU;
    uint64_t word[2];
    uint32_t tail;
    walk w = { G, G };
    memcpy(word, k.strings[i].data, 16);
    memcpy(&tail, (const char *)k.strings[i].data + 16, 4);
    w.x ^= rotated(word[0] * c1, 31) * c2;
    w.x = (rotated(w.x, 27) + w.y) * 5 + 0x52DCE729U;
    w.y ^= rotated(word[1] * c2, 33) * c1;
    w.y = (rotated(w.y, 31) + w.x) * 5 + 0x38495AB5U;
    w.x ^= rotated(tail * c1, 31) * c2 ^ STRING;
    w.y ^= STRING;
    w.x += w.y;
    w.y += w.x;
    w.x = finished(w.x);
    w.y = finished(w.y);
    w.x += w.y;
    w.y += w.x;
    return w;
}

/* ---- Blocked: a bit in each word of a block ------------------------------ */

INLINE __m256i bits_of(uint64_t h)
{
    const __m256i salts = _mm256_setr_epi32(
        0x47B6137B, 0x44974D91, (int)0x8824AD5BU, (int)0xA2B7289DU,
        0x705495C7, 0x2DF1424B, (int)0x9EFC4947U, 0x5C6BFB31);
    __m256i z = _mm256_mullo_epi32(_mm256_set1_epi32((int)h), salts);
    return _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(z, 27));
}

INLINE __m256i *block_of(table t, uint64_t h)
{
    return (__m256i *)(t.cells + (((h >> 32) * (t.m >> 8) >> 32) << 5));
}

INLINE unsigned look_block(table t, walk w)
{
    __m256i block = _mm256_loadu_si256(block_of(t, w.x));
    return (unsigned)_mm256_testc_si256(block, bits_of(w.x));
}

INLINE unsigned add_block(table t, walk w)
{
    __m256i *at = block_of(t, w.x), block = _mm256_loadu_si256(at);
    __m256i bits = bits_of(w.x);
    _mm256_storeu_si256(at, _mm256_or_si256(block, bits));
    return !_mm256_testc_si256(block, bits);
}

INLINE void ask_block(table t, walk w)
{
    __builtin_prefetch(block_of(t, w.x));
}

/* ---- Classic: a walk of seven bits --------------------------------------- */

INLINE uint64_t next(table t, walk *w)
{
    uint64_t cell = (uint64_t)((wide)w->x * t.m >> 64);
    w->x += w->y;
    w->y *= 0xD1342543DE82EF95U;
    return cell;
}

/* Bit 0 of the result: are the next `count` cells set? */
INLINE unsigned look_cells(table t, walk *w, int count)
{
    unsigned set = 1;
    while (count-- > 0) {
        uint64_t cell = next(t, w);
        set &= (unsigned)t.cells[cell >> 3] >> (cell & 7);
    }
    return set & 1;
}

INLINE void ask_cells(table t, walk w, int count)
{
    while (count-- > 0)
        __builtin_prefetch(t.cells + (next(t, &w) >> 3));
}

INLINE unsigned look_ones(table t, walk w)
{
    int i;
    for (i = 0; i < 7; i++)
        if (!look_cells(t, &w, 1))
            return 0;
    return 1;
}

INLINE unsigned look_threes(table t, walk w)
{
    return look_cells(t, &w, 3) && look_cells(t, &w, 3) && look_cells(t, &w, 1);
}

INLINE unsigned look_seven(table t, walk w)
{
    return look_cells(t, &w, 7);
}

INLINE unsigned add_seven(table t, walk w)
{
    uint64_t set = 1;
    int i;
    for (i = 0; i < 7; i++) {
        uint64_t cell = next(t, &w), old;
        unsigned char *word = t.cells + (cell >> 6 << 3);
        memcpy(&old, word, 8);
        set &= old >> (cell & 63);
        old |= (uint64_t)1 << (cell & 63);
        memcpy(word, &old, 8);
    }
    return !(set & 1);
}

INLINE void ask_seven(table t, walk w)
{
    ask_cells(t, w, 7);
}

/* ---- Loops over keys -------------------------------------------------------
   singly: one by one. batches: 64 keys are hashed, then looked up. buffers: the
   keys of one buffer are hashed and prefetched while those of the other one are
   looked up. */

INLINE table table_of(void *filter)
{
    table t;
    t.cells = (unsigned char *)filter + 32;
    t.m = bloom_plan_of((bloom *)filter).cells;
    return t;
}

INLINE uint64_t singly(table t, keys k, size_t from, hash *of, act *does)
{
    uint64_t yes = 0;
    size_t i;
    for (i = from; i < k.count; i++)
        yes += does(t, of(k, i));
    return yes;
}

INLINE uint64_t batches(table t, keys k, act *does)
{
    uint64_t hash[64], yes = 0;
    size_t i, j;
    for (i = 0; i + 64 <= k.count; i += 64) {
        hash_all(hash, k.u64 + i, 64);
        for (j = 0; j < 64; j++)
            yes += does(t, walk_of(hash[j]));
    }
    return yes + singly(t, k, i, integer, does);
}

INLINE void prepare(table t, uint64_t *hash, const uint64_t *key, size_t count,
                    ask *asks)
{
    size_t i;
    hash_all(hash, key, count);
    for (i = 0; i < count; i++)
        asks(t, walk_of(hash[i]));
}

INLINE uint64_t buffers(table t, keys k, size_t size, ask *asks, act *does)
{
    uint64_t hash[2][64], yes = 0;
    size_t i, j, now = 0;
    if (k.count >= size)
        prepare(t, hash[0], k.u64, size, asks);
    for (i = 0; i + size <= k.count; i += size, now ^= 1) {
        if (i + 2 * size <= k.count)
            prepare(t, hash[!now], k.u64 + i + size, size, asks);
        for (j = 0; j < size; j++)
            yes += does(t, walk_of(hash[now][j]));
    }
    return yes + singly(t, k, i, integer, does);
}

/* The same for strings, in one ring: each place is filled again at once */
INLINE uint64_t ring(table t, keys k, size_t size, ask *asks, act *does)
{
    walk w[64];
    uint64_t yes = 0;
    size_t i;
    for (i = 0; i < k.count + size; i++) {
        if (i >= size)
            yes += does(t, w[i % size]);
        if (i < k.count)
            asks(t, w[i % size] = string(k, i));
    }
    return yes;
}

/* Classic lookups in stages: two cells of each of 32 keys are tested while two
   of the next 32 are prefetched. Keys that may be present wait one buffer
   longer, until their other five cells are prefetched. */
typedef struct left { walk of[64]; size_t count; } left;

INLINE void ask_two(table t, walk w)
{
    ask_cells(t, w, 2);
}

INLINE uint64_t last_five(table t, left *l, size_t count)
{
    uint64_t yes = 0;
    size_t i;
    for (i = 0; i < count; i++)
        yes += look_cells(t, l->of + i, 5);
    l->count -= count;
    memmove(l->of, l->of + count, l->count * sizeof *l->of);
    return yes;
}

INLINE void first_two(table t, left *l, const uint64_t *hash)
{
    size_t i, was = l->count;
    for (i = 0; i < 32; i++) {
        walk w = walk_of(hash[i]);
        unsigned in = look_cells(t, &w, 2);
        l->of[l->count] = w;
        l->count += in;
    }
    for (i = was; i < l->count; i++)
        ask_cells(t, l->of[i], 5);
}

static uint64_t stages(void *filter, keys k)
{
    table t = table_of(filter);
    uint64_t hash[2][32], yes = 0;
    size_t i, now = 0, waiting;
    left l;
    l.count = 0;
    if (k.count >= 32)
        prepare(t, hash[0], k.u64, 32, ask_two);
    for (i = 0; i + 32 <= k.count; i += 32, now ^= 1) {
        if (i + 64 <= k.count)
            prepare(t, hash[!now], k.u64 + i + 32, 32, ask_two);
        waiting = l.count;
        first_two(t, &l, hash[now]);
        yes += last_five(t, &l, waiting);
    }
    return yes + last_five(t, &l, l.count)
           + singly(t, k, i, integer, look_seven);
}

/* ---- The kernels --------------------------------------------------------- */

#define KERNEL(name, does) \
static uint64_t name(void *filter, keys k) \
{ \
    table t = table_of(filter); \
    return does; \
}
#define KERNELS(name, adds, looks) \
KERNEL(name##_add, adds) \
KERNEL(name##_look, looks)
KERNELS(block, singly(t, k, 0, integer, add_block),
        singly(t, k, 0, integer, look_block))
KERNELS(blocks, batches(t, k, add_block), batches(t, k, look_block))
KERNELS(blocks_ahead, buffers(t, k, 64, ask_block, add_block),
        buffers(t, k, 64, ask_block, look_block))
KERNELS(seven, singly(t, k, 0, integer, add_seven),
        singly(t, k, 0, integer, look_seven))
KERNEL(ones_look, singly(t, k, 0, integer, look_ones))
KERNEL(threes_look, singly(t, k, 0, integer, look_threes))
KERNELS(sevens, batches(t, k, add_seven), batches(t, k, look_seven))
KERNELS(sevens_ahead, buffers(t, k, 16, ask_seven, add_seven),
        buffers(t, k, 16, ask_seven, look_seven))

KERNELS(string_block, singly(t, k, 0, string, add_block),
        singly(t, k, 0, string, look_block))
KERNELS(string_blocks, ring(t, k, 64, ask_block, add_block),
        ring(t, k, 64, ask_block, look_block))
KERNELS(string_seven, singly(t, k, 0, string, add_seven),
        singly(t, k, 0, string, look_seven))
KERNEL(string_ones_look, singly(t, k, 0, string, look_ones))
KERNELS(string_sevens, ring(t, k, 16, ask_seven, add_seven),
        ring(t, k, 16, ask_seven, look_seven))

void lean_enter(void)
{
    static const struct { int kind, layout, how; loop *add, *ask; } of[] = {
        { U64, BLOOM_BLOCKED, SINGLE, block_add, block_look },
        { U64, BLOOM_BLOCKED, MANY, blocks_add, blocks_look },
        { U64, BLOOM_BLOCKED, MANY, blocks_ahead_add, blocks_ahead_look },
        { U64, BLOOM_CLASSIC, SINGLE, seven_add, seven_look },
        { U64, BLOOM_CLASSIC, SINGLE, NULL, ones_look },
        { U64, BLOOM_CLASSIC, SINGLE, NULL, threes_look },
        { U64, BLOOM_CLASSIC, MANY, sevens_add, sevens_look },
        { U64, BLOOM_CLASSIC, MANY, sevens_ahead_add, sevens_ahead_look },
        { U64, BLOOM_CLASSIC, MANY, NULL, stages },
        { STRINGS, BLOOM_BLOCKED, SINGLE, string_block_add, string_block_look },
        { STRINGS, BLOOM_BLOCKED, MANY, string_block_add, string_block_look },
        { STRINGS, BLOOM_BLOCKED, MANY, string_blocks_add, string_blocks_look },
        { STRINGS, BLOOM_CLASSIC, SINGLE, string_seven_add, string_seven_look },
        { STRINGS, BLOOM_CLASSIC, SINGLE, NULL, string_ones_look },
        { STRINGS, BLOOM_CLASSIC, MANY, string_seven_add, string_seven_look },
        { STRINGS, BLOOM_CLASSIC, MANY, string_sevens_add, string_sevens_look }
    };
    contender c = { NULL, 0, EXACT, NULL, 0, clear_ours, NULL, NULL };
    size_t i;
    if ((run.kind == STRINGS && STRING != 20)
        || bloom_plan_of(ours[BLOOM_BLOCKED]).hashes != 8
        || bloom_plan_of(ours[BLOOM_CLASSIC]).hashes != 7)
        return;
    for (i = 0; i < sizeof of / sizeof *of; i++) {
        if (of[i].kind != run.kind)
            continue;
        c.how = of[i].how;
        c.filter = ours[of[i].layout];
        c.add = of[i].add;
        c.ask = of[i].ask;
        c.name = of[i].layout == BLOOM_CLASSIC ? "lean classic"
                                               : "lean blocked";
        enter(c);
    }
}
#endif
