/* parquet_types.h: the types of Parquet's columns, and the plain encoding of
   values that are given as text; part of parquet.c. There, check(good, why)
   ends the program unless `good`. */
#ifndef BLOOM_PARQUET_TYPES_H
#define BLOOM_PARQUET_TYPES_H

enum { BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLES, BYTE_ARRAY, FIXED, TYPES };
static const char *const types[TYPES] = { "BOOLEAN", "INT32", "INT64", "INT96",
    "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY" };

/* The meaning of a column's values. It comes from the logical type or, in older
   files, from the converted type. PLAIN: no special meaning, such as bytes and
   floating-point numbers. */
enum { PLAIN, INTEGER, DECIMAL, DATE, TIME, TIMESTAMP, UUID, FLOAT16 };
static const char *const meanings[] = { "", "INTEGER", "DECIMAL", "DATE",
    "TIME", "TIMESTAMP", "UUID", "FLOAT16" };

typedef struct column_type {
    int64_t type, length;               /* type -1: none; bytes of a FIXED */
    int64_t meaning, scale, bits, is_signed, unit;  /* unit: 10^-unit s */
} column_type;
#define NO_TYPE { -1, 0, PLAIN, 0, 0, 1, 0 }

/* Sets the meaning by the number that Parquet has for a logical type (a field
   of a union), and below, for a converted type (a value of an enum). */
static void set_logical(column_type *t, int64_t field)
{
    static const char known[] = { [5] = DECIMAL, [6] = DATE, [7] = TIME,
        [8] = TIMESTAMP, [10] = INTEGER, [14] = UUID, [15] = FLOAT16 };
    if (field < (int64_t)sizeof known && known[field])
        t->meaning = known[field];
}

static void set_converted(column_type *t, int64_t number)
{
    if (t->meaning != PLAIN)
        return;
    if (number == 5 || number == 6)
        t->meaning = number == 5 ? DECIMAL : DATE;
    if (number == 7 || number == 8)
        t->meaning = TIME, t->unit = number == 7 ? 3 : 6;
    if (number == 9 || number == 10)
        t->meaning = TIMESTAMP, t->unit = number == 9 ? 3 : 6;
    if (number >= 11 && number <= 18) {
        t->meaning = INTEGER;
        t->bits = 8 << (number - 11) % 4;
        t->is_signed = number >= 15;
    }
}

/* The bytes of each encoded value; 0: it varies. */
static size_t length_of(const column_type *t)
{
    return t->type == INT32 || t->type == FLOAT ? 4
         : t->type == INT64 || t->type == DOUBLES ? 8
         : t->type == FIXED ? (size_t)t->length : 0;
}

static void store(unsigned char *to, uint64_t x, size_t bytes)
{
    for (; bytes > 0; bytes--, x >>= 8)
        *to++ = (unsigned char)(x & 255);
}

/* ---- Numbers ------------------------------------------------------------- */

/* Reads exactly `count` digits into *x, and returns the text after them. So do
   date and clock_time with dates and times. */
static const char *digits(const char *text, int count, int64_t *x)
{
    for (*x = 0; count > 0; count--, text++) {
        check(*text >= '0' && *text <= '9', "a value is no date or time");
        *x = *x * 10 + *text - '0';
    }
    return text;
}

/* The days from 1970-01-01 to YYYY-MM-DD. Computed in years that begin in
   March, so that a leap day is the last day of a year. */
static const char *date(const char *text, int64_t *days)
{
    static const int length[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30,
                                  31 };
    int64_t y, m, d;
    text = digits(text, 4, &y);
    check(text[0] == '-', "a value is no date");
    text = digits(text + 1, 2, &m);
    check(text[0] == '-', "a value is no date");
    text = digits(text + 1, 2, &d);
    check(y >= 1 && m >= 1 && m <= 12 && d >= 1 && d <= length[m - 1]
          && (m != 2 || d < 29 || (y % 4 == 0 && (y % 100 || y % 400 == 0))),
          "a value is no date");
    y -= m < 3;
    m = (m + 9) % 12;
    *days = 365 * y + y / 4 - y / 100 + y / 400;
    *days += (153 * m + 2) / 5 + d - 719469;
    return text;
}

/* The time HH:MM[:SS[.fraction]] in units of 10^-unit s */
static const char *clock_time(const char *text, int64_t unit, int64_t *x)
{
    int64_t h, m, s = 0;
    text = digits(text, 2, &h);
    check(*text == ':', "a value is no time");
    text = digits(text + 1, 2, &m);
    if (*text == ':')
        text = digits(text + 1, 2, &s);
    check(h < 24 && m < 60 && s < 60, "a value is no time");
    *x = (h * 60 + m) * 60 + s;
    if (*text == '.')
        text++;
    for (; unit > 0; unit--)
        *x = *x * 10 + (*text >= '0' && *text <= '9' ? *text++ - '0' : 0);
    for (; *text == '0'; text++)
        continue;
    check(*text < '1' || *text > '9', "a time is finer than the column's");
    return text;
}

static int64_t date_or_time(const column_type *t, const char *text)
{
    int64_t x = 0, days = 0, day = 86400;
    int i;
    if (t->meaning != TIME)
        text = date(text, &days);
    for (i = 0; t->meaning != DATE && i < t->unit; i++)
        day *= 10;
    if (t->meaning == DATE)
        day = 1;
    if (t->meaning == TIMESTAMP && (*text == ' ' || *text == 'T'))
        text++;
    if (t->meaning == TIME || (t->meaning == TIMESTAMP && *text))
        text = clock_time(text, t->unit, &x);
    text += t->meaning == TIMESTAMP && *text == 'Z';
    check(*text == '\0', "a value is no date or time");
    check(days <= INT64_MAX / day - 1 && days >= INT64_MIN / day + 1,
          "a time is beyond the column's");
    return days * day + x;
}

/* The decimal number `text` times 10^scale as an integer of `bytes` bytes,
   big-endian in two's complement */
static void big_integer(const char *text, int64_t scale, unsigned char *to,
                        size_t bytes)
{
    bool negative = *text == '-', point = false, some = false;
    unsigned carry;
    size_t i;
    memset(to, 0, bytes);
    for (text += negative || *text == '+'; *text || (scale > 0); ) {
        if (*text == '.' && !point) {
            point = true, text++;
            continue;
        }
        check(*text == '\0' || (*text >= '0' && *text <= '9'),
              "a value is no number");
        if (point && scale == 0) {
            check(*text == '0', "a number is finer than the column's");
            text++;
            continue;
        }
        scale -= point || !*text;
        point = point || !*text;
        some = some || *text;
        carry = *text ? (unsigned)(*text++ - '0') : 0;
        for (i = bytes; i-- > 0; carry >>= 8) {
            carry += to[i] * 10u;
            to[i] = (unsigned char)(carry & 255);
        }
        check(carry == 0 && to[0] < 128, "a number is beyond the column's");
    }
    check(some, "a value is no number");
    for (i = bytes, carry = 1; negative && i-- > 0; carry >>= 8) {
        carry += to[i] ^ 255u;
        to[i] = (unsigned char)(carry & 255);
    }
}

static uint64_t integer(const column_type *t, const char *text)
{
    int64_t bits = t->bits ? t->bits : t->type == INT32 ? 32 : 64;
    bool is_signed = t->is_signed || t->meaning != INTEGER;
    char *end;
    uint64_t x;
    errno = 0;
    check(*text == '-' || (*text >= '0' && *text <= '9'),
          "a value is no integer");
    if (!is_signed) {
        check(*text != '-', "a value is negative, and the column is not");
        x = strtoull(text, &end, 10);
        check(bits == 64 || x >> bits == 0,
              "an integer is beyond the column's");
    } else {
        int64_t y = strtoll(text, &end, 10);
        int64_t most = (int64_t)(UINT64_MAX >> (65 - bits));
        x = (uint64_t)y;
        check(y <= most && y >= -most - 1, "an integer is beyond the column's");
    }
    check(!errno, "an integer is beyond the column's");
    check(*end == '\0', "a value is no integer");
    return x;
}

/* A 16-bit floating-point number: a sign, 5 bits of exponent, 10 of mantissa.
   Ties are rounded to even. */
static unsigned half(double x)
{
    unsigned sign = x < 0 ? 0x8000 : 0, exponent = 1, mantissa;
    x = (x < 0 ? -x : x) * 16777216;    /* the smallest one, 2^-24, is now 1 */
    check(x < 65520.0 * 16777216, "a number is beyond the column's");
    for (; x >= 2048; exponent++)
        x /= 2;
    mantissa = (unsigned)x;
    x -= mantissa;
    mantissa += x > 0.5 || (x == 0.5 && mantissa % 2);
    return sign + ((exponent - 1) << 10) + mantissa;
}

static void floating(const column_type *t, const char *text, unsigned char *to)
{
    char *end;
    double x;
    float y;
    uint32_t y_bits;
    uint64_t x_bits;
    errno = 0;
    x = strtod(text, &end);
    y = strtof(text, &end);
    check(*text && *end == '\0', "a value is no number");
    check(x == x, "a NaN has many encodings");
    memcpy(&x_bits, &x, 8);
    memcpy(&y_bits, &y, 4);
    if (t->meaning == FLOAT16)
        store(to, x_bits == (uint64_t)1 << 63 ? 0x8000 : half(x), 2);
    else
        store(to, t->type == FLOAT ? y_bits : x_bits, length_of(t));
}

static void uuid(const char *text, unsigned char *to)
{
    char bare[33];
    size_t i, count = 0;
    for (i = 0; text[i] && count < 33; i++)
        if (text[i] != '-' || (i != 8 && i != 13 && i != 18 && i != 23))
            bare[count++] = text[i];
    check(count == 32 && text[i] == '\0' && unhex(to, bare, 32),
          "a value is no UUID");
}

/* ---- All types ----------------------------------------------------------- */

/* Writes the plain encoding of the text, which has `count` bytes and then a 0,
   to `to`, which holds at least `count` bytes and at least 64. Returns its
   number of bytes. */
static size_t encode(const column_type *t, const char *text, size_t count,
                     unsigned char *to)
{
    size_t length = length_of(t), i;
    unsigned char big[64];
    bool in_words = strchr(text + (*text == '-'), '-') || strchr(text, ':');
    check(t->type != BOOLEAN && t->type != INT96,
          "BOOLEAN and INT96 are not hashed");
    check(t->meaning == PLAIN || strlen(text) == count, "a value has a 0 byte");
    if (t->meaning == UUID && length == 16) {
        uuid(text, to);
    } else if (t->type == FLOAT || t->type == DOUBLES
               || (t->meaning == FLOAT16 && length == 2)) {
        floating(t, text, to);
    } else if (t->meaning == DECIMAL) {
        if (length == 0)                /* BYTE_ARRAY: as few as possible */
            length = sizeof big;
        check(length <= sizeof big, "a column of impossible length");
        big_integer(text, t->scale, big, length);
        i = 0;
        while (t->type == BYTE_ARRAY && i + 1 < length
               && big[i] == (big[i + 1] & 128 ? 255 : 0))
            i++;
        length -= i;
        memcpy(to, big + i, length);
        for (i = 0; t->type < INT96 && i < length; i++)
            to[i] = big[length - 1 - i];
    } else if (t->type == INT32 || t->type == INT64) {
        store(to, in_words && t->meaning >= DATE
              ? (uint64_t)date_or_time(t, text) : integer(t, text), length);
    } else {
        check(length == 0 || count == length,
              "a value has not the column's length (-x: hexadecimal)");
        memcpy(to, text, count);
        length = count;
    }
    return length;
}

#endif
