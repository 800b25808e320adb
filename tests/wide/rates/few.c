/* make promise: filters of one to three keys in much space, whose rates are too
   low to be sampled (10^-9 and far below): counted instead.

   usage: few [all] [n=N] [k=K] [m=M] [seed=S]
     all            n to 3, k to 14, m to 1024, and 8 times the filters
     n=N, k=K, m=M  this point only
   Exits with 1 if a promise is broken, and says which. */

#include "promise.h"

/* ---- How many steps lead through set cells only --------------------------
   The cells of an absent key are those of x + a[i] * y, a = 0, 1, 38, 1407 ..:
   each a is 37 times the one before, and 1. x is drawn from the set cells; the
   y that lead on to set cells are intervals, of which each further cell leaves
   some parts. They are counted to the last one of the 2^64, and so are keys that
   follow those in the filter. If there are too many parts, some drawn at random
   stand for all. */

enum { PARTS = 40 * 64, FEW = 64, MOST_CELLS = 1 << 13 };

typedef struct { uint64_t from, count; } part;      /* count 0: all 2^64 */
typedef struct { part at[PARTS]; unsigned count; double weight; } parts;

static unsigned char set[MOST_CELLS];
static uint64_t m;

/* The first x of a cell: cell * 2^64 / m, rounded up */
static uint64_t first_of(uint64_t cell)
{
    uint64_t high = (cell << 32) / m, rest = (cell << 32) % m;
    uint64_t low = (rest << 32) / m;
    return (high << 32) + low + ((rest << 32) % m != 0);
}

/* Adds the parts of one interval whose cells x + a * y are set. */
static void split(parts *to, part p, uint64_t x, uint64_t a)
{
    uint64_t done = 0;
    while (done < p.count) {
        uint64_t at = x + a * (p.from + done);
        uint64_t cell = bloom_high_half_(at, m);
        uint64_t left = first_of(cell + 1) - at;    /* wraps rightly to 2^64 */
        uint64_t steps = left / a + (left % a != 0);
        if (steps > p.count - done)
            steps = p.count - done;
        if (set[cell] && to->count < PARTS) {
            to->at[to->count].from = p.from + done;
            to->at[to->count++].count = steps;
        }
        done += steps;
    }
}

/* Of more than FEW parts so many drawn at random */
static void thin(parts *p)
{
    unsigned i;
    if (p->count <= FEW)
        return;
    for (i = 0; i < FEW; i++) {
        unsigned other = i + (unsigned)(random64() % (p->count - i));
        part drawn = p->at[other];
        p->at[other] = p->at[i];
        p->at[i] = drawn;
    }
    p->weight *= p->count / (double)FEW;
    p->count = FEW;
}

/* The share of all y that lead from x through k set cells */
static double share_from(uint64_t x, unsigned k)
{
    static parts now, next;
    uint64_t a = 1, cell;
    unsigned i, j;
    double sum = 0;
    now.count = 0;
    now.weight = 1;
    for (cell = 0; cell < m; cell++)
        if (set[cell] && now.count < PARTS) {
            now.at[now.count].from = first_of(cell) - x;
            now.at[now.count++].count = first_of(cell + 1) - first_of(cell);
        }
    for (i = 2; i < k; i++) {
        a = a * 37 + 1;
        thin(&now);
        next.count = 0;
        next.weight = now.weight;
        for (j = 0; j < now.count; j++)
            split(&next, now.at[j], x, a);
        now = next;
    }
    for (j = 0; j < now.count; j++)
        sum += (double)now.at[j].count;
    return sum * now.weight / 0x1p64;
}

/* ---- Rates ---------------------------------------------------------------- */

/* What bloom_plan_fpr is too low by, as its comment says. Such filters differ:
   a few, whose own cells lie close together, take most of the false "maybe"s. */
static double said(double rate)
{
    return rate > 1e-8 ? 1.05 : rate > 0.8e-9 ? 1.2 : rate > 0.8e-11 ? 1.7
                                                                     : INFINITY;
}

/* One filter: for each of its set cells one x */
static void observe_filter(tally *t, bloom_plan plan, unsigned n)
{
    bloom *b = need(bloom_create(plan));
    double sum = 0;
    uint64_t cell;
    unsigned i, j;
    memset(set, 0, sizeof set);
    for (i = 0; i < n; i++) {
        uint64_t index[64];
        bloom_hash h;
        h.h1 = random64();
        h.h2 = random64();
        for (j = bloom_probes(b, h, index); j-- > 0; )
            set[index[j]] = 1;
    }
    for (cell = 0; cell < m; cell++)
        if (set[cell]) {
            uint64_t wide = first_of(cell + 1) - first_of(cell);
            sum += share_from(first_of(cell) + random64() % wide, plan.hashes);
        }
    observe(t, sum / (double)m, 0);
    bloom_free(b);
}

static void one(uint64_t cells, unsigned k, unsigned n)
{
    bloom_plan plan = bloom_plan_bytes(1, 40);
    tally t = { 0, 0, 0, 0 };
    measure r = { 0, 1 };
    double says;
    m = plan.cells = cells;
    plan.hashes = (uint8_t)k;
    says = bloom_plan_fpr(plan, n);
    while (t.filters < 250 * effort
           && (t.filters < 50 || r.sigma > 0.005 * r.rate)) {
        observe_filter(&t, plan, n);
        r = mean_of(t);
    }
    printf("%5.0f %3u %2u  %9.3e  %9.3e  %8.3f +-%.3f\n", (double)m, k, n,
           r.rate, says, r.rate / says, 4 * r.sigma / says);
    fflush(stdout);
    promise(r.rate <= says * said(says) + 4 * r.sigma,
            "few keys: bloom_plan_fpr is too low by what is said at most");
}

int main(int argc, char **argv)
{
    static const unsigned cells[] = { 64, 192, 512, 1024 };
    unsigned only_n = 0, only_k = 0, only_m = 0, n, k, i;
    unsigned most_n, most_k, most_m;
    int a;
    for (a = 1; a < argc; a++) {
        unsigned number = (unsigned)strtoul(argv[a] + (strlen(argv[a]) > 2
                                                       ? 2 : 0), NULL, 10);
        if (strncmp(argv[a], "n=", 2) == 0)
            only_n = number < 1 ? 1 : number < 16 ? number : 16;
        else if (strncmp(argv[a], "k=", 2) == 0)
            only_k = number < 2 ? 2 : number < 14 ? number : 14;
        else if (strncmp(argv[a], "m=", 2) == 0)
            only_m = number < 64 ? 64 : number < 8192 ? number / 64 * 64 : 8192;
        else if (!is_option(argv[a]))
            return say_what(argv[a]);
    }
    printf("\nfew keys in much space: +- four sigma\n"
           "    m   k  n  counted    bloom_plan_fpr  ratio\n");
    most_n = only_n ? only_n : effort > 1 ? 3 : 2;
    most_k = only_k ? only_k : effort > 1 ? 14 : 8;
    most_m = only_m ? 1 : effort > 1 ? 4 : 3;
    for (n = only_n ? only_n : 1; n <= most_n; n++)
        for (k = only_k ? only_k : 4; k <= most_k; k += 2)
            for (i = 0; i < most_m; i++)
                one(only_m ? only_m : cells[i], k, n);
    return ending();
}
