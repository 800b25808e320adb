/* The command with FILEs of any content; see fuzz.h. */

#include <stddef.h>

static void *keep_cells(size_t size);
static void free_memory(void *old);

#define BLOOM_MALLOC(size) keep_cells(size)
#define BLOOM_FREE(old) free_memory(old)
#include "fuzz.h"

/* The command is a part of this program: its main has another name, its exit
   jumps back, what it leaves to the system to free or close is kept in lists,
   and what it prints goes into memory. */

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum { KEPT = 256, ROOM = 1 << 22 };

static jmp_buf back;
static FILE *output, *messages;
static void *memories[KEPT];
static int descriptors[KEPT];

static void *keep_memory(void *old, size_t size)
{
    unsigned i = 0;
    while (memories[i] != old)
        must(++i < KEPT);
    memories[i] = realloc(old, size);
    return memories[i];
}

static void *keep_zeros(size_t size)
{
    void *memory = keep_memory(NULL, size);
    return memory ? memset(memory, 0, size) : NULL;
}

/* No filter of more than a megabyte: a head may ask for one. */
static void *keep_cells(size_t size)
{
    return size <= 1 << 20 ? keep_memory(NULL, size) : NULL;
}

static int keep_aligned(void **memory, size_t alignment, size_t size)
{
    (void)alignment;
    *memory = keep_cells(size);
    return *memory ? 0 : ENOMEM;
}

static void free_memory(void *old)
{
    unsigned i;
    for (i = 0; i < KEPT; i++)
        if (old && memories[i] == old)
            memories[i] = NULL;
    free(old);
}

static int keep_open(int fd)
{
    unsigned i = 0;
    if (fd < 0)
        return fd;
    while (descriptors[i] != 0)
        must(++i < KEPT);
    descriptors[i] = fd;
    return fd;
}

static void forget_open(int fd)
{
    unsigned i;
    for (i = 0; i < KEPT; i++)
        if (descriptors[i] == fd)
            descriptors[i] = 0;
}

static int close_kept(int fd)
{
    forget_open(fd);
    return fd == 1 ? 0 : close(fd);
}

static int close_stream(FILE *stream)
{
    forget_open(fileno(stream));
    return fclose(stream);
}

static ssize_t write_kept(int fd, const void *text, size_t size)
{
    return fd == 1 ? (ssize_t)fwrite(text, 1, size, output)
                   : write(fd, text, size);
}

static int no_sigaction(int number, const void *new, const void *old)
{
    return number == 0 || new == old ? 0 : -1;
}

#undef stdout
#undef stderr
#define stdout output
#define stderr messages
#define printf(...) fprintf(output, __VA_ARGS__)
#define puts(text) fprintf(output, "%s\n", text)
#define putchar(c) fputc(c, output)
#define isatty(fd) ((void)(fd), 0)
#define fsync(fd) ((void)(fd), 0)
#define sigaction(number, new, old) no_sigaction(number, new, old)
#define atexit(act) ((void)(act))
#define realloc(old, size) keep_memory(old, size)
#define calloc(count, size) keep_zeros(size)
#define posix_memalign(to, alignment, size) keep_aligned(to, alignment, size)
#define free(old) free_memory(old)
#define open(...) keep_open(open(__VA_ARGS__))
#define close(fd) close_kept(fd)
#define write(fd, text, size) write_kept(fd, text, size)
#define fclose(stream) close_stream(stream)
#define exit(status) longjmp(back, (status) + 1)
#define main command_main
#undef BLOOM_MALLOC
#undef BLOOM_FREE
#include "examples/bloom/library.c"
#include "examples/bloom/system.c"
#include "examples/bloom/jobs.c"
#include "examples/bloom/keys.c"
#include "examples/bloom/filter.c"
#include "examples/bloom/save.c"
#include "examples/bloom/uniq.c"
#include "examples/bloom/build.c"
#include "examples/bloom/check.c"
#include "examples/bloom/show.c"
#include "examples/bloom/help.c"
#include "examples/bloom/options.c"
#include "examples/bloom/main.c"
#undef stdout
#undef stderr
#undef printf
#undef puts
#undef putchar
#undef isatty
#undef fsync
#undef sigaction
#undef atexit
#undef realloc
#undef calloc
#undef posix_memalign
#undef free
#undef open
#undef close
#undef write
#undef fclose
#undef exit
#undef main

size_t add_atomically(bloom *b, const bloom_key *key, size_t count)
{
    return bloom_add_many(b, key, count, NULL);
}

/* ---- What is run ---------------------------------------------------------- */

typedef struct bytes { unsigned char at[ROOM]; size_t size; } bytes;

static char folder[64], name_a[80], name_b[80], name_in[80], name_out[80];
static char printed[1 << 17], said[1 << 12];
static bytes file_a, file_b, file_in, result;

static void copy(bytes *to, const bytes *from)
{
    memcpy(to->at, from->at, from->size);
    to->size = from->size;
}

static void remove_folder(void)
{
    remove(name_a);
    remove(name_b);
    remove(name_in);
    remove(name_out);
    remove(folder);
}

static void set_up(void)
{
    const char *base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(folder, sizeof folder, "%s/bloom-fuzz-XXXXXX", base);
    must(mkdtemp(folder) != NULL);
    snprintf(name_a, sizeof name_a, "%s/a", folder);
    snprintf(name_b, sizeof name_b, "%s/b", folder);
    snprintf(name_in, sizeof name_in, "%s/in", folder);
    snprintf(name_out, sizeof name_out, "%s/out", folder);
    output = fmemopen(printed, sizeof printed, "w");
    messages = fmemopen(said, sizeof said, "w");
    must(output && messages);
    atexit(remove_folder);
}

static void write_file(const char *name, const bytes *content)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    must(write(fd, content->at, content->size) == (ssize_t)content->size);
    must(close(fd) == 0);
}

/* false: there is none */
static bool read_file(const char *name, bytes *content)
{
    int fd = open(name, O_RDONLY);
    ssize_t got = fd < 0 ? 0 : read(fd, content->at, ROOM);
    must(got >= 0);
    content->size = (size_t)got;
    return fd >= 0 && close(fd) == 0;
}

static bool is_in_file(const char *name, const bytes *content)
{
    return read_file(name, &result) && result.size == content->size
        && memcmp(result.at, content->at, result.size) == 0;
}

static bool is_chain(const bytes *content)
{
    return content->size >= 3 && memcmp(content->at, "BLC", 3) == 0;
}

/* One filter, or the links of a chain, with seals that are right or none */
static bool is_sound(const bytes *content)
{
    bloom_chain *c;
    bool sound = true;
    unsigned i;
    if (!is_chain(content))
        return verdict(content->at, content->size) == BLOOM_OK
            && bloom_verify(bloom_view(content->at, content->size, NULL))
               != BLOOM_CORRUPT;
    c = bloom_chain_load(content->at, content->size, NULL);
    for (i = 0; c && i < bloom_chain_links(c); i++)
        if (bloom_verify(bloom_chain_link(c, i)) == BLOOM_CORRUPT)
            sound = false;
    sound = c != NULL && sound;
    bloom_chain_free(c);
    return sound;
}

/* The lines of file_in as standard input */
static void redirect(void)
{
    int fd = open(name_in, O_RDONLY);
    must(fd >= 0);
    if (fd != 0)
        must(dup2(fd, 0) == 0 && close(fd) == 0);
}

static void take_back(void)
{
    unsigned i;
    let_go();
    for (i = 0; i < KEPT; i++) {
        free(memories[i]);
        memories[i] = NULL;
        if (descriptors[i] > 0)
            close(descriptors[i]);
        descriptors[i] = 0;
    }
    memset(&run, 0, sizeof run);
    memset(&coming, 0, sizeof coming);
    lock_name_ = NULL;
}

static int command(int count, char **words)
{
    static options_t fresh;
    int status;
    if (fresh.n == 0)
        fresh = options;
    options = fresh;
    rewind(output);
    rewind(messages);
    memset(said, 0, 256);
    printed[0] = '\0';
    optind = 0;                             /* glibc begins anew */
    status = setjmp(back);
    status = status ? status - 1 : command_main(count, words);
    fflush(output);
    fflush(messages);
    take_back();
    return status;
}

static void check_message(void)
{
    size_t end = strlen(said);
    must(strncmp(said, "bloom: ", 7) == 0);
    must(strncmp(said + 7, folder, strlen(folder)) == 0);
    must(strstr(said + 7 + strlen(folder), ": ") != NULL);
    must(end > 0 && strchr(said, '\n') == said + end - 1);
}

static bool words_run(const char *first, const char *w2, const char *w3,
                      const char *w4)
{
    const char *const given[5] = { "bloom", first, w2, w3, w4 };
    char text[5][80], *words[6] = { NULL };
    int count, status;
    for (count = 0; count < 5 && given[count]; count++) {
        snprintf(text[count], sizeof text[count], "%s", given[count]);
        words[count] = text[count];
    }
    status = command(count, words);
    must(status == 0 || status == 1 || status == 2);
    must(status != 1 || strcmp(first, "check") == 0);
    if (strcmp(first, "check") == 0 && status != 2)
        must((status == 0) == (ftell(output) > 0));
    if (status == 2)
        check_message();
    return status != 2;
}

static bool one_contains(const bytes *content, const void *key, size_t size)
{
    const unsigned char *at = content->at + 32;
    const bloom *b = bloom_view(content->at, content->size, NULL);
    bool maybe = b && bloom_may_contain(b, key, size);
    while (is_chain(content) && !maybe && at < content->at + content->size) {
        b = bloom_view(at, SIZE_MAX, NULL);
        maybe = bloom_may_contain(b, key, size);
        at += bloom_size(b);
    }
    return maybe;
}

static void contains_lines(const bytes *content)
{
    const unsigned char *at = file_in.at, *end = at + file_in.size, *stop;
    for (; at < end; at = stop + 1) {
        stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop)
            stop = end;
        must(one_contains(content, at, (size_t)(stop - at)));
    }
}

/* FILE is updated and sealed, and may have grown, or it is as it was. */
static void do_uniq(void)
{
    redirect();
    must(words_run("uniq", "-f", name_a, NULL) == is_sound(&file_a));
    if (!is_sound(&file_a)) {
        must(is_in_file(name_a, &file_a));
        return;
    }
    must(read_file(name_a, &result) && is_sound(&result));
    must(!is_chain(&file_a) || is_chain(&result));
    contains_lines(&result);
}

/* OUT is a new file, A itself, or what file_in has: a filter or not */
static void do_merge(unsigned where)
{
    const char *out = where == 0 ? name_out : where == 1 ? name_a : name_in;
    const bytes *old = where == 1 ? &file_a : &file_in;
    bool spare = where > 0 && old->size > 0
                 && (old->size < 3 || (memcmp(old->at, "BLM", 3) != 0
                                       && memcmp(old->at, "BLC", 3) != 0));
    bool sound = is_sound(&file_a) && is_sound(&file_b)
                 && !is_chain(&file_a) && !is_chain(&file_b), expected, done;
    static bytes sum;
    copy(&sum, &file_a);
    expected = sound && !spare
        && bloom_merge(bloom_open(sum.at, sum.size, NULL),
                       bloom_view(file_b.at, file_b.size, NULL));
    remove(name_out);
    done = words_run("merge", out, name_a, name_b);
    must(done == expected);
    must(is_in_file(name_b, &file_b));
    must(where == 1 || is_in_file(name_a, &file_a));
    if (!done) {
        must(where == 0 ? access(name_out, F_OK) != 0 : is_in_file(out, old));
        return;
    }
    bloom_seal(bloom_open(sum.at, sum.size, NULL));
    sum.size = bloom_size(bloom_view(sum.at, sum.size, NULL));
    must(is_in_file(out, &sum));
}

static void no_file_beside(const char *name)
{
    char other[128];
    snprintf(other, sizeof other, "%s.tmp.%ld", name, (long)getpid());
    must(access(other, F_OK) != 0);
    snprintf(other, sizeof other, "%s.lock", name);
    must(access(other, F_OK) != 0);
}

static void take(bytes *to, input *in, size_t size)
{
    size_t left = (size_t)(in->end - in->at);
    to->size = size < left ? size : left;
    memcpy(to->at, in->at, to->size);
    in->at += to->size;
}

/* Which verb, how long A is, A, and then B and the lines */
static void run_one(input in)
{
    unsigned what = byte_of(&in);
    size_t size = number_of(&in, 2) % 1024;
    if (in.end - in.at > MOST)
        return;
    if (!output)
        set_up();
    take(&file_a, &in, size);
    take(&file_b, &in, what & 8 ? size : MOST);
    if (what & 16)
        copy(&file_b, &file_a);
    take(&file_in, &in, MOST);
    if (file_in.size == 0)
        copy(&file_in, &file_b);
    write_file(name_a, &file_a);
    write_file(name_b, &file_b);
    write_file(name_in, &file_in);
    switch (what % 8) {
    case 0: must(words_run("check", name_a, name_in, NULL)
                 == is_sound(&file_a)); break;
    case 1: must(words_run("check", "-v", name_a, name_in)
                 == is_sound(&file_a)); break;
    case 2: must(words_run("info", name_a, NULL, NULL) == is_sound(&file_a));
            break;
    case 3: must(words_run("dump", name_a, NULL, NULL) == is_sound(&file_a));
            break;
    case 4: do_uniq(); break;
    default: do_merge(what % 8 - 5);
    }
    must(what % 8 >= 4 || is_in_file(name_a, &file_a));
    no_file_beside(name_a);
    no_file_beside(name_in);
    no_file_beside(name_out);
}
