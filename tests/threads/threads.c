/* Tests the promises of BLOOM_ATOMIC with real threads in one filter (`make
   threads`), and measures its price (`make atomic`). The exit status is 1 if a
   key is lost, or new to neither of two threads; and if `keys` loses none
   without BLOOM_ATOMIC.

     threads race     four threads make all calls that may run at once
     threads keys N   two threads add N keys, and each looks for the other's
     threads new N    two threads add the same N keys at the same time
     threads once N   eight threads add the same N keys, each key under one of
                      64 locks: new to exactly one; without them, to several
     threads table    time per key of 10^7 keys that are added by one thread or
                      by two; needs two idle cores

   threads.sh compiles the loops with -DLOOPS=plain, and with -DLOOPS=atomic
   -DBLOOM_ATOMIC, then the rest. */

#define _POSIX_C_SOURCE 200809L
#define BLOOM_STATIC
#include "bloom.h"
#include "examples/companions/bloom_slices.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Adds or looks up all keys. Returns how many were new (or found). */
typedef size_t loop(bloom *b, const uint64_t *keys, size_t count, bool *is);

typedef struct loops {
    loop *add, *look, *add_many, *look_many;
    bool (*merge)(bloom *into, const bloom *from);
} loops;

#ifdef LOOPS

#define LOOP(name, call) \
    static size_t name(bloom *b, const uint64_t *keys, size_t count, bool *is) \
    { \
        size_t i, sum = 0; \
        for (i = 0; i < count; i++) { \
            const bool one = call(b, keys[i]); \
            sum += one; \
            if (is) \
                is[i] = one; \
        } \
        return sum; \
    }
LOOP(add, bloom_add_u64)
LOOP(look, bloom_may_contain_u64)

static size_t look_many(bloom *b, const uint64_t *keys, size_t count, bool *is)
{
    return bloom_may_contain_many_u64(b, keys, count, is);
}

extern const loops LOOPS;
const loops LOOPS = { add, look, bloom_add_many_u64, look_many, bloom_merge };

#else

extern const loops plain, atomic;

/* ---- Filters, and threads that meet -------------------------------------- */

static const struct kind {
    const char *name;
    bloom_layout layout;
    double p;                   /* blocked: 0.0001 takes k = 16 */
    unsigned shift;             /* of the image from a multiple of 32 */
} kinds[] = {
    { "classic", BLOOM_CLASSIC, 0.01, 0 },
    { "classic, odd address", BLOOM_CLASSIC, 0.01, 1 },
    { "blocked", BLOOM_BLOCKED, 0.01, 0 },
    { "blocked, at 8 of 32", BLOOM_BLOCKED, 0.01, 8 },
    { "blocked, odd address", BLOOM_BLOCKED, 0.01, 1 },
    { "blocked, two a key", BLOOM_BLOCKED, 0.0001, 0 },
    { "two a key, odd address", BLOOM_BLOCKED, 0.0001, 1 },
    { "counting", BLOOM_COUNTING, 0.01, 0 }
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void *get(size_t size)
{
    void *memory = malloc(size);
    if (!memory) {
        fprintf(stderr, "threads: not enough memory\n");
        exit(2);
    }
    return memory;
}

/* An empty filter, never freed */
static bloom *make(const struct kind *kind, uint64_t n)
{
    bloom_plan plan = bloom_plan_layout(n, kind->p, kind->layout);
    size_t size = bloom_plan_size(plan);
    unsigned char *memory = get(size + 64);
    memory += 32 - (uintptr_t)memory % 32 + kind->shift;
    return bloom_init(memory, size, plan);
}

static size_t load(const size_t *at)
{
    return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

static void store(size_t *at, size_t value)
{
    __atomic_store_n(at, value, __ATOMIC_RELEASE);
}

/* The work of one thread of two */
typedef struct work {
    const struct kind *kind;
    const loops *use;
    bloom *b, *from;
    uint64_t *keys;             /* the keys of both threads */
    bool *is_new;
    size_t count, done, met, lost;
    struct work *other;
    double seconds;
    loop *timed;
} work;

/* Waits until the other thread has called this as often as this one. */
static void meet(work *w)
{
    unsigned spins = 0;
    store(&w->met, w->met + 1);
    while (load(&w->other->met) < w->met)
        if (++spins % 4096 == 0)
            sched_yield();
}

static void start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    if (pthread_create(thread, NULL, run, argument) != 0) {
        fprintf(stderr, "threads: cannot create a thread\n");
        exit(2);
    }
}

static void run_two(work w[2], void *(*run)(void *))
{
    pthread_t thread;
    w[0].other = &w[1];
    w[1].other = &w[0];
    w[0].met = w[1].met = w[0].done = w[1].done = 0;
    start(&thread, run, &w[1]);
    run(&w[0]);
    pthread_join(thread, NULL);
}

static uint64_t *numbers(uint64_t first, size_t count)
{
    uint64_t *keys = get(count * sizeof *keys);
    size_t i;
    for (i = 0; i < count; i++)
        keys[i] = first + i;
    return keys;
}

/* ---- race: four threads, all calls --------------------------------------- */

enum { FEW = 1500, STEP = 50 };             /* keys per thread, per call */
enum { OLD = 1 << 20, ONES = 2 << 20, MANY = 3 << 20, GONE = 4 << 20,
       MERGED = 5 << 20 };                  /* first keys of each purpose */

static struct { bloom *b, *from, *into; } field;

static size_t absent_of(const bloom *b, uint64_t first)
{
    uint64_t *keys = numbers(first, FEW);
    size_t found = bloom_may_contain_many_u64(b, keys, FEW, NULL);
    free(keys);
    return FEW - found;
}

static void *add_ones(void *lost)
{
    bool counts = bloom_plan_of(field.b).layout == BLOOM_COUNTING;
    uint64_t i;
    for (i = 0; i < FEW; i++) {
        bloom_add_u64(field.b, ONES + i);
        *(size_t *)lost += !bloom_may_contain_u64(field.b, ONES + i);
        bloom_add(field.b, &i, sizeof i);
        *(size_t *)lost += !bloom_may_contain(field.b, &i, sizeof i);
        if (counts) {
            bloom_add_u64(field.b, GONE + i);
            *(size_t *)lost += !bloom_remove_u64(field.b, GONE + i);
        }
    }
    return NULL;
}

static void *add_many(void *lost)
{
    uint64_t *keys = numbers(MANY, FEW);
    size_t i;
    for (i = 0; i < FEW; i += STEP) {
        bloom_key texts[STEP];
        size_t j;
        for (j = 0; j < STEP; j++) {
            texts[j].data = &keys[i + j];
            texts[j].size = 1 + j % sizeof *keys;
        }
        bloom_add_many_u64(field.b, keys + i, STEP, NULL);
        bloom_add_many(field.b, texts, STEP, NULL);
        *(size_t *)lost += STEP - bloom_may_contain_many(field.b, texts, STEP,
                                                         NULL);
    }
    *(size_t *)lost += absent_of(field.b, MANY);
    free(keys);
    return NULL;
}

static void *merge_in(void *lost)
{
    unsigned i;
    for (i = 0; i < 30; i++) {
        *(size_t *)lost += !bloom_merge(field.b, field.from);
        *(size_t *)lost += absent_of(field.b, MERGED);
        *(size_t *)lost += bloom_ones(field.b) < bloom_ones(field.from);
        *(size_t *)lost += bloom_estimate(field.b) == 0;
        *(size_t *)lost += !(bloom_fpr(field.b) > 0);
    }
    return NULL;
}

static void *look(void *lost)
{
    unsigned i;
    uint64_t key;
    for (i = 0; i < 10; i++) {
        for (key = OLD; key < OLD + FEW; key++)
            *(size_t *)lost += !bloom_may_contain_u64(field.b, key);
        *(size_t *)lost += absent_of(field.b, OLD);
        *(size_t *)lost += !bloom_merge(field.into, field.b);
        *(size_t *)lost += absent_of(field.into, OLD);
    }
    return NULL;
}

/* Returns how many keys were lost. */
static size_t race(const struct kind *kind)
{
    static void *(*const roles[])(void *) = { add_ones, add_many, merge_in,
                                              look };
    pthread_t threads[4];
    size_t i, sum = 0, lost[4] = { 0, 0, 0, 0 };
    field.b = make(kind, 6 * FEW);
    field.from = make(kind, 6 * FEW);
    field.into = make(kind, 6 * FEW);
    bloom_add_many_u64(field.b, numbers(OLD, FEW), FEW, NULL);
    bloom_add_many_u64(field.from, numbers(MERGED, FEW), FEW, NULL);
    bloom_seal(field.b);
    for (i = 0; i < 4; i++)
        start(&threads[i], roles[i], &lost[i]);
    for (i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        sum += lost[i];
    }
    sum += absent_of(field.b, OLD) + absent_of(field.b, ONES)
         + absent_of(field.b, MANY) + absent_of(field.b, MERGED);
    return sum + (bloom_verify(field.b) != BLOOM_UNSEALED);
}

static void *remove_absent(void *unused)
{
    uint64_t key;
    for (key = 1; key < 1000000; key++)
        if (!bloom_may_contain_u64(field.b, key))
            bloom_remove_u64(field.b, key);
    return unused;
}

/* One thread removes absent keys. The other must find the key that is in. */
static size_t race_for_cells(void)
{
    pthread_t thread;
    size_t i, lost = 0;
    field.b = make(&kinds[KINDS - 1], 1);
    bloom_add_u64(field.b, 0);
    start(&thread, remove_absent, NULL);
    for (i = 0; i < 1000000; i++)
        lost += !bloom_may_contain_u64(field.b, 0);
    pthread_join(thread, NULL);
    printf("%-22s %zu lost\n", "removing absent keys", lost);
    return lost;
}

/* ---- Slices: two threads add to filters of one byte of the rows ---------- */

enum { SOME = 400, COLUMNS = 70 };

static bloom_slices *slices;

/* Key i goes to filter i % 4 of both threads, so that they add it at the same
   time, and to another one of each. */
static void *add_to_slices(void *lost)
{
    const unsigned own = *(size_t *)lost == 0 ? 4 : 66;
    uint64_t who[(COLUMNS + 63) / 64], i;
    *(size_t *)lost = 0;
    for (i = 0; i < SOME; i++) {
        bloom_slices_add_u64(slices, i % 4, ONES + i);
        bloom_slices_add_u64(slices, own, ONES + i);
        bloom_slices_find_u64(slices, ONES + i, who);
        *(size_t *)lost += (size_t)!(who[0] >> i % 4 & 1)
                         + (size_t)!(who[own / 64] >> own % 64 & 1);
    }
    return NULL;
}

static void *look_in_slices(void *lost)
{
    static uint32_t counts[2][COLUMNS];
    uint64_t who[(COLUMNS + 63) / 64], i;
    const bloom_hash h = bloom_slices_hash_u64(slices, OLD);
    const unsigned one = *(size_t *)lost == 2;
    *(size_t *)lost = 0;
    for (i = 0; i < SOME; i++) {
        *(size_t *)lost += bloom_slices_find_all(slices, &h, 1, who) < 1;
        bloom_slices_count(slices, &h, 1, counts[one]);
        *(size_t *)lost += counts[one][5] != 1;
    }
    return NULL;
}

static size_t race_in_slices(unsigned shift)
{
    static void *(*const roles[])(void *) = { add_to_slices, add_to_slices,
                                              look_in_slices, look_in_slices };
    const bloom_plan plan = bloom_plan_for(SOME, 0.01);
    const size_t size = bloom_slices_plan_size(plan, COLUMNS);
    uint64_t who[(COLUMNS + 63) / 64], i;
    unsigned char *memory = get(size + 64);
    pthread_t threads[4];
    size_t sum = 0, lost[4];
    slices = bloom_slices_init(memory + 32 - (uintptr_t)memory % 32 + shift,
                               size, plan, COLUMNS);
    bloom_slices_add_u64(slices, 5, OLD);
    bloom_slices_seal(slices);
    for (i = 0; i < 4; i++) {
        lost[i] = i;
        start(&threads[i], roles[i], &lost[i]);
    }
    for (i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        sum += lost[i];
    }
    for (i = 0; i < SOME; i++) {
        bloom_slices_find_u64(slices, ONES + i, who);
        sum += (size_t)!(who[0] >> i % 4 & 1) + (size_t)!(who[0] >> 4 & 1)
             + (size_t)!(who[1] >> 2 & 1);
    }
    sum += bloom_slices_verify(slices) != BLOOM_UNSEALED;
    printf("slices, at %u of 32     %zu lost\n", shift, sum);
    return sum;
}

static int race_all(void)
{
    size_t i, lost, all = race_for_cells() + race_in_slices(0)
                        + race_in_slices(1);
    for (i = 0; i < KINDS; i++) {
        lost = race(&kinds[i]);
        printf("%-22s %zu lost\n", kinds[i].name, lost);
        all += lost;
    }
    return all > 0;
}

/* ---- keys: lost keys are counted ----------------------------------------- */

enum { ROUND = 5000, BATCH = 64 };      /* keys per round, keys per report */

/* Adds half of the keys, and looks for those that the other has reported. */
static void *add_half(void *argument)
{
    work *w = argument;
    const uint64_t *mine = w == w->other + 1 ? w->keys + ROUND / 2 : w->keys;
    const uint64_t *its = w->keys + ROUND / 2 - (mine - w->keys);
    size_t i, seen = 0, told;
    meet(w);
    for (i = 0; i < ROUND / 2; i += BATCH) {
        size_t count = ROUND / 2 - i < BATCH ? ROUND / 2 - i : BATCH;
        (i / BATCH % 2 ? w->use->add : w->use->add_many)(w->b, mine + i, count,
                                                         NULL);
        store(&w->done, i + count);
        told = load(&w->other->done);
        w->lost += told - seen - w->use->look_many(w->b, its + seen,
                                                   told - seen, NULL);
        seen = told;
    }
    meet(w);
    w->lost += ROUND / 2 - w->use->look(w->b, its, ROUND / 2, NULL);
    return NULL;
}

/* Adds its half by merging, and reports it after the first merge. */
static void *merge_half(void *argument)
{
    work *w = argument;
    bool is_first = w->other == w + 1;
    unsigned i;
    if (is_first)
        return add_half(w);
    meet(w);
    for (i = 0; i < 4 || load(&w->other->done) < ROUND / 2; i++) {
        w->use->merge(w->b, w->from);
        store(&w->done, ROUND / 2);
    }
    meet(w);
    w->lost += ROUND / 2 - w->use->look(w->b, w->keys, ROUND / 2, NULL);
    return NULL;
}

/* Is the image the one that a single thread makes without BLOOM_ATOMIC? */
static bool same_as_alone(const struct kind *kind, const bloom *b,
                          const uint64_t *keys)
{
    static bloom *alone[KINDS];
    bloom **a = &alone[kind - kinds];
    if (!*a)
        *a = make(kind, ROUND);
    bloom_clear(*a);
    plain.add(*a, keys, ROUND, NULL);
    return memcmp(*a, b, bloom_size(b)) == 0;
}

/* Adds keys in rounds. Returns how many lookups miss, or images differ. */
static size_t lose(const struct kind *kind, const loops *use, size_t count,
                   bool merge, const char *name)
{
    static uint64_t keys[ROUND];
    bloom *b = make(kind, ROUND), *from = make(kind, ROUND);
    bool exact = !merge || kind->layout != BLOOM_COUNTING;
    size_t rounds = (count + ROUND - 1) / ROUND, r, i, lost = 0, differ = 0;
    work w[2];
    memset(w, 0, sizeof w);
    w[0].b = w[1].b = b;
    w[1].from = from;
    w[0].use = w[1].use = use;
    w[0].keys = w[1].keys = keys;
    for (r = 0; r < rounds; r++) {
        for (i = 0; i < ROUND; i++)
            keys[i] = (uint64_t)(r + 1) << 32 | i;
        bloom_clear(b);
        bloom_clear(from);
        if (merge)
            plain.add(from, keys + ROUND / 2, ROUND / 2, NULL);
        run_two(w, merge ? merge_half : add_half);
        differ += exact && !same_as_alone(kind, b, keys);
    }
    lost = w[0].lost + w[1].lost;
    printf("%-22s %-13s %zu keys: %zu lookups missed a key, %zu of %zu "
           "images differ\n", kind->name, name, rounds * ROUND, lost, differ,
           rounds);
    return lost + differ;
}

/* Without BLOOM_ATOMIC, the same adds must lose keys, or the test is void. */
static int lose_all(size_t count)
{
    size_t i, lost = 0, control = 0;
    for (i = 0; i < KINDS; i++) {
        lost += lose(&kinds[i], &atomic, count / KINDS, false, "adds");
        lost += lose(&kinds[i], &atomic, count / KINDS / 20, true, "merges");
    }
    for (i = 0; i < 50 && control == 0; i++)
        control = lose(&kinds[0], &plain, 400000, false, "NOT atomic");
    if (control == 0)
        puts("FAILED: no key was lost without BLOOM_ATOMIC: a void test");
    return lost > 0 || control == 0;
}

/* ---- new: two threads add one key ---------------------------------------- */

static void *add_same(void *argument)
{
    work *w = argument;
    size_t i;
    for (i = 0; i < w->count; i++) {
        meet(w);
        w->use->add(w->b, w->keys + i, 1, w->is_new + i);
    }
    return NULL;
}

/* For each cell, by how many keys it is set, at most 2 */
static unsigned char *users_of_cells(const bloom *b, const uint64_t *keys,
                                     size_t count)
{
    unsigned char *users = get(bloom_plan_of(b).cells);
    uint64_t index[64];
    size_t i;
    memset(users, 0, bloom_plan_of(b).cells);
    for (i = 0; i < count; i++) {
        unsigned j, l, k = bloom_probes(b, bloom_hash_u64(b, keys[i]), index);
        for (j = 0; j < k; j++) {
            for (l = 0; l < j && index[l] != index[j]; l++)
                continue;
            if (l == j && users[index[j]] < 2)
                users[index[j]]++;
        }
    }
    return users;
}

static bool has_own_cell(const bloom *b, const unsigned char *users,
                         uint64_t key)
{
    uint64_t index[64];
    unsigned j, k = bloom_probes(b, bloom_hash_u64(b, key), index);
    for (j = 0; j < k; j++)
        if (users[index[j]] == 1)
            return true;
    return false;
}

/* A key with a cell of its own is absent, so it must be new to a thread. */
static size_t add_twice(const struct kind *kind, size_t count)
{
    work w[2];
    bloom *b = make(kind, count);
    uint64_t *keys = numbers(1, count);
    unsigned char *users = users_of_cells(b, keys, count);
    size_t i, judged = 0, both = 0, none = 0;
    memset(w, 0, sizeof w);
    for (i = 0; i < 2; i++) {
        w[i].b = b;
        w[i].use = &atomic;
        w[i].keys = keys;
        w[i].count = count;
        w[i].is_new = get(count);
    }
    run_two(w, add_same);
    for (i = 0; i < count; i++) {
        if (!has_own_cell(b, users, keys[i]))
            continue;
        judged++;
        both += w[0].is_new[i] && w[1].is_new[i];
        none += !w[0].is_new[i] && !w[1].is_new[i];
    }
    printf("%-22s %zu absent keys added by two threads: new to none %zu, "
           "to both %zu\n", kind->name, judged, none, both);
    free(users);
    return none + (judged < count / 2);
}

static int add_all_twice(size_t count)
{
    size_t i, wrong = 0;
    for (i = 0; i < KINDS; i++)
        wrong += add_twice(&kinds[i], count / KINDS);
    return wrong > 0;
}

/* ---- once: the recipe of "Threads" in bloom.h ---------------------------- */

static pthread_mutex_t locks[64];
static struct { bloom *b; bool locked; size_t count, *told; } shared;

/* Adds all keys. Counts for each how many threads are told that it is new. */
static void *add_once(void *unused)
{
    size_t i;
    for (i = 0; i < shared.count; i++) {
        const bloom_hash h = bloom_hash_key(shared.b, &i, sizeof i);
        bool is_new;
        if (shared.locked)
            pthread_mutex_lock(&locks[h.h1 >> 58]);
        is_new = bloom_add_hash(shared.b, h);
        if (shared.locked)
            pthread_mutex_unlock(&locks[h.h1 >> 58]);
        if (is_new)
            __atomic_fetch_add(&shared.told[i], 1, __ATOMIC_RELAXED);
    }
    return unused;
}

/* Returns how many keys are not new to exactly one of eight threads. No key is
   a false positive, as p is 10^-15. Its k = 50 makes a key take long to add, so
   that threads meet in it. */
static size_t not_once(size_t count, bool locked)
{
    static const struct kind kind = { "classic", BLOOM_CLASSIC, 1e-15, 0 };
    pthread_t threads[8];
    size_t i, wrong = 0;
    shared.b = make(&kind, count);
    shared.locked = locked;
    shared.count = count;
    shared.told = get(count * sizeof *shared.told);
    memset(shared.told, 0, count * sizeof *shared.told);
    for (i = 0; i < 8; i++)
        start(&threads[i], add_once, NULL);
    for (i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    for (i = 0; i < count; i++)
        wrong += shared.told[i] != 1;
    free(shared.told);
    printf("%zu keys added by eight threads, %s: %zu not new to exactly one\n",
           count, locked ? "64 locks" : "no lock", wrong);
    return wrong;
}

/* Without a lock, a key must be new to several, or the test is void. */
static int add_all_once(size_t count)
{
    size_t i, wrong, control = 0;
    for (i = 0; i < 64; i++)
        pthread_mutex_init(&locks[i], NULL);
    wrong = not_once(count, true);
    for (i = 0; i < 50 && control == 0; i++)
        control = not_once(count, false);
    if (control == 0)
        puts("FAILED: no key was new to several without a lock: a void test");
    return wrong > 0 || control == 0;
}

/* ---- table --------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *timed(void *argument)
{
    work *w = argument;
    meet(w);
    w->seconds = now();
    w->timed(w->b, w->keys, w->count, NULL);
    w->seconds = now() - w->seconds;
    return NULL;
}

/* Seconds for adding the keys by two threads to b[0] and b[1], which may be the
   same filter, and for the union if they are not. Both filters are empty. */
static double two_add(bloom *const b[2], loop *add, uint64_t *keys,
                      size_t count)
{
    double wall;
    unsigned i;
    work w[2];
    memset(w, 0, sizeof w);
    for (i = 0; i < 2; i++) {
        w[i].b = b[i];
        w[i].keys = keys + (i ? count / 2 : 0);
        w[i].count = count / 2;
        w[i].timed = add;
    }
    run_two(w, timed);
    wall = now();
    if (b[0] != b[1])
        plain.merge(b[0], b[1]);
    wall = now() - wall;
    return wall + (w[0].seconds > w[1].seconds ? w[0].seconds : w[1].seconds);
}

static double one_adds(bloom *b, loop *add, uint64_t *keys, size_t count)
{
    const double from = now();
    add(b, keys, count, NULL);
    return now() - from;
}

/* The best of some rounds, in nanoseconds per key, for: a plain build, one
   thread; atomic, one; atomic, two; plain, two with a filter each, and merge */
static bool print_row(const struct kind *kind, const char *what,
                      loop *plain_add, loop *atomic_add)
{
    enum { N = 10000000, ROUNDS = 5 };
    static uint64_t *keys;
    bloom *const b = make(kind, N), *const other = make(kind, N);
    bloom *const same[2] = { b, b }, *const each[2] = { b, other };
    double best[4] = { 1e9, 1e9, 1e9, 1e9 }, took;
    bool all = true;
    unsigned i;
    if (!keys)
        keys = numbers(0, N);
    for (i = 0; i < 4 * ROUNDS; i++) {
        bloom_clear(b);
        bloom_clear(other);
        took = i % 4 == 0 ? one_adds(b, plain_add, keys, N)
             : i % 4 == 1 ? one_adds(b, atomic_add, keys, N)
             : two_add(i % 4 == 2 ? same : each,
                       i % 4 == 2 ? atomic_add : plain_add, keys, N);
        best[i % 4] = took < best[i % 4] ? took : best[i % 4];
        all &= plain.look_many(b, keys, N, NULL) == N;
    }
    printf("%-9s %-15s", kind->name, what);
    for (i = 0; i < 4; i++)
        printf(" %12.1f", best[i] * 1e9 / N);
    puts(all ? "" : " a key is lost");
    return all;
}

static int print_table(void)
{
    size_t i;
    bool all = true;
    puts("ns per key, 10^7 keys         plain, one  atomic, one  atomic, two"
         "  one filter each");
    for (i = 0; i < KINDS; i++)
        if (kinds[i].shift == 0 && kinds[i].p > 0.001) {
            all &= print_row(&kinds[i], "one per call", plain.add, atomic.add);
            all &= print_row(&kinds[i], "many per call", plain.add_many,
                             atomic.add_many);
        }
    return !all;
}

int main(int count, char **words)
{
    const char *what = count > 1 ? words[1] : "";
    size_t n = count > 2 ? (size_t)strtod(words[2], NULL) : 0;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    if (strcmp(what, "race") == 0)
        return race_all();
    if (strcmp(what, "keys") == 0 && n > 0)
        return lose_all(n);
    if (strcmp(what, "new") == 0 && n > 0)
        return add_all_twice(n);
    if (strcmp(what, "once") == 0 && n > 0)
        return add_all_once(n);
    if (strcmp(what, "table") == 0)
        return print_table();
    fprintf(stderr, "usage: threads race | keys N | new N | once N | table\n");
    return 2;
}

#endif
