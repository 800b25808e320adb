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
#include "../companions/bloom_file.h"

#define PROGRAM "guava"
#include "hex.h"
#include "../need.h"
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <sys/stat.h>

enum { ASK, PUT, HEADER = 6 };

/* A filter is in memory as in its file: the strategy (1 byte), k (1 byte), the
   number of words (4 bytes), and words of 8 bytes, all big-endian. So bit i is
   bit i % 8 of byte (i / 8) ^ 7 after the header. */
static struct filter {
    unsigned char *file;
    size_t size;                        /* bytes of the file */
    uint64_t bits;                      /* 64 * words, words < 2^31 */
    unsigned strategy, hashes;          /* hashes: k */
} f = { NULL, 0, 0, 1, 0 };
static const char *const strategies[] =
    { "MURMUR128_MITZ_32", "MURMUR128_MITZ_64" };
static bool hexadecimal;                /* -x: keys are in hexadecimal */

/* ---- Headers ------------------------------------------------------------- */

static uint32_t load32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8
         | p[3];
}

static void store32(unsigned char *p, uint32_t x)
{
    int i;
    for (i = 3; i >= 0; i--, x >>= 8)
        p[i] = (unsigned char)(x & 255);
}

/* Computes the size of the file from its header. The number of words must be a
   positive int of Java. */
static void parse_header(const char *name)
{
    const uint64_t words = load32(f.file + 2);
    f.strategy = f.file[0];
    f.hashes = f.file[1];
    f.bits = words * 64;
    f.size = (size_t)(words * 8 + HEADER);
    need(f.strategy <= 1, name,
         "not a filter of Guava: strategies are 0 and 1");
    need(f.hashes > 0, name, "not a filter of Guava: it has no hashes");
    need(words > 0 && words <= INT32_MAX, name,
         "not a filter of Guava: words are 1 to 2^31 - 1");
    need(f.size == words * 8 + HEADER, name, "too large for this machine");
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
    free(f.file);
    f.file = calloc((size_t)words + 1, 8);
    need(f.file != NULL, name, "not enough memory");
    f.file[0] = (unsigned char)f.strategy;
    f.file[1] = (unsigned char)(hashes < 1 ? 1 : hashes);
    store32(f.file + 2, (uint32_t)words);
    parse_header(name);
}

/* ---- Keys ---------------------------------------------------------------- */

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
    if (f.strategy == 0)
        return (sum >> 31 ? ~sum : sum) % f.bits;
    return ((h.h1 + i * h.h2) & INT64_MAX) % f.bits;
}

/* PUT sets a bit; ASK tests it. Returns whether the bit is set. */
static bool touch(uint64_t bit, int what)
{
    unsigned char *byte = f.file + HEADER + (size_t)(bit / 8 ^ 7);
    if (what == PUT)
        *byte = (unsigned char)(*byte | 1 << bit % 8);
    return *byte >> bit % 8 & 1;
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

/* Prints the header, the rate as computed from the set bits, like expectedFpp,
   and the estimated number of keys, like approximateElementCount. */
static void info(void)
{
    double bits = (double)f.bits, ones = 0;
    unsigned byte;
    size_t i;
    for (i = HEADER; i < f.size; i++)
        for (byte = f.file[i]; byte; byte &= byte - 1)
            ones++;
    printf("strategy: %u, %s\nk:        %u\n", f.strategy,
           strategies[f.strategy], f.hashes);
    printf("bits:     %.0f\nones:     %.0f\nrate now: %.6g\n", bits, ones,
           pow(ones / bits, f.hashes));
    printf("keys:     about %.0f\n",
           floor(0.5 - log1p(-ones / bits) * bits / f.hashes));
}

/* ---- Files --------------------------------------------------------------- */

/* Reads a file. The memory grows as bytes arrive, whatever size the header
   claims. Bytes after the filter are an error here: the header may be corrupted
   and claim too few. Guava ignores such bytes. */
static void load(const char *name)
{
    size_t have = 0, more = HEADER, got;
    FILE *from = fopen(name, "rb");
    need(from != NULL, name, NULL);
    while (more > 0) {
        f.file = realloc(f.file, have + more);
        need(f.file != NULL, name, "not enough memory");
        got = fread(f.file + have, 1, more, from);
        need(got == more, name, ferror(from) ? NULL : "truncated");
        have += more;
        if (have == HEADER)
            parse_header(name);
        more = f.size - have < have ? f.size - have : have;
    }
    need(getc(from) == EOF, name, "longer than its header says");
    fclose(from);
}

/* ---- Commands ------------------------------------------------------------ */

/* Adds the lines of the standard input (PUT), or prints those that may be in
   (ASK). */
static void visit_lines(int what)
{
    static char *line;
    static unsigned char *key;
    static size_t room;
    size_t size;
    ssize_t got;
    while ((got = getline(&line, &room, stdin)) >= 0) {
        size = (size_t)got - (line[got - 1] == '\n');
        key = realloc(key, room);
        need(key != NULL, "standard input", "not enough memory");
        memcpy(key, line, size);
        need(!hexadecimal || unhex(key, line, size), "standard input",
             "a line is not hexadecimal");
        if (visit(key, hexadecimal ? size / 2 : size, what) && what == ASK) {
            fwrite(line, 1, size, stdout);
            putchar('\n');
        }
    }
    need(feof(stdin), "standard input", NULL);
}

static void build(char **words)
{
    const char *path = words[2];
    struct stat about;
    double n, p;
    char more;
    need(sscanf(words[0], "%lf%c", &n, &more) == 1 && n >= 0 && n <= 1e18
         && n == floor(n), words[0],
         "N must be a whole number to 1e18");
    need(sscanf(words[1], "%lf%c", &p, &more) == 1 && p > 0 && p < 1, words[1],
         "P must be between 0 and 1");
    need(lstat(path, &about) != 0 || S_ISREG(about.st_mode), path,
         "is there, and not a plain file");
    create(n, p, path);
    visit_lines(PUT);
    signal(SIGXFSZ, SIG_IGN);           /* so that saving fails instead */
    errno = bloom_file_save(path, f.file, f.size);
    need(errno == 0, path, NULL);
}

/* Makes a filter for 10 keys and adds key-0 .. key-9. Prints it, and how many
   of absent-0 .. absent-9999 are false positives. */
static void demonstrate(unsigned strategy)
{
    unsigned i, taken = 0;
    char text[20];
    f.strategy = strategy;
    create(10, 0.01, "demo");
    for (i = 0; i < 10; i++)
        visit(text, (size_t)sprintf(text, "key-%u", i), PUT);
    for (i = 0; i < 10000; i++)
        taken += visit(text, (size_t)sprintf(text, "absent-%u", i), ASK);
    for (i = 0; i < f.size; i++)
        printf("%02x", f.file[i]);
    printf("\n%s: %u of 10000\n", strategies[strategy], taken);
}

static bool option(const char *word)
{
    if (!strcmp(word, "-x"))
        hexadecimal = true;
    else if (!strcmp(word, "-0") || !strcmp(word, "-1"))
        f.strategy = word[1] == '1';
    else
        return false;
    return true;
}

int main(int count, char **words)
{
    const char *verb = words[1];
    if (count == 1) {
        demonstrate(1);
        demonstrate(0);
        return 0;
    }
    for (words += 2, count -= 2; count > 0 && option(*words); words++)
        count--;
    if (count == 3 && !strcmp(verb, "build")) {
        build(words);
    } else if (count == 1 && !strcmp(verb, "check")) {
        load(*words);
        visit_lines(ASK);
    } else if (count == 1 && !strcmp(verb, "info")) {
        load(*words);
        info();
    } else {
        need(false, "usage", "guava build [-0|-1] [-x] N P OUT < KEYS | "
             "check [-x] FILE < KEYS | info FILE");
    }
    end_output();
    return 0;
}
