/* image.h: reads the bytes of a filter from a file whose size may be unknown */

#ifndef IMAGE_H
#define IMAGE_H

#include "posix.h"
#include "bloom.h"

enum { HEADER = BLOOM_HEADER_SIZE };

size_t bytes_to_come(int fd);           /* in the file; 0: unknown */

/* Reads `size` bytes, or up to the end of the file; returns how many. */
size_t read_whole(int fd, const char *name, void *to, size_t size);

/* Returns memory with the `have` bytes of `head` and those that follow, up to
   `size` bytes; *have: how many it has then. */
unsigned char *read_rest(int fd, const char *name, const void *head,
                         size_t *have, size_t size);

/* Reads the filter whose header is `head`. Exits if it is none. */
bloom *read_one(int fd, const char *name, const void *head);

#endif
