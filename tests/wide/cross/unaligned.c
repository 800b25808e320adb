/* Loads a word at an odd address, which must trap where `make cross` says that
   unaligned access traps: then images at odd addresses were read bytewise. */
#include <stdint.h>
#include <stdio.h>

static unsigned char bytes[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

int main(void)
{
    volatile uintptr_t address = (uintptr_t)(bytes + 1) | 1;
    uint32_t word = *(volatile uint32_t *)address;
    printf("unaligned load: %08lx\n", (unsigned long)word);
    return 0;
}
