/* memory.h: memory for filters; free() it. library.c makes bloom.h take its
   memory here. */

#ifndef MEMORY_H
#define MEMORY_H

#include "posix.h"

#include <stdbool.h>
#include <stddef.h>

void *image_memory(size_t size);        /* huge pages for large sizes */
void *need_memory(size_t size, const char *name);       /* or exits */

/* For the filters that bloom.h makes, such as the links of a chain: NULL also
   if `may` refuses the size. */
void *filter_memory(size_t size);
void ask_before_memory(bool (*may)(size_t size));

#endif
