/* bytes.h: a file of somebody else's in memory, and the numbers in it. Whatever
   its offsets claim, nothing outside of it is read: the program then ends and
   says that the file is damaged. Include it after  #define PROGRAM "name". */
#ifndef BLOOM_COMMON_BYTES_H
#define BLOOM_COMMON_BYTES_H

#include "need.h"
#include <stdint.h>

static struct bytes {
    const char *name;
    unsigned char *at;
    size_t size;
    bool big_endian;                    /* its numbers are */
} file;

/* Memory grows with what arrives: a pipe has no size. */
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

static const unsigned char *bytes_at(uint64_t at, uint64_t size)
{
    need(at <= file.size && size <= file.size - at, file.name,
         "damaged, or cut: something in it lies past its end");
    return file.at + at;
}

/* The number of so many bytes, 1 to 8 */
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
