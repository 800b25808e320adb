/* What bloom.h calls in two modes, for itself (gcc -include) and for the tests. */
#ifdef TEST_NEON            /* mutants.py: SIMD as on ARM, on any CPU */
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <stdbool.h>
#undef __x86_64__
#define __aarch64__ 1
#endif
#ifdef TEST_16              /* there too: TINY on a CPU with a 16-bit size_t */
#include <stdint.h>
#undef SIZE_MAX
#define SIZE_MAX 0xFFFF
#endif

#ifdef TEST_FLASH           /* a flash that only BLOOM_READ_BYTE can read */
#define BLOOM_READ_BYTE(p) ((unsigned char)(*(p) ^ 0x55))
#endif

#ifdef TEST_MALLOC          /* an allocator that counts, and can be empty; and
                               an assertion that does not end the program */
#include <stddef.h>
void *count_malloc(size_t size);
void count_free(void *block);
void not_true(void);
#define BLOOM_MALLOC(size) count_malloc(size)
#define BLOOM_FREE(pointer) count_free(pointer)
#define BLOOM_CHAIN_MALLOC(size) count_malloc(size)
#define BLOOM_CHAIN_FREE(pointer) count_free(pointer)
#define BLOOM_ASSERT(x) ((x) ? (void)0 : not_true())
#endif
