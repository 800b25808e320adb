/* Tests sliding windows (bloom_window.h): they find each of the last n keys,
   and other keys with a rate of at most p (`make promise`). Keys are drawn from
   4n numbers, so that some come again. The oracle is a list of when each number
   was last added. Absent keys are larger numbers, which are not drawn.

   usage: window_rates [all] [seed=S]
     all      also windows of a million keys, to which 10^8 keys are added
     seed=S   the random numbers' seed
   The exit status is 1 if a promise is broken: a window forgot one of the last
   n keys, or its rate is too high. */

#include "rates.h"
#include "examples/companions/bloom_window.h"

#define FAR (1ULL << 60)                /* the drawn numbers lack this bit */

static uint32_t *added_at;              /* when each was last added; 0: never */

/* Adds numbers in batches. After each batch it looks up numbers that are among
   the last n. Returns how many of these were not found. */
static uint64_t add_all(bloom_window *w, uint64_t n, uint64_t keys)
{
    static uint64_t batch[BATCH];
    uint64_t now = 0, lost = 0, i, number;
    while (now < keys) {
        for (i = 0; i < BATCH; i++) {
            number = random64() % (4 * n);
            batch[i] = number;
            added_at[number] = (uint32_t)++now;
        }
        bloom_window_add_many_u64(w, batch, BATCH, NULL);
        for (i = 0; i < BATCH; ) {
            number = random64() % (4 * n);
            if (added_at[number] > 0 && now - added_at[number] <= n)
                batch[i++] = number;
        }
        lost += BATCH
              - bloom_window_may_contain_many_u64(w, batch, BATCH, NULL);
    }
    return lost;
}

/* Measures the mean rate of some windows after `keys` keys, by lookups, and
   once more when the newest generation is full, from the cells. */
static void some(unsigned windows, uint64_t n, double p, unsigned g,
                 bloom_layout layout, uint64_t keys)
{
    const uint64_t asked = p > 1e-5 ? 1 << 20 : 0;
    const bloom_plan plan = bloom_plan_layout(n, p, layout);
    tally ends = { 0, 0, 0, 0 }, fulls = { 0, 0, 0, 0 };
    measure end, full;
    double memory = 0;
    uint64_t lost = 0, i, maybe;
    bloom_window *w;
    for (; windows > 0; windows--) {
        w = need(bloom_window_new(n, p, g, layout));
        added_at = need(calloc((size_t)(4 * n), sizeof *added_at));
        lost += add_all(w, n, keys);
        for (i = maybe = 0; i < asked; i++)
            maybe += bloom_window_may_contain_u64(w, random64() | FAR);
        observe(&ends, (double)maybe / (double)(asked + !asked),
                (double)maybe / (double)(asked + !asked)
                / (double)(asked + !asked));
        while (bloom_window_keys(w) < bloom_window_plan_of(w).room)
            bloom_window_add_u64(w, random64() | FAR);
        observe(&fulls, bloom_window_fpr(w), 0);
        memory = (double)bloom_window_size(w);
        bloom_window_free(w);
        free(added_at);
    }
    end = mean_of(ends);
    full = mean_of(fulls);
    printf("%-8s g %2u, p %-6g: %.0f forgotten; rate / p when full %5.3f"
           " +-%.3f", layout ? "blocked" : "classic", g, p, (double)lost,
           full.rate / p, 4 * full.sigma / p);
    if (asked > 0)
        printf(", at the end %5.3f +-%.3f", end.rate / p, 4 * end.sigma / p);
    printf("; memory %.2f\n", memory / (double)bloom_plan_size(plan));
    fflush(stdout);
    promise(lost == 0, "a window finds each of the last n keys");
    promise(end.rate <= p + 4 * end.sigma && full.rate <= p + 4 * full.sigma,
            "the rate of a window is <= p");
}

int main(int argc, char **argv)
{
    static const double rates[] = { 0.1, 0.01, 0.001, 1e-4, 1e-5, 1e-6 };
    bool all = false;
    unsigned g, i;
    int a;
    for (a = 1; a < argc; a++) {
        all |= strcmp(argv[a], "all") == 0;
        if (!is_option(argv[a]))
            return say_what(argv[a]);
    }
    printf("\nwindows of 20,000 keys; memory over that of one filter;"
           " +- 4 sigma\n");
    for (g = 2; g <= 16; g *= 2)
        for (i = 0; i < sizeof rates / sizeof *rates; i++)
            some(8, 20000, rates[i], g, i % 2 ? BLOOM_BLOCKED : BLOOM_CLASSIC,
                 200000);
    if (all)
        printf("windows of a million keys, after 10^8 keys were added\n");
    for (g = 2; all && g <= 16; g *= 2)
        some(2, 1000000, 0.01, g, BLOOM_BLOCKED, 100000000);
    return ending();
}
