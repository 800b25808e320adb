/* Fuzz target: sliding windows (bloom_window.h), by random calls and by any
   bytes as an image (see fuzz.h). The model is one plain filter for each
   generation. No key may be forgotten before its time, by number or by clock,
   and an image that is accepted must be safe to use.

   fuzz: length=512 */

#include "fuzz.h"
#include "examples/companions/bloom_window.h"

enum { KEYS = 64 };

/* The error that bloom_window_open must report for these bytes */
static bloom_error window_verdict(const unsigned char *image, size_t size)
{
    const unsigned char *first = image + BLOOM_WINDOW_HEADER_SIZE;
    size_t at = BLOOM_WINDOW_HEADER_SIZE, i;
    bloom_error error;
    unsigned links;
    if (size < BLOOM_WINDOW_HEADER_SIZE)
        return BLOOM_TRUNCATED;
    if (memcmp(image, "BLW", 3) != 0)
        return BLOOM_NOT_A_FILTER;
    if (image[3] != 1)
        return BLOOM_WRONG_VERSION;
    for (i = 48; i < BLOOM_WINDOW_HEADER_SIZE; i++)
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
    bloom *filter[16];              /* in the order of the image */
    unsigned g, newest;
    uint64_t room, keys;
    unsigned added[2][KEYS];        /* the generation of each key, as an integer
                                       or its hash, and as 8 bytes */
    unsigned begun;                 /* how many generations */
} model;

static void model_step(void)
{
    model.newest = (model.newest + 1) % model.g;
    model.keys = 0;
    model.begun++;
    bloom_clear(model.filter[model.newest]);
}

static bool model_knows(bloom_hash h)
{
    unsigned i;
    for (i = 0; i < model.g; i++)
        if (bloom_may_contain_hash(model.filter[i], h))
            return true;
    return false;
}

static bool model_add(unsigned key, bool bytes, bloom_hash h)
{
    bool known;
    if (model.keys >= model.room)
        model_step();
    known = model_knows(h);
    model.keys += bloom_add_hash(model.filter[model.newest], h);
    model.added[bytes][key] = model.begun;
    return !known;
}

/* Generation i in the order of the image */
static const unsigned char *image_of(const bloom_window *w, unsigned i)
{
    const void *image = w;
    return (const unsigned char *)image + BLOOM_WINDOW_HEADER_SIZE
         + i * bloom_size(bloom_window_generation(w, 0));
}

static bool begin_model(const bloom_window *w)
{
    const void *image = w;
    const size_t size = bloom_size(bloom_window_generation(w, 0));
    unsigned i;
    memset(&model, 0, sizeof model);
    model.g = ((const unsigned char *)image)[4];
    model.newest = ((const unsigned char *)image)[5];
    model.room = little_endian((const unsigned char *)image + 8);
    model.keys = little_endian((const unsigned char *)image + 16);
    model.begun = model.g;
    if (size > sizeof model.image[0])
        return false;
    for (i = 0; i < model.g; i++) {
        memcpy(model.image[i], image_of(w, i), size);
        model.filter[i] = bloom_open(model.image[i], size, NULL);
    }
    return true;
}

static void must_agree(const bloom_window *w)
{
    const bloom_window_plan plan = bloom_window_plan_of(w);
    const size_t each = bloom_size(bloom_window_generation(w, 0));
    unsigned i;
    must(plan.generations == model.g && plan.room == model.room
         && bloom_window_keys(w) == model.keys
         && bloom_window_size(w) == BLOOM_WINDOW_HEADER_SIZE + model.g * each);
    for (i = 0; i < model.g; i++)
        must(memcmp(image_of(w, i) + 32, model.image[i] + 32, each - 32) == 0);
    for (i = 0; i < model.g; i++)
        must((const void *)bloom_window_generation(w, i)
             == image_of(w, (model.newest + model.g - i) % model.g));
    must(!bloom_window_generation(w, model.g));
}

/* ---- Calls --------------------------------------------------------------- */

/* Key number i: an integer, its 8 bytes, or a hash */
typedef struct keys { uint64_t number[KEYS]; bloom_key bytes[KEYS];
                      bloom_hash hash[KEYS]; } keys;

static unsigned kind_of(unsigned what)
{
    return what / 8 % 3;
}

static const keys *make_keys(const bloom_window *w, unsigned first,
                             unsigned count, unsigned kind)
{
    static keys all;
    const bloom *like = bloom_window_generation(w, 0);
    unsigned i;
    for (i = 0; i < count; i++) {
        all.number[i] = (first + i) % KEYS;
        all.bytes[i].data = &all.number[i];
        all.bytes[i].size = 8;
        all.hash[i] = kind == 1 ? bloom_hash_key(like, &all.number[i], 8)
                                : bloom_hash_u64(like, all.number[i]);
    }
    return &all;
}

static void add_some(bloom_window *w, unsigned first, unsigned count,
                     unsigned what)
{
    const keys *k = make_keys(w, first, count, kind_of(what));
    bool is_new[KEYS], *into = what & 64 ? NULL : is_new;
    size_t returned, trues = 0;
    unsigned i;
    returned = kind_of(what) == 0
        ? bloom_window_add_many_u64(w, k->number, count, into)
        : kind_of(what) == 1 ? bloom_window_add_many(w, k->bytes, count, into)
        : bloom_window_add_many_hash(w, k->hash, count, into);
    for (i = 0; i < count; i++) {
        const bool wanted = model_add((first + i) % KEYS,
                                      kind_of(what) == 1, k->hash[i]);
        trues += wanted;
        must(!into || is_new[i] == wanted);
    }
    must(returned == trues);
}

static void add_one(bloom_window *w, unsigned key, unsigned what)
{
    const keys *k = make_keys(w, key, 1, kind_of(what));
    const bool is_new = kind_of(what) == 0
        ? bloom_window_add_u64(w, k->number[0])
        : kind_of(what) == 1
        ? bloom_window_add(w, k->bytes[0].data, k->bytes[0].size)
        : bloom_window_add_hash(w, k->hash[0]);
    must(is_new == model_add(key, kind_of(what) == 1, k->hash[0]));
}

static void look_one(const bloom_window *w, unsigned key, unsigned what)
{
    const keys *k = make_keys(w, key, 1, kind_of(what));
    const bool maybe = kind_of(what) == 0
        ? bloom_window_may_contain_u64(w, k->number[0])
        : kind_of(what) == 1
        ? bloom_window_may_contain(w, k->bytes[0].data, k->bytes[0].size)
        : bloom_window_may_contain_hash(w, k->hash[0]);
    must(maybe == model_knows(k->hash[0]));
}

/* Looks up every key. The answers must be those of the model, and keys of the
   current generations must be found. */
static void look(const bloom_window *w, unsigned what)
{
    const keys *k = make_keys(w, 0, KEYS, kind_of(what));
    bool maybe[KEYS];
    size_t returned, trues = 0;
    unsigned i;
    returned = kind_of(what) == 0
        ? bloom_window_may_contain_many_u64(w, k->number, KEYS, maybe)
        : kind_of(what) == 1
        ? bloom_window_may_contain_many(w, k->bytes, KEYS, maybe)
        : bloom_window_may_contain_many_hash(w, k->hash, KEYS, maybe);
    for (i = 0; i < KEYS; i++) {
        trues += maybe[i];
        must(maybe[i] == model_knows(k->hash[i]));
        must(maybe[i] || model.added[kind_of(what) == 1][i] + model.g
                         <= model.begun);
    }
    must(returned == trues);
}

/* Seals the window and copies its image, then opens it truncated, or with a
   flipped bit and without. Returns the window that is to be used from now on:
   the same, or the one at the new address. */
static bloom_window *store(bloom_window *w, yard *to, input *in)
{
    const unsigned what = byte_of(in);
    const size_t size = bloom_window_size(w), cut = number_of(in, 2) % size;
    unsigned char *at;
    bloom_error error;
    bloom_window *other;
    if (what & 8)
        bloom_window_seal(w);
    must(!(what & 8) || bloom_window_verify(w) != BLOOM_UNSEALED);
    at = place(to, what, what & 16 ? cut : size);
    memcpy(at, w, what & 16 ? cut : size);
    must(window_verdict(at, what & 16 ? cut : size)
         == (what & 16 ? BLOOM_TRUNCATED : BLOOM_OK));
    if (what & 16) {
        must(!bloom_window_open(at, cut, NULL));
        return w;
    }
    at[cut] ^= (unsigned char)(what & 32 ? what >> 5 : 0);
    must((bloom_window_open(at, size, &error) != NULL) == (error == BLOOM_OK)
         && error == window_verdict(at, size));
    at[cut] ^= (unsigned char)(what & 32 ? what >> 5 : 0);
    other = bloom_window_open(at, size, &error);
    must(other && error == BLOOM_OK && memcmp(other, w, size) == 0);
    return other;
}

static void use(bloom_window *w, input *in)
{
    static yard yards[2];
    unsigned calls = 0, moves = 0, key, what;
    while (in->at < in->end && calls < 24) {
        const bloom_window *before = w;
        what = byte_of(in);
        key = byte_of(in) % KEYS;
        switch (what % 8) {
        case 0:
            w = store(w, &yards[moves % 2], in);
            moves += w != before;
            break;
        case 1: bloom_window_step(w); model_step(); break;
        case 2: look_one(w, key, what); break;
        case 3: add_one(w, key, what); break;
        case 4: bloom_window_set_time(w, key, what); break;
        default: add_some(w, key, what / 4, what); break;
        }
        must(window_verdict((const unsigned char *)(const void *)w,
                            bloom_window_size(w)) == BLOOM_OK);
        calls++;
    }
    must_agree(w);
    for (what = 0; what < 24; what += 8)
        look(w, what);
}

/* Was the clock set back, so that time must forget nothing? */
static bool set_back(const bloom_window *w, uint64_t now)
{
    const uint64_t time = bloom_window_time(w), part = bloom_window_span(w);
    const unsigned others = bloom_window_plan_of(w).generations - 2;
    return time > now && (others == 0 || (time - now - 1) / others >= part);
}

/* The next time: earlier or later by up to span, or by any number, or when the
   window begins again; else later, by some sixteenths of span */
static uint64_t next_time(const bloom_window *w, uint64_t now, uint64_t span,
                          input *in)
{
    const unsigned what = byte_of(in);
    uint64_t pause = span / 16 * (what / 16) + number_of(in, 1);
    if (what % 16 < 2)
        pause = any_number(in);
    if (what % 16 == 2 && bloom_window_time(w) > now)
        return bloom_window_time(w);
    if (what % 16 < 6 && what % 16 != 1)
        return pause < now ? now - pause : 0;
    return pause < UINT64_MAX - now ? now + pause : UINT64_MAX;
}

/* By time, with a clock that goes back and forth, bursts, and other spans. A key
   that is younger than span must be found, unless bloom_window_advance says that
   it has forgotten keys for want of room. If the clock goes back, keys of the
   time between count as added then; if it was set back, all count as added when
   the window begins again. */
static void use_by_time(bloom_window *w, input *in)
{
    static uint64_t added[KEYS];
    static bool is_in[KEYS];
    const uint64_t room = bloom_window_plan_of(w).room;
    uint64_t span = any_number(in), now = any_number(in), time;
    unsigned calls, what, i;
    bool back;
    memset(is_in, 0, sizeof is_in);
    for (calls = 0; in->at < in->end && calls < 64; calls++) {
        now = next_time(w, now, span, in);
        what = byte_of(in);
        if (what % 8 == 0)
            span = any_number(in);
        else if (what % 8 == 1)
            span += span / 8 * (what / 8);      /* may wrap */
        back = set_back(w, now);
        time = bloom_window_time(w);
        if (bloom_window_advance(w, now, span))
            memset(is_in, 0, sizeof is_in);
        must(bloom_window_keys(w) < room);
        must((bloom_window_span(w) == 0) == back);
        must(bloom_window_time(w) == time || (!back && !set_back(w, now)));
        for (i = 0; i < KEYS; i++) {
            added[i] = back ? UINT64_MAX : added[i] < now ? added[i] : now;
            if (!back && now - added[i] >= (span > 0 ? span : 1))
                is_in[i] = false;           /* also if the clock goes back */
            must(!is_in[i] || bloom_window_may_contain_u64(w, i));
        }
        i = byte_of(in);
        for (what = byte_of(in); what % KEYS > 0
             && bloom_window_keys(w) < room; what--) {
            bloom_window_add_u64(w, i % KEYS);
            added[i % KEYS] = now;
            is_in[i % KEYS] = true;
            i++;
        }
    }
}

/* Any bytes as an image, with a valid checksum of the header or without */
static void use_image(unsigned how, yard *home, input in)
{
    size_t size = (size_t)(in.end - in.at), i;
    unsigned char *at;
    uint64_t check;
    bloom_error error;
    bloom_window *w;
    size = size < MOST ? size : MOST;
    at = place(home, how, size);
    memcpy(at, in.at, size);
    if (how & 16 && size > BLOOM_WINDOW_HEADER_SIZE + 32
        && verdict(at + BLOOM_WINDOW_HEADER_SIZE,
                   size - BLOOM_WINDOW_HEADER_SIZE) == BLOOM_OK) {
        check = bloom_hash_key(bloom_view(at + BLOOM_WINDOW_HEADER_SIZE, size,
                                          NULL), at, 40).h1;
        for (i = 0; i < 8; i++)
            at[40 + i] = (unsigned char)(check >> 8 * i & 255);
    }
    w = bloom_window_open(at, size, &error);
    must(error == window_verdict(at, size) && !w == (error != BLOOM_OK));
    must(bloom_window_view(at, size, NULL) == w);
    if (w && begin_model(w))
        use(w, &in);
}

static void run_one(input in)
{
    static yard home;
    const unsigned how = byte_of(&in), g = byte_of(&in);
    bloom_window_plan plan = { { 0, 0, 0, 0, 0 }, 0, 0 };
    bool possible;
    size_t size;
    bloom_window *w;
    if (how & 32) {
        use_image(how, &home, in);
        return;
    }
    plan.generations = g % 32;
    plan.filter.layout = (uint8_t)(how >> 6);
    plan.filter.hash_bits = g & 32 ? 32 : 64;
    plan.filter.hashes = (uint8_t)(byte_of(&in) % 66);
    plan.filter.cells = (uint64_t)(byte_of(&in) % 32) * 64;
    plan.filter.seed = byte_of(&in);
    size = byte_of(&in) + number_of(&in, 2) % MOST;
    size = size < MOST ? size : MOST;
    if (how & 16)
        size = MOST;
    plan.room = byte_of(&in);
    possible = is_possible(plan.filter) && plan.room > 0
        && plan.filter.layout <= BLOOM_COUNTING
        && plan.generations >= 2 && plan.generations <= 16;
    must(bloom_window_plan_size(plan) == (possible
         ? BLOOM_WINDOW_HEADER_SIZE + plan.generations
           * (size_t)bytes_for(plan.filter) : 0));
    w = bloom_window_init(place(&home, how, size), size, plan);
    must(!w == (!possible || bloom_window_plan_size(plan) > size));
    if (!w)
        return;
    if (how & 8) {
        use_by_time(w, &in);
        return;
    }
    bloom_window_set_time(w, number_of(&in, 8), number_of(&in, 2));
    if (begin_model(w))
        use(w, &in);
}
