/* The functions of libbloom, made of ours */
#define BLOOM_STATIC
#include "../../bloom.h"
#define OTHERS_NO_NAMES
#include "bloom.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int libbloom_init(struct libbloom *b, unsigned entries, double error)
{
    memset(b, 0, sizeof *b);
    b->ours = entries < 1000 ? NULL : bloom_new(entries, error);
    if (!b->ours)
        return 1;
    b->entries = entries;
    b->error = error;
    b->bits = (unsigned long)bloom_plan_of(b->ours).cells;
    b->bytes = (unsigned long)bloom_size(b->ours);
    b->ready = 1;
    return 0;
}

void libbloom_free(struct libbloom *b)
{
    if (b->ready)
        bloom_free(b->ours);
    b->ready = 0;
}

int libbloom_check(struct libbloom *b, const void *key, int size)
{
    return b->ready ? bloom_may_contain(b->ours, key, (size_t)size) : -1;
}

int libbloom_add(struct libbloom *b, const void *key, int size)
{
    return b->ready ? !bloom_add(b->ours, key, (size_t)size) : -1;
}

int libbloom_merge(struct libbloom *into, struct libbloom *from)
{
    if (!into->ready || !from->ready)
        return -1;
    if (into->entries != from->entries || into->error != from->error
        || into->major != from->major || into->minor != from->minor)
        return 1;
    return !bloom_merge(into->ours, from->ours);
}

int libbloom_reset(struct libbloom *b)
{
    if (b->ready)
        bloom_clear(b->ours);
    return !b->ready;
}

int libbloom_save(struct libbloom *b, char *name)
{
    FILE *file = name ? fopen(name, "wb") : NULL;
    bool good = file && fwrite(b->ours, 1, b->bytes, file) == b->bytes;
    return (file && fclose(file) != 0) || !good;
}

/* Our bytes have no number for libbloom's reasons: it is always 1. */
int libbloom_load(struct libbloom *b, char *name)
{
    FILE *file = b && name ? fopen(name, "rb") : NULL;
    unsigned char head[BLOOM_HEADER_SIZE];
    const bloom *found;
    if (!file)
        return 1;
    memset(b, 0, sizeof *b);
    if (fread(head, 1, sizeof head, file) == sizeof head
        && (found = bloom_view(head, SIZE_MAX, NULL)) != NULL) {
        b->bytes = (unsigned long)bloom_size(found);
        b->ours = calloc(1, b->bytes);  /* as bloom_free expects */
        rewind(file);
        b->ready = b->ours
            && fread(b->ours, 1, b->bytes, file) == b->bytes;
    }
    fclose(file);
    return !b->ready;
}

void libbloom_print(struct libbloom *b)
{
    printf("%u entries, %lu bits\n", b->entries, b->bits);
}

const char *libbloom_version(void)
{
    return "of bloom.h";
}
