/* check: looks at a student's filter part by part, and says of each that it is
   right, or what is wrong. Parts 1 to 7 are judged each by itself, so that a
   mistake is told once; the others are the whole.

       cc -I../.. check.c -lm -o check && ./check
       cc -I../.. -DSTUDENT='"mine.c"' check.c -lm -o check && ./check

   The student's file becomes a part of this program, hence the long names here.
   A crash is told and ends it; and so does, where there is alarm(), a part that
   takes more than ten seconds. Exit status: 0 if all is right, else 1. */
#define BLOOM_STATIC
#include "bloom.h"
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef SIGALRM
#include <unistd.h>
#endif

static int check_todo[6];               /* which of them are still to be done */
#define TODO(number, what) ((void)(check_todo[number] = 1))

#ifndef STUDENT
#define STUDENT "exercise.c"
#endif
#define main main_of_student
#include STUDENT
#undef main

#include "parts.h"

/* ---- 8 to 10: the whole -------------------------------------------------- */

typedef struct check_key { char text[24]; size_t size; } check_key;

static check_key check_key_of(const char *kind, unsigned i)
{
    check_key key;
    key.size = (size_t)sprintf(key.text, "%s %u", kind, i);
    return key;
}

static filter check_filled(double n, double p)
{
    filter f = filter_new(n, p);
    unsigned i;
    for (i = 0; f.bits && i < n; i++) {
        check_key key = check_key_of("key", i);
        filter_add(&f, walk_of(key.text, key.size));
    }
    return f;
}

static const char *check_bits(void)
{
    filter f = check_filled(2000, 0.01);
    bloom_plan plan = bloom_plan_hashes(2000, 0.01, 7);
    unsigned i, differ = 0;
    bloom *b;
    plan.cells = 19200;
    b = f.m == plan.cells && f.k == 7 && f.bits ? bloom_create(plan) : NULL;
    for (i = 0; b && i < 2000; i++) {
        check_key key = check_key_of("key", i);
        bloom_add(b, key.text, key.size);
        bloom_add_u64(b, i);
        filter_add(&f, walk_of_integer(i));
    }
    for (i = 0; b && i < 19200 / 8; i++)
        differ += f.bits[i] != ((unsigned char *)b)[32 + i];
    free(f.bits);
    if (!b)
        return "for 2000 keys and 1% it needs m = 19200 and k = 7; see 1.";
    bloom_free(b);
    return differ == 0 ? NULL
        : check_because("%u of 2400 bytes differ. That mends itself when 1 to 7"
                        " are right.", differ);
}

static const char *check_none_lost(void)
{
    filter f = check_filled(10000, 0.01);
    unsigned i, found = 0;
    for (i = 0; f.bits && i < 10000; i++) {
        check_key key = check_key_of("key", i);
        found += filter_may_contain(&f, walk_of(key.text, key.size)) != 0;
    }
    free(f.bits);
    return found == 10000 ? NULL
        : check_because("of 10000 keys that were added, %u are \"certainly"
                        " not\" in. That is the one promise of a Bloom filter:"
                        " see 5 and 7.", 10000 - found);
}

/* The rate of a full filter, and how far it may be from the expected one: three
   times the standard deviation, of which one part comes from asking so many
   keys, one from the filter. Its ones, about half of m, vary by 0.28 sqrt(m),
   and the rate is (ones / m)^k. */
enum { CHECK_ASKED = 100000 };

static int check_point(double n, double p)
{
    bloom_plan plan = bloom_plan_for(1, 0.5);
    filter f = check_filled(n, p);
    double m = ceil(n * log(1 / p) / (log(2.0) * log(2.0)) / 64) * 64;
    double k = floor(log(1 / p) / log(2.0) + 0.5), rate, measured, off;
    double by_chance, by_fill;
    unsigned i, maybes = 0;
    plan.cells = (uint64_t)m;
    plan.hashes = (uint8_t)k;
    rate = bloom_plan_fpr(plan, (uint64_t)n);
    for (i = 0; f.bits && i < CHECK_ASKED; i++) {
        check_key key = check_key_of("absent", i);
        maybes += filter_may_contain(&f, walk_of(key.text, key.size)) != 0;
    }
    free(f.bits);
    measured = (double)maybes / CHECK_ASKED;
    by_chance = rate * (1 - rate) / CHECK_ASKED;
    by_fill = rate * k * 0.55 / sqrt(m);
    off = (measured - rate) / sqrt(by_chance + by_fill * by_fill);
    printf("    n = %5.0f, p = %-5g  expected %7.4f%%  measured %7.4f%%  %+.1f"
           " sigma\n", n, p, 100 * rate, 100 * measured, off);
    return off > 3 ? 1 : off < -3 ? -1 : 0;
}

static const char *check_rates(void)
{
    static const double ps[] = { 0.3, 0.1, 0.03, 0.01, 0.001 };
    int i, high = 0, low = 0;
    for (i = 0; i < 10; i++) {
        int off = check_point(i < 5 ? 1000 : 20000, ps[i % 5]);
        high += off > 0;
        low += off < 0;
    }
    if (high == 0 && low == 0)
        return NULL;
    if (low > 0 && high == 0)
        return check_because("%d of 10 points are too low. Too good to be true:"
                             " are the keys in, and m as planned?", low);
    return check_because("%d of 10 points are too high: %s", high, high == 10
        ? "m, k or the bits are not as planned; see 1, 4 and 5."
        : "bits that are not like chance; see 3 and 4.");
}

/* ---- All parts ----------------------------------------------------------- */

static const struct {
    const char *name;
    int todo;                           /* of this number; 0: of none */
    const char *(*wrong)(void);
    const char *right;
} check_part[] = {
    { "m and k", 1, check_new, "the textbook's." },
    { "load", 2, check_load, "little-endian, and no sign." },
    { "the hash", 0, check_hashes, "MurmurHash3, of keys of 0 to 40 bytes." },
    { "walk_on", 3, check_walk, "the bits and the strides of 5000 steps." },
    { "filter_add", 4, check_add, "each bit where it belongs." },
    { "filter_add's answer", 4, check_add_tells, "it knows a new key." },
    { "filter_may_contain", 5, check_contains, "all k bits, and only asked." },
    { "all together", 0, check_bits, "bit for bit the filter of bloom.h." },
    { "no key is lost", 0, check_none_lost, "10000 of 10000 are found." },
    { "the rate", 0, check_rates, "as predicted, at ten points." }
};
enum { CHECK_PARTS = sizeof check_part / sizeof *check_part };

static int check_now;                   /* the part that is looked at */

/* The standard lets a handler do less; but then nobody would learn what was
   wrong, and the program ends here anyway. */
static void check_ended(int signal_number)
{
    const char *why = "crashes: it reads or writes where nothing is.";
    if (signal_number == SIGFPE)
        why = "crashes: it divides by 0.";
#ifdef SIGALRM
    if (signal_number == SIGALRM)
        why = "takes more than ten seconds: does its loop end?";
#endif
    printf("not yet %2d. %s: it %s\n", check_now + 1,
           check_part[check_now].name, why);
    puts("What comes after it was not looked at.");
    fflush(stdout);
    _Exit(1);
}

static void check_watch(void)
{
    signal(SIGSEGV, check_ended);
    signal(SIGFPE, check_ended);
    signal(SIGABRT, check_ended);
    signal(SIGILL, check_ended);
#ifdef SIGALRM
    signal(SIGALRM, check_ended);
    alarm(10);
#endif
}

/* Is the part right? */
static int check_look(int i)
{
    int todo = check_part[i].todo;
    const char *wrong;
    check_now = i;
    check_watch();
    wrong = check_part[i].wrong();
    if (todo > 0 && check_todo[todo])
        wrong = check_because("TODO %d is still to be done.", todo);
    printf("%s %2d. %s: %s\n", wrong ? "not yet" : "right  ", i + 1,
           check_part[i].name, wrong ? wrong : check_part[i].right);
    fflush(stdout);
    return !wrong;
}

int main(void)
{
    int i, right = 0, next = CHECK_PARTS;
    puts("Of " STUDENT ":");
    for (i = 0; i < CHECK_PARTS; i++) {
        int good = check_look(i);
        right += good;
        if (!good && i < next)
            next = i;
    }
    if (right == CHECK_PARTS)
        puts("All is right, and the bits are those of bloom.h. Now draw it:"
             " sweep.c");
    else
        printf("%d of %d are right. Next: %s.\n", right, (int)CHECK_PARTS,
               check_part[next].name);
    return right < CHECK_PARTS;
}
