/* image.c: reads the bytes of a filter */
#include "image.h"
#include "input.h"
#include "memory.h"
#include "say.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

size_t bytes_to_come(int fd)
{
    struct stat file;
    off_t at = lseek(fd, 0, SEEK_CUR);
    if (at < 0 || fstat(fd, &file) != 0 || !S_ISREG(file.st_mode)
        || file.st_size <= at || (uintmax_t)(file.st_size - at) > SIZE_MAX / 2)
        return 0;
    return (size_t)(file.st_size - at);
}

size_t read_whole(int fd, const char *name, void *to, size_t size)
{
    size_t have = 0, got = 1;
    while (have < size && got > 0)
        have += got = read_some(fd, name, (char *)to + have, size - have);
    return have;
}

/* Memory grows with the bytes that arrive, as the size in a header is not
   trusted. */
unsigned char *read_rest(int fd, const char *name, const void *head,
                         size_t *have, size_t size)
{
    const size_t all = *have + bytes_to_come(fd), first = 1 << 16;
    size_t room = all > first ? all : first;
    unsigned char *image, *larger;
    room = room < size ? room : size;
    image = need_memory(room, name);
    memcpy(image, head, *have);
    *have += read_whole(fd, name, image + *have, room - *have);
    while (*have == room && room < size) {
        room = room < size / 2 ? 2 * room : size;
        larger = need_memory(room, name);
        memcpy(larger, image, *have);
        free(image);
        image = larger;
        *have += read_whole(fd, name, image + *have, room - *have);
    }
    return image;
}

bloom *read_one(int fd, const char *name, const void *head)
{
    bloom_error error;
    size_t size = bloom_image_size(head, &error), have = HEADER;
    unsigned char *image;
    if (size == 0)
        die_of(bloom_error_text(error), name);
    image = read_rest(fd, name, head, &have, size);
    if (have == size)
        return bloom_open(image, size, NULL);
    free(image);
    die_of(bloom_error_text(BLOOM_TRUNCATED), name);
}
