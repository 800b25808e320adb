/* parquet: reads the Bloom filters in .parquet files and makes new ones, with
   the same bits as Spark and DuckDB. They are split-block filters, which are
   BLOOM_BLOCKED filters with k = 8. Their hash is XXH64, which is passed as h1.

       parquet info FILE                        prints each column of each row
                                                group, and its filter
       parquet check [-x] FILE COLUMN < VALUES  prints the values that may be in
       parquet build [-x] [--exact] TYPE BYTES [FPP] < VALUES
                                                writes the bits of a filter of
                                                this size; with the rate FPP,
                                                folds it first, as arrow does
       parquet                                  runs a demonstration

   A value is a line, in the form of the column's type:
       text, integers and decimals;
       floating-point numbers as strtod reads them; 0 and -0 are different, and
           NaN is refused;
       dates and times such as 1999-12-31, 23:59:59.5 or 1999-12-31 23:59:59.5,
           in UTC if the column is, or the integer that is stored for them;
       a UUID, with or without hyphens.
   BYTES is rounded up to a power of two, from 32 bytes to 128 MiB: Arrow C++
   and Velox refuse to read other filters. With --exact, it may be any multiple
   of 32. With -x, a line is the plain encoding of the value in
   hexadecimal. A line that the column cannot store is an error. COLUMN may be
   a field of a struct, as in a.b. TYPE is a type of Parquet, or UINT32,
   UINT64, UUID, FLOAT16 or a decimal such as DECIMAL(9,2).

   Compile it by:
       cc -std=c99 -O2 -I. examples/formats/parquet.c -o parquet -lxxhash

   Prints:
       BYTE_ARRAY a0, a1 ... a9: the same 32 bytes as Spark's
       INT64 0, 1 ... 9: the same 32 bytes as Spark's */
#define BLOOM_STATIC
#include "bloom.h"
#define PROGRAM "parquet"
#include "hex.h"
#include "../need.h"
#include <inttypes.h>
#include <stdarg.h>
#include <xxhash.h>

static const char *path = "standard input";
static char value[1 << 16];             /* a line, and then a 0 */
static size_t size;                     /* bytes of the line */
static bool hexadecimal;                /* -x: lines are in hexadecimal */
static bool exact;                      /* --exact: BYTES is not rounded */
#define MOST_BYTES (128L << 20)         /* of a filter that Arrow reads */

static void check(bool good, const char *why)
{
    need(good, path, why);
}

#include "parquet_types.h"
#include "parquet_thrift.h"

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
    return (unsigned char *)b + 32;     /* after the header of the image */
}

static bloom_hash hash_value(const column_type *t)
{
    static unsigned char plain[sizeof value];
    bloom_hash h = { 0, 0 };            /* k = 8 does not use h2 */
    size_t bytes = size / 2;
    if (hexadecimal)
        check(unhex(plain, value, size) && t->type != BOOLEAN
              && t->type != INT96 && (!length_of(t) || bytes == length_of(t)),
              "a line is not the column's bytes in hexadecimal");
    else
        bytes = encode(t, value, size, plain);
    h.h1 = XXH64(plain, bytes, 0);
    return h;
}

/* Reads the next line of the standard input into `value`. false: there are no
   more lines. */
static bool next_value(void)
{
    bool more;
    path = "standard input";
    more = read_line(stdin, path, value, sizeof value - 1, &size);
    value[size] = '\0';
    return more;
}

/* ---- The file ------------------------------------------------------------ */
/* The fields that are read, by their numbers:
       FileMetaData
           2 schema, in the order of the columns, with the groups among them
               1 type, 2 length, 6 converted type, 7 scale
               10 logical type, a union:
                   5 DECIMAL: 1 scale
                   7 TIME, 8 TIMESTAMP: 2 unit, a union
                   10 INTEGER: 1 bits, 2 is signed
           4 row groups: 1 column chunks: 3 metadata
               1 type, 3 name, 14 offset and 15 size of the filter
       BloomFilterHeader, which is given the place 0xFF
           1 number of bytes of the bits
           2 algorithm, 3 hash, 4 compression: unions of structs; the first
               struct of each is the only one that is known here */
#define COLUMN(field) (0x04010300 + (field))
#define SCHEMA(field) (0x0200 + (field))
#define LOGICAL(field) (UINT64_C(0x020A00) + (field))
#define HEADER(field) (0xFF00 + (field))

#define NONE { -1, -1, -1, 0 }          /* -1: absent */
static struct column {
    int64_t type, offset, size;
    size_t name_size;
} column = NONE;
static char name[4096];                 /* of the column, as "a.b." */
static unsigned long group;
static struct { int64_t bytes; int known; } header;

static FILE *file;
static uint64_t data_end;               /* where the footer begins */
static const char *wanted;              /* the column to check; NULL: info */
static column_type wanted_type = NO_TYPE;   /* its type; -1: not found yet */
static column_type *leaves;             /* types of a row group's columns */
static size_t leaf_count, leaf;         /* how many, and the next one */
static bloom **filters;                 /* of the wanted column */
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
    static uint64_t sum;                /* bytes of all filters; as they do not
                                           overlap, less than the file's */
    unsigned char head[64];             /* about 17 bytes are needed */
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

/* What `info` prints once the whole file has been checked */
static char *report;
static size_t report_size;

static void tell(const char *format, ...)
{
    const size_t most = sizeof name + 200;      /* bytes of a line */
    va_list values;
    report = realloc(report, report_size + most);
    check(report != NULL, "not enough memory");
    va_start(values, format);
    report_size += (size_t)vsnprintf(report + report_size, most, format,
                                     values);
    va_end(values);
}

static void show_column(void)
{
    bloom *b;
    tell("row group %lu: %s: %s%s%s: ", group, name, types[column.type],
         leaves[leaf].meaning ? " " : "", meanings[leaves[leaf].meaning]);
    if (column.offset == -1) {
        tell("no filter\n");
        return;
    }
    b = load_filter();
    tell("%" PRIu64 " bytes, about %" PRIu64 " values, rate %.4g\n",
         bloom_plan_of(b).cells / 8, bloom_estimate(b), bloom_fpr(b));
    bloom_free(b);
}

static void found_column(void)
{
    name[column.name_size > 0 ? column.name_size - 1 : 0] = '\0';
    check(column.type >= 0 && column.type < TYPES, "a column of unknown type");
    check(leaf < leaf_count && leaves[leaf].type == column.type
          && (column.type != FIXED || (leaves[leaf].length > 0
                                       && leaves[leaf].length < 65536)),
          "a column is not what its schema says");
    if (!wanted) {
        show_column();
    } else if (strcmp(name, wanted) == 0) {
        check(column.offset != -1, "a row group has no filter of this column: "
                                   "any value may be in");
        wanted_type = leaves[leaf];
        filters = realloc(filters, (filter_count + 1) * sizeof *filters);
        check(filters != NULL, "not enough memory");
        filters[filter_count++] = load_filter();
    }
    leaf++;
}

/* Takes a value of the schema; false if it is not part of the schema. The end
   of an element is reported with the place of the element. A group has no
   type. */
static bool found_schema(uint64_t place, int64_t number)
{
    static const column_type none = NO_TYPE;
    static column_type t = NO_TYPE;
    if (place >> 16 == 0x02 && place >> 8 == 0x020A)
        set_logical(&t, (int64_t)(place & 255));
    switch (place) {
    case SCHEMA(1): t.type = number; break;
    case SCHEMA(2): t.length = number; break;
    case SCHEMA(6): set_converted(&t, number); break;
    case SCHEMA(7): case LOGICAL(5) << 8 | 1: t.scale = number; break;
    case LOGICAL(10) << 8 | 1: t.bits = number; break;
    case LOGICAL(10) << 8 | 2: t.is_signed = number; break;
    case LOGICAL(7) << 16 | 0x201: case LOGICAL(8) << 16 | 0x201:
    case LOGICAL(7) << 16 | 0x202: case LOGICAL(8) << 16 | 0x202:
    case LOGICAL(7) << 16 | 0x203: case LOGICAL(8) << 16 | 0x203:
        t.unit = 3 * (int64_t)(place & 3);
        break;
    case 0x02:
        check(t.scale >= 0 && t.scale < 100 && t.bits >= 0 && t.bits <= 64
              && t.bits % 8 == 0, "a column's type is impossible");
        if (t.type != -1) {
            leaves = realloc(leaves, (leaf_count + 1) * sizeof *leaves);
            check(leaves != NULL, "not enough memory");
            leaves[leaf_count++] = t;
        }
        t = none;
        break;
    default: break;
    }
    while (place >> 8)
        place >>= 8;
    return place == 0x02;
}

static void found(uint64_t place, int64_t number, const unsigned char *bytes)
{
    static const struct column none = NONE;
    if (found_schema(place, number))
        return;
    switch (place) {
    case 0x04: group++; leaf = 0; break;
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

/* A file has the magic PAR1, the data, the footer, the number of bytes of the
   footer, and again PAR1. */
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

/* ---- The commands -------------------------------------------------------- */

static void print_maybes(void)
{
    bloom_hash h;
    size_t i;
    check(wanted_type.type >= 0, "no such column");
    while (next_value()) {
        h = hash_value(&wanted_type);
        for (i = 0; i < filter_count; i++)
            if (bloom_may_contain_hash(filters[i], h))
                break;
        value[size] = '\n';
        if (i < filter_count)
            fwrite(value, 1, size + 1, stdout);
    }
}

/* Sizes a Parquet filter after its keys were added, as the writers of arrow
   (C++) and arrow-rs have done since 2026. The filter is folded in half as
   often as the target rate allows. The rate is estimated from the fill, the
   share of set bits: after j folds, the fill is about 1 - (1 - fill)^(2^j), and
   the rate is its 8th power. A filter that already misses the target is not
   changed. The result is that of bloom_fold. */
static bool fold_to_target(bloom *b, double target)
{
    const uint64_t bits = bloom_plan_of(b).cells;
    double unset = 1 - (double)bloom_ones(b) / (double)bits, rate;
    uint64_t by = 1;
    for (; bits / 256 % (2 * by) == 0; by *= 2) {
        unset *= unset;
        rate = (1 - unset) * (1 - unset);
        rate *= rate;
        if (rate * rate > target)
            break;
    }
    return bloom_fold(b, by);
}

/* Reads the size of a filter. Parquet's specification wants whole blocks of 32
   bytes only. But Arrow C++ and Velox refuse sizes that are not a power of two,
   or above 128 MiB (BlockSplitBloomFilter::Init). */
static uint64_t bytes_of(const char *text)
{
    char *end;
    long bytes = strtol(text, &end, 10), rounded = 32;
    bool is_number = end > text && !*end && bytes > 0;
    path = text;
    if (exact) {
        check(is_number && bytes <= INT32_MAX && bytes % 32 == 0,
              "is not a multiple of 32 below 2^31");
        return (uint64_t)bytes;
    }
    check(is_number && bytes <= MOST_BYTES,
          "is not a number of bytes up to 128 MiB; larger filters need --exact,"
          " and Arrow and Velox refuse them");
    while (rounded < bytes)
        rounded *= 2;
    if (rounded > bytes)
        fprintf(stderr, PROGRAM ": %s: rounded up to %ld bytes, as Arrow and "
                "Velox refuse sizes that are not a power of two; --exact keeps "
                "it\n", text, rounded);
    return (uint64_t)rounded;
}

static void build(column_type type, const char *size_of_bits, const char *fpp)
{
    uint64_t bytes = bytes_of(size_of_bits);
    double target = fpp ? strtod(fpp, NULL) : 0;
    bloom *b;
    path = fpp;
    check(!fpp || (target > 0 && target < 1), "is no rate between 0 and 1");
    b = new_filter(bytes);
    while (next_value())
        bloom_add_hash(b, hash_value(&type));
    check(!fpp || fold_to_target(b, target), "the filter cannot be folded");
    fwrite(bits_of(b), 1, bloom_size(b) - 32, stdout);
    bloom_free(b);
}

static column_type type_of(const char *text)
{
    column_type t = NO_TYPE;
    int digits_in_all, scale;
    char more;
    t.type = TYPES;
    while (--t.type >= 0 && strcmp(types[t.type], text))
        continue;
    if (!strcmp(text, "UINT32") || !strcmp(text, "UINT64")) {
        t.type = text[4] == '3' ? INT32 : INT64;
        t.meaning = INTEGER;
        t.is_signed = 0;
    } else if (!strcmp(text, "UUID") || !strcmp(text, "FLOAT16")) {
        t.type = FIXED;
        t.meaning = *text == 'U' ? UUID : FLOAT16;
        t.length = *text == 'U' ? 16 : 2;
    } else if (sscanf(text, "DECIMAL(%d,%d%c", &digits_in_all, &scale, &more)
               == 3 && scale >= 0 && scale <= digits_in_all && scale < 100) {
        t.type = digits_in_all < 10 ? INT32
               : digits_in_all < 19 ? INT64 : FIXED;
        t.meaning = DECIMAL;
        t.scale = scale;                /* length: the fewest bytes that do */
        t.length = (int64_t)(digits_in_all * 3.3219280949 + 8.999) / 8;
    }
    path = text;
    check(t.type >= 0, "is not a type of Parquet's");
    return t;
}

/* Compares a filter with one that Spark wrote; the bytes are from
   github.com/jorgecarleitao/parquet2. */
static void compare(const char *type, const char *letter, const char *spark)
{
    column_type t = type_of(type);
    bloom *b = new_filter(32);
    int i;
    for (i = 0; i < 10; i++) {
        size = (size_t)sprintf(value, "%s%d", letter, i);
        bloom_add_hash(b, hash_value(&t));
    }
    check(!memcmp(bits_of(b), spark, 32), "the bits differ from Spark's");
    printf("%s %s0, %s1 ... %s9: the same 32 bytes as Spark's\n", path,
           letter, letter, letter);
    bloom_free(b);
}

static void demonstrate(void)
{
    compare("BYTE_ARRAY", "a", "\310\1P\24@D\10m\6%\4C\220P` "
            "\10\204+!\0\5cA\2\0\340,@N`\4");
    compare("INT64", "", "\30\202\30\10\206\10D\6\2e\200\n@\2&N"
            "r\1@&\1\300\302\230@F\0$8y@");
}

int main(int count, char **words)
{
    const char *verb = count > 1 ? words[1] : "";
    hexadecimal = count > 2 && !strcmp(words[2], "-x");
    words += hexadecimal;
    count -= hexadecimal;
    exact = count > 2 && !strcmp(verb, "build") && !strcmp(words[2], "--exact");
    words += exact;
    count -= exact;
    path = count > 2 ? words[2] : "";
    if (count == 1) {
        demonstrate();
    } else if (count == 3 && !strcmp(verb, "info")) {
        read_file();
        if (report)
            fwrite(report, 1, report_size, stdout);
        free(report);
    } else if (count == 4 && !strcmp(verb, "check")) {
        wanted = words[3];
        read_file();
        print_maybes();
    } else if ((count == 4 || count == 5) && !strcmp(verb, "build")) {
        build(type_of(path), words[3], words[4]);
    } else {
        fputs("usage: parquet info FILE | check [-x] FILE COLUMN < VALUES"
              " | build [-x] [--exact] TYPE BYTES [FPP] < VALUES\n",
              stderr);
        return 2;
    }
    path = "standard output";
    check(!fflush(stdout) && !ferror(stdout), "cannot be written");
    return 0;
}
