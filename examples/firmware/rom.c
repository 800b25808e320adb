/* rom: a filter in flash. A door lock opens for a badge without asking a
   server, unless the badge may have been revoked; it asks the server about
   those few. The build machine has the list of revoked badges and makes the
   filter. The chip reads the filter directly from flash, without a copy. So
   lookups need no RAM but some stack.

   The build machine makes revoked.h; here every third badge is revoked:
       seq 1000 3 3997 >build/revoked.txt
       build/bloom build -w 32 -p 0.01 build/revoked.bloom build/revoked.txt
       build/bloom dump build/revoked.bloom >examples/firmware/revoked.h
   For the chip, an ATmega2560 (run it: simavr -m atmega2560 -f 16000000 rom):
       avr-gcc -mmcu=atmega2560 -std=c99 -Os -I. \
           examples/firmware/rom.c tests/cross/avr.c -o rom
   For a Cortex-M0 (run it: qemu-system-arm -M microbit -semihosting \
   -nographic -kernel rom):
       arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb -std=c99 -Os -I. \
           -nostartfiles --specs=rdimon.specs -T tests/cross/cortex_m.ld \
           -Wl,--defsym=ROM_SIZE=256K,--defsym=RAM_SIZE=16K \
           examples/firmware/rom.c tests/cross/cortex_m.c -o rom
   To try it on this machine:
       cc -I. examples/firmware/rom.c -o build/rom

   Prints:
       1232 bytes of ROM: m 9600, k 7
       1000 revoked badges: the server is asked about 1000
       2000 good badges: 1975 open at once, the server is asked about 25 */
#ifdef __AVR__                          /* flash has its own address space */
#include <avr/pgmspace.h>
#define BLOOM_ROM PROGMEM
#define BLOOM_READ_BYTE(p) pgm_read_byte(p)
#endif
#define BLOOM_TINY
#define BLOOM_STATIC
#include "bloom.h"
#include "revoked.h"
#include <stdio.h>

/* The keys are the lines of revoked.txt: serial numbers in decimal. */
static bool may_be_revoked(const bloom *revoked, unsigned serial)
{
    char line[10];
    int length = sprintf(line, "%u", serial);
    return bloom_may_contain(revoked, line, (size_t)length);
}

int main(void)
{
    bloom_error error;
    const bloom *revoked = bloom_view(revoked_bloom, sizeof revoked_bloom,
                                      &error);
    unsigned serial, bad_maybe = 0, good_maybe = 0;
    bloom_plan plan;
    if (!revoked) {
        printf("%s\n", bloom_error_text(error));
        return 1;
    }
    plan = bloom_plan_of(revoked);
    for (serial = 1000; serial < 4000; serial++) {
        bool maybe = may_be_revoked(revoked, serial);
        if (serial % 3 == 1)
            bad_maybe += maybe;
        else
            good_maybe += maybe;
    }
    printf("%u bytes of ROM: m %lu, k %u\n", (unsigned)sizeof revoked_bloom,
           (unsigned long)plan.cells, plan.hashes);
    printf("1000 revoked badges: the server is asked about %u\n", bad_maybe);
    printf("2000 good badges: %u open at once, the server is asked about %u\n",
           2000 - good_maybe, good_maybe);
    return bad_maybe != 1000;
}
