/* Fuzz target: random calls on a scalable Bloom filter (bloom_chain.h) against
   the set of its keys, any bytes as its image, and memory that runs out (see
   fuzz.h). No added key may be lost, and a loaded chain must go on as the saved
   one does. */

#define FUZZ_SCARCE
#include "fuzz.h"
#include "fuzz_memory.h"
#include "examples/companions/bloom_chain.h"

enum { KEYS = 256, STORE = 1 << 15 };

/* The allocator refuses filters that are larger than any image here, and
   everything once calls_left is 0. scarce: it may have refused the memory of a
   link. */
static unsigned calls_left;
static bool scarce;

static void *scarce_malloc(size_t size)
{
    if (size > STORE || calls_left == 0)
        return NULL;
    calls_left--;
    return take_memory(size);
}

static void scarce_free(void *old)
{
    free_memory(old);
}

typedef struct arguments { uint64_t n; double p; bloom_layout layout; }
    arguments;

static const char text[] = "the quick brown fox jumps over the lazy dog";

static bool look(const bloom_chain *c, unsigned key)
{
    bloom_hash h;
    if (key % 3 == 0)
        return bloom_chain_may_contain(c, text, key / 3 % sizeof text);
    if (key % 3 == 1)
        return bloom_chain_may_contain_u64(c, key);
    h = bloom_hash_u64(bloom_chain_link(c, 0), key);
    return bloom_chain_may_contain_hash(c, h);
}

static bool put(bloom_chain *c, unsigned key)
{
    bloom_hash h;
    if (key % 3 == 0)
        return bloom_chain_add(c, text, key / 3 % sizeof text);
    if (key % 3 == 1)
        return bloom_chain_add_u64(c, key);
    h = bloom_hash_u64(bloom_chain_link(c, 0), key);
    return bloom_chain_add_hash(c, h);
}

static void check_links(const bloom_chain *c, bloom_layout layout)
{
    unsigned i, links = bloom_chain_links(c);
    bloom_plan first = bloom_plan_of(bloom_chain_link(c, 0));
    must(links >= 1 && links <= 64 && !bloom_chain_link(c, links));
    for (i = 0; i < links; i++) {
        const bloom *b = bloom_chain_link(c, i);
        bloom_plan plan = bloom_plan_of(b);
        must(bloom_view(b, bloom_size(b), NULL) == b);
        must(plan.layout == layout && plan.seed == first.seed
             && plan.hash_bits == 64);
    }
}

/* Writes the chain's image to `store`. Returns its size, or 0 if it is too
   large. */
static size_t save(const bloom_chain *c, unsigned char *store)
{
    const size_t size = bloom_chain_size(c);
    if (size > STORE)
        return 0;
    bloom_chain_write(c, store);
    return size;
}

/* bloom_chain_load must refuse the chain's image if it is truncated, if its
   head has another layout, or if a link has another seed. */
static void refuse(const bloom_chain *c, size_t cut)
{
    static unsigned char store[STORE + 1];
    size_t size = save(c, store + 1);
    if (size == 0)
        return;
    must(!bloom_chain_load(store + 1, size - 1, NULL));
    must(!bloom_chain_load(store + 1, cut * 8 % size, NULL));
    store[5] ^= 1;
    must(!bloom_chain_load(store + 1, size, NULL));
    store[5] ^= 1;
    store[1 + 32 + 16] ^= 1;
    must(bloom_chain_links(c) == 1 || !bloom_chain_load(store + 1, size, NULL));
}

static void must_be_equal(const bloom_chain *x, const bloom_chain *y)
{
    static unsigned char image[2][STORE];
    size_t size = save(x, image[0]);
    must(size == 0 || (save(y, image[1]) == size
                       && memcmp(image[0], image[1], size) == 0));
}

/* Saves and loads the chain. The loaded one must have the same image, now and,
   unless the old one failed to grow, after the same further keys. It then
   replaces the old one. */
static bloom_chain *restore(bloom_chain *old, bool *added, unsigned key)
{
    static unsigned char store[STORE + 1];
    size_t size = save(old, store + 1);
    bloom_chain *c;
    bloom_error error;
    calls_left = 1000;
    if (size == 0)
        return old;
    c = bloom_chain_load(store + 1, size, &error);
    must(c && error == BLOOM_OK);
    must_be_equal(old, c);
    for (; key % 32 != 0; key = (key + 1) % KEYS) {
        const bool was_new = put(old, key);
        must(put(c, key) == was_new || scarce);
        added[key] = true;
    }
    if (!scarce) {
        must_be_equal(old, c);
        must(bloom_chain_estimate(old) == bloom_chain_estimate(c));
    }
    bloom_chain_free(old);
    return c;
}

/* Counts the intact filters that follow the head, and writes their number and
   the check byte into it. */
static void count_links(unsigned char *image, size_t size)
{
    size_t at = 32;
    image[6] = 0;
    while (verdict(image + at, size - at) == BLOOM_OK && image[6] < 65) {
        at += (size_t)bytes_for(plan_in(image + at));
        image[6]++;
    }
    image[7] = check_of(image);
}

/* Fills some links, with or without their last cell. The estimate of nearly
   full links may not fit into a uint64_t. */
static void fill_links(unsigned char *image, size_t size, unsigned which)
{
    size_t at = 32, end;
    unsigned i;
    for (i = 0; verdict(image + at, size - at) == BLOOM_OK && i < 64; i++) {
        end = at + (size_t)bytes_for(plan_in(image + at));
        if (which >> i % 4 & 1) {
            memset(image + at + 32, 255, end - at - 32);
            image[end - 1] = (which >> i % 4 & 16) ? 255 : 127;
        }
        at = end;
    }
}

/* Any bytes as an image: after a valid head or without one, once, followed by
   zeros, or repeated. A chain that is accepted must be safe to use. */
static void use_image(input in)
{
    static const unsigned char head[24] = "BLC\2\0\100\0\0\1\0\0\0\0\0\0\0"
                                          "\0\0\0\0\0\0\340\77";
    static unsigned char image[STORE];
    const unsigned how = byte_of(&in);
    size_t size = 0, given;
    bloom_chain *c;
    bloom_error error;
    unsigned key;
    memset(image, 0, sizeof image);
    if (how & 1)
        memcpy(image, head, size = sizeof head);
    for (; in.at < in.end && size < STORE; size++)
        image[size] = *in.at++;
    for (given = size; how & 2 && given > 32 && size < 4096; size++)
        image[size] = image[size - (given - 32)];
    if (how & 4)
        size = STORE;
    if (how & 32 && size >= 32)
        fill_links(image, size, how * 7);
    if (how & 16 && size >= 32)
        image[7] = check_of(image);
    else if (how & 1 && size >= 32)
        count_links(image, size);
    c = bloom_chain_load(image, size, &error);
    must(error == chain_verdict(image, size));
    must((c != NULL) == (error == BLOOM_OK));
    must(!c || (bloom_chain_fpr(c) >= 0 && bloom_chain_fpr(c) <= 1));
    must(!c || bloom_chain_estimate(c) < UINT64_MAX
         || bloom_chain_fpr(c) > 0.9);
    for (key = 0; c && key < (how & 8 ? 300U : 30U); key++) {
        put(c, key);
        must(look(c, key));
    }
    if (c)
        check_links(c, (bloom_layout)image[4]);
    bloom_chain_free(c);
}

/* Adds keys in one call. Of two chains that are loaded from the same image, one
   gets them in one call and the other one by one: they must give the same
   answers and end with the same image. c itself may differ, as it may have
   failed to grow before. */
static void add_many(bloom_chain *c, bool *added, unsigned key, unsigned count)
{
    static unsigned char store[STORE];
    size_t size = save(c, store), i, news = 0;
    bloom_chain *one = size ? bloom_chain_load(store, size, NULL) : NULL;
    bloom_chain *all = size ? bloom_chain_load(store, size, NULL) : NULL;
    bloom_hash hashes[KEYS];
    bool is_new[KEYS];
    for (i = 0; i < count; i++)
        hashes[i] = bloom_hash_u64(bloom_chain_link(c, 0),
                                   (key + i) / 3 * 3 + 1);
    if (!one || !all) {
        bloom_chain_free(one);
        bloom_chain_free(all);
        return;
    }
    must(bloom_chain_may_contain_many_hash(c, hashes, count, is_new) <= count);
    for (i = 0; i < count; i++)
        must(is_new[i] == bloom_chain_may_contain_hash(one, hashes[i]));
    bloom_chain_add_many_hash(c, hashes, count, NULL);
    must(bloom_chain_may_contain_many_hash(c, hashes, count, NULL) == count);
    news = bloom_chain_add_many_hash(all, hashes, count, is_new);
    for (i = 0; i < count; i++) {
        unsigned number = (unsigned)((key + i) / 3 * 3 + 1);
        must(is_new[i] == bloom_chain_add_u64(one, number));
        news -= is_new[i];
        if (number < KEYS)
            added[number] = true;
    }
    must(news == 0);
    must_be_equal(all, one);
    bloom_chain_free(all);
    bloom_chain_free(one);
}

static void add_some(bloom_chain *c, bool *added, unsigned key, unsigned count)
{
    for (; count > 0; count--, key = (key + 1) % KEYS) {
        bool was_in = look(c, key), is_new = put(c, key);
        must(!(added[key] && is_new) && is_new == !was_in);
        added[key] = true;
        must(look(c, key));
    }
}

static void use(bloom_chain **c, input *in)
{
    bool added[KEYS] = { false };
    unsigned key, calls = 0, restored = 0;
    while (in->at < in->end && calls++ < 40) {
        unsigned call = byte_of(in);
        key = byte_of(in);
        switch (call % 8) {
        case 0: if (restored++ < 2) *c = restore(*c, added, key); break;
        case 1: refuse(*c, key); break;
        case 2: calls_left = key % 16; scarce = true; break;
        case 6: calls_left = 1000; add_many(*c, added, key, call); break;
        case 3:
        case 4: add_some(*c, added, key, call / 4); break;
        case 5: if (!added[key]) look(*c, key); break;
        default: add_some(*c, added, key, 1);
        }
    }
    for (key = 0; key < KEYS; key++)
        must(!added[key] || look(*c, key));
}

static void run_one(input in)
{
    unsigned options = byte_of(&in);
    bloom_plan like = { 0, 0, 0, 0, 0 };
    arguments a;
    bloom_chain *c;
    begin_memory();
    scarce = options & 32;
    calls_left = scarce ? options & 3 : 1000;
    a.layout = (bloom_layout)(options / 64);
    a.n = options & 16 ? any_number(&in) : byte_of(&in);
    a.p = options & 8 ? any_rate(&in) : 1.0 / (2 + byte_of(&in));
    like.layout = (uint8_t)a.layout;
    like.seed = options & 4 ? number_of(&in, 8) : 0;
    like.hash_bits = like.seed & 1 ? 32 : 64;
    if (a.layout > BLOOM_COUNTING) {
        calls_left = 1000;
        use_image(in);
        must(blocks_in_use == 0);
        return;
    }
    c = bloom_chain_create(a.n, a.p, like);
    if (c) {
        must(a.p > 0 && a.p < 1 && a.layout < BLOOM_COUNTING);
        use(&c, &in);
        check_links(c, a.layout);
    }
    bloom_chain_free(c);
    must(blocks_in_use == 0);
}
