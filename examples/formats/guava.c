/* guava: makes and reads Guava's Bloom filters, the files of
   BloomFilter.writeTo. It sets and tests the same bits as Guava. Guava computes
   its probes in another way than bloom.h, but from the same hash: MurmurHash3
   of a bloom.h filter of width 64 with seed -1, which makes it start at 0.

       guava build [-0] [-x] N P OUT < KEYS    does create(funnel, N, P) and put
       guava check [-x] FILE < KEYS            prints the keys that may be in
       guava info FILE                         prints the facts of a filter

   A key is a line without its newline, as stringFunnel(UTF_8) adds it. For
   other funnels, give -x and the key's bytes in hexadecimal: a long has 8
   bytes, an int 4, and each of unencodedChars 2, all little-endian. -0 makes a
   filter of strategy 0, MURMUR128_MITZ_32, which Guava can read but no longer
   makes.

   Compile it by: cc -std=c99 -O2 -I. examples/formats/guava.c -lm -o guava

   Without arguments, it makes a filter of each strategy with key-0 .. key-9 for
   N = 10 and P = 0.01. It prints the file, which equals that of Guava 31.1, and
   how many of absent-0 .. absent-9999 are false positives.
   Prints:
       0107000000024521b3290426495fdb6596fa01419390
       MURMUR128_MITZ_64: 89 of 10000
       000700000002b46579ef0d050232ba85e50594290301
       MURMUR128_MITZ_32: 39 of 10000 */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#define BLOOM_STATIC
#include "bloom.h"

#define TOOL "guava"
#define USAGE "guava build [-0|-1] [-x] N P OUT < KEYS | " \
    "check [-x] FILE < KEYS | info FILE"
#define LEAST_N 0
#define ENOUGH 6
#include "jvm.h"

static const char *const strategies[] =
    { "MURMUR128_MITZ_32", "MURMUR128_MITZ_64" };
static unsigned strategy = 1;

/* A file has the strategy (1 byte), k (1 byte), the number of words (4 bytes),
   and words of 8 bytes, all big-endian. So bit i of the filter is bit i % 8 of
   byte (i / 8) ^ 7 after the header. */
static void parse_header(const char *name)
{
    strategy = f.file[0];
    f.hashes = f.file[1];
    f.header = ENOUGH;
    f.flip = 7;
    need(strategy <= 1, name, "not a filter of Guava: strategies are 0 and 1");
    need(f.hashes > 0, name, "not a filter of Guava: it has no hashes");
    set_size(load32(2), name,
             "not a filter of Guava: words are 1 to 2^31 - 1");
}

/* Computes k as Guava did until 2024. Since then Guava computes it from p
   alone, which gives another k only if n is small. */
static void create(double n, double p, const char *name)
{
    double ln_2 = log(2), bits, words, hashes;
    n = n < 1 ? 1 : n;
    bits = floor(-n * log(p) / (ln_2 * ln_2));
    words = ceil(bits / 64);
    hashes = floor(bits / n * ln_2 + 0.5);
    need(bits > 0, name, "without a bit: Guava wants a lower P or a higher N");
    need(words <= INT32_MAX && hashes <= 255, name,
         "Guava has at most 2^31 - 1 words and 255 hashes");
    allocate(words, name);
    f.file[0] = (unsigned char)strategy;
    f.file[1] = (unsigned char)(hashes < 1 ? 1 : hashes);
    store32(2, (uint32_t)words);
    parse_header(name);
}

static bloom_hash murmur3_x64_128(const void *key, size_t size)
{
    unsigned char memory[40];
    bloom_plan plan = { 64, UINT64_MAX, 1, BLOOM_CLASSIC, 64 };
    return bloom_hash_key(bloom_init(memory, sizeof memory, plan), key, size);
}

/* The bit of probe i = 0, 1, ... Strategy 0 uses 32-bit sums of the halves of
   h1, and inverts a sum that is negative in Java. Strategy 1 uses 64-bit sums,
   and clears the sign bit. */
static uint64_t probe(bloom_hash h, unsigned i)
{
    uint32_t sum = (uint32_t)h.h1 + (i + 1) * (uint32_t)(h.h1 >> 32);
    if (strategy == 0)
        return (sum >> 31 ? ~sum : sum) % f.bits;
    return ((h.h1 + i * h.h2) & INT64_MAX) % f.bits;
}

static bool visit(const void *key, size_t size, int what)
{
    bloom_hash h = murmur3_x64_128(key, size);
    unsigned i;
    for (i = 0; i < f.hashes; i++)
        if (!touch(probe(h, i), what))
            return false;
    return true;
}

static void info(void)
{
    printf("strategy: %u, %s\nk:        %u\n", strategy,
           strategies[strategy], (unsigned)f.hashes);
}

static int option(int count, char **words)
{
    bool known = !strcmp(*words, "-0") || !strcmp(*words, "-1");
    (void)count;
    if (known)
        strategy = (*words)[1] == '1';
    return known;
}

static void demo(void)
{
    static const unsigned of[] = { 1, 0 };
    size_t i, j;
    for (i = 0; i < 2; i++) {
        unsigned taken;
        strategy = of[i];
        taken = fill_and_ask(10, 0.01);
        for (j = 0; j < f.size; j++)
            printf("%02x", f.file[j]);
        printf("\n%s: %u of 10000\n", strategies[strategy], taken);
    }
}

int main(int count, char **words)
{
    return run_tool(count, words);
}
