/* make promise: blocked filters of 1 to 128 GB, without the memory.

   usage: window [all] [seed=S]
   bloom_view takes a header alone, and bloom_probes tells the cells of any hash.
   So some blocks are kept, and only such hashes are drawn as lead to them.
   Exits with 1 if a promise is broken, and says which. */

#include "promise.h"

enum { BLOCKS = 20000, WORDS = BLOCKS * 8 };

static uint32_t word[WORDS];            /* the window, from block `first` on */
static uint64_t first, blocks;

/* A random key whose position number `at` (0: the first) lies in the window, but
   for those that a rule which is not even takes elsewhere */
static bloom_hash draw(unsigned at)
{
    const uint64_t wide = UINT64_MAX / blocks;          /* a block's share */
    uint64_t x = first * wide + random64() % (BLOCKS * wide), y = random64(), i;
    bloom_hash h;
    h.h2 = y;
    for (i = 0; i < at; i++, y *= BLOOM_FACTOR_)
        x -= y;
    h.h1 = x;
    return h;
}

/* Sets the key's eight cells at that position, or asks if all are set. */
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

/* One window at a random place, with as many positions of keys as such a one has
   of n keys: the share of absent keys that it would let through */
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
    bloom_store64_(header + 8, blocks * 256);
    header[6] = (unsigned char)k;
    b = bloom_view(header, SIZE_MAX, &error);
    if (!b) {
        printf("%4.0f GB: not for size_t of this machine\n", gigabytes);
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
            "the rate of a blocked filter beyond 2^34 cells");
}

int main(int argc, char **argv)
{
    static const double sizes[] = { 1, 16, 64, 92, 128 };
    unsigned i;
    int a;
    for (a = 1; a < argc; a++)
        if (!is_option(argv[a]))
            return say_what(argv[a]);
    printf("\nblocked filters beyond memory, by windows of %d blocks;"
           " +- four sigma\n", BLOCKS);
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        window(sizes[i], 8, 0.01);
        window(sizes[i], 16, 0.0001);
    }
    return ending();
}
