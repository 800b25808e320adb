/* Guava's Bloom filters: the files of BloomFilter.writeTo, made, read and asked
   as Guava does, bit for bit. Guava probes otherwise than bloom.h does, but
   its hash is that of a bloom.h filter of width 64 and seed 0.

       guava build [-0] [-x] N P OUT < KEYS    as create(funnel, N, P) and put
       guava check [-x] FILE < KEYS            prints the keys that may be in
       guava info FILE

   A key is a line without its newline, as stringFunnel(UTF_8) puts it. With -x
   a line is the key's bytes in hexadecimal, a to f: for the other funnels.
   Their longs are 8 bytes, ints 4, unencodedChars 2 each, little-endian. -0
   makes a filter of strategy 0, MURMUR128_MITZ_32, which Guava only reads.

   cc -std=c99 -O2 -I. examples/guava.c -lm -o guava

   Without arguments: the files of key-0 .. key-9 for N = 10, P = 0.01, which
   are those that Guava 31.1 writes, and how many of absent-0 .. absent-9999
   they take for keys.
   Prints:
       0107000000024521b3290426495fdb6596fa01419390
       MURMUR128_MITZ_64: 89 of 10000
       000700000002b46579ef0d050232ba85e50594290301
       MURMUR128_MITZ_32: 39 of 10000 */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#define BLOOM_STATIC
#include "bloom.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER = 6, ASK = 0, PUT = 1 };
static const char *const strategies[] =
    { "MURMUR128_MITZ_32", "MURMUR128_MITZ_64" };

/* The only filter is kept as its file: strategy, k, how many words (4 bytes),
   words of 8 bytes; big-endian: bit i is bit i % 8 of the byte i / 8 ^ 7 after
   the header. */
static struct filter {
    unsigned char *file;
    size_t size;
    uint64_t bits;                      /* 64 * words, words < 2^31 */
    unsigned strategy, hashes;          /* 0..1, 1..255 */
} f = { NULL, 0, 0, 1, 0 };
static bool hexadecimal;                /* keys are, by -x */

static void need(bool right, const char *name, const char *why)
{
    if (right)
        return;
    fprintf(stderr, "bloom: %s: %s\n", name, why ? why : strerror(errno));
    exit(2);
}

/* ---- What Guava does ----------------------------------------------------- */

static void parse_header(const char *name)
{
    const unsigned char *p = f.file;
    uint64_t words = (uint64_t)p[2] << 24 | (uint64_t)p[3] << 16
                   | (uint64_t)p[4] << 8 | p[5];
    f.strategy = p[0];
    f.hashes = p[1];
    f.bits = words * 64;
    f.size = (size_t)(words * 8 + HEADER);
    need(p[0] <= 1, name, "not a filter of Guava: strategies are 0 and 1");
    need(p[1] > 0, name, "not a filter of Guava: it has no hashes");
    need(words > 0 && words <= INT32_MAX, name,
         "not a filter of Guava: words are 1 to 2^31 - 1");
    need(f.size == words * 8 + HEADER, name, "too large for this machine");
}

/* An empty filter for n keys and rate p. k is rounded as Guava did until 2024;
   since then it comes from p alone: another k for a few keys at most. */
static void create(double n, double p, const char *name)
{
    double ln_2 = log(2), bits, words, hashes;
    unsigned i;
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
    for (i = 0; i < 4; i++)
        f.file[2 + i] = (unsigned char)((uint32_t)words >> (24 - 8 * i) & 255);
    parse_header(name);
}

static bloom_hash murmur3_x64_128(const void *key, size_t size)
{
    unsigned char memory[40];
    bloom_plan plan = { 64, 0, 1, BLOOM_CLASSIC, 64 };
    return bloom_hash_key(bloom_init(memory, sizeof memory, plan), key, size);
}

/* The bit of probe i = 0, 1, ... A sum that is negative in Java loses its sign
   (64 bits) or is inverted (32 bits, from the halves of h1). */
static uint64_t probe(bloom_hash h, unsigned i)
{
    uint32_t sum = (uint32_t)h.h1 + (i + 1) * (uint32_t)(h.h1 >> 32);
    if (f.strategy == 0)
        return (sum >> 31 ? ~sum : sum) % f.bits;
    return ((h.h1 + i * h.h2) & INT64_MAX) % f.bits;
}

/* PUT sets the k bits of a key; ASK: are they all set? */
static bool visit(const void *key, size_t size, int what)
{
    bloom_hash h = murmur3_x64_128(key, size);
    unsigned i;
    for (i = 0; i < f.hashes; i++) {
        uint64_t at = probe(h, i);
        unsigned char *byte = f.file + HEADER + (size_t)(at / 8 ^ 7);
        if (what == PUT)
            *byte = (unsigned char)(*byte | 1 << at % 8);
        else if (!(*byte >> at % 8 & 1))
            return false;
    }
    return true;
}

/* ---- Files --------------------------------------------------------------- */

/* Memory grows with what arrives, not with what a header claims. Guava leaves
   bytes that follow unread; but they may be bits that a bent header lost. */
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

/* Beside OUT, then in its place, complete. */
static void save(const char *path)
{
    char beside[4096];
    const char *why;
    FILE *file;
    int size = snprintf(beside, sizeof beside, "%s.tmp.%ld", path,
                        (long)getpid());
    need(size < (int)sizeof beside, path, "too long a name");
    signal(SIGXFSZ, SIG_IGN);           /* is an error of fwrite */
    file = fopen(beside, "wb");
    need(file != NULL, path, NULL);
    if (fwrite(f.file, 1, f.size, file) == f.size && fflush(file) == 0
        && fsync(fileno(file)) == 0 && fclose(file) == 0
        && rename(beside, path) == 0)
        return;
    why = strerror(errno);
    remove(beside);
    need(false, path, why);
}

/* ---- Keys ---------------------------------------------------------------- */

static size_t unhex(unsigned char *text, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    size_t i;
    need(size % 2 == 0 && strspn((char *)text, digits) == size,
         "standard input", "a line is not hexadecimal");
    for (i = 0; i < size; i += 2)
        text[i / 2] = (unsigned char)((strchr(digits, text[i]) - digits) << 4
                                      | (strchr(digits, text[i + 1]) - digits));
    return size / 2;
}

static void print(const void *key, size_t size, bool in_hex)
{
    const unsigned char *bytes = key;
    if (in_hex)
        for (; size > 0; size--)
            printf("%02x", *bytes++);
    fwrite(bytes, 1, size, stdout);
    putchar('\n');
}

/* The lines of the standard input; ASK prints those that may be in. */
static void visit_lines(int what)
{
    char *line = NULL;
    size_t room = 0, size;
    ssize_t got;
    while ((got = getline(&line, &room, stdin)) >= 0) {
        size = (size_t)got - (line[got - 1] == '\n');
        if (hexadecimal)
            size = unhex((unsigned char *)line, size);
        if (visit(line, size, what) && what == ASK)
            print(line, size, hexadecimal);
    }
    need(feof(stdin), "standard input", NULL);
    free(line);
}

/* ---- Verbs --------------------------------------------------------------- */

static void build(char **words)
{
    const char *path = words[2];
    struct stat about;
    double n, p;
    char more;
    need(sscanf(words[0], "%lf%c", &n, &more) == 1 && n >= 0 && n <= 1e18
         && n == floor(n), words[0], "N must be a whole number to 1e18");
    need(sscanf(words[1], "%lf%c", &p, &more) == 1 && p > 0 && p < 1, words[1],
         "P must be between 0 and 1");
    need(lstat(path, &about) != 0 || S_ISREG(about.st_mode), path,
         "is there, and not a plain file");
    create(n, p, path);
    visit_lines(PUT);
    save(path);
}

/* The last two: Guava's expectedFpp and approximateElementCount. */
static void info(void)
{
    double bits = (double)f.bits, ones = 0;
    unsigned byte;
    size_t i;
    for (i = HEADER; i < f.size; i++)
        for (byte = f.file[i]; byte; byte &= byte - 1)
            ones++;
    printf("strategy: %u, %s\nk:        %u\nbits:     %.0f\n", f.strategy,
           strategies[f.strategy], f.hashes, bits);
    printf("ones:     %.0f\nrate now: %.6g\nkeys:     about %.0f\n", ones,
           pow(ones / bits, f.hashes),
           floor(0.5 - log1p(-ones / bits) * bits / f.hashes));
}

static void demo(unsigned strategy)
{
    unsigned i, taken = 0;
    char text[20];
    f.strategy = strategy;
    create(10, 0.01, "demo");
    for (i = 0; i < 10; i++)
        visit(text, (size_t)sprintf(text, "key-%u", i), PUT);
    for (i = 0; i < 10000; i++)
        taken += visit(text, (size_t)sprintf(text, "absent-%u", i), ASK);
    print(f.file, f.size, true);
    printf("%s: %u of 10000\n", strategies[strategy], taken);
}

int main(int count, char **words)
{
    const char *verb;
    if (count < 2)
        return demo(1), demo(0), 0;
    verb = words[1];
    for (words += 2, count -= 2; count > 0; words++, count--) {
        if (!strcmp(*words, "-x"))
            hexadecimal = true;
        else if (!strcmp(*words, "-0") || !strcmp(*words, "-1"))
            f.strategy = (*words)[1] == '1';
        else
            break;
    }
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
    need(fflush(stdout) == 0 && !ferror(stdout), "standard output", NULL);
    return 0;
}
