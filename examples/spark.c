/* Apache Spark's Bloom filters: the files of BloomFilter.writeTo, V1 and V2,
   made, read and asked as Spark does, bit for bit. Spark hashes neither as
   bloom.h does nor as MurmurHash3 is defined; so here is all that it takes.

       spark build [-V1] [-s SEED] [-x] N P OUT < KEYS     as create and put
       spark check [-x] FILE < KEYS            prints the keys that may be in
       spark info FILE

   A key is a line without its newline, as putString puts it. With -x a line is
   the key's bytes in hexadecimal, a to f: for putBinary, and for putLong, which
   puts integers of any width as 8 bytes, little-endian. -V1 makes what Spark
   makes up to 4.0; else it is a V2, whose SEED is a Java int, 0 if not given.

   cc -std=c99 -O2 examples/spark.c -lm -o spark

   Without arguments: the filters of key-0 .. key-999 for N = 1000, P = 0.03,
   and how many of absent-0 .. absent-9999 they take for keys: as Spark's do.
   Prints:
       V1, 5 hashes, 7360 bits: 324 of 10000
       V2, 5 hashes, 7360 bits: 327 of 10000 */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ASK, PUT };

/* The only filter is kept as its file: version, k, seed (V2 only), how many
   words, 4 bytes each; words of 8 bytes; big-endian: bit i is bit i % 8 of the
   byte i / 8 ^ 7 after that header. */
static struct filter {
    unsigned char *file;
    size_t size, header;
    uint64_t bits;                      /* 64 * words, words < 2^31 */
    uint32_t version, hashes, seed;
} f = { NULL, 0, 0, 0, 2, 0, 0 };
static bool hexadecimal;                /* keys are, by -x */

static void need(bool right, const char *name, const char *why)
{
    if (right)
        return;
    fprintf(stderr, "bloom: %s: %s\n", name, why ? why : strerror(errno));
    exit(2);
}

/* ---- What Spark does ----------------------------------------------------- */

static uint32_t load32(size_t at)
{
    const unsigned char *p = f.file + at;
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8
         | p[3];
}

static void store32(size_t at, uint32_t x)
{
    int i;
    for (i = 3; i >= 0; i--, x >>= 8)
        f.file[at + (size_t)i] = (unsigned char)(x & 255);
}

/* Of at least 16 bytes. Spark gives no filter more hashes than bits. */
static void parse_header(const char *name)
{
    uint64_t words;
    f.version = load32(0);
    f.hashes = load32(4);
    f.seed = f.version == 1 ? 0 : load32(8);
    f.header = f.version == 1 ? 12 : 16;
    words = load32(f.header - 4);
    f.bits = words * 64;
    f.size = (size_t)(words * 8 + f.header);
    need(f.version == 1 || f.version == 2, name,
         "not a filter of Spark: versions are 1 and 2");
    need(words > 0 && words <= INT32_MAX, name,
         "not a filter of Spark: words are 1 to 2^31 - 1");
    need(f.hashes > 0 && f.hashes <= INT32_MAX && f.hashes <= f.bits, name,
         "not a filter of Spark: it has no hashes, or more than bits");
    need(f.size == words * 8 + f.header, name, "too large for this machine");
}

/* An empty filter for n keys and rate p. */
static void create(double n, double p, const char *name)
{
    double ln_2 = log(2), bits, words, hashes;
    bits = floor(-n * log(p) / (ln_2 * ln_2));
    words = ceil(bits / 64);
    hashes = floor(bits / n * ln_2 + 0.5);
    need(bits > 0, name, "without a bit: Spark wants a lower P or a higher N");
    need(words <= INT32_MAX, name, "Spark has at most 2^31 - 1 words");
    free(f.file);
    f.file = calloc((size_t)words + 2, 8);
    need(f.file != NULL, name, "not enough memory");
    store32(0, f.version);
    store32(4, hashes < 1 ? 1 : (uint32_t)hashes);
    store32(8, f.seed);
    store32(f.version == 1 ? 8 : 12, (uint32_t)words);
    parse_header(name);
}

static uint32_t mix(uint32_t h, uint32_t block)
{
    block *= 0xCC9E2D51;
    h ^= (block << 15 | block >> 17) * 0x1B873593;
    return (h << 13 | h >> 19) * 5 + 0xE6546B64;
}

/* MurmurHash3_x86_32, but for the last size % 4 bytes: each is a block of its
   own, with its sign. */
static uint32_t hash(const unsigned char *key, size_t size, uint32_t seed)
{
    uint32_t h = seed;
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

/* The next probe. A sum that is negative in Java is inverted: in V2, of 64
   bits, for good; in V1, of 32 bits, only for the probe. */
static uint64_t probe(uint64_t *sum, uint32_t h2)
{
    uint32_t low;
    *sum += widened(h2);
    low = (uint32_t)*sum;
    if (f.version == 1)
        return (low >> 31 ? ~low : low) % f.bits;
    *sum = *sum >> 63 ? ~*sum : *sum;
    return *sum % f.bits;
}

/* PUT sets the k bits of a key; ASK: are they all set? */
static bool visit(const void *key, size_t size, int what)
{
    uint32_t h1 = hash(key, size, f.seed), h2 = hash(key, size, h1), i;
    uint64_t sum = f.version == 1 ? h1 : widened(h1) * INT32_MAX;
    for (i = 0; i < f.hashes; i++) {
        uint64_t at = probe(&sum, h2);
        unsigned char *byte = f.file + f.header + (size_t)(at / 8 ^ 7);
        if (what == PUT)
            *byte = (unsigned char)(*byte | 1 << at % 8);
        else if (!(*byte >> at % 8 & 1))
            return false;
    }
    return true;
}

/* ---- Files --------------------------------------------------------------- */

/* Memory grows with what arrives, not with what a header claims. Spark leaves
   bytes that follow unread; but they may be bits that a bent header lost. */
static void load(const char *name)
{
    size_t have = 0, more = 16, got;
    FILE *from = fopen(name, "rb");
    need(from != NULL, name, NULL);
    while (more > 0) {
        f.file = realloc(f.file, have + more);
        need(f.file != NULL, name, "not enough memory");
        got = fread(f.file + have, 1, more, from);
        need(got == more, name, ferror(from) ? NULL : "truncated");
        have += more;
        if (have == 16)
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
    need(sscanf(words[0], "%lf%c", &n, &more) == 1 && n >= 1 && n <= 1e18
         && n == floor(n), words[0], "N must be a whole number, 1 to 1e18");
    need(sscanf(words[1], "%lf%c", &p, &more) == 1 && p > 0 && p < 1, words[1],
         "P must be between 0 and 1");
    need(lstat(path, &about) != 0 || S_ISREG(about.st_mode), path,
         "is there, and not a plain file");
    need(f.seed == 0 || f.version == 2, "-s", "a V1 has no seed");
    create(n, p, path);
    visit_lines(PUT);
    save(path);
}

/* The rate is Spark's expectedFpp. */
static void info(void)
{
    double bits = (double)f.bits, ones = 0;
    unsigned byte;
    size_t i;
    for (i = f.header; i < f.size; i++)
        for (byte = f.file[i]; byte; byte &= byte - 1)
            ones++;
    printf("version:  V%d\nk:        %d\nseed:     %d\nbits:     %.0f\n",
           (int)f.version, (int)f.hashes, (int)f.seed, bits);
    printf("ones:     %.0f\nrate now: %.6g\nkeys:     about %.0f\n", ones,
           pow(ones / bits, f.hashes), -log1p(-ones / bits) * bits / f.hashes);
}

static void demo(uint32_t version)
{
    unsigned i, taken = 0;
    char text[20];
    f.version = version;
    create(1000, 0.03, "demo");
    for (i = 0; i < 1000; i++)
        visit(text, (size_t)sprintf(text, "key-%u", i), PUT);
    for (i = 0; i < 10000; i++)
        taken += visit(text, (size_t)sprintf(text, "absent-%u", i), ASK);
    printf("V%u, %u hashes, %u bits: %u of 10000\n", (unsigned)version,
           (unsigned)f.hashes, (unsigned)f.bits, taken);
}

int main(int count, char **words)
{
    const char *verb;
    double seed = 0;
    char more;
    if (count < 2)
        return demo(1), demo(2), 0;
    verb = words[1];
    for (words += 2, count -= 2; count > 0; words++, count--) {
        if (!strcmp(*words, "-x"))
            hexadecimal = true;
        else if (!strcmp(*words, "-V1") || !strcmp(*words, "-V2"))
            f.version = (*words)[2] == '1' ? 1 : 2;
        else if (!strcmp(*words, "-s") && count-- > 1)
            need(sscanf(*++words, "%lf%c", &seed, &more) == 1
                 && seed == floor(seed) && seed >= INT32_MIN
                 && seed <= INT32_MAX, "-s", "SEED must be a Java int");
        else
            break;
    }
    f.seed = (uint32_t)(int64_t)seed;
    if (count == 3 && !strcmp(verb, "build")) {
        build(words);
    } else if (count == 1 && !strcmp(verb, "check")) {
        load(*words);
        visit_lines(ASK);
    } else if (count == 1 && !strcmp(verb, "info")) {
        load(*words);
        info();
    } else {
        need(false, "usage", "spark build [-V1|-V2] [-s SEED] [-x] N P OUT <"
             " KEYS | check [-x] FILE < KEYS | info FILE");
    }
    need(fflush(stdout) == 0 && !ferror(stdout), "standard output", NULL);
    return 0;
}
