/* Fuzz target: slices (bloom_slices.h), by random calls and by any bytes as an
   image (see fuzz.h). The model is one plain filter for each column, as the
   image has it. No key may be hidden, and an image that is accepted must be
   safe to use.

   fuzz: length=512 */

#include "fuzz.h"
#include "examples/companions/bloom_slices.h"

enum { KEYS = 64, FILTERS = 130 };

/* The error that bloom_slices_open must report for these bytes */
static bloom_error slices_verdict(const unsigned char *image, size_t size)
{
    uint64_t words;
    size_t i;
    bloom_error error;
    for (i = 0; i < 3 && i < size; i++)
        if (image[i] != "BLS"[i])
            return BLOOM_NOT_A_FILTER;
    if (size < 64)
        return BLOOM_TRUNCATED;
    if (image[3] != 2)
        return BLOOM_WRONG_VERSION;
    if (little_endian(image) >> 32 || little_endian(image + 8) == 0
        || little_endian(image + 16))
        return BLOOM_BAD_HEADER;
    error = verdict(image + 32, SIZE_MAX);
    if (error != BLOOM_OK)
        return error == BLOOM_TRUNCATED ? BLOOM_UNSUPPORTED : error;
    if (image[36] != BLOOM_CLASSIC || little_endian(image + 56))
        return BLOOM_BAD_HEADER;
    words = (little_endian(image + 8) - 1) / 64 + 1;
    if (words > (SIZE_MAX - 64) / 8 / little_endian(image + 40))
        return BLOOM_UNSUPPORTED;
    return 64 + words * 8 * little_endian(image + 40) > size ? BLOOM_TRUNCATED
                                                             : BLOOM_OK;
}

/* ---- The model ----------------------------------------------------------- */

static struct model {
    unsigned char image[FILTERS][MOST / 8 / 8 + 32];
    bloom *filter[FILTERS];
    unsigned filters;
    bool added[FILTERS][2][KEYS];       /* as an integer or its hash; as bytes */
} model;

static const unsigned char *bytes_in(const bloom_slices *s)
{
    const void *image = s;
    return (const unsigned char *)image;
}

QUIET unsigned bit_in(const bloom_slices *s, size_t c, unsigned i)
{
    const size_t words = ((size_t)bloom_slices_filters(s) + 63) / 64;
    return bytes_in(s)[64 + c * words * 8 + i / 8] >> i % 8 & 1;
}

/* Makes the model of slices that may have any bits. */
QUIET bool begin_model(const bloom_slices *s)
{
    const bloom_plan plan = bloom_slices_plan_of(s);
    unsigned i;
    size_t c;
    if (bloom_slices_filters(s) > FILTERS
        || bloom_plan_size(plan) > sizeof model.image[0])
        return false;
    memset(model.added, 0, sizeof model.added);
    model.filters = (unsigned)bloom_slices_filters(s);
    for (i = 0; i < model.filters; i++) {
        model.filter[i] = bloom_init(model.image[i], sizeof model.image[i],
                                     plan);
        for (c = 0; c < plan.cells; c++)
            model.image[i][32 + c / 8] |=
                (unsigned char)(bit_in(s, c, i) << c % 8);
    }
    return true;
}

QUIET void must_agree(const bloom_slices *s)
{
    const size_t m = (size_t)bloom_slices_plan_of(s).cells;
    unsigned i;
    size_t c;
    for (i = 0; i < model.filters; i++)
        for (c = 0; c < m; c++)
            must(bit_in(s, c, i) == (model.image[i][32 + c / 8] >> c % 8 & 1));
}

/* ---- Calls --------------------------------------------------------------- */

static bloom_hash hash_of(const bloom_slices *s, unsigned key, bool bytes)
{
    const unsigned char text[2] = { (unsigned char)key, 'x' };
    return bytes ? bloom_slices_hash_key(s, text, key % 3)
                 : bloom_slices_hash_u64(s, key);
}

static void add_one(bloom_slices *s, unsigned i, unsigned key, unsigned how)
{
    const unsigned char text[2] = { (unsigned char)key, 'x' };
    const bool bytes = how & 1;
    const bloom_hash h = hash_of(s, key, bytes);
    bool is_new;
    if (i >= model.filters) {
        must(!bloom_slices_add_u64(s, i, key));
        return;
    }
    is_new = bytes ? bloom_slices_add(s, i, text, key % 3)
           : how & 2 ? bloom_slices_add_u64(s, i, key)
                     : bloom_slices_add_hash(s, i, h);
    must(is_new == bloom_add_hash(model.filter[i], h));
    model.added[i][bytes][key] = true;
    must(bytes_in(s)[24] == 0 && bloom_slices_verify(s) == BLOOM_UNSEALED);
}

/* Exactly as many words, or counts, as there should be: AddressSanitizer sees
   one more. */
static void look(const bloom_slices *s, unsigned key, unsigned how)
{
    const unsigned words = (model.filters + 63) / 64;
    uint64_t *who = malloc(words * sizeof *who), found;
    const unsigned char text[2] = { (unsigned char)key, 'x' };
    const bloom_hash h = hash_of(s, key, how & 1);
    unsigned i;
    must(who != NULL);
    found = how & 1 ? bloom_slices_find(s, text, key % 3, who)
          : how & 2 ? bloom_slices_find_u64(s, key, who)
                    : bloom_slices_find_hash(s, h, who);
    for (i = 0; i < words * 64; i++) {
        bool in = who[i / 64] >> i % 64 & 1;
        must(in == (i < model.filters
                    && bloom_may_contain_hash(model.filter[i], h)));
        must(in || i >= model.filters || !model.added[i][how & 1][key]);
        found -= in;
    }
    must(found == 0);
    free(who);
}

static void look_for_many(const bloom_slices *s, unsigned key, unsigned count)
{
    const unsigned words = (model.filters + 63) / 64;
    static bloom_hash h[300];
    uint64_t *who = malloc(words * sizeof *who), found;
    uint32_t *counts = malloc(model.filters * sizeof *counts);
    unsigned i, j;
    must(who != NULL && counts != NULL);
    count = count < 250 ? count % 9 : count + 20;
    for (i = 0; i < count; i++)
        h[i] = hash_of(s, (key + i) % KEYS, i & 1);
    found = bloom_slices_find_all(s, h, count, who);
    bloom_slices_count(s, h, count, counts);
    for (i = 0; i < model.filters; i++) {
        unsigned in = 0;
        for (j = 0; j < count; j++)
            in += bloom_may_contain_hash(model.filter[i], h[j]);
        must(counts[i] == in);
        must((who[i / 64] >> i % 64 & 1) == (in == count));
        found -= in == count;
    }
    must(found == 0);
    must(model.filters % 64 == 0
         || who[words - 1] >> model.filters % 64 == 0);
    free(who);
    free(counts);
}

static void move_one(bloom_slices *s, unsigned i, unsigned other)
{
    const size_t size = bloom_plan_size(bloom_slices_plan_of(s));
    unsigned char *image = malloc(size);
    bloom *b;
    must(image != NULL);
    b = bloom_init(image, size, bloom_slices_plan_of(s));
    must(bloom_slices_get(s, i, b) == (i < model.filters));
    must(i >= model.filters || memcmp(image, model.image[i], size) == 0);
    must(bloom_slices_put(s, other, b) == (other < model.filters));
    if (other < model.filters) {
        memcpy(model.image[other], image, size);
        memcpy(model.added[other], model.added[i < model.filters ? i : other],
               sizeof model.added[other]);
        if (i >= model.filters)
            memset(model.added[other], 0, sizeof model.added[other]);
    }
    free(image);
}

/* A copy with another number of filters has the same keys. */
QUIET void copy(const bloom_slices *s, unsigned filters)
{
    bloom_slices *t = bloom_slices_copy(s, filters);
    const size_t m = (size_t)bloom_slices_plan_of(s).cells;
    unsigned i;
    size_t c;
    must(!t == (filters == 0));
    for (i = 0; t && i < (filters + 63) / 64 * 64; i++)
        for (c = 0; c < m; c++)
            must(bit_in(t, c, i)
                 == (i < filters && i < model.filters ? bit_in(s, c, i) : 0)
                 || filters == model.filters);
    must(!t || filters != model.filters
         || memcmp(s, t, bloom_slices_size(s)) == 0);
    bloom_slices_free(t);
}

static void use(bloom_slices *s, input *in)
{
    unsigned calls = 0, what, i, key;
    while (in->at < in->end && calls++ < 24) {
        what = byte_of(in);
        i = byte_of(in);
        key = byte_of(in) % KEYS;
        switch (what % 8) {
        case 0: move_one(s, i, key); break;
        case 1: look_for_many(s, key, i); break;
        case 2: look(s, key, what / 8); break;
        case 3: copy(s, i); break;
        case 4:
            bloom_slices_clear_filter(s, i);
            if (i < model.filters) {
                bloom_clear(model.filter[i]);
                memset(model.added[i], 0, sizeof model.added[i]);
            }
            break;
        case 5:
            bloom_slices_seal(s);
            must(bloom_slices_verify(s) == BLOOM_OK);
            break;
        default: add_one(s, i, key, what / 8); break;
        }
    }
    must_agree(s);
    for (what = 0; what < KEYS; what += 5)
        look(s, what, what);
    bloom_slices_clear(s);
    must(bloom_slices_find_u64(s, 1, (uint64_t[FILTERS / 64 + 1]){ 0 }) == 0);
}

/* Any bytes as an image, of which the first ones may be made valid */
static void use_image(unsigned how, yard *home, input in)
{
    size_t size = (size_t)(in.end - in.at);
    unsigned char *at;
    bloom_error error, again;
    bloom_slices *s;
    size = size < MOST ? size : MOST;
    at = place(home, how, size);
    memcpy(at, in.at, size);
    s = bloom_slices_open(at, size, &error);
    must(error == slices_verdict(at, size) && !s == (error != BLOOM_OK));
    must(bloom_slices_view(at, size, NULL) == s);
    if (size >= 64)
        must((bloom_slices_image_size(at, &again) > 0)
             == (error == BLOOM_OK || error == BLOOM_TRUNCATED));
    if (s) {
        must(bloom_slices_image_size(at, NULL) == bloom_slices_size(s)
             && bloom_slices_size(s) <= size);
        bloom_slices_verify(s);
        if (begin_model(s))
            use(s, &in);
    }
}

static void run_one(input in)
{
    static yard home;
    const unsigned how = byte_of(&in);
    bloom_plan plan = { 0, 0, 0, 0, 0 };
    uint64_t filters, needed;
    bool possible;
    size_t size;
    bloom_slices *s;
    if (how & 32) {
        use_image(how, &home, in);
        return;
    }
    plan.layout = how >> 6 == 3 ? BLOOM_COUNTING : BLOOM_CLASSIC;
    plan.hash_bits = how & 16 ? 32 : 64;
    plan.hashes = (uint8_t)(byte_of(&in) % 66);
    plan.cells = (uint64_t)(byte_of(&in) % 4) * 64;
    plan.seed = byte_of(&in);
    filters = byte_of(&in) % (FILTERS + 2);
    if (how >> 6 == 2)
        filters = any_number(&in);
    size = number_of(&in, 2) % MOST;
    if (how >> 6 == 1)
        size = MOST;
    possible = is_possible(plan) && plan.layout == BLOOM_CLASSIC
        && filters > 0 && (filters - 1) / 64 + 1
                          <= (SIZE_MAX - 64) / 8 / plan.cells;
    needed = possible ? 64 + ((filters - 1) / 64 + 1) * 8 * plan.cells : 0;
    must(bloom_slices_plan_size(plan, filters) == needed);
    s = bloom_slices_init(place(&home, how, size), size, plan, filters);
    must(!s == (!possible || needed > size));
    if (s && begin_model(s))
        use(s, &in);
}
