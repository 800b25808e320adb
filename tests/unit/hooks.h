/* What bloom.h calls in two modes, for itself (gcc -include) and for the tests. */
#ifdef TEST_FLASH           /* a flash that only BLOOM_READ_BYTE can read */
#define BLOOM_READ_BYTE(p) ((unsigned char)(*(p) ^ 0x55))
#endif

#ifdef TEST_MALLOC          /* an allocator that counts, and can be empty */
#include <stddef.h>
void *count_malloc(size_t size);
void count_free(void *block);
#define BLOOM_MALLOC(size) count_malloc(size)
#define BLOOM_FREE(pointer) count_free(pointer)
#endif
