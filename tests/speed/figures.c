/* Figures that `make bench` leaves out, for `make figures`: lookups by one and
   by two threads; what it costs that adding tells whether a key is new; many
   small filters; rates at the same bits per key; and, with -DPEER_XOR, a binary
   fuse filter of FastFilter/xor_singleheader beside ours. No lookup is
   repeated. Each time is the least of ROUNDS rounds. */
#define _POSIX_C_SOURCE 200809L
#define BLOOM_STATIC
#include "bloom.h"
#include "clock.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef PEER_XOR
#include "binaryfusefilter.h"
#endif

enum { ASKED = 1 << 21, ROUNDS = 5, SMALL = 20, FILTERS = 10000 };

static void die(const char *why)
{
    fprintf(stderr, "bloom: figures: %s\n", why);
    exit(2);
}

static void *checked(void *p)
{
    if (!p)
        die("out of memory");
    return p;
}

static uint64_t mix(uint64_t x)         /* key number x */
{
    x = (x ^ x >> 33) * 0xFF51AFD7ED558CCDU;
    x = (x ^ x >> 33) * 0xC4CEB9FE1A85EC53U;
    return x ^ x >> 33;
}

static void least(double *best, double start, double count)
{
    double ns = (now() - start) / count;
    if (*best <= 0 || ns < *best)
        *best = ns;
}

/* ASKED keys: half of them, or all (`in`), or none (-1) are numbers below n */
static void make_queries(uint64_t *asked, uint64_t n, int in, uint64_t round)
{
    size_t i;
    for (i = 0; i < ASKED; i++) {
        uint64_t r = mix(round << 40 | i | (uint64_t)1 << 62);
        bool known = in > 0 || (in == 0 && r >> 63);
        asked[i] = mix(known ? r % n : round << 40 | i | (uint64_t)1 << 63);
    }
}

/* ---- One and two threads -------------------------------------------------
   Each thread looks up half absent and half present keys of its own, at the
   same time, in one filter. */

static struct reader { const bloom *b; uint64_t *asked; uint64_t found; }
    readers[2];

static void *read_all(void *argument)
{
    struct reader *r = argument;
    size_t i;
    for (i = 0; i < ASKED; i++)
        r->found += bloom_may_contain_u64(r->b, r->asked[i]);
    return NULL;
}

static double by_threads(int threads, uint64_t n)
{
    double best = 0;
    int round, i;
    for (round = 0; round < ROUNDS; round++) {
        pthread_t id[2];
        double start;
        for (i = 0; i < threads; i++)
            make_queries(readers[i].asked, n, 0, (uint64_t)(round * 2 + i));
        start = now();
        for (i = 1; i < threads; i++)
            if (pthread_create(&id[i], NULL, read_all, &readers[i]) != 0)
                die("no thread");
        read_all(&readers[0]);
        for (i = 1; i < threads; i++)
            pthread_join(id[i], NULL);
        least(&best, start, (double)threads * ASKED);
    }
    return best;
}

static void threads(uint64_t n, bloom_layout layout, const char *name)
{
    bloom *b = checked(bloom_create(bloom_plan_layout(n, 0.01, layout)));
    double one, two;
    uint64_t i;
    for (i = 0; i < n; i++)
        bloom_add_u64(b, mix(i));
    readers[0].b = readers[1].b = b;
    one = by_threads(1, n);
    two = by_threads(2, n);
    printf("| %s, n = %.0e | %.1f | %.1f |\n", name, (double)n, one, two);
    bloom_free(b);
}

/* ---- Adding to a classic filter ------------------------------------------
   The same walk of seven cells, written for k = 7, tells whether a cell was not
   set, or does not. It needs 128-bit integers. */
__extension__ typedef unsigned __int128 product;

static inline uint64_t add_seven(unsigned char *cells, uint64_t m,
                                 const uint64_t *key, size_t n, bool tell)
{
    uint64_t news = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t x = mix(key[i] + 0x9E3779B97F4A7C15U), set = 1;
        uint64_t y = (x << 32 | x >> 32) * 0x9E3779B97F4A7C15U;
        for (int j = 0; j < 7; j++) {
            uint64_t cell = (uint64_t)((product)x * m >> 64), word;
            unsigned char *at = cells + (cell >> 6 << 3);
            memcpy(&word, at, 8);
            if (tell)
                set &= word >> (cell & 63);
            word |= (uint64_t)1 << (cell & 63);
            memcpy(at, &word, 8);
            x += y;
            y *= 0xD1342543DE82EF95U;
        }
        news += !(set & 1);
    }
    return news;
}

static void telling(size_t n)
{
    enum { SILENT, TELLS, OURS, WAYS };
    bloom *b = checked(bloom_new(n, 0.01));
    unsigned char *cells = (unsigned char *)b + BLOOM_HEADER_SIZE;
    uint64_t m = bloom_plan_of(b).cells, *key = checked(malloc(8 * n));
    double ns[WAYS] = { 0 };
    uint64_t news[WAYS] = { 0 };
    for (size_t i = 0; i < n; i++)
        key[i] = mix(i);
    for (int round = 0; round < ROUNDS; round++)
        for (int way = 0; way < WAYS; way++) {
            double start;
            bloom_clear(b);
            start = now();
            if (way == OURS)
                for (size_t i = news[OURS] = 0; i < n; i++)
                    news[OURS] += bloom_add_u64(b, key[i]);
            else if (way == TELLS)
                news[TELLS] = add_seven(cells, m, key, n, true);
            else
                news[SILENT] = add_seven(cells, m, key, n, false);
            least(&ns[way], start, (double)n);
        }
    if (news[TELLS] != news[OURS] || bloom_plan_of(b).hashes != 7)
        die("adding: wrong answers");
    printf("| n = %.0e | %.1f | %.1f | %.1f |\n", (double)n, ns[SILENT],
           ns[TELLS], ns[OURS]);
    free(key);
    bloom_free(b);
}

/* ---- Many small filters -------------------------------------------------- */

#define TIMED(best, call) do { \
    double start_ = now(); \
    size_t i; \
    for (i = 0; i < FILTERS; i++) \
        call; \
    least(&(best), start_, FILTERS); \
} while (0)

static volatile uint64_t percent = 100;     /* compilers do not know it */

static void small(void)
{
    double plan_for = 0, one_in = 0, kept = 0, create = 0;
    bloom_plan plan = bloom_plan_for(SMALL, 0.01);
    size_t size = bloom_plan_size(plan);
    unsigned char *memory = checked(malloc(FILTERS * size));
    bloom **made = checked(malloc(FILTERS * sizeof *made));
    uint64_t sum = 0;
    int round;
    for (round = 0; round < ROUNDS; round++) {
        TIMED(plan_for, sum += bloom_plan_for(SMALL + i % 8, 0.01).cells);
        TIMED(one_in, sum += bloom_plan_one_in(SMALL + i % 8, percent).cells);
        TIMED(kept, sum += bloom_init(memory + i * size, size, plan) != NULL);
        TIMED(create, made[i] = checked(bloom_create(plan)));
        for (size_t i = 0; i < FILTERS; i++)
            bloom_free(made[i]);
    }
    printf("\nfilters for %d keys at 1%%: a header of 32 bytes, cells of %zu; "
           "ns:\n| bloom_plan_for | bloom_plan_one_in | bloom_init | "
           "bloom_create |\n|---|---|---|---|\n| %.0f | %.0f | %.0f | %.0f |\n",
           SMALL, size - BLOOM_HEADER_SIZE, plan_for, one_in, kept, create);
    if (sum == 0)
        die("no plan");
    free(memory);
    free(made);
}

/* ---- Rates at the same bits per key ---------------------------------------
   In a register-blocked filter, as some join engines have it, a key sets four
   bits of one 64-bit word. */

static bool is_in_word(uint64_t *word, size_t words, uint64_t key, bool add)
{
    const uint64_t x = mix(key + 0x9E3779B97F4A7C15U);
    const uint64_t y = (x << 32 | x >> 32) * 0x9E3779B97F4A7C15U;
    uint64_t *at = word + (size_t)((product)x * words >> 64);
    uint64_t mask = 0;
    bool in;
    for (int bit = 0; bit < 4; bit++)
        mask |= (uint64_t)1 << (y >> (40 + 6 * bit) & 63);
    in = (*at & mask) == mask;
    *at |= add ? mask : 0;
    return in;
}

static void rates(size_t n, unsigned bits)
{
    const size_t words = n * bits / 64, bytes = 8 * words + BLOOM_HEADER_SIZE;
    uint64_t *word = checked(calloc(words, 8)), found[3] = { 0 };
    bloom *b[2];
    size_t i;
    for (int layout = 0; layout < 2; layout++)
        b[layout] = checked(bloom_create(bloom_plan_bytes_layout(
            n, bytes, layout ? BLOOM_BLOCKED : BLOOM_CLASSIC)));
    for (i = 0; i < n; i++) {
        bloom_add_u64(b[0], mix(i));
        bloom_add_u64(b[1], mix(i));
        is_in_word(word, words, mix(i), true);
    }
    make_queries(readers[0].asked, n, -1, bits);
    for (i = 0; i < ASKED; i++) {
        found[0] += bloom_may_contain_u64(b[0], readers[0].asked[i]);
        found[1] += bloom_may_contain_u64(b[1], readers[0].asked[i]);
        found[2] += is_in_word(word, words, readers[0].asked[i], false);
    }
    printf("| %u |", bits);
    for (i = 0; i < 3; i++)
        printf(" %.2f%% |", 100 * (double)found[i] / ASKED);
    puts("");
    bloom_free(b[0]);
    bloom_free(b[1]);
    free(word);
}

/* ---- Binary fuse ----------------------------------------------------------
   Its rate is 2^-8, and so is that of our filters. It is built from an array of
   different keys; `add` is the time of that, per key. */
#ifdef PEER_XOR
enum { FUSE, OF_BLOCKED, OF_CLASSIC, PEERS };
static binary_fuse8_t fuse;
static bloom *ours[PEERS];

static uint64_t find_all(int peer, const uint64_t *asked)
{
    uint64_t found = 0;
    size_t i;
    if (peer == FUSE)
        for (i = 0; i < ASKED; i++)
            found += binary_fuse8_contain(asked[i], &fuse);
    else
        for (i = 0; i < ASKED; i++)
            found += bloom_may_contain_u64(ours[peer], asked[i]);
    return found;
}

static void add_all(int peer, uint64_t *key, size_t n)
{
    size_t i;
    if (peer == FUSE) {
        if (!binary_fuse8_populate(key, (uint32_t)n, &fuse))
            die("binary fuse: not built");
        return;
    }
    bloom_clear(ours[peer]);
    for (i = 0; i < n; i++)
        bloom_add_u64(ours[peer], key[i]);
}

static void beside_fuse(uint32_t n)
{
    static const char *const name[] = { "binary fuse, 8 bits", "blocked",
                                        "classic" };
    uint64_t *key = checked(malloc(n * sizeof *key)), *asked = readers[0].asked;
    double ns[PEERS][4] = { { 0 } }, found;
    size_t i;
    int round, peer, in;
    if (!binary_fuse8_allocate(n, &fuse))
        die("out of memory");
    ours[OF_BLOCKED] = checked(bloom_create(bloom_plan_layout(n, 1 / 256.0,
                                                              BLOOM_BLOCKED)));
    ours[OF_CLASSIC] = checked(bloom_new(n, 1 / 256.0));
    for (round = 0; round < ROUNDS; round++) {
        for (peer = 0; peer < PEERS; peer++) {
            double start;
            for (i = 0; i < n; i++)     /* building sorts some of them */
                key[i] = mix(i);
            start = now();
            add_all(peer, key, n);
            least(&ns[peer][0], start, n);
        }
        for (in = -1; in <= 1; in++) {
            make_queries(asked, n, in, (uint64_t)round);
            for (peer = 0; peer < PEERS; peer++) {
                double start = now();
                found = (double)find_all(peer, asked);
                least(&ns[peer][2 + in], start, ASKED);
                if (in > 0 ? found < ASKED : in < 0 && found > ASKED / 200.0)
                    die("wrong answers");
            }
        }
    }
    for (peer = 0; peer < PEERS; peer++) {
        size_t size = peer == FUSE ? binary_fuse8_size_in_bytes(&fuse)
                                   : bloom_size(ours[peer]);
        printf("| %s, n = %.0e | %.1f | %.1f | %.1f | %.1f | %.1f |\n",
               name[peer], (double)n, 8.0 * (double)size / n, ns[peer][0],
               ns[peer][1], ns[peer][3], ns[peer][2]);
    }
    bloom_free(ours[OF_BLOCKED]);
    bloom_free(ours[OF_CLASSIC]);
    binary_fuse8_free(&fuse);
    free(key);
}
#endif

int main(void)
{
    int i;
    for (i = 0; i < 2; i++)
        readers[i].asked = checked(malloc(ASKED * sizeof *readers[i].asked));
    puts("ns per lookup, of all threads together\n"
         "| | one thread | two |\n|---|---|---|");
    threads(1000000, BLOOM_BLOCKED, "blocked");
    threads(1000000, BLOOM_CLASSIC, "classic");
    threads(30000000, BLOOM_BLOCKED, "blocked");
    threads(30000000, BLOOM_CLASSIC, "classic");
    puts("\nns to add a key to a classic filter\n"
         "| | lean, silent | lean, tells | bloom_add_u64 |\n"
         "|---|---|---|---|");
    telling(10000);
    telling(1000000);
    telling(30000000);
    small();
    puts("\nrates of 10^6 keys\n| bits per key | classic | split-block "
         "| one word |\n|---|---|---|---|");
    rates(1000000, 12);
    rates(1000000, 16);
#ifdef PEER_XOR
    puts("\n| p = 1/256 | bits per key | add | absent | present | mixed |\n"
         "|---|---|---|---|---|---|");
    beside_fuse(1000000);
    beside_fuse(10000000);
#endif
    return 0;
}
