/* Apache Parquet's Bloom filters: those in a .parquet file are asked, and new
   ones made, bit for bit as Spark and DuckDB do. Their layout is BLOOM_BLOCKED;
   their hash is XXH64, handed over as h1.

       parquet info FILE                    each column of each row group
       parquet check FILE COLUMN < VALUES   prints those that may be in
       parquet build TYPE BYTES < VALUES    the bits of a filter of that size
       parquet                              a demonstration

   A value is a line: the bytes of a BYTE_ARRAY, or the decimal integer that an
   INT32 or INT64 stores (of a date, its days). A field of a struct is a.b.
   cc -std=c99 -O2 -I. examples/parquet.c -o parquet -lxxhash

   Prints:
       BYTE_ARRAY a0, a1 ... a9: Spark's 32 bytes, bit for bit
       INT64 0, 1 ... 9: Spark's 32 bytes, bit for bit */
#define BLOOM_STATIC
#include "bloom.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { INT32 = 1, INT64 = 2, BYTE_ARRAY = 6, TYPES = 8 };
static const char *const types[TYPES] = { "BOOLEAN", "INT32", "INT64", "INT96",
    "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY" };

static const char *path = "standard input";
static char value[1 << 16];             /* a line, and a 0 behind it */
static size_t size;                     /* its bytes */

static void check(bool good, const char *why)
{
    if (good)
        return;
    fflush(stdout);
    fprintf(stderr, "bloom: %s: %s\n", path, why);
    exit(2);
}

/* ---- Filters and values -------------------------------------------------- */

static bloom *new_filter(uint64_t bytes)
{
    bloom_plan plan = { bytes * 8, 0, 8, BLOOM_BLOCKED, 64 };
    bloom *b = bloom_create(plan);
    check(b != NULL, "not enough memory for a filter");
    return b;
}

static unsigned char *bits_of(bloom *b)
{
    return (unsigned char *)b + 32;     /* behind the header of the image */
}

/* Hashes the plain encoding: the bytes without their length, or the integer
   little-endian. */
static bloom_hash hash_value(int type)
{
    bloom_hash h = { 0, 0 };            /* h2 is not used in this layout */
    unsigned char plain[8];
    char *end;
    int64_t x;
    int i;
    check(type == INT32 || type == INT64 || type >= BYTE_ARRAY,
          "only INT32, INT64, BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY are hashed");
    if (type >= BYTE_ARRAY) {
        h.h1 = XXH64(value, size, 0);
        return h;
    }
    errno = 0;
    x = strtoll(value, &end, 10);
    check(size > 0 && end == value + size && !errno
          && (type == INT64 || (x >= INT32_MIN && x <= INT32_MAX)),
          "a value is not an integer of the column's type");
    for (i = 0; i < 8; i++)
        plain[i] = (unsigned char)((uint64_t)x >> i * 8 & 255);
    h.h1 = XXH64(plain, type == INT32 ? 4 : 8, 0);
    return h;
}

/* A line of standard input, without its end. false: there is none. */
static bool next_value(void)
{
    int c;
    path = "standard input";
    for (size = 0; (c = getchar()) != EOF && c != '\n'; size++) {
        check(size + 1 < sizeof value, "a line of more than 65535 bytes");
        value[size] = (char)c;
    }
    check(!ferror(stdin), strerror(errno));
    value[size] = '\0';
    return c != EOF || size > 0;
}

/* ---- Thrift's compact protocol ------------------------------------------- */
/* Files come from strangers: nothing is read that is not there. A place is the
   numbers of the fields that lead to a value, 8 bits each (an extension's
   32767 is 255): 0x04010E is field 14 in field 1 in field 4. Elements of a list
   have the place of the list. */

enum { BYTE = 3, I64 = 6, DOUBLE, BINARY, LIST, STRUCT = 12 };

typedef struct thrift { const unsigned char *at, *end; } thrift;

/* A number; bytes, as many as the number says; or the end of a struct */
static void found(uint64_t place, int64_t number, const unsigned char *bytes);

static const unsigned char *take(thrift *t, uint64_t count)
{
    const unsigned char *from = t->at;
    check(count <= (uint64_t)(t->end - from), "its metadata ends too early");
    t->at += count;
    return from;
}

static uint64_t varint(thrift *t)
{
    uint64_t x = 0, part = 128;
    unsigned shift;
    for (shift = 0; part & 128; shift += 7) {
        check(shift < 64, "its metadata has an impossible number");
        part = *take(t, 1);
        x |= (part & 127) << shift;
    }
    return x;
}

static int64_t number(thrift *t)        /* 0, -1, 1, -2, 2 ... */
{
    uint64_t x = varint(t);
    return x & 1 ? -(int64_t)(x >> 1) - 1 : (int64_t)(x >> 1);
}

static void walk(thrift *t, int type, uint64_t place);

static void walk_struct(thrift *t, uint64_t place)
{
    int64_t id = 0;
    int byte;
    check(place >> 56 == 0, "its metadata is too deep");
    while ((byte = *take(t, 1)) != 0) {
        id = byte >> 4 ? id + (byte >> 4) : number(t);
        check(id > 0 && id < 32768, "its metadata has an impossible field");
        if ((byte & 15) >= BYTE)        /* of a bool there is no more */
            walk(t, byte & 15, place << 8 | (id < 255 ? (uint64_t)id : 255));
    }
    found(place, 0, NULL);
}

static void walk(thrift *t, int type, uint64_t place)
{
    uint64_t count;
    int byte;
    if (type <= BYTE) {                 /* bools too, in a list */
        take(t, 1);
    } else if (type <= I64) {
        found(place, number(t), NULL);
    } else if (type == DOUBLE) {
        take(t, 8);
    } else if (type == BINARY) {
        count = varint(t);
        found(place, (int64_t)count, take(t, count));
    } else if (type == LIST) {          /* each element takes a byte or more */
        byte = *take(t, 1);
        count = byte >> 4 == 15 ? varint(t) : (uint64_t)(byte >> 4);
        check((byte & 15) != LIST, "its metadata has lists of lists");
        for (; count > 0; count--)
            walk(t, byte & 15, place);
    } else {
        check(type == STRUCT, "its metadata has an unknown type");
        walk_struct(t, place);
    }
}

/* ---- The file ------------------------------------------------------------ */
/* FileMetaData: 4 row groups: 1 column chunks: 3 their metadata: 1 type,
   3 name, 14 offset and 15 size of the filter. BloomFilterHeader, walked from
   the place 0xFF: 1 bytes of the bits; 2 algorithm, 3 hash, 4 compression:
   unions of structs, of which the first are those known here. */
#define COLUMN(field) (0x04010300 + (field))
#define HEADER(field) (0xFF00 + (field))

#define NONE { -1, -1, -1, 0 }          /* -1: not there */
static struct column {
    int64_t type, offset, size;
    size_t name_size;
} column = NONE;
static char name[4096];                 /* of the column, a.b. */
static unsigned long group;
static struct { int64_t bytes; int known; } header;

static FILE *file;
static uint64_t data_end;               /* where the footer begins */
static const char *wanted;              /* column to check; NULL: info */
static int wanted_type = -1;            /* -1: not met yet */
static bloom **filters;                 /* of that column */
static size_t filter_count;

static void load(uint64_t from, void *to, uint64_t bytes)
{
    bool good;
    errno = 0;
    good = !fseek(file, (long)from, SEEK_SET)
        && fread(to, 1, (size_t)bytes, file) == bytes;
    check(good, errno ? strerror(errno) : "cut short");
}

static bloom *load_filter(void)
{
    static uint64_t sum;                /* of filters, which never overlap */
    unsigned char head[64];             /* about 17 are needed */
    uint64_t from = (uint64_t)column.offset, bytes = sizeof head;
    thrift t = { head, head };
    bloom *b;
    check(from < data_end, "a filter lies outside of the file");
    bytes = bytes < data_end - from ? bytes : data_end - from;
    load(from, head, bytes);
    t.end += bytes;
    header.bytes = header.known = 0;
    walk_struct(&t, HEADER(0) >> 8);
    check(header.known == (1 << 2 | 1 << 3 | 1 << 4),
          "a filter of an unknown kind");
    from += (uint64_t)(t.at - head);
    bytes = (uint64_t)header.bytes;
    check(bytes > 0 && bytes % 32 == 0 && bytes <= data_end - from
          && (sum += bytes) < data_end && (column.size == -1
              || (uint64_t)column.size == bytes + (uint64_t)(t.at - head)),
          "a filter of an impossible size");
    b = new_filter(bytes);
    load(from, bits_of(b), bytes);
    return b;
}

static void show_column(void)
{
    bloom *b;
    printf("row group %lu: %s: %s: ", group, name, types[column.type]);
    if (column.offset == -1) {
        puts("no filter");
        return;
    }
    b = load_filter();
    printf("%" PRIu64 " bytes, about %" PRIu64 " values, rate %.4g\n",
           bloom_plan_of(b).cells / 8, bloom_estimate(b), bloom_fpr(b));
    bloom_free(b);
}

static void found_column(void)
{
    name[column.name_size > 0 ? column.name_size - 1 : 0] = '\0';
    check(column.type >= 0 && column.type < TYPES, "a column of unknown type");
    if (!wanted) {
        show_column();
    } else if (strcmp(name, wanted) == 0) {
        check(column.offset != -1, "a row group has no filter of this column: "
                                   "any value may be in");
        wanted_type = (int)column.type;
        filters = realloc(filters, (filter_count + 1) * sizeof *filters);
        check(filters != NULL, "not enough memory");
        filters[filter_count++] = load_filter();
    }
}

static void found(uint64_t place, int64_t number, const unsigned char *bytes)
{
    static const struct column none = NONE;
    switch (place) {
    case 0x04: group++; break;
    case 0x0401: found_column(); column = none; break;
    case COLUMN(1): column.type = number; break;
    case COLUMN(14): column.offset = number; break;
    case COLUMN(15): column.size = number; break;
    case COLUMN(3):
        check(bytes && (uint64_t)number < sizeof name - column.name_size,
              "a column's name is impossible");
        memcpy(name + column.name_size, bytes, (size_t)number);
        column.name_size += (size_t)number + 1;
        name[column.name_size - 1] = '.';
        break;
    case HEADER(1): header.bytes = number; break;
    case HEADER(2) << 8 | 1: header.known |= 1 << 2; break;
    case HEADER(3) << 8 | 1: header.known |= 1 << 3; break;
    case HEADER(4) << 8 | 1: header.known |= 1 << 4; break;
    default: break;
    }
}

/* PAR1, data, footer, bytes of the footer, PAR1 */
static void read_file(void)
{
    unsigned char tail[8], *footer;
    uint64_t bytes;
    thrift t;
    long all = -1;
    file = fopen(path, "rb");
    if (file && !fseek(file, 0, SEEK_END))
        all = ftell(file);
    check(all >= 0, strerror(errno));
    check(all >= 12, "not a Parquet file, or cut short");
    load((uint64_t)all - 8, tail, 8);
    check(memcmp(tail + 4, "PARE", 4), "its metadata is encrypted");
    check(!memcmp(tail + 4, "PAR1", 4), "not a Parquet file, or cut short");
    bytes = tail[0] | (uint64_t)tail[1] << 8 | (uint64_t)tail[2] << 16
          | (uint64_t)tail[3] << 24;
    check(bytes > 0 && bytes <= (uint64_t)all - 12,
          "its metadata has an impossible size");
    data_end = (uint64_t)all - 8 - bytes;
    footer = malloc((size_t)bytes);
    check(footer != NULL, "not enough memory for its metadata");
    load(data_end, footer, bytes);
    t.at = footer;
    t.end = footer + bytes;
    walk_struct(&t, 0);
    free(footer);
}

/* ---- What it does -------------------------------------------------------- */

static void print_maybes(void)
{
    bloom_hash h;
    size_t i;
    check(wanted_type >= 0, "no such column");
    while (next_value()) {
        h = hash_value(wanted_type);
        for (i = 0; i < filter_count; i++)
            if (bloom_may_contain_hash(filters[i], h))
                break;
        value[size] = '\n';
        if (i < filter_count)
            fwrite(value, 1, size + 1, stdout);
    }
}

static void build(int type, const char *size_of_bits)
{
    long bytes = strtol(size_of_bits, NULL, 10);
    bloom *b;
    path = size_of_bits;
    check(bytes > 0 && bytes <= INT32_MAX && bytes % 32 == 0,
          "is not a multiple of 32 below 2^31");
    b = new_filter((uint64_t)bytes);
    while (next_value())
        bloom_add_hash(b, hash_value(type));
    fwrite(bits_of(b), 1, (size_t)bytes, stdout);
    bloom_free(b);
}

static int type_of(const char *name_of_type)
{
    int type = TYPES;
    while (--type >= 0 && strcmp(types[type], name_of_type))
        continue;
    path = name_of_type;
    check(type >= 0, "is not a type of Parquet's");
    return type;
}

/* Against a filter that Spark wrote: github.com/jorgecarleitao/parquet2 */
static void compare(int type, const char *letter, const char *spark)
{
    bloom *b = new_filter(32);
    int i;
    for (i = 0; i < 10; i++) {
        size = (size_t)sprintf(value, "%s%d", letter, i);
        bloom_add_hash(b, hash_value(type));
    }
    path = types[type];
    check(!memcmp(bits_of(b), spark, 32), "not Spark's bits");
    printf("%s %s0, %s1 ... %s9: Spark's 32 bytes, bit for bit\n", path,
           letter, letter, letter);
    bloom_free(b);
}

static void demonstrate(void)
{
    compare(BYTE_ARRAY, "a", "\310\1P\24@D\10m\6%\4C\220P` "
            "\10\204+!\0\5cA\2\0\340,@N`\4");
    compare(INT64, "", "\30\202\30\10\206\10D\6\2e\200\n@\2&N"
            "r\1@&\1\300\302\230@F\0$8y@");
}

int main(int count, char **words)
{
    const char *verb = count > 1 ? words[1] : "";
    path = count > 2 ? words[2] : "";
    if (count == 1) {
        demonstrate();
    } else if (count == 3 && !strcmp(verb, "info")) {
        read_file();
    } else if (count == 4 && !strcmp(verb, "check")) {
        wanted = words[3];
        read_file();
        print_maybes();
    } else if (count == 4 && !strcmp(verb, "build")) {
        build(type_of(path), words[3]);
    } else {
        fputs("usage: parquet info FILE | check FILE COLUMN < VALUES"
              " | build TYPE BYTES < VALUES\n", stderr);
        return 2;
    }
    path = "standard output";
    check(!fflush(stdout) && !ferror(stdout), "cannot be written");
    return 0;
}
