/* Run by run.sh: computes the figures that the page must show. It uses bloom.h
   compiled for this machine, and shares no code with page.c.

   figures image OUT M K LAYOUT WORD...    writes the filter of these words
   figures probes M K LAYOUT WORD...       prints the k cells of each word
   figures plan N P LAYOUT K               prints m, k, bytes, rate; K 0: best k
   figures fit BYTES P LAYOUT              prints m, k, bytes, n of the filter
                    of at most BYTES bytes that holds the most keys at P
   figures measure N P LAYOUT K FILTERS POINT...    prints, for each number of
                    keys POINT, the false positives in 100,000 lookups in all
   figures rule RULE M K N         prints the false positives and the lookups
   figures race N P LAYOUT         prints the bytes of a filter with N keys and
                                   its false positives in N lookups */

#define BLOOM_STATIC
#include "bloom.h"
#include "tests/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bloom_plan plan;

static bloom *make(void)
{
    bloom *b = bloom_create(plan);
    if (!b)
        exit(2);
    return b;
}

static void shape(char **words)         /* sets the plan: M K LAYOUT */
{
    plan = bloom_plan_bytes(1, 40);
    plan.cells = strtoull(words[0], NULL, 10);
    plan.hashes = (uint8_t)atoi(words[1]);
    plan.layout = (uint8_t)atoi(words[2]);
}

static void image(char **words)
{
    const char *path = *words++;
    FILE *file = fopen(path, "wb");
    bloom *b;
    shape(words);
    b = make();
    for (words += 3; *words; words++)
        bloom_add(b, *words, strlen(*words));
    bloom_seal(b);
    if (!file || fwrite(b, 1, bloom_size(b), file) != bloom_size(b)
        || fclose(file) != 0)
        exit(2);
}

static void probes(char **words)
{
    bloom *b;
    shape(words);
    b = make();
    for (words += 3; *words; words++) {
        uint64_t index[64];
        unsigned i, k;
        k = bloom_probes(b, bloom_hash_key(b, *words, strlen(*words)), index);
        for (i = 0; i < k; i++)
            printf("%" PRIu64 "%c", index[i], i + 1 < k ? ' ' : '\n');
    }
}

/* Tries each k; of equal ones, the smallest holds. */
static void fit(char **words)
{
    const size_t bytes = strtoull(words[0], NULL, 10);
    const double p = strtod(words[1], NULL);
    bloom_plan best = { 0, 0, 0, 0, 0 };
    uint64_t most = 0;
    unsigned k;
    plan = bloom_plan_bytes_layout(1, bytes, (bloom_layout)atoi(words[2]));
    for (k = 1; k <= 64; k++) {
        plan.hashes = (uint8_t)k;
        if (bloom_plan_size(plan) > 0 && bloom_plan_capacity(plan, p) > most) {
            most = bloom_plan_capacity(plan, p);
            best = plan;
        }
    }
    printf("%" PRIu64 " %d %zu %" PRIu64 "\n", best.cells, best.hashes,
           bloom_plan_size(best), most);
}

static uint64_t plan_it(char **words)   /* sets the plan: N P LAYOUT K */
{
    uint64_t n = strtoull(words[0], NULL, 10);
    double p = strtod(words[1], NULL);
    unsigned k = (unsigned)atoi(words[3]);
    int layout = atoi(words[2]);
    plan = k && layout != BLOOM_BLOCKED ? bloom_plan_hashes(n, p, k)
         : bloom_plan_layout(n, p, (bloom_layout)layout);
    plan.layout = (uint8_t)layout;
    if (k && layout == BLOOM_BLOCKED) { /* the smallest with a rate <= p */
        plan.hashes = (uint8_t)k;
        for (plan.cells = 256; bloom_plan_fpr(plan, n) > p; )
            plan.cells += 256;
    }
    return n;
}

static void show_plan(char **words)
{
    uint64_t n = plan_it(words);
    printf("%" PRIu64 " %d %" PRIu64 " %.17g\n", plan.cells, plan.hashes,
           (uint64_t)bloom_plan_size(plan), bloom_plan_fpr(plan, n));
}

/* Filter number f has the keys f * 2^32 .. f * 2^32 + n - 1. The keys that are
   looked up begin 2^50 higher. */
static void measure(char **words)
{
    uint64_t filters = strtoull(words[4], NULL, 10), f, i;
    char **point;
    plan_it(words);
    for (point = words + 5; *point; point++) {
        uint64_t n = strtoull(*point, NULL, 10), maybes = 0;
        for (f = 0; f < filters; f++) {
            bloom *b = make();
            for (i = 0; i < n; i++)
                bloom_add_u64(b, (f << 32) + i);
            for (i = 0; i < 100000 / filters; i++)
                maybes += bloom_may_contain_u64(b, (1ULL << 50) + (f << 32)
                                                   + i);
            bloom_free(b);
        }
        printf("%" PRIu64 "\n", maybes);
    }
}

/* The next cell under a rule: 0 Guava's, 1 constant step, 3 independent */
static uint64_t next(int rule, uint64_t *x, uint64_t y)
{
    uint64_t at = *x, m = plan.cells;
    *x = rule == 3 ? random_at(random_state++) : at + y;
    if (rule == 0)
        return (at & INT64_MAX) % m;
    return ((at >> 32) * m + ((at & UINT32_MAX) * m >> 32)) >> 32;
}

static uint64_t run_rule(int rule, unsigned char *cell, bloom *b, bool asking)
{
    uint64_t x = random_at(random_state++), y = random_at(random_state++);
    uint64_t all = 1;
    bloom_hash h;
    unsigned i;
    h.h1 = x;
    h.h2 = y;
    if (rule == 2)
        return asking ? bloom_may_contain_hash(b, h) : bloom_add_hash(b, h);
    for (i = 0; i < plan.hashes && (all || !asking); i++) {
        uint64_t at = next(rule, &x, y);
        all &= cell[at];
        if (!asking)
            cell[at] = 1;
    }
    return all;
}

static void show_rule(char **words)
{
    static unsigned char cell[32768];
    int rule = atoi(*words++);
    uint64_t n = strtoull(words[2], NULL, 10), i, t, each = 4 * n + 200;
    uint64_t maybes = 0;
    char layout[] = "0", *with[3];
    with[0] = words[0];
    with[1] = words[1];
    with[2] = layout;
    shape(with);
    for (t = 0; maybes < 10000 && t * each < 20000000; t++) {
        bloom *b = make();
        memset(cell, 0, sizeof cell);
        random_state = t << 32;
        for (i = 0; i < n; i++)
            run_rule(rule, cell, b, false);
        for (i = 0; i < each; i++)
            maybes += run_rule(rule, cell, b, true);
        bloom_free(b);
    }
    printf("%" PRIu64 " %" PRIu64 "\n", maybes, t * each);
}

static void race(char **words)          /* keys have 53 random bits */
{
    uint64_t n = strtoull(words[0], NULL, 10), i, maybes = 0;
    bloom *b;
    plan = bloom_plan_layout(n, strtod(words[1], NULL),
                             (bloom_layout)atoi(words[2]));
    b = make();
    for (i = 0; i < n; i++)
        bloom_add_u64(b, random_at(i) >> 11);
    for (i = 0; i < n; i++)
        maybes += bloom_may_contain_u64(b, random_at((1ULL << 50) + i) >> 11);
    printf("%" PRIu64 " %" PRIu64 "\n", (uint64_t)bloom_size(b), maybes);
}

int main(int count, char **words)
{
    static const struct { const char *name; void (*run)(char **); int least; }
    verbs[] = { { "image", image, 4 }, { "probes", probes, 3 },
                { "plan", show_plan, 4 }, { "fit", fit, 3 },
                { "measure", measure, 5 },
                { "rule", show_rule, 4 }, { "race", race, 3 } };
    size_t i;
    for (i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (count > 1 && strcmp(words[1], verbs[i].name) == 0
            && count - 2 >= verbs[i].least) {
            verbs[i].run(words + 2);
            return 0;
        }
    return 2;
}
