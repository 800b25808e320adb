/* Tests that examples/companions/bloom_window.h does what its head says. Run by
   `make examples`. An exact list records how many keys were added after each
   key, and the window is compared with it. Then its image is tested: at any
   address it behaves as the window does, its head has the same bytes on every
   machine, and each wrong bit and each missing byte is found. Ends with
   "N passed, N failed". */
#define BLOOM_STATIC
#include "examples/companions/bloom_window.h"
#include <stdio.h>

enum { KEYS = 4000, ROOM = 1 << 16 };

static unsigned long passed, failed;

static void check(bool good, const char *what)
{
    if (good)
        passed++;
    else
        failed++;
    if (!good)
        printf("FAILED: %s\n", what);
}

static bloom_hash hash_of(const bloom_window *w, uint64_t key)
{
    return bloom_hash_u64(w->filter[0], key);
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
    uint64_t i, key, before, adds = 0, lost = 0, kept = 0;
    bool known;
    bloom_window w;
    memset(added, 0, sizeof added);
    check(bloom_window_new(&w, n, 1e-6, g, layout), "a window is made");
    for (i = 0; i < KEYS; i++) {
        key = key_at(i);
        known = bloom_window_may_contain(&w, hash_of(&w, key));
        if (added[key] > 0 && adds - added[key] < n)
            lost += !known;
        else if (added[key] > 0 && adds - added[key] >= w.room * g)
            kept += known;
        before = w.newest * ROOM + w.keys;
        check(bloom_window_add(&w, hash_of(&w, key)) != known
              || w.newest != before / ROOM, "a key is new or known");
        if (w.newest * ROOM + w.keys != before)     /* it took room */
            added[key] = ++adds;
    }
    check(lost == 0, "none of the last n is forgotten");
    check(kept <= 1, "older keys are forgotten");
    check(w.keys <= w.room, "no generation is too full");
    free(w.image);
}

/* Tests how many other keys are added, at least and at most, before a key is
   forgotten: exactly (g - 1) * room and g * room - 1, if none is a false
   positive. */
static void forget_exactly(uint64_t n, unsigned g)
{
    uint64_t key, oldest = 0, least = UINT64_MAX, most = 0;
    bloom_window w;
    check(bloom_window_new(&w, n, 1e-12, g, BLOOM_CLASSIC), "a window is made");
    for (key = 0; key < KEYS; key++) {
        bloom_window_add(&w, hash_of(&w, key));
        for (; !bloom_window_may_contain(&w, hash_of(&w, oldest)); oldest++) {
            least = key - 1 - oldest < least ? key - 1 - oldest : least;
            most = key - 1 - oldest > most ? key - 1 - oldest : most;
        }
    }
    check(least == (g - 1) * w.room && least >= n, "known for long enough");
    check(most == g * w.room - 1, "not known for too long");
    check(n != 10 || g != 16 || (least == 15 && most == 15),
          "the numbers for n = 10, g = 16");
    check(n != 1000 || g != 8 || (least == 1001 && most == 1143),
          "the numbers for n = 1000, g = 8");
    free(w.image);
}

static bool all_sound(const bloom_window *w)
{
    unsigned i;
    for (i = 0; i < w->generations; i++)
        if (bloom_verify(w->filter[i]) != BLOOM_OK)
            return false;
    return true;
}

/* Copies the image to `at` and opens it there. The copy must be equal now, and
   after the same calls. */
static void go_on(bloom_window *w, unsigned char *at)
{
    bloom_window other;
    uint64_t key;
    bloom_window_seal(w);
    memcpy(at, w->image, w->size);
    memset(at + w->size, 'B', 100);     /* bytes after the image */
    check(bloom_window_open(&other, at, w->size + 100) == BLOOM_OK,
          "the copy opens");
    check(other.size == w->size && other.keys == w->keys
          && other.time == w->time && other.span == w->span,
          "the copy has the same fields");
    check(all_sound(&other), "the copy has valid seals");
    for (key = 0; key < 40; key++)
        check(bloom_window_add(w, hash_of(w, 9000 + key))
              == bloom_window_add(&other, hash_of(w, 9000 + key)),
              "the copy has the same results");
    bloom_window_step(w);
    bloom_window_step(&other);
    bloom_window_seal(w);
    bloom_window_seal(&other);
    check(memcmp(at, w->image, w->size) == 0, "the copy has the same image");
}

/* Tries all images that differ in one bit, and all that are shorter. */
static void bend(const bloom_window *w, unsigned char *at)
{
    unsigned char *alone = (unsigned char *)malloc(BLOOM_WINDOW_HEAD);
    size_t i;
    unsigned bit;
    bloom_window other;
    memcpy(alone, w->image, BLOOM_WINDOW_HEAD);
    check(bloom_window_open(&other, alone, BLOOM_WINDOW_HEAD)
          == BLOOM_TRUNCATED, "a head without filters is truncated");
    free(alone);
    memcpy(at, w->image, w->size);
    for (i = 0; i < w->size; i++) {
        check(bloom_window_open(&other, at, i) != BLOOM_OK,
              "a truncated image is refused");
        for (bit = 1; bit < 256; bit *= 2) {
            at[i] ^= (unsigned char)bit;
            check(bloom_window_open(&other, at, w->size) != BLOOM_OK
                  || (i >= BLOOM_WINDOW_HEAD && !all_sound(&other)),
                  "a wrong bit is found");
            at[i] ^= (unsigned char)bit;
        }
    }
    at[24]++;
    check(bloom_window_open(&other, at, w->size) == BLOOM_CORRUPT,
          "a wrong time is corruption");
    at[3]++;
    check(bloom_window_open(&other, at, w->size) == BLOOM_WRONG_VERSION,
          "another version is refused");
    check(bloom_window_open(&other, at, 63) == BLOOM_TRUNCATED,
          "63 bytes are truncated");
    at[2]++;
    check(bloom_window_open(&other, at, w->size) == BLOOM_NOT_A_FILTER,
          "another magic is refused");
    check(bloom_window_open(&other, at, BLOOM_WINDOW_HEAD)
          == BLOOM_NOT_A_FILTER, "64 bytes are not truncated");
    check(bloom_window_open(&other, NULL, 0) == BLOOM_TRUNCATED,
          "0 bytes are truncated");
}

/* Tries heads that have a right check and right seals, but impossible
   fields. */
static void forge(const bloom_window *w, unsigned char *at)
{
    static const struct { size_t at; unsigned char value; } wrong[] = {
        { 4, 1 }, { 4, 17 }, { 5, 4 }, { 6, 1 }, { 7, 1 }, { 8, 0 }, { 16, 35 }
    };
    bloom_window other;
    uint64_t check_word;
    size_t i, j;
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memcpy(at, w->image, w->size);
        at[5] = at[16] = 0;             /* possible for any g and any room */
        at[wrong[i].at] = wrong[i].value;
        check_word = bloom_hash_key(w->filter[0], at, 40).h1;
        for (j = 0; j < 8; j++, check_word >>= 8)
            at[40 + j] = (unsigned char)(check_word & 255);
        check(bloom_window_open(&other, at, w->size) == BLOOM_BAD_HEADER,
              "an impossible field is refused");
    }
    memcpy(at, w->image, w->size);
    at += BLOOM_WINDOW_HEAD + bloom_size(w->filter[0]);
    at[23]++;                           /* the seed's last byte */
    bloom_seal(bloom_open(at, w->size, NULL));
    at -= BLOOM_WINDOW_HEAD + bloom_size(w->filter[0]);
    check(bloom_window_open(&other, at, w->size) == BLOOM_BAD_HEADER,
          "filters of different plans are refused");
}

/* Opens, for each number of generations, a full window of one key each. */
static void open_full(void)
{
    unsigned g, key;
    bloom_window w, other;
    for (g = 2; g <= 16; g++) {
        check(bloom_window_new(&w, g - 1, 0.01, g, BLOOM_CLASSIC),
              "a window is made");
        for (key = 0; key < 20; key++)
            bloom_window_add(&w, hash_of(&w, key));
        bloom_window_seal(&w);
        check(w.room == 1 && w.keys == 1, "the window is full");
        check(bloom_window_open(&other, w.image, w.size) == BLOOM_OK,
              "a full window opens");
        free(w.image);
    }
}

static void images(void)
{
    static const unsigned char head[BLOOM_WINDOW_HEAD] = {
        'B', 'L', 'W', 1, 4, 2, 0, 0,  34, 0, 0, 0, 0, 0, 0, 0,
        32, 0, 0, 0, 0, 0, 0, 0,  8, 7, 6, 5, 4, 3, 2, 1,
        0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8,
        0 };
    static unsigned char memory[ROOM + 8];
    bloom_window w;
    uint64_t key;
    unsigned shift;
    check(bloom_window_new(&w, 100, 0.01, 4, BLOOM_CLASSIC),
          "a window is made");
    check(w.keys == 0 && w.time == 0 && w.span == 0, "a new window is empty");
    w.time = 0x0102030405060708U;
    w.span = 0xF8F7F6F5F4F3F2F1U;
    for (key = 0; key < 100; key++)
        bloom_window_add(&w, hash_of(&w, key));
    bloom_window_seal(&w);
    check(memcmp(w.image, head, 40) == 0, "the bytes of the head");
    check(bloom_hash_key(w.filter[0], head, 40).h1 % 256 == w.image[40],
          "the check of the head");
    check(memcmp(w.image + 48, head + 48, 16) == 0, "zeros at its end");
    forge(&w, memory);
    for (shift = 0; shift < 8; shift++)
        go_on(&w, memory + shift);
    bend(&w, memory + 3);
    free(w.image);
}

/* g - 1 generations have room for n keys. The rate of each is at most its
   share, 0.5 / g, even with the keys that are not counted because they are
   false positives. 0 keys count as 1. With 64-bit sizes, 2^61 keys have a plan,
   and 2^62 have none. */
static void plans(void)
{
    uint64_t n, room, more;
    unsigned g;
    bloom_window_plan(0, 0.5, 2, BLOOM_CLASSIC, &room);
    check(room == 1, "the room of a plan for 0 keys");
    for (n = 61; n <= 62; n++)
        check(SIZE_MAX < UINT64_MAX
              || (bloom_plan_size(bloom_window_plan(1ULL << n, 0.999, 16,
                                                    BLOOM_CLASSIC, &room)) > 0)
                 == (n == 61), "the greatest n of a plan");
    for (g = 2; g <= 16; g++)
        for (n = 1; n <= 50; n++) {
            bloom_plan plan = bloom_window_plan(n, 0.5, g, BLOOM_CLASSIC,
                                                &room);
            check(room * (g - 1) >= n && (room - 1) * (g - 1) < n,
                  "the room of a plan");
            more = (uint64_t)((double)room * 0.5 / g);
            check(bloom_plan_fpr(plan, room + more) <= 0.5 / g,
                  "the rate of a plan");
        }
}

static void refusals(void)
{
    static const double rates[] = { 0, 1, -1, 1e300, -1e300 };
    static const unsigned wrong[] = { 0, 1, 17 };
    unsigned char memory[1000];
    uint64_t room;
    const bloom_plan plan = bloom_plan_for(9, 0.1);
    bloom_plan none = plan;
    size_t size = BLOOM_WINDOW_HEAD + 2 * bloom_plan_size(plan), i;
    bloom_window w;
    for (i = 0; i < sizeof rates / sizeof *rates; i++)
        check(!bloom_window_new(&w, 9, rates[i], 2, BLOOM_CLASSIC),
              "an impossible rate is refused");
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        check(!bloom_window_new(&w, 9, 0.1, wrong[i], BLOOM_CLASSIC),
              "new refuses an impossible g");
        check(wrong[i] == 17
              || bloom_plan_size(bloom_window_plan(9, 0.1, wrong[i],
                                                   BLOOM_CLASSIC, &room)) == 0,
              "no plan exists for fewer than 2 generations");
        check(!bloom_window_init(&w, memory, sizeof memory, wrong[i], plan, 9),
              "init refuses an impossible g");
    }
    check(!bloom_window_new(&w, UINT64_MAX, 1e-15, 2, BLOOM_CLASSIC),
          "too large an n is refused");
    check(!bloom_window_new(&w, UINT64_MAX / 4, 1e-15, 16, BLOOM_BLOCKED),
          "too large an n is refused, blocked");
    check(!bloom_window_new(&w, UINT64_MAX / 64, 0.5, 2, BLOOM_CLASSIC),
          "more memory than exists is refused");
    check(!bloom_window_init(&w, memory, size - 1, 2, plan, 9),
          "too little memory is refused");
    check(!bloom_window_init(&w, memory, size, 2, plan, 0),
          "a room of 0 is refused");
    check(!bloom_window_init(&w, NULL, size, 2, plan, 9), "NULL is refused");
    none.hashes = 0;
    check(!bloom_window_init(&w, memory, size, 2, none, 9),
          "an impossible plan is refused");
    check(bloom_window_init(&w, memory, size, 2, plan, 9) && w.size == size,
          "enough memory is accepted");
}

/* Adds and looks up more keys in one call than are hashed at a time. The
   results must be as one by one. */
static void many(void)
{
    enum { COUNT = 500 };
    static bloom_hash hash[COUNT];
    static bool answer[COUNT];
    bloom_window one, all;
    unsigned i, pass;
    check(bloom_window_new(&one, 300, 0.01, 4, BLOOM_CLASSIC)
          && bloom_window_new(&all, 300, 0.01, 4, BLOOM_CLASSIC),
          "two windows are made");
    for (pass = 0; pass < 2; pass++) {
        for (i = 0; i < COUNT; i++)
            hash[i] = hash_of(&all, key_at(i + 300 * pass));
        bloom_window_add_many(&all, hash, COUNT, answer);
        for (i = 0; i < COUNT; i++)
            check(answer[i] == bloom_window_add(&one, hash[i]),
                  "adding many at once");
        for (i = 0; i < COUNT; i++)
            hash[i] = hash_of(&all, i + 200 * pass);
        bloom_window_may_contain_many(&all, hash, COUNT, answer);
        for (i = 0; i < COUNT; i++)
            check(answer[i] == bloom_window_may_contain(&one, hash[i]),
                  "looking up many at once");
    }
    bloom_window_seal(&one);
    bloom_window_seal(&all);
    check(memcmp(one.image, all.image, one.size) == 0,
          "the image after adding many at once");
    free(one.image);
    free(all.image);
}

int main(void)
{
    unsigned g;
    for (g = 2; g <= 16; g++) {
        remember(g * 13, g, BLOOM_CLASSIC);
        remember(100, g, BLOOM_BLOCKED);
    }
    remember(1, 2, BLOOM_CLASSIC);
    forget_exactly(10, 16);
    forget_exactly(1000, 8);
    forget_exactly(1, 2);
    many();
    plans();
    open_full();
    images();
    refusals();
    printf("%lu passed, %lu failed\n", passed, failed);
    return failed != 0;
}
