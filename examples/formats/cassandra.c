/* cassandra: makes and reads Apache Cassandra's Bloom filters, the Filter.db of
   an SSTable. It sets and tests the same bits as Cassandra. A lookup shows
   which partitions are certainly not in the SSTable.

       cassandra build [-r RELEASE] [-x] N P OUT < KEYS
       cassandra check [-r RELEASE] [-x] FILE < KEYS   prints the keys that may
                                                       be in
       cassandra info  FILE                   prints the facts of a filter

   A key is a line without its newline: the partition key of a table whose key
   is one text column. With -x, a line is the key's bytes in hexadecimal. They
   are big-endian: int has 4 bytes, bigint and timestamp 8, uuid 16. If the key
   has several columns, each is preceded by its size in 2 bytes and followed by
   a byte 00.

   RELEASE is the release of Cassandra that wrote the file. The file does not
   contain it, but its name begins with a version, as in nb-1-big-Filter.db:

       version          RELEASE   differences
       na and later, da   4.0     the default
       ma and later       3.0     the words have the other byte order
       ia and later       2.0     as 3.0, and the two hashes are swapped

   Versions before ia, of Cassandra 1.1 and older, are not supported. They have
   another hash, but their files look the same, so their keys are not found.

   Compile it by: cc -std=c99 -O2 examples/formats/cassandra.c -lm -o cassandra

   Without arguments, it makes a filter for each RELEASE with key-0 .. key-999
   for N = 1000 and P = 0.01. It prints how many of absent-0 .. absent-9999 are
   false positives.
   Prints:
       release 4.0, 5 hashes, 10048 bits: 72 of 10000
       release 3.0, 5 hashes, 10048 bits: 72 of 10000
       release 2.0, 5 hashes, 10048 bits: 108 of 10000 */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#define TOOL "cassandra"
#define USAGE "cassandra build [-r RELEASE] [-x] N P OUT < KEYS | " \
    "check [-r RELEASE] [-x] FILE < KEYS | info FILE"
#define LEAST_N 0
#define ENOUGH 8
#include "jvm.h"

static double release = 4.0;

/* A file has k and the number of words, 4 bytes each, big-endian, and words of
   8 bytes, which are big-endian before 4.0 and little-endian since. Cassandra
   never uses more than 21 hashes. */
static void parse_header(const char *name)
{
    f.hashes = load32(0);
    f.header = ENOUGH;
    f.flip = release < 4 ? 7 : 0;
    need(f.hashes > 0 && f.hashes <= 21, name,
         "not a filter of Cassandra: hashes are 1 to 21");
    set_size(load32(4), name,
             "not a filter of Cassandra: words are 1 to 2^31 - 1");
}

/* The rate for k hashes and this number of bits per key, as in the table in
   Cassandra's source: rounded to three digits, but one value to two. */
static double rate(unsigned bits_a_key, unsigned k)
{
    char text[32];
    if (bits_a_key == 5 && k == 3)
        return 0.092;
    sprintf(text, "%.3g", pow(1 - exp(-(double)k / bits_a_key), k));
    return strtod(text, NULL);
}

static unsigned best_hashes(unsigned bits_a_key)
{
    unsigned k = 1;
    while (rate(bits_a_key, k + 1) < rate(bits_a_key, k))
        k++;
    return k;
}

/* Takes the fewest bits per key whose rate is at most p, and then the fewest
   hashes. If p is at least the rate of one hash and two bits per key, Cassandra
   uses two hashes and one bit per key. */
static void create(double n, double p, const char *name)
{
    unsigned bits_a_key = 1, k = 2;
    double words;
    if (p < rate(2, 1)) {
        while (bits_a_key <= 20 && rate(bits_a_key, k) > p)
            k = best_hashes(++bits_a_key);
        while (k > 1 && rate(bits_a_key, k - 1) <= p)
            k--;
    }
    need(bits_a_key <= 20, name,
         "Cassandra has at most 20 bits a key: no rate below 6.71e-05");
    words = floor((n * bits_a_key + 20 + 63) / 64);
    need(words <= INT32_MAX, name, "Cassandra has at most 2^31 - 1 words");
    allocate(words, name);
    store32(0, k);
    store32(4, (uint32_t)words);
    parse_header(name);
}

static uint64_t rotate(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

static uint64_t finish(uint64_t h)
{
    h = (h ^ h >> 33) * 0xFF51AFD7ED558CCD;
    h = (h ^ h >> 33) * 0xC4CEB9FE1A85EC53;
    return h ^ h >> 33;
}

/* A little-endian number of up to 8 bytes. In the tail of a key, each byte is
   sign-extended, shifted and xor-ed. */
static uint64_t word(const unsigned char *p, size_t size, bool in_tail)
{
    uint64_t x = 0;
    size_t i;
    for (i = 0; i < size; i++)
        x ^= (in_tail ? (p[i] ^ (uint64_t)128) - 128 : p[i]) << 8 * i;
    return x;
}

static uint64_t mix(uint64_t x, unsigned half)
{
    static const uint64_t c[2] = { 0x87C37B91114253D5, 0x4CF5AD432745937F };
    return rotate(x * c[half], half ? 33 : 31) * c[!half];
}

/* MurmurHash3_x64_128 with seed 0, but with signed bytes in the tail */
static void hash(const unsigned char *key, size_t size, uint64_t h[2])
{
    const unsigned char *tail = key + size / 16 * 16;
    size_t left = size % 16;
    h[0] = h[1] = 0;
    for (; key < tail; key += 16) {
        h[0] ^= mix(word(key, 8, false), 0);
        h[0] = (rotate(h[0], 27) + h[1]) * 5 + 0x52DCE729;
        h[1] ^= mix(word(key + 8, 8, false), 1);
        h[1] = (rotate(h[1], 31) + h[0]) * 5 + 0x38495AB5;
    }
    if (left > 8)
        h[1] ^= mix(word(tail + 8, left - 8, true), 1);
    h[0] ^= mix(word(tail, left < 8 ? left : 8, true), 0);
    h[0] ^= size;
    h[1] ^= size;
    h[0] += h[1];
    h[1] += h[0];
    h[0] = finish(h[0]);
    h[1] = finish(h[1]);
    h[0] += h[1];
    h[1] += h[0];
}

/* Java's Math.abs(sum % bits), where sum may be negative */
static uint64_t probe(uint64_t sum)
{
    return (sum >> 63 ? 0 - sum : sum) % f.bits;
}

static bool visit(const void *key, size_t size, int what)
{
    uint64_t h[2], sum;
    bool swapped = release < 3;
    uint32_t i;
    hash(key, size, h);
    sum = h[!swapped];
    for (i = 0; i < f.hashes; i++, sum += h[swapped])
        if (!touch(probe(sum), what))
            return false;
    return true;
}

static void info(void)
{
    printf("k:        %u\n", (unsigned)f.hashes);
}

static int option(int count, char **words)
{
    char more;
    if (strcmp(*words, "-r") || count < 2)
        return 0;
    need(sscanf(words[1], "%lf%c", &release, &more) == 1 && release >= 1.2
         && release < 100, "-r",
         "RELEASE is Cassandra's, 1.2 or later: 2.0, 3.0, 4.0");
    return 2;
}

static void demo(void)
{
    for (release = 4; release >= 2; release--) {
        unsigned taken = fill_and_ask(1000, 0.01);
        printf("release %.1f, %u hashes, %u bits: %u of 10000\n", release,
               (unsigned)f.hashes, (unsigned)f.bits, taken);
    }
}

int main(int count, char **words)
{
    return run_tool(count, words);
}
