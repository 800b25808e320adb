/* Tests that a filter has the same bytes on every machine. This program adds
   the same keys to filters of each layout and width of this build, and prints a
   line for each: what it is, and a digest of its image, answers and numbers.
   `make cross` runs it on each machine and compares the lines with the host's.
   Another digest means that images of that machine cannot be used elsewhere.
   Whether the host is right is for ../unit/images.c to say. Most machines run
   test.c and not unit/: there, only this program notices different counters,
   blocks, folded filters, windows, slices, and hashes of width 64.

       plan ints       by integers, in every build
       plan real       by floating point
       LAYOUT WIDTH    a filter, also at addresses off alignment
       fold WIDTH      a folded filter
       chain WIDTH     that was saved, loaded and grown
       window WIDTH    that was copied, opened and filled; or by time, whose
                       generations are full early
       slices WIDTH    70 filters, saved and opened
       keyed hashes    of 41 keys, and of integers

   The first two words of a line determine which builds print it: BLOOM_TINY has
   only "plan ints", "classic 32", "window 32", "slices 32" and "keyed". An AVR
   prints "slices" with BLOOM_TINY only. All numbers are hexadecimal. With
   GOLDEN_WASM the program needs no libc, only a put_character from outside. To
   see which byte differs, print the bytes in mix(). */
#define BLOOM_STATIC
#include "bloom.h"
#include "examples/companions/bloom_keyed.h"
#include "examples/companions/bloom_slices.h"
#include "examples/companions/bloom_window.h"
#include <float.h>
#if !defined BLOOM_NO_MALLOC && !defined BLOOM_NO_FLOAT && DBL_MANT_DIG == 53
#define WITH_CHAIN
#include "examples/companions/bloom_chain.h"
#endif

#ifdef GOLDEN_WASM
__attribute__((import_module("env"), import_name("put_character")))
void put_character(int c);
#else
#include <stdio.h>
#define put_character(c) putchar(c)
#endif

static const char *const layouts[] = { "classic", "blocked", "counting" };

static unsigned char memory[32 + 4096 + 8];     /* 8192 counters */
static unsigned char other[32 + 512 + 8];

/* ---- Lines --------------------------------------------------------------- */

static uint64_t digest;                         /* FNV-1a */
static int failed;

static void mix(const unsigned char *bytes, size_t size)
{
    while (size-- > 0)
        digest = (digest ^ *bytes++) * 0x100000001B3U;
}

static void mix_number(uint64_t x)
{
    unsigned char bytes[8];
    unsigned i;
    for (i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(x >> 8 * i & 255);
    mix(bytes, 8);
}

static void put(const char *text)
{
    while (*text)
        put_character(*text++);
}

static void put_hex(uint64_t x, unsigned digits)
{
    while (digits-- > 0)
        put_character("0123456789abcdef"[x >> 4 * digits & 15]);
}

/* Ends a line: its words, the plan's numbers, and the digest since the last */
static void put_line(const char *what, bloom_plan plan, const char *more)
{
    put(what);
    put(plan.hash_bits == 64 ? " 64 " : plan.hash_bits ? " 32 " : " ");
    put(more);
    put(*more ? " " : "");
    put_hex(plan.cells, 4);
    put(" ");
    put_hex(plan.hashes, 2);
    put(": ");
    put_hex(digest, 16);
    put("\n");
    digest = 0xCBF29CE484222325U;
}

static void must(bool good, const char *what)
{
    if (!good) {
        put("FAILED: ");
        put(what);
        put("\n");
        failed = 1;
    }
}

/* ---- Keys: bytes at odd addresses, integers, hashes --------------------- */

static uint64_t number(unsigned i)
{
    return (i + 1) * 0x9E3779B97F4A7C15U;
}

/* Key i: 0 to 40 bytes, of which every other one has its top bit set */
static const void *bytes(unsigned i, size_t *size)
{
    static unsigned char space[41];
    unsigned char *key = space + 1;
    size_t j;
    *size = i % 41 < 40 ? i % 41 : 8;
    for (j = 0; j < *size; j++)
        key[j] = (unsigned char)((i * 37 + j * 129 + (i >> 3)) & 255);
    return key;
}

static bloom_hash hash(unsigned i)
{
    bloom_hash h;
    h.h1 = number(i) * 0xBF58476D1CE4E5B9U;
    h.h2 = number(i) ^ h.h1 >> 7;
    return h;
}

/* Calls CALL, CALL_u64 or CALL_hash with key i after the other arguments. */
#define WITH_KEY(call, i, ...) \
    ((i) % 3 == 0 ? (key = bytes(i, &size), call(__VA_ARGS__, key, size)) \
     : (i) % 3 == 1 ? call##_u64(__VA_ARGS__, number(i)) \
                    : call##_hash(__VA_ARGS__, hash(i)))
#define ADD(call, from, to, ...) \
    do { \
        size_t size; \
        const void *key; \
        unsigned key_ = (from); \
        for (; key_ < (to); key_++) \
            mix_number(WITH_KEY(call, key_, __VA_ARGS__)); \
    } while (0)

static unsigned found(const bloom *b, unsigned from)
{
    size_t size;
    const void *key;
    unsigned i, maybes = 0;
    for (i = from; i < from + 64; i++)
        maybes += WITH_KEY(bloom_may_contain, i, b);
    return maybes;
}

/* ---- Filters ------------------------------------------------------------- */

/* Adds many keys, removes some (counting only), and merges a filter with a few
   more keys, at another address. */
static void fill(bloom *b, bloom_plan plan)
{
    unsigned n = (unsigned)(plan.cells / 16 & 0xFFFF) + 5, i;
    bloom *more = bloom_init(other + 3, sizeof other - 3, plan);
    ADD(bloom_add, 0, n, b);
    for (i = 1; i < n; i += 12)
        mix_number(bloom_remove_u64(b, number(i)));
    if (more) {
        ADD(bloom_add, n, n + 5, more);
        must(bloom_merge(b, more), "not merged");
    }
}

/* Looks up and adds keys, one at a time and many, at addresses 1 to 7 bytes off
   alignment. */
static void move(const unsigned char *image, size_t size)
{
    unsigned char *aligned = other + (8 - (uintptr_t)other % 8) % 8, *to;
    unsigned offset, i;
    uint64_t keys[20];
    bool maybe[20];
    bloom *b;
    for (offset = 1; offset < 8; offset++) {
        to = aligned + offset;
        for (i = 0; i < size; i++)
            to[i] = image[i];
        b = bloom_open(to, size, NULL);
        must(b, "a moved image is refused");
        if (!b)
            return;
        mix_number(found(b, 0));
        ADD(bloom_add, 6000, 6010, b);
        for (i = 0; i < 20; i++)
            keys[i] = number(6995 + i);
        bloom_add_many_u64(b, keys + 5, 10, NULL);
        mix_number(bloom_may_contain_many_u64(b, keys, 20, maybe));
        for (i = 0; i < 20; i++)
            mix_number(maybe[i]);
        bloom_seal(b);
        mix(to, size);
    }
}

static void one(bloom_plan plan)
{
    unsigned char *image = memory + (plan.hashes + plan.layout) % 8;
    const size_t size = bloom_plan_size(plan);
    bloom *b = bloom_init(image, sizeof memory - 7, plan);
    const bloom *view;
    if (!b)                         /* not in this build */
        return;
    fill(b, plan);
    bloom_seal(b);
    mix(image, size);
    view = bloom_view(image, size, NULL);
    must(view && bloom_verify(view) == BLOOM_OK, "a sealed image is refused");
    mix_number(bloom_ones(b));
    mix_number(found(b, 5000));
    if (plan.layout == BLOOM_BLOCKED && plan.hashes > 8)
        move(image, size);
    put_line(layouts[plan.layout], plan, "");
}

static void fold(bloom_plan plan, unsigned by)
{
#ifndef BLOOM_TINY
    unsigned char *image = memory + by % 8;
    bloom *b = bloom_init(image, sizeof memory - 7, plan);
    if (!b)
        return;
    fill(b, plan);
    must(bloom_fold(b, by), "a filter does not fold");
    bloom_seal(b);
    mix(image, bloom_size(b));
    put_line("fold", bloom_plan_of(b), layouts[plan.layout]);
#else
    (void)plan, (void)by;
#endif
}

static void all_filters(void)
{
    static const struct { uint16_t cells; uint8_t hashes; } shapes[] = {
        { 64, 1 }, { 128, 3 }, { 256, 8 }, { 576, 7 }, { 1024, 8 },
        { 2048, 64 }, { 8192, 8 }, { 768, 16 }, { 1280, 24 } };
    bloom_plan plan;
    unsigned s;
    for (plan.layout = 0; plan.layout < 3; plan.layout++)
        for (plan.hash_bits = 32; plan.hash_bits <= 64; plan.hash_bits *= 2) {
            for (s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
                plan.cells = shapes[s].cells;
                plan.hashes = shapes[s].hashes;
                plan.seed = s % 2 ? 0x0123456789ABCDEFU : 0;
                one(plan);
            }
            plan.cells = 1536;
            plan.seed = 0x0123456789ABCDEFU;
            plan.hashes = 8;
            fold(plan, 2);
            plan.hashes = 16;
            fold(plan, 3);
            fold(plan, 6);
        }
}

/* ---- Chains -------------------------------------------------------------- */

#ifdef WITH_CHAIN

/* Writes the chain's image to an odd address. */
static size_t save(const bloom_chain *c)
{
    if (!c || bloom_chain_size(c) > sizeof memory - 1)
        return 0;
    bloom_chain_write(c, memory + 1);
    return bloom_chain_size(c);
}

static void all_chains(void)
{
    bloom_plan like = { 0, 0xFEDCBA9876543210U, 0, 0, 64 };
    for (like.layout = 0; like.layout < 2; like.layout++) {
        bloom_chain *c = bloom_chain_create(4, 0.01, like), *loaded;
        bloom_error error = BLOOM_CORRUPT;
        if (c)
            ADD(bloom_chain_add, 0, 40, c);
        loaded = bloom_chain_load(memory + 1, save(c), &error);
        bloom_chain_free(c);
        must(loaded && error == BLOOM_OK, "a saved chain is refused");
        if (loaded) {
            ADD(bloom_chain_add, 30, 90, loaded);
            mix_number(bloom_chain_links(loaded));
            mix(memory + 1, save(loaded));
        }
        put_line("chain", like, layouts[like.layout]);
        bloom_chain_free(loaded);
    }
}

#else
static void all_chains(void) {}
#endif

/* ---- Windows ------------------------------------------------------------- */

static void one_window(bloom_window_plan plan)
{
    bloom_window *w = bloom_window_init(other + 3, sizeof other - 3, plan);
    bloom_error error = BLOOM_CORRUPT;
    size_t size, i;
    if (!w)                         /* not in this build */
        return;
    size = bloom_window_size(w);
    bloom_window_set_time(w, number(1), number(2));
    ADD(bloom_window_add, 0, 40, w);
    for (i = 0; i < size; i++)
        memory[1 + i] = other[3 + i];
    w = bloom_window_open(memory + 1, size, &error);
    must(w && error == BLOOM_OK, "a saved window is refused");
    if (w) {
        ADD(bloom_window_add, 30, 65, w);
        bloom_window_seal(w);
        ADD(bloom_window_add, 65, 70, w);
        mix(memory + 1, size);
    }
    put_line("window", plan.filter, layouts[plan.filter.layout]);
}

/* Time has ended one generation early, and one is empty. So there is room for
   two full ones, also where bloom.h cannot estimate how full the first is. */
static void full_before_time(void)
{
    const bloom_window_plan plan = { { 640, 0, 7, BLOOM_CLASSIC, 32 }, 10, 4 };
    bloom_window *w = bloom_window_init(other, sizeof other, plan);
    bool lost = bloom_window_advance(w, 1000, 30);
    ADD(bloom_window_add, 0, 5, w);
    lost |= bloom_window_advance(w, 1020, 30);
    ADD(bloom_window_add, 5, 15, w);
    lost |= bloom_window_advance(w, 1025, 30);
    ADD(bloom_window_add, 15, 25, w);
    lost |= bloom_window_advance(w, 1025, 30);
    must(!lost, "a window lost a key");
    put_line("window", plan.filter, "by time");
}

static void all_windows(void)
{
    bloom_window_plan plan = { { 256, 0xFEDCBA9876543210U, 8, 0, 0 }, 11, 5 };
    full_before_time();
    for (plan.filter.layout = 0; plan.filter.layout < 2; plan.filter.layout++) {
        plan.filter.hash_bits = 32;
        one_window(plan);
        plan.filter.hash_bits = 64;
        one_window(plan);
    }
}

/* ---- Slices -------------------------------------------------------------- */

static void one_slices(bloom_plan plan)
{
    enum { FILTERS = 70, HALF = 2048 };
    unsigned char *image = memory + 1;
    bloom_slices *s = bloom_slices_init(image, HALF, plan, FILTERS);
    bloom *b = bloom_init(other + 3, sizeof other - 3, plan);
    bloom_error error = BLOOM_CORRUPT;
    uint64_t who[4];
    uint32_t counts[FILTERS];
    bloom_hash h[11];
    size_t size;
    unsigned i;
    if (!s)                         /* not in this build */
        return;
    size = bloom_slices_size(s);
    for (i = 0; i < FILTERS; i++) {
        ADD(bloom_slices_add, i, i + 1, s, i);
        ADD(bloom_slices_add, i / 7, i / 7 + 1, s, i);
    }
    bloom_slices_seal(s);
    for (i = 0; i < size; i++)
        memory[HALF + i] = image[i];
    s = bloom_slices_open(memory + HALF, size, &error);
    must(s && bloom_slices_verify(s) == BLOOM_OK, "saved slices are refused");
    if (s) {
        must(bloom_slices_get(s, 69, b) && bloom_slices_put(s, 64, b),
             "a filter of the same plan is refused");
        bloom_slices_clear_filter(s, 66);
        bloom_slices_seal(s);
        mix(memory + HALF, size);
        for (i = 0; i < 11; i++)
            h[i] = i % 2 ? bloom_slices_hash_u64(s, number(i)) : hash(i);
        h[0] = bloom_slices_hash_key(s, NULL, 0);       /* key 0 */
        mix_number(bloom_slices_find_u64(s, number(1), who));
        mix_number(bloom_slices_find_all(s, h, 2, who + 2));
        for (i = 0; i < 4; i++)
            mix_number(who[i]);
        bloom_slices_count(s, h, 11, counts);
        for (i = 0; i < FILTERS; i++)
            mix_number(counts[i]);
    }
    put_line("slices", plan, "");
}

static void all_slices(void)
{
#if !defined __AVR__ || defined BLOOM_TINY  /* too little RAM for the others */
    bloom_plan plan = { 64, 0xFEDCBA9876543210U, 3, BLOOM_CLASSIC, 32 };
    one_slices(plan);
    plan.hash_bits = 64;
    one_slices(plan);
#else
    (void)one_slices;
#endif
}

/* ---- Keyed hashes, plans ------------------------------------------------- */

static const bloom_plan no_plan = { 0, 0, 0, 0, 0 };

static void mix_hash(bloom_hash h)
{
    mix_number(h.h1);
    mix_number(h.h2);
}

static void all_keyed(void)
{
    unsigned char secret[17];
    size_t size;
    unsigned i;
    for (i = 0; i < sizeof secret; i++)
        secret[i] = (unsigned char)(i * 77 % 256);
    for (i = 0; i < 41; i++) {
        const void *key = bytes(i, &size);
        mix_hash(bloom_keyed_hash(secret + 1, key, size));
    }
    for (i = 0; i < 9; i++)
        mix_hash(bloom_keyed_u64(secret + 1, number(i)));
    put_line("keyed", no_plan, "hashes");
}

static void mix_plan(bloom_plan plan)
{
    mix_number(plan.cells);
    mix_number(plan.hashes);
}

static void all_plans(void)
{
    static const uint32_t ones_in[] = { 2, 7, 100, 1000, 1000000, 1000000000 };
    static const bloom_plan constant = BLOOM_PLAN(1000, 100);
    uint64_t n;
    unsigned i, real;
    mix_plan(constant);
    for (real = 0; real < 2; real++) {
        for (n = 1; n >> 42 == 0; n = n * 13 + 1)
            for (i = 0; i < sizeof ones_in / sizeof ones_in[0]; i++) {
                if (!real)
                    mix_plan(bloom_plan_one_in(n, ones_in[i]));
#ifndef BLOOM_NO_FLOAT
                else
                    mix_plan(bloom_plan_for(n, 1.0 / ones_in[i]));
#endif
            }
        put_line("plan", no_plan, real ? "real" : "ints");
#ifdef BLOOM_NO_FLOAT
        break;
#endif
    }
}

int main(void)
{
    digest = 0xCBF29CE484222325U;
    all_plans();
    all_filters();
    all_chains();
    all_windows();
    all_slices();
    all_keyed();
    return failed;
}
