/* bitcoin: makes, fills, tests and sends Bitcoin's filters for thin wallets
   (BIP37), with the same bits as Bitcoin Core. These filters hash each key k
   times and have another layout than bloom.h. But their hash is
   MurmurHash3_x86_32, which a bloom.h filter of width 32 computes.

   bitcoin [FILE]     checks the test vectors in FILE, by default those in
                      examples/formats/tests/bitcoin.tsv

   Prints:
       MurmurHash3_x86_32: 14 hashes are equal
       17 filters of 45 keys made, sent and received: all are equal
       46 lookups are right; 911 bad payloads were refused */
#define BLOOM_STATIC
#include "bloom.h"
#include "hex.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES 36000                /* the protocol's limits */
#define MOST_HASHES 50

typedef struct filter {
    unsigned char bits[MOST_BYTES];
    uint32_t bytes, hashes, tweak;
    unsigned char flags;                /* which keys a node adds when one
                                           matches; not used here */
} filter;

static uint32_t murmur3_x86_32(const void *data, size_t size, uint32_t seed)
{
    unsigned char memory[40];
    bloom_plan plan = { 64, seed, 1, BLOOM_CLASSIC, 32 };
    bloom *b = bloom_init(memory, sizeof memory, plan);
    return (uint32_t)(bloom_hash_key(b, data, size).h1 >> 32);
}

/* ln(p) for 0 < p < 1, without libm. p is doubled until it is at least 0.75;
   then ln p = 2 (z + z^3/3 + z^5/5 ...) with z = (p - 1) / (p + 1). */
static double ln(double p)
{
    double z, power, sum = 0, halvings = 0;
    int i;
    for (; p < 0.75; p *= 2)
        halvings++;
    power = z = (p - 1) / (p + 1);
    for (i = 1; i < 25; i += 2, power *= z * z)
        sum += power / i;
    return 2 * sum - halvings * 0.69314718055994531;
}

/* Core rounds down at each step: to bits, to bytes, to whole bits per key (by
   an integer division), and to k. So k is often one less than elsewhere. */
static void create(filter *f, uint32_t n, double p, uint32_t tweak)
{
    const double most = MOST_BYTES * 8.0, ln_2 = 0.69314718055994531;
    double bits = -1 / 0.48045301391820142 * n * ln(p), k;
    memset(f, 0, sizeof *f);
    f->bytes = (uint32_t)(bits < most ? bits : most) / 8;
    k = f->bytes * 8 / n * ln_2;
    f->hashes = k < MOST_HASHES ? (uint32_t)k : MOST_HASHES;
    f->tweak = tweak;
}

enum { MATCH, INSERT };

/* MATCH: returns whether the k bits of the key are all set; a filter of 0 bytes
   matches every key. INSERT: sets them. */
static bool visit(filter *f, const void *key, size_t size, int what)
{
    uint32_t i, at;
    for (i = 0; f->bytes > 0 && i < f->hashes; i++) {
        at = murmur3_x86_32(key, size, i * 0xFBA4C795u + f->tweak)
           % (f->bytes * 8);
        if (what == INSERT)
            f->bits[at / 8] = (unsigned char)(f->bits[at / 8] | 1u << at % 8);
        else if (!(f->bits[at / 8] >> at % 8 & 1))
            return false;
    }
    return true;
}

/* ---- The payload of a filterload message ---------------------------------
   The number of bytes as a CompactSize (one byte, or FD and two), the bits, k,
   the tweak, the flags; all little-endian */

static unsigned char *store(unsigned char *to, uint32_t x, int bytes)
{
    for (; bytes-- > 0; x >>= 8)
        *to++ = (unsigned char)(x & 255);
    return to;
}

static uint32_t load(const unsigned char *p, int bytes)
{
    uint32_t x = 0;
    while (bytes-- > 0)
        x = x << 8 | p[bytes];
    return x;
}

static size_t write_payload(const filter *f, unsigned char *start)
{
    unsigned char *to = f->bytes < 253 ? store(start, f->bytes, 1)
                                       : store(store(start, 253, 1),
                                               f->bytes, 2);
    memcpy(to, f->bits, f->bytes);
    to = store(store(to + f->bytes, f->hashes, 4), f->tweak, 4);
    return (size_t)(store(to, f->flags, 1) - start);
}

/* Reads a payload, which may come from anyone, so everything is checked.
   Returns NULL, or what is wrong. */
static const char *read_payload(filter *f, const unsigned char *p, size_t size)
{
    size_t head = size > 0 && p[0] >= 253 ? 3 : 1, bytes;
    if (size < head)
        return "truncated";
    bytes = head == 1 ? p[0] : load(p + 1, 2);
    if (p[0] > 253 || bytes > MOST_BYTES)
        return "more than 36000 bytes";
    if (size < head + bytes + 9)
        return "truncated";
    if (size > head + bytes + 9 || (head == 3 && bytes < 253))
        return "longer than it needs to be";
    if (load(p + head + bytes, 4) > MOST_HASHES)
        return "more than 50 hashes";
    memset(f, 0, sizeof *f);
    memcpy(f->bits, p + head, bytes);
    f->bytes = (uint32_t)bytes;
    f->hashes = load(p + head + bytes, 4);
    f->tweak = load(p + head + bytes + 4, 4);
    f->flags = p[size - 1];
    return NULL;
}

/* ---- The test vectors ---------------------------------------------------- */

static const char *path = "examples/formats/tests/bitcoin.tsv";
static unsigned long line, hashes, filters, keys, answers, refused;
static unsigned char data[MOST_BYTES + 100], sent[sizeof data];
static filter ours, theirs;             /* as made here, as received */

static void check(bool good, int status, const char *why)
{
    if (good)
        return;
    fprintf(stderr, "bitcoin: %s: ", path);
    if (line > 0)
        fprintf(stderr, "line %lu: ", line);
    fprintf(stderr, "%s\n", why);
    exit(status);
}

static size_t read_data(const char *text)
{
    size_t size = strcmp(text, "-") ? strlen(text) : 0;
    check(unhex(data, text, size), 2, "not hexadecimal");
    return size / 2;
}

/* Reads the payload in `data` as `theirs`, and makes `ours` for n keys and the
   rate p. The "add" lines that follow must make `ours` equal to `theirs`. */
static void begin(size_t size, double n, double p)
{
    const char *wrong = read_payload(&theirs, data, size);
    check(!wrong, 2, wrong);
    check(n >= 1 && n <= UINT32_MAX && p > 0 && p < 1, 2, "not PAYLOAD N P");
    check(write_payload(&theirs, sent) == size && !memcmp(sent, data, size),
          1, "the payload that is sent differs");
    create(&ours, (uint32_t)n, p, theirs.tweak);
    ours.flags = theirs.flags;
    for (filters++; size-- > 0; refused++)
        check(read_payload(&theirs, data, size) != NULL, 1,
              "a truncated payload was accepted");
}

static void check_line(const char *kind, size_t size, double a, double b)
{
    if (!strcmp(kind, "hash")) {
        check(a >= 0 && a <= UINT32_MAX, 2, "not DATA SEED HASH");
        check(murmur3_x86_32(data, size, (uint32_t)a) == b, 1,
              "the hash differs");
        hashes++;
    } else if (!strcmp(kind, "filter")) {
        begin(size, a, b);
    } else if (!strcmp(kind, "add")) {
        visit(&ours, data, size, INSERT);
        keys++;
    } else if (!strcmp(kind, "bad")) {
        check(read_payload(&theirs, data, size) != NULL, 1,
              "a bad payload was accepted");
        refused++;
    } else {
        check(!strcmp(kind, "in") || !strcmp(kind, "out"), 2,
              "unknown kind of line");
        check(!memcmp(&ours, &theirs, sizeof ours), 1, "the filters differ");
        check(visit(&ours, data, size, MATCH) == (*kind == 'i'), 1,
              "the lookup is wrong");
        answers++;
    }
}

int main(int count, char **arguments)
{
    static char text[2 * sizeof data], hex[sizeof text];
    char kind[9];
    double a, b;
    int words;
    FILE *file;
    path = count > 1 ? arguments[count - 1] : path;
    check(count <= 2, 2, "give at most one FILE");
    file = fopen(path, "r");
    check(file != NULL, 2, strerror(errno));
    while (fgets(text, sizeof text, file)) {
        line++;
        a = b = -1;
        check(strlen(text) < sizeof text - 1, 2, "the line is too long");
        words = sscanf(text, "%8s %s %lf %lf", kind, hex, &a, &b);
        check(words != 1 || *kind == '#', 2, "the data is missing");
        if (words > 1 && *kind != '#')
            check_line(kind, read_data(hex), a, b);
    }
    check(!ferror(file), 2, strerror(errno));
    check(hashes + answers > 0, 2, "contains no test vectors");
    printf("MurmurHash3_x86_32: %lu hashes are equal\n"
           "%lu filters of %lu keys made, sent and received: all are equal\n"
           "%lu lookups are right; %lu bad payloads were refused\n",
           hashes, filters, keys, answers, refused);
    return 0;
}
