/* The test program of `make test`. It first runs the promises of tests/test.c.
   Then each file of tests/unit/ tests a part of bloom.h against something
   independent of it: published hash values, a naive filter, an exact sum, or
   images that another implementation made.

   usage: test

   It prints the file, line and condition of each check that fails, and ends
   with "N passed, N failed". A failure is a bug in bloom.h or in the compiler.

   The Makefile builds this file once for each mode of the header, and selects
   the mode with -D. It includes the other files, so that a mode with
   BLOOM_STATIC compiles bloom.h only once. Further macros select tests:
     -DTEST_PART=hash_tests   runs that part alone, on a chip that is too small
                              for the whole program
     -DTEST_CALLS             leaves out plans, rates and chains, in modes where
                              that code is the same as in another mode
     -DTEST_RATES             adds measured rates, which take two seconds
     -DTEST_LARGE             adds a filter of 2 GB
     -DTEST_SMALL             uses less memory and fewer rounds: see unit.h */
#include "unit.h"

#include "hash.c"
#include "walk.c"
#include "many.c"
#include "images.c"
#include "whole.c"
#include "counting.c"
#include "keyed.c"
#ifndef TEST_CALLS
#include "plans.c"
#include "rates.c"
#include "chain.c"
#endif

#if !defined TEST_FLASH && !defined TEST_SMALL  /* test.c reads from RAM only */
#include "../test.c"
static void promises_of_test_c(void)
{
    test_promises();
    CHECK(kept > 0 && broken == 0);
}
#endif

static void test_all(void)
{
#if !defined TEST_FLASH && !defined TEST_SMALL
    RUN(promises_of_test_c());
#endif
    hash_tests();
    probe_tests();
    image_tests();
    whole_tests();
    many_tests();
    keyed_tests();
#ifndef BLOOM_TINY
    counting_tests();
#endif
#ifndef TEST_CALLS
    plan_tests();
#ifndef BLOOM_NO_FLOAT
    rate_tests();
#endif
#ifdef TEST_CHAIN
    chain_tests();
#endif
#endif
}

#ifndef TEST_PART
#define TEST_PART test_all
#endif

int main(void)
{
    TEST_PART();
    return end_tests();
}
