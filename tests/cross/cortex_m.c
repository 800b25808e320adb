/* Runtime for test programs on a Cortex-M, with newlib and semihosting: the
   vector table, and a start that calls main and passes its result to the
   emulator. A fault, such as an unaligned load on an M0, ends the program with
   status 3. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv);
void initialise_monitor_handles(void);          /* newlib's librdimon */
void _fini(void);                               /* which exit() calls */
void start(void);
void fault(void);

void stack_top(void);                           /* only an address */
extern unsigned char data_start[], data_end[], data_image[];
extern unsigned char bss_start[], bss_end[];

typedef void vector(void);

__attribute__((section(".vectors"), used))
static vector *const vectors[16] = {
    stack_top, start, fault, fault, fault, fault, fault
};

static void say(const char *text)               /* SYS_WRITE0 */
{
    register uint32_t r0 __asm__("r0") = 4;
    register const char *r1 __asm__("r1") = text;
    __asm__ volatile ("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
}

void fault(void)
{
    say("fault\n");
    _Exit(3);
}

void _fini(void)
{
}

void start(void)
{
    memcpy(data_start, data_image, (size_t)(data_end - data_start));
    memset(bss_start, 0, (size_t)(bss_end - bss_start));
    initialise_monitor_handles();
    exit(main(0, NULL));
}
