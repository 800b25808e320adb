/* Run by reader.sh: looks 300 keys up in revoked.h, and prints an answer for
   each, 0 or 1. On chips, in the simulators of sdcc and cc65, reader.h answers;
   on this machine, bloom.h does. With NOTHING, there is no reader, to see how
   much code it takes. */
#include "../revoked.h"
#if defined(NOTHING)
#define MAYBE(key, size) ((key)[0] == 'x')
#elif defined(__SDCC) || defined(__CC65__)
#include "../reader.h"
#define MAYBE(key, size) bloom_reader_may_contain(revoked_bloom, key, size)
#else
#define BLOOM_TINY
#define BLOOM_STATIC
#include "bloom.h"
#define MAYBE(key, size) bloom_may_contain( \
    bloom_view(revoked_bloom, sizeof revoked_bloom, NULL), key, size)
#endif

/* What is written to this address is for the simulators of sdcc: 'p' and a
   character prints it, 's' stops. */
#if defined(__SDCC_mcs51)
static volatile __xdata unsigned char *simulator
    = (volatile __xdata unsigned char *)0x7FFF;
#elif defined(__SDCC)
static volatile unsigned char *simulator = (volatile unsigned char *)0x7FFF;
#else
#include <stdio.h>
#endif

static void put(char c)
{
#ifdef __SDCC
    *simulator = 'p';
    *simulator = (unsigned char)c;
#else
    putchar(c);
#endif
}

/* The badges "1003", "01003" and "badge 1003"; only the first may be in. */
static unsigned char key[10] = { 'b', 'a', 'd', 'g', 'e', ' ' };

static void look_up(unsigned number)
{
    unsigned char i;
    for (i = 10; i > 6; i--, number /= 10)
        key[i - 1] = (unsigned char)('0' + number % 10);
    put(MAYBE(key + 6, 4) ? '1' : '0');
    key[5] = '0';
    put(MAYBE(key + 5, 5) ? '1' : '0');
    key[5] = ' ';
    put(MAYBE(key, 10) ? '1' : '0');
}

int main(void)
{
    unsigned i;
    for (i = 0; i < 100; i++)
        look_up(990 + 7 * i);
    put('\n');
#ifdef __SDCC
    *simulator = 's';
    for (;;)
        continue;
#endif
    return 0;
}
