/* Fuzz target: the command, with FILEs of any content and failing system calls
   (see fuzz.h). A FILE must be updated completely or stay as it was, no lock or
   temporary file may be left over, and errors must name the file.

   fuzz: length=384 */

#define _GNU_SOURCE                     /* fopencookie */
#include <stddef.h>

static void *keep_cells(size_t size);
static void free_memory(void *old);

#define BLOOM_MALLOC(size) keep_cells(size)
#define BLOOM_FREE(old) free_memory(old)
#include "fuzz.h"

/* The command is part of this program. Macros rename its main, make its exit
   jump back, and give it the memory of fuzz_memory.h and the files of
   fuzz_files.h. Of its output through stdio, only the size is stored. */

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
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#include "fuzz_memory.h"
#include "fuzz_files.h"

static jmp_buf back;
static FILE *output, *messages;
static size_t printed;
static char said[1 << 12];
static content written;                   /* output by write() */
static void (*at_exit[4])(void);
static int at_exits;

void *filter_memory(size_t size);

/* Refuses filters of more than 16 KB, which a head may require. */
static void *keep_cells(size_t size)
{
    return size <= 1 << 14 ? filter_memory(size) : NULL;
}

static void *keep_memory(void *old, size_t size)
{
    unsigned char *memory = take_memory(size);
    if (memory && old) {
        size_t had = block_at(old)->size;
        memcpy(memory, old, had < size ? had : size);
        free_memory(old);
    }
    return memory;
}

static void *keep_zeros(size_t size)
{
    void *memory = take_memory(size);
    return memory ? memset(memory, 0, size) : NULL;
}

static int keep_aligned(void **memory, size_t size)
{
    *memory = take_memory(size);
    return *memory ? 0 : ENOMEM;
}

static ssize_t print(void *to, const char *text, size_t size)
{
    (void)to;
    (void)text;
    printed += size;
    return (ssize_t)size;
}

static ssize_t show(int fd, const char *text, size_t size)
{
    if (fd == 1 && fails(ENOSPC)) {
        failed_before = true;
        return -1;
    }
    must(size <= FILE_ROOM - written.size);
    memcpy(written.at + written.size, text, size);
    written.size += size;
    return print(NULL, text, size);
}

static int keep_at_exit(void (*act)(void))
{
    must(at_exits < 4);
    at_exit[at_exits++] = act;
    return 0;
}

/* pwrite, which is never called, as file_reserve replaces it */
static ssize_t no_pwrite(int fd, const void *text, size_t size, off_t from)
{
    must(fd < 0 && !text && size == 0 && from == 0);
    return -1;
}

static int no_time(struct timespec *now)
{
    static time_t seconds;
    now->tv_sec = seconds += trouble.slow;
    now->tv_nsec = 0;
    return 0;
}

static int nothing(const void *x, const void *y)
{
    return x == y ? 0 : -1;
}

static int no_poll(struct pollfd *either)
{
    either->revents = POLLIN;
    return 1;
}

#undef stdout
#undef stderr
#define stdout output
#define stderr messages
#define printf(...) fprintf(output, __VA_ARGS__)
#define puts(text) fprintf(output, "%s\n", text)
#define putchar(c) fputc(c, output)
#define isatty(fd) ((void)(fd), 0)
#define fsync(fd) ((void)(fd), fails(EIO) ? -1 : 0)
#define fchmod(fd, mode) ((void)(fd), (void)(mode), 0)
#define pipe(ends) ((void)(ends), 0)
#define poll(either, count, wait) no_poll(either)
#define nanosleep(time, left) ((void)(time), (void)(left))
#define clock_gettime(clock, now) no_time(now)
#define sysconf(what) 2L
#define signal(number, act) ((void)(number))
#define sigaction(number, new, old) nothing(new, old)
#define sigprocmask(how, new, old) ((void)(how), (void)(new), (void)(old))
#define ioctl(fd, ...) (-1)
#define atexit(act) keep_at_exit(act)
#define malloc(size) take_memory(size)
#define realloc(old, size) keep_memory(old, size)
#define calloc(count, size) keep_zeros((count) * (size))
#define posix_memalign(to, alignment, size) keep_aligned(to, size)
#define madvise(memory, size, what) nothing(memory, memory)
#define free(old) free_memory(old)
#define open(name, ...) file_open(name, FIRST_OF(__VA_ARGS__, 0))
#define FIRST_OF(flags, ...) (flags)
#define close(fd) file_close(fd)
#define read(fd, to, most) file_read(fd, to, most)
#define write(fd, text, size) show(fd, text, size)
#define lseek(fd, at, from) file_seek(fd, at, from)
#define stat(name, s) file_stat(name, s)
#define lstat(name, s) file_stat(name, s)
#define fstat(fd, s) file_state(fd, s)
#define access(name, how) file_access(name)
#define posix_fallocate(fd, from, size) file_reserve(fd, from, size)
#define pwrite(fd, text, size, from) no_pwrite(fd, text, size, from)
#define ftruncate(fd, size) file_cut(fd, size)
#define readlink(name, to, room) ((void)(to), -1)
#define remove(name) file_remove(name)
#define rename(from, to) file_rename(from, to)
#define fcntl file_control
#define getpid() 42
#define fdopen(fd, how) stream_of(fd)
#define fileno(stream) stream_fd
#define exit(status) longjmp(back, (status) + 1)
#define main command_main
#undef BLOOM_MALLOC
#undef BLOOM_FREE
#include "examples/command/library.c"
#include "examples/command/system.c"
#include "examples/command/jobs.c"
#include "examples/command/keys.c"
#include "examples/command/plan.c"
#include "examples/command/filter.c"
#include "examples/command/save.c"
#include "examples/command/fold.c"
#include "examples/command/forget.c"
#include "examples/command/waiting.c"
#include "examples/command/lost.c"
#include "examples/command/uniq.c"
#include "examples/command/build.c"
#include "examples/command/check.c"
#include "examples/command/show.c"
#include "examples/command/help.c"
#include "examples/command/options.c"
#include "examples/command/main.c"
#undef stdout
#undef stderr
#undef printf
#undef puts
#undef putchar
#undef isatty
#undef fsync
#undef fchmod
#undef pipe
#undef poll
#undef nanosleep
#undef clock_gettime
#undef sysconf
#undef signal
#undef sigaction
#undef sigprocmask
#undef ioctl
#undef atexit
#undef malloc
#undef realloc
#undef calloc
#undef posix_memalign
#undef madvise
#undef free
#undef open
#undef FIRST_OF
#undef close
#undef read
#undef write
#undef lseek
#undef stat
#undef lstat
#undef fstat
#undef access
#undef posix_fallocate
#undef pwrite
#undef ftruncate
#undef readlink
#undef remove
#undef rename
#undef fcntl
#undef getpid
#undef fdopen
#undef fileno
#undef exit
#undef main

size_t add_atomically(bloom *b, const bloom_key *key, size_t count)
{
    return bloom_add_many(b, key, count, NULL);
}

/* ---- Running the command ------------------------------------------------- */

static const char name_a[] = FOLDER "a", name_b[] = FOLDER "b",
    name_in[] = FOLDER "in", name_out[] = FOLDER "out";
static content file_a, file_b, file_in;
static bool no_wait;
static enum { NO_LOCK, OLD_LOCK, LINKED_LOCK, OLD_PART } lock_kind;

static void copy(content *to, const content *from)
{
    memcpy(to->at, from->at, from->size);
    to->size = from->size;
}

static const content *content_of(const char *name)
{
    entry *e = find(name);
    return e && e->file >= 0 ? &contents[e->file] : NULL;
}

static bool is_in_file(const char *name, const content *c)
{
    const content *there = content_of(name);
    return there && there->size == c->size
        && memcmp(there->at, c->at, c->size) == 0;
}

static bool is_chain(const content *c)
{
    return c->size >= 3 && memcmp(c->at, "BLC", 3) == 0;
}

static const bloom_window *as_window(const content *file)
{
    return bloom_window_view(file->at, file->size, NULL);
}

static bool is_window(const content *file)
{
    return as_window(file) != NULL;
}

/* Is the file exactly one filter, chain or window, whose seals, if any, are
   valid? */
static bool is_sound(const content *file)
{
    bloom_chain *c;
    const bloom_window *w = as_window(file);
    bool sound = true;
    unsigned i;
    if (w)
        return bloom_window_size(w) == file->size
            && bloom_window_verify(w) != BLOOM_CORRUPT;
    if (!is_chain(file))
        return verdict(file->at, file->size) == BLOOM_OK
            && bytes_for(plan_in(file->at)) == file->size
            && bloom_verify(bloom_view(file->at, file->size, NULL))
               != BLOOM_CORRUPT;
    begin_memory();
    c = bloom_chain_load(file->at, file->size, NULL);
    for (i = 0; c && i < bloom_chain_links(c); i++)
        if (bloom_verify(bloom_chain_link(c, i)) == BLOOM_CORRUPT)
            sound = false;
    sound = c != NULL && sound && bloom_chain_size(c) == file->size;
    bloom_chain_free(c);
    return sound;
}

static void set_up(void)
{
    cookie_io_functions_t calls = { NULL, print, NULL, NULL };
    output = fopencookie(NULL, "w", calls);
    messages = fmemopen(said, sizeof said, "w");
    must(output && messages);
}

static void take_back(void)
{
    unsigned i;
    let_go();
    must(locked == -1);
    for (i = 0; i < OPEN; i++)
        openings[i].file = -1;
    memset(&run, 0, sizeof run);
    queue.gone = queue.last;
    memset(&coming, 0, sizeof coming);
    target = NULL;
    reserved = 0;
    why_no_room = 0;
    lock_name_ = NULL;
}

static int command(int count, char **words)
{
    static options_t fresh;
    volatile int status = -1;
    int jumped;
    if (fresh.n == 0)
        fresh = options;
    options = fresh;
    begin_memory();
    openings[0].file = find(name_in)->file;     /* standard input */
    openings[0].at = 0;
    rewind(messages);
    memset(said, 0, strlen(said));
    printed = written.size = 0;
    optind = 0;                             /* resets glibc's getopt */
    at_exits = 0;
    jumped = setjmp(back);          /* functions of atexit may jump, too */
    if (status < 0)
        status = jumped ? jumped - 1 : command_main(count, words);
    while (at_exits > 0)
        at_exit[--at_exits]();
    fflush(output);
    fflush(messages);
    take_back();
    return status;
}

/* After any warnings, the last message must name a file and a reason. */
static void check_message(void)
{
    const char *last = said, *next;
    while ((next = strchr(last, '\n')) != NULL && next[1]) {
        must(strncmp(last, "bloom: ", 7) == 0);
        last = next + 1;
    }
    must(next && strncmp(last, "bloom: ", 7) == 0);
    must(strncmp(last + 7, FOLDER, sizeof FOLDER - 1) == 0
         || strncmp(last + 7, "standard input: ", 16) == 0
         || strncmp(last + 7, "standard output: ", 17) == 0);
    last = strstr(last + 7, ": ");
    must(last && strcmp(last, ": ok\n") != 0 && !strstr(last, "Success"));
}

/* Runs the command with the words up to NULL, without the empty ones. Returns
   true if it succeeded. */
static bool words_run(const char *const *given)
{
    char text[10][32], *words[11] = { NULL };
    int count = 0, status;
    for (; *given; given++)
        if (**given) {
            snprintf(text[count], sizeof text[count], "%s", *given);
            words[count] = text[count];
            count++;
        }
    status = command(count, words);
    must(status >= 0 && status <= 3);
    must(status != 1 || strcmp(words[1], "check") == 0);
    must(status != 3 || strcmp(words[1], "uniq") == 0);
    if (strcmp(words[1], "check") == 0 && status != 2)
        must((status == 0) == (printed > 0));
    if (status == 2)
        check_message();
    return status != 2;
}

#define run_words(...) \
    words_run((const char *const []){ "bloom", __VA_ARGS__, NULL })

/* ---- Checks of the files ------------------------------------------------- */

static bool one_contains(const content *file, const void *key, size_t size)
{
    size_t at = is_chain(file) ? 32 : 0;
    const bloom *b;
    const bloom_window *w = as_window(file);
    if (w)
        return bloom_window_may_contain(w, key, size);
    while ((b = bloom_view(file->at + at, file->size - at, NULL)) != NULL) {
        if (bloom_may_contain(b, key, size))
            return true;
        if (!is_chain(file))
            break;
        at += bloom_size(b);
    }
    return false;
}

/* The bytes, with newlines, of those lines of file_in that the filter in `file`
   contains or, if !in, does not contain */
static size_t lines_of(const content *file, bool in)
{
    const unsigned char *at = file_in.at, *end = at + file_in.size, *stop;
    size_t bytes = 0;
    for (; at < end; at = stop + 1) {
        stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop)
            stop = end;
        if (one_contains(file, at, (size_t)(stop - at)) == in)
            bytes += (size_t)(stop - at) + 1;
    }
    return bytes;
}

/* Sets up what lies beside FILE. Can the command get the lock? */
static bool set_lock(const char *name)
{
    char lock[48], part[48], left[48];
    snprintf(lock, sizeof lock, "%s.lock", name);
    snprintf(part, sizeof part, "%s.tmp.42", name);
    if (lock_kind == OLD_LOCK)
        write_file(lock, "old", 3);
    if (lock_kind == LINKED_LOCK)
        make_entry(lock, LINK);
    snprintf(left, sizeof left, "%s.lock.new", name);
    if (lock_kind == OLD_PART) {
        write_file(part, "old", 3);
        write_file(left, "old", 3);
    }
    return lock_kind != LINKED_LOCK
        && !(no_wait && trouble.others + trouble.removals > 0);
}

static void check_beside(const char *name, bool done)
{
    char lock[48], part[48];
    const content *there;
    snprintf(lock, sizeof lock, "%s.lock", name);
    snprintf(part, sizeof part, "%s.tmp.42", name);
    must(!find(lock) || (!done && (lock_kind != NO_LOCK || no_wait || failed)));
    there = content_of(part);
    must(lock_kind == OLD_PART ? there && there->size == 3 : !find(part));
    snprintf(part, sizeof part, "%s.tmp.43", name);
    must(!find(part));
    snprintf(part, sizeof part, "%s.lock.new", name);
    there = content_of(part);
    must(!there || (!done && lock_kind == OLD_PART && there->size == 3));
}

/* It ended as expected, or with an error because a call failed. After an error,
   the file must be as before (NULL: not there), unless uniq had saved it. */
static bool ended(bool done, bool expected, const char *name,
                  const content *old)
{
    must(done == (expected && !failed));
    must(!done || renames > 0);
    must(done || renames == 0 || trouble.slow || written.size > 0);
    if (renames > 0)
        must(is_sound(content_of(name)));
    else
        must(old ? is_in_file(name, old) : !find(name));
    check_beside(name, done);
    return done;
}

/* The command does not replace a file that is neither empty nor a filter. */
static bool is_spared(const content *old)
{
    return old && old->size > 0
        && (old->size < 3 || (memcmp(old->at, "BLM", 3) != 0
                              && memcmp(old->at, "BLC", 3) != 0
                              && memcmp(old->at, "BLW", 3) != 0));
}

/* Does it remember all of these lines? A window may forget some. */
static bool remembers(const content *file, const content *lines)
{
    uint64_t count = 1;
    const bloom_window *w = as_window(file);
    size_t i;
    if (!w)
        return true;
    for (i = 0; i < lines->size; i++)
        count += lines->at[i] == '\n';
    return bloom_window_span(w) == 0 && bloom_window_plan_of(w).room >= count;
}

/* Does FILE contain each printed line? */
static bool knows_written(const char *name)
{
    const content *file = content_of(name);
    const unsigned char *at = written.at, *end = at + written.size, *stop;
    for (; (stop = memchr(at, '\n', (size_t)(end - at))) != NULL; at = stop + 1)
        if (!one_contains(file, at, (size_t)(stop - at)))
            return false;
    return true;
}

/* add and uniq: FILE is updated and sealed. A chain may grow, but a single
   filter stays one. FILE contains every printed line, even if a call failed,
   except calls that save. uniq takes an empty FILE for a new one. */
static void do_uniq(bool adds, unsigned kind)
{
    static const char *const kinds[] = { "", "--last=9", "--for=1h",
                                         "--for=3s" };
    const char *wait = no_wait ? "--no-wait" : "";
    const char *save = trouble.slow ? "--save=1" : "";
    const char *how = file_a.size == 0 ? kinds[kind % 4] : "";
    const char *n = file_a.size == 0 && kind % 4 != 1 ? "-n30" : "";
    bool is_new = !adds && file_a.size == 0;
    bool forgets = is_new ? kind % 4 != 0 : is_window(&file_a);
    bool expected = set_lock(name_a) && (is_new || is_sound(&file_a));
    bool done = ended(adds ? run_words("add", wait, name_a, name_in)
                      : run_words("uniq", wait, save, how, n, "-f", name_a),
                      expected, name_a, &file_a);
    must(!failed_before || written.size == 0 || renames > 0);
    if (renames > 0 && (done || failed_before || !trouble.slow)
        && remembers(content_of(name_a), &written))
        must(knows_written(name_a));
    if (!done)
        return;
    must(is_window(content_of(name_a)) == forgets);
    must(is_chain(content_of(name_a))
         == (!forgets && (is_new || is_chain(&file_a))));
    if (remembers(content_of(name_a), &file_in))
        must(lines_of(content_of(name_a), false) == 0);
}

static void do_build(unsigned layout)
{
    static const char *const layout_words[] = { "-lclassic", "-lblocked",
                                                "-lcounting" };
    const char *wait = no_wait ? "--no-wait" : "";
    bool over = layout & 4, narrow = layout & 8 && layout % 4 % 3 != 1;
    bool expected;
    const char *out = over ? name_a : name_out;
    expected = set_lock(out) && !(over && is_spared(&file_a));
    if (ended(run_words("build", layout_words[layout % 4 % 3], "-n30",
                        narrow ? "-w32" : "", wait, out, name_in),
              expected, out, over ? &file_a : NULL))
        must(lines_of(content_of(out), false) == 0);
}

/* merge: OUT is a new file, A itself, or file_in, which may be no filter. */
static void do_merge(unsigned where)
{
    const char *wait = no_wait ? "--no-wait" : "";
    const char *out = where == 0 ? name_out : where == 1 ? name_a : name_in;
    const content *old = where == 0 ? NULL : where == 1 ? &file_a : &file_in;
    bool expected = set_lock(out) && !is_spared(old) && is_sound(&file_a)
        && is_sound(&file_b) && !is_chain(&file_a) && !is_chain(&file_b)
        && !is_window(&file_a) && !is_window(&file_b);
    static content sum;
    copy(&sum, &file_a);
    expected = expected
        && bloom_merge(bloom_open(sum.at, sum.size, NULL),
                       bloom_view(file_b.at, file_b.size, NULL));
    if (ended(run_words("merge", wait, out, name_a, name_b),
              expected, out, old)) {
        bloom_seal(bloom_open(sum.at, sum.size, NULL));
        sum.size = bloom_size(bloom_view(sum.at, sum.size, NULL));
        must(is_in_file(out, &sum));
    }
    must(is_in_file(name_b, &file_b));
    must(where == 1 || is_in_file(name_a, &file_a));
}

/* fold: by this number or, if it is 0, as far as the rate 0.4 allows. Every key
   must still be in. */
static void do_fold(unsigned by)
{
    char word[20];
    bool can = set_lock(name_a) && is_sound(&file_a) && !is_chain(&file_a)
        && !is_window(&file_a), done;
    size_t known = can ? lines_of(&file_a, true) : 0;
    static content folded;
    copy(&folded, &file_a);
    if (by > 0)
        can = can && bloom_fold(bloom_open(folded.at, folded.size, NULL), by);
    snprintf(word, sizeof word, by > 0 ? "--by=%u" : "-p0.4", by);
    done = run_words("fold", word, no_wait ? "--no-wait" : "", name_a);
    must(by == 0 || done == (can && !failed));
    if (!ended(done, by > 0 ? can : done, name_a, &file_a))
        return;
    must(can && lines_of(content_of(name_a), true) >= known);
    if (by > 0) {
        bloom_seal(bloom_open(folded.at, folded.size, NULL));
        folded.size = bloom_size(bloom_view(folded.at, folded.size, NULL));
        must(is_in_file(name_a, &folded));
    }
}

/* Commands that only read need no lock, and change nothing in the folder. */
static void do_read(const char *name, const char *option, bool has_lines)
{
    bool expected = is_sound(&file_a), done;
    static entry before[FILES];
    set_lock(name_a);
    memcpy(before, entries, sizeof before);
    done = run_words(name, option, name_a, has_lines ? name_in : "");
    must(done == (expected && !failed));
    if (done && has_lines && remembers(&file_a, &file_in))
        must(printed == lines_of(&file_a, *option == '\0'));
    must(memcmp(before, entries, sizeof before) == 0);
    must(is_in_file(name_a, &file_a) && is_in_file(name_in, &file_in));
}

static void take(content *to, input *in, size_t size)
{
    size_t left = (size_t)(in->end - in->at);
    to->size = size < left ? size : left;
    memcpy(to->at, in->at, to->size);
    in->at += to->size;
}

static void take_trouble(unsigned which, input *in)
{
    unsigned kind = which & 4 ? byte_of(in) : 0;
    trouble.calls = which & 1 ? byte_of(in) % 64 : 0;
    trouble.slow = which & 2;
    trouble.others = kind & 16 ? kind & 32 ? 60 : 1 : 0;
    trouble.removals = kind >> 6;
    lock_kind = kind & 3;
    no_wait = kind & 4;
}

/* The input: the verb, what goes wrong, and the length of A; then the contents
   of A, B and the file of lines */
static void run_one(input in)
{
    unsigned what = byte_of(&in), how = byte_of(&in);
    size_t size = number_of(&in, 2) % 1024;
    bool other = how & 8;
    if (in.end - in.at > MOST)
        return;
    if (!output)
        set_up();
    begin_files();
    take_trouble(how, &in);
    take(&file_a, &in, size);
    take(&file_b, &in, what & 8 ? size : MOST);
    if (what & 16)
        copy(&file_b, &file_a);
    take(&file_in, &in, MOST);
    if (file_in.size == 0)
        copy(&file_in, &file_b);
    write_file(name_a, file_a.at, file_a.size);
    write_file(name_b, file_b.at, file_b.size);
    write_file(name_in, file_in.at, file_in.size);
    switch (what % 8) {
    case 0: do_read("check", "", true); break;
    case 1: do_read("check", "-v", true); break;
    case 2: if (other) do_fold(how / 16);
            else do_read("info", "", false);
            break;
    case 3: if (other) do_build(how / 16);
            else do_read("dump", "", false);
            break;
    case 4: do_uniq(other, how / 16); break;
    default: do_merge(what % 8 - 5);
    }
}
