/* The promises of bloom.h attacked by machines; run by tests/fuzz/run.sh.

   One of these macros chooses the target (the first, if none is defined):
     FUZZ_IMAGE    any bytes as an image, and all that an accepted one allows
     FUZZ_STATE    random calls on two filters, against a model of every cell
                   and a multiset of the keys
     FUZZ_CHAIN    the same for the chain, against a set; memory runs out
     FUZZ_PLAN     plans from any numbers: quick, in range, kept
     FUZZ_COMMAND  examples/bloom.c with FILEs of any content

   libFuzzer:    clang -I. -DFUZZ_IMAGE -fsanitize=fuzzer,address,undefined
                 tests/fuzz/fuzz.c -o fuzz && ./fuzz tests/fuzz/corpus/image
   plain files:  cc -I. -DFUZZ_IMAGE -DFUZZ_MAIN tests/fuzz/fuzz.c -o fuzz
                 && find tests/fuzz/corpus/image -type f -exec ./fuzz {} +
   AFL++:        afl-clang-fast -I. -DFUZZ_IMAGE -DFUZZ_MAIN tests/fuzz/fuzz.c
                 -o fuzz && afl-fuzz -i tests/fuzz/corpus/image -o found ./fuzz @@

   Only public names of bloom.h are used. What a filter should hold is worked
   out here anew, one cell at a time, from the formulas of the format. */

#if !defined(FUZZ_STATE) && !defined(FUZZ_CHAIN) && !defined(FUZZ_PLAN) \
    && !defined(FUZZ_COMMAND) && !defined(FUZZ_IMAGE)
#define FUZZ_IMAGE
#endif

#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what, int line)
{
    fprintf(stderr, "fuzz.c:%d: not so: %s\n", line, what);
    abort();
}

#define must(x) ((x) ? (void)0 : fail(#x, __LINE__))

/* What only checks has nothing to tell the fuzzer, and costs half of its time
   if it does. */
#ifdef __clang__
#define QUIET __attribute__((no_sanitize("coverage"))) static
#else
#define QUIET static
#endif

/* ---- What is attacked ---------------------------------------------------- */

#if defined(FUZZ_COMMAND)

/* The command is a part of this program: its main has another name, its exit
   jumps back, what it leaves to the system to free or close is kept in lists,
   and what it prints goes into memory. */

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static jmp_buf back;
static FILE *output, *messages;
static void *taken[16];
static int descriptors[16];

static void *keep_memory(void *old, size_t size)
{
    unsigned i = 0;
    while (taken[i] != old)
        must(++i < 16);
    taken[i] = realloc(old, size);
    return taken[i];
}

static void free_memory(void *old)
{
    unsigned i;
    for (i = 0; i < 16; i++)
        if (old && taken[i] == old)
            taken[i] = NULL;
    free(old);
}

static int keep_open(int fd)
{
    unsigned i = 0;
    if (fd < 0)
        return fd;
    while (descriptors[i] != 0)
        must(++i < 16);
    descriptors[i] = fd;
    return fd;
}

static void forget_open(int fd)
{
    unsigned i;
    for (i = 0; i < 16; i++)
        if (descriptors[i] == fd)
            descriptors[i] = 0;
}

static int close_kept(int fd)
{
    forget_open(fd);
    return close(fd);
}

static int close_stream(FILE *stream)
{
    if (stream == output)
        return fflush(stream);
    forget_open(fileno(stream));
    return fclose(stream);
}

typedef void (*handler)(int);

static handler no_signal(handler h)
{
    return h == SIG_IGN ? h : SIG_DFL;
}

#undef stdout
#undef stderr
#define stdout output
#define stderr messages
#define printf(...) fprintf(output, __VA_ARGS__)
#define puts(text) fprintf(output, "%s\n", text)
#define setvbuf(stream, buffer, mode, size) ((void)(buffer))
#define isatty(fd) ((void)(fd), 0)
#define fsync(fd) ((void)(fd), 0)
#define signal(number, handler) no_signal(handler)
#define realloc(old, size) keep_memory(old, size)
#define free(old) free_memory(old)
#define open(...) keep_open(open(__VA_ARGS__))
#define close(fd) close_kept(fd)
#define fclose(stream) close_stream(stream)
#define exit(status) longjmp(back, (status) + 1)
#define main command_main
#include "examples/bloom.c"
#undef stdout
#undef stderr
#undef printf
#undef puts
#undef setvbuf
#undef isatty
#undef fsync
#undef signal
#undef realloc
#undef free
#undef open
#undef close
#undef fclose
#undef exit
#undef main

#elif defined(FUZZ_CHAIN)

/* No more than 1 MB at once, and nothing when calls_left has come to 0. */
static unsigned blocks_in_use, calls_left;

static void *scarce_malloc(size_t size)
{
    void *block;
    if (size > 1 << 20 || calls_left == 0)
        return NULL;
    calls_left--;
    block = malloc(size);
    blocks_in_use += block != NULL;
    return block;
}

static void scarce_free(void *block)
{
    blocks_in_use -= block != NULL;
    free(block);
}

#define BLOOM_MALLOC(size) scarce_malloc(size)
#define BLOOM_FREE(block) scarce_free(block)
#define BLOOM_STATIC
#include "bloom.h"

#else

#define BLOOM_STATIC
#include "bloom.h"

#endif

/* ---- The input, as numbers ----------------------------------------------- */

typedef struct input { const unsigned char *at, *end; } input;

static unsigned byte_of(input *in)      /* 0 when all is read */
{
    return in->at < in->end ? *in->at++ : 0;
}

static uint64_t number_of(input *in, unsigned bytes)
{
    uint64_t number = 0;
    unsigned i;
    for (i = 0; i < bytes; i++)
        number |= (uint64_t)byte_of(in) << 8 * i;
    return number;
}

static void run_one(input in);

/* ---- The format, once more, without a thought for speed ------------------ */

#if defined(FUZZ_IMAGE) || defined(FUZZ_STATE) || defined(FUZZ_COMMAND)

QUIET uint64_t little_endian(const unsigned char *from)
{
    uint64_t number = 0;
    unsigned i = 8;
    while (i-- > 0)
        number = number << 8 | from[i];
    return number;
}

static uint64_t bytes_for(bloom_plan plan)
{
    return 32 + plan.cells / (plan.layout == BLOOM_COUNTING ? 2 : 8);
}

static bloom_plan plan_in(const unsigned char *image)
{
    bloom_plan plan;
    plan.layout = image[4];
    plan.hash_bits = image[5];
    plan.hashes = image[6];
    plan.cells = little_endian(image + 8);
    plan.seed = little_endian(image + 16);
    return plan;
}

/* What bloom_open has to say of these bytes */
static bloom_error verdict(const unsigned char *image, size_t size)
{
    bloom_plan plan;
    if (size < 32)
        return BLOOM_TRUNCATED;
    if (memcmp(image, "BLM", 3) != 0)
        return BLOOM_NOT_A_FILTER;
    if (image[3] != 1)
        return BLOOM_WRONG_VERSION;
    plan = plan_in(image);
    if (plan.cells == 0 || plan.cells % 64 != 0 || plan.hashes < 1
        || plan.hashes > 64 || image[7] != 0)
        return BLOOM_BAD_HEADER;
    if (plan.hash_bits != 32 && plan.hash_bits != 64)
        return BLOOM_BAD_HEADER;
    if (plan.hash_bits == 32 && plan.cells > 0xFFFFFFFFU)
        return BLOOM_BAD_HEADER;
    if (plan.layout == BLOOM_BLOCKED
        && (plan.cells % 256 != 0 || plan.hashes != 8
            || plan.cells >= (uint64_t)1 << 40))
        return BLOOM_BAD_HEADER;
    if (plan.layout > BLOOM_COUNTING)
        return BLOOM_UNSUPPORTED;
    return bytes_for(plan) > size ? BLOOM_TRUNCATED : BLOOM_OK;
}

#endif
#if defined(FUZZ_IMAGE) || defined(FUZZ_STATE)

/* One cell of an image: 0 or 1, or a counter */
QUIET unsigned cell_in(const unsigned char *image, uint64_t i)
{
    const unsigned char *cells = image + 32;
    if (image[4] == BLOOM_COUNTING)
        return i % 2 ? cells[i / 2] / 16 : cells[i / 2] % 16;
    return cells[i / 8] >> i % 8 & 1;
}

/* The cells of a key, for m < 2^32 */
QUIET void model_probes(bloom_plan plan, bloom_hash h, uint64_t *index)
{
    static const uint32_t salt[8] = {
        0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
        0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31 };
    const uint64_t low = 0xFFFFFFFF, m = plan.cells;
    uint64_t x = h.h1, y = plan.hash_bits == 32 ? h.h2 & ~low : h.h2;
    unsigned i;
    for (i = 0; i < plan.hashes; i++) {
        if (plan.layout == BLOOM_BLOCKED) {
            uint64_t block = (h.h1 >> 32) * (m / 256) >> 32;
            index[i] = block * 256 + i * 32
                     + ((h.h1 & low) * salt[i] & low) / (1 << 27);
            continue;
        }
        index[i] = ((x >> 32) * m + ((x & low) * m >> 32)) >> 32;
        x += y;
        y *= 37;
    }
}

/* ---- Memory that ends where the image does ------------------------------- */
/* With AddressSanitizer its rest is out of bounds: exactly behind the image,
   and up to 7 bytes before it, as that tool counts in eights. */

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(WITH_ASAN)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, size) ((void)(at))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at))
#endif

enum { MOST = 1 << 13, EDGE = 64 };

typedef struct room {
    uint64_t aligned;
    unsigned char bytes[EDGE + 16 + MOST + EDGE];
    unsigned char *end;
} room;

/* size bytes at an address with this remainder, divided by 16 */
QUIET unsigned char *place(room *r, unsigned shift, size_t size)
{
    unsigned char *at = r->bytes + EDGE + shift % 16;
    must(size <= MOST);
    if (r->end)
        ASAN_UNPOISON_MEMORY_REGION(r->end, EDGE);
    ASAN_UNPOISON_MEMORY_REGION(r->bytes + EDGE, 16);
    ASAN_POISON_MEMORY_REGION(r->bytes, EDGE + shift % 16 / 8 * 8);
    r->end = at + size;
    ASAN_POISON_MEMORY_REGION(r->end, EDGE);
    return at;
}

#endif

/* ---- Any bytes as an image ----------------------------------------------- */

#if defined(FUZZ_IMAGE)

/* The bytes of the input are the image. Those behind it, if any, are the keys;
   the very last one says at which address all this happens. */

static room here, there;

QUIET void refused(const unsigned char *image, size_t size, const input *in)
{
    must(size == 0 || memcmp(image, in->at, size) == 0);
}

/* Cell by cell: what merge, intersect and flatten should have made of two */
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

/* Reads only: a view, all of whose bytes stay as they are */
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

/* One key, looked up in each way; then added, and that taken back */
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

/* With a second filter: first as it came, then with another plan */
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

/* A seal holds, and one bit changed anywhere breaks it. */
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
    image = place(&here, shift, size);          /* now it ends where it ends */
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

#endif

/* ---- Random calls, against a model --------------------------------------- */

#if defined(FUZZ_STATE)

enum { CELLS = 1024, EACH = 16, KEYS = 3 * EACH, MANY = 150 };

/* Of each key and each filter the model knows how often it was added. If a key
   was removed that had not been (as the API warns not to), that is void. */
typedef struct filter {
    room room;
    bloom *b;
    unsigned char *image, cell[CELLS];
    unsigned count[KEYS];
    bool valid;
} filter;

/* Keys: EACH integers, EACH strings of 0 .. EACH - 1 bytes, EACH hashes. All
   integers differ, and so do all strings. */
static uint64_t integer[EACH];
static bloom_hash raw[EACH];
static const char text[] = "\377the quick brown fox jumps over";
static uint64_t probes[KEYS][64];
static bool probed[KEYS];

static bloom_plan plan;
static filter filters[2];
static room flat;

QUIET uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 33) * 0xFF51AFD7ED558CCDU;
    x = (x ^ x >> 33) * 0xC4CEB9FE1A85EC53U;
    return x ^ x >> 33;
}

static const void *text_of(unsigned key)
{
    return key > EACH ? text + key % EACH : NULL;
}

QUIET bloom_hash hash_of(const bloom *b, unsigned key)
{
    bloom_hash h;
    if (key >= 2 * EACH)
        return raw[key - 2 * EACH];
    if (key >= EACH)
        return bloom_hash_key(b, text_of(key), key - EACH);
    h = bloom_hash_u64(b, integer[key]);
    if (plan.hash_bits == 64) {
        uint64_t mixed = mix(integer[key] + (plan.seed + 1)
                                            * 0x9E3779B97F4A7C15U);
        must(h.h1 == mixed && h.h2 == mixed * 0x9E3779B97F4A7C15U);
    }
    return h;
}

QUIET const uint64_t *probes_of(const filter *f, unsigned key)
{
    uint64_t index[64];
    unsigned i;
    if (!probed[key]) {
        bloom_hash h = hash_of(f->b, key);
        model_probes(plan, h, probes[key]);
        must(bloom_probes(f->b, h, index) == plan.hashes);
        for (i = 0; i < plan.hashes; i++)
            must(index[i] == probes[key][i] && index[i] < plan.cells);
        probed[key] = true;
    }
    return probes[key];
}

/* ---- The model ---- */

QUIET bool model_has(const filter *f, unsigned key)
{
    const uint64_t *index = probes_of(f, key);
    unsigned i;
    for (i = 0; i < plan.hashes; i++)
        if (f->cell[index[i]] == 0)
            return false;
    return true;
}

QUIET bool model_add(filter *f, unsigned key)
{
    const unsigned most = plan.layout == BLOOM_COUNTING ? 15 : 1;
    const uint64_t *index = probes_of(f, key);
    bool is_new = !model_has(f, key);
    unsigned i;
    must(!(is_new && f->valid && f->count[key] > 0));
    f->count[key]++;
    for (i = 0; i < plan.hashes; i++)
        if (f->cell[index[i]] < most)
            f->cell[index[i]]++;
    return is_new;
}

/* A cell must have as many as the key counts in it; 15 is many. */
QUIET bool model_remove(filter *f, unsigned key)
{
    const uint64_t *index = probes_of(f, key);
    unsigned i, j, times;
    for (i = 0; i < plan.hashes; i++) {
        for (times = j = 0; j < plan.hashes; j++)
            times += index[j] == index[i];
        if (f->cell[index[i]] < 15 && f->cell[index[i]] < times)
            return false;
    }
    for (i = 0; i < plan.hashes; i++)
        if (f->cell[index[i]] < 15)
            f->cell[index[i]]--;
    if (f->count[key] > 0)
        f->count[key]--;
    else
        f->valid = false;
    return true;
}

QUIET void compare(const filter *f)
{
    uint64_t i;
    unsigned key;
    for (i = 0; i < plan.cells; i++)
        must(cell_in(f->image, i) == f->cell[i]);
    for (key = 0; key < KEYS; key++)
        if (f->valid && f->count[key] > 0)
            must(bloom_may_contain_hash(f->b, hash_of(f->b, key)));
}

/* ---- The calls ---- */

static bool do_add(filter *f, unsigned key, bool by_hash)
{
    if (by_hash || key >= 2 * EACH)
        return bloom_add_hash(f->b, hash_of(f->b, key));
    return key < EACH ? bloom_add_u64(f->b, integer[key])
                      : bloom_add(f->b, text_of(key), key - EACH);
}

static bool do_remove(filter *f, unsigned key, bool by_hash)
{
    if (by_hash || key >= 2 * EACH)
        return bloom_remove_hash(f->b, hash_of(f->b, key));
    return key < EACH ? bloom_remove_u64(f->b, integer[key])
                      : bloom_remove(f->b, text_of(key), key - EACH);
}

static bool do_look(const filter *f, unsigned key, bool by_hash)
{
    if (by_hash || key >= 2 * EACH)
        return bloom_may_contain_hash(f->b, hash_of(f->b, key));
    return key < EACH ? bloom_may_contain_u64(f->b, integer[key])
                      : bloom_may_contain(f->b, text_of(key), key - EACH);
}

/* One of the six, on keys of one kind */
QUIET size_t do_many(filter *f, const unsigned *keys, size_t count,
                      unsigned kind, bool add, bool *result)
{
    static uint64_t integers[MANY];
    static bloom_key strings[MANY];
    static bloom_hash hashes[MANY];
    size_t i;
    for (i = 0; i < count; i++) {
        if (kind == 0) {
            integers[i] = integer[keys[i]];
        } else if (kind == 1) {
            strings[i].data = text_of(keys[i]);
            strings[i].size = keys[i] - EACH;
        } else {
            hashes[i] = hash_of(f->b, keys[i]);
        }
    }
    if (kind == 0)
        return add ? bloom_add_many_u64(f->b, integers, count, result)
                   : bloom_may_contain_many_u64(f->b, integers, count, result);
    if (kind == 1)
        return add ? bloom_add_many(f->b, strings, count, result)
                   : bloom_may_contain_many(f->b, strings, count, result);
    return add ? bloom_add_many_hash(f->b, hashes, count, result)
               : bloom_may_contain_many_hash(f->b, hashes, count, result);
}

QUIET void many(filter *f, unsigned options, input *in)
{
    static bool result[MANY + 1];
    unsigned keys[MANY], kind = options % 3, step = byte_of(in), i;
    bool add = options & 16, quiet = options & 32;
    size_t count = byte_of(in), trues = 0, got;
    count = count < 192 ? count % 8 : count % (MANY + 1);
    for (i = 0; i < count; i++)
        keys[i] = kind < 2 ? kind * EACH + (step + i * (step / 16)) % EACH
                           : (step + i * (step / 16)) % KEYS;
    result[count] = (step & 1) != 0;
    got = do_many(f, keys, count, kind, add, quiet ? NULL : result);
    must(result[count] == ((step & 1) != 0));
    for (i = 0; i < count; i++) {
        bool expected = add ? model_add(f, keys[i]) : model_has(f, keys[i]);
        must(quiet || result[i] == expected);
        trues += expected;
    }
    must(got == trues);
}

/* Both change f alone: g may have lost its seal before, and keeps it now. */
QUIET void combine(filter *f, const filter *g, bool is_union)
{
    const unsigned most = plan.layout == BLOOM_COUNTING ? 15 : 1;
    bloom_error seal = bloom_verify(g->b);
    unsigned i;
    must(is_union ? bloom_merge(f->b, g->b) : bloom_intersect(f->b, g->b));
    for (i = 0; i < plan.cells; i++) {
        unsigned a = f->cell[i], b = g->cell[i], sum = a + b;
        f->cell[i] = (unsigned char)(!is_union ? a < b ? a : b
                                     : sum < most ? sum : most);
    }
    for (i = 0; i < KEYS; i++) {
        unsigned a = f->count[i], b = g->count[i];
        f->count[i] = is_union ? a + b : a < b ? a : b;
    }
    f->valid = f->valid && g->valid;
    must(f == g || bloom_verify(g->b) == seal);
}

QUIET void flatten(const filter *f, unsigned shift)
{
    bloom_plan classic = plan;
    size_t size;
    unsigned char *at;
    bloom *b;
    uint64_t i;
    classic.layout = BLOOM_CLASSIC;
    size = bloom_plan_size(classic);
    at = place(&flat, shift, size);
    b = bloom_init(at, size, classic);
    memset(at + 24, 0xA5, size - 24);
    must(bloom_flatten(b, f->b) == (plan.layout == BLOOM_COUNTING));
    if (plan.layout == BLOOM_COUNTING)
        must(bloom_verify(b) == BLOOM_UNSEALED);
    for (i = 0; i < plan.cells && plan.layout == BLOOM_COUNTING; i++)
        must(cell_in(at, i) == (f->cell[i] != 0));
}

/* Saved, and loaded at another address */
static void reload(filter *f, unsigned shift)
{
    static unsigned char copy[MOST];
    size_t size = bloom_size(f->b);
    bloom_error error;
    memcpy(copy, f->image, size);
    f->image = place(&f->room, shift, size);
    memcpy(f->image, copy, size);
    f->b = bloom_open(f->image, size, &error);
    must(f->b && error == BLOOM_OK);
}

QUIET void count_cells(const filter *f)
{
    uint64_t ones = 0, i;
    double rate = bloom_fpr(f->b);
    for (i = 0; i < plan.cells; i++)
        ones += f->cell[i] != 0;
    must(bloom_ones(f->b) == ones);
    must((bloom_estimate(f->b) == UINT64_MAX) == (ones == plan.cells));
    must(rate >= 0 && rate <= 1 && (rate > 0 || ones * 4 < plan.cells));
}

static void seal(filter *f)
{
    bloom_seal(f->b);
    must(bloom_verify(f->b) == BLOOM_OK);
}

static void clear(filter *f)
{
    bloom_clear(f->b);
    memset(f->cell, 0, sizeof f->cell);
    memset(f->count, 0, sizeof f->count);
    f->valid = true;
}

/* One call. What writes takes the seal away, whatever it finds. */
static void step(filter *f, filter *g, unsigned call, input *in)
{
    unsigned key = byte_of(in), by_hash = key & 128;
    bloom_error before = bloom_verify(f->b);
    bool counting = plan.layout == BLOOM_COUNTING, writes = true;
    key %= KEYS;
    switch (call / 2 % 16) {
    case 0: many(f, call | 16, in); break;
    case 1: many(f, (call & ~16U) | (by_hash ? 1 : 0), in); writes = false;
            break;
    case 2: combine(f, g, true); break;
    case 3: combine(f, g, false); break;
    case 4: combine(f, f, key & 1); break;
    case 5: flatten(f, key); writes = false; break;
    case 6: reload(f, key); writes = false; break;
    case 7: seal(f); return;
    case 8: count_cells(f); writes = false; break;
    case 9: if (key == 0) clear(f); else writes = false; break;
    case 10:
    case 11: must(do_look(f, key, by_hash) == model_has(f, key));
             writes = false; break;
    case 12:
    case 13: must(do_remove(f, key, by_hash)
                  == (counting && model_remove(f, key)));
             writes = counting; break;
    default: must(do_add(f, key, by_hash) == model_add(f, key));
    }
    must(writes || !counting || bloom_verify(f->b) == before);
    must(!writes || bloom_verify(f->b) == BLOOM_UNSEALED);
}

static void begin(filter *f, unsigned shift)
{
    size_t size = bloom_plan_size(plan);
    must(size == bytes_for(plan));
    f->image = place(&f->room, shift, size);
    memset(f->image, 0xA5, size);
    must(!bloom_init(f->image, size - 1, plan));
    f->b = bloom_init(f->image, size, plan);
    must(f->b && verdict(f->image, size) == BLOOM_OK);
    memset(f->cell, 0, sizeof f->cell);
    memset(f->count, 0, sizeof f->count);
    f->valid = true;
}

static void choose_plan(input *in)
{
    unsigned shape = byte_of(in), cells = byte_of(in);
    plan.layout = (uint8_t)(shape % 3);
    plan.hash_bits = shape & 128 ? 32 : 64;
    plan.hashes = (uint8_t)(plan.layout == BLOOM_BLOCKED ? 8
                            : shape & 64 ? 1 + byte_of(in) % 64
                            : 1 + cells / 16);
    plan.cells = plan.layout == BLOOM_BLOCKED ? 256 * (1 + cells % 4)
                                              : 64 * (1 + cells % 16);
    plan.seed = shape & 32 ? number_of(in, 8) : shape / 4 % 8;
}

static void run_one(input in)
{
    unsigned i, shift;
    uint64_t h1, h2;
    choose_plan(&in);
    shift = byte_of(&in);
    h1 = number_of(&in, 2) * 0x1000100010001U;
    h2 = number_of(&in, 2) << 48 | number_of(&in, 1);
    for (i = 0; i < EACH; i++) {
        integer[i] = i < 4 ? i : h1 * i + ~(uint64_t)0 / i;
        raw[i].h1 = i & 1 ? ~h1 : h1 * (i + 1);
        raw[i].h2 = i & 2 ? h2 * i : ~h2 + i / 4;
    }
    memset(probed, 0, sizeof probed);
    begin(&filters[0], shift);
    begin(&filters[1], shift / 16);
    while (in.at < in.end) {
        unsigned call = byte_of(&in);
        step(&filters[call & 1], &filters[!(call & 1)], call, &in);
    }
    compare(&filters[0]);
    compare(&filters[1]);
}

#endif

/* ---- Numbers of every size, for plans and chains ------------------------- */

#if defined(FUZZ_PLAN) || defined(FUZZ_CHAIN)

static uint64_t any_number(input *in)
{
    unsigned shift = byte_of(in) & 63;
    return number_of(in, 8) >> shift;
}

/* A rate: a usual one, one in so many, 1 less so little, or any 8 bytes */
static double any_rate(input *in)
{
    unsigned kind = byte_of(in);
    uint64_t bits = number_of(in, 8);
    double p, usual = 1;
    switch (kind % 4) {
    case 0: for (kind = 1 + kind / 4 % 20; kind > 0; kind--) usual /= 10;
            return usual * (double)(bits % 10);
    case 1: return 1 / (double)(bits >> kind / 4);
    case 2: return 1 - 1 / (double)(bits >> kind / 4);
    default: memcpy(&p, &bits, sizeof p);
             return p;
    }
}

#endif

/* ---- The chain, against a set -------------------------------------------- */

#if defined(FUZZ_CHAIN)

enum { KEYS = 256, STORE = 1 << 17 };

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
             && plan.hash_bits == first.hash_bits);
    }
}

/* The chain's image at an odd address; 0 if that has not enough room */
static size_t save(const bloom_chain *c, unsigned char *store)
{
    size_t size = bloom_chain_size(c), at = 32;
    unsigned i;
    if (size > STORE)
        return 0;
    bloom_chain_head(c, store);
    for (i = 0; i < bloom_chain_links(c); i++) {
        const bloom *link = bloom_chain_link(c, i);
        memcpy(store + at, link, bloom_size(link));
        at += bloom_size(link);
    }
    must(at == size);
    return size;
}

/* Cut short, with another layout in its head, with another seed in its links:
   none is a chain. */
static void refuse(const bloom_chain *c)
{
    static unsigned char store[STORE + 1];
    size_t size = save(c, store + 1);
    if (size == 0)
        return;
    must(!bloom_chain_load(store + 1, size - 1, NULL));
    store[5] ^= 1;
    must(!bloom_chain_load(store + 1, size, NULL));
    store[5] ^= 1;
    store[1 + 32 + 16] ^= 1;
    must(bloom_chain_links(c) == 1 || !bloom_chain_load(store + 1, size, NULL));
}

/* What is loaded takes the place of what was saved, and has the same image. */
static bloom_chain *restore(bloom_chain *old)
{
    static unsigned char store[STORE + 1], again[STORE];
    size_t size = save(old, store + 1);
    bloom_chain *c;
    bloom_error error;
    calls_left = 1000;
    if (size == 0)
        return old;
    c = bloom_chain_load(store + 1, size, &error);
    must(c && error == BLOOM_OK && save(c, again) == size);
    must(memcmp(store + 1, again, size) == 0);
    bloom_chain_free(old);
    return c;
}

/* Any bytes that are taken for a chain can be used as one. */
static void use_image(input in)
{
    static unsigned char head[] = "BLC\1\0\100\0\0\1\0\0\0\0\0\0\0"
                                  "\0\0\0\0\0\0\340\77";
    static unsigned char image[STORE];
    size_t size = (size_t)(in.end - in.at);
    bloom_chain *c;
    bloom_error error;
    unsigned key;
    memcpy(image, head, 24);
    size = size < STORE - 24 ? size : STORE - 24;
    memcpy(image + (in.end - in.at > 0 && in.at[0] & 1 ? 0 : 24), in.at, size);
    c = bloom_chain_load(image, size, &error);
    must(!c || (error == BLOOM_OK && bloom_chain_size(c) >= 32));
    for (key = 0; c && key < 300; key++) {
        put(c, key);
        must(look(c, key));
    }
    if (c)
        check_links(c, (bloom_layout)image[4]);
    bloom_chain_free(c);
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
    unsigned key, calls = 0;
    while (in->at < in->end && calls++ < 40) {
        unsigned call = byte_of(in);
        key = byte_of(in);
        switch (call % 8) {
        case 0: *c = restore(*c); break;
        case 1: refuse(*c); break;
        case 2: calls_left = key % 16; break;
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
    calls_left = options & 32 ? options & 3 : 1000;
    a.layout = (bloom_layout)(options / 64);
    a.n = options & 16 ? any_number(&in) : byte_of(&in);
    a.p = options & 8 ? any_rate(&in) : 1.0 / (2 + byte_of(&in));
    like.layout = (uint8_t)a.layout;
    like.seed = options & 4 ? number_of(&in, 8) : 0;
    like.hash_bits = like.seed & 1 ? 32 : 64;
    if (a.layout > BLOOM_COUNTING) {
        use_image(in);
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

#endif

/* ---- Plans --------------------------------------------------------------- */

#if defined(FUZZ_PLAN)

#include <time.h>

/* After each call: did it take less than 0.1 s of CPU time? */
static void quick(void)
{
    static clock_t last;
    clock_t now = clock();
    if (last != 0)
        must(now - last < CLOCKS_PER_SEC / 10);
    last = now;
}

/* Above this the rate no longer grows with each key, but as the last digits of
   a double go. */
#define NEARLY_1 0.999

/* So many keys and cells are counted one by one, more of them in a double. */
#define DIGITS 1000000000000U

static bool is_rate(double p)
{
    return p > 0 && p < 1;
}

/* The limits of the format */
static bool possible(bloom_plan plan)
{
    bool blocked = plan.layout == BLOOM_BLOCKED;
    return plan.layout <= BLOOM_COUNTING && plan.cells > 0
        && plan.cells % (blocked ? 256 : 64) == 0
        && plan.hashes >= 1 && plan.hashes <= 64
        && (!blocked || (plan.hashes == 8 && plan.cells >> 40 == 0))
        && (plan.hash_bits == 64
            || (plan.hash_bits == 32 && plan.cells >> 32 == 0));
}

static size_t right_size(bloom_plan plan)
{
    uint64_t bytes = 32 + plan.cells / (plan.layout == BLOOM_COUNTING ? 2 : 8);
    return possible(plan) && bytes <= SIZE_MAX ? (size_t)bytes : 0;
}

static double rate_of(bloom_plan plan, uint64_t n)
{
    double rate = bloom_plan_fpr(plan, n);
    quick();
    must(rate >= 0 && rate <= 1);
    must(n > 0 || bloom_plan_size(plan) == 0 || !(rate > 0));
    return rate;
}

/* No room, too little room, and just enough */
static void make(bloom_plan plan)
{
    static unsigned char memory[1024 + 1];
    size_t size = bloom_plan_size(plan);
    must(size == right_size(plan));
    must(!bloom_init(memory + 1, size ? size - 1 : SIZE_MAX, plan));
    if (size == 0)
        must(!bloom_create(plan));
    if (size > 0 && size <= 1024) {
        bloom *b = bloom_init(memory + 1, size, plan);
        must(b && bloom_size(b) == size && bloom_ones(b) == 0);
        must(bloom_view(b, size, NULL) == b);
    }
}

/* A plan that was made for n keys and p */
static void kept(bloom_plan plan, uint64_t n, double p)
{
    quick();
    make(plan);
    must(is_rate(p) || plan.cells == 0);
    must(plan.cells == 0 || possible(plan));
    if (bloom_plan_size(plan) == 0)
        return;
    must(plan.seed == 0 && plan.hash_bits == 64);
    must(rate_of(plan, n ? n : 1) <= p);
    must(bloom_plan_capacity(plan, p) >= n - n / DIGITS || p > NEARLY_1);
    quick();
}

/* One cell granule less, with this k, does not keep p. */
static void is_least(bloom_plan plan, uint64_t n, double p, unsigned k)
{
    if (bloom_plan_size(plan) == 0 || plan.cells <= 256
        || plan.cells > DIGITS)
        return;
    plan.cells -= plan.layout == BLOOM_BLOCKED ? 256 : 64;
    if (plan.layout != BLOOM_BLOCKED)
        plan.hashes = (uint8_t)k;
    must(rate_of(plan, n ? n : 1) > p || p > NEARLY_1);
}

static void plan_for_rate(uint64_t n, double p, unsigned k, unsigned layout)
{
    bloom_plan least = bloom_plan_for(n, p), plan;
    kept(least, n, p);
    is_least(least, n, p, 1 + k % 64);
    plan = bloom_plan_hashes(n, p, k);
    kept(plan, n, p);
    must(plan.cells == 0 || plan.hashes == k);
    is_least(plan, n, p, k);
    must(bloom_plan_size(plan) == 0 || plan.cells >= least.cells);
    plan = bloom_plan_layout(n, p, (bloom_layout)layout);
    kept(plan, n, p);
    must(plan.cells == 0 || plan.layout == layout);
    must(plan.cells == 0 || layout == BLOOM_BLOCKED
         || (plan.cells == least.cells && plan.hashes == least.hashes));
    if (layout == BLOOM_BLOCKED)
        is_least(plan, n, p, 8);
}

static void plan_for_bytes(uint64_t n, size_t bytes)
{
    const uint64_t most = ((uint64_t)1 << 59) + 32;
    bloom_plan plan = bloom_plan_bytes(n, bytes);
    size_t size = bloom_plan_size(plan);
    double rate;
    quick();
    make(plan);
    must(bytes < 40 ? size == 0 : size <= bytes && size >= 40);
    must(bytes < 40 || bytes > most || bytes - size < 8);
    if (size == 0)
        return;
    rate = rate_of(plan, n ? n : 1);
    if (plan.hashes++ < 64)
        must(rate_of(plan, n ? n : 1) >= rate);
    plan.hashes = (uint8_t)(plan.hashes - 2);
    if (plan.hashes > 0)
        must(rate_of(plan, n ? n : 1) >= rate);
}

static void plan_in_integers(uint64_t n, uint64_t one_in)
{
    bloom_plan plan = bloom_plan_one_in(n, one_in), least;
    bool in_range = n <= (uint64_t)1 << 42 && one_in >= 2
                    && one_in <= 1000000000;
    double p = 1 / (double)one_in;
    make(plan);
    must((plan.cells > 0) == in_range);
    if (bloom_plan_size(plan) == 0)
        return;
    n = n ? n : 1;
    must(rate_of(plan, n) <= p);
    least = bloom_plan_for(n, p);
    must(plan.cells >= least.cells);
    must(n < 100 || plan.cells <= least.cells + least.cells / 50 + 64);
    plan.hash_bits = 32;
    if (bloom_plan_size(plan) > 0)
        must(rate_of(plan, n) <= p);
}

/* Any plan at all: how many keys until p, and not one more */
static void plan_of_numbers(bloom_plan plan, uint64_t n, double p)
{
    uint64_t capacity = bloom_plan_capacity(plan, p);
    quick();
    make(plan);
    rate_of(plan, n);
    if (bloom_plan_size(plan) == 0 || !is_rate(p)) {
        must(capacity == 0);
        must(bloom_plan_size(plan) > 0 || bloom_plan_fpr(plan, n) >= 1);
        return;
    }
    must(rate_of(plan, capacity) <= p);
    must(capacity == UINT64_MAX || rate_of(plan, capacity + 1) > p
         || p > NEARLY_1);
}

static void run_one(input in)
{
    uint64_t n = any_number(&in), other = any_number(&in);
    double p = any_rate(&in);
    unsigned what = byte_of(&in), k = byte_of(&in);
    bloom_plan plan;
    quick();
    if (k == 255)
        k = (unsigned)number_of(&in, 4);
    plan.layout = (uint8_t)(what / 4 % 8);
    plan.hashes = (uint8_t)k;
    plan.hash_bits = what & 128 ? 32 : 64;
    plan.cells = other & ~(uint64_t)(k & 63 ? 63 : 0);
    plan.seed = number_of(&in, 8);
    if (what % 8 == 7)
        plan.hash_bits = (uint8_t)byte_of(&in);
    switch (what % 4) {
    case 0: plan_for_rate(n, p, k, plan.layout); break;
    case 1: plan_for_bytes(n, (size_t)other); break;
    case 2: plan_in_integers(n, other); break;
    default: plan_of_numbers(plan, n, p);
    }
}

#endif

/* ---- The command --------------------------------------------------------- */

#if defined(FUZZ_COMMAND)

enum { MOST = 1 << 13 };

typedef struct bytes { unsigned char at[MOST]; size_t size; } bytes;

static char folder[64], name_a[80], name_b[80], name_in[80], name_out[80];
static char printed[1 << 17], said[1 << 12];
static bytes file_a, file_b, file_in, result;

static void remove_folder(void)
{
    remove(name_a);
    remove(name_b);
    remove(name_in);
    remove(name_out);
    remove(folder);
}

static void set_up(void)
{
    const char *base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(folder, sizeof folder, "%s/bloom-fuzz-XXXXXX", base);
    must(mkdtemp(folder) != NULL);
    snprintf(name_a, sizeof name_a, "%s/a", folder);
    snprintf(name_b, sizeof name_b, "%s/b", folder);
    snprintf(name_in, sizeof name_in, "%s/in", folder);
    snprintf(name_out, sizeof name_out, "%s/out", folder);
    output = fmemopen(printed, sizeof printed, "w");
    messages = fmemopen(said, sizeof said, "w");
    must(output && messages);
    atexit(remove_folder);
}

static void write_file(const char *name, const bytes *content)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    must(write(fd, content->at, content->size) == (ssize_t)content->size);
    must(close(fd) == 0);
}

/* false: there is none */
static bool read_file(const char *name, bytes *content)
{
    int fd = open(name, O_RDONLY);
    ssize_t got = fd < 0 ? 0 : read(fd, content->at, MOST);
    must(got >= 0);
    content->size = (size_t)got;
    return fd >= 0 && close(fd) == 0;
}

static bool is_in_file(const char *name, const bytes *content)
{
    return read_file(name, &result) && result.size == content->size
        && memcmp(result.at, content->at, result.size) == 0;
}

static bool is_sound(const bytes *content)
{
    return verdict(content->at, content->size) == BLOOM_OK
        && bloom_verify(bloom_view(content->at, content->size, NULL))
           != BLOOM_CORRUPT;
}

/* The lines of file_in as standard input */
static void redirect(void)
{
    int fd = open(name_in, O_RDONLY);
    must(fd >= 0);
    if (fd != 0)
        must(dup2(fd, 0) == 0 && close(fd) == 0);
}

static void take_back(void)
{
    unsigned i;
    for (i = 0; i < 16; i++) {
        free(taken[i]);
        taken[i] = NULL;
        if (descriptors[i] > 0)
            close(descriptors[i]);
        descriptors[i] = 0;
    }
    beside = NULL;
}

static int command(int count, char **words)
{
    int status;
    rewind(output);
    rewind(messages);
    memset(said, 0, 256);
    printed[0] = '\0';
    optind = 0;                             /* glibc begins anew */
    options.inverted = false;
    status = setjmp(back);
    status = status ? status - 1 : command_main(count, words);
    fflush(output);
    fflush(messages);
    take_back();
    return status;
}

static void check_message(void)
{
    size_t end = strlen(said);
    must(strncmp(said, "bloom: ", 7) == 0);
    must(strncmp(said + 7, folder, strlen(folder)) == 0);
    must(strstr(said + 7 + strlen(folder), ": ") != NULL);
    must(end > 0 && strchr(said, '\n') == said + end - 1);
}

static bool words_run(const char *verb, const char *w2, const char *w3,
                      const char *w4)
{
    const char *const given[5] = { "bloom", verb, w2, w3, w4 };
    char text[5][80], *words[6] = { NULL };
    int count, status;
    for (count = 0; count < 5 && given[count]; count++) {
        snprintf(text[count], sizeof text[count], "%s", given[count]);
        words[count] = text[count];
    }
    status = command(count, words);
    must(status == 0 || status == 1 || status == 2);
    must(status != 1 || strcmp(verb, "check") == 0);
    if (strcmp(verb, "check") == 0 && status != 2)
        must((status == 0) == (ftell(output) > 0));
    if (status == 2)
        check_message();
    return status != 2;
}

static void contains_lines(const bytes *content)
{
    const bloom *b = bloom_view(content->at, content->size, NULL);
    const unsigned char *at = file_in.at, *end = at + file_in.size, *stop;
    for (; at < end; at = stop + 1) {
        stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop)
            stop = end;
        must(bloom_may_contain(b, at, (size_t)(stop - at)));
    }
}

/* FILE is updated and sealed, or as it was. */
static void do_uniq(void)
{
    redirect();
    must(words_run("uniq", "-f", name_a, NULL) == is_sound(&file_a));
    if (!is_sound(&file_a)) {
        must(is_in_file(name_a, &file_a));
        return;
    }
    must(read_file(name_a, &result) && verdict(result.at, result.size)
         == BLOOM_OK && result.size <= file_a.size);
    must(bloom_verify(bloom_view(result.at, result.size, NULL)) == BLOOM_OK);
    contains_lines(&result);
}

/* OUT is a new file, A itself, or what file_in has: a filter or not */
static void do_merge(unsigned where)
{
    const char *out = where == 0 ? name_out : where == 1 ? name_a : name_in;
    const bytes *old = where == 1 ? &file_a : &file_in;
    bool spare = where > 0 && old->size > 0
                 && (old->size < 3 || memcmp(old->at, "BLM", 3) != 0);
    bool sound = is_sound(&file_a) && is_sound(&file_b), expected, done;
    static bytes sum;
    sum = file_a;
    expected = sound && !spare
        && bloom_merge(bloom_open(sum.at, sum.size, NULL),
                       bloom_view(file_b.at, file_b.size, NULL));
    remove(name_out);
    done = words_run("merge", out, name_a, name_b);
    must(done == expected);
    must(is_in_file(name_b, &file_b));
    must(where == 1 || is_in_file(name_a, &file_a));
    if (!done) {
        must(where == 0 ? access(name_out, F_OK) != 0 : is_in_file(out, old));
        return;
    }
    bloom_seal(bloom_open(sum.at, sum.size, NULL));
    sum.size = bloom_size(bloom_view(sum.at, sum.size, NULL));
    must(is_in_file(out, &sum));
}

static void no_file_beside(const char *name)
{
    char other[128];
    snprintf(other, sizeof other, "%s.tmp.%ld", name, (long)getpid());
    must(access(other, F_OK) != 0);
}

static void take(bytes *to, input *in, size_t size)
{
    size_t left = (size_t)(in->end - in->at);
    to->size = size < left ? size : left;
    memcpy(to->at, in->at, to->size);
    in->at += to->size;
}

/* Which verb, how long A is, A, and then B and the lines */
static void run_one(input in)
{
    unsigned what = byte_of(&in);
    size_t size = number_of(&in, 2) % 1024;
    if (in.end - in.at > MOST)
        return;
    if (!output)
        set_up();
    take(&file_a, &in, size);
    take(&file_b, &in, what & 8 ? size : MOST);
    if (what & 16)
        file_b = file_a;
    take(&file_in, &in, MOST);
    if (file_in.size == 0)
        file_in = file_b;
    write_file(name_a, &file_a);
    write_file(name_b, &file_b);
    write_file(name_in, &file_in);
    switch (what % 8) {
    case 0: must(words_run("check", name_a, name_in, NULL)
                 == is_sound(&file_a)); break;
    case 1: must(words_run("check", "-v", name_a, name_in)
                 == is_sound(&file_a)); break;
    case 2: must(words_run("info", name_a, NULL, NULL) == is_sound(&file_a));
            break;
    case 3: must(words_run("dump", name_a, NULL, NULL) == is_sound(&file_a));
            break;
    case 4: do_uniq(); break;
    default: do_merge(what % 8 - 5);
    }
    must(what % 8 >= 4 || is_in_file(name_a, &file_a));
    no_file_beside(name_a);
    no_file_beside(name_in);
    no_file_beside(name_out);
}

#endif

/* ---- Who drives ---------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned char none[1] = { 0 };
    input in;
    in.at = size ? data : none;
    in.end = in.at + size;
    run_one(in);
    return 0;
}

#ifdef FUZZ_MAIN

/* Each file in memory of its own, no larger than it is */
int main(int count, char **names)
{
    static unsigned char content[1 << 16];
    int i;
    for (i = 1; i < count; i++) {
        FILE *file = fopen(names[i], "rb");
        size_t size = file ? fread(content, 1, sizeof content, file) : 0;
        unsigned char *copy = malloc(size + 1);
        if (!file || !copy)
            return fprintf(stderr, "%s: cannot be read\n", names[i]), 2;
        memcpy(copy, content, size);
        LLVMFuzzerTestOneInput(copy, size);
        free(copy);
        fclose(file);
    }
    printf("%d files\n", count - 1);
    return 0;
}

#endif
