/* Tests that the rate does not depend on what the keys are (`make promise`).
   Families of keys that are not random, such as counters, pointers, times or
   addresses, are compared with bloom_plan_fpr. A million keys of a family are
   added. Then as many absent keys of the same family are looked up: those that
   follow the added ones, or those that lie between them.

   usage: key_families [all] [brief] [seed=S]
     all      ten million lookups
     brief    one of eleven families, ways and filters
     seed=S   the filters' seed
   For each family, way and filter it prints the rate over bloom_plan_fpr, and
   by how many sigma that differs from 1. sigma includes the error of the
   lookups and the scatter of filters with random keys. The exit status is 1 if
   a rate is more than four sigma too high: then the hash treats such keys
   badly. */

#include "rates.h"

enum { KEYS = 1000000, TEXT = 0 /* as a size: the text's own length */ };

/* ---- Families: each has a function that returns key number i ------------- */

typedef struct {
    const char *name;
    uint64_t (*word)(uint64_t i, uint64_t step);
    uint64_t step;
    size_t size;    /* of a key, in bytes (little-endian); or TEXT */
} family;

static uint64_t strided(uint64_t i, uint64_t step)
{
    return i * step;
}

/* Groups of 65: a random word, and that word with each of its bits flipped */
static uint64_t neighbour(uint64_t i, uint64_t step)
{
    uint64_t keep = random_state, word;
    random_state = step ^ i / 65 * 0xD1B54A32D192ED03U;
    word = random64();
    random_state = keep;
    return i % 65 == 64 ? word : word ^ (uint64_t)1 << i % 65;
}

static uint64_t pointer(uint64_t i, uint64_t step)
{
    return 0x00007F3A5C000010U + i * step;
}

/* Times since 1970 in units of `step` nanoseconds */
static uint64_t timestamp(uint64_t i, uint64_t step)
{
    return UINT64_C(1700000000) * (1000000000 / step) + i;
}

static uint64_t nanoseconds(uint64_t i, uint64_t step)
{
    return UINT64_C(1700000000000000000) + i * step + (i * i * 7919 & 255);
}

/* IPv4 addresses from 10.0.0.0 on, as numbers; reversed, as a little-endian
   machine reads them */
static uint64_t address(uint64_t i, uint64_t step)
{
    uint32_t a = (uint32_t)(0x0A000000U + i);
    return step == 1 ? a : a << 24 | (a << 8 & 0xFF0000U)
                           | (a >> 8 & 0xFF00U) | a >> 24;
}

/* The doubles 0.0, 1.0 ..; or 0.0, 0.1 .. */
static uint64_t real(uint64_t i, uint64_t step)
{
    double x = (double)i / (double)step;
    uint64_t word;
    memcpy(&word, &x, sizeof word);
    return word;
}

#define POWER_2(k) { "strided by 2^" #k, strided, (uint64_t)1 << k, 8 }
static const family families[] = {
    { "sequential",         strided,     1,    8 },
    POWER_2(4), POWER_2(8), POWER_2(16), POWER_2(24), POWER_2(32), POWER_2(40),
    { "decimal text",       strided,     1,    TEXT },
    { "one-bit neighbours", neighbour,   1,    8 },
    { "pointers, 16 apart", pointer,     16,   8 },
    { "pointers, 4096",     pointer,     4096, 8 },
    { "seconds",            timestamp,   1000000000, 8 },
    { "milliseconds",       timestamp,   1000000, 8 },
    { "nanoseconds",        nanoseconds, 1000, 8 },
    { "IPv4",               address,     1,    4 },
    { "IPv4, reversed",     address,     2,    4 },
    { "doubles 0, 1, ..",   real,        1,    8 },
    { "doubles 0, 0.1, ..", real,        10,   8 },
    { "strided by G",       strided,     INSIDE_GOLDEN, 8 },
    { "strided by C",       strided,     INSIDE_FACTOR, 8 } };

/* ---- Adding and looking up ----------------------------------------------- */

/* Writes x, of at most eight digits, padded with zero bytes. Returns its
   length. */
static size_t decimal(unsigned char text[8], uint64_t x)
{
    uint64_t rest = x;
    size_t size = 1, i;
    while (rest /= 10)
        size++;
    memset(text, 0, 8);
    for (i = size; i-- > 0; x /= 10)
        text[i] = (unsigned char)('0' + x % 10);
    return size;
}

/* Adds `count` keys of the family, or looks them up: the numbers from, from +
   step, .. Returns how many were new (or found). */
static double run_family(subject s, const family *f, int kind, uint64_t from,
                         uint64_t step, uint64_t count, bool asking)
{
    static unsigned char text[BATCH][8];
    static uint64_t word[BATCH];
    static bloom_key key[BATCH];
    double total = 0;
    while (count > 0) {
        size_t i, some = count < BATCH ? (size_t)count : BATCH;
        for (i = 0; i < some; i++, from += step) {
            word[i] = f->word(from, f->step);
            key[i].data = text[i];
            key[i].size = f->size;
            inside_store64(text[i], word[i]);
            if (f->size == TEXT) {
                key[i].size = decimal(text[i], word[i]);
                word[i] = inside_load64(text[i]);
            }
        }
        count -= some;
        total += run_batch(s, key, word, some, kind, asking);
    }
    return total;
}

/* ---- Filters ------------------------------------------------------------- */

static const struct { const char *name; bloom_layout layout; uint8_t width, k;
                      int kind; } filters[] = {
    { "classic 64",    BLOOM_CLASSIC, 64, 7,  BYTES },
    { "integers",      BLOOM_CLASSIC, 64, 7,  INTEGERS },
    { "width 32",      BLOOM_CLASSIC, 32, 7,  BYTES },
    { "blocked 8",     BLOOM_BLOCKED, 64, 8,  BYTES },
    { "integers",      BLOOM_BLOCKED, 64, 8,  INTEGERS },
    { "blocked 16",    BLOOM_BLOCKED, 64, 16, BYTES },
    { "integers",      BLOOM_BLOCKED, 64, 16, INTEGERS } };

enum { FILTERS = sizeof filters / sizeof filters[0], FOLLOW = 0, BETWEEN = 1 };

static uint64_t seed;
static double worst, most, least = 2;
static char worst_at[100];

/* Enough bits per key for a rate of about 1% */
static bloom_plan plan_of(unsigned j)
{
    const double bits = filters[j].layout == BLOOM_CLASSIC ? 9.6
                      : filters[j].k == 8 ? 10.5 : 12;
    bloom_plan plan = { 0, 0, 0, 0, 0 };
    plan.cells = (uint64_t)(bits * KEYS / 256) * 256;
    plan.seed = seed;
    plan.layout = (uint8_t)filters[j].layout;
    plan.hash_bits = filters[j].width;
    plan.hashes = filters[j].k;
    return plan;
}

static void cell(const family *f, int way, unsigned j)
{
    const uint64_t each = effort > 1 ? 10 : 1, asked = each * KEYS;
    const uint64_t step = way == BETWEEN ? each + 1 : 1;
    bloom_plan plan = plan_of(j);
    double planned = bloom_plan_fpr(plan, KEYS), maybes = 0, sigma, z;
    subject s = { NULL, NULL, NULL };
    tally t = { 0, 0, 0, 0 };
    uint64_t i;
    if (left_out()) {
        printf("  %11s", "-");
        return;
    }
    s.b = need(bloom_create(plan));
    run_family(s, f, filters[j].kind, 0, step, KEYS, false);
    observe_cells(&t, s.b, KEYS);
    for (i = 0; i < (way == BETWEEN ? each : 1); i++)
        maybes += run_family(s, f, filters[j].kind,
                             way == BETWEEN ? i + 1 : KEYS, step,
                             way == BETWEEN ? KEYS : asked, true);
    bloom_free(s.b);
    sigma = sqrt(maybes / (double)(asked * asked) + t.own) / planned;
    maybes /= (double)asked * planned;
    z = (maybes - 1) / sigma;
    printf("  %6.3f %4.1f", maybes, z);
    promise(z <= 4, "the rate does not depend on what the keys are");
    most = fmax(most, sigma);
    least = fmin(least, sigma);
    if (fabs(z) > fabs(worst)) {
        worst = z;
        snprintf(worst_at, sizeof worst_at, "%s, %s: %.3f", f->name,
                 way == BETWEEN ? "between" : "following", maybes);
    }
}

static void table(void)
{
    const family *f;
    unsigned j;
    int way;
    printf("\nfamilies of %.0f keys: rate / bloom_plan_fpr, and its distance"
           " from 1 in sigma\n%27s", (double)KEYS, "");
    for (j = 0; j < FILTERS; j++)
        printf("  %11s", filters[j].name);
    printf("\n");
    for (f = families; f < families + sizeof families / sizeof *f; f++)
        for (way = FOLLOW; way <= BETWEEN; way++) {
            printf("%-19s %s", way == FOLLOW ? f->name : "",
                   way == FOLLOW ? "follow " : "between");
            for (j = 0; j < FILTERS; j++)
                cell(f, way, j);
            printf("\n");
            fflush(stdout);
        }
    printf("sigma %.4f to %.4f; worst %.1f sigma, %s\n", least, most, worst,
           worst_at);
}

/* ---- 32-bit hashes of keys that differ in eight bytes ---------------------
   A 32-bit hash is two MurmurHash3, a and b, with different seeds. Pairs of
   keys are made that have the same a. How many have the same b? If a and b were
   independent, it would be one of 2^32. */

static uint32_t rotated(uint32_t x, unsigned by)
{
    return x << by | x >> (32 - by);
}

/* The word that MurmurHash3 mixes to `mixed`: each factor times its inverse */
static uint32_t unmixed(uint32_t mixed)
{
    return rotated(mixed * 0x56ED309BU, 17) * 0xDEE13BB1U;
}

/* The state after the first word, from a seed of 0 */
static uint32_t state_after(uint32_t mixed)
{
    return rotated(mixed, 13) * 5 + 0xE6546B64U;
}

static void same_hashes(void)
{
    const uint64_t pairs = 20000000;
    const bloom_plan plan = { 64, 0, 1, BLOOM_CLASSIC, 32 };
    uint64_t memory[5], both = 0, i;
    const bloom *b = need(bloom_init(memory, sizeof memory, plan));
    for (i = 0; i < pairs; i++) {
        const uint64_t x = random64(), y = random64();
        const uint32_t x0 = (uint32_t)x, x1 = (uint32_t)(x >> 32);
        const uint32_t y0 = (uint32_t)y;
        const uint32_t y1 = x1 ^ state_after(x0) ^ state_after(y0);
        const bloom_hash g = bloom_hash_u64(
            b, unmixed(x0) | (uint64_t)unmixed(x1) << 32);
        const bloom_hash h = bloom_hash_u64(
            b, unmixed(y0) | (uint64_t)unmixed(y1) << 32);
        promise(g.h1 >> 32 == h.h1 >> 32, "the pairs have the same first hash");
        both += g.h1 == h.h1;
    }
    printf("\n32-bit hashes: of %.0f pairs of 8-byte keys with the same first "
           "hash, %.0f have the\nsame second one: 1 of 2^%.1f. So n keys add n *"
           " 2^-%.1f to the rate.\n", (double)pairs, (double)both,
           log2((double)pairs / (double)both),
           32 + log2((double)pairs / (double)both));
    promise((double)both <= ldexp((double)pairs, -18)
                            + 4 * sqrt(ldexp((double)pairs, -18)),
            "n keys with 32-bit hashes add at most n * 2^-50");
}

int main(int argc, char **argv)
{
    int i;
    for (i = 1; i < argc; i++)
        if (!is_option(argv[i]))
            return say_what(argv[i]);
    seed = random_state;
    table();
    same_hashes();
    return ending();
}
