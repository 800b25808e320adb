/* The smallest program that calls `use`, for `make size`. It is linked to
   measure its size, but never run. */
#include <stdbool.h>
#include <stddef.h>

bool use(void *image, size_t size, const void *key, size_t key_size);
int main(void);
void _start(void);

static unsigned char image[64];
static volatile size_t size;

int main(void)
{
    return use(image, size, image + size, size);
}

#ifndef __AVR__
void _start(void)
{
    main();
}
#endif
