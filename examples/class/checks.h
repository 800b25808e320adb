/* checks.h: the checks of checker.c for each part of a student's filter. Each
   function checks one part, where possible with right input in place of the
   other parts. It returns a text that says what is wrong, or NULL. */
#ifndef BLOOM_CLASS_CHECKS_H
#define BLOOM_CLASS_CHECKS_H

static const char *check_because(const char *format, ...)
{
    static char text[400];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return text;
}

static int check_near(double a, double b) { return fabs(a / b - 1) < 0.02; }

/* ---- 1: filter_new ------------------------------------------------------- */

static const char *check_m(double m, double exact)
{
    double ln_2 = log(2.0);
    if (check_near(m, exact) && m < exact)
        return "it is rounded down, so the rate would be above p: round up";
    if (check_near(m, exact) && fmod(m, 64) > 0)
        return "it is not a multiple of 64: divide by 64, round up, multiply";
    if (check_near(m, exact) && m >= exact + 64)
        return "it is too large: round up to the next multiple of 64 only";
    if (check_near(8 * m, exact))
        return "that is the number of bytes, but m counts bits";
    if (check_near(m, exact * ln_2))
        return "it looks as if ln 2 were not squared";
    if (check_near(m, exact / log(10.0)))
        return "it looks like log10, but ln is log() in C";
    if (check_near(m, exact / ln_2))
        return "it looks like log2, but ln is log() in C";
    return "that is far off";
}

/* Are the m bits there, and 0? */
static const char *check_zeros(filter f)
{
    uint64_t i, bytes = f.m / 8;
    if (check_given > 0 && check_given < bytes)
        return check_because("m and k are right, but there are %lu bytes for"
                             " m = %lu bits: m / 8 = %lu are needed.",
                             (unsigned long)check_given, (unsigned long)f.m,
                             (unsigned long)bytes);
    for (i = 0; i < bytes; i++)
        if (f.bits[i] != 0)
            return "m and k are right, but the bits are not all 0. malloc does"
                   " not clear memory: use calloc.";
    return NULL;
}

static const char *check_size_of(double n, double p)
{
    const char *wrong;
    double exact = n * log(1 / p) / (log(2.0) * log(2.0));
    double m = ceil(exact / 64) * 64, log_2 = log(1 / p) / log(2.0);
    int k = (int)(log_2 + 0.5);
    filter f;
    check_given = 0;
    f = filter_new(n, p);
    if (!f.bits)
        return check_because("filter_new(%.0f, %g) returns no bits: use"
                             " calloc.", n, p);
    wrong = (double)f.m < m || (double)f.m > m ? NULL : check_zeros(f);
    free(f.bits);
    if ((double)f.m < m || (double)f.m > m)
        return check_because("for n = %.0f, p = %g, n ln(1/p) / (ln 2)^2 is"
                             " %.1f, so m is %.0f. Yours is %.0f: %s.", n, p,
                             exact, m, (double)f.m,
                             check_m((double)f.m, exact));
    if (f.k != k)
        return check_because("m is right. For p = %g, log2(1/p) is %.2f, so k"
                             " is %d. Yours is %d: %s.", p, log_2, k, f.k,
                             f.k == k - 1 ? "one too few; add 0.5 to round"
                             : f.k == k + 1 ? "one too many; add 0.5 to round"
                             : "log2(x) is log(x) / log(2)");
    return wrong;
}

/* filter_new must refuse these. In the last one, m is 2^32 after rounding. */
static const char *check_refused(void)
{
    static const struct { double n, p; const char *why; } bad[] = {
        { 0, 0.01, "n is below 1" }, { 10, 0, "p is 0" },
        { 10, 0.9, "p is above 0.5" }, { 4.5e8, 0.01, "m would be above 2^32" },
        { 2977044470.0, 0.5, "m would be 2^32, when rounded up" } };
    size_t i;
    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        filter f = filter_new(bad[i].n, bad[i].p);
        int refused = f.bits == NULL;
        free(f.bits);
        if (!refused)
            return check_because("m and k are right, but filter_new(%.10g, %g)"
                                 " must return bits = NULL, because %s.",
                                 bad[i].n, bad[i].p, bad[i].why);
    }
    return NULL;
}

static const char *check_new(void)
{
    static const double good[][2] = { { 1000, 0.01 }, { 1, 0.5 }, { 7, 0.1 },
        { 20000, 0.001 }, { 1e6, 0.03 }, { 5e5, 1e-6 }, { 9585, 0.02 } };
    const char *wrong = NULL;
    size_t i;
    for (i = 0; i < sizeof good / sizeof *good && !wrong; i++)
        wrong = check_size_of(good[i][0], good[i][1]);
    return wrong ? wrong : check_refused();
}

/* ---- 2 and 3: the hash --------------------------------------------------- */

static const char *check_load(void)
{
    static const unsigned char low[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    static const unsigned char high[] = { 0xF0, 0xC3, 0x80, 0xFF };
    uint64_t three = load(low, 0, 3);
    if (three == 0x010203)
        return "the first byte must be the lowest one, but yours is the"
               " highest one.";
    if (three == 0x0201 || three == 0x04030201)
        return "it must load the bytes from .. to - 1, which are to - from"
               " bytes.";
    if (three != 0x030201)
        return check_because("the bytes 1, 2, 3 must give 0x030201. Yours is"
                             " 0x%llX.", (unsigned long long)three);
    if (load(low, 2, 5) != 0x050403)
        return "it is right if `from` is 0, but not otherwise: use `from`.";
    if (load(low, 0, 8) != 0x0807060504030201U)
        return "8 bytes give a wrong number: shift a uint64_t, as an int is too"
               " narrow.";
    if (load(low, 8, 8) != 0 || load(low, 8, 3) != 0)
        return "if there are no bytes, as from 8 to 3, it must be 0.";
    if (load(high, 0, 4) != 0xFF80C3F0U)
        return "bytes below 128 are right, but the others become negative, as a"
               " char has a sign here: use unsigned char. Cassandra, Hadoop and"
               " git shipped this mistake.";
    return NULL;
}

static bloom_hash check_hash(const void *key, size_t size)
{
    static unsigned char memory[40];
    bloom_plan plan = { 64, 0, 1, BLOOM_CLASSIC, 64 };
    return bloom_hash_key(bloom_init(memory, sizeof memory, plan), key, size);
}

static walk check_walk_of(uint64_t i)
{
    bloom_hash hash = check_hash(&i, sizeof i);
    walk h = { 0, 0 };
    h.x = hash.h1;
    h.y = hash.h2;
    return h;
}

/* Compares the hashes of 41 keys, of 0 to 40 bytes, with those of bloom.h. */
static const char *check_key_hash(void)
{
    unsigned char key[40];
    int size, i, wrong = 0, blocks = 0;
    for (i = 0; i < 40; i++)
        key[i] = (unsigned char)(i * 41 + 130);
    for (size = 0; size <= 40; size++) {
        walk h = walk_of(key, (size_t)size);
        bloom_hash right = check_hash(key, (size_t)size);
        int differs = h.x != right.h1 || h.y != right.h2;
        wrong += differs;
        blocks += differs && size % 16 == 0;
    }
    if (wrong == 0)
        return NULL;
    return check_because("%d of 41 keys do not get the hash of MurmurHash3%s."
                         " This mends itself when load() is right, unless"
                         " walk_of was changed.", wrong,
                         blocks == 0 ? "; all of them have a tail" : "");
}

static const char *check_hashes(void)
{
    const uint64_t key = 0x0123456789ABCDEFU;
    walk h = walk_of_integer(key);
    static unsigned char memory[40];
    bloom_plan plan = { 64, 0, 1, BLOOM_CLASSIC, 64 };
    bloom_hash right = bloom_hash_u64(bloom_init(memory, sizeof memory, plan),
                                      key);
    if (h.x == scramble(key))
        return "in walk_of_integer the start is missing: scramble(key +"
               " golden). Without it the integer 0 has the step 0.";
    if (h.x == right.h1 && h.y == h.x * golden)
        return "in walk_of_integer the halves of x must be swapped to make y:"
               " rotate(x, 32) * golden.";
    if (h.x != right.h1 || h.y != right.h2)
        return "walk_of_integer was changed. Take it from exercise.c again.";
    return check_key_hash();
}

/* ---- 4: walk_on ---------------------------------------------------------- */

#define CHECK_FACTOR 0xD1342543DE82EF95U

/* x * m / 2^64, rounded down */
static uint64_t check_bit_at(uint64_t x, uint64_t m)
{
    return ((x >> 32) * m + ((x & 0xFFFFFFFFU) * m >> 32)) >> 32;
}

/* Why the bit is not the right one */
static const char *check_bit(walk h, uint64_t m, uint64_t bit, uint64_t right)
{
    uint64_t x = h.x;
    if (bit == check_bit_at(x + h.y, m)
        || bit == check_bit_at(x + h.y * CHECK_FACTOR, m))
        return "that is the bit after the step. First compute the bit from x,"
               " and keep it; then change x and y";
    if (bit == x % m)
        return "that is x % m. As 2^64 is not a multiple of m, some bits would"
               " be hit more often, and a division is slow: multiply, and take"
               " the upper half";
    if (bit == x * m >> 32 || bit == x * m)
        return "the product has more than 64 bits, and its top is lost. With"
               " high = x >> 32 and low = x & 0xFFFFFFFF, shift"
               " high * m + (low * m >> 32) right by 32";
    if (bit >= m)
        return "that is not below m";
    if (bit + 1 == right)
        return "nearly right, but low * m may carry. Add (low * m >> 32) to"
               " high * m, and only then shift by 32";
    return "with high = x >> 32 and low = x & 0xFFFFFFFF, it is"
           " high * m + (low * m >> 32), shifted right by 32";
}

static const char *check_step(walk before, walk after)
{
    if (after.x == before.x)
        return "the bit is right, but x stays the same, and so will the next"
               " bit: x += y.";
    if (after.x == before.x + CHECK_FACTOR * before.y)
        return "the bit is right, but the order is not: first x += y, and then"
               " y *= 0xD1342543DE82EF95.";
    if (after.x != before.x + before.y)
        return "the bit is right, but x is not: x += y.";
    if (after.y == before.y)
        return "the bits are right, but the step y stays the same. The rate of"
               " small filters is then many times p: y *="
               " 0xD1342543DE82EF95.";
    return "the bit and x are right, but y is not: y *= 0xD1342543DE82EF95.";
}

static const char *check_walk(void)
{
    static const uint64_t ms[] = { 64, 960, 9600, 1000000, 4294967232U };
    uint64_t i, m, bit, right;
    for (i = 0; i < 5000; i++) {
        walk h = check_walk_of(i), before = h;
        m = ms[i % 5];
        right = check_bit_at(h.x, m);
        bit = walk_on(&h, m);
        if (bit != right)
            return check_because("for x = 0x%08lX%08lX and m = %lu the bit is"
                                 " %lu. Yours is %.0f: %s.",
                                 (unsigned long)(before.x >> 32),
                                 (unsigned long)(before.x & 0xFFFFFFFFU),
                                 (unsigned long)m, (unsigned long)right,
                                 (double)bit,
                                 check_bit(before, m, bit, right));
        if (h.x != before.x + before.y || h.y != before.y * CHECK_FACTOR)
            return check_step(before, h);
    }
    return NULL;
}

/* ---- 5 to 7: the bits, in memory with margins that must stay 0 ----------- */

enum { CHECK_M = 1024, CHECK_K = 7, CHECK_EDGE = 64 };
static unsigned char check_area[CHECK_EDGE + CHECK_M / 8 + CHECK_EDGE];

static filter check_filter(void)
{
    filter f = { CHECK_M, CHECK_K, NULL };
    memset(check_area, 0, sizeof check_area);
    f.bits = check_area + CHECK_EDGE;
    return f;
}

static int check_outside(void)
{
    size_t i;
    int written = 0;
    for (i = 0; i < CHECK_EDGE; i++)
        written |= check_area[i] | check_area[sizeof check_area - 1 - i];
    return written;
}

/* A walk without its first bit */
static walk check_second(walk h)
{
    walk_on(&h, CHECK_M);
    return h;
}

/* Sets the k bits of a walk, which it finds by the student's walk_on, and
   returns how many of them were 0. from_top: bit 0 is the highest of its byte,
   which is a mistake that check_add looks for. */
static int check_set(unsigned char *bits, walk h, int k, int from_top)
{
    int unset = 0;
    while (k-- > 0) {
        uint64_t bit = walk_on(&h, CHECK_M) % CHECK_M;
        unsigned mask = from_top ? 128U >> bit % 8 : 1U << bit % 8;
        unset += !(bits[bit / 8] & mask);
        bits[bit / 8] = (unsigned char)(bits[bit / 8] | mask);
    }
    return unset;
}

static int check_same_bits(filter f, int k, int from_top)
{
    unsigned char bits[CHECK_M / 8] = { 0 };
    uint64_t i;
    for (i = 0; i < 40; i++)
        check_set(bits, check_walk_of(i), k, from_top);
    return memcmp(f.bits, bits, sizeof bits) == 0;
}

/* Does each key have the bits from the second on, up to number k or k + 1? */
static int check_skips_first(filter f)
{
    unsigned char one[CHECK_M / 8] = { 0 }, more[CHECK_M / 8] = { 0 };
    uint64_t i;
    for (i = 0; i < 40; i++) {
        check_set(one, check_second(check_walk_of(i)), CHECK_K - 1, 0);
        check_set(more, check_second(check_walk_of(i)), CHECK_K, 0);
    }
    return memcmp(f.bits, one, sizeof one) == 0
        || memcmp(f.bits, more, sizeof more) == 0;
}

static const char *check_add(void)
{
    static const unsigned char none[CHECK_M / 8];
    filter f = check_filter();
    uint64_t i;
    for (i = 0; i < 40; i++)
        filter_add(&f, check_walk_of(i));
    if (check_outside())
        return "it writes outside of the m bits: bit i is in byte i / 8.";
    if (check_same_bits(f, CHECK_K, 0))
        return NULL;
    if (check_same_bits(f, CHECK_K, 1))
        return "all bits are there, but in reverse order in each byte: bit i is"
               " 1 << i % 8. You are nearly there.";
    if (check_same_bits(f, CHECK_K - 1, 0))
        return "a key sets k - 1 bits: the loop ends one step too early.";
    if (check_same_bits(f, CHECK_K + 1, 0))
        return "a key sets k + 1 bits: the loop goes one step too far.";
    if (check_skips_first(f))
        return "the first of the k bits is never set. `bit` has it before the"
               " loop: set it first, and call walk_on for the next bit after"
               " that.";
    if (memcmp(f.bits, none, sizeof none) == 0)
        return "no bit is set: write the byte back by |=.";
    return "it does not set the bits that walk_on returns. Bit i is"
           " 1 << i % 8 of byte i / 8, and set bits must stay set: use |=, not"
           " =.";
}

static const char *check_add_tells(void)
{
    unsigned char bits[CHECK_M / 8] = { 0 };
    int silent = 0, partly = 0, said = 0, new_ones = 0;
    filter f = check_filter();
    uint64_t i;
    for (i = 0; i < 400; i++) {
        int unset = check_set(bits, check_walk_of(i / 2), CHECK_K, 0);
        int is_new = filter_add(&f, check_walk_of(i / 2)) != 0;
        new_ones += unset > 0;
        silent += unset > 0 && !is_new;
        partly += unset > 0 && unset < CHECK_K && !is_new;
        said += unset == 0 && is_new;
    }
    if (silent == 0 && said == 0)
        return NULL;
    if (silent == new_ones && said == 400 - new_ones)
        return "it must be the other way round: 1 if the key is certainly new,"
               " else 0.";
    if (silent == new_ones)
        return "it never returns 1. The key is certainly new if a bit was 0:"
               " test the bit before you set it.";
    if (said == 400 - new_ones)
        return "it always returns 1, but a key whose bits were all set is not"
               " certainly new.";
    if (silent == partly && said == 0)
        return "it returns 1 only if all of the bits, or the last one, were 0."
               " One of them is enough, so collect them by |=.";
    return check_because("%d of 400 results are wrong. Return 1 if any of the k"
                         " bits was 0 before, else 0.", silent + said);
}

static const char *check_contains(void)
{
    int lost = 0, lies = 0, any = 0, late = 0, changed;
    unsigned char bits[CHECK_M / 8];
    filter f = check_filter();
    uint64_t i;
    for (i = 0; i < 60; i++)
        check_set(f.bits, check_walk_of(i), CHECK_K, 0);
    memcpy(bits, f.bits, sizeof bits);
    for (i = 0; i < 2060; i++) {
        unsigned char copy[CHECK_M / 8];
        int unset, maybe = filter_may_contain(&f, check_walk_of(i)) != 0;
        memcpy(copy, bits, sizeof copy);
        unset = check_set(copy, check_walk_of(i), CHECK_K, 0);
        lost += unset == 0 && !maybe;
        lies += unset > 0 && maybe;
        any += (unset < CHECK_K) == maybe;
        memcpy(copy, bits, sizeof copy);
        unset = check_set(copy, check_second(check_walk_of(i)), CHECK_K, 0);
        late += (unset == 0) == maybe;
    }
    changed = memcmp(bits, f.bits, sizeof bits);
    if (changed)
        return "a lookup must not change the filter: only test the bits.";
    if (lost == 0 && lies == 0)
        return NULL;
    if (any > 2040)                     /* not all: two bits may coincide */
        return "one set bit is not enough: the answer is \"maybe\" only if all"
               " k bits are set.";
    if (late == 2060)
        return "the first of the k bits is never tested, but one after the last"
               " is: the first call of walk_on returns the first bit.";
    if (lost > 0)
        return check_because("%d keys whose k bits are all set are \"certainly"
                             " not\" in. This answer must never be wrong: test"
                             " exactly the k bits of the walk.", lost);
    return check_because("%d of 2000 absent keys are \"maybe\", though one of"
                         " their k bits is 0: test all k.", lies);
}

#endif
