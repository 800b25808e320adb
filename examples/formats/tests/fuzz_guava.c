/* Fuzz target: examples/formats/guava.c with a filter file and keys of any
   content. A file must either be refused with one line that names it, or have
   the size that its header requires; then a key that is put must be found. The
   input: two bytes of flags and of the keys' length, the keys, the file.

   fuzz: length=128
   fuzz: libraries=-lm
   fuzz: package=libc6-dev
   fuzz: compare=yes */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/fuzz/main.h"

static jmp_buf back;
static FILE *output, *messages, *input, *opened;
static char printed[1 << 16], said[512];
static const void *content;
static size_t content_size;

static FILE *open_content(const char *name)
{
    union { const void *from; void *to; } bytes;
    must(strcmp(name, "file") == 0);
    bytes.from = content_size ? content : "";
    opened = fmemopen(bytes.to, content_size, "rb");
    return opened;
}

static int close_content(FILE *file)
{
    opened = NULL;
    return fclose(file);
}

#undef stdin
#undef stdout
#undef stderr
#undef putchar
#define stdin input
#define stdout output
#define stderr messages
#define printf(...) fprintf(output, __VA_ARGS__)
#define putchar(c) fputc(c, output)
#define fopen(name, mode) open_content(name)
#define fclose(file) close_content(file)
#define exit(status) longjmp(back, status)
#define main tool_main
#include "examples/formats/guava.c"
#undef main
#undef exit
#undef fopen
#undef fclose
#undef printf

static int run(int count, const char *w1, const char *w2, const char *w3)
{
    const char *given[3];
    char text[4][16], *words[5] = { NULL };
    volatile int status = 2;
    int i;
    given[0] = w1;
    given[1] = w2;
    given[2] = w3;
    words[0] = text[3];
    for (i = 1; i < count; i++) {
        strcpy(text[i - 1], given[i - 1]);
        words[i] = text[i - 1];
    }
    hexadecimal = false;
    rewind(output);
    rewind(messages);
    if (setjmp(back) == 0)
        status = tool_main(count, words);
    fputc('\0', output);
    fputc('\0', messages);
    fflush(output);
    fflush(messages);
    if (opened)
        close_content(opened);
    return status;
}

static void check_message(void)
{
    const char *end = strchr(said, '\n');
    must(strncmp(said, PROGRAM ": ", sizeof PROGRAM + 1) == 0);
    must(strstr(said, ": file: ") || strstr(said, ": standard input: "));
    must(end && end[1] == '\0');
}

/* Runs `info` or `check`, which may get the option -x. */
static int info_or_check(unsigned flags)
{
    return flags & 1 ? run(3, "info", "file", NULL)
         : flags & 2 ? run(4, "check", "-x", "file")
                     : run(3, "check", "file", NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char keys[257];
    size_t key_size;
    int status;
    if (size < 2)
        return 0;
    if (!output) {
        output = fmemopen(printed, sizeof printed, "w");
        messages = fmemopen(said, sizeof said, "w");
        must(output && messages);
    }
    key_size = data[1] < size - 2 ? data[1] : size - 2;
    memcpy(keys, data + 2, key_size);
    keys[key_size] = '\n';
    input = fmemopen(keys, key_size + 1, "r");
    content = data + 2 + key_size;
    content_size = size - 2 - key_size;
    status = info_or_check(data[0]);
    if (status == 2)
        check_message();
    if (status == 0) {
        must(said[0] == '\0' && f.size == content_size);
        must(f.bits / 8 + HEADER == f.size && f.hashes > 0);
        visit(keys, key_size, PUT);
        must(visit(keys, key_size, ASK));
    }
    (fclose)(input);
    free(f.file);
    memset(&f, 0, sizeof f);
    return 0;
}
