/* The calls of bloom_file.h that every system has, with names in UTF-8.
   cross.sh runs this program on Windows (Wine) and on the emulated Linux
   machines. tests/unit/file.c tests more, on POSIX. The files are in the folder
   IN. It ends with "N passed, N failed". */
#define BLOOM_STATIC
#define _FILE_OFFSET_BITS 64
#ifndef IN
#define IN "build/"
#endif
#ifdef _WIN32
#include <stdbool.h>
#include <windows.h>
static bool late;
static void sleep_(DWORD ms);
#define Sleep sleep_
#endif
#include "examples/companions/bloom_file.h"

static unsigned passed, failed;

#define CHECK(condition) check(condition, __LINE__, #condition)

static void check(bool good, int line, const char *what)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("FAILED: file.c:%d: %s (errno %d)\n", line, what, errno);
}

static bool has(const char *name, const char *text)
{
    size_t size;
    char *image = (char *)bloom_file_load(name, 100, &size);
    const bool good = image && size == strlen(text)
                      && memcmp(image, text, size) == 0;
    bloom_file_free(image);
    return good;
}

#ifdef _WIN32
/* A file that is being replaced is missing until a load has waited. */
static void sleep_(DWORD ms)
{
    (void)ms;
    CHECK(!late || bloom_file_save(IN "late", "late", 4) == 0);
    late = false;
}
#endif

/* A filter, saved over an old one and loaded again */
static void filters(const char *name)
{
    bloom *b = bloom_new(1000, 0.01);
    const bloom *mapped;
    const void *map;
    void *image;
    size_t size;
    CHECK(b && bloom_add(b, "apple", 5));
    bloom_seal(b);
    CHECK(bloom_file_save(name, b, bloom_size(b)) == 0);
    CHECK(bloom_file_save(name, b, bloom_size(b)) == 0);
    image = bloom_file_load(name, SIZE_MAX, &size);
    CHECK(image && size == bloom_size(b) && memcmp(image, b, size) == 0);
    CHECK((uintptr_t)image % 32 == 0);
    bloom_file_free(image);
    map = bloom_file_map(name, &size);
    mapped = map ? bloom_view(map, size, NULL) : NULL;
    CHECK(mapped && bloom_verify(mapped) == BLOOM_OK
          && bloom_may_contain(mapped, "apple", 5));
    bloom_file_unmap(map, size);
    CHECK(!bloom_file_load(name, bloom_size(b) - 1, &size) && errno == EFBIG);
    bloom_free(b);
    remove(name);
}

int main(void)
{
    static const char utf8[] = IN "\316\262\360\237\214\270.bloom";
    const void *map;
    size_t size;
    filters(IN "a.bloom");
    filters(utf8);
    CHECK(bloom_file_save(IN "b", "old", 3) == 0 && has(IN "b", "old"));
    CHECK(bloom_file_save(IN "b", "new", 3) == 0 && has(IN "b", "new"));
    CHECK(bloom_file_save(IN "b", "", 0) == 0 && has(IN "b", ""));
    map = bloom_file_map(IN "b", &size);
    CHECK(map && size == 0);
    bloom_file_unmap(map, size);
    CHECK(!bloom_file_load(IN "none", 9, &size) && errno == ENOENT);
    CHECK(size == 0);
#ifdef _WIN32
    late = true;
    CHECK(has(IN "late", "late") && remove(IN "late") == 0);
#endif
    CHECK(!bloom_file_map(IN "none", &size) && errno == ENOENT);
    CHECK(!bloom_file_load(".", 9, &size) && errno == EISDIR);
    CHECK(bloom_file_save(".", "x", 1) == EISDIR);
    CHECK(bloom_file_save(IN "none/x", "x", 1) == ENOENT);
#ifdef _WIN32
    CHECK(bloom_file_save(IN "\377", "x", 1) == EILSEQ);
    CHECK(bloom_file_save("nul", "x", 1) != 0);         /* a device */
    CHECK(SetFileAttributesA(IN "b", FILE_ATTRIBUTE_READONLY));
    CHECK(bloom_file_save(IN "b", "x", 1) == EACCES && has(IN "b", ""));
    CHECK(SetFileAttributesA(IN "b", FILE_ATTRIBUTE_NORMAL));
#else                       /* more than 32 bits can load or map */
    struct stat file;
    CHECK(truncate(IN "b", (off_t)5 << 30) == 0 && stat(IN "b", &file) == 0);
    if (file.st_size == (off_t)5 << 30) {       /* not on qemu's mips-n32 */
        CHECK(!bloom_file_load(IN "b", sizeof size > 4 ? 9 : SIZE_MAX, &size)
              && errno == EFBIG);
        CHECK(sizeof size > 4 || (!bloom_file_map(IN "b", &size)
                                  && errno == EFBIG));
    }
#endif
    remove(IN "b");
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
