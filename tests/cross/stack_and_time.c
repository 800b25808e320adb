/* Measures the stack and the time of `use` on an emulated chip, for `make
   size`. The filter is that of BLOOM_PLAN(100, 100), with k = 7 and 100 keys.
   It prints:

       stack BYTES            the most stack, over present and absent keys of
                              0 to 20 bytes
       time PRESENT ABSENT    the time of a call with a present or absent key
                              of 8 bytes; AVR: in cycles; others: in
                              instructions, by qemu -icount shift=0 */
#define BLOOM_STATIC
#include "bloom.h"
#include <stdio.h>

#define PAINT 1500              /* bytes below the stack pointer */

bool use(void *image, size_t size, const void *key, size_t key_size);

static const bloom_plan plan = BLOOM_PLAN(100, 100);
static unsigned char image[BLOOM_SIZE(100, 100) + 1];

#ifdef __AVR__

#include <avr/io.h>
#define STACK ((unsigned char *)SP + 1)
#define TICK 1UL                /* timer 1 counts cycles, in 16 bits */
#define ROUNDS 1
static void start_timer(void) { TCCR1B = _BV(CS10); }
static uint32_t now(void) { return TCNT1; }
#define MOST 0xFFFFUL

#else

#define ROUNDS 64
static unsigned char *stack_pointer(void)
{
    unsigned char *sp;
#ifdef __riscv
    __asm__ volatile ("mv %0, sp" : "=r"(sp));
#else
    __asm__ volatile ("mov %0, sp" : "=r"(sp));
#endif
    return sp;
}
#define STACK stack_pointer()

#if defined(__riscv) || defined(__XTENSA__)

#ifdef __riscv
#define READ_TIME "rdinstret %0"
#define TICK 1UL
#else
#define READ_TIME "rsr %0, ccount"
#define TICK 25UL               /* 40 MHz; an instruction takes 1 ns */
#endif
#define MOST 0xFFFFFFFFUL
static void start_timer(void) { }
static uint32_t now(void)
{
    uint32_t time;
    __asm__ volatile (READ_TIME : "=r"(time));
    return time;
}

#else

#define SYSTICK ((volatile uint32_t *)0xE000E010)
#define TICK 40UL               /* 25 MHz; an instruction takes 1 ns */
#define MOST 0xFFFFFFUL
static void start_timer(void)
{
    SYSTICK[1] = MOST;
    SYSTICK[2] = 0;
    SYSTICK[0] = 5;             /* the CPU's clock, no interrupt */
}
static uint32_t now(void) { return MOST - SYSTICK[2]; }

#endif
#endif

/* Key i. Keys 0 to 99 are in the filter. */
static const unsigned char *key(unsigned i)
{
    static unsigned char bytes[20];
    unsigned j;
    for (j = 0; j < sizeof bytes; j++)
        bytes[j] = (unsigned char)((i * 59 + j * 31) & 255);
    return bytes;
}

__attribute__((noinline)) static unsigned stack_of(unsigned i, size_t size)
{
    const unsigned char *bytes = key(i);
    volatile unsigned char *top = STACK, *low = top - PAINT;
    unsigned unused = 0;
    volatile unsigned char *p;
    for (p = low; p < top; p++)
        *p = 0xA5;
    use(image, sizeof image, bytes, size);
    while (low[unused] == 0xA5)
        unused++;
    return PAINT - unused;
}

/* The mean time over 20 keys from `first` on */
__attribute__((noinline)) static uint32_t time_of(unsigned first)
{
    uint32_t sum = 0;
    unsigned i, r;
    for (i = first; i < first + 20; i++) {
        const unsigned char *bytes = key(i);
        uint32_t start = now();
        for (r = 0; r < ROUNDS; r++)
            use(image, sizeof image, bytes, 8);
        sum += (now() - start) & MOST;
    }
    return sum * TICK / (20UL * ROUNDS);
}

int main(void)
{
    bloom *b = bloom_init(image, sizeof image, plan);
    unsigned i, most = 0;
    size_t size;
    for (i = 0; i < 100; i++)
        bloom_add(b, key(i), 8);
    start_timer();
    printf("time %lu %lu\n", (unsigned long)time_of(0),
           (unsigned long)time_of(100));
    for (i = 0; i < 2; i++)
        for (size = 0; size <= 20; size++) {
            unsigned bytes = stack_of(i * 100, size);
            most = bytes > most ? bytes : most;
        }
    printf("stack %u\n", most);
    return 0;
}
