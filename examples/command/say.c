/* say.c: messages, progress, and the end of the output */
#include "say.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int on_screen;                   /* characters of progress */

void show_progress(const char *text)
{
    fprintf(stderr, "\r%*s\rbloom: %s", on_screen, "", text);
    on_screen = (int)strlen(text) + 7;
}

void erase_progress(void)
{
    if (on_screen > 0)
        fprintf(stderr, "\r%*s\r", on_screen, "");
    on_screen = 0;
}

void say(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    erase_progress();
    fputs("bloom: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
}

void *enlarge(void *memory, size_t size)
{
    void *larger = memory ? realloc(memory, size) : malloc(size);
    if (!larger)
        die("not enough memory for %" PRIu64 " bytes", (uint64_t)size);
    return larger;
}

/* Another process may have set O_NONBLOCK. */
ssize_t write_some(const char *text, size_t size)
{
    struct pollfd out = { 1, POLLOUT, 0 };
    const ssize_t some = write(1, text, size);
    if (some < 0 && errno == EAGAIN)
        poll(&out, 1, 1000);
    return some < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : some;
}

void close_output(void)
{
    if (ferror(stdout) || fflush(stdout) != 0 || close(1) != 0)
        die_of(strerror(errno), "standard output");
}
