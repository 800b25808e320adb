/* Tests that a filter has the same bytes on every machine. This program adds
   the same keys to filters of each layout and width of this build, and prints
   their images, answers and plans. `make cross` runs it on each machine and
   compares the output with the host's. A difference means that images of that
   machine cannot be used elsewhere.
   Whether the host is right is for ../unit/images.c to say. Most machines run
   test.c and not unit/: there, only this program notices different counters,
   blocks, folded filters, windows, slices, and hashes of width 64.

       plan ints N ONE_IN: CELLS HASHES        by integers, in every build
       plan real N 1/p: CELLS HASHES           by floating point
       LAYOUT WIDTH image CELLS HASHES SEED    then the sealed image:
       LAYOUT WIDTH OFFSET: 32 BYTES ...
       LAYOUT WIDTH answers: ONES MAYBES       lookups of 64 keys, few present
       LAYOUT WIDTH OFFSET moved: MAYBES SEAL  the same filter used at addresses
                                               1 to 7 bytes off alignment
       fold LAYOUT image WIDTH CELLS           a folded filter
       fold LAYOUT OFFSET: 32 BYTES ...
       chain LAYOUT image LINKS                a chain that was saved, loaded
       chain LAYOUT OFFSET: 32 BYTES ...       and grown
       window WIDTH image LAYOUT               a window that was copied, opened
       window WIDTH OFFSET: 32 BYTES ...       and filled
       window 32 image by time                 a window whose generations are
       window 32 lost none                     full before their time
       slices WIDTH image FILTERS              70 filters, saved and opened
       slices WIDTH OFFSET: 32 BYTES ...
       slices WIDTH found: HOW MANY, WHO       which may contain a key, and two
       slices WIDTH counts: 70 NUMBERS
       keyed hash image                        the keyed hashes of 41 keys, and
       keyed hash SIZE: H1 H2                  of integers
       keyed hash integer: H1 H2

   The first two words of a line determine which builds print it: BLOOM_TINY has
   only "plan ints", "classic 32", "window 32", "slices 32" and "keyed hash". An
   AVR prints "slices" with BLOOM_TINY only. All numbers are hexadecimal. With
   GOLDEN_WASM the program needs no libc, only a put_character from outside. */
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

static void put_name(bloom_plan plan)
{
    put(layouts[plan.layout]);
    put(plan.hash_bits == 64 ? " 64 " : " 32 ");
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

static void add(bloom *b, unsigned i)
{
    size_t size;
    const void *key = bytes(i, &size);
    if (i % 3 == 0)
        bloom_add(b, key, size);
    else if (i % 3 == 1)
        bloom_add_u64(b, number(i));
    else
        bloom_add_hash(b, hash(i));
}

static bool may_contain(const bloom *b, unsigned i)
{
    size_t size;
    const void *key = bytes(i, &size);
    return i % 3 == 0 ? bloom_may_contain(b, key, size)
         : i % 3 == 1 ? bloom_may_contain_u64(b, number(i))
                      : bloom_may_contain_hash(b, hash(i));
}

/* ---- Images -------------------------------------------------------------- */

/* Adds many keys, removes some (counting only), and merges a filter with a few
   more keys, at another address. */
static void fill(bloom *b, bloom_plan plan)
{
    unsigned n = (unsigned)(plan.cells / 16 & 0xFFFF) + 5, i;
    bloom *more = bloom_init(other + 3, sizeof other - 3, plan);
    for (i = 0; i < n; i++)
        add(b, i);
    for (i = 1; i < n; i += 12)
        bloom_remove_u64(b, number(i));
    if (!more)
        return;
    for (i = n; i < n + 5; i++)
        add(more, i);
    if (!bloom_merge(b, more))
        put("not merged ");
}

static void put_chain_name(bloom_plan plan)
{
    put("chain ");
    put(layouts[plan.layout]);
    put(" ");
}

static void put_fold_name(bloom_plan plan)
{
    put("fold ");
    put(layouts[plan.layout]);
    put(" ");
}

typedef void put_first(bloom_plan plan);

static void put_image(put_first *put_first_words, bloom_plan plan,
                      const unsigned char *image, size_t size)
{
    size_t i;
    for (i = 0; i < size; i++) {
        if (i % 32 == 0) {
            put_first_words(plan);
            put_hex(i, 4);
            put(": ");
        }
        put_hex(image[i], 2);
        if (i % 32 == 31 || i == size - 1)
            put("\n");
    }
}

/* Looks up and adds keys, one at a time and many */
static void use_moved(bloom *b, unsigned offset)
{
    uint64_t keys[20];
    bool maybe[20];
    unsigned i, maybes = 0;
    for (i = 0; i < 64; i++)
        maybes += may_contain(b, i);
    for (i = 0; i < 10; i++)
        add(b, 6000 + i);
    for (i = 0; i < 20; i++)
        keys[i] = number(6995 + i);
    bloom_add_many_u64(b, keys + 5, 10, NULL);
    maybes += (unsigned)bloom_may_contain_many_u64(b, keys, 20, maybe);
    for (i = 0; i < 20; i++)
        maybes += maybe[i];
    bloom_seal(b);
    put_name(bloom_plan_of(b));
    put_hex(offset, 1);
    put(" moved: ");
    put_hex(maybes, 2);
    put(" ");
}

static void move(const unsigned char *image, size_t size)
{
    unsigned char *aligned = other + (8 - (uintptr_t)other % 8) % 8, *to;
    unsigned offset;
    size_t i;
    bloom *b;
    for (offset = 1; offset < 8; offset++) {
        to = aligned + offset;
        for (i = 0; i < size; i++)
            to[i] = image[i];
        b = bloom_open(to, size, NULL);
        if (!b) {
            put("FAILED: a moved image is refused\n");
            return;
        }
        use_moved(b, offset);
        for (i = 24; i < 32; i++)
            put_hex(to[i], 2);
        put("\n");
    }
}

static void one(bloom_plan plan)
{
    unsigned char *image = memory + (plan.hashes + plan.layout) % 8;
    size_t size = bloom_plan_size(plan);
    bloom *b = bloom_init(image, sizeof memory - 7, plan);
    const bloom *view;
    unsigned i, maybes = 0;
    if (!b)                         /* not in this build */
        return;
    fill(b, plan);
    bloom_seal(b);
    put_name(plan);
    put("image ");
    put_hex(plan.cells, 4);
    put(" ");
    put_hex(plan.hashes, 2);
    put(" ");
    put_hex(plan.seed, 16);
    put("\n");
    put_image(put_name, plan, image, size);
    view = bloom_view(image, size, NULL);
    if (!view || bloom_verify(view) != BLOOM_OK) {
        put("FAILED: a sealed image is refused\n");
        return;
    }
    for (i = 0; i < 64; i++)
        maybes += may_contain(view, 5000 + i);
    put_name(plan);
    put("answers: ");
    put_hex(bloom_ones(view), 4);
    put(" ");
    put_hex(maybes, 2);
    put("\n");
    if (plan.layout == BLOOM_BLOCKED && plan.hashes > 8)
        move(image, size);
}

static void all_images(void)
{
    static const struct { uint16_t cells; uint8_t hashes; } shapes[] = {
        { 64, 1 }, { 128, 3 }, { 256, 8 }, { 576, 7 }, { 1024, 8 },
        { 2048, 64 }, { 8192, 8 }, { 768, 16 }, { 1280, 24 } };
    bloom_plan plan;
    unsigned s;
    for (plan.layout = 0; plan.layout < 3; plan.layout++)
        for (plan.hash_bits = 32; plan.hash_bits <= 64; plan.hash_bits *= 2)
            for (s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
                plan.cells = shapes[s].cells;
                plan.hashes = shapes[s].hashes;
                plan.seed = s % 2 ? 0x0123456789ABCDEFU : 0;
                one(plan);
            }
}

/* ---- Folded filters ------------------------------------------------------ */

#ifndef BLOOM_TINY

static void one_fold(bloom_plan plan, unsigned by)
{
    unsigned char *image = memory + by % 8;
    bloom *b = bloom_init(image, sizeof memory - 7, plan);
    if (!b)
        return;
    fill(b, plan);
    if (!bloom_fold(b, by)) {
        put("FAILED: a filter does not fold\n");
        return;
    }
    bloom_seal(b);
    plan = bloom_plan_of(b);
    put_fold_name(plan);
    put("image ");
    put_hex(plan.hash_bits, 2);
    put(" ");
    put_hex(plan.cells, 4);
    put("\n");
    put_image(put_fold_name, plan, image, bloom_plan_size(plan));
}

static void all_folds(void)
{
    static const uint8_t by[] = { 2, 3, 6 };
    bloom_plan plan = { 1536, 0x0123456789ABCDEFU, 0, 0, 0 };
    unsigned i;
    for (plan.layout = 0; plan.layout < 3; plan.layout++)
        for (plan.hash_bits = 32; plan.hash_bits <= 64; plan.hash_bits *= 2)
            for (i = 0; i < sizeof by; i++) {
                plan.hashes = (uint8_t)(i == 0 ? 8 : 16);
                one_fold(plan, by[i]);
            }
}

#else
static void all_folds(void)
{
    (void)put_fold_name;
}
#endif

/* ---- Chains -------------------------------------------------------------- */

#ifdef WITH_CHAIN

static void add_to_chain(bloom_chain *c, unsigned from, unsigned to)
{
    size_t size;
    for (; c && from < to; from++) {
        const void *key = bytes(from, &size);
        if (from % 3 == 0)
            bloom_chain_add(c, key, size);
        else if (from % 3 == 1)
            bloom_chain_add_u64(c, number(from));
        else
            bloom_chain_add_hash(c, hash(from));
    }
}

/* Writes the chain's image to an odd address. */
static size_t save(const bloom_chain *c)
{
    if (bloom_chain_size(c) > sizeof memory - 1)
        return 0;
    bloom_chain_write(c, memory + 1);
    return bloom_chain_size(c);
}

static void one_chain(bloom_plan like)
{
    bloom_chain *c = bloom_chain_create(4, 0.01, like), *loaded;
    bloom_error error = BLOOM_CORRUPT;
    size_t size;
    add_to_chain(c, 0, 40);
    size = c ? save(c) : 0;
    bloom_chain_free(c);
    loaded = bloom_chain_load(memory + 1, size, &error);
    if (!loaded || error != BLOOM_OK) {
        put("FAILED: a saved chain is refused\n");
        return;
    }
    add_to_chain(loaded, 30, 90);
    put_chain_name(like);
    put("image ");
    put_hex(bloom_chain_links(loaded), 2);
    put("\n");
    size = save(loaded);
    put_image(put_chain_name, like, memory + 1, size);
    bloom_chain_free(loaded);
}

static void all_chains(void)
{
    bloom_plan like = { 0, 0xFEDCBA9876543210U, 0, 0, 64 };
    for (like.layout = 0; like.layout < 2; like.layout++)
        one_chain(like);
}

#else
static void all_chains(void)
{
    (void)put_chain_name;
}
#endif

/* ---- Windows ------------------------------------------------------------- */

static void put_window_name(bloom_plan plan)
{
    put(plan.hash_bits == 64 ? "window 64 " : "window 32 ");
}

static void add_to_window(bloom_window *w, unsigned from, unsigned to)
{
    size_t size;
    for (; from < to; from++) {
        const void *key = bytes(from, &size);
        if (from % 3 == 0)
            bloom_window_add(w, key, size);
        else if (from % 3 == 1)
            bloom_window_add_u64(w, number(from));
        else
            bloom_window_add_hash(w, hash(from));
    }
}

static void one_window(bloom_window_plan plan)
{
    bloom_window *w = bloom_window_init(other + 3, sizeof other - 3, plan);
    bloom_error error = BLOOM_CORRUPT;
    size_t size, i;
    if (!w)                         /* not in this build */
        return;
    size = bloom_window_size(w);
    bloom_window_set_time(w, number(1), number(2));
    add_to_window(w, 0, 40);
    for (i = 0; i < size; i++)
        memory[1 + i] = other[3 + i];
    w = bloom_window_open(memory + 1, size, &error);
    if (!w || error != BLOOM_OK) {
        put("FAILED: a saved window is refused\n");
        return;
    }
    add_to_window(w, 30, 65);
    bloom_window_seal(w);
    add_to_window(w, 65, 70);
    put_window_name(plan.filter);
    put("image ");
    put(layouts[plan.filter.layout]);
    put("\n");
    put_image(put_window_name, plan.filter, memory + 1, size);
}

/* Time has ended one generation early, and one is empty. So there is room for
   two full ones, also where bloom.h cannot estimate how full the first is. */
static void full_before_time(void)
{
    const bloom_window_plan plan = { { 640, 0, 7, BLOOM_CLASSIC, 32 }, 10, 4 };
    bloom_window *w = bloom_window_init(other, sizeof other, plan);
    bool lost = bloom_window_advance(w, 1000, 30);
    add_to_window(w, 0, 5);
    lost |= bloom_window_advance(w, 1020, 30);
    add_to_window(w, 5, 15);
    lost |= bloom_window_advance(w, 1025, 30);
    add_to_window(w, 15, 25);
    lost |= bloom_window_advance(w, 1025, 30);
    put("window 32 image by time\n");
    put(lost ? "window 32 lost a key\n" : "window 32 lost none\n");
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

static void put_slices_name(bloom_plan plan)
{
    put(plan.hash_bits == 64 ? "slices 64 " : "slices 32 ");
}

static void put_found(bloom_plan plan, uint64_t found, const uint64_t *who)
{
    put_slices_name(plan);
    put("found: ");
    put_hex(found, 2);
    put(" ");
    put_hex(who[1], 16);
    put_hex(who[0], 16);
    put("\n");
}

static void add_to_slices(bloom_slices *s, unsigned filter, unsigned key)
{
    size_t size;
    const void *text = bytes(key, &size);
    if (key % 3 == 0)
        bloom_slices_add(s, filter, text, size);
    else if (key % 3 == 1)
        bloom_slices_add_u64(s, filter, number(key));
    else
        bloom_slices_add_hash(s, filter, hash(key));
}

static void one_slices(bloom_plan plan)
{
    enum { FILTERS = 70, HALF = 2048 };
    unsigned char *image = memory + 1;
    bloom_slices *s = bloom_slices_init(image, HALF, plan, FILTERS);
    bloom *b = bloom_init(other + 3, sizeof other - 3, plan);
    bloom_error error = BLOOM_CORRUPT;
    uint64_t who[2];
    uint32_t counts[FILTERS];
    bloom_hash h[11];
    size_t size, i;
    if (!s)                         /* not in this build */
        return;
    size = bloom_slices_size(s);
    for (i = 0; i < FILTERS; i++) {
        add_to_slices(s, (unsigned)i, (unsigned)i);
        add_to_slices(s, (unsigned)i, (unsigned)i / 7);
    }
    bloom_slices_seal(s);
    for (i = 0; i < size; i++)
        memory[HALF + i] = image[i];
    s = bloom_slices_open(memory + HALF, size, &error);
    if (!s || bloom_slices_verify(s) != BLOOM_OK) {
        put("FAILED: saved slices are refused\n");
        return;
    }
    if (!bloom_slices_get(s, 69, b) || !bloom_slices_put(s, 64, b))
        put("FAILED: a filter of the same plan is refused\n");
    bloom_slices_clear_filter(s, 66);
    bloom_slices_seal(s);
    put_slices_name(plan);
    put("image 46\n");
    put_image(put_slices_name, plan, memory + HALF, size);
    for (i = 0; i < 11; i++)
        h[i] = i % 2 ? bloom_slices_hash_u64(s, number((unsigned)i))
                     : hash((unsigned)i);
    h[0] = bloom_slices_hash_key(s, NULL, 0);       /* key 0 */
    put_found(plan, bloom_slices_find_u64(s, number(1), who), who);
    put_found(plan, bloom_slices_find_all(s, h, 2, who), who);
    bloom_slices_count(s, h, 11, counts);
    put_slices_name(plan);
    put("counts:");
    for (i = 0; i < FILTERS; i++) {
        put(" ");
        put_hex(counts[i], 1);
    }
    put("\n");
}

static void all_slices(void)
{
    bloom_plan plan = { 64, 0xFEDCBA9876543210U, 3, BLOOM_CLASSIC, 32 };
    one_slices(plan);
    plan.hash_bits = 64;
    one_slices(plan);
}

/* ---- Keyed hashes -------------------------------------------------------- */

static void put_hash(const char *what, unsigned size, bloom_hash h)
{
    put("keyed hash ");
    put(what);
    put_hex(size, 2);
    put(": ");
    put_hex(h.h1, 16);
    put(" ");
    put_hex(h.h2, 16);
    put("\n");
}

static void all_keyed(void)
{
    unsigned char secret[17];
    size_t size;
    unsigned i;
    for (i = 0; i < sizeof secret; i++)
        secret[i] = (unsigned char)(i * 77 % 256);
    put("keyed hash image\n");
    for (i = 0; i < 41; i++) {
        const void *key = bytes(i, &size);
        put_hash("", (unsigned)size, bloom_keyed_hash(secret + 1, key, size));
    }
    for (i = 0; i < 9; i++)
        put_hash("integer ", i, bloom_keyed_u64(secret + 1, number(i)));
}

/* ---- Plans --------------------------------------------------------------- */

static void put_plan(const char *how, uint64_t n, uint32_t one_in,
                     bloom_plan plan)
{
    put("plan ");
    put(how);
    put(" ");
    put_hex(n, 11);
    put(" ");
    put_hex(one_in, 8);
    put(": ");
    put_hex(plan.cells, 12);
    put(" ");
    put_hex(plan.hashes, 2);
    put("\n");
}

static void all_plans(void)
{
    static const uint32_t ones_in[] = { 2, 7, 100, 1000, 1000000, 1000000000 };
    static const bloom_plan constant = BLOOM_PLAN(1000, 100);
    uint64_t n;
    unsigned i;
    put_plan("ints", 1000, 100, constant);
    for (n = 1; n >> 42 == 0; n = n * 13 + 1)
        for (i = 0; i < sizeof ones_in / sizeof ones_in[0]; i++) {
            put_plan("ints", n, ones_in[i], bloom_plan_one_in(n, ones_in[i]));
#ifndef BLOOM_NO_FLOAT
            put_plan("real", n, ones_in[i],
                     bloom_plan_for(n, 1.0 / ones_in[i]));
#endif
        }
}

int main(void)
{
    all_plans();
    all_images();
    all_folds();
    all_chains();
    all_windows();
#if !defined __AVR__ || defined BLOOM_TINY  /* too little RAM for the others */
    all_slices();
#endif
    all_keyed();
    return 0;
}
