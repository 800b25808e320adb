/* Tests that examples/companions/bloom_window.h does what its comments say. An
   exact list records how many keys were added after each key, and the window is
   compared with it. Then its image is tested: at any address it behaves as the
   window does, its header has the same bytes on every machine, and each wrong
   bit and each missing byte is found. Keys are forgotten by their age. Last, a
   process is killed between any two stores of any call.
   Ends with "N passed, N failed". */
#define TEST_KILLS
#include "../inside.h"
#define BLOOM_STATIC
#define BLOOM_MALLOC(size) guarded_malloc(size)
#define BLOOM_FREE(pointer) guarded_free(pointer)
#include "../random.h"
#include "guarded.h"
#include "kinds.h"
#include "examples/companions/bloom_window.h"

enum { KEYS = 4000 };

#define RUN(call) RUN_TEST(call, (void)0)

/* Makes a window, or ends the program. */
static bloom_window *make(uint64_t n, double p, unsigned g, bloom_layout layout)
{
    bloom_window *w = bloom_window_new(n, p, g, layout);
    if (!w) {
        printf("FAILED: a window is made\n");
        exit(1);
    }
    return w;
}

static uint64_t room_of(const bloom_window *w)
{
    return bloom_window_plan_of(w).room;
}

static unsigned generations_of(const bloom_window *w)
{
    return bloom_window_plan_of(w).generations;
}

/* The image, as bytes */
static unsigned char *bytes_of(bloom_window *w)
{
    return (unsigned char *)w;
}

static bool knows(const bloom_window *w, uint64_t key)
{
    return bloom_window_may_contain_u64(w, key);
}

/* Key number i of a stream in which keys come again and again */
static uint64_t key_at(uint64_t i)
{
    return i * 7919 % 611 + i / 1000 * 100;
}

/* Tests that none of the last n keys that took room is forgotten, and that a
   key is forgotten once g * room others followed it, unless it is a false
   positive. */
static void remember(uint64_t n, unsigned g, bloom_layout layout)
{
    static uint64_t added[KEYS + 1000];     /* after how many; 0: never */
    uint64_t i, key, keys, adds = 0, lost = 0, kept = 0;
    const bloom *newest;
    bool known, stepped;
    bloom_window *w = make(n, 1e-6, g, layout);
    memset(added, 0, sizeof added);
    for (i = 0; i < KEYS; i++) {
        key = key_at(i);
        known = bloom_window_may_contain_u64(w, key);
        if (added[key] > 0 && adds - added[key] < n)
            lost += !known;
        else if (added[key] > 0 && adds - added[key] >= room_of(w) * g)
            kept += known;
        newest = bloom_window_generation(w, 0);
        keys = bloom_window_keys(w);
        check(bloom_window_add_u64(w, key) != known
              || bloom_window_generation(w, 0) != newest,
              "a key is new or known");
        stepped = bloom_window_generation(w, 0) != newest;
        check(!stepped || (keys == room_of(w)
                           && bloom_window_generation(w, 1) == newest),
              "only a full generation ends");
        if (stepped || bloom_window_keys(w) != keys)    /* it took room */
            added[key] = ++adds;
    }
    check(lost == 0, "none of the last n is forgotten");
    check(kept <= 1, "older keys are forgotten");
    check(bloom_window_keys(w) <= room_of(w), "no generation is too full");
    bloom_window_free(w);
}

/* Tests how many other keys are added, at least and at most, before a key is
   forgotten: exactly (g - 1) * room and g * room - 1, if none is a false
   positive. */
static void forget_exactly(uint64_t n, unsigned g)
{
    uint64_t key, oldest = 0, least = UINT64_MAX, most = 0;
    bloom_window *w = make(n, 1e-12, g, BLOOM_CLASSIC);
    for (key = 0; key < KEYS; key++) {
        bloom_window_add_u64(w, key);
        for (; !bloom_window_may_contain_u64(w, oldest); oldest++) {
            least = key - 1 - oldest < least ? key - 1 - oldest : least;
            most = key - 1 - oldest > most ? key - 1 - oldest : most;
        }
    }
    check(least == (g - 1) * room_of(w) && least >= n, "known for long enough");
    check(most == g * room_of(w) - 1, "not known for too long");
    check(n != 10 || g != 16 || (least == 15 && most == 15),
          "the numbers for n = 10, g = 16");
    check(n != 1000 || g != 8 || (least == 1001 && most == 1143),
          "the numbers for n = 1000, g = 8");
    bloom_window_free(w);
}

/* Copies the image to `at` and opens it there. The copy must be equal now, and
   after the same calls. */
static void go_on(bloom_window *w, unsigned char *at)
{
    const size_t size = bloom_window_size(w);
    bloom_window *other;
    bloom_error error = BLOOM_CORRUPT;
    uint64_t key;
    bloom_window_seal(w);
    memcpy(at, w, size);
    memset(at + size, 'B', 100);        /* bytes after the image */
    other = bloom_window_open(at, size + 100, &error);
    check(other && (const void *)other == (const void *)at
          && error == BLOOM_OK, "the copy opens");
    if (!other)
        return;
    check(bloom_window_view(at, size, NULL) == other, "the copy can be viewed");
    check(bloom_window_size(other) == size
          && bloom_window_keys(other) == bloom_window_keys(w)
          && bloom_window_time(other) == bloom_window_time(w)
          && bloom_window_span(other) == bloom_window_span(w),
          "the copy has the same fields");
    check(bloom_window_verify(other) == BLOOM_OK, "the copy has valid seals");
    for (key = 9000; key < 9040; key++)
        check(bloom_window_add_u64(w, key) == bloom_window_add_u64(other, key),
              "the copy has the same results");
    check(bloom_window_verify(other) == BLOOM_UNSEALED,
          "adding keys removes a seal");
    check(memcmp(at, w, size) == 0, "the copy has the same image");
    bloom_window_step(w);
    bloom_window_step(other);
    bloom_window_seal(w);
    bloom_window_seal(other);
    check(memcmp(at, w, size) == 0, "and still after a step");
}

/* What is wrong with these bytes as a window, or BLOOM_OK */
static bloom_error fault(unsigned char *at, size_t size)
{
    bloom_error error = BLOOM_UNSEALED;
    check((bloom_window_open(at, size, &error) != NULL) == (error == BLOOM_OK),
          "a window, or an error");
    return error;
}

/* Tries all images that differ in one bit, and all that are shorter. */
static void bend(const bloom_window *w, unsigned char *at)
{
    const size_t size = bloom_window_size(w);
    unsigned char *alone = (unsigned char *)malloc(BLOOM_WINDOW_HEADER_SIZE);
    size_t i;
    unsigned bit;
    memcpy(alone, w, BLOOM_WINDOW_HEADER_SIZE);
    check(fault(alone, BLOOM_WINDOW_HEADER_SIZE) == BLOOM_TRUNCATED,
          "a header without filters is truncated");
    free(alone);
    memcpy(at, w, size);
    for (i = 0; i < size; i++) {
        check(fault(at, i) == BLOOM_TRUNCATED, "a truncated image is refused");
        for (bit = 1; bit < 256; bit *= 2) {
            at[i] ^= (unsigned char)bit;
            check(fault(at, size) != BLOOM_OK
                  || (i >= BLOOM_WINDOW_HEADER_SIZE
                      && bloom_window_verify((bloom_window *)(void *)at)
                         == BLOOM_CORRUPT), "a wrong bit is found");
            at[i] ^= (unsigned char)bit;
        }
    }
    at[24]++;
    check(fault(at, size) == BLOOM_CORRUPT, "a wrong time is corruption");
    check(bloom_window_verify((bloom_window *)(void *)at) == BLOOM_CORRUPT,
          "verify finds a wrong header");
    at[3]++;
    check(fault(at, size) == BLOOM_WRONG_VERSION, "another version is refused");
    check(fault(at, 63) == BLOOM_TRUNCATED, "63 bytes are truncated");
    at[2]++;
    check(fault(at, size) == BLOOM_NOT_A_FILTER, "another magic is refused");
    check(fault(at, BLOOM_WINDOW_HEADER_SIZE) == BLOOM_NOT_A_FILTER,
          "64 bytes are not truncated");
    check(fault(NULL, 0) == BLOOM_TRUNCATED, "0 bytes are truncated");
    check(!bloom_window_open(NULL, 0, NULL), "the error may be NULL");
}

/* A flipped bit in an old generation stays visible, also when keys are added
   and the window is sealed again, until that generation is forgotten. Then the
   image is sound. */
static void keep_damage_visible(void)
{
    bloom_window *w = make(100, 0.01, 4, BLOOM_CLASSIC);
    uint64_t key;
    unsigned g, steps;
    for (key = 0; key < 100; key++)
        bloom_window_add_u64(w, key);
    check(bloom_window_verify(w) == BLOOM_UNSEALED, "there is no seal yet");
    bloom_window_seal(w);
    check(bloom_window_verify(w) == BLOOM_OK, "all seals match");
    for (g = 1; g < 4; g++) {
        const size_t at = (size_t)((const unsigned char *)
            (const void *)bloom_window_generation(w, g) - bytes_of(w)) + 32;
        bytes_of(w)[at] ^= 1;
        check(bloom_window_verify(w) == BLOOM_CORRUPT, "the damage is seen");
        bloom_window_add_u64(w, 1000 + g);
        check(bloom_window_verify(w) == BLOOM_CORRUPT,
              "a corrupt generation matters more than an unsealed one");
        bloom_window_seal(w);
        check(bloom_window_verify(w) == BLOOM_CORRUPT,
              "sealing does not hide the damage");
        for (steps = 4 - g; steps > 0; steps--)
            bloom_window_step(w);
        bloom_window_seal(w);
        check(bloom_window_verify(w) == BLOOM_OK,
              "the damaged generation is forgotten");
    }
    bloom_window_free(w);
}

/* Tries headers that have a right check and right seals, but impossible
   fields. */
static void forge(const bloom_window *w, unsigned char *at)
{
    static const struct { size_t at; unsigned char value; } wrong[] = {
        { 4, 1 }, { 4, 17 }, { 5, 4 }, { 6, 1 }, { 7, 1 }, { 8, 0 }, { 16, 35 }
    };
    const bloom *newest = bloom_window_generation(w, 0);
    const size_t size = bloom_window_size(w);
    uint64_t check_word;
    size_t i, j;
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memcpy(at, w, size);
        at[5] = at[16] = 0;             /* possible for any g and any room */
        at[wrong[i].at] = wrong[i].value;
        check_word = bloom_hash_key(newest, at, 40).h1;
        for (j = 0; j < 8; j++, check_word >>= 8)
            at[40 + j] = (unsigned char)(check_word & 255);
        check(fault(at, size) == BLOOM_BAD_HEADER,
              "an impossible field is refused");
    }
    memcpy(at, w, size);
    at += BLOOM_WINDOW_HEADER_SIZE + bloom_size(newest);
    at[23]++;                           /* the seed's last byte */
    bloom_seal(bloom_open(at, size, NULL));
    at -= BLOOM_WINDOW_HEADER_SIZE + bloom_size(newest);
    check(fault(at, size) == BLOOM_BAD_HEADER,
          "filters of different plans are refused");
}

/* The size of an image, from its first 96 bytes and no more */
static void sizes(void)
{
    bloom_window *w = make(100, 0.01, 4, BLOOM_CLASSIC);
    const size_t size = bloom_window_size(w);
    unsigned char *head = (unsigned char *)malloc(96);
    bloom_error error = BLOOM_CORRUPT;
    unsigned i, bit;
    memcpy(head, w, 96);
    check(bloom_window_image_size(head, &error) == size && error == BLOOM_OK,
          "the size of an image");
    check(bloom_window_image_size(head, NULL) == size, "error may be NULL");
    check(bloom_window_image_size(NULL, &error) == 0
          && error == BLOOM_TRUNCATED, "no bytes");
    for (i = 0; i < 96; i++)
        for (bit = 1; bit < 256; bit *= 2) {
            head[i] ^= (unsigned char)bit;
            check((bloom_window_image_size(head, &error) == 0)
                  == (error != BLOOM_OK), "a size, or an error");
            check(i >= 64 || error != BLOOM_OK, "a wrong header has no size");
            memcpy(bytes_of(w), head, 64);
            check(i >= 64 || bloom_window_verify(w) == BLOOM_CORRUPT,
                  "verify looks at all of the header");
            head[i] ^= (unsigned char)bit;
        }
    memcpy(bytes_of(w), head, 64);
    head[0] = 'b';
    check(bloom_window_image_size(head, &error) == 0
          && error == BLOOM_NOT_A_FILTER, "the error");
    head[0] = 'B';
    head[64 + 3] = 9;
    check(bloom_window_image_size(head, &error) == 0
          && error == BLOOM_WRONG_VERSION, "the error of a generation");
    free(head);
    bloom_window_free(w);
}

/* Writes a 64-bit number, and then the check of the header. */
static void write_at(unsigned char *head, size_t at, uint64_t number)
{
    uint64_t check_word;
    unsigned i;
    for (i = 0; i < 8; i++, number >>= 8)
        head[at + i] = (unsigned char)(number & 255);
    check_word = bloom_hash_key(
        bloom_window_generation((bloom_window *)(void *)head, 0), head, 40).h1;
    for (i = 0; i < 8; i++, check_word >>= 8)
        head[40 + i] = (unsigned char)(check_word & 255);
}

/* The largest generations of 2..16 with which the image fits into size_t, and
   then 32 bytes more. Only the header is read, so no memory is needed. */
static void largest_sizes(void)
{
    unsigned char memory[64 + 16 * 64];
    bloom_window_plan plan = { { 64, 0, 1, BLOOM_COUNTING, 64 }, 1, 2 };
    bloom_error error = BLOOM_OK;
    for (; plan.generations <= 16; plan.generations++) {
        const size_t each = (SIZE_MAX - 64) / plan.generations / 32 * 32;
        plan.filter.cells = 64;
        check(bloom_window_init(memory, sizeof memory, plan) != NULL,
              "a header");
        plan.filter.cells = (uint64_t)(each - 32) * 2;
        write_at(memory, 64 + 8, plan.filter.cells);
        check(bloom_window_image_size(memory, &error)
              == 64 + plan.generations * each && error == BLOOM_OK
              && bloom_window_plan_size(plan)
                 == 64 + plan.generations * each, "the largest image");
        plan.filter.cells += 64;
        write_at(memory, 64 + 8, plan.filter.cells);
        check(bloom_window_image_size(memory, &error) == 0
              && error == BLOOM_UNSUPPORTED
              && bloom_window_plan_size(plan) == 0, "a larger one");
    }
}

/* The trap: a window in front of a store that keeps its entries for longer
   hides them. In front of one that keeps the last n only, it hides none. */
static void not_lately(void)
{
    enum { N = 50, ENTRIES = 400 };
    bloom_window *w = make(N, 1e-6, 8, BLOOM_CLASSIC);
    unsigned store[ENTRIES], i, hidden = 0, hidden_of_last = 0;
    for (i = 0; i < ENTRIES; i++)
        bloom_window_add_u64(w, store[i] = i);
    for (i = 0; i < ENTRIES; i++) {
        hidden += !knows(w, store[i]);
        hidden_of_last += i >= ENTRIES - N && !knows(w, store[i]);
    }
    check(hidden > ENTRIES / 2, "entries that are in the store are hidden");
    check(hidden_of_last == 0, "the last n are not");
    bloom_window_free(w);
}

/* Opens, for each number of generations, a full window of one key each. */
static void open_full(void)
{
    static const uint64_t last[2] = { 19, 19 };
    unsigned g, key;
    bool is_new[2];
    bloom_window *w;
    for (g = 2; g <= 16; g++) {
        w = make(g - 1, 0.01, g, BLOOM_CLASSIC);
        for (key = 0; key < 20; key++)
            bloom_window_add_u64(w, key);
        check(room_of(w) == 1 && bloom_window_keys(w) == 1,
              "the window is full");
        check(bloom_window_open(w, bloom_window_size(w), NULL) == w,
              "a full window opens, without a seal");
        is_new[0] = is_new[1] = true;
        check(bloom_window_add_many_u64(w, last, 2, is_new) == 0
              && !is_new[0] && !is_new[1], "many repeats");
        bloom_window_free(w);
    }
}

static void images(void)
{
    static const unsigned char head[40] = {
        'B', 'L', 'W', 1, 4, 2, 0, 0,  34, 0, 0, 0, 0, 0, 0, 0,
        32, 0, 0, 0, 0, 0, 0, 0,  8, 7, 6, 5, 4, 3, 2, 1,
        0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8 };
    static const unsigned char zeros[16];
    static unsigned char memory[1 << 16];
    bloom_window *w = make(100, 0.01, 4, BLOOM_CLASSIC);
    uint64_t key;
    unsigned shift;
    check(bloom_window_keys(w) == 0 && bloom_window_time(w) == 0
          && bloom_window_span(w) == 0, "a new window is empty");
    bloom_window_set_time(w, 0x0102030405060708U, 0xF8F7F6F5F4F3F2F1U);
    check(bloom_window_time(w) == 0x0102030405060708U
          && bloom_window_span(w) == 0xF8F7F6F5F4F3F2F1U, "its two numbers");
    check(bloom_window_verify(w) == BLOOM_UNSEALED, "the header's new check");
    for (key = 0; key < 100; key++)
        bloom_window_add_u64(w, key);
    check(memcmp(w, head, 40) == 0, "the bytes of the header");
    check(bloom_hash_key(bloom_window_generation(w, 0), head, 40).h1 % 256
          == bytes_of(w)[40], "the check of the header");
    check(memcmp(bytes_of(w) + 48, zeros, 16) == 0, "zeros at its end");
    check((uintptr_t)w % 32 == 0, "the window is aligned");
    check(!bloom_window_generation(w, 4), "there are four generations");
    forge(w, memory);
    for (shift = 0; shift < 8; shift++)
        go_on(w, memory + shift);
    bend(w, memory + 3);
    bloom_window_free(w);
}

/* A cleared window is like a new one, but for its two numbers. A copy is equal
   and independent. */
static void clear_and_copy(void)
{
    bloom_window *w = make(100, 0.01, 4, BLOOM_BLOCKED), *copy;
    bloom_window *unused = make(100, 0.01, 4, BLOOM_BLOCKED);
    const size_t size = bloom_window_size(w);
    double right = 1, rate;
    uint64_t key;
    unsigned i;
    copy = bloom_window_copy(w);
    check(copy && memcmp(w, copy, size) == 0, "a copy of an empty window");
    for (key = 0; key < 100; key++)
        bloom_window_add_u64(w, key);
    check(copy && !bloom_window_may_contain_u64(copy, 99)
          && bloom_window_may_contain_u64(w, 99), "a copy is independent");
    for (i = 0; i < 4; i++)
        right *= 1 - bloom_fpr(bloom_window_generation(w, i));
    rate = bloom_window_fpr(w);
    check(rate > 0 && rate < 0.01, "its rate");
    check(rate > 1 - right - 1e-6 && rate < 1 - right + 1e-6,
          "the chance that any generation contains a key by mistake");
    check(bloom_window_estimate(w) >= 95 && bloom_window_estimate(w) <= 105,
          "how many keys are in");
    if (copy) {                         /* a generation without unset cells */
        memset(bytes_of(copy) + 64 + 32, 255,
               bloom_size(bloom_window_generation(copy, 0)) - 32);
        check(bloom_window_estimate(copy) == UINT64_MAX
              && bloom_window_fpr(copy) >= 1, "a full generation");
        bloom_window_clear(copy);
    }
    bloom_window_clear(w);
    check(copy && memcmp(w, copy, size) == 0 && memcmp(w, unused, size) == 0,
          "a cleared window is like a new one");
    check(bloom_window_fpr(w) <= 0 && bloom_window_estimate(w) == 0,
          "its rate is 0");
    bloom_window_free(w);
    bloom_window_free(copy);
    bloom_window_free(unused);
    bloom_window_free(NULL);
}

/* g - 1 generations have room for n keys. The rate of each is at most its
   share, 0.5 / g, even with the keys that are not counted because they are
   false positives. 0 keys count as 1. With 64-bit sizes, 2^61 keys have a plan,
   and 2^62 have none. */
static void plans(void)
{
    uint64_t n, more;
    unsigned g;
    check(bloom_window_plan_for(0, 0.5, 2, BLOOM_CLASSIC).room == 1,
          "the room of a plan for 0 keys");
    for (n = 61; n <= 62; n++)
        check(SIZE_MAX < UINT64_MAX
              || (bloom_plan_size(bloom_window_plan_for(
                      1ULL << n, 0.999, 16, BLOOM_CLASSIC).filter) > 0)
                 == (n == 61), "the greatest n of a plan");
    for (g = 2; g <= 16; g++)
        for (n = 1; n <= 50; n++) {
            bloom_window_plan plan = bloom_window_plan_for(n, 0.5, g,
                                                           BLOOM_CLASSIC);
            check(plan.generations == g && plan.room * (g - 1) >= n
                  && (plan.room - 1) * (g - 1) < n, "the room of a plan");
            more = (uint64_t)((double)plan.room * 0.5 / g);
            check(bloom_plan_fpr(plan.filter, plan.room + more) <= 0.5 / g,
                  "the rate of a plan");
            check(bloom_window_plan_size(plan)
                  == 64 + g * bloom_plan_size(plan.filter),
                  "the size of a plan");
        }
}

static void refusals(void)
{
    static const double rates[] = { 0, 1, -1, 1e300, -1e300 };
    static const unsigned wrong[] = { 0, 1, 17, 258 };
    unsigned char memory[1000];
    const bloom_window_plan plan = { BLOOM_PLAN(9, 10), 9, 2 };
    bloom_window_plan none = plan;
    const size_t size = bloom_window_plan_size(plan);
    size_t i;
    bloom_window *w;
    none.filter.cells = 1ULL << 62;     /* 2^63 bytes, if size_t has 64 bits */
    none.generations = 16;
    check(!bloom_window_create(none), "more memory than there is");
    none.generations = 4;               /* 2^61 bytes: 8 times that wraps */
    check(!bloom_window_create(none), "a size that wraps");
    none = plan;
    for (i = 0; i < sizeof rates / sizeof *rates; i++)
        check(!bloom_window_new(9, rates[i], 2, BLOOM_CLASSIC),
              "an impossible rate is refused");
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        none.generations = wrong[i];
        check(!bloom_window_new(9, 0.1, wrong[i], BLOOM_CLASSIC),
              "new refuses an impossible g");
        check(bloom_window_plan_size(none) == 0 && !bloom_window_create(none),
              "create refuses an impossible g");
        check(!bloom_window_init(memory, sizeof memory, none),
              "init refuses an impossible g");
    }
    check(!bloom_window_new(UINT64_MAX, 1e-15, 2, BLOOM_CLASSIC),
          "too large an n is refused");
    check(!bloom_window_new(UINT64_MAX / 4, 1e-15, 16, BLOOM_BLOCKED),
          "too large an n is refused, blocked");
    check(!bloom_window_new(UINT64_MAX / 64, 0.5, 2, BLOOM_CLASSIC),
          "more memory than exists is refused");
    memset(memory, 'x', sizeof memory);
    check(!bloom_window_init(memory, size - 1, plan) && memory[0] == 'x',
          "too little memory is refused");
    none = plan;
    none.room = 0;
    check(!bloom_window_init(memory, size, none), "a room of 0 is refused");
    check(!bloom_window_init(NULL, size, plan), "NULL is refused");
    none = plan;
    none.filter.hashes = 0;
    check(!bloom_window_init(memory, size, none),
          "an impossible plan is refused");
    w = bloom_window_init(memory, size, plan);
    check(w && bloom_window_size(w) == size && memory[size] == 'x',
          "enough memory is accepted");
    check(w && bloom_window_plan_of(w).filter.cells == plan.filter.cells
          && room_of(w) == 9 && generations_of(w) == 2, "the plan of a window");
}

/* Three windows get the same keys by their hashes: one key per call, more keys
   per call than are hashed at a time, and without results. All answers must be
   the same, and the images, too. */
static void many(void)
{
    enum { COUNT = 500 };
    static uint64_t number[COUNT];
    static bloom_hash hash[COUNT];
    static bloom_key key[COUNT];
    static bool answer[COUNT];
    bloom_window *one = make(300, 0.01, 4, BLOOM_CLASSIC);
    bloom_window *all = bloom_window_copy(one);
    bloom_window *blind = bloom_window_copy(one);
    const bloom *like = bloom_window_generation(one, 0);
    const size_t size = bloom_window_size(one);
    unsigned i, pass, trues;
    size_t returned;
    for (pass = 0; pass < 6; pass++) {  /* each kind of key, twice */
        for (i = 0; i < COUNT; i++) {
            number[i] = key_at(i + 300 * (pass / 3));
            hash[i] = bloom_hash_u64(like, number[i]);
            key[i].data = &number[i];
            key[i].size = i % 9;
        }
        returned = MANY(bloom_window_add, all, pass % 3, key, number, hash,
                        COUNT, answer);
        check(returned == MANY(bloom_window_add, blind, pass % 3, key, number,
                               hash, COUNT, NULL),
              "adding many without results");
        for (i = trues = 0; i < COUNT; i++) {
            check(answer[i] == ONE(bloom_window_add, one, pass % 3, key[i],
                                   number[i], hash[i]), "adding many at once");
            trues += answer[i];
        }
        check(returned == trues && trues > 0, "how many were new");
        check(memcmp(one, all, size) == 0 && memcmp(one, blind, size) == 0,
              "the image after adding many at once");
        for (i = 0; i < COUNT; i++) {
            number[i] = i + 200 * (pass / 3);
            hash[i] = bloom_hash_u64(like, number[i]);
            key[i].size = i % 9;
        }
        returned = MANY(bloom_window_may_contain, all, pass % 3, key, number,
                        hash, COUNT, answer);
        check(returned == MANY(bloom_window_may_contain, all, pass % 3, key,
                               number, hash, COUNT, NULL),
              "looking up many without results");
        for (i = trues = 0; i < COUNT; i++) {
            check(answer[i] == ONE(bloom_window_may_contain, one, pass % 3,
                                   key[i], number[i], hash[i]),
                  "looking up many at once");
            trues += answer[i];
        }
        check(returned == trues && trues > 0, "how many may be in");
    }
    bloom_window_free(one);
    bloom_window_free(all);
    bloom_window_free(blind);
}

/* ---- Time --------------------------------------------------------------- */

/* Adds keys from..to - 1, as the header says: after a call of advance, at most
   as many as the newest generation has room for. Returns how many of the calls
   returned true. */
static unsigned add_at(bloom_window *w, uint64_t now, uint64_t span,
                       uint64_t from, uint64_t to)
{
    unsigned forgot = 0;
    while (from < to) {
        forgot += bloom_window_advance(w, now, span);
        check(bloom_window_keys(w) < room_of(w), "advance makes room");
        do
            bloom_window_add_u64(w, from++);
        while (from < to && bloom_window_keys(w) < room_of(w));
    }
    return forgot;
}

/* Hours in which few keys come and bursts, with at most n keys in any 2 * span:
   no key that is younger than span is ever forgotten. And if no generation was
   ever full, none is known for much longer than span. */
static void remember_by_age(unsigned g, bloom_layout layout, bool bursts)
{
    enum { KEY = 2000 };
    static uint64_t added[KEY];         /* when */
    const uint64_t n = 700, span = 1000;
    uint64_t now = 1000000, key = 0, old = 0, young = 0, recent = 0, some;
    uint64_t lost = 0, kept = 0;
    unsigned forgot = 0;
    bloom_window *w = make(n, 1e-9, g, layout);
    while (key < KEY) {
        now += below(bursts ? 100 : 20);
        for (; recent < key && added[recent] + 2 * span < now; recent++)
            ;
        some = bursts ? below(9) == 0 ? below(n)
                                             : below(8)
                      : below(4);
        some = some < n - (key - recent) ? some : n - (key - recent);
        some = some < KEY - key ? some : KEY - key;
        forgot += add_at(w, now, span, key, key + some);
        for (; some > 0; some--)
            added[key++] = now;
        forgot += bloom_window_advance(w, now, span);
        check(bloom_window_fpr(w) < 2e-9, "no generation is too full");
        for (; young < key && added[young] + span <= now; young++)
            ;
        for (some = young; some < key; some++)
            lost += !knows(w, some);
        for (; old < key && added[old] + span + span / (g - 1) + 20 < now;
             old++)
            kept += knows(w, old);
    }
    check(lost == 0, "no key younger than span is forgotten");
    check(forgot == 0, "there is room for n keys");
    check(bursts || kept == 0, "keys older than span are forgotten");
    now += 2 * span + 2 * span / (g - 1);
    bloom_window_advance(w, now, span);
    check(bloom_window_estimate(w) == 0, "all keys are forgotten");
    bloom_window_free(w);
}

/* 100 keys each morning, 600 at noon: n = 700 keys are known for a day. */
static void burst_at_noon(void)
{
    const uint64_t hour = 3600, day = 24 * hour;
    uint64_t now = 5 * day, key = 0;
    unsigned i, missing = 0;
    bloom_window *w = make(700, 1e-6, 8, BLOOM_CLASSIC);
    bloom_window *copy;
    for (i = 0; i < 10; i++, key += 10, now += hour)
        check(!add_at(w, now, day, key, key + 10), "the morning");
    now += 2 * hour;
    check(!add_at(w, now, day, key, key + 600), "noon: there is room for all");
    for (i = 0; i < 12; i++, now += hour)
        check(!bloom_window_advance(w, now, day), "the afternoon");
    for (key = 0; key < 700; key++)
        missing += !knows(w, key);
    check(missing == 0, "all are known at midnight");
    copy = bloom_window_copy(w);
    check(copy && add_at(copy, now, day, 700, 901),
          "200 more than there is room for: it tells");
    check(copy && knows(copy, 900) && knows(copy, 500), "and drops old ones");
    bloom_window_free(copy);
    bloom_window_advance(w, now + day, day);
    check(!knows(w, 0), "the first are forgotten the next day");
    bloom_window_advance(w, now + 7 * day, day);
    check(bloom_window_estimate(w) == 0, "after a week nothing is known");
    check(!add_at(w, now + 7 * day, day, 0, 1) && knows(w, 0), "it goes on");
    bloom_window_free(w);
}

/* Seven generations that ended by time, each with room left, take a burst. */
static void burst_into_halves(void)
{
    uint64_t part, key = 0;
    bloom_window *w = make(700, 1e-6, 8, BLOOM_CLASSIC);
    for (part = 0; part < 8; part++, key += 60)
        check(!add_at(w, 100 * part, 700, key, key + 60), "60 keys a part");
    check(!add_at(w, 790, 700, key, key + 220), "there is room for 220 more");
    for (key = 0; key < 700; key++)
        check(knows(w, key), "all 700 are known");
    bloom_window_free(w);
}

static bool knows_all(const bloom_window *w, uint64_t from, uint64_t to)
{
    while (from < to && knows(w, from))
        from++;
    return from == to;
}

/* Fills `count` generations of 100 keys at `now`. Returns the window, whose
   time is then the latest one if count is 7. */
static bloom_window *fill_at(uint64_t now, uint64_t span, unsigned count)
{
    bloom_window *w = make(700, 1e-12, 8, BLOOM_CLASSIC);
    bloom_window_advance(w, now, span);
    check(!add_at(w, now, span, 0, 100 * count), "there is room");
    check(!bloom_window_advance(w, now, span), "and one more generation");
    return w;
}

/* A full generation adds a part to the time, as long as all keys would be
   forgotten too early otherwise. Near 2^64, the time stops. */
static void full_generations(void)
{
    const uint64_t late = UINT64_MAX - 50;
    bloom_window *w;
    unsigned i;
    for (i = 1; i <= 7; i++) {
        w = fill_at(1010, 700, i);
        check(bloom_window_time(w) == (i < 7 ? 1010 + 100 * i : 1610),
              "the time after a full generation");
        bloom_window_advance(w, 1709, 700);
        check(knows_all(w, 0, 100 * i), "younger than 700");
        bloom_window_advance(w, 1010 + 100 * i + 700, 700);
        check(!knows(w, 0), "forgotten in time");
        bloom_window_free(w);
    }
    w = fill_at(late, 70, 7);
    check(bloom_window_time(w) == UINT64_MAX, "the last time");
    bloom_window_advance(w, UINT64_MAX, 70);
    check(knows_all(w, 0, 700), "50 units old");
    bloom_window_advance(w, UINT64_MAX, 7);
    bloom_window_advance(w, UINT64_MAX, UINT64_MAX);
    check(knows_all(w, 0, 700), "just counted as added");
    bloom_window_free(w);
}

/* An older generation is used again if it has room for more than 1 / 2g of its
   keys: here, for 13 of 100. */
static void small_rests(uint64_t keys)
{
    bloom_window *w = make(300, 1e-15, 4, BLOOM_CLASSIC);
    uint64_t part, key = 0;
    bool forgot;
    for (part = 0; part < 3; part++, key += keys)
        check(!add_at(w, 100 * part, 300, key, key + keys), "by time");
    add_at(w, 300, 300, key, key + 100);
    check(bloom_estimate(bloom_window_generation(w, 1)) == keys,
          "the estimate of a generation");
    forgot = bloom_window_advance(w, 399, 300);
    check(forgot == (keys >= 88) && knows(w, 0) == !forgot
          && bloom_window_keys(w) == (forgot ? 0 : keys), "which rests count");
    bloom_window_free(w);
}

/* A jump takes g steps: if all 100,000 were taken, generation 100,000 % 3 = 1
   would be the newest. */
static void jumps(void)
{
    bloom_window *w = make(20, 1e-6, 3, BLOOM_CLASSIC);
    const bloom *newest = bloom_window_generation(w, 0);
    add_at(w, 1000, 2, 0, 1);
    bloom_window_advance(w, 101000, 2);
    check(!knows(w, 0), "a jump forgets");
    if (check(bloom_window_generation(w, 0) == newest, "it takes g steps")) {
        add_at(w, 101000, 2, 1, 2);
        check(knows(w, 1), "the window is used again");
        bloom_window_advance(w, 101000 + ((uint64_t)1 << 63), 2);
        check(!knows(w, 1), "a jump of 2^63");
        bloom_window_advance(w, UINT64_MAX, 2);
    }
    bloom_window_free(w);
}

/* A key of one cell, in the oldest generation, is kept when time begins. */
static void one_cell(void)
{
    bloom_window_plan plan = bloom_window_plan_for(40, 0.5, 4, BLOOM_CLASSIC);
    bloom_window *w;
    unsigned i;
    plan.filter.hashes = 1;
    w = bloom_window_create(plan);
    if (!check(w != NULL, "a window is made"))
        return;
    bloom_window_add_u64(w, 7);
    for (i = 1; i < 4; i++)
        bloom_window_step(w);
    check(bloom_ones(bloom_window_generation(w, 3)) == 1, "it has one cell");
    bloom_window_advance(w, 1000, 30);
    bloom_window_advance(w, 1029, 30);
    check(knows(w, 7), "the key counts as added when time begins");
    bloom_window_free(w);
}

/* A clock that is set back to more than g - 2 parts before the time of the
   window: time forgets nothing until the clock reaches that time again. */
static void set_back(void)
{
    const uint64_t boot = 5, right = 1700000000, day = 86400;
    bloom_window *w = make(700, 1e-6, 8, BLOOM_CLASSIC);
    uint64_t i;
    add_at(w, 10000, 100, 0, 50);
    bloom_window_advance(w, 10000 - 6 * 15, 100);
    check(bloom_window_span(w) == 15, "within g - 2 parts");
    bloom_window_advance(w, 10000 - 6 * 15 - 1, 100);
    check(bloom_window_time(w) == 10000 && bloom_window_span(w) == 0,
          "beyond g - 2 parts");
    add_at(w, 5000, 100, 50, 60);
    bloom_window_advance(w, 9999, 100);
    check(bloom_window_time(w) == 10000 && bloom_window_span(w) == 0,
          "not reached yet");
    bloom_window_advance(w, 10001, 100);
    check(bloom_window_time(w) == 10001 && bloom_window_span(w) == 15,
          "the clock was put right");
    bloom_window_advance(w, 10100, 100);
    check(knows_all(w, 0, 60), "no key is lost");
    bloom_window_advance(w, 10001 + 8 * 15, 100);
    check(!knows(w, 0) && !knows(w, 59), "and then they go in time");
    bloom_window_free(w);

    w = make(1400, 1e-6, 8, BLOOM_CLASSIC);     /* a device without a clock */
    for (i = 0; i < 10; i++)
        add_at(w, right + i * 3600, day, i * 100, i * 100 + 100);
    for (i = 0; i < 20; i++)
        check(!add_at(w, boot + i * 60, day, 1000 + i, 1001 + i), "boots");
    bloom_window_advance(w, right + 10 * 3600, day);
    check(knows_all(w, 0, 1020), "none is forgotten");
    bloom_window_advance(w, right + 10 * 3600 + day - 1, day);
    check(knows_all(w, 0, 1020), "for another day");
    check(add_at(w, boot, day, 2000, 3000) > 0 && knows_all(w, 2000, 3000),
          "full generations end, also while time does not");
    check(bloom_window_span(w) == 0 && bloom_window_time(w) > right,
          "and change neither number");
    bloom_window_set_time(w, 0, 0);             /* this is the right time */
    bloom_window_advance(w, 1000, day);
    bloom_window_advance(w, 1000 + day - 1, day);
    check(knows_all(w, 2000, 3000), "the window begins anew");
    bloom_window_advance(w, 1000 + 3 * day, day);
    check(bloom_window_estimate(w) == 0, "and forgets in time");
    bloom_window_free(w);
}

/* The keys that are there stay for the new span. */
static void other_spans(void)
{
    bloom_window *w = fill_at(10000, 420, 7);
    bloom_window_advance(w, 10001, 25200);
    bloom_window_advance(w, 10000 + 25199, 25200);
    check(knows_all(w, 0, 700), "a span that grows");
    bloom_window_advance(w, 10000 + 25200, 25200);
    check(!knows(w, 0), "the oldest is forgotten in time");
    bloom_window_clear(w);
    bloom_window_set_time(w, 0, 0);
    bloom_window_advance(w, 1000, 7000);
    add_at(w, 1999, 7000, 0, 1);
    bloom_window_advance(w, 1999, 7);
    bloom_window_advance(w, 1999 + 6, 7);
    check(knows(w, 0), "a span that shrinks");
    bloom_window_advance(w, 1999 + 8, 7);
    check(!knows(w, 0), "and is forgotten in time");
    bloom_window_free(w);
}

/* A clock that goes back and forth, spans that change, and bursts. A key is in
   while it is younger than span, unless a call returned true. If the clock goes
   back, older keys count as added then. If it was set back, all count as added
   at the first call at which it no longer is. */
static void wander(unsigned g, bloom_layout layout)
{
    enum { KEY = 200, CALLS = 1500 };
    static uint64_t added[KEY];
    static bool is_in[KEY];
    uint64_t now = 5000, span = 700, key = 0, lost = 0, i, some;
    unsigned calls, backs = 0;
    bloom_window *w = make(g * 20, 1e-9, g, layout);
    memset(is_in, 0, sizeof is_in);
    for (calls = 0; calls < CALLS; calls++) {
        const uint64_t kind = below(60), time = bloom_window_time(w);
        const uint64_t ahead = time > now ? time - now : 0;
        bool forgot, back;
        if (kind < 2)
            span = 1 + below(2000);
        some = below(kind == 2 ? 4 * span : kind < 12 ? span
                                                 : span / g + 2);
        now = kind == 2 || kind == 3 || kind == 4
            ? now - (some < now ? some : now) : kind < 8 ? now + ahead
            : now + some;
        back = time > now && time - now > (g - 2) * bloom_window_span(w);
        forgot = bloom_window_advance(w, now, span);
        backs += back;
        check((bloom_window_span(w) == 0) == back
              && (!back || bloom_window_time(w) == time),
              "set back, or not");
        for (i = 0; i < KEY; i++) {
            added[i] = back ? UINT64_MAX : added[i] < now ? added[i] : now;
            is_in[i] = is_in[i] && !forgot && (back || now - added[i] < span);
            lost += is_in[i] && !knows(w, i);
        }
        for (some = below(kind % 8 ? 4 : 40); some > 0
             && bloom_window_keys(w) < room_of(w); some--, key++) {
            bloom_window_add_u64(w, key % KEY);
            added[key % KEY] = now;
            is_in[key % KEY] = true;
        }
    }
    check(lost == 0, "no key younger than span is forgotten");
    check(backs > 50 && backs < CALLS / 2, "the clock was set back at times");
    bloom_window_free(w);
}

/* The numbers in the header, and extreme times */
static void clocks(void)
{
    static const uint64_t nows[] = { 0, 1, UINT64_MAX / 2, UINT64_MAX };
    static const uint64_t spans[] = { 0, 1, 2, 700, UINT64_MAX };
    uint64_t key;
    unsigned i, j, g;
    bloom_window *w = make(700, 1e-6, 8, BLOOM_CLASSIC);
    bloom_window_advance(w, 5000, 701);
    check(bloom_window_time(w) == 5000 && bloom_window_span(w) == 101,
          "when the first generation began, and how long it lasts");
    add_at(w, 5000, 701, 0, 50);
    bloom_window_advance(w, 5100, 701);
    check(bloom_window_time(w) == 5000, "the generation goes on");
    bloom_window_advance(w, 5330, 701);
    check(bloom_window_time(w) == 5303 && bloom_window_keys(w) == 0
          && knows(w, 0), "three parts later");
    add_at(w, 9000, 701, 0, 50);
    for (i = 0; i < 99; i++)                /* one that wavers */
        bloom_window_advance(w, 9000 + i * 7 - i % 2 * 300, 701);
    check(knows(w, 0), "a clock that wavers forgets nothing");
    bloom_window_clear(w);
    bloom_window_set_time(w, 0, 0);
    bloom_window_advance(w, 500, 0);
    check(bloom_window_span(w) == 1, "a span of 0 counts as 1");
    bloom_window_set_time(w, 0, 0);
    bloom_window_advance(w, 500, 700);
    check(bloom_window_span(w) == 100, "a seventh of the span");
    bloom_window_advance(w, 599, 700);
    check(bloom_window_time(w) == 500, "not ended yet");
    bloom_window_advance(w, 600, 700);
    check(bloom_window_time(w) == 600, "but then");
    bloom_window_advance(w, 600, 7000);
    check(bloom_window_time(w) == 6000 && bloom_window_span(w) == 1000,
          "another span");
    bloom_window_free(w);
    w = make(70, 1e-6, 8, BLOOM_CLASSIC);   /* has keys before the first call */
    for (key = 0; key < 60; key++)
        bloom_window_add_u64(w, key);
    bloom_window_step(w);                   /* generations 0 and 1 are empty */
    bloom_window_step(w);
    for (i = 0; i < 7; i++)
        bloom_window_advance(w, 1000 + i * 100, 700);
    for (key = 0; key < 60; key++)
        check(knows(w, key), "keys from before the first call count as new");
    bloom_window_free(w);
    for (g = 2; g <= 16; g += 7)
        for (i = 0; i < 4; i++)
            for (j = 0; j < 5; j++) {
                w = make(g, 1e-9, g, BLOOM_CLASSIC);
                check(!add_at(w, nows[i], spans[j], 0, g) && knows(w, 0),
                      "extreme numbers");
                bloom_window_free(w);
            }
}

/* ---- Kills ----------------------------------------------------------------
   bloom_window.h calls between_stores where it says that all stores before come
   first. What was stored since the last such place may be in the file or not,
   byte by byte, when the process is killed. So each such image of the window is
   tried: a copy goes on by bloom_window_resume, which may be killed in the same
   way, and has_kept tells whether all is in that the window promises. */

enum { MOST = 4096, CHANGED = 8 };

typedef struct watch {
    unsigned char *image;
    unsigned char before[MOST];
    size_t size;
    struct watch *within;               /* the call that was killed before */
} watch;

static watch *watched;                  /* NULL: no call is being killed */
static bool (*has_kept)(bloom_window *w);
static bloom_window_plan kept_plan;
static unsigned long kills;

static void try_image(const unsigned char *image);

/* Some of the bytes that changed are in the file. If they are few, all
   combinations are tried, else the first, the last, and others by chance. */
static void try_images(const watch *at, const size_t *changed, size_t count)
{
    unsigned char image[MOST];
    const unsigned long all = count < CHANGED ? 1UL << count
                                              : 3 * (unsigned long)count;
    unsigned long try, i, bits;
    for (try = 0; try < all; try++) {
        bits = count < CHANGED ? try : (unsigned long)random64();
        memcpy(image, at->before, at->size);
        for (i = 0; i < count; i++)
            if (count < CHANGED ? bits >> i & 1
                : try < count ? i < try
                : try < 2 * count ? i >= try - count : below(2))
                image[changed[i]] = at->image[changed[i]];
        try_image(image);
    }
}

/* A disk for power cuts: the system writes any sectors at any time. */
static unsigned char disk[MOST];
static const unsigned char *cached;     /* what is written to it; or NULL */
static size_t cached_size;

static void write_some(void)
{
    size_t at;
    for (at = 0; cached && at < cached_size; at += 64)
        if (below(8) == 0)
            memcpy(disk + at, cached + at,
                   cached_size - at < 64 ? cached_size - at : 64);
}

static void between_stores(void)
{
    static size_t changed[3][MOST];
    watch *at = watched;
    size_t i, count = 0, depth = at && at->within ? 1 : 0;
    write_some();
    if (!at)
        return;
    for (i = 0; i < at->size; i++)
        if (at->before[i] != at->image[i])
            changed[depth][count++] = i;
    if (count > 0)
        try_images(at, changed[depth], count);
    memcpy(at->before, at->image, at->size);
}

/* Begins to watch w, or the end of the watch. */
static void watch_window(watch *at, void *w, size_t size)
{
    at->image = (unsigned char *)w;
    at->size = size;
    at->within = watched;
    memcpy(at->before, w, size);
    watched = at;
}

static void end_watch(void)
{
    watch *at = watched;
    between_stores();
    watched = at->within;
}

static void try_image(const unsigned char *image)
{
    watch *at = watched, again;
    unsigned char copy[MOST];
    bloom_error error = BLOOM_UNSEALED;
    bloom_window *w;
    kills++;
    memcpy(copy, image, at->size);
    watched = at->within || below(16) ? NULL : at;
    if (watched)
        watch_window(&again, copy, at->size);
    w = bloom_window_resume(copy, at->size, kept_plan, &error);
    if (watched)
        end_watch();
    watched = NULL;
    if (check(w && error == BLOOM_OK, "a killed window goes on"))
        check(has_kept(w), "it has kept what it promises");
    watched = at;
}

/* ---- Each call */

enum { SOME = 40 };                     /* keys that are looked for */
static bloom_window *was, *becomes;     /* the window before and after a call */
static bool stays[SOME];
static unsigned which_call;
static uint64_t first_key;

static bool is_either(uint64_t (*number)(const bloom_window *),
                      const bloom_window *w)
{
    return number(w) == number(was) || number(w) == number(becomes);
}

/* Makes one of the calls that write. */
static void call(bloom_window *w)
{
    uint64_t keys[10];
    unsigned i;
    for (i = 0; i < 10; i++)
        keys[i] = (first_key + i) % SOME;
    switch (which_call) {
    case 0:
        bloom_window_step(w);
        break;
    case 1:                             /* byte 63 becomes 'C' */
        bloom_window_set_time(w, bloom_window_time(w) + 0x0102030405060708U,
                              bloom_window_span(w) ^ 0x43FFFFFFFFFFFFFFU);
        break;
    case 2:
        bloom_window_seal(w);
        break;
    case 3:
        bloom_window_clear(w);
        break;
    case 4: case 5:
        bloom_window_add_many_u64(w, keys, 10, NULL);
        break;
    default:
        bloom_window_add_u64(w, keys[0]);
    }
}

/* A key that is in before and after the call is in meanwhile, unless the call
   forgets it and adds it again. */
static void which_stay(void)
{
    uint64_t key, adds = which_call < 4 ? 0 : which_call < 6 ? 10 : 1;
    for (key = 0; key < SOME; key++)
        stays[key] = (key + SOME - first_key) % SOME >= adds
                  && knows(was, key) && knows(becomes, key);
}

static bool has_kept_both(bloom_window *w)
{
    uint64_t key;
    for (key = 0; key < SOME; key++)
        if (stays[key] && !check(knows(w, key), "a key that is not forgotten"))
            return false;
    return check(is_either(bloom_window_keys, w)
                 || (which_call >= 4
                     && bloom_window_keys(w) % room_of(w) == 0),
                 "the number of keys, or that before or after a step")
        && check(is_either(bloom_window_time, w)
                 && is_either(bloom_window_span, w)
                 && (bloom_window_time(w) == bloom_window_time(was))
                    == (bloom_window_span(w) == bloom_window_span(was)),
                 "both times are old, or both are new")
        && check(which_call >= 4 || bloom_window_keys(w) > 0
                 || bloom_ones(bloom_window_generation(w, 0)) == 0,
                 "a new generation has no old keys")
        && check(bloom_window_verify(w) == BLOOM_UNSEALED, "no seal is left");
}

/* Makes `count` calls. At first, the window has `keys` keys of its own. */
static void kill_calls(uint64_t n, unsigned g, bloom_layout layout,
                       uint64_t keys, unsigned count)
{
    bloom_window *w = make(n, 1e-9, g, layout);
    const size_t size = bloom_window_size(w);
    unsigned calls;
    watch at;
    kept_plan = bloom_window_plan_of(w);
    has_kept = has_kept_both;
    while (keys-- > 0)
        bloom_window_add_u64(w, SOME + keys);
    for (calls = 0; calls < count; calls++) {
        which_call = calls < 10 ? 6 : below(12);
        first_key = calls % SOME;
        was = bloom_window_copy(w);
        becomes = bloom_window_copy(w);
        call(becomes);
        which_stay();
        watch_window(&at, w, size);
        call(w);
        end_watch();
        check(memcmp(w, becomes, size) == 0, "the same call");
        if (which_call == 2)                 /* a process that goes on */
            w = bloom_window_resume(w, size, kept_plan, NULL);
        bloom_window_free(was);
        bloom_window_free(becomes);
    }
    bloom_window_free(w);
}

/* ---- Keys by their age */

enum { LIVES = 64 };
static struct life {
    uint64_t added;
    bool is_in;
} lives[LIVES];
static uint64_t kill_now, kill_span;

/* The window, which ages, keeps each key until it is span old. */
static bool has_kept_young(bloom_window *w)
{
    uint64_t now, i;
    const uint64_t end = kill_now + kill_span, step = kill_span / 7 + 1;
    bool forgot = false;
    for (now = kill_now; now < end && !forgot; now += step) {
        forgot = bloom_window_advance(w, now, kill_span);
        for (i = 0; i < LIVES && !forgot; i++)
            if (lives[i].is_in && now - lives[i].added < kill_span
                && !check(knows(w, i), "a young key"))
                return false;
    }
    return bloom_window_verify(w) == BLOOM_UNSEALED;
}

/* May this call forget young keys? A copy tells. */
static bool may_forget(const bloom_window *w)
{
    bloom_window *copy = bloom_window_copy(w);
    const bool forgets = bloom_window_advance(copy, kill_now, kill_span);
    bloom_window_free(copy);
    return forgets;
}

/* Calls with random times, spans, bursts and keys. */
static void kill_by_age(unsigned g, bloom_layout layout)
{
    const unsigned long before = kills;
    bloom_window *w = make(g * 4, 1e-4, g, layout);
    const size_t size = bloom_window_size(w);
    uint64_t key = 0, had, some, i;
    unsigned calls, again = 0;
    watch at;
    random_state = g;
    kept_plan = bloom_window_plan_of(w);
    has_kept = has_kept_young;
    memset(lives, 0, sizeof lives);
    kill_now = 5000;
    kill_span = 70;
    for (calls = 0; calls < 60; calls++) {
        kill_now += below(4) ? below(kill_span / g + 2) : 0;
        kill_now += below(20) == 0 ? below(3 * kill_span) : 0;
        kill_span = below(12) == 0 ? 5 + below(100) : kill_span;
        for (i = 0; i < LIVES; i++)
            lives[i].is_in = lives[i].is_in && !may_forget(w)
                          && kill_now - lives[i].added < kill_span;
        had = bloom_window_keys(w);
        watch_window(&at, w, size);
        bloom_window_advance(w, kill_now, kill_span);
        end_watch();
        again += bloom_window_keys(w) < had && bloom_window_keys(w) > 0;
        for (some = below(8) ? below(3) : 40; some > 0
             && bloom_window_keys(w) < room_of(w); some--, key++) {
            watch_window(&at, w, size);
            bloom_window_add_u64(w, key % LIVES);
            end_watch();
            lives[key % LIVES].added = kill_now;
            lives[key % LIVES].is_in = true;
        }
    }
    bloom_window_free(w);
    check(again > 0, "a generation was used again");
    check(kills - before > 20000, "many kills");
}

/* ---- Beginning, and going on */

static bool is_a_new_one(bloom_window *w)
{
    return memcmp(w, becomes, bloom_window_size(w)) == 0;
}

/* Zeros become a window. Other bytes are refused and stay, as do zeros for
   which there is no plan. */
static void begin_window(void)
{
    unsigned char memory[MOST + 1], other[MOST];
    const bloom_window_plan none = { { 0, 0, 0, 0, 0 }, 0, 0 };
    bloom_window_plan plan;
    bloom_error error = BLOOM_OK;
    bloom_window *w;
    size_t size, i;
    watch at;
    becomes = make(12, 1e-4, 4, BLOOM_CLASSIC);
    plan = kept_plan = bloom_window_plan_of(becomes);
    has_kept = is_a_new_one;
    size = bloom_window_size(becomes);
    memset(memory, 0, sizeof memory);
    memory[size] = 1;                   /* is not part of the window */
    check(!bloom_window_resume(memory, size, none, &error)
          && error == BLOOM_NOT_A_FILTER, "zeros, without a plan");
    check(!bloom_window_resume(memory, size - 1, plan, &error)
          && error == BLOOM_NOT_A_FILTER, "too few zeros");
    check(!bloom_window_resume(memory, 63, plan, &error)
          && error == BLOOM_TRUNCATED, "far too few");
    check(!bloom_window_resume(NULL, 0, plan, NULL), "none");
    for (i = 0; i < size; i++) {
        if (((unsigned char *)becomes)[i] == 7)
            continue;
        memory[i] = 7;
        memcpy(other, memory, size);
        check(!bloom_window_resume(memory, size, plan, NULL)
              && memcmp(other, memory, size) == 0, "one byte of another file");
        memory[i] = 0;
    }
    watch_window(&at, memory, size);
    w = bloom_window_resume(memory, size + 1, plan, &error);
    end_watch();
    if (!check(w && error == BLOOM_OK && is_a_new_one(w), "a new window"))
        return;
    check(bloom_window_resume(memory, size, plan, NULL) == w,
          "an empty one goes on");
    bloom_window_add_u64(w, 1);
    bloom_window_step(w);
    bloom_window_seal(w);
    plan.room++;
    memcpy(other, memory, size);
    check(!bloom_window_resume(memory, size, plan, &error)
          && error == BLOOM_BAD_HEADER, "another room");
    plan.room--;
    plan.generations--;
    check(!bloom_window_resume(memory, size, plan, &error)
          && error == BLOOM_BAD_HEADER, "fewer generations");
    plan.generations++;
    plan.filter.seed++;
    check(!bloom_window_resume(memory, size, plan, &error)
          && error == BLOOM_BAD_HEADER, "another seed");
    plan.filter.seed--;
    memory[size - 1] ^= 1;
    check(!bloom_window_resume(memory, size, plan, &error)
          && error == BLOOM_CORRUPT, "damage");
    memory[size - 1] ^= 1;
    check(memcmp(other, memory, size) == 0, "after an error, nothing changed");
    check(bloom_window_resume(memory, size, none, &error) == w
          && error == BLOOM_OK && knows(w, 1), "any plan");
    for (i = 0; i < 4; i++)
        check(bloom_verify(bloom_window_generation(w, (unsigned)i))
              == BLOOM_UNSEALED, "no generation has a seal");
    bloom_window_free(becomes);
}

/* What is wrong with a header in which a change was interrupted: byte `at` has
   this value. Then the image must be as it was, but if it is a window. */
static bloom_error fault_in_change(const bloom_window *w, const char *notes,
                                   size_t at, unsigned char value)
{
    const size_t size = bloom_window_size(w);
    unsigned char image[MOST], before[MOST];
    bloom_error error;
    memcpy(image, w, size);
    image[6] = (unsigned char)notes[0];
    image[7] = (unsigned char)notes[1];
    image[48] = (unsigned char)notes[2];
    image[56] = (unsigned char)notes[3];
    image[at] = value;
    memcpy(before, image, size);
    check(!bloom_window_view(image, size, &error)
          && (error == BLOOM_BAD_HEADER || error == BLOOM_NOT_A_FILTER),
          "no window to be viewed");
    error = fault(image, size);
    check(error == BLOOM_OK || memcmp(image, before, size) == 0,
          "what is refused does not change");
    check(error != BLOOM_OK
          || (fault(image, size) == BLOOM_OK && image[6] + image[7] == 0
              && bloom_window_verify((bloom_window *)(void *)image)
                 == (notes[1] == 'S' || notes[1] == 'U' ? BLOOM_UNSEALED
                                                        : BLOOM_OK)),
          "then it is a whole window");
    return error;
}

/* Changes that no call leaves, as in the image of a stranger */
static void forge_changes(void)
{
    bloom_window *w = make(12, 1e-4, 4, BLOOM_CLASSIC);     /* room: 4 */
    uint64_t key;
    for (key = 0; key < 9; key++)
        bloom_window_add_u64(w, key);
    bloom_window_seal(w);
    check(fault_in_change(w, "\0K\4\3", 0, 'B') == BLOOM_OK
          && fault_in_change(w, "\0T\7\7", 0, 'B') == BLOOM_OK
          && fault_in_change(w, "\1S\7\7", 0, 'B') == BLOOM_OK
          && fault_in_change(w, "\3S\7\7", 0, 'B') == BLOOM_OK
          && fault_in_change(w, "\7P\7\7", 0, 'B') == BLOOM_OK
          && fault_in_change(w, "\0U\0\0", 0, 'B') == BLOOM_OK
          && fault_in_change(w, "\0\0\0\0", 63, 'C') == BLOOM_OK
          && fault_in_change(w, "\0\0\7\7", 63, 'C') == BLOOM_OK, "changes");
    check(fault_in_change(w, "\0K\5\3", 0, 'B') == BLOOM_BAD_HEADER,
          "more keys than a generation has room for");
    check(fault_in_change(w, "\0K\4\4", 0, 'B') == BLOOM_BAD_HEADER,
          "a generation that is not there");
    check(fault_in_change(w, "\0S\4\3", 0, 'B') == BLOOM_BAD_HEADER
          && fault_in_change(w, "\4S\4\3", 0, 'B') == BLOOM_BAD_HEADER,
          "generations to exchange that are not there");
    check(fault_in_change(w, "\0K\4\3", 0, 'b') == BLOOM_NOT_A_FILTER
          && fault_in_change(w, "\0K\4\3", 4, 1) == BLOOM_BAD_HEADER
          && fault_in_change(w, "\0K\4\3", 8, 0) == BLOOM_BAD_HEADER,
          "other fields are still checked");
    check(fault_in_change(w, "\0P\4\3", 24, 1) == BLOOM_CORRUPT
          && fault_in_change(w, "\1S\4\3", 24, 1) == BLOOM_CORRUPT
          && fault_in_change(w, "\0U\4\3", 24, 1) == BLOOM_CORRUPT,
          "a change of the cells alone leaves the check");
    check(fault_in_change(w, "\0X\4\3", 0, 'B') == BLOOM_BAD_HEADER
          && fault_in_change(w, "\0C\0\0", 0, 'B') == BLOOM_BAD_HEADER
          && fault_in_change(w, "\0\0\0\0", 63, 'K') == BLOOM_BAD_HEADER
          && fault_in_change(w, "\0\0\0\0", 63, 'T') == BLOOM_BAD_HEADER,
          "a change that is not known");
    bloom_window_free(w);
}

/* After a power cut, the header may be new and the cells of the generation that
   it has cleared old. Keys that had been on the disk stay for the next n. */
static void cleared_cells_come_back(void)
{
    bloom_window *w = make(400, 0.01, 5, BLOOM_CLASSIC);
    const size_t size = bloom_window_size(w);
    const bloom_window_plan plan = bloom_window_plan_of(w);
    unsigned char header[64];
    uint64_t key, synced;
    for (key = 0; key < 3000 || bloom_window_keys(w) < room_of(w); key++)
        bloom_window_add_u64(w, key);
    synced = key;
    memcpy(disk, w, size);
    bloom_window_add_u64(w, key);               /* takes a step */
    memcpy(header, w, 64);
    memcpy(w, disk, size);
    memcpy(w, header, 64);
    w = bloom_window_resume(w, size, plan, NULL);
    for (key = 1; w && key < 400; key++)
        bloom_window_add_u64(w, 1000000 + key);
    check(w && knows_all(w, synced - 1, synced), "it is in for the next n");
    bloom_window_free(w);
}

/* ---- Power cuts */

enum order { AS_DOCUMENTED, UNSEALED_LATE, SEALED_EARLY };

/* Removes and sets seals in this order, and cuts the power between the calls.
   Returns how often a generation then has a seal that its cells do not match. A
   key that was on the disk and is still in must not be lost. */
static unsigned cut_power(enum order order)
{
    bloom_window *w = make(40, 1e-6, 4, BLOOM_BLOCKED), *after;
    const size_t size = bloom_window_size(w);
    unsigned char image[MOST];
    unsigned rounds, lies = 0, i;
    uint64_t key = 0, synced, old;
    kept_plan = bloom_window_plan_of(w);
    memcpy(disk, w, size);
    cached = bytes_of(w);
    cached_size = size;
    check(size <= MOST, "a small window");
    for (rounds = 0; rounds < 300; rounds++) {
        w = bloom_window_resume(w, size, kept_plan, NULL);
        if (order != UNSEALED_LATE)
            memcpy(disk, w, size);
        synced = key;
        for (i = below(8); i > 0; i--)
            bloom_window_add_u64(w, key++);
        for (i = 0; i < 2; i++) {       /* the power is cut here, and below */
            memcpy(image, disk, size);
            after = bloom_window_open(image, size, NULL);
            if (!check(after != NULL, "the window opens"))
                break;
            lies += bloom_window_verify(after) == BLOOM_CORRUPT;
            for (old = synced > 20 ? synced - 20 : 0; old < synced; old++)
                check(knows(after, old), "a key that was on the disk");
            if (i > 0)
                break;
            if (order != SEALED_EARLY)
                memcpy(disk, w, size);
            bloom_window_seal(w);
            write_some();
        }
        memcpy(disk, w, size);
    }
    cached = NULL;
    bloom_window_free(w);
    return lies;
}

static void power_cuts(void)
{
    check(cut_power(AS_DOCUMENTED) == 0, "no seal lies");
    check(cut_power(UNSEALED_LATE) > 0 && cut_power(SEALED_EARLY) > 0,
          "in another order, one would");
}

int main(void)
{
    unsigned g;
    for (g = 2; g <= 4; g++)
        RUN(kill_calls(g * 4, g, g % 2 ? BLOOM_CLASSIC : BLOOM_BLOCKED, 0, 60));
    RUN(kill_calls(300, 2, BLOOM_CLASSIC, 250, 10));    /* 255, 256 */
    for (g = 2; g <= 5; g++)
        RUN(kill_by_age(g, g % 2 ? BLOOM_CLASSIC : BLOOM_BLOCKED));
    RUN(begin_window());
    RUN(power_cuts());
    RUN(forge_changes());
    RUN(cleared_cells_come_back());
    for (g = 2; g <= 16; g += 2) {
        RUN(remember_by_age(g, BLOOM_CLASSIC, false));
        RUN(remember_by_age(g, BLOOM_BLOCKED, true));
    }
    RUN(burst_at_noon());
    RUN(burst_into_halves());
    RUN(clocks());
    RUN(full_generations());
    RUN(small_rests(87));
    RUN(small_rests(88));
    RUN(jumps());
    RUN(one_cell());
    RUN(set_back());
    RUN(other_spans());
    for (g = 2; g <= 16; g += g < 4 ? 1 : g)        /* 2, 3, 4, 8, 16 */
        RUN(wander(g, g % 2 ? BLOOM_CLASSIC : BLOOM_BLOCKED));
    for (g = 2; g <= 16; g++) {
        RUN(remember(g * 13, g, BLOOM_CLASSIC));
        RUN(remember(100, g, BLOOM_BLOCKED));
    }
    RUN(remember(1, 2, BLOOM_CLASSIC));
    RUN(forget_exactly(10, 16));
    RUN(forget_exactly(1000, 8));
    RUN(forget_exactly(1, 2));
    RUN(many());
    RUN(plans());
    RUN(open_full());
    RUN(sizes());
    RUN(largest_sizes());
    RUN(not_lately());
    RUN(images());
    RUN(keep_damage_visible());
    RUN(clear_and_copy());
    RUN(refusals());
    return end_tests();
}
