/* The tests of bloom.h: `make test` builds this file once for each mode of the
   header; the Makefile picks the mode with -D. It is one source, so that a mode
   with BLOOM_STATIC compiles bloom.h once. First the promises of tests/test.c,
   then each part holds one against something independent of bloom.h: published
   hash values, a naive filter, an exact sum, a golden image.

   usage: test [murmur3.tsv]       ends with "N passed, N failed"

   -DTEST_PART=hash_tests: that part alone, for a chip without room for all
   -DTEST_CALLS: without plans, rates and chains, where only the calls for keys
   are other code than in a mode that has these tests
   -DTEST_RATES: with rates that are measured, which takes two seconds */
#include "unit.h"

#include "hash.c"
#include "probes.c"
#include "many.c"
#include "images.c"
#include "whole.c"
#include "counting.c"
#ifndef TEST_CALLS
#include "plans.c"
#include "rates.c"
#include "chain.c"
#endif

#if !defined TEST_FLASH && !defined TEST_SMALL  /* it looks at filters in RAM */
#include "../test.c"
#else
static int kept, broken;
#define test_promises() ((void)0)
#endif

static void test_all(void)
{
    if (begin("test_promises()"))
        test_promises();
    if (broken)
        STOP();
    hash_tests();
    probe_tests();
    image_tests();
    whole_tests();
    many_tests();
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

int main(int argc, char **argv)
{
#ifndef TEST_SMALL
    if (argc > 1)
        vectors = argv[1];
#endif
    (void)argc, (void)argv;
    TEST_PART();
    printf("%d passed, %d failed\n", passed + kept, failed + broken);
    return failed + broken != 0;
}
