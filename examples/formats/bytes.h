/* bytes.h: reads a file into memory, and numbers from it. Nothing outside of
   the file is ever read: if an offset points there, the program ends and says
   that the file is damaged. Include it after  #define PROGRAM "name". */
#ifndef BLOOM_COMMON_BYTES_H
#define BLOOM_COMMON_BYTES_H

#include "../need.h"
#include <stdint.h>

static struct bytes {
    const char *name;
    unsigned char *at;
    size_t size;
    bool big_endian;                    /* byte order of its numbers */
} file;

/* Reads the whole file. It may be a pipe, which has no size, so the memory
   grows as bytes arrive. */
static void read_file(const char *name)
{
    size_t room = 0, got = 1;
    FILE *from = fopen(name, "rb");
    need(from != NULL, name, NULL);
    file.name = name;
    while (got > 0) {
        if (file.size == room) {
            room = 2 * room + 65536;
            file.at = (unsigned char *)realloc(file.at, room);
            need(file.at != NULL, name, "not enough memory");
        }
        got = fread(file.at + file.size, 1, room - file.size, from);
        file.size += got;
    }
    need(!ferror(from), name, NULL);
    fclose(from);
}

/* The `size` bytes at the offset `at` */
static const unsigned char *bytes_at(uint64_t at, uint64_t size)
{
    need(at <= file.size && size <= file.size - at, file.name,
         "damaged or truncated: an offset in it points past its end");
    return file.at + at;
}

/* The number of `size` bytes, 1 to 8, at the offset `at` */
static uint64_t number_at(uint64_t at, unsigned size)
{
    const unsigned char *p = bytes_at(at, size);
    uint64_t x = 0;
    unsigned i;
    for (i = 0; i < size; i++)
        x = x << 8 | p[file.big_endian ? i : size - 1 - i];
    return x;
}

#endif
