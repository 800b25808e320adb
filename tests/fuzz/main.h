/* What every fuzz target needs: `must`, and with FUZZ_MAIN a main that runs the
   target on files, without libFuzzer. Include it before macros that replace
   functions of libc. */

#ifndef FUZZ_MAIN_H
#define FUZZ_MAIN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A failure prints the file, line and condition that is not true, and aborts. */
#ifndef must
static inline void must_fail(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: not true: %s\n", file, line, what);
    (abort)();
}

#define must(x) ((x) ? (void)0 : must_fail(__FILE__, __LINE__, #x))
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifdef FUZZ_MAIN
/* Each input is in a block of exactly its size, so that AddressSanitizer
   detects reads beyond it. */
int main(int count, char **names)
{
    static unsigned char content[1 << 20];
    int i;
    for (i = 1; i < count; i++) {
        FILE *file = (fopen)(names[i], "rb");
        size_t size = file ? fread(content, 1, sizeof content, file) : 0;
        unsigned char *copy = malloc(size + 1);
        must(file != NULL && copy != NULL);
        memcpy(copy, content, size);
        LLVMFuzzerTestOneInput(copy, size);
        free(copy);
        (fclose)(file);
    }
    return 0;
}
#endif

#endif
