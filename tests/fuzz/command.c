/* The command with FILEs of any content; see fuzz.h. */

#include "fuzz.h"

/* The command is a part of this program: its main has another name, its exit
   jumps back, what it leaves to the system to free or close is kept in lists,
   and what it prints goes into memory. */

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static jmp_buf back;
static FILE *output, *messages;
static void *taken[16];
static int descriptors[16];

static void *keep_memory(void *old, size_t size)
{
    unsigned i = 0;
    while (taken[i] != old)
        must(++i < 16);
    taken[i] = realloc(old, size);
    return taken[i];
}

static void free_memory(void *old)
{
    unsigned i;
    for (i = 0; i < 16; i++)
        if (old && taken[i] == old)
            taken[i] = NULL;
    free(old);
}

static int keep_open(int fd)
{
    unsigned i = 0;
    if (fd < 0)
        return fd;
    while (descriptors[i] != 0)
        must(++i < 16);
    descriptors[i] = fd;
    return fd;
}

static void forget_open(int fd)
{
    unsigned i;
    for (i = 0; i < 16; i++)
        if (descriptors[i] == fd)
            descriptors[i] = 0;
}

static int close_kept(int fd)
{
    forget_open(fd);
    return close(fd);
}

static int close_stream(FILE *stream)
{
    if (stream == output)
        return fflush(stream);
    forget_open(fileno(stream));
    return fclose(stream);
}

typedef void (*handler)(int);

static handler no_signal(handler h)
{
    return h == SIG_IGN ? h : SIG_DFL;
}

#undef stdout
#undef stderr
#define stdout output
#define stderr messages
#define printf(...) fprintf(output, __VA_ARGS__)
#define puts(text) fprintf(output, "%s\n", text)
#define setvbuf(stream, buffer, mode, size) ((void)(buffer))
#define isatty(fd) ((void)(fd), 0)
#define fsync(fd) ((void)(fd), 0)
#define signal(number, handler) no_signal(handler)
#define realloc(old, size) keep_memory(old, size)
#define free(old) free_memory(old)
#define open(...) keep_open(open(__VA_ARGS__))
#define close(fd) close_kept(fd)
#define fclose(stream) close_stream(stream)
#define exit(status) longjmp(back, (status) + 1)
#define main command_main
#include "examples/bloom.c"
#undef stdout
#undef stderr
#undef printf
#undef puts
#undef setvbuf
#undef isatty
#undef fsync
#undef signal
#undef realloc
#undef free
#undef open
#undef close
#undef fclose
#undef exit
#undef main

/* ---- What is run ---------------------------------------------------------- */

typedef struct bytes { unsigned char at[MOST]; size_t size; } bytes;

static char folder[64], name_a[80], name_b[80], name_in[80], name_out[80];
static char printed[1 << 17], said[1 << 12];
static bytes file_a, file_b, file_in, result;

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
    ssize_t got = fd < 0 ? 0 : read(fd, content->at, MOST);
    must(got >= 0);
    content->size = (size_t)got;
    return fd >= 0 && close(fd) == 0;
}

static bool is_in_file(const char *name, const bytes *content)
{
    return read_file(name, &result) && result.size == content->size
        && memcmp(result.at, content->at, result.size) == 0;
}

static bool is_sound(const bytes *content)
{
    return verdict(content->at, content->size) == BLOOM_OK
        && bloom_verify(bloom_view(content->at, content->size, NULL))
           != BLOOM_CORRUPT;
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
    for (i = 0; i < 16; i++) {
        free(taken[i]);
        taken[i] = NULL;
        if (descriptors[i] > 0)
            close(descriptors[i]);
        descriptors[i] = 0;
    }
    beside = NULL;
}

static int command(int count, char **words)
{
    int status;
    rewind(output);
    rewind(messages);
    memset(said, 0, 256);
    printed[0] = '\0';
    optind = 0;                             /* glibc begins anew */
    options.inverted = false;
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

static bool words_run(const char *verb, const char *w2, const char *w3,
                      const char *w4)
{
    const char *const given[5] = { "bloom", verb, w2, w3, w4 };
    char text[5][80], *words[6] = { NULL };
    int count, status;
    for (count = 0; count < 5 && given[count]; count++) {
        snprintf(text[count], sizeof text[count], "%s", given[count]);
        words[count] = text[count];
    }
    status = command(count, words);
    must(status == 0 || status == 1 || status == 2);
    must(status != 1 || strcmp(verb, "check") == 0);
    if (strcmp(verb, "check") == 0 && status != 2)
        must((status == 0) == (ftell(output) > 0));
    if (status == 2)
        check_message();
    return status != 2;
}

static void contains_lines(const bytes *content)
{
    const bloom *b = bloom_view(content->at, content->size, NULL);
    const unsigned char *at = file_in.at, *end = at + file_in.size, *stop;
    for (; at < end; at = stop + 1) {
        stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop)
            stop = end;
        must(bloom_may_contain(b, at, (size_t)(stop - at)));
    }
}

/* FILE is updated and sealed, or as it was. */
static void do_uniq(void)
{
    redirect();
    must(words_run("uniq", "-f", name_a, NULL) == is_sound(&file_a));
    if (!is_sound(&file_a)) {
        must(is_in_file(name_a, &file_a));
        return;
    }
    must(read_file(name_a, &result) && verdict(result.at, result.size)
         == BLOOM_OK && result.size <= file_a.size);
    must(bloom_verify(bloom_view(result.at, result.size, NULL)) == BLOOM_OK);
    contains_lines(&result);
}

/* OUT is a new file, A itself, or what file_in has: a filter or not */
static void do_merge(unsigned where)
{
    const char *out = where == 0 ? name_out : where == 1 ? name_a : name_in;
    const bytes *old = where == 1 ? &file_a : &file_in;
    bool spare = where > 0 && old->size > 0
                 && (old->size < 3 || memcmp(old->at, "BLM", 3) != 0);
    bool sound = is_sound(&file_a) && is_sound(&file_b), expected, done;
    static bytes sum;
    sum = file_a;
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
        file_b = file_a;
    take(&file_in, &in, MOST);
    if (file_in.size == 0)
        file_in = file_b;
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
