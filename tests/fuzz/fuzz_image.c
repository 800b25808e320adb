/* Fuzz target: any bytes as an image (see fuzz.h). bloom_open and bloom_view
   must give the verdict of the model in fuzz.h. On an accepted image every call
   must stay within its bytes and do what the model does.

   fuzz: length=256 */

#include "fuzz.h"

/* The input is the image, followed by keys, if any. The last byte determines
   the alignment of the image. */

static yard here, there;

QUIET void refused(const unsigned char *image, size_t size, const input *in)
{
    must(size == 0 || memcmp(image, in->at, size) == 0);
}

/* Compares the result of a merge, intersection or flattening of x and y with
   theirs, cell by cell. */
QUIET void compare_cells(const unsigned char *result, const unsigned char *x,
                          const unsigned char *y, bool is_union)
{
    uint64_t i, m = little_endian(result + 8);
    for (i = 0; i < m; i++) {
        unsigned a = cell_in(x, i), b = cell_in(y, i);
        unsigned most = result[4] == BLOOM_COUNTING ? 15 : 1, sum = a + b;
        must(cell_in(result, i) == (!is_union ? a < b ? a : b
                                    : sum < most ? sum : most));
    }
}

/* Compares the calls that only read with the bytes of the image. */
QUIET void ask(const bloom *b, const unsigned char *image)
{
    uint64_t i, ones = 0, zero = little_endian(image + 24);
    bloom_plan plan = bloom_plan_of(b), read = plan_in(image);
    bloom_error seal = bloom_verify(b);
    double rate = bloom_fpr(b);
    must(plan.cells == read.cells && plan.seed == read.seed
         && plan.hashes == read.hashes && plan.layout == read.layout
         && plan.hash_bits == read.hash_bits);
    must(bloom_size(b) == bytes_for(plan));
    must(bloom_plan_size(plan) == bytes_for(plan));
    must(zero == 0 ? seal == BLOOM_UNSEALED
                   : seal == BLOOM_OK || seal == BLOOM_CORRUPT);
    for (i = 0; i < plan.cells; i++)
        ones += cell_in(image, i) != 0;
    must(bloom_ones(b) == ones);
    must((bloom_estimate(b) == UINT64_MAX) == (ones == plan.cells));
    must(ones > 0 || bloom_estimate(b) == 0);
    must(rate >= 0 && rate <= 1);
    must(ones > 0 || !(rate > 0));
    must(ones < plan.cells || rate >= 1);
}

/* One key: looks it up by each call, adds it, and removes it again. */
static void use_key(bloom *b, const unsigned char *image, const void *key,
                    size_t size)
{
    bloom_plan plan = bloom_plan_of(b);
    bloom_hash h = bloom_hash_key(b, key, size);
    bloom_key keys[2];
    uint64_t index[64], model[64];
    bool in = true, both[2];
    unsigned i;
    must(bloom_probes(b, h, index) == plan.hashes);
    model_probes(plan, h, model);
    for (i = 0; i < plan.hashes; i++) {
        must(index[i] < plan.cells && index[i] == model[i]);
        in = in && cell_in(image, index[i]) != 0;
    }
    keys[0].data = keys[1].data = key;
    keys[0].size = keys[1].size = size;
    must(bloom_may_contain(b, key, size) == in);
    must(bloom_may_contain_hash(b, h) == in);
    must(bloom_may_contain_many(b, keys, 2, both) == (in ? 2 : 0));
    must(both[0] == in && both[1] == in);
    must(bloom_add(b, key, size) == !in);
    must(bloom_may_contain(b, key, size));
    must(bloom_add_many(b, keys, 2, both) == 0 && !both[0] && !both[1]);
    must(little_endian(image + 24) == 0);
    must(bloom_remove(b, key, size) == (plan.layout == BLOOM_COUNTING));
    must(bloom_may_contain(b, key, size));
    must(bloom_add_hash(b, h) == false);
}

static void use_keys(bloom *b, const unsigned char *image, input in)
{
    size_t size = (size_t)(in.end - in.at);
    uint64_t number = number_of(&in, 8);
    bloom_hash raw;
    raw.h1 = number_of(&in, 8);
    raw.h2 = number_of(&in, 8);
    use_key(b, image, size ? in.end - size : NULL, size);
    use_key(b, image, size ? in.end - 1 : NULL, size > 0);
    bloom_add_u64(b, number);
    must(bloom_may_contain_u64(b, number));
    must(bloom_may_contain_hash(b, bloom_hash_u64(b, number)));
    bloom_add_hash(b, raw);
    must(bloom_may_contain_hash(b, raw));
    must(!bloom_add_hash(b, raw));
}

/* Combines b with a second filter: first a copy of the original image, then one
   with another plan, which must be refused. */
static void use_two(bloom *b, unsigned char *image, const unsigned char *first,
                    unsigned shift)
{
    static unsigned char before[MOST];
    size_t size = bloom_size(b);
    unsigned char *second = place(&there, shift / 16, size);
    bloom *other;
    memcpy(second, first, size);
    memcpy(before, image, size);
    other = bloom_open(second, size, NULL);
    must(bloom_merge(b, other));
    compare_cells(image, before, second, true);
    memcpy(before, image, size);
    must(bloom_intersect(other, b));
    compare_cells(second, first, image, false);
    second[16] ^= 1;                                    /* another seed */
    bloom_seal(b);
    memcpy(before, image, size);
    must(!bloom_merge(b, other) && !bloom_intersect(b, other));
    must(!bloom_flatten(b, other));
    must(memcmp(before, image, size) == 0 && bloom_verify(b) == BLOOM_OK);
}

QUIET void flatten(const bloom *b, const unsigned char *image, unsigned shift)
{
    bloom_plan plan = bloom_plan_of(b);
    bool counting = plan.layout == BLOOM_COUNTING;
    unsigned char *flat;
    uint64_t i;
    bloom *to;
    plan.layout = BLOOM_CLASSIC;
    flat = place(&there, shift, (size_t)bytes_for(plan));
    must(!bloom_init(flat, (size_t)bytes_for(plan) - 1, plan));
    to = bloom_init(flat, (size_t)bytes_for(plan), plan);
    must(bloom_ones(to) == 0 && verdict(flat, bloom_size(to)) == BLOOM_OK);
    must(bloom_flatten(to, b) == counting);
    for (i = 0; i < plan.cells; i++)
        must(cell_in(flat, i) == (counting && cell_in(image, i) != 0));
}

/* A seal is valid, and any flipped bit makes it invalid. */
static void seal(bloom *b, unsigned char *image, const unsigned char *first)
{
    size_t size = bloom_size(b), at = 16 + first[size - 1] * 7U % (size - 16);
    unsigned char bit = (unsigned char)(1 << (first[16] & 7));
    bloom_seal(b);
    must(bloom_verify(b) == BLOOM_OK);
    image[at] ^= bit;
    must(bloom_verify(b) != BLOOM_OK);
    image[at] ^= bit;
    must(bloom_verify(b) == BLOOM_OK);
    bloom_clear(b);
    must(bloom_ones(b) == 0 && bloom_verify(b) == BLOOM_UNSEALED);
    must(bloom_estimate(b) == 0);
}

static void run_one(input in)
{
    size_t size = (size_t)(in.end - in.at);
    unsigned shift = size ? in.end[-1] : 0;
    bloom_error expected, error = BLOOM_CORRUPT, again = BLOOM_CORRUPT;
    unsigned char *image;
    bloom *b;
    if (size > MOST)
        return;
    image = place(&here, shift, size);
    if (size)
        memcpy(image, in.at, size);
    expected = verdict(in.at, size);
    b = bloom_open(image, size, &error);
    must(bloom_view(image, size, &again) == b);
    must(error == expected && again == expected);
    must((b != NULL) == (expected == BLOOM_OK));
    must(strcmp(bloom_error_text(error), "unknown error") != 0);
    refused(image, size, &in);
    if (!b)
        return;
    size = bloom_size(b);
    image = place(&here, shift, size);      /* nothing follows the image now */
    must(!bloom_open(image, size - 1, &error) && error == BLOOM_TRUNCATED);
    b = bloom_open(image, size, NULL);
    ask(b, image);
    refused(image, size, &in);
    flatten(b, image, shift);
    in.at += size;
    use_keys(b, image, in);
    in.at -= size;
    ask(b, image);
    use_two(b, image, in.at, shift);
    seal(b, image, in.at);
}
