/* Shared by the test programs of tests/unit/: CHECK, which reports what is not
   true, and RUN_TEST, which runs a test and counts whether it passed. */
#ifndef CHECK_H
#define CHECK_H

#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE                 /* for setitimer and SIGPROF, in C99 */
#endif
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A test that does not end is a failure, too. A program ends itself when one of
   its tests has used two minutes of CPU time, or has waited for twenty. Then it
   says which. Both are many times what the slowest test needs; a program that is
   told to test more sets test_minutes. Emulated chips have no such clock, so
   cross.sh limits their programs.

   TEST_STOP is for mutants.py: the program ends at the first failure, and prints
   each test before it runs. TEST_ONLY has the tests to run, each on a line, and
   TEST_SECONDS the CPU time of a test. Both of these are in the environment. */
#if defined __unix__ || defined __APPLE__
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>
static unsigned test_minutes = 2;
static const char *test_now = "";
static void test_does_not_end(int number)
{
    static const char what[] = "FAILED: this test does not end: ";
    if (write(1, what, sizeof what - 1) >= 0 &&
        write(1, test_now, strlen(test_now)) >= 0 && write(1, "\n", 1) >= 0)
        _exit(1);
    _exit(number);
}
static void limit_test(const char *test)
{
    struct itimerval cpu = { { 0, 0 }, { 60 * (long)test_minutes, 0 } };
#ifdef TEST_STOP
    cpu.it_value.tv_sec = atoi(getenv("TEST_SECONDS"));
#endif
    test_now = test;
    signal(SIGPROF, test_does_not_end);
    signal(SIGALRM, test_does_not_end);
    setitimer(ITIMER_PROF, &cpu, NULL);
    alarm(10 * 60 * test_minutes);
}
#else
#define limit_test(test) ((void)(test))
#endif

#ifdef TEST_STOP
static bool begin_test(const char *test)
{
    const char *only = getenv("TEST_ONLY");
    const size_t size = strlen(test);
    while (only && *only && (strncmp(only, test, size) || only[size] != '\n'))
        only = strchr(only, '\n') + 1;
    if (only && !*only)
        return false;
    limit_test(test);
    printf("test: %s\n", test);
    fflush(stdout);
    return true;
}
#define STOP() exit(1)
#else
#define begin_test(test) (limit_test(test), true)
#define STOP() ((void)0)
#endif

static int passed, failed;              /* tests */
static int failures;                    /* of the test that runs */

/* Each reports a false condition, and is its value. */
#define check(condition, what) check_at(condition, what, __FILE__, __LINE__)
#ifdef TEST_SMALL                       /* texts take RAM on an AVR */
#define CHECK(condition) check_at(condition, "", "", __LINE__)
#else
#define CHECK(condition) check(condition, #condition)
#endif

static bool check_at(bool good, const char *what, const char *file, int line)
{
    if (good)
        return true;
    if (failures++ < 20)
        printf("%s:%d: not true: %s\n", file, line, what);
    STOP();
    return false;
}

static void count_test(const char *test)
{
    if (failures)
        printf("%s failed\n", test);
    failed += failures != 0;
    passed += failures == 0;
    failures = 0;
}

/* The last line of a test program; returns its status. */
static int end_tests(void)
{
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}

/* Runs a test, after an expression that sets its state. */
#define RUN_TEST(call, before) \
    (begin_test(#call) ? ((before), (void)(call), count_test(#call)) : (void)0)

#endif
