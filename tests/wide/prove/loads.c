/* Run by prove.sh: bloom_load32_ of the four bytes of every
   number of 32 bits is that number, as prove.c takes for granted. */

#define BLOOM_STATIC
#include "bloom.h"

int main(void)
{
    uint32_t x = 0;
    do {
        unsigned char bytes[4];
        unsigned i;
        for (i = 0; i < 4; i++)
            bytes[i] = (unsigned char)(x / (1U << 8 * i) % 256);
        if (bloom_load32_(bytes) != x)
            return 1;
    } while (++x != 0);
    return 0;
}
