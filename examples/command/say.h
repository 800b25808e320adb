/* say.h: messages, the line of progress that a message erases, and the end of
   the output. The other headers include this one first, as it names the edition
   of POSIX, which must precede the headers of the system. (On the BSDs and
   macOS that would hide flock.) */

#ifndef SAY_H
#define SAY_H

#if !defined(_POSIX_C_SOURCE) && !defined(__APPLE__) \
    && !defined(__FreeBSD__) && !defined(__OpenBSD__)
#define _POSIX_C_SOURCE 200809L
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/types.h>

void say(const char *format, ...);
#define die(...) (say(__VA_ARGS__), exit(2))
#define die_of(why, name) die("%s: %s", name, why)

/* realloc(); exits if there is not enough memory */
void *enlarge(void *memory, size_t size);

/* A line on the terminal. It stays until it is erased or shown again. */
void show_progress(const char *text);
void erase_progress(void);

/* Writes some bytes to the standard output, and returns how many: 0 after a
   signal, or if it took none for a second. -1: errno says why */
ssize_t write_some(const char *text, size_t size);

/* Exits with an error unless all output was written. */
void close_output(void);

#endif
