/* say.h: messages, the line of progress that a message erases, and the end of
   the output */

#ifndef SAY_H
#define SAY_H

#include "posix.h"

#include <inttypes.h>
#include <stdlib.h>

void say(const char *format, ...);
#define die(...) (say(__VA_ARGS__), exit(2))
#define die_of(why, name) die("%s: %s", name, why)

/* realloc(); exits if there is not enough memory */
void *enlarge(void *memory, size_t size, const char *name);

/* A line on the terminal. It stays until it is erased or shown again. */
void show_progress(const char *text);
void erase_progress(void);

/* Exits with an error unless all output was written. */
void close_output(void);

#endif
