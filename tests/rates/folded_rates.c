/* Tests the rate of folded filters (`make promise`). Each filter is planned for
   100 times as many keys as it gets. As bloom.h advises at bloom_fold, its m is
   rounded up to a number with many divisors: a multiple of 5040 * 64 (blocked:
   256). Then it is folded as far as bloom_fold_by allows. A failure means that
   a folded filter exceeds the rate p that was given to bloom_fold_by. The
   program also prints the size over that of a plan for the actual keys.

   usage: folded_rates [all] [seed=S]
     all      8 times the lookups
     seed=S   the random numbers' seed
   The exit status is 1 if a promise is broken. */

#include "rates.h"

static bloom *folded(bloom_plan plan, double n, double p)
{
    const uint64_t unit = plan.layout == BLOOM_BLOCKED ? 256 : 64;
    subject s = { NULL, NULL };
    plan.cells += (unit * 5040 - plan.cells % (unit * 5040)) % (unit * 5040);
    s.b = need(bloom_create(plan));
    run_keys(s, n, BYTES, false);
    promise(bloom_fold(s.b, bloom_fold_by(s.b, p)),
            "bloom_fold accepts the number of bloom_fold_by");
    return s.b;
}

/* The mean rate and size of `filters` folded filters */
static void some(unsigned filters, uint64_t n, double p, bloom_layout layout)
{
    static const char *const names[] = { "classic", "blocked", "counting" };
    const bloom_plan right = bloom_plan_layout(n, p, layout);
    const double asked = effort * (1 << 20);
    tally t = { 0, 0, 0, 0 };
    measure m;
    double size = 0, maybe;
    for (; filters > 0; filters--) {
        subject s = { NULL, NULL };
        s.b = folded(bloom_plan_layout(100 * n, p, layout), (double)n, p);
        maybe = run_keys(s, asked, BYTES, true) / asked;
        observe(&t, maybe, maybe / asked);
        size = (double)bloom_size(s.b) / (double)bloom_plan_size(right);
        bloom_free(s.b);
    }
    m = mean_of(t);
    printf("%-8s n %7.0f, p %-6g: rate / p %5.3f +-%.3f; size %.3f of a "
           "plan's\n", names[layout], (double)n, p, m.rate / p,
           4 * m.sigma / p, size);
    fflush(stdout);
    promise(m.rate <= p + 4 * m.sigma, "the rate of a folded filter is <= p");
}

int main(int argc, char **argv)
{
    static const double rates[] = { 0.1, 0.01, 0.001, 1e-4 };
    unsigned i, layout;
    int a;
    for (a = 1; a < argc; a++)
        if (!is_option(argv[a]))
            return say_what(argv[a]);
    printf("\nfilters planned for 100 n keys and folded for n; +- 4 sigma\n");
    for (layout = BLOOM_CLASSIC; layout <= BLOOM_COUNTING; layout++)
        for (i = 0; i < sizeof rates / sizeof *rates; i++)
            some(4, i % 2 ? 100000 : 3000, rates[i], (bloom_layout)layout);
    return ending();
}
