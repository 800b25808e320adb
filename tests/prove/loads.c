/* Tests for every 32-bit number that bloom.h loads it from its four bytes,
   which prove.c assumes (`make prove`). The exit status is 1 if one is
   wrong. */

#define BLOOM_STATIC
#include "bloom.h"
#include "../inside.h"

int main(void)
{
    uint32_t x = 0;
    do {
        unsigned char bytes[4];
        unsigned i;
        for (i = 0; i < 4; i++)
            bytes[i] = (unsigned char)(x / (1U << 8 * i) % 256);
        if (inside_load32(bytes) != x)
            return 1;
    } while (++x != 0);
    return 0;
}
