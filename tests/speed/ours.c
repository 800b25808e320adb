/* bloom.h in the benchmark: each layout, with one key per call and with many.
   And the machine's floor, the least time that any filter needs: a key is
   hashed, and one random line of 64 bytes is read or written, in as much memory
   as a blocked filter has. The accesses do not wait for each other. The floor
   is measured key by key, and with 64 keys hashed and prefetched at a time. */

#define BLOOM_STATIC
#include "bloom.h"
#include "bench.h"
#include "../layouts.h"

bloom *ours[3];

LOOP(u64_add, bloom, bloom_add_u64(f, k.u64[i]))
LOOP(u64_ask, const bloom, bloom_may_contain_u64(f, k.u64[i]))
LOOP(hash_add, bloom, bloom_add_hash(f, k.hashes[i]))
LOOP(hash_ask, const bloom, bloom_may_contain_hash(f, k.hashes[i]))
LOOP(string_add, bloom, bloom_add(f, k.strings[i].data, k.strings[i].size))
LOOP(string_ask, const bloom,
     bloom_may_contain(f, k.strings[i].data, k.strings[i].size))

SLICES(u64_adds, bloom, bloom_add_many_u64(f, k.u64 + i, count, NULL))
SLICES(u64_asks, bloom, bloom_may_contain_many_u64(f, k.u64 + i, count, NULL))
SLICES(hash_adds, bloom, bloom_add_many_hash(f, k.hashes + i, count, NULL))
SLICES(hash_asks, bloom,
       bloom_may_contain_many_hash(f, k.hashes + i, count, NULL))
SLICES(string_adds, bloom, bloom_add_many(f, k.strings + i, count, NULL))
SLICES(string_asks, bloom,
       bloom_may_contain_many(f, k.strings + i, count, NULL))

void clear_ours(void *filter)
{
    bloom_clear(filter);
}

static void enter_loops(const char *name, int check, bloom *b,
                        void (*clear)(void *), loop *const loops[4])
{
    contender c = { name, SINGLE, check, b, 0, clear, loops[0], loops[1] };
    c.bytes = b ? (double)bloom_size(b) : 0;
    enter(c);
    c.how = MANY;
    c.add = loops[2];
    c.ask = loops[3];
    enter(c);
}

void enter_ours(const char *name, bloom *b, void (*clear)(void *))
{
    static loop *const loops[KINDS][4] = {
        { u64_add, u64_ask, u64_adds, u64_asks },
        { hash_add, hash_ask, hash_adds, hash_asks },
        { string_add, string_ask, string_adds, string_asks }
    };
    enter_loops(name, EXACT, b, clear, loops[run.kind]);
}

/* ---- The floor ----------------------------------------------------------- */

static inline unsigned char *line_of(bloom *b, size_t lines, uint64_t key)
{
    return (unsigned char *)b + BLOOM_HEADER_SIZE
           + ((bloom_hash_u64(b, key).h1 >> 32) * lines >> 32) * 64;
}

static inline unsigned read_line(volatile unsigned char *line)
{
    return *line;
}

static inline unsigned write_line(volatile unsigned char *line)
{
    return *line = (unsigned char)(*line + 1);
}

#define FLOOR(name, ahead, touch) \
static uint64_t name(void *filter, keys k) \
{ \
    bloom *f = filter; \
    size_t i, j, lines = (bloom_size(f) - BLOOM_HEADER_SIZE) / 64; \
    unsigned char *line[ahead]; \
    uint64_t sum = 0; \
    for (i = 0; i + ahead <= k.count; i += ahead) { \
        for (j = 0; j < ahead; j++) { \
            line[j] = line_of(f, lines, k.u64[i + j]); \
            if (ahead > 1) \
                __builtin_prefetch(line[j]); \
        } \
        for (j = 0; j < ahead; j++) \
            sum += touch(line[j]); \
    } \
    return sum; \
}
FLOOR(floor_write, 1, write_line)
FLOOR(floor_read, 1, read_line)
FLOOR(floor_writes, 64, write_line)
FLOOR(floor_reads, 64, read_line)

static void enter_floor(const char *name, bloom *b)
{
    static loop *const loops[4] = { floor_write, floor_read, floor_writes,
                                    floor_reads };
    enter_loops(name, NOTHING, b, clear_ours, loops);
}

void ours_enter(void)
{
    static const char *const name[] = { LAYOUT_NAMES };
    int layout, layouts = run.n <= 1000000 && run.p == 0.01 ? LAYOUT_COUNT
                                                            : 2;
    for (layout = 0; layout < layouts; layout++) {
        ours[layout] = bloom_create(bloom_plan_layout(run.n, run.p,
                                                      (bloom_layout)layout));
        enter_ours(name[layout], ours[layout], clear_ours);
    }
    if (run.kind == U64)
        enter_floor("floor", bloom_create(bloom_plan_of(ours[BLOOM_BLOCKED])));
}
