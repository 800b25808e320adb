/* checker: checks a student's filter part by part. For each part it prints that
   it is right, or what is wrong. Parts 1 to 7 are checked separately, so that a
   mistake is reported once. Parts 8 to 10 check the whole filter.

       cc -I../.. checker.c -lm -o checker && ./checker
       cc -I../.. -DSTUDENT='"mine.c"' checker.c -lm -o checker && ./checker

   This program includes the student's file. So its own names begin with check_,
   to differ from the student's. If a part crashes, the program reports that and
   ends. On POSIX systems, it does so, too, if a part takes CHECK_SECONDS of CPU
   time (default: 10). The exit status is 0 if all parts are right, else 1. */
#define BLOOM_STATIC
#include "bloom.h"
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef SIGVTALRM
#include <sys/time.h>
#endif

static int check_todo[6];               /* [i]: TODO i is still in the code */
#define TODO(number, what) ((void)(check_todo[number] = 1))

/* The student's malloc returns rubbish. On most systems fresh memory happens to
   be 0, which would hide that malloc is used for calloc. */
static size_t check_given;              /* bytes of the last allocation */

static void *check_memory(size_t count, size_t size, int clear)
{
    void *memory = calloc(count, size);
    check_given = count * size;
    if (memory && !clear)
        memset(memory, 0xA5, size < 1000000 ? size : 1000000);
    return memory;
}

#ifndef STUDENT
#define STUDENT "exercise.c"
#endif
#define main main_of_student
#define malloc(size) check_memory(1, size, 0)
#define calloc(count, size) check_memory(count, size, 1)
#include STUDENT
#undef calloc
#undef malloc
#undef main

#include "checks.h"

/* ---- 8 to 10: the whole filter ------------------------------------------- */

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
        return "2000 keys and 1% need m = 19200 and k = 7: see part 1.";
    bloom_free(b);
    return differ == 0 ? NULL
        : check_because("%u of 2400 bytes differ from bloom.h. They will be"
                        " equal when parts 1 to 7 are right.", differ);
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
                        " not\" in. A Bloom filter must find every key that was"
                        " added: see parts 5 and 7.", 10000 - found);
}

/* Measures the rate of a full filter. It may differ from the expected one by
   three standard deviations (sigma). The variance is the sum of two: by_chance
   comes from the limited number of lookups. by_fill comes from this filter: the
   number of its ones is about m / 2, with a standard deviation of 0.28 sqrt(m),
   and the rate is (ones / m)^k. Returns 1 if the rate is too high, -1 if it is
   too low, else 0. */
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

/* Rates of wrong bits would only distract, so part 10 waits for the others. It
   does not wait for 3 and 8, which stay wrong with a hash of one's own. */
static int check_is_right[10];          /* [i]: part i + 1 is right */

static const char *check_rates(void)
{
    static const double ps[] = { 0.3, 0.1, 0.03, 0.01, 0.001 };
    int i, high = 0, low = 0;
    for (i = 0; i < 9; i++)
        if (!check_is_right[i] && i + 1 != 3 && i + 1 != 8)
            return check_because("it is measured when part %d is right.",
                                 i + 1);
    for (i = 0; i < 10; i++) {
        int off = check_point(i < 5 ? 1000 : 20000, ps[i % 5]);
        high += off > 0;
        low += off < 0;
    }
    if (high == 0 && low == 0)
        return NULL;
    if (low > 0 && high == 0)
        return check_because("at %d of 10 points the rate is too low, which is"
                             " too good to be true. Are all keys added, and is"
                             " m as planned?", low);
    return check_because("at %d of 10 points the rate is too high: %s", high,
        high == 10 ? "m, k or the bits are not as planned; see parts 1, 4, 5."
        : "the bits do not look random; see parts 3 and 4.");
}

/* ---- All parts ----------------------------------------------------------- */

static const struct {
    const char *name;
    int todo;                           /* the number of its TODO; 0: none */
    const char *(*wrong)(void);         /* what is wrong; NULL: nothing */
    const char *right;
} check_part[] = {
    { "m and k", 1, check_new, "as in the textbook." },
    { "load", 2, check_load, "little-endian, and bytes have no sign." },
    { "the hash", 0, check_hashes, "MurmurHash3 for keys of 0 to 40 bytes." },
    { "walk_on", 3, check_walk, "5000 bits and steps." },
    { "filter_add", 4, check_add, "it sets the right bits." },
    { "result of filter_add", 4, check_add_tells, "it recognises new keys." },
    { "filter_may_contain", 5, check_contains,
      "it tests all k bits and changes none." },
    { "all together", 0, check_bits, "the same bits as bloom.h." },
    { "no key is lost", 0, check_none_lost, "10000 of 10000 keys are found." },
    { "the rate", 0, check_rates, "as predicted, at ten points." }
};
enum { CHECK_PARTS = sizeof check_part / sizeof *check_part };

static int check_now;                   /* the part that is being checked */

/* The C standard does not allow a signal handler to print. This one does, so
   that students learn what is wrong; the program ends here in any case. */
static void check_ended(int signal_number)
{
    const char *why = "crashes: it reads or writes at an invalid address.";
    if (signal_number == SIGFPE)
        why = "crashes: it divides by 0.";
#ifdef SIGVTALRM
    if (signal_number == SIGVTALRM)
        why = "takes too long: does its loop end?";
#endif
    printf("not yet %2d. %s: it %s\n", check_now + 1,
           check_part[check_now].name, why);
    puts("The parts after it were not checked.");
    fflush(stdout);
    _Exit(1);
}

#ifndef CHECK_SECONDS
#define CHECK_SECONDS 10
#endif

static void check_watch(void)
{
#ifdef SIGVTALRM
    static const struct itimerval most = { { 0, 0 }, { CHECK_SECONDS, 0 } };
#endif
    signal(SIGSEGV, check_ended);
    signal(SIGFPE, check_ended);
    signal(SIGABRT, check_ended);
    signal(SIGILL, check_ended);
#ifdef SIGVTALRM
    signal(SIGVTALRM, check_ended);
    setitimer(ITIMER_VIRTUAL, &most, NULL);
#endif
}

/* Checks part i and prints the result. Returns 1 if it is right. */
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
    check_is_right[i] = !wrong;
    return !wrong;
}

int main(void)
{
    int i, right = 0, next = CHECK_PARTS;
    puts("Checking " STUDENT ":");
    for (i = 0; i < CHECK_PARTS; i++) {
        int good = check_look(i);
        right += good;
        if (!good && i < next)
            next = i;
    }
    if (right == CHECK_PARTS)
        puts("All is right, and the bits are those of bloom.h. Now draw the"
             " rates with sweep.c.");
    else
        printf("%d of %d parts are right. Next: %s.\n", right,
               (int)CHECK_PARTS, check_part[next].name);
    return right < CHECK_PARTS;
}
