/* spark: makes and reads Apache Spark's Bloom filters, the files of
   BloomFilter.writeTo, V1 and V2. It sets and tests the same bits as Spark.
   Spark's hash differs from MurmurHash3, so this program has its own hash and
   does not need bloom.h.

       spark build [-V1] [-s SEED] [-x] N P OUT < KEYS   does create and put
       spark check [-x] FILE < KEYS            prints the keys that may be in
       spark info FILE                         prints the facts of a filter

   A key is a line without its newline, as putString adds it. With -x, a line is
   the key's bytes in hexadecimal, as putBinary adds them. putLong adds an
   integer of any width as 8 bytes, little-endian. -V1 makes a filter as Spark
   up to 4.0 does. Otherwise the filter is a V2. Its SEED is a Java int, by
   default 0.

   Compile it by: cc -std=c99 -O2 examples/formats/spark.c -lm -o spark

   Without arguments, it makes a V1 and a V2 of key-0 .. key-999 for N = 1000
   and P = 0.03. It prints how many of absent-0 .. absent-9999 are false
   positives, which are as many as in Spark.
   Prints:
       V1, 5 hashes, 7360 bits: 324 of 10000
       V2, 5 hashes, 7360 bits: 327 of 10000 */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#define TOOL "spark"
#define USAGE "spark build [-V1|-V2] [-s SEED] [-x] N P OUT < KEYS | " \
    "check [-x] FILE < KEYS | info FILE"
#define LEAST_N 1
#define ENOUGH 16
#include "jvm.h"

static uint32_t version = 2, seed;

/* A file has the version, k, the seed (V2 only) and the number of words, 4
   bytes each, and words of 8 bytes, all big-endian. So bit i of the filter is
   bit i % 8 of byte (i / 8) ^ 7 after the header. Spark makes no filter with
   more hashes than bits. */
static void parse_header(const char *name)
{
    version = load32(0);
    f.hashes = load32(4);
    seed = version == 1 ? 0 : load32(8);
    f.header = version == 1 ? 12 : 16;
    f.flip = 7;
    need(version == 1 || version == 2, name,
         "not a filter of Spark: versions are 1 and 2");
    set_size(load32(f.header - 4), name,
             "not a filter of Spark: words are 1 to 2^31 - 1");
    need(f.hashes > 0 && f.hashes <= INT32_MAX && f.hashes <= f.bits, name,
         "not a filter of Spark: it has no hashes, or more than bits");
}

static void create(double n, double p, const char *name)
{
    double ln_2 = log(2), bits, words, hashes;
    need(seed == 0 || version == 2, "-s", "a V1 has no seed");
    bits = floor(-n * log(p) / (ln_2 * ln_2));
    words = ceil(bits / 64);
    hashes = floor(bits / n * ln_2 + 0.5);
    need(bits > 0, name, "without a bit: Spark wants a lower P or a higher N");
    need(words <= INT32_MAX, name, "Spark has at most 2^31 - 1 words");
    allocate(words, name);
    store32(0, version);
    store32(4, hashes < 1 ? 1 : (uint32_t)hashes);
    store32(8, seed);
    store32(version == 1 ? 8 : 12, (uint32_t)words);
    parse_header(name);
}

static uint32_t mix(uint32_t h, uint32_t block)
{
    block *= 0xCC9E2D51;
    h ^= (block << 15 | block >> 17) * 0x1B873593;
    return (h << 13 | h >> 19) * 5 + 0xE6546B64;
}

/* MurmurHash3_x86_32, but each of the last size % 4 bytes is mixed like a
   block, as a signed number. */
static uint32_t hash(const unsigned char *key, size_t size, uint32_t from)
{
    uint32_t h = from;
    size_t i;
    for (i = 0; i + 4 <= size; i += 4)
        h = mix(h, key[i] | (uint32_t)key[i + 1] << 8
                 | (uint32_t)key[i + 2] << 16 | (uint32_t)key[i + 3] << 24);
    for (; i < size; i++)
        h = mix(h, (key[i] ^ 128u) - 128u);
    h ^= (uint32_t)size;
    h = (h ^ h >> 16) * 0x85EBCA6B;
    h = (h ^ h >> 13) * 0xC2B2AE35;
    return h ^ h >> 16;
}

/* A Java int as a long, in two's complement */
static uint64_t widened(uint32_t x)
{
    return (x ^ (uint64_t)0x80000000) - 0x80000000;
}

/* The next probe. A sum that is negative in Java is inverted. V2 has sums of 64
   bits and goes on with the inverted sum. V1 has sums of 32 bits and inverts
   only the probe. */
static uint64_t probe(uint64_t *sum, uint32_t h2)
{
    uint32_t low;
    *sum += widened(h2);
    low = (uint32_t)*sum;
    if (version == 1)
        return (low >> 31 ? ~low : low) % f.bits;
    *sum = *sum >> 63 ? ~*sum : *sum;
    return *sum % f.bits;
}

static bool visit(const void *key, size_t size, int what)
{
    uint32_t h1 = hash(key, size, seed), h2 = hash(key, size, h1), i;
    uint64_t sum = version == 1 ? h1 : widened(h1) * INT32_MAX;
    for (i = 0; i < f.hashes; i++)
        if (!touch(probe(&sum, h2), what))
            return false;
    return true;
}

static void info(void)
{
    printf("version:  V%d\nk:        %d\nseed:     %d\n", (int)version,
           (int)f.hashes, (int)seed);
}

static int option(int count, char **words)
{
    double x = 0;
    char more;
    if (!strcmp(*words, "-V1") || !strcmp(*words, "-V2")) {
        version = (*words)[2] == '1' ? 1 : 2;
        return 1;
    }
    if (strcmp(*words, "-s") || count < 2)
        return 0;
    need(sscanf(words[1], "%lf%c", &x, &more) == 1 && x == floor(x)
         && x >= INT32_MIN && x <= INT32_MAX, "-s", "SEED must be a Java int");
    seed = (uint32_t)(int64_t)x;
    return 2;
}

static void demo(void)
{
    for (version = 1; version <= 2; version++) {
        unsigned taken = fill_and_ask(1000, 0.03);
        printf("V%u, %u hashes, %u bits: %u of 10000\n", (unsigned)version,
               (unsigned)f.hashes, (unsigned)f.bits, taken);
    }
}

int main(int count, char **words)
{
    return run_tool(count, words);
}
