/* Fuzz target: any bytes as the image of a scalable filter (BLC), of a sliding
   window (BLW) or of slices (BLS). What is accepted must stay within its bytes,
   find each key that is added, and have the same bytes when it is opened again.
   Images in mapped files may come from a process that was killed: what is
   repaired must lose no key, and be safe to use.
   The input is the image; its last bytes are also the keys.

   fuzz: length=1024 */

#define FUZZ_SCARCE
#include "fuzz.h"
#include "examples/companions/bloom_chain.h"
#include "examples/companions/bloom_slices.h"
#include "examples/companions/bloom_window.h"

enum { KEYS = 24, FILTERS = MOST };
static yard here;
static unsigned blocks;

static void store(unsigned char *to, uint64_t number)
{
    unsigned i;
    for (i = 0; i < 8; i++)
        to[i] = (unsigned char)(number >> 8 * i & 255);
}

/* The head of a chain may ask for a next link of any size. */
static void *scarce_malloc(size_t size)
{
    void *made = size > 8 * MOST ? NULL : malloc(size);
    blocks += made != NULL;
    return made;
}

static void scarce_free(void *old)
{
    blocks -= old != NULL;
    free(old);
}

/* A copy of the image. Its last byte decides on the alignment, and on whether
   the check of a window's header is made right. */
static unsigned char *copy_of(const unsigned char *image, size_t size)
{
    unsigned char *at = place(&here, image[size - 1], size);
    const bloom *first;
    memcpy(at, image, size);
    if (image[size - 1] % 2 == 0 && size > BLOOM_WINDOW_HEADER_SIZE
        && memcmp(at, "BLW", 3) == 0
        && (first = bloom_view(at + BLOOM_WINDOW_HEADER_SIZE,
                               size - BLOOM_WINDOW_HEADER_SIZE, NULL)) != NULL) {
        unsigned char header[40];       /* at rest: bytes 6 and 7 are zero */
        memcpy(header, at, 40);
        header[6] = header[7] = 0;
        store(at + 40, bloom_hash_key(first, header, 40).h1);
    }
    return at;
}

static void use_chain(const unsigned char *image, size_t size,
                      const uint64_t *keys)
{
    bloom_error error = BLOOM_CORRUPT, seal;
    bloom_chain *c = bloom_chain_load(copy_of(image, size), size, &error), *d;
    static unsigned char saved[64 * MOST];
    bool known[KEYS];
    unsigned i;
    must(c || error != BLOOM_OK);
    must(error == BLOOM_NO_MEMORY || error == chain_verdict(image, size));
    if (!c)
        return;
    seal = bloom_chain_verify(c);
    bloom_chain_may_contain_many_u64(c, keys, KEYS, known);
    for (i = 0; i < KEYS; i++)
        must(known[i] == bloom_chain_may_contain_u64(c, keys[i]));
    for (i = 0; i < KEYS; i++)
        must(!bloom_chain_add_u64(c, keys[i]) || !known[i]);
    must(bloom_chain_may_contain_many_u64(c, keys, KEYS, NULL) == KEYS);
    must(bloom_chain_fpr(c) >= 0 && bloom_chain_fpr(c) <= 1);
    bloom_chain_estimate(c);
    bloom_chain_seal(c);                    /* a wrong seal stays wrong */
    must(bloom_chain_verify(c) == BLOOM_OK || seal == BLOOM_CORRUPT);
    size = bloom_chain_size(c);
    must(size <= sizeof saved);
    bloom_chain_write(c, saved);
    d = bloom_chain_load(saved, size, &error);
    must(d || error == BLOOM_NO_MEMORY);
    if (d) {
        must(bloom_chain_size(d) == size);
        must(bloom_chain_may_contain_many_u64(d, keys, KEYS, NULL) == KEYS);
    }
    bloom_chain_free(d);
    bloom_chain_free(c);
}

/* A chain in memory of its own, as in a mapped file. Only the newest link and
   bytes after it may change. */
static void use_open_chain(const unsigned char *image, size_t size,
                           const uint64_t *keys)
{
    bloom_error error = BLOOM_CORRUPT;
    unsigned char *at = copy_of(image, size), head[32];
    static uint64_t next[MOST / 8];             /* aligned */
    bloom_chain *c = bloom_chain_open(at, size, &error);
    bool known[KEYS];
    unsigned links, i;
    must((c != NULL) == (error == BLOOM_OK));
    must(c || error == BLOOM_NO_MEMORY || chain_verdict(image, size) != BLOOM_OK);
    if (!c)
        return;
    must(memcmp(at, image, size) == 0);
    must(bloom_chain_size(c) <= size);
    links = bloom_chain_links(c);
    bloom_chain_may_contain_many_u64(c, keys, KEYS, known);
    bloom_chain_unseal(c);
    bloom_chain_head(c, head);
    memcpy(at, head, sizeof head);
    for (i = 0; i < KEYS; i++) {
        bloom_plan plan = bloom_chain_next(c);
        if (bloom_chain_room(c) == 0 && bloom_chain_links(c) == links
            && bloom_plan_size(plan) > 0 && bloom_plan_size(plan) <= MOST)
            bloom_chain_append(c, bloom_init(next, MOST, plan));
        must(!bloom_chain_add_u64(c, keys[i]) || !known[i]);
    }
    must(bloom_chain_may_contain_many_u64(c, keys, KEYS, NULL) == KEYS);
    i = bloom_chain_links(c);
    bloom_chain_free(c);
    c = i == links ? bloom_chain_open(at, size, &error) : NULL;
    must(i > links || c || error == BLOOM_NO_MEMORY);
    must(!c || bloom_chain_may_contain_many_u64(c, keys, KEYS, NULL) == KEYS);
    bloom_chain_free(c);
}

/* Is the key in the window of these bytes? While generation i and the one before
   it, counted from the newest, exchange their cells ('S'), a key may have some
   in each. */
static bool was_in(const unsigned char *image, uint64_t key)
{
    const unsigned char *first = image + BLOOM_WINDOW_HEADER_SIZE, *other;
    const size_t each = bloom_image_size(first, NULL);
    const unsigned g = image[4], i = g + image[5] - image[6];
    static unsigned char cells[MOST];
    const bloom *b;
    unsigned j;
    size_t at;
    for (j = 0; j < g; j++) {
        memcpy(cells, first + j * each, each);
        other = first + (i + 1) % g * each;
        for (at = 32; image[7] == 'S' && j == i % g && at < each; at++)
            cells[at] |= other[at];
        b = bloom_view(cells, each, NULL);      /* NULL: the window is new */
        if (b && bloom_may_contain_u64(b, key))
            return true;
    }
    return false;
}

static void use_open_window(bloom_window *w, const uint64_t *keys)
{
    const bloom_error seal = bloom_window_verify(w);
    const size_t size = bloom_window_size(w);
    const unsigned g = bloom_window_plan_of(w).generations;
    unsigned i;
    for (i = 0; i < g; i++)
        must(bloom_window_generation(w, i) != NULL);
    must(!bloom_window_generation(w, g));
    bloom_window_advance(w, keys[0], 1 + keys[1] % 100);
    for (i = 0; i < KEYS; i++) {
        bool known = bloom_window_may_contain_u64(w, keys[i]);
        must(bloom_window_add_u64(w, keys[i]) || known);    /* it may step */
        must(bloom_window_may_contain_u64(w, keys[i]));
    }
    must(bloom_window_fpr(w) >= 0 && bloom_window_fpr(w) <= 1);
    bloom_window_estimate(w);
    bloom_window_seal(w);
    must(bloom_window_verify(w) == BLOOM_OK || seal == BLOOM_CORRUPT);
    must(bloom_window_open(w, size, NULL) == w);
    for (i = 0; i < g; i++)
        bloom_window_step(w);
    must(!bloom_window_may_contain_u64(w, keys[0]));
}

/* bloom_window_open accepts what bloom_window_view does and, if a letter in byte
   7 or 63 says that a change was interrupted, it ends the change: no generation loses
   a key. After an error nothing has changed. */
static void use_window(const unsigned char *image, size_t size,
                       const uint64_t *keys)
{
    bloom_error error = BLOOM_CORRUPT, again = BLOOM_CORRUPT;
    unsigned char *at = copy_of(image, size);
    static unsigned char saved[MOST];
    const bool whole = bloom_window_view(at, size, &again) != NULL;
    bloom_window *w;
    unsigned i;
    memcpy(saved, at, size);
    w = bloom_window_open(at, size, &error);
    must((w != NULL) == (error == BLOOM_OK));
    must(error == again || (!whole && size > 63
                            && (image[7] != 0 || image[63] == 'C')));
    must(w || memcmp(saved, at, size) == 0);
    if (!w)
        return;
    must(bloom_window_view(at, size, NULL) == w);
    size = bloom_window_size(w);
    must(bloom_window_image_size(at, NULL) == size);
    for (i = 0; i < KEYS; i++)
        must(bloom_window_may_contain_u64(w, keys[i])
             == was_in(saved, keys[i]));
    memcpy(saved, at, size);
    at = memcpy(place(&here, keys[0] & 15, size), saved, size);
    must(!bloom_window_open(at, size - 1, NULL));   /* nothing follows it */
    use_open_window(bloom_window_open(at, size, NULL), keys);
}

/* A mapped file: the bytes are those of this window, perhaps interrupted, or the
   beginning of a new one. */
static void resume_window(const unsigned char *image, size_t size,
                          const uint64_t *keys)
{
    bloom_error error = BLOOM_CORRUPT;
    unsigned char *at = copy_of(image, size);
    bloom_window_plan plan = bloom_window_plan_for(9, 0.3, 3, BLOOM_CLASSIC);
    static unsigned char saved[MOST];
    bloom_window *w;
    unsigned i;
    if (keys[0] % 3 == 0)
        plan.filter.cells = 0;                  /* any plan */
    memcpy(saved, at, size);
    w = bloom_window_resume(at, size, plan, &error);
    must((w != NULL) == (error == BLOOM_OK));
    if (!w)
        return;
    for (i = 0; i < KEYS; i++)
        must(bloom_window_may_contain_u64(w, keys[i])
             || !was_in(saved, keys[i]));
    for (i = 0; i < bloom_window_plan_of(w).generations; i++)
        must(bloom_verify(bloom_window_generation(w, i)) == BLOOM_UNSEALED);
    use_open_window(w, keys);
}

static void use_slices(const unsigned char *image, size_t size,
                       const uint64_t *keys)
{
    bloom_error error = BLOOM_CORRUPT, again = BLOOM_CORRUPT;
    unsigned char *at = copy_of(image, size);
    bloom_slices *s = bloom_slices_open(at, size, &error);
    static uint64_t who[FILTERS / 64 + 1];
    static uint32_t counts[FILTERS];
    uint64_t filters, i;
    must(bloom_slices_view(at, size, &again) == s && again == error);
    must((s != NULL) == (error == BLOOM_OK));
    if (!s || (filters = bloom_slices_filters(s)) > FILTERS)
        return;
    size = bloom_slices_size(s);
    must(bloom_slices_image_size(at, NULL) == size);
    at = copy_of(image, size);
    must(!bloom_slices_open(at, size - 1, NULL));
    s = bloom_slices_open(at, size, NULL);
    bloom_slices_verify(s);
    for (i = 0; i < KEYS; i++) {
        const uint64_t f = keys[i] % filters;
        const bloom_hash h = bloom_slices_hash_u64(s, keys[i]);
        bool known;
        bloom_slices_find_u64(s, keys[i], who);
        known = who[f / 64] >> f % 64 & 1;
        must(bloom_slices_add_u64(s, f, keys[i]) == !known);
        must(bloom_slices_find_all(s, &h, 1, who) > 0);
        must(who[f / 64] >> f % 64 & 1);
        bloom_slices_count(s, &h, 1, counts);
        must(counts[f] == 1);
    }
    must(!bloom_slices_add_u64(s, filters, keys[0]));
    bloom_slices_seal(s);
    must(bloom_slices_verify(s) == BLOOM_OK);
    must(bloom_slices_open(at, size, NULL) == s);
    bloom_slices_clear_filter(s, keys[0] % filters);
    bloom_slices_find_u64(s, keys[0], who);
    must(!(who[keys[0] % filters / 64] >> keys[0] % filters % 64 & 1));
}

static void run_one(input in)
{
    size_t size = (size_t)(in.end - in.at);
    uint64_t keys[KEYS];
    unsigned i;
    if (size < 8 || size > MOST)
        return;
    for (i = 0; i < KEYS; i++)
        keys[i] = little_endian(in.end - 8) * (2 * i + 1) + i / 2;
    use_chain(in.at, size, keys);
    use_open_chain(in.at, size, keys);
    use_window(in.at, size, keys);
    resume_window(in.at, size, keys);
    use_slices(in.at, size, keys);
    must(blocks == 0);
}
