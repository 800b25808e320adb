/* For mutants.py, which includes this in a test program and compiles it with
   -finstrument-functions: prints the address of each function that a test
   calls. */
#ifndef REACHED_H
#define REACHED_H

#include <stdbool.h>
#include <stdio.h>

#define PLAIN __attribute__((no_instrument_function))

static bool begin_test(const char *test);

void __cyg_profile_func_enter(void *function, void *from) PLAIN;
void __cyg_profile_func_exit(void *function, void *from) PLAIN;

void __cyg_profile_func_enter(void *function, void *from)
{
    static struct { void *function; unsigned test; } last[65536];
    static unsigned test;
    const unsigned i = (unsigned)((size_t)function / 4 % 65536);
    (void)from;
    test += function == (void *)begin_test;
    if (last[i].function == function && last[i].test == test)
        return;
    last[i].function = function;
    last[i].test = test;
    printf("calls: %p\n", function);
}

void __cyg_profile_func_exit(void *function, void *from)
{
    (void)function, (void)from;
}

#endif
