/* jvm.h: the common part of guava.c, spark.c and cassandra.c. A filter is in
   memory as in its file: a header, and then 64-bit words. Keys are lines, and
   there are three commands: build, check and info. Before an example
   includes jvm.h, it must define
       _POSIX_C_SOURCE, _FILE_OFFSET_BITS
       TOOL, USAGE    the name of the example, and the arguments it takes
       LEAST_N        the least N for build
       ENOUGH         bytes of a file from which its size can be computed
   It also defines the functions that are declared under "Of the system", and
   calls run_tool. */
#ifndef BLOOM_COMMON_JVM_H
#define BLOOM_COMMON_JVM_H

#define PROGRAM TOOL
#include "hex.h"
#include "../need.h"
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ASK, PUT };

static struct filter {
    unsigned char *file;
    size_t size, header;                /* bytes of the file, of its header */
    uint64_t bits;                      /* 64 * words, words < 2^31 */
    uint32_t hashes;                    /* k */
    unsigned flip;                      /* 7 if words are big-endian, else 0 */
} f;
static bool hexadecimal;                /* -x: keys are in hexadecimal */

/* ---- Of the system: what each example defines ---------------------------- */

static void parse_header(const char *name);   /* reads the ENOUGH bytes */
static void create(double n, double p, const char *name);  /* an empty filter */
static bool visit(const void *key, size_t size, int what);  /* ASK or PUT */
static void info(void);                       /* prints the header */
static void demo(void);                       /* runs without arguments */
static int option(int count, char **words);   /* how many words it used */

/* ---- Numbers and bits ---------------------------------------------------- */

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

/* Allocates zeros for a header and this many words. */
static void allocate(double words, const char *name)
{
    free(f.file);
    f.file = calloc((size_t)words + 2, 8);
    need(f.file != NULL, name, "not enough memory");
}

/* Sets bits and size from the number of words, which must be a positive Java
   int. */
static void set_size(uint64_t words, const char *name, const char *why)
{
    f.bits = words * 64;
    f.size = (size_t)(words * 8 + f.header);
    need(words > 0 && words <= INT32_MAX, name, why);
    need(f.size == words * 8 + f.header, name, "too large for this machine");
}

/* PUT sets a bit; ASK tests it. Returns whether the bit is set. */
static bool touch(uint64_t bit, int what)
{
    unsigned char *byte = f.file + f.header + (size_t)(bit / 8 ^ f.flip);
    if (what == PUT)
        *byte = (unsigned char)(*byte | 1 << bit % 8);
    return *byte >> bit % 8 & 1;
}

/* Prints the rate as computed from the set bits, like expectedFpp in Guava and
   Spark, and the estimated number of keys, like approximateElementCount in
   Guava. */
static void info_of_bits(void)
{
    double bits = (double)f.bits, ones = 0;
    unsigned byte;
    size_t i;
    for (i = f.header; i < f.size; i++)
        for (byte = f.file[i]; byte; byte &= byte - 1)
            ones++;
    printf("bits:     %.0f\nones:     %.0f\nrate now: %.6g\n", bits, ones,
           pow(ones / bits, f.hashes));
    printf("keys:     about %.0f\n",
           floor(0.5 - log1p(-ones / bits) * bits / f.hashes));
}

/* ---- Files --------------------------------------------------------------- */

/* Reads a file. The memory grows as bytes arrive, whatever size the header
   claims. Bytes after the filter are an error here: the header may be corrupted
   and claim too few. The readers in the JVM ignore such bytes. */
static void load(const char *name)
{
    size_t have = 0, more = ENOUGH, got;
    FILE *from = fopen(name, "rb");
    need(from != NULL, name, NULL);
    while (more > 0) {
        f.file = realloc(f.file, have + more);
        need(f.file != NULL, name, "not enough memory");
        got = fread(f.file + have, 1, more, from);
        need(got == more, name, ferror(from) ? NULL : "truncated");
        have += more;
        if (have == ENOUGH)
            parse_header(name);
        more = f.size - have < have ? f.size - have : have;
    }
    need(getc(from) == EOF, name, "longer than its header says");
    fclose(from);
}

/* Writes a temporary file beside OUT and renames it, so that OUT is always
   complete. */
static void save(const char *path)
{
    char beside[4096];
    const char *why;
    FILE *file;
    int size = snprintf(beside, sizeof beside, "%s.tmp.%ld", path,
                        (long)getpid());
    need(size < (int)sizeof beside, path, "too long a name");
    signal(SIGXFSZ, SIG_IGN);           /* so that fwrite fails instead */
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
    need(sscanf(words[0], "%lf%c", &n, &more) == 1 && n >= LEAST_N
         && n <= 1e18 && n == floor(n), words[0], LEAST_N > 0
         ? "N must be a whole number, 1 to 1e18"
         : "N must be a whole number to 1e18");
    need(sscanf(words[1], "%lf%c", &p, &more) == 1 && p > 0 && p < 1, words[1],
         "P must be between 0 and 1");
    need(lstat(path, &about) != 0 || S_ISREG(about.st_mode), path,
         "is there, and not a plain file");
    create(n, p, path);
    visit_lines(PUT);
    save(path);
}

static int run_tool(int count, char **words)
{
    const char *verb = words[1];
    int taken;
    if (count == 1) {
        demo();
        return 0;
    }
    for (words += 2, count -= 2; count > 0; words += taken, count -= taken) {
        taken = strcmp(*words, "-x") ? option(count, words) : 1;
        hexadecimal |= !strcmp(*words, "-x");
        if (!taken)
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
        info_of_bits();
    } else {
        need(false, "usage", USAGE);
    }
    need(fflush(stdout) == 0 && !ferror(stdout), "standard output", NULL);
    return 0;
}

/* Makes a filter for n keys and adds key-0 .. key-(n - 1). Returns how many of
   absent-0 .. absent-9999 are false positives. */
static unsigned fill_and_ask(unsigned n, double p)
{
    unsigned i, taken = 0;
    char text[20];
    create(n, p, "demo");
    for (i = 0; i < n; i++)
        visit(text, (size_t)sprintf(text, "key-%u", i), PUT);
    for (i = 0; i < 10000; i++)
        taken += visit(text, (size_t)sprintf(text, "absent-%u", i), ASK);
    return taken;
}

#endif
