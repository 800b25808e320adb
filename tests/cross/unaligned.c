/* Loads a word from an odd address. On machines that `make cross` lists as
   "traps" this program must fail. Then the tests with images at odd addresses,
   which pass there, prove that bloom.h makes no unaligned access. */
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
