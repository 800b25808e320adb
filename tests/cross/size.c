/* The function whose size, stack and time `make size` measures. USE selects the
   calls of bloom.h in it:
       0  none                          3  may_contain alone
       1  bloom_view, may_contain       4  bloom_view, may_contain of an array
       2  bloom_init, add, may_contain     that the compiler knows
                                        5  two filters, as in 2
   With SIZE_IN_FLASH the image is in the flash of an AVR. With SIZE_OBJECT the
   code of bloom.h is in a file of its own. */
#ifdef SIZE_IN_FLASH
#include <avr/pgmspace.h>
#define BLOOM_READ_BYTE(p) pgm_read_byte(p)
#endif
#ifndef SIZE_OBJECT
#define BLOOM_STATIC
#endif
#include "bloom.h"

bool use(void *image, size_t size, const void *key, size_t key_size);

#if USE == 0

bool use(void *image, size_t size, const void *key, size_t key_size)
{
    return image == key && size == key_size;
}

#elif USE == 1

bool use(void *image, size_t size, const void *key, size_t key_size)
{
    const bloom *b = bloom_view(image, size, NULL);
    return b && bloom_may_contain(b, key, key_size);
}

#elif USE == 2

bool use(void *image, size_t size, const void *key, size_t key_size)
{
    static const bloom_plan plan = BLOOM_PLAN(100, 100);
    bloom *b = bloom_init(image, size, plan);
    if (!b)
        return false;
    bloom_add(b, key, key_size);
    return bloom_may_contain(b, key, key_size);
}

#elif USE == 4

bool use(void *image, size_t size, const void *key, size_t key_size)
{
    static const unsigned char rom[BLOOM_SIZE(64, 2)] =
        { 'B', 'L', 'M', 2, BLOOM_CLASSIC, 32, 1, 0, 128 };
    const bloom *b = bloom_view(rom, sizeof rom, NULL);
    (void)image, (void)size;
    return b && bloom_may_contain(b, key, key_size);
}

#elif USE == 5

bool use(void *image, size_t size, const void *key, size_t key_size)
{
    static unsigned char other[BLOOM_SIZE(50, 50)];
    static const bloom_plan plan = BLOOM_PLAN(100, 100);
    static const bloom_plan small = BLOOM_PLAN(50, 50);
    bloom *b = bloom_init(image, size, plan);
    bloom *c = bloom_init(other, sizeof other, small);
    if (!b || !c)
        return false;
    bloom_add(b, key, key_size);
    bloom_add(c, key, key_size);
    return bloom_may_contain(b, key, key_size)
        && bloom_may_contain(c, key, key_size);
}

#else

bool use(void *image, size_t size, const void *key, size_t key_size)
{
    const void *b = image;
    (void)size;
    return bloom_may_contain((const bloom *)b, key, key_size);
}

#endif
