/* Replacements that bloom.h uses in some modes of ../modes.txt, which define
   these macros. The compiler reads this file first (-include), for bloom.h and
   for the tests. */
#ifndef HOOKS_H
#define HOOKS_H

/* For mutants.py: compiles the SIMD code for ARM (NEON) on any CPU */
#ifdef TEST_NEON
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <stdbool.h>
#undef __x86_64__
#define __aarch64__ 1
#define __ARM_NEON 1
#define __ARM_FEATURE_UNALIGNED 1
#endif

/* For mutants.py: BLOOM_TINY as on a CPU whose size_t has 16 bits */
#ifdef TEST_16
#include <stdint.h>
#undef SIZE_MAX
#define SIZE_MAX 0xFFFF
#endif

/* A CPU without AVX2 */
#ifdef TEST_NO_AVX2
static inline int has_no_avx2(void)
{
    return 0;
}
#define __builtin_cpu_supports(name) has_no_avx2()
#endif

/* A flash that only BLOOM_READ_BYTE reads correctly; see look() in unit.h */
#ifdef TEST_FLASH
#define BLOOM_READ_BYTE(p) ((unsigned char)(*(p) ^ 0x55))
#endif

/* Atomic operations on words need their alignment, which x86 does not check. */
#ifdef TEST_ALIGNED
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
static inline void must_be_aligned(const volatile void *at, size_t by)
{
    if ((uintptr_t)at % by == 0)
        return;
    puts("FAILED: an atomic operation on an address that is not aligned");
    exit(1);
}
#define __atomic_load_n(p, order) \
    (must_be_aligned(p, sizeof *(p)), __atomic_load_n(p, order))
#define __atomic_fetch_or(p, x, order) \
    (must_be_aligned(p, sizeof *(p)), __atomic_fetch_or(p, x, order))
#define __atomic_compare_exchange_n(p, was, now, weak, yes, no) \
    (must_be_aligned(p, sizeof *(p)), \
     __atomic_compare_exchange_n(p, was, now, weak, yes, no))
#endif

/* An allocator that counts its calls and can fail, and an assertion that
   returns to the test instead of ending the program */
#ifdef TEST_MALLOC
#include <stddef.h>
void *count_malloc(size_t size);
void count_free(void *block);
void not_true(void);
extern unsigned long assertions;        /* so many were checked */
#define BLOOM_MALLOC(size) count_malloc(size)
#define BLOOM_FREE(pointer) count_free(pointer)
#define BLOOM_ASSERT(x) (assertions++, (x) ? (void)0 : not_true())
#endif

#endif
