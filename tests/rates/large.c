/* Tests filters of 10^8 to 10^10 keys: their rate is at most p and agrees with
   bloom_plan_fpr, and no added key is lost; and the rates of blocked filters of
   1 to 128 GB (`make promise-large`). It takes hours and needs Linux, for huge
   pages.

   usage: large [LAYOUT] [tiny] [chains] [folded] [billion] [ten] [windows]
                [all] [seed=S]
     LAYOUT   10^8 keys: blocked, classic or counting, in each width, k = 8,
              16, 24 and 32; counting also with k = 4 and 12
     tiny     10^8 keys, p = 10^-9
     chains   10^8 keys in chains of five links
     folded   10^8 keys in filters of 3 or 12 times as many cells. They are then
              folded, and must have the bytes of a filter of the right size.
     billion  10^9 keys, p = 1%
     ten      10^10 keys, blocked, 13.2 GB
     windows  blocked filters of 1 to 128 GB, of which only a part is stored;
              with `all`, 8 times as many parts
     seed=S   the random numbers' seed
   Without the name of a part, all parts run.

   The added and the absent keys are parts of one random sequence without
   repetition, so no key has to be stored. Each row has the rate over p, 4 sigma
   of it, and z, the number of sigma above bloom_plan_fpr: first from 10^8
   lookups of absent keys (2 * 10^8 from 10^9 keys on; none below p = 10^-5),
   then from the cells. sigma includes the error of the lookups and the scatter
   of filters. 10^7 of the added keys are looked up again. The exit status is 1
   if a promise is broken, and 2 if memory was short. */

#define _DEFAULT_SOURCE
#include "rates.h"
#include <sys/mman.h>
#include <time.h>

#define HUGE ((size_t)2 << 20)

static double worst;
static char worst_row[100];
static int short_of_memory;

/* The smallest plan with exactly k probes, in that width; with k = 0 the plan
   of bloom_plan_layout */
static bloom_plan least(bloom_layout layout, int width, int k, double n,
                        double p)
{
    bloom_plan plan = bloom_plan_layout((uint64_t)n, p, layout);
    uint64_t granule = layout == BLOOM_BLOCKED ? 256 : 64;
    uint64_t low = 0, high = ((uint64_t)1 << (width == 32 ? 32 : 40)) / granule;
    plan.hash_bits = (uint8_t)width;
    if (k == 0)
        return plan;
    plan.hashes = (uint8_t)k;
    while (high - low > 1) {
        plan.cells = (low + high) / 2 * granule;
        if (bloom_plan_fpr(plan, (uint64_t)n) <= p)
            high = (low + high) / 2;
        else
            low = (low + high) / 2;
    }
    plan.cells = high * granule;
    return plan;
}

/* ---- Memory in huge pages ------------------------------------------------ */

static double available(void)
{
    FILE *f = fopen("/proc/meminfo", "r");
    char line[100];
    double kilobytes = 0;
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "MemAvailable:", 13) == 0)
            kilobytes = strtod(line + 13, NULL);
    if (f)
        fclose(f);
    return kilobytes * 1024;
}

/* An empty filter in huge pages. NULL if less than a gigabyte of memory would
   be left for other programs. */
static bloom *map_filter(bloom_plan plan, void **map)
{
    size_t size = bloom_plan_size(plan), room = size + 2 * HUGE;
    unsigned char *memory;
    if (available() < (double)room + 1e9)
        return NULL;
    memory = *map = mmap(NULL, room, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (*map == MAP_FAILED)
        return NULL;
    memory += HUGE - (uintptr_t)memory % HUGE;
    madvise(memory, room - HUGE, MADV_HUGEPAGE);
    return bloom_init(memory, size, plan);
}

/* ---- Rows ---------------------------------------------------------------- */

typedef struct {
    double n, p, planned;               /* planned: the predicted rate */
    int kind;
    subject s;
    uint64_t start;             /* `random_state` before the first key */
    time_t began;
    char name[100];
} row;

static row row_of(const char *layout, bloom_plan plan, double n, double p,
                  int kind)
{
    row r = { 0, 0, 0, 0, { NULL, NULL }, 0, 0, "" };
    r.n = n;
    r.p = p;
    r.planned = bloom_plan_fpr(plan, (uint64_t)n);
    r.kind = kind;
    r.start = random_state;
    r.began = time(NULL);
    snprintf(r.name, sizeof r.name, "%5.0e %-8s %d %2d %-8s %5.0e", n, layout,
             plan.hash_bits, plan.hashes, kind == BYTES ? "bytes" : "integers",
             p);
    return r;
}

static void put(const row *r, double rate, double sigma)
{
    double z = (rate - r->planned) / sigma;
    printf("  %7.5f %7.5f %5.2f", rate / r->p, 4 * sigma / r->p, z);
    promise(rate <= r->p + 4 * sigma, "the rate is <= p");
    promise(z <= 4, "the rate is <= bloom_plan_fpr");
    if (fabs(z) > fabs(worst)) {
        worst = z;
        memcpy(worst_row, r->name, sizeof worst_row);
    }
}

/* Adds the keys, and reports its progress if there are very many. */
static void add_keys(const row *r)
{
    double done, part = r->n < 1e9 ? r->n : 1e8;
    for (done = 0; done < r->n; done += part) {
        run_keys(r->s, part, r->kind, false);
        if (part < r->n)
            fprintf(stderr, "%.0f of %.0f keys, %.0f s\n", done + part, r->n,
                    difftime(time(NULL), r->began));
    }
}

/* Looks up 10^7 of the added keys, spread evenly. All must be found. */
static void ask_again(const row *r)
{
    double step = floor(r->n / 1e7) * BATCH, i, lost = 0;
    for (i = 0; i + BATCH <= r->n; i += step) {
        random_state = r->start + (uint64_t)i * RANDOM_STEP;
        lost += BATCH - run_keys(r->s, BATCH, r->kind, true);
    }
    promise(lost <= 0, "every added key is found");
}

/* Looks up absent keys, then added ones. own: the variance of such a filter's
   rate */
static void ask(const row *r, double own)
{
    double maybes, asked = fmin(r->n, 2e8);
    random_state = r->start + (uint64_t)r->n * RANDOM_STEP;
    if (r->p >= 1e-5) {
        maybes = run_keys(r->s, asked, r->kind, true);
        put(r, maybes / asked, sqrt(maybes / asked / asked + own));
    } else {
        printf("  %7s %7s %5s", "-", "-", "-");
    }
    ask_again(r);
    random_state = r->start + (uint64_t)(r->n + asked) * RANDOM_STEP;
}

/* Folds the filter of r, and compares it with a filter that was planned for its
   keys. */
static void fold(const row *r, bloom_plan plan, uint64_t by)
{
    row direct = *r;
    void *map;
    direct.s.b = need(map_filter(plan, &map));
    random_state = r->start;
    add_keys(&direct);
    promise(bloom_fold(r->s.b, by), "a filter can be folded");
    promise(memcmp(r->s.b, direct.s.b, bloom_plan_size(plan)) == 0,
            "a folded filter has the bytes of one planned for its keys");
    munmap(map, bloom_plan_size(plan) + 2 * HUGE);
}

/* Measures one row. by: the number of cells at first, as a multiple of the
   plan's */
static void measure_folded(bloom_layout layout, int width, int k, double n,
                           double p, int kind, unsigned by)
{
    static const char *const names[] = { "classic", "blocked", "counting",
                                         "classic/", "blocked/", "counted/" };
    bloom_plan plan = least(layout, width, k, n, p), first = plan;
    row r = row_of(names[layout + (by > 1 ? 3 : 0)], plan, n, p, kind);
    tally t = { 0, 0, 0, 0 };
    void *map;
    first.cells *= by;
    if (bloom_plan_size(first) == 0) {
        printf("# %s: not possible, 2^32 cells or more\n", r.name);
        return;
    }
    r.s.b = map_filter(first, &map);
    if (!r.s.b) {
        printf("# %s: not run, not enough memory\n", r.name);
        short_of_memory = 1;
        return;
    }
    printf("%s %6.2f", r.name, (double)bloom_plan_size(plan) / 1e9);
    add_keys(&r);
    if (by > 1)
        fold(&r, plan, by);
    observe_cells(&t, r.s.b, n);
    ask(&r, t.own);
    put(&r, t.sum, sqrt(t.own));
    printf(" %5.0f\n", difftime(time(NULL), r.began));
    fflush(stdout);
    munmap(map, bloom_plan_size(first) + 2 * HUGE);
}

static void measure_row(bloom_layout layout, int width, int k, double n,
                        double p, int kind)
{
    measure_folded(layout, width, k, n, p, kind, 1);
}

/* ---- Parts --------------------------------------------------------------- */

static void rows_of(bloom_layout layout)
{
    int k;
    for (k = 8; k <= 32; k += 8) {
        double p = pow(10, -k / 4);
        measure_row(layout, 64, k, 1e8, p, INTEGERS);
        if (layout != BLOOM_COUNTING)       /* counting has classic's cells */
            measure_row(layout, 64, k, 1e8, p, BYTES);
        if (layout != BLOOM_BLOCKED)        /* blocked has width 64 only */
            measure_row(layout, 32, k, 1e8, p, BYTES);
    }
}

static void blocked(void) { rows_of(BLOOM_BLOCKED); }
static void classic(void) { rows_of(BLOOM_CLASSIC); }
static void counting(void)
{
    rows_of(BLOOM_COUNTING);
    measure_row(BLOOM_COUNTING, 64, 4, 1e8, 0.1, BYTES);
    measure_row(BLOOM_COUNTING, 64, 12, 1e8, 1e-3, BYTES);
}

static void tiny(void)
{
    measure_row(BLOOM_BLOCKED, 64, 0, 1e8, 1e-9, BYTES);
    measure_row(BLOOM_BLOCKED, 64, 0, 1e8, 1e-9, INTEGERS);
    measure_row(BLOOM_CLASSIC, 64, 0, 1e8, 1e-9, BYTES);
    measure_row(BLOOM_CLASSIC, 64, 0, 1e8, 1e-9, INTEGERS);
    measure_row(BLOOM_CLASSIC, 32, 0, 1e8, 1e-9, BYTES);
    measure_row(BLOOM_COUNTING, 64, 0, 1e8, 1e-9, BYTES);
    measure_row(BLOOM_COUNTING, 64, 0, 1e8, 1e-9, INTEGERS);
}

static void folded(void)
{
    measure_folded(BLOOM_CLASSIC, 64, 8, 1e8, 0.01, BYTES, 12);
    measure_folded(BLOOM_CLASSIC, 64, 16, 1e8, 1e-4, INTEGERS, 3);
    measure_folded(BLOOM_CLASSIC, 32, 8, 1e8, 0.01, BYTES, 3);
    measure_folded(BLOOM_BLOCKED, 64, 8, 1e8, 0.01, INTEGERS, 12);
    measure_folded(BLOOM_BLOCKED, 64, 16, 1e8, 1e-4, BYTES, 3);
    measure_folded(BLOOM_COUNTING, 64, 8, 1e8, 0.01, INTEGERS, 3);
}

/* Measures a chain. As there is no plan for one, bloom_chain_fpr is the
   predicted rate, which it computes from the cells. */
static void chain(bloom_layout layout, double p, int kind)
{
    bloom_plan like = { 0, 0, 0, 0, 64 };
    row r;
    like.layout = (uint8_t)layout;
    r = row_of(layout == BLOOM_BLOCKED ? "blocked+" : "classic+", like, 1e8, p,
               kind);
    r.s.c = need(bloom_chain_create((uint64_t)r.n / 20, p, like));
    add_keys(&r);
    r.planned = bloom_chain_fpr(r.s.c);
    printf("%s %6.2f", r.name, (double)bloom_chain_size(r.s.c) / 1e9);
    ask(&r, 0);
    printf("  %7.5f %7s %5s %5.0f\n", r.planned / p, "-", "-",
           difftime(time(NULL), r.began));
    fflush(stdout);
    promise(r.planned <= p, "the rate of a chain is <= p");
    promise(bloom_chain_links(r.s.c) == 5, "the chain has five links");
    bloom_chain_free(r.s.c);
}

static void chains(void)
{
    chain(BLOOM_CLASSIC, 0.01, BYTES);
    chain(BLOOM_BLOCKED, 0.01, INTEGERS);
    chain(BLOOM_BLOCKED, 1e-4, BYTES);
    chain(BLOOM_CLASSIC, 1e-4, INTEGERS);
}

static void billion(void)
{
    int kind;
    for (kind = BYTES; kind <= INTEGERS; kind++) {
        measure_row(BLOOM_CLASSIC, 64, 0, 1e9, 0.01, kind);
        measure_row(BLOOM_BLOCKED, 64, 8, 1e9, 0.01, kind);
        measure_row(BLOOM_BLOCKED, 64, 16, 1e9, 0.01, kind);
    }
}

static void ten(void)
{
    measure_row(BLOOM_BLOCKED, 64, 8, 1e10, 0.01, INTEGERS);
}

/* ---- Blocked filters of 1 to 128 GB ----------------------------------------
   bloom_probes needs only the header of a filter to compute the cells of a
   hash. So this part stores a window of 20,000 blocks, and draws only hashes
   that lead into it. A promise is broken if a rate differs from bloom_plan_fpr
   by more than 0.5% and four sigma: then blocks are chosen badly in large
   filters. */

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

static void measure_windows(double gigabytes, unsigned k, double p)
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

static void windows(void)
{
    static const double sizes[] = { 1, 16, 64, 92, 128 };
    unsigned i;
    printf("\n# large blocked filters, measured in windows of %d blocks;"
           " +- 4 sigma\n", BLOCKS);
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        measure_windows(sizes[i], 8, 0.01);
        measure_windows(sizes[i], 16, 0.0001);
    }
}

int main(int argc, char **argv)
{
    static const named_part parts[] = {
        { "blocked", blocked }, { "classic", classic },
        { "counting", counting }, { "tiny", tiny }, { "folded", folded },
        { "chains", chains },
        { "billion", billion }, { "ten", ten }, { "windows", windows } };
    int status;
    printf("# columns: n layout width k keys p GB; rate / p, 4 sigma, z (by"
           " lookups);\n# the same from the cells; seconds. z is in sigma above"
           " bloom_plan_fpr.\n# Layouts with + are chains (z: above"
           " bloom_chain_fpr), those with / folded.\n");
    status = run_parts(parts, sizeof parts / sizeof parts[0], argc, argv);
    printf("# worst z %.2f: %s\n", worst, worst_row);
    return status ? status : short_of_memory * 2;
}
