/* Searches for the slowest call of each public function whose input is bounded
   (`make worst`), and compares its time with a limit. A failure means that some
   arguments or some hostile image make a call unexpectedly slow.

   usage: worst [SECONDS]      searches each function for SECONDS, 2 by default

   Half of the rounds draw new arguments, from the ends of their ranges and from
   between. The others change some of the worst arguments so far. A time is the
   least CPU time of five calls, so that other programs matter little. Images,
   hostile or not, have 1 MB, and malloc supplies at most 2 MB at once: larger
   filters take longer only because of their size. It prints the worst time in
   milliseconds with its arguments. The exit status is 1 if one exceeds its
   limit, which is listed after the name in subjects[]. */

#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>

#define BLOOM_MALLOC(size) ((size) >> 21 == 0 ? calloc(1, size) : NULL)
#define BLOOM_FREE(pointer) free(pointer)
#define BLOOM_STATIC
#define BLOOM_CHAIN_MALLOC(size) BLOOM_MALLOC(size)
#define BLOOM_CHAIN_FREE(pointer) BLOOM_FREE(pointer)
#include "examples/companions/bloom_chain.h"
#include "../inside.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SIZE = 1 << 20 };

static unsigned char *image, *other;    /* SIZE bytes each */
static volatile double sink;            /* compilers must not drop a call */

typedef struct arguments {
    uint64_t n, cells, size;
    double p;
    unsigned k, layout, width;
} arguments;

/* ---- Arguments ----------------------------------------------------------- */

static uint64_t any(void)
{
    static uint64_t x = 88172645463325252U;
    x ^= x << 13;
    x ^= x >> 7;
    return x ^= x << 17;
}

static unsigned below(unsigned n)
{
    return (unsigned)(any() % n);
}

/* A number of any magnitude; one in four is within 2 of a power of two */
static uint64_t any_number(void)
{
    uint64_t n = any() >> below(64);
    return below(4) ? n : (1ULL << below(64)) + below(5) - 2;
}

/* A rate of any magnitude, also near 0 and near 1, or a number that is no
   rate */
static double any_rate(void)
{
    double p = (double)(any() >> 11) / 9007199254740992.0;
    unsigned i;
    switch (below(8)) {
    case 0: return below(2) ? 0.0 : -p;
    case 1: return 1 - p / 1e15;
    case 2: return 1 - p / 100;
    case 3: return p;
    }
    for (i = below(below(3) ? 70 : 1100); i > 0; i--)
        p /= 2;
    return p;
}

static uint64_t any_cells(const arguments *a)
{
    uint64_t cells = any_number() / 256 * 256;
    return cells == 0 ? 256 : a->layout == BLOOM_BLOCKED ? cells >> 24 << 8
                                                         : cells;
}

static void change(arguments *a, unsigned which)
{
    switch (which) {
    case 0: a->n = below(2) ? any_number() : a->n + below(9) - 4; break;
    case 1: a->p = below(2) ? any_rate() : a->p * (0.5 + below(1000) / 1e3);
            break;
    case 2: a->k = below(64) + 1; break;
    case 3: a->layout = below(3); break;
    case 4: a->cells = any_cells(a); break;
    case 5: a->width = below(4) ? 64 : 32; break;
    case 6: a->size = any_number(); break;
    }
}

static bloom_plan plan_of(const arguments *a)
{
    bloom_plan plan;
    plan.cells = a->cells;
    plan.seed = 0;
    plan.layout = (uint8_t)a->layout;
    plan.hashes = (uint8_t)(a->layout == BLOOM_BLOCKED ? (a->k + 7) / 8 * 8
                                                       : a->k);
    plan.hash_bits = (uint8_t)(a->layout == BLOOM_BLOCKED ? 64 : a->width);
    return plan;
}

/* ---- Calls --------------------------------------------------------------- */

static void for_rate(const arguments *a)
{
    sink += (double)bloom_plan_for(a->n, a->p).cells;
}

static void for_layout(const arguments *a)
{
    sink += (double)bloom_plan_layout(a->n, a->p,
                                      (bloom_layout)a->layout).cells;
}

/* Plans such as people ask for: n up to 10^10, p from 0.5 to 10^-12 */
static uint64_t usual_n(const arguments *a)
{
    return a->n % 10000000000U + 1;
}

static double usual_p(const arguments *a)
{
    return a->p < 1e-12 ? 1e-12 : a->p > 0.5 ? 0.5 : a->p;
}

static void for_usual_rate(const arguments *a)
{
    sink += (double)bloom_plan_for(usual_n(a), usual_p(a)).cells;
}

static void for_usual_blocks(const arguments *a)
{
    sink += (double)bloom_plan_layout(usual_n(a), usual_p(a),
                                      BLOOM_BLOCKED).cells;
}

static void for_hashes(const arguments *a)
{
    sink += (double)bloom_plan_hashes(a->n, a->p, a->k).cells;
}

static void for_bytes(const arguments *a)
{
    sink += bloom_plan_bytes(a->n, (size_t)a->size).hashes;
}

static void one_in(const arguments *a)
{
    sink += (double)bloom_plan_one_in(a->n, a->size).cells;
}

static void plan_fpr(const arguments *a)
{
    sink += bloom_plan_fpr(plan_of(a), a->n);
}

static void capacity(const arguments *a)
{
    sink += (double)bloom_plan_capacity(plan_of(a), a->p);
}

static void new_and_free(const arguments *a)
{
    bloom_free(bloom_new(a->n, a->p));
}

static void create_and_free(const arguments *a)
{
    bloom_free(bloom_create(plan_of(a)));
}

/* ---- Filters of 1 MB ----------------------------------------------------- */

static bloom *b, *c;

/* Makes a filter that fills the image, with random cells, all or none set, and
   with a valid or invalid seal. Makes a second one of the same plan, or one
   into which the first can be flattened. */
static void two_filters(const arguments *a)
{
    bloom_plan plan = plan_of(a);
    plan.cells = (SIZE - 32) * (plan.layout == BLOOM_COUNTING ? 2U : 8U)
               / 256 * 256;
    b = bloom_init(image, SIZE, plan);
    if (plan.layout == BLOOM_COUNTING && a->n % 2) {
        plan.layout = BLOOM_CLASSIC;
    }
    c = bloom_init(other, SIZE, plan);
    if (a->n % 7 < 5)
        memset(image + 32, (int)(a->n & 255), SIZE - 32);
    else
        for (plan.cells = 32; plan.cells < SIZE; plan.cells++)
            image[plan.cells] = other[plan.cells] = (unsigned char)any();
    if (a->n % 3)
        bloom_seal(b);
    image[SIZE - 64] ^= a->n % 3 == 2;
}

/* Makes an image of any bytes, with or without a valid header. */
static void any_image(const arguments *a)
{
    two_filters(a);
    if (a->n % 2)
        memcpy(image + 8, &a->cells, 8);
    if (a->n % 16 == 0)
        image[a->cells % 32] = (unsigned char)a->size;
}

static void open_it(const arguments *a)
{
    (void)a;
    sink += bloom_open(image, SIZE, NULL) != NULL;
}

static void open_and_verify(const arguments *a)
{
    const bloom *opened = bloom_view(image, SIZE, NULL);
    (void)a;
    if (opened)
        sink += (double)bloom_verify(opened);
}

#define ON_FILTERS(name, call) \
    static void name(const arguments *a) { (void)a; sink += (double)(call); }
ON_FILTERS(verify, bloom_verify(b))
ON_FILTERS(seal, (bloom_seal(b), 1))
ON_FILTERS(clear, (bloom_clear(b), 1))
ON_FILTERS(merge, bloom_merge(b, c))
ON_FILTERS(intersect, bloom_intersect(b, c))
ON_FILTERS(flatten, bloom_flatten(c, b))
ON_FILTERS(ones, bloom_ones(b))
ON_FILTERS(estimate, bloom_estimate(b))
ON_FILTERS(fpr, bloom_fpr(b))
ON_FILTERS(add, bloom_add(b, other, SIZE))
ON_FILTERS(look, bloom_may_contain(b, other, SIZE))
ON_FILTERS(take, bloom_remove(b, other, SIZE))
ON_FILTERS(add_many, bloom_add_many_u64(b, (uint64_t *)(void *)other, SIZE / 8,
                                        NULL))
ON_FILTERS(look_many, bloom_may_contain_many_u64(b, (uint64_t *)(void *)other,
                                                 SIZE / 8, NULL))

/* ---- Chains of 1 MB ------------------------------------------------------ */

static bloom_chain *chain;

static void put64(unsigned char *to, uint64_t x)
{
    unsigned i;
    for (i = 0; i < 8; i++)
        to[i] = (unsigned char)(x >> 8 * i);
}

/* Makes the image of a chain of up to 64 links of any sizes, and with any
   numbers in its head. */
static void any_chain(const arguments *a)
{
    bloom_plan plan = plan_of(a);
    size_t at = 32, links = 1 + a->size % 64, count = links;
    size_t bytes = (SIZE - 32) / links / 32 * 32 - 32;
    uint64_t bits;
    double p = a->p;
    plan.layout = (uint8_t)(a->layout % 2);
    plan.hash_bits = 64;
    plan.hashes = (uint8_t)(plan.layout ? (a->k + 7) / 8 * 8 : a->k);
    plan.cells = bytes * 8;
    memset(image, a->n % 3 ? 0 : 255, SIZE);
    for (; links > 0; links--, at += bytes + 32)
        if (a->n % 5 == 0 || !bloom_init(image + at, bytes + 32, plan))
            inside_write_header(image + at, plan);
    memcpy(image, "BLC\2", 4);
    image[4] = plan.layout;
    image[5] = plan.hash_bits;
    image[6] = (unsigned char)count;
    memcpy(&bits, &p, 8);
    put64(image + 8, a->n);
    put64(image + 16, bits);
    put64(image + 24, a->cells);
    image[7] = inside_chain_check_byte(image);
}

static void load(const arguments *a)
{
    (void)a;
    bloom_chain_free(chain);
    chain = bloom_chain_load(image, SIZE, NULL);
}

static void load_first(const arguments *a)
{
    any_chain(a);
    load(a);
}

static void new_chain(const arguments *a)
{
    bloom_chain_free(chain);
    chain = bloom_chain_create(a->n, a->p, plan_of(a));
}

#define ON_CHAIN(name, call) \
    static void name(const arguments *a) \
    { (void)a; if (chain) sink += (double)(call); }
ON_CHAIN(chain_add, bloom_chain_add_u64(chain, any()))
ON_CHAIN(chain_estimate, bloom_chain_size(chain) > SIZE
         ? 0 : bloom_chain_estimate(chain))
ON_CHAIN(chain_fpr, bloom_chain_size(chain) > SIZE
         ? 0 : bloom_chain_fpr(chain))

/* ---- The search ---------------------------------------------------------- */

typedef void call(const arguments *a);

static const struct subject {
    const char *name;
    call *prepare, *run;
    double limit;                       /* milliseconds */
} subjects[] = {
    { "bloom_plan_for", NULL, for_rate, 10 },
    { "bloom_plan_layout", NULL, for_layout, 10 },
    { "same, usual n and p", NULL, for_usual_rate, 1 },
    { "same, BLOOM_BLOCKED", NULL, for_usual_blocks, 1 },
    { "bloom_plan_hashes", NULL, for_hashes, 10 },
    { "bloom_plan_bytes", NULL, for_bytes, 10 },
    { "bloom_plan_one_in", NULL, one_in, 10 },
    { "bloom_plan_fpr", NULL, plan_fpr, 10 },
    { "bloom_plan_capacity", NULL, capacity, 10 },
    { "bloom_new, free", NULL, new_and_free, 10 },
    { "bloom_create, free", NULL, create_and_free, 10 },
    { "bloom_open", any_image, open_it, 10 },
    { "bloom_open, verify", any_image, open_and_verify, 10 },
    { "bloom_verify", two_filters, verify, 10 },
    { "bloom_seal", two_filters, seal, 100 },
    { "bloom_clear", two_filters, clear, 100 },
    { "bloom_merge", two_filters, merge, 100 },
    { "bloom_intersect", two_filters, intersect, 100 },
    { "bloom_flatten", two_filters, flatten, 100 },
    { "bloom_ones", two_filters, ones, 100 },
    { "bloom_estimate", two_filters, estimate, 100 },
    { "bloom_fpr", two_filters, fpr, 100 },
    { "bloom_add, key of 1 MB", two_filters, add, 100 },
    { "bloom_may_contain, same", two_filters, look, 100 },
    { "bloom_remove, same", two_filters, take, 100 },
    { "bloom_add_many, 1 MB", two_filters, add_many, 100 },
    { "may_contain_many, 1 MB", two_filters, look_many, 100 },
    { "bloom_chain_create", NULL, new_chain, 10 },
    { "bloom_chain_load", any_chain, load, 10 },
    { "bloom_chain_add", load_first, chain_add, 100 },
    { "bloom_chain_estimate", load_first, chain_estimate, 100 },
    { "bloom_chain_fpr", load_first, chain_fpr, 100 },
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double ms(const struct subject *s, const arguments *a, unsigned times)
{
    double least = 1e9, from;
    unsigned i;
    for (i = 0; i < times; i++) {
        if (s->prepare)
            s->prepare(a);
        from = now();
        s->run(a);
        from = now() - from;
        least = from < least ? from : least;
    }
    return least;
}

/* A new worst time is measured again before it counts. */
static double search(const struct subject *s, double seconds, arguments *worst)
{
    double most = -1, t, end = now() + seconds * 1e3;
    unsigned i, which;
    for (i = 0; now() < end; i++) {
        arguments a = *worst;
        for (which = 0; i % 2 == 0 && which < 7; which++)
            change(&a, which);
        for (which = 1 + below(3); i % 2 == 1 && which > 0; which--)
            change(&a, below(7));
        t = ms(s, &a, 1);
        if (t > most)
            t = ms(s, &a, 5);
        if (t > most) {
            most = t;
            *worst = a;
        }
    }
    return most;
}

int main(int count, char **words)
{
    double seconds = count > 1 ? atof(words[1]) : 2;
    const struct subject *s = subjects, *end = s + sizeof subjects / sizeof *s;
    int slow = 0;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    image = malloc(SIZE);
    other = malloc(SIZE);
    if (!image || !other)
        return 2;
    memset(other, 0, SIZE);
    for (; s < end; s++) {
        arguments a = { 1, 256, 0, 0.5, 1, 0, 64 };
        double t = search(s, seconds, &a);
        printf("%-24s %9.4f ms  n %" PRIu64 " p %g k %u layout %u width %u m %"
               PRIu64 " size %" PRIu64 "%s\n", s->name, t, a.n, a.p, a.k,
               a.layout, a.width, a.cells, a.size,
               t > s->limit ? "  TOO SLOW" : "");
        slow |= t > s->limit;
    }
    return slow;
}
