/* Fuzz target: sliding windows (bloom_window.h), by random calls and by any
   bytes as an image (see fuzz.h). The model is one plain filter for each
   generation. No key may be forgotten before its time, and an image that is
   accepted must be safe to use.

   fuzz: length=512 */

#include "fuzz.h"
#include "examples/companions/bloom_window.h"

enum { KEYS = 64 };

/* The error that bloom_window_open must report for these bytes */
static bloom_error window_verdict(const unsigned char *image, size_t size)
{
    const unsigned char *first = image + BLOOM_WINDOW_HEAD;
    size_t at = BLOOM_WINDOW_HEAD, i;
    bloom_error error;
    unsigned links;
    if (size < BLOOM_WINDOW_HEAD)
        return BLOOM_TRUNCATED;
    if (memcmp(image, "BLW", 3) != 0)
        return BLOOM_NOT_A_FILTER;
    if (image[3] != 1)
        return BLOOM_WRONG_VERSION;
    for (i = 48; i < BLOOM_WINDOW_HEAD; i++)
        if (image[i])
            return BLOOM_BAD_HEADER;
    if (image[4] < 2 || image[4] > 16 || image[5] >= image[4] || image[6]
        || image[7] || little_endian(image + 8) == 0
        || little_endian(image + 16) > little_endian(image + 8))
        return BLOOM_BAD_HEADER;
    for (links = image[4]; links > 0; links--) {
        error = verdict(image + at, size - at);
        if (error != BLOOM_OK)
            return error;
        if (memcmp(image + at, first, 24) != 0)
            return BLOOM_BAD_HEADER;
        at += (size_t)bytes_for(plan_in(image + at));
    }
    return little_endian(image + 40)
        == bloom_hash_key(bloom_view(first, SIZE_MAX, NULL), image, 40).h1
        ? BLOOM_OK : BLOOM_CORRUPT;
}

/* ---- The model ----------------------------------------------------------- */

static struct model {
    unsigned char image[16][MOST / 8];
    bloom *filter[16];
    unsigned newest;
    uint64_t keys;
    unsigned added[KEYS], begun;    /* each key's generation; generations */
} model;

static void model_step(const bloom_window *w)
{
    model.newest = (model.newest + 1) % w->generations;
    model.keys = 0;
    model.begun++;
    bloom_clear(model.filter[model.newest]);
}

static bool model_knows(const bloom_window *w, bloom_hash h)
{
    unsigned i;
    for (i = 0; i < w->generations; i++)
        if (bloom_may_contain_hash(model.filter[i], h))
            return true;
    return false;
}

static bool model_add(const bloom_window *w, unsigned key, bloom_hash h)
{
    bool known;
    if (model.keys >= w->room)
        model_step(w);
    known = model_knows(w, h);
    model.keys += bloom_add_hash(model.filter[model.newest], h);
    model.added[key] = model.begun;
    return !known;
}

static bool begin_model(const bloom_window *w)
{
    unsigned i;
    memset(&model, 0, sizeof model);
    model.newest = w->newest;
    model.keys = w->keys;
    model.begun = w->generations;
    for (i = 0; i < w->generations; i++) {
        const size_t size = bloom_size(w->filter[i]);
        if (size > sizeof model.image[i])
            return false;
        memcpy(model.image[i], w->filter[i], size);
        model.filter[i] = bloom_open(model.image[i], size, NULL);
    }
    return true;
}

static void must_agree(const bloom_window *w)
{
    unsigned i;
    must(w->newest == model.newest && w->keys == model.keys);
    for (i = 0; i < w->generations; i++)
        must(memcmp((unsigned char *)w->filter[i] + 32, model.image[i] + 32,
                    bloom_size(w->filter[i]) - 32) == 0);
}

/* ---- Calls --------------------------------------------------------------- */

static bloom_hash hash_of(const bloom_window *w, unsigned key)
{
    return bloom_hash_u64(w->filter[0], key % KEYS);
}

static void add_some(bloom_window *w, unsigned first, unsigned count)
{
    bloom_hash h[KEYS];
    bool is_new[KEYS];
    unsigned i;
    for (i = 0; i < count; i++)
        h[i] = hash_of(w, first + i);
    bloom_window_add_many(w, h, count, is_new);
    for (i = 0; i < count; i++)
        must(is_new[i] == model_add(w, (first + i) % KEYS, h[i]));
}

/* Looks up every key. The answers must be those of the model, and keys of the
   current generations must be found. */
static void look(const bloom_window *w)
{
    bloom_hash h[KEYS];
    bool maybe[KEYS];
    unsigned i;
    for (i = 0; i < KEYS; i++)
        h[i] = hash_of(w, i);
    bloom_window_may_contain_many(w, h, KEYS, maybe);
    for (i = 0; i < KEYS; i++) {
        must(maybe[i] == model_knows(w, h[i]));
        must(maybe[i] || model.added[i] + w->generations <= model.begun);
    }
}

/* Seals the window and copies its image, then opens it truncated, or with a
   flipped bit and without. Returns true if *w is now the window at the new
   address. */
static bool store(bloom_window *w, yard *to, input *in)
{
    const unsigned what = byte_of(in);
    unsigned char *at;
    size_t cut = number_of(in, 2);
    bloom_window other;
    bloom_window_seal(w);
    must(window_verdict(w->image, w->size) == BLOOM_OK);
    at = place(to, what, what & 16 ? cut % w->size : w->size);
    memcpy(at, w->image, what & 16 ? cut % w->size : w->size);
    if (what & 16) {
        must(bloom_window_open(&other, at, cut % w->size) != BLOOM_OK);
        return false;
    }
    at[cut % w->size] ^= (unsigned char)(what & 32 ? what >> 5 : 0);
    must(bloom_window_open(&other, at, w->size) == window_verdict(at, w->size));
    at[cut % w->size] = w->image[cut % w->size];
    must(bloom_window_open(&other, at, w->size) == BLOOM_OK);
    must(other.size == w->size && other.room == w->room
         && other.time == w->time && other.span == w->span);
    *w = other;
    return true;
}

static void use(bloom_window *w, input *in)
{
    static yard yards[2];
    unsigned calls = 0, moves = 0, key;
    while (in->at < in->end && calls < 24) {
        unsigned call = byte_of(in);
        key = byte_of(in) % KEYS;
        switch (call % 8) {
        case 0: moves += store(w, &yards[moves % 2], in); break;
        case 1: bloom_window_step(w); model_step(w); break;
        case 2: must(bloom_window_may_contain(w, hash_of(w, key))
                     == model_knows(w, hash_of(w, key))); break;
        case 3: must(bloom_window_add(w, hash_of(w, key))
                     == model_add(w, key, hash_of(w, key))); break;
        default: add_some(w, key, call / 4); break;
        }
        calls++;
    }
    must_agree(w);
    look(w);
}

/* Any bytes as an image, with a valid checksum of the head or without */
static void use_image(unsigned how, yard *home, input in)
{
    size_t size = (size_t)(in.end - in.at), i;
    unsigned char *at;
    uint64_t check;
    bloom_error error;
    bloom_window w;
    size = size < MOST ? size : MOST;
    at = place(home, how, size);
    memcpy(at, in.at, size);
    if (how & 16 && size > BLOOM_WINDOW_HEAD + 32
        && verdict(at + BLOOM_WINDOW_HEAD, size - BLOOM_WINDOW_HEAD)
           == BLOOM_OK) {
        check = bloom_hash_key(bloom_view(at + BLOOM_WINDOW_HEAD, size, NULL), at,
                               40).h1;
        for (i = 0; i < 8; i++)
            at[40 + i] = (unsigned char)(check >> 8 * i & 255);
    }
    error = bloom_window_open(&w, at, size);
    must(error == window_verdict(at, size));
    if (error == BLOOM_OK && begin_model(&w) && w.room > 0)
        use(&w, &in);
}

static void run_one(input in)
{
    static yard home;
    const unsigned how = byte_of(&in), g = byte_of(&in);
    bloom_plan plan = { 0, 0, 0, 0, 0 };
    size_t size;
    bloom_window w;
    if (how & 32) {
        use_image(how, &home, in);
        return;
    }
    plan.layout = (uint8_t)(how >> 6);
    plan.hash_bits = g & 32 ? 32 : 64;
    plan.hashes = (uint8_t)(byte_of(&in) % 66);
    plan.cells = (uint64_t)(byte_of(&in) % 32) * 64;
    plan.seed = byte_of(&in);
    size = byte_of(&in) + number_of(&in, 2) % MOST;
    size = size < MOST ? size : MOST;
    if (how & 16)
        size = MOST;
    if (!bloom_window_init(&w, place(&home, how, size), size, g % 32, plan,
                     1 + byte_of(&in)))
        return;
    must(is_possible(plan) && g % 32 >= 2 && g % 32 <= 16 && w.size <= size
         && w.size == BLOOM_WINDOW_HEAD + g % 32 * bytes_for(plan));
    w.time = number_of(&in, 8);
    w.span = number_of(&in, 2);
    if (begin_model(&w))
        use(&w, &in);
}
