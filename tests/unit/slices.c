/* Tests that examples/companions/bloom_slices.h does what its comments say. The
   model is an array of plain filters. Random calls with random plans go to the
   slices and to the model, and every answer and every bit must be the same.
   Then the image is tested: its bytes, each wrong bit, each missing byte, and
   wrong calls. Ends with "N passed, N failed". */
#define BLOOM_STATIC
#ifndef __cplusplus                     /* in C++, calloc */
#define BLOOM_MALLOC(size) guarded_malloc(size)
#define BLOOM_FREE(pointer) guarded_free(pointer)
#endif
#include "../random.h"
#include "guarded.h"
#include "examples/companions/bloom_slices.h"

enum { MOST = 1100, GUARD = 8, KEYS = 600 };
#ifdef BLOOM_TINY
enum { WIDTH = 32 };                    /* the largest of this build */
#else
enum { WIDTH = 64 };
#endif

#define RUN(call) RUN_TEST(call, (void)0)

static void *need(size_t size)
{
    void *memory = malloc(size);
    if (!memory) {
        printf("FAILED: no memory\n");
        exit(1);
    }
    return memory;
}

/* ---- The model ----------------------------------------------------------- */

static struct model {
    bloom_plan plan;
    unsigned filters;
    unsigned char *images;              /* of the filters, one after another */
} model;

static bloom *filter(unsigned i)
{
    void *image = model.images + i * bloom_plan_size(model.plan);
    return (bloom *)image;
}

/* The same slices: an image at an odd address, in a block that ends with it, so
   that the sanitizers of `make sanitize` see a read beyond its end. */
static bloom_slices *s;
static unsigned char *block;

static unsigned char *image_of(bloom_slices *slices)
{
    void *image = slices;
    return (unsigned char *)image;
}

static void begin(bloom_plan plan, unsigned filters)
{
    const size_t each = bloom_plan_size(plan);
    const size_t size = bloom_slices_plan_size(plan, filters);
    const unsigned shift = below(9);
    unsigned i;
    model.plan = plan;
    model.filters = filters;
    model.images = (unsigned char *)need(filters * each);
    for (i = 0; i < filters; i++)
        (void)!bloom_init(model.images + i * each, each, plan);
    check(size == 64 + (size_t)plan.cells * 8 * ((filters + 63) / 64),
          "the size of a plan");
    block = (unsigned char *)need(shift + size);
    memset(block, 0xFF, shift + size);
    s = bloom_slices_init(block + shift, size, plan, filters);
    if (!s) {
        printf("FAILED: slices are made\n");
        exit(1);
    }
    check(image_of(s) == block + shift && bloom_slices_size(s) == size
          && bloom_slices_filters(s) == filters, "the slices that were made");
}

static void end(void)
{
    free(model.images);
    free(block);
}

/* Bit c of filter i, from the description of the image */
static unsigned cell_of(unsigned i, uint64_t c)
{
    const size_t words = (model.filters + 63) / 64;
    const unsigned char *row = image_of(s) + 64 + (size_t)c * words * 8;
    return row[i / 64 * 8 + i % 64 / 8] >> i % 8 & 1;
}

/* All cells are those of the model, and no other bit of a row is set. */
static bool equal(void)
{
    const unsigned all = (model.filters + 63) / 64 * 64;
    uint64_t c;
    unsigned i;
    for (i = 0; i < all; i++) {
        const unsigned char *image = model.images
                                   + i * bloom_plan_size(model.plan);
        for (c = 0; c < model.plan.cells; c++)
            if (cell_of(i, c) != (i < model.filters
                                  ? image[32 + c / 8] >> c % 8 & 1U : 0U))
                return false;
    }
    return true;
}

/* ---- Keys ---------------------------------------------------------------- */

/* Key number n: bytes, an integer or a hash */
static bloom_key bytes_of(unsigned n)
{
    static unsigned char space[4];
    bloom_key key;
    space[0] = (unsigned char)(n & 255);
    space[1] = (unsigned char)(n >> 8 & 255);
    space[2] = space[3] = 'x';
    key.data = space;
    key.size = 2 + n % 3;
    return key;
}

static bloom_hash hash_of(unsigned n)
{
    const bloom_key key = bytes_of(n);
    return n % 3 == 0 ? bloom_slices_hash_key(s, key.data, key.size)
                      : bloom_slices_hash_u64(s, n);
}

static void add(unsigned i, unsigned n)
{
    const bloom_key key = bytes_of(n);
    bloom *b = filter(i);
    bool is_new, now;
    if (n % 3 == 0) {
        is_new = bloom_add(b, key.data, key.size);
        now = bloom_slices_add(s, i, key.data, key.size);
    } else if (n % 3 == 1) {
        is_new = bloom_add_u64(b, n);
        now = bloom_slices_add_u64(s, i, n);
    } else {
        is_new = bloom_add_hash(b, bloom_hash_u64(b, n));
        now = bloom_slices_add_hash(s, i, hash_of(n));
    }
    check(is_new == now, "whether a key is new");
}

/* ---- The questions ------------------------------------------------------- */

static bloom_hash hashes[KEYS];
static uint64_t who[MOST / 64 + 1 + GUARD];
static uint32_t counts[MOST + GUARD];

/* `who` has the bits of the filters that may contain the first `count` hashes,
   and nothing was written after it. */
static void check_who(uint64_t found, unsigned count, const char *what)
{
    const unsigned words = (model.filters + 63) / 64;
    unsigned i, j;
    uint64_t sum = 0, wrong = 0;
    for (i = 0; i < words * 64; i++) {
        bool in = i < model.filters;
        for (j = 0; in && j < count; j++)
            in = bloom_may_contain_hash(filter(i), hashes[j]);
        wrong |= (who[i / 64] >> i % 64 & 1) ^ (uint64_t)in;
        sum += in;
    }
    for (i = 0; i < GUARD; i++)
        wrong |= who[words + i] ^ 0x123456789ABCDEFU;
    check(wrong == 0 && found == sum, what);
}

static void clear_who(void)
{
    unsigned i;
    for (i = 0; i < sizeof who / sizeof *who; i++)
        who[i] = 0x123456789ABCDEFU;
}

static void find(unsigned n)
{
    const bloom_key key = bytes_of(n);
    hashes[0] = hash_of(n);
    if (n % 6 == 2) {           /* a hash of 64 bits, even if 32 are used */
        hashes[0].h1 ^= random64() >> 32;
        hashes[0].h2 ^= random64() >> 32;
    }
    clear_who();
    check_who(n % 3 == 0 ? bloom_slices_find(s, key.data, key.size, who)
              : n % 3 == 1 ? bloom_slices_find_u64(s, n, who)
                           : bloom_slices_find_hash(s, hashes[0], who), 1,
              "the filters that may contain a key");
}

static void find_all(unsigned from, unsigned count)
{
    unsigned i;
    for (i = 0; i < count; i++)
        hashes[i] = hash_of(from + i);
    clear_who();
    check_who(bloom_slices_find_all(s, hashes, count, who), count,
              "the filters that may contain all keys");
}

static void count_keys(unsigned from, unsigned count)
{
    unsigned i, j;
    uint32_t sum, wrong = 0;
    for (i = 0; i < count; i++)
        hashes[i] = hash_of(from + i);
    for (i = 0; i < model.filters + GUARD; i++)
        counts[i] = 12345;
    bloom_slices_count(s, hashes, count, counts);
    for (i = 0; i < model.filters; i++) {
        for (j = sum = 0; j < count; j++)
            sum += bloom_may_contain_hash(filter(i), hashes[j]);
        wrong |= sum ^ counts[i];
    }
    for (; i < model.filters + GUARD; i++)
        wrong |= counts[i] ^ 12345U;
    check(wrong == 0, "how many keys each filter may contain");
}

/* ---- Random calls -------------------------------------------------------- */

static void put_and_get(unsigned i)
{
    const size_t each = bloom_plan_size(model.plan);
    void *memory = need(each);
    bloom *b = bloom_init(memory, each, model.plan);
    unsigned n;
    bloom_seal(b);
    check(bloom_slices_get(s, i, b) && memcmp(b, filter(i), each) == 0,
          "a filter is got, byte for byte");
    if (below(2))               /* then the filter that is there has more */
        bloom_clear(b);
    for (n = 0; n < 5; n++)
        bloom_add_u64(b, random64());
    bloom_seal(b);
    bloom_slices_seal(s);
    check(bloom_slices_put(s, i, b) && bloom_slices_verify(s) == BLOOM_UNSEALED,
          "a filter is put, and the seal is removed");
    memcpy(filter(i), b, each);
    memset(model.images + i * each + 24, 0, 8);         /* its seal */
    free(memory);
}

static void play(unsigned filters, unsigned width)
{
    bloom_plan plan = { 0, 0, 0, BLOOM_CLASSIC, 0 };
    unsigned i, n, calls;
    plan.cells = 64 * (1 + below(4));
    plan.seed = random64();
    plan.hashes = (uint8_t)(below(4) ? 1 + below(8) : 1 + below(64));
    plan.hash_bits = (uint8_t)width;
    begin(plan, filters);
    n = (unsigned)plan.cells * filters / (4U * plan.hashes) + 1;
    for (i = n < 2000 ? n : 2000; i > 0; i--)
        add(below(filters), below(200));
    for (i = 0; i < filters; i++)                       /* to be found */
        if (below(3))
            add(i, 1), add(i, 2), add(i, 3);
    for (calls = 0; calls < 12; calls++) {
        i = below(filters);
        switch (calls) {
        case 4: put_and_get(i); break;
        case 7:
            bloom_slices_clear_filter(s, i);
            bloom_clear(filter(i));
            break;
        default: add(i, below(200)); break;
        }
        find(calls < 3 ? calls + 1 : below(300));
    }
    add(filters - 1, 0);
    put_and_get(filters - 1);
    check(equal(), "all cells");
    find_all(0, 0);
    find_all(1, 2);
    find_all(1, 3);
    find_all(below(200), 1 + below(30));
    count_keys(0, below(20));
    count_keys(0, 8 * below(5));
    count_keys(1, 254 + below(3));
    if (filters <= 65)
        count_keys(0, KEYS);
    bloom_slices_clear(s);
    check(bloom_slices_find_all(s, NULL, 0, who) == filters,
          "all filters contain no key");
    for (i = 0; i < filters; i++)
        bloom_clear(filter(i));
    check(equal(), "no cell is left");
    end();
}

/* Rows that begin beyond 2^32 bytes. The memory is that of calloc, which most
   systems supply when it is used. The cells are those of bloom_probes. */
static void far_rows(void)
{
    bloom_plan plan = { 64, 5, 30, BLOOM_CLASSIC, WIDTH };
    const uint64_t m = (uint64_t)700 << 20, size = 64 + m * 8;
    unsigned char *image = size > SIZE_MAX ? NULL
                         : (unsigned char *)calloc((size_t)size, 1);
    uint64_t cell[64];
    bloom_slices *far;
    const void *head;
    unsigned i, k, set = 0;
    if (!image) {
        puts("skipped: slices of 5.9 GB (no such memory)");
        return;
    }
    (void)!bloom_slices_init(image, 64 + 64 * 8, plan, 64);
    for (i = 0; i < 8; i++)
        image[40 + i] = (unsigned char)(m >> 8 * i & 255);
    far = bloom_slices_open(image, (size_t)size, NULL);
    check(far && bloom_slices_add_u64(far, 41, 7), "a key is new");
    head = image + 32;
    k = bloom_probes((const bloom *)head, bloom_slices_hash_u64(far, 7), cell);
    for (i = 0; i < k; i++)
        set += image[64 + (size_t)cell[i] * 8 + 5] == 1 << 1;
    check(k == 30 && set == k, "the cells of a key in large slices");
    check(bloom_slices_find_u64(far, 7, who) == 1 && who[0] >> 41 == 1
          && bloom_slices_find_u64(far, 8, who) == 0, "who has it");
    free(image);
}

/* 255 keys are the most that eight planes can count. 703 filters leave the last
   bit of each row unused; it is set here, and must be ignored. */
static void play_full(void)
{
    enum { FILTERS = 703 };
    const bloom_plan plan = { 64, 0, 3, BLOOM_CLASSIC, 32 };
    unsigned i;
    begin(plan, FILTERS);
    memset(image_of(s) + 64, 255, bloom_slices_size(s) - 64);
    for (i = 0; i < FILTERS; i++)
        memset(model.images + i * bloom_plan_size(plan) + 32, 255, 8);
    for (i = 0; i < 3; i++)
        find(i);
    for (i = 250; i < 262; i++)
        count_keys(0, i);
    count_keys(0, KEYS);
    find_all(0, KEYS);
    end();
}

/* More filters than are counted at once: 8192, or 64 in BLOOM_TINY. Finding is
   the model here. */
static void count_in_wide_rows(void)
{
    enum { FILTERS = 2 * 8192 + 70, FEW = 20 };
    const bloom_plan plan = { 64, 0, 2, BLOOM_CLASSIC, 32 };
    const size_t size = bloom_slices_plan_size(plan, FILTERS);
    bloom_slices *wide = bloom_slices_init(need(size), size, plan, FILTERS);
    uint32_t *found = (uint32_t *)need(FILTERS * sizeof *found),
             *counted = (uint32_t *)need(FILTERS * sizeof *counted);
    uint64_t *bits = (uint64_t *)need((FILTERS / 64 + 1) * 8);
    unsigned i, j;
    memset(found, 0, FILTERS * sizeof *found);
    for (i = 0; i < 8 * FILTERS; i++)
        (void)!bloom_slices_add_u64(wide, below(FILTERS), below(FEW));
    for (i = 0; i < FEW; i++) {
        hashes[i] = bloom_slices_hash_u64(wide, i);
        (void)!bloom_slices_find_hash(wide, hashes[i], bits);
        for (j = 0; j < FILTERS; j++)
            found[j] += bits[j / 64] >> j % 64 & 1;
    }
    bloom_slices_count(wide, hashes, FEW, counted);
    check(memcmp(found, counted, FILTERS * sizeof *found) == 0,
          "how many keys each of many filters may contain");
    free(wide);
    free(found);
    free(counted);
    free(bits);
}

/* ---- The image ----------------------------------------------------------- */

/* What is wrong with these bytes as slices, or BLOOM_OK */
static bloom_error fault(unsigned char *at, size_t size)
{
    bloom_error error = BLOOM_UNSEALED;
    check((bloom_slices_open(at, size, &error) != NULL) == (error == BLOOM_OK),
          "slices, or an error");
    return error;
}

/* Asks slices whose bytes may be wrong. No bit may be beyond the last filter,
   and no count may be written there. */
static void ask_damaged(bloom_slices *damaged)
{
    const uint64_t filters = bloom_slices_filters(damaged);
    uint64_t sum = 0, found;
    unsigned i;
    if (filters > MOST)
        return;
    clear_who();
    found = bloom_slices_find_u64(damaged, 1, who);
    for (i = 0; i < filters; i++)
        sum += who[i / 64] >> i % 64 & 1;
    check(found == sum
          && (filters % 64 == 0 || who[filters / 64] >> filters % 64 == 0)
          && who[(filters + 63) / 64] == 0x123456789ABCDEFU,
          "damaged: no filter after the last one");
    sum = 0;
    for (i = 0; i < 3; i++)
        hashes[i] = bloom_slices_hash_u64(damaged, i);
    counts[filters] = 12345;
    bloom_slices_count(damaged, hashes, 3, counts);
    for (i = 0; i < filters; i++)
        sum |= counts[i] > 3;
    check(sum == 0 && counts[filters] == 12345, "damaged: the counts");
}

/* Tries all images that differ in one bit, and all that are shorter. */
static void damage(void)
{
    const size_t size = bloom_slices_size(s);
    unsigned char *at = image_of(s), *alone;
    size_t i;
    unsigned bit;
    for (i = 0; i < size; i++) {
        check(fault(at, i) == BLOOM_TRUNCATED, "a truncated image is refused");
        for (bit = 1; bit < 256; bit *= 2) {
            at[i] ^= (unsigned char)bit;
            if (fault(at, size) == BLOOM_OK) {
                check(bloom_slices_verify(s) == BLOOM_CORRUPT,
                      "a wrong bit is found");
                if (bit == 1 || i < 64)
                    ask_damaged(s);
            } else {
                check(i < 64, "a wrong bit in a row is no error of the header");
            }
            at[i] ^= (unsigned char)bit;
        }
    }
    for (i = 0; i < 64; i += 7) {       /* in a block that ends with them */
        alone = (unsigned char *)need(i + 1);
        memcpy(alone, at, i);
        check(fault(alone, i) == BLOOM_TRUNCATED, "a header alone");
        free(alone);
    }
}

/* Headers with one impossible field, whose seal matches or not */
static void forge(void)
{
    static const struct { unsigned at, value; bloom_error error; } wrong[] = {
        { 0, 'b', BLOOM_NOT_A_FILTER }, { 2, 'M', BLOOM_NOT_A_FILTER },
        { 3, 1, BLOOM_WRONG_VERSION }, { 4, 1, BLOOM_BAD_HEADER },
        { 7, 1, BLOOM_BAD_HEADER }, { 8, 0, BLOOM_BAD_HEADER },
        { 16, 1, BLOOM_BAD_HEADER }, { 23, 1, BLOOM_BAD_HEADER },
        { 32, 'b', BLOOM_NOT_A_FILTER }, { 35, 1, BLOOM_WRONG_VERSION },
        { 36, 3, BLOOM_UNSUPPORTED }, { 37, 63, BLOOM_BAD_HEADER },
        { 38, 0, BLOOM_BAD_HEADER }, { 38, 65, BLOOM_BAD_HEADER },
        { 39, 1, BLOOM_BAD_HEADER }, { 40, 63, BLOOM_BAD_HEADER },
        { 56, 1, BLOOM_BAD_HEADER }, { 63, 128, BLOOM_BAD_HEADER },
        { 15, 255, BLOOM_UNSUPPORTED }, { 8, 129, BLOOM_TRUNCATED }
    };
    const size_t size = bloom_slices_size(s);
    unsigned char *at = image_of(s), old;
    bloom_error error;
    size_t i;
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        old = at[wrong[i].at];
        at[wrong[i].at] = (unsigned char)wrong[i].value;
        check(fault(at, size) == wrong[i].error, "an impossible field");
        if (wrong[i].error == BLOOM_TRUNCATED)
            check(bloom_slices_image_size(at, &error) > size
                  && error == BLOOM_OK, "the size of a larger image");
        else
            check(bloom_slices_image_size(at, &error) == 0
                  && error == wrong[i].error, "no size without a header");
        at[wrong[i].at] = old;
    }
#ifndef BLOOM_TINY
    at[36] = BLOOM_COUNTING;
    check(fault(at, size) == BLOOM_BAD_HEADER, "a counting filter is refused");
    at[36] = BLOOM_CLASSIC;
#endif
    at[32]++;
    at[56] = 1;
    check(fault(at, size) == BLOOM_NOT_A_FILTER, "the filter's letters first");
    at[32]--;
    at[56] = 0;
    at[1]++;
    check(fault(at, 1) == BLOOM_TRUNCATED && fault(at, 2) == BLOOM_NOT_A_FILTER,
          "a few bytes of another file");
    at[1]--;
    check(fault(NULL, 0) == BLOOM_TRUNCATED && !bloom_slices_open(NULL, 9, NULL)
          && bloom_slices_image_size(NULL, NULL) == 0, "NULL");
    check(fault(at, size) == BLOOM_OK && bloom_slices_image_size(at, &error)
          == size && error == BLOOM_OK, "the right bytes");
}

static void images(void)
{
    static const unsigned char head[64] = {
        'B', 'L', 'S', 2, 0, 0, 0, 0,  65, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0,
        'B', 'L', 'M', 2, 0, 32, 3, 0,  64, 0, 0, 0, 0, 0, 0, 0,
        8, 7, 6, 5, 4, 3, 2, 1,  0, 0, 0, 0, 0, 0, 0, 0 };
    bloom_plan plan = { 64, 0x0102030405060708U, 3, BLOOM_CLASSIC, 32 };
    unsigned char small[40];
    bloom *b;
    uint64_t seal = 0;
    size_t size;
    unsigned i;
    begin(plan, 65);
    size = bloom_slices_size(s);
    check(memcmp(s, head, 64) == 0, "the bytes of the header");
    check(bloom_slices_plan_of(s).seed == plan.seed
          && bloom_slices_plan_of(s).cells == 64, "the plan");
    for (i = 0; i < 65; i++)
        add(i, i), add(i, i + 1);
    check(bloom_slices_verify(s) == BLOOM_UNSEALED, "there is no seal yet");
    bloom_slices_seal(s);
    check(bloom_slices_verify(s) == BLOOM_OK, "the seal matches");
    plan.seed = 0;
    b = bloom_init(small, sizeof small, plan);
    plan.seed = bloom_hash_key(b, s, 24).h1;
    b = bloom_init(small, sizeof small, plan);
    for (i = 8; i-- > 0;)
        seal = seal << 8 | image_of(s)[24 + i];
    check(seal == bloom_hash_key(b, image_of(s) + 32, size - 32).h1,
          "the seal as it is described");
    check(bloom_slices_view(s, size + 1, NULL) == s, "bytes after the image");
    damage();
    forge();
    check(bloom_slices_verify(s) == BLOOM_OK, "asking keeps the seal");
    bloom_slices_add_u64(s, 0, 1);
    check(bloom_slices_verify(s) == BLOOM_UNSEALED, "adding removes the seal");
    bloom_slices_seal(s);
    bloom_slices_clear_filter(s, 64);
    check(bloom_slices_verify(s) == BLOOM_UNSEALED, "so does clear_filter");
    bloom_slices_seal(s);
    bloom_slices_clear(s);
    check(memcmp(s, head, 64) == 0, "so does clear");
    end();
}

/* ---- Wrong calls --------------------------------------------------------- */

static void refusals(void)
{
    bloom_plan plan = { 128, 5, 3, BLOOM_CLASSIC, 32 }, other = plan;
    const uint64_t far[] = { 100, 127, 128, UINT64_MAX };
    unsigned char memory[64 + 128 * 8 * 2 + 1], before[sizeof memory];
    unsigned char small[32 + 128 / 2];
    bloom_slices *t;
    bloom *b;
    unsigned i;
    memset(memory, 'x', sizeof memory);
    check(!bloom_slices_init(memory, sizeof memory - 2, plan, 100)
          && !bloom_slices_init(NULL, sizeof memory, plan, 100)
          && !bloom_slices_init(memory, sizeof memory, plan, 0)
          && memory[0] == 'x', "too little memory, no memory, no filters");
    t = bloom_slices_init(memory, sizeof memory, plan, 100);
    check(t && bloom_slices_size(t) == sizeof memory - 1
          && memory[sizeof memory - 1] == 'x', "enough memory");
    bloom_slices_add_u64(t, 99, 1);
    bloom_slices_seal(t);
    memcpy(before, memory, sizeof memory);
    b = bloom_init(small, sizeof small, plan);
    for (i = 0; i < sizeof far / sizeof *far; i++) {
        check(!bloom_slices_add_u64(t, far[i], 2)
              && !bloom_slices_add(t, far[i], "", 0)
              && !bloom_slices_put(t, far[i], b)
              && !bloom_slices_get(t, far[i], b), "no such filter");
        bloom_slices_clear_filter(t, far[i]);
    }
    for (i = 0; i < (WIDTH == 32 ? 3 : 5); i++) {
        other = plan;
        other.cells -= i == 0 ? 64 : 0;
        other.seed += i == 1;
        other.hashes = (uint8_t)(plan.hashes + (i == 2));
        other.layout = i == 3 ? BLOOM_COUNTING : BLOOM_CLASSIC;
        other.hash_bits = i == 4 ? 64 : 32;
        b = bloom_init(small, sizeof small, other);
        bloom_add_u64(b, 1);
        check(!bloom_slices_put(t, 1, b) && !bloom_slices_get(t, 1, b)
              && bloom_ones(b) > 0, "a filter of another plan");
    }
    check(memcmp(memory, before, sizeof memory) == 0, "nothing changed");
    plan.layout = BLOOM_COUNTING;
    check(bloom_slices_plan_size(plan, 1) == 0, "not classic");
    plan.layout = BLOOM_CLASSIC;
    plan.hashes = 0;
    check(bloom_slices_plan_size(plan, 1) == 0, "an impossible plan");
    plan.hashes = 3;
    check(bloom_slices_plan_size(plan, UINT64_MAX) == 0
          && bloom_slices_plan_size(plan, SIZE_MAX) == 0
          && bloom_slices_plan_size(plan, SIZE_MAX / 16) == 0,
          "too many filters");
    check(bloom_slices_plan_size(plan, SIZE_MAX / 32)
          == 64 + (SIZE_MAX / 32 / 64 + 1) * 8 * 128, "many filters");
}

#ifndef BLOOM_NO_MALLOC
/* All bytes of an image may be written, wherever its block lies. */
static void filled(void)
{
    const bloom_plan plan = { 64, 1, 4, BLOOM_CLASSIC, 32 };
    unsigned i;
    for (i = 0; i < 8; i++) {
        bloom_slices *t = bloom_slices_create(plan, 1 + i * 40);
        check(t && (uintptr_t)t % 64 == 0, "slices at a multiple of 64");
        if (t)
            memset(image_of(t) + 64, 255, bloom_slices_size(t) - 64);
        bloom_slices_free(t);
    }
}

/* A copy with `filters` filters: those of the model that it still has, and the
   others empty. */
static void copy(unsigned filters)
{
    const unsigned old = model.filters;
    bloom_slices *from = s, *t = bloom_slices_copy(s, filters);
    check(t && (uintptr_t)t % 64 == 0 && bloom_slices_filters(t) == filters,
          "a copy");
    if (!t)
        return;
    check(bloom_slices_verify(t) == (filters == old ? bloom_slices_verify(s)
                                                    : BLOOM_UNSEALED),
          "only a full copy has the seal");
    s = t;
    model.filters = filters < old ? filters : old;
    if ((filters + 63) / 64 == (model.filters + 63) / 64)
        check(equal(), "the cells of a copy");
    model.filters = filters;
    for (; filters > old; filters--)
        check(bloom_slices_find_u64(t, 1, who) == old
              && !(who[(filters - 1) / 64] >> (filters - 1) % 64 & 1),
              "the new filters of a copy are empty");
    model.filters = old;
    s = from;
    bloom_slices_free(t);
}

static void copies(void)
{
    bloom_plan plan = { 192, 1, 4, BLOOM_CLASSIC, 64 };
    static const unsigned numbers[] = { 1, 64, 99, 100, 101, 128, 129, 500 };
    bloom_slices *t;
    unsigned i;
    begin(plan, 100);
    for (i = 0; i < 100; i++)                   /* in each row, a cell is set */
        add(i, 1), add(i, i), add(i, 100 + i), add(i, 200 + i);
    bloom_slices_seal(s);
    for (i = 0; i < sizeof numbers / sizeof *numbers; i++)
        copy(numbers[i]);
    memset(image_of(s) + 64, 255, 16);  /* bits of a row without a filter */
    t = bloom_slices_copy(s, 128);
    check(t && memcmp(image_of(t) + 64 + 8, "\377\377\377\377\17\0\0\0",
                      8) == 0, "a copy does not make filters of other bits");
    bloom_slices_free(t);
    check(!bloom_slices_copy(s, 0) && !bloom_slices_create(plan, 0),
          "no filters");
    check(!bloom_slices_create(plan, SIZE_MAX / 32),
          "more memory than there is");
    plan.cells = 64;                    /* 2^61 bytes: 8 times that wraps */
    check(!bloom_slices_create(plan, (uint64_t)1 << 58), "a size that wraps");
    plan.cells = 192;
#ifndef BLOOM_NO_FLOAT
    t = bloom_slices_new(1000, 0.01, 3);
    check(t && bloom_slices_plan_of(t).cells == bloom_plan_for(1000, 0.01).cells
          && (uintptr_t)t % 64 == 0, "new slices");
    bloom_slices_free(t);
    check(!bloom_slices_new(1000, 1, 3), "an impossible rate");
#endif
    bloom_slices_free(NULL);
    end();
}
#endif

int main(void)
{
    static const unsigned numbers[] = { 1, 2, 63, 64, 65, 127, 128, 129, 255,
                                        256, 257, 511, 512, 513, 575, 1024,
                                        MOST };
    unsigned i;
    for (i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        RUN(play(numbers[i], 32));
        RUN(play(numbers[i], WIDTH));
    }
    for (i = 0; i < 60; i++)
        RUN(play(1 + below(i < 50 ? 130 : MOST), i % 2 ? 32 : WIDTH));
    RUN(play_full());
    RUN(far_rows());
    RUN(count_in_wide_rows());
    RUN(images());
    RUN(refusals());
#ifndef BLOOM_NO_MALLOC
    RUN(filled());
    RUN(copies());
#endif
    return end_tests();
}
