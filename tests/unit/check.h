/* Shared by the test programs of tests/unit/: CHECK, which reports what is not
   true, and RUN_TEST, which runs a test and counts whether it passed. */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* TEST_STOP, for mutants.py: the program ends at the first failure, or when one
   test has used TEST_SECONDS of CPU time. The last "test:" that it printed is
   the one that failed. TEST_ONLY has the tests to run, each on a line. Both of
   these are in the environment. */
#ifdef TEST_STOP
#include <sys/time.h>
static bool begin_test(const char *test)
{
    struct itimerval limit = { { 0, 0 }, { atoi(getenv("TEST_SECONDS")), 0 } };
    const char *only = getenv("TEST_ONLY");
    const size_t size = strlen(test);
    while (only && *only && (strncmp(only, test, size) || only[size] != '\n'))
        only = strchr(only, '\n') + 1;
    if (only && !*only)
        return false;
    setitimer(ITIMER_PROF, &limit, NULL);
    printf("test: %s\n", test);
    fflush(stdout);
    return true;
}
#define STOP() exit(1)
#else
#define begin_test(test) true
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
