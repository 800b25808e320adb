/* Runtime for test programs on an Xtensa LX106, the core of the ESP8266, in
   qemu's machine "sim": the start, printf through the emulator (simcall), and
   an end that passes main's result on. An exception, such as an unaligned load,
   ends the program with status 3. All memory is zero at the start. The last
   part has the arithmetic functions that an ESP8266 has in ROM, so Debian's
   libgcc lacks them. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

int main(void);

__asm__ (".section .begin, \"ax\"\n\t"         /* a reset starts here */
         ".global reset\n"
         "reset:\n\t"
         "j start\n\t"
         ".text\n\t"
         ".balign 1024\n"
         "vectors:\n"                           /* 8, each of 16 bytes */
         ".rept 8\n\t"
         "j fault\n\t"
         ".balign 16\n"
         ".endr\n"
         "fault:\n\t"
         "movi a2, 1\n\t"                       /* exit(3) */
         "movi a3, 3\n\t"
         "simcall\n"
         ".literal_position\n\t"
         "start:\n\t"
         "movi a2, vectors\n\t"
         "wsr a2, vecbase\n\t"
         "movi a1, 0x64000000\n\t"              /* the stack */
         "call0 main\n\t"
         "mov a3, a2\n\t"
         "movi a2, 1\n\t"                       /* exit(main()) */
         "simcall");

static int send(char c, FILE *file)
{
    register int a2 __asm__("a2") = 4;          /* write(1, &c, 1) */
    register int a3 __asm__("a3") = 1;
    register const char *a4 __asm__("a4") = &c;
    register int a5 __asm__("a5") = 1;
    (void)file;
    __asm__ volatile ("simcall" : "+r"(a2), "+r"(a3)
                      : "r"(a4), "r"(a5) : "memory");
    return 0;
}

static FILE serial = FDEV_SETUP_STREAM(send, NULL, NULL, _FDEV_SETUP_WRITE);
FILE *const stdout = &serial;

/* ---- The ROM's functions ------------------------------------------------ */

uint64_t __muldi3(uint64_t a, uint64_t b);
uint64_t __udivdi3(uint64_t a, uint64_t b);
uint64_t __umoddi3(uint64_t a, uint64_t b);
uint32_t __udivsi3(uint32_t a, uint32_t b);
uint32_t __umodsi3(uint32_t a, uint32_t b);
int32_t __divsi3(int32_t a, int32_t b);

/* Multiplies the lower halves of a and b, in parts of 16 bits. Then adds the
   products that affect only the upper half of the result. */
uint64_t __muldi3(uint64_t a, uint64_t b)
{
    uint32_t a0 = a & 0xFFFF, a1 = (uint32_t)a >> 16;
    uint32_t b0 = b & 0xFFFF, b1 = (uint32_t)b >> 16;
    uint32_t middle = a1 * b0 + (a0 * b0 >> 16);        /* cannot overflow */
    uint32_t more = a0 * b1 + (middle & 0xFFFF);
    uint32_t high = a1 * b1 + (middle >> 16) + (more >> 16);
    high += (uint32_t)a * (uint32_t)(b >> 32)
            + (uint32_t)(a >> 32) * (uint32_t)b;
    return (uint64_t)high << 32 | more << 16 | (a0 * b0 & 0xFFFF);
}

static uint64_t divide(uint64_t a, uint64_t b, uint64_t *rest)
{
    uint64_t sum = 0;
    int i;
    *rest = 0;
    for (i = 0; i < 64; i++) {
        bool carry = *rest >> 63;
        *rest = *rest << 1 | a >> 63;
        a <<= 1;
        sum <<= 1;
        if (carry || *rest >= b) {
            *rest -= b;
            sum++;
        }
    }
    return sum;
}

uint64_t __udivdi3(uint64_t a, uint64_t b)
{
    uint64_t rest;
    return divide(a, b, &rest);
}

uint64_t __umoddi3(uint64_t a, uint64_t b)
{
    uint64_t rest;
    divide(a, b, &rest);
    return rest;
}

uint32_t __udivsi3(uint32_t a, uint32_t b)
{
    return (uint32_t)__udivdi3(a, b);
}

uint32_t __umodsi3(uint32_t a, uint32_t b)
{
    return (uint32_t)__umoddi3(a, b);
}

int32_t __divsi3(int32_t a, int32_t b)
{
    uint32_t sum = __udivsi3(a < 0 ? 0U - (uint32_t)a : (uint32_t)a,
                             b < 0 ? 0U - (uint32_t)b : (uint32_t)b);
    return (int32_t)((a < 0) != (b < 0) ? 0U - sum : sum);
}
