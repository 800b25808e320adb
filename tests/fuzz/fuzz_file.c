/* Fuzz target: files (bloom_file.h), by random calls. The model is what each
   file should contain. Files are saved and removed while others are mapped or
   open, and at the end of each call every file must be whole, with nothing else
   in the folder.
   MemorySanitizer of clang 14 does not know which bytes fstat writes.

   fuzz: length=256
   fuzz: msan=no */

#include "fuzz.h"
#include "examples/companions/bloom_file.h"
#include <dirent.h>

enum { FILES = 3, ROOM = 1 << 13 };

/* The third name is that by which Linux calls the first file once it was
   removed. The last name is a symbolic link to the first. */
static const char *const ends[FILES + 1] = { "a", "b", "a (deleted)", "l" };
static char folder[32], names[FILES + 1][48];
static int held;                    /* a file that is open, or -1 */

static struct model {
    bool there;
    size_t size;
    unsigned char bytes[ROOM];
} files[FILES];

static struct model *model_of(unsigned name)
{
    return &files[name % FILES];
}

/* A new folder for each input, in memory if possible, with nothing but the
   link. */
static void begin_model(void)
{
    unsigned i;
    memset(files, 0, sizeof files);
    snprintf(folder, sizeof folder, "%s/fuzz_file.XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    must(mkdtemp(folder) != NULL);
    for (i = 0; i <= FILES; i++)
        snprintf(names[i], sizeof names[i], "%s/%s", folder, ends[i]);
    must(symlink("a", names[FILES]) == 0);
    held = -1;
}

/* Removes the folder, in which there must be nothing else. */
static void end_model(void)
{
    unsigned i;
    if (held >= 0)
        close(held);
    for (i = 0; i <= FILES; i++)
        unlink(names[i]);
    must(rmdir(folder) == 0);
}

/* Some bytes of the input, repeated up to a size */
static size_t bytes_of(input *in, unsigned char bytes[ROOM])
{
    const size_t size = (size_t)number_of(in, 2) % (ROOM / 2);
    const unsigned first = byte_of(in);
    size_t i;
    for (i = 0; i < size; i++)
        bytes[i] = (unsigned char)(first + i * 7);
    return size;
}

/* ---- Calls --------------------------------------------------------------- */

static void save(unsigned name, input *in)
{
    static unsigned char bytes[ROOM];
    struct model *to = model_of(name);
    const size_t size = bytes_of(in, bytes);
    must(bloom_file_save(names[name], bytes, size) == 0);
    to->there = true;
    to->size = size;
    memcpy(to->bytes, bytes, size);
}

static void load(unsigned name, size_t most)
{
    const struct model *of = model_of(name);
    size_t size = 99;
    void *image = bloom_file_load(names[name], most, &size);
    must(!image == (!of->there || of->size > most));
    must(image || errno == (of->there ? EFBIG : ENOENT));
    must(size == (image ? of->size : 0));
    must(!image || ((uintptr_t)image % 32 == 0
                    && memcmp(image, of->bytes, size) == 0));
    bloom_file_free(image);
}

/* Opens the first file, or saves to the file that is open, by its number. That
   has no name if the first file was replaced or removed since. */
static void hold(void)
{
    if (held < 0)
        held = open(names[0], O_RDONLY | O_CLOEXEC);
}

static void save_held(input *in)
{
    static unsigned char bytes[ROOM];
    const size_t size = bytes_of(in, bytes);
    char number[40];
    struct stat open_one, first;
    if (held < 0)
        return;
    snprintf(number, sizeof number, "/proc/self/fd/%d", held);
    must(fstat(held, &open_one) == 0);
    if (stat(names[0], &first) != 0 || first.st_ino != open_one.st_ino) {
        must(bloom_file_save(number, bytes, size) == EINVAL);
        return;
    }
    must(bloom_file_save(number, bytes, size) == 0);
    files[0].size = size;
    memcpy(files[0].bytes, bytes, size);
}

/* A map keeps its bytes when the file is replaced. */
static void map(unsigned name, bool replace, input *in)
{
    static unsigned char before[ROOM];
    const struct model *of = model_of(name);
    size_t size = 99, old = of->size;
    const void *image = bloom_file_map(names[name], &size);
    must(!image == !of->there && (image || (errno == ENOENT && size == 0)));
    if (!image)
        return;
    memcpy(before, of->bytes, old);
    if (replace)
        save(name, in);
    must(size == old && memcmp(image, before, size) == 0);
    bloom_file_unmap(image, size);
}

/* ---- What must be true after each call ----------------------------------- */

/* Reads a file by stdio. Is it as the model says? */
static void must_be(unsigned name)
{
    static unsigned char bytes[ROOM + 1];
    const struct model *of = model_of(name);
    FILE *file = fopen(names[name], "rb");
    must(!file == !of->there);
    if (!file)
        return;
    must(fread(bytes, 1, sizeof bytes, file) == of->size
         && memcmp(bytes, of->bytes, of->size) == 0);
    fclose(file);
}

static unsigned count_names(void)
{
    unsigned count = 0;
    const struct dirent *entry;
    DIR *all = opendir(folder);
    must(all != NULL);
    while ((entry = readdir(all)) != NULL)
        count += entry->d_name[0] != '.';
    closedir(all);
    return count;
}

static void must_agree(void)
{
    unsigned i, expected = 1;                   /* the link */
    for (i = 0; i < FILES; i++)
        expected += files[i].there;
    for (i = 0; i <= FILES; i++)
        must_be(i);
    must(count_names() == expected);
}

static void run_one(input in)
{
    unsigned calls, what, name;
    begin_model();
    for (calls = 0; in.at < in.end && calls < 24; calls++) {
        what = byte_of(&in);
        name = what / 8 % (FILES + 1);
        switch (what % 4) {
        case 0:
            if (what & 128)
                save_held(&in);
            else
                save(name, &in);
            break;
        case 1:
            if (what & 128)
                hold();
            load(name, what & 64 ? (size_t)number_of(&in, 2) : SIZE_MAX);
            break;
        case 2: map(name, what & 64, &in); break;
        default:
            unlink(names[name % FILES]);
            files[name % FILES].there = false;
        }
        must_agree();
    }
    end_model();
}
