/* Tests the rates of blocked filters of 1 to 128 GB against bloom_plan_fpr,
   without that much memory (`make promise`). bloom_probes needs only the header
   of a filter to compute the cells of a hash. So this program stores a window
   of 20,000 blocks, and draws only hashes that lead into it.

   usage: huge_blocked [all] [seed=S]
     all      8 times the windows
     seed=S   the random numbers' seed

   The exit status is 1 if a rate differs from bloom_plan_fpr by more than 0.5%
   and four sigma: then blocks are chosen badly in large filters. */

#include "rates.h"

enum { BLOCKS = 20000, WORDS = BLOCKS * 8 };

static uint32_t word[WORDS];            /* the window, from block `first` on */
static uint64_t first, blocks;

/* The hash of a random key whose block number `at` (from 0) lies in the window.
   A rule that does not choose blocks evenly may lead some of them elsewhere. */
static bloom_hash draw(unsigned at)
{
    const uint64_t wide = UINT64_MAX / blocks;          /* a block's share */
    uint64_t x = first * wide + random64() % (BLOCKS * wide), y = random64(), i;
    bloom_hash h;
    h.h2 = y;
    for (i = 0; i < at; i++, y *= INSIDE_FACTOR)
        x -= y;
    h.h1 = x;
    return h;
}

/* Sets the eight cells of a random key in block number `at`, or only tests
   them. Returns true if all were set before. */
static bool touch(const bloom *b, unsigned at, bool set)
{
    uint64_t index[64], cell;
    unsigned i, in = 0;
    bloom_probes(b, draw(at), index);
    for (i = 8 * at; i < 8 * at + 8; i++) {
        cell = index[i] - first * 256;
        if (index[i] / 256 < first || cell / 32 >= WORDS)
            return false;
        in += word[cell / 32] >> cell % 32 & 1;
        if (set)
            word[cell / 32] |= (uint32_t)1 << cell % 32;
    }
    return in == 8;
}

/* Fills a window at a random place with as many choices of keys as n keys make
   there, and observes the share of absent keys that it accepts. */
static void observe_window(tally *t, const bloom *b, uint64_t n)
{
    const unsigned at_each = bloom_plan_of(b).hashes / 8U;
    const double asked = 1e6;
    double keys = (double)n * BLOCKS / (double)blocks, i, rate = 1, own = 0;
    unsigned at;
    first = random64() % (blocks - BLOCKS);
    memset(word, 0, sizeof word);
    for (at = 0; at < at_each; at++)
        for (i = 0; i < keys; i++)
            touch(b, at, true);
    for (at = 0; at < at_each; at++) {
        double in = 0;
        for (i = 0; i < asked; i++)
            in += touch(b, at, false);
        rate *= in / asked;
        own += 1 / (in + 1) + 1.0 / BLOCKS;
    }
    observe(t, rate, own * rate * rate);
}

static void window(double gigabytes, unsigned k, double p)
{
    unsigned char header[32] = { 'B', 'L', 'M', 2, 1, 64 };
    bloom_error error;
    bloom_plan plan = bloom_plan_layout(1, 0.5, BLOOM_BLOCKED);
    const bloom *b;
    tally t = { 0, 0, 0, 0 };
    measure r;
    uint64_t n;
    blocks = (uint64_t)(gigabytes * 8e9 / 256);
    inside_store64(header + 8, blocks * 256);
    header[6] = (unsigned char)k;
    b = bloom_view(header, SIZE_MAX, &error);
    if (!b) {
        printf("%4.0f GB: too large for this machine's size_t\n", gigabytes);
        return;
    }
    plan.cells = blocks * 256;
    plan.hashes = (uint8_t)k;
    n = bloom_plan_capacity(plan, p);
    while (t.filters < 8 * effort)
        observe_window(&t, b, n);
    r = mean_of(t);
    r.rate /= bloom_plan_fpr(plan, n);
    r.sigma /= bloom_plan_fpr(plan, n);
    printf("%4.0f GB, k %2u, %.3g keys for %g: rate / bloom_plan_fpr"
           " %.3f +-%.3f\n", gigabytes, k, (double)n, p, r.rate, 4 * r.sigma);
    fflush(stdout);
    promise(fabs(r.rate - 1) <= 0.005 + 4 * r.sigma,
            "the rate of a large blocked filter is bloom_plan_fpr");
}

int main(int argc, char **argv)
{
    static const double sizes[] = { 1, 16, 64, 92, 128 };
    unsigned i;
    int a;
    for (a = 1; a < argc; a++)
        if (!is_option(argv[a]))
            return say_what(argv[a]);
    printf("\nlarge blocked filters, measured in windows of %d blocks;"
           " +- 4 sigma\n", BLOCKS);
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        window(sizes[i], 8, 0.01);
        window(sizes[i], 16, 0.0001);
    }
    return ending();
}
