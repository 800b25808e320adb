/* Tests the calls of bloom_file.h for filters: bloom_save and bloom_load, what
   they refuse, and bloom_share. Four processes add keys to a shared filter, look
   up one another's, and are killed and started again; processes race to create
   the file; saves to it are refused. It works in the folder build/share.d.
   Without arguments, it takes seconds. usage: share [KEYS RACES]
       share 1000000 1000     10^6 keys for each process, 1,000 races
   It ends with "N passed, N failed". */
#ifndef _GNU_SOURCE
#define _XOPEN_SOURCE 700
#endif
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"

/* Called once, before the next lock or the next new name of a file */
static void (*before_lock)(void), (*before_name)(void);

static void call_once(void (**what)(void))
{
    void (*const now)(void) = *what;
    *what = NULL;
    if (now)
        now();
}

static int flock_(int fd, int how)
{
    call_once(&before_lock);
    return flock(fd, how);
}

static bool no_links;                   /* in this file system */
static int link_(const char *from, const char *to)
{
    call_once(&before_name);
    if (no_links)
        errno = EPERM;
    return no_links ? -1 : link(from, to);
}

static int rename_(const char *from, const char *to)
{
    call_once(&before_name);
    return rename(from, to);
}

static int cannot_open;                 /* the old file: an errno */
static int open_(const char *name, int flags, ...)
{
    mode_t mode = 0;
    va_list more;
    va_start(more, flags);
    if (flags & O_CREAT)
        mode = (mode_t)va_arg(more, int);
    va_end(more);
    if (cannot_open && strcmp(name, "s") == 0) {
        errno = cannot_open;
        return -1;
    }
    return open(name, flags, mode);
}

static void (*before_cells)(void);      /* called once, after the header */
static ssize_t read_(int fd, void *to, size_t size)
{
    if (size > 32)
        call_once(&before_cells);
    return read(fd, to, size);
}

static unsigned unfreed;                /* blocks of memory */
static void *take(size_t size)
{
    void *memory = calloc(1, size);
    unfreed += memory != NULL;
    return memory;
}
static void give_back(void *memory)
{
    unfreed -= memory != NULL;
    free(memory);
}

static unsigned stores;                 /* that remove a seal */

#define __atomic_store_n(p, x, order) (stores++, __atomic_store_n(p, x, order))
#define BLOOM_MALLOC(size) take(size)
#define BLOOM_FREE(memory) give_back(memory)
#define flock flock_
#define link link_
#define rename rename_
#define open open_
#define read read_
#define BLOOM_STATIC
#define BLOOM_ATOMIC
#include "examples/companions/bloom_file.h"
#undef __atomic_store_n
#undef flock
#undef link
#undef rename
#undef open
#undef read

#define RUN(call) RUN_TEST(call, nothing_is_left())

/* Before each test, and after the last: the filters are freed, and the files
   closed. */
static void nothing_is_left(void)
{
    static int first;
    const int next = dup(0);
    first = first ? first : next;
    CHECK(unfreed == 0 && next == first && close(next) == 0);
}

enum { PROCESSES = 4 };
static const bloom_plan any = { 0, 0, 0, BLOOM_CLASSIC, 0 };
static unsigned long keys = 200000, races = 10;

static void put(const char *name, const void *bytes, size_t size)
{
    FILE *file;
    remove(name);
    file = fopen(name, "wb");
    CHECK(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

/* A child that waits for what does not come ends after ten minutes. */
static pid_t fork_child(void)
{
    pid_t pid = fork();
    if (pid == 0)
        alarm(600);
    return pid;
}

static void pause_for(long microseconds)
{
    const struct timespec moment = { 0, microseconds * 1000 };
    nanosleep(&moment, NULL);
}

/* Waits for a process. Returns its exit status, or -1 if it was killed. */
static int wait_for(pid_t pid)
{
    int status = 0;
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- Saving and loading ------------------------------------------------- */

/* The error of loading; the filter must be there if and only if it is 0. */
static int load_error(const char *name, size_t most)
{
    int why = -1;
    bloom *b = bloom_load(name, most, &why);
    CHECK((b != NULL) == (why == 0));
    bloom_free(b);
    return why;
}

static void save_and_load(void)
{
    unsigned layout;
    int why = -1;
    for (layout = 0; layout < 3; layout++) {
        bloom *b = bloom_new_layout(1000, 0.01, (bloom_layout)layout), *c;
        const size_t size = bloom_size(b);
        CHECK(bloom_add(b, "apple", 5) && bloom_save(b, "f") == 0);
        c = bloom_load("f", size, &why);
        CHECK(c && why == 0 && memcmp(b, c, size) == 0);
        CHECK(c && bloom_verify(c) == BLOOM_OK && (uintptr_t)c % 32 == 0);
        CHECK(load_error("f", size - 1) == EFBIG);
        bloom_free(c);
        c = bloom_load("f", SIZE_MAX, NULL);
        CHECK(c && bloom_may_contain(c, "apple", 5));
        bloom_free(b);
        bloom_free(c);
    }
    CHECK(load_error("none", SIZE_MAX) == ENOENT);
    CHECK(load_error(".", SIZE_MAX) == EISDIR);
    CHECK(!bloom_load("none", SIZE_MAX, NULL));
}

static void bad_files(void)
{
    bloom *b = bloom_new(1000, 0.01);
    const size_t size = bloom_size(b);
    unsigned char bytes[2000];
    size_t i;
    CHECK(size < sizeof bytes - 1);
    bloom_add(b, "apple", 5);
    memcpy(bytes, b, size);
    put("f", bytes, size);
    CHECK(load_error("f", SIZE_MAX) == 0);      /* without a seal */
    bytes[size] = 0;
    put("f", bytes, size + 1);
    CHECK(load_error("f", SIZE_MAX) == EBADMSG);
    for (i = 0; i < size; i += i < 40 || i > size - 40 ? 1 : 40) {
        put("f", bytes, i);
        CHECK(load_error("f", SIZE_MAX) == EBADMSG);
    }
    bloom_seal(b);
    memcpy(bytes, b, size);
    for (i = 0; i < size; i += 5) {
        if (i >= 24 && i < 32)
            continue;
        bytes[i] ^= 1;
        put("f", bytes, size);
        CHECK(load_error("f", SIZE_MAX) == EBADMSG);
        bytes[i] ^= 1;
    }
    put("f", bytes, size);
    CHECK(load_error("f", SIZE_MAX) == 0);
    bytes[13] = 1;                      /* 2^37 bytes; no memory is taken */
    put("f", bytes, size);
    CHECK(load_error("f", SIZE_MAX) == EBADMSG);
    bloom_free(b);
}

/* A filter comes through a FIFO: whole, one byte short, one byte long, damaged.
   A part of it must not count as a filter whose other cells are 0. */
static void from_fifo(void)
{
    static const int errors[4] = { EBADMSG, 0, EBADMSG, EBADMSG };
    bloom *b = bloom_new(100000, 0.01);
    const size_t size = bloom_size(b);
    unsigned char *bytes = (unsigned char *)calloc(size + 1, 1);
    pid_t pid;
    size_t i;
    CHECK(mkfifo("p", 0600) == 0 && bytes);
    bloom_seal(b);
    for (i = 0; bytes && i < 4; i++) {
        memcpy(bytes, b, size);
        bytes[40] ^= i == 3;                    /* damaged */
        pid = fork_child();
        if (pid == 0)
            _exit(bloom_file_save("p", bytes, i < 3 ? size - 1 + i : size));
        CHECK(load_error("p", SIZE_MAX) == errors[i] && wait_for(pid) == 0);
    }
    free(bytes);
    CHECK(remove("p") == 0);
    bloom_free(b);
}

/* ---- Sharing ------------------------------------------------------------- */

static int share_error(bloom_plan plan)
{
    int why = -1;
    bloom *b = bloom_share("s", plan, &why);
    CHECK((b != NULL) == (why == 0));
    CHECK(bloom_unshare(b) == 0);
    return why;
}

static void share_once(void)
{
    const bloom_plan plan = bloom_plan_layout(50000000, 0.01, BLOOM_BLOCKED);
    bloom_plan other = plan;
    bloom *b, *c, *small = bloom_new(10, 0.1);
    struct stat file;
    int why = -1;
    CHECK(share_error(any) == ENOENT && access("s", F_OK) != 0);
    b = bloom_share("s", plan, &why);
    if (!CHECK(b && why == 0))
        return;
    CHECK(stat("s", &file) == 0 && (size_t)file.st_size == bloom_size(b)
          && file.st_nlink == 1);
    CHECK(file.st_blocks < 1000);               /* sparse, of 60 MB */
    c = bloom_share("s", any, NULL);
    CHECK(c && bloom_size(c) == bloom_plan_size(plan));
    CHECK(bloom_add(b, "apple", 5) && bloom_may_contain(c, "apple", 5));
    CHECK(share_error(plan) == 0);
    other.seed++;
    CHECK(share_error(other) == EINVAL);
    other = plan;
    other.cells -= 256;
    CHECK(share_error(other) == EINVAL);
    other = plan;
    other.hashes += 8;
    CHECK(share_error(other) == EINVAL);
    other.hashes = plan.hashes;
    other.layout = BLOOM_CLASSIC;
    CHECK(share_error(other) == EINVAL);
    CHECK(bloom_save(small, "s") == EBUSY);             /* beside sharers */
    CHECK(bloom_unshare(b) == 0 && bloom_save(small, "s") == EBUSY);
    CHECK(bloom_may_contain(c, "apple", 5) && bloom_unshare(c) == 0);
    b = bloom_load("s", SIZE_MAX, NULL);
    CHECK(b && bloom_may_contain(b, "apple", 5));
    bloom_free(b);
    CHECK(bloom_save(small, "s") == 0 && share_error(plan) == EINVAL);
    CHECK(share_error(bloom_plan_of(small)) == 0);
    bloom_free(small);
    CHECK(symlink("s", "l") == 0 && remove("s") == 0);
    b = bloom_share("l", plan, NULL);           /* creates what l names */
    CHECK(b && access("s", F_OK) == 0 && bloom_unshare(b) == 0);
    CHECK(remove("l") == 0 && remove("s") == 0);
}

static void share_bad_files(void)
{
    const bloom_plan plan = bloom_plan_for(1000, 0.01);
    bloom *b = bloom_create(plan);
    unsigned char bytes[2000] = { 0 };
    const size_t size = bloom_size(b);
    int fd;
    memcpy(bytes, b, size);
    put("s", bytes, 0);
    CHECK(share_error(plan) == EBADMSG);
    put("s", bytes, 32);
    CHECK(share_error(plan) == EBADMSG);
    put("s", bytes, size - 1);
    CHECK(share_error(any) == EBADMSG);
    put("s", bytes, size + 1);
    CHECK(share_error(any) == EBADMSG);
    bytes[0] = 'b';
    put("s", bytes, size);
    CHECK(share_error(plan) == EBADMSG);
    CHECK(remove("s") == 0 && mkdir("s", 0700) == 0);
    CHECK(share_error(plan) == EISDIR && rmdir("s") == 0);
    CHECK(mkfifo("s", 0600) == 0 && share_error(plan) == ENODEV);
    CHECK(remove("s") == 0 && bloom_save(b, "s") == 0);
    fd = open("s", O_RDWR);
    CHECK(fd >= 0 && flock(fd, LOCK_EX) == 0 && share_error(plan) == EBUSY);
    CHECK(bloom_save(b, "s") == EBUSY);
    close(fd);
    CHECK(share_error(plan) == 0 && bloom_save(b, "s") == 0);
    CHECK(!bloom_share("none/s", plan, NULL) && remove("s") == 0);
    bloom_free(b);
}

/* What another process does between two steps of this one */
static bloom *others;

static void save_other(void)
{
    bloom *b = bloom_new(1000, 0.01);
    CHECK(b && bloom_add(b, "other", 5) && bloom_save(b, "s") == 0);
    bloom_free(b);
}

static void share_other(void)
{
    others = bloom_share("s", bloom_plan_for(1000, 0.01), NULL);
    CHECK(others && bloom_add(others, "other", 5));
}

static void share_other_despite(void)
{
    no_links = false;
    share_other();
    no_links = true;
}

/* A save replaces the file after bloom_share has opened it: the new one is
   shared. And bloom_share creates the file after a save has seen none: it is
   not replaced, not even if the save cannot make a link. */
static void in_between(void)
{
    bloom *b = bloom_new(1000, 0.01), *c;
    unsigned i;
    CHECK(bloom_save(b, "s") == 0);
    before_lock = save_other;
    c = bloom_share("s", bloom_plan_of(b), NULL);
    CHECK(c && bloom_may_contain(c, "other", 5));
    CHECK(bloom_save(b, "s") == EBUSY);
    CHECK(bloom_unshare(c) == 0 && remove("s") == 0);
    for (i = 0; i < 2; i++) {
        before_name = i ? share_other_despite : share_other;
        no_links = i;
        CHECK(bloom_save(b, "s") == EBUSY && bloom_unshare(others) == 0);
        c = bloom_load("s", SIZE_MAX, NULL);
        CHECK(c && bloom_may_contain(c, "other", 5) && remove("s") == 0);
        bloom_free(c);
    }
    CHECK(bloom_save(b, "s") == 0 && remove("s") == 0);     /* by a rename */
    no_links = false;
    bloom_free(b);
}

static void add_to_others(void)
{
    CHECK(bloom_add(others, "more", 4));
}

/* A save that has no descriptor left to lock the old file, or no right to open
   it, does not replace it. A load that reads the seal before a key is added, and
   the cells after, says that the file has changed, not that it is damaged. The
   seal is removed at once, so that a process that is killed leaves no part of
   it. */
static void short_of_files(void)
{
    const char *const text = "this replaces the filter";
    bloom *b = bloom_new(1000, 0.01);
    bloom_file f;
    int why = 0;
    CHECK(bloom_save(b, "s") == 0 && bloom_file_begin(&f, "s", NULL) == 0);
    CHECK(bloom_file_put(&f, text, strlen(text)) == 0);
    share_other();
    cannot_open = EMFILE;
    CHECK(bloom_file_finish(&f) == EMFILE && bloom_save(b, "s") == EMFILE);
    cannot_open = EACCES;
    CHECK(bloom_save(b, "s") == EACCES);
    cannot_open = 0;
    bloom_seal(others);
    before_cells = add_to_others;
    stores = 0;
    CHECK(!bloom_load("s", SIZE_MAX, &why) && why == EBUSY && !before_cells);
    CHECK(stores == (__GCC_ATOMIC_LLONG_LOCK_FREE == 2 ? 1 : 8));
    CHECK(bloom_unshare(others) == 0);
    bloom_free(b);
    b = bloom_load("s", SIZE_MAX, NULL);
    CHECK(b && bloom_may_contain(b, "more", 4) && remove("s") == 0);
    bloom_free(b);
}

/* A map of bytes that all processes see */
static void *shared_bytes(const char *name, size_t size)
{
    const int fd = open(name, O_RDWR | O_CREAT, 0600);
    void *map = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, (off_t)size) == 0)
        map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) {
        puts("FAILED: no shared memory");
        exit(1);
    }
    close(fd);
    return map;
}

/* All processes begin at once. Each adds a key of its own and waits until it
   sees those of the others. If one of them has another file, a signal ends the
   wait. */
static void race(unsigned long number, int *start)
{
    const bloom_plan plan = bloom_plan_for(1000, 1e-9);
    pid_t pid[PROCESSES];
    unsigned long i, j;
    __atomic_store_n(start, 0, __ATOMIC_SEQ_CST);
    for (i = 0; i < PROCESSES; i++) {
        pid[i] = fork_child();
        if (pid[i] == 0) {
            int why = 0;
            bloom *b;
            __atomic_fetch_add(start, 1, __ATOMIC_SEQ_CST);
            while (__atomic_load_n(start, __ATOMIC_SEQ_CST) < PROCESSES)
                sched_yield();
            b = bloom_share("s", plan, &why);
            if (!b)
                _exit(why == 0 ? 255 : why);
            bloom_add_u64(b, i);
            for (j = 0; j < PROCESSES; j++)
                while (!bloom_may_contain_u64(b, j))
                    pause_for(100);
            _exit(bloom_unshare(b));
        }
    }
    for (i = 0; i < PROCESSES; i++)
        if (!CHECK(wait_for(pid[i]) == 0))
            printf("    in race %lu\n", number);
    CHECK(remove("s") == 0);
}

static void create_at_once(void)
{
    int *start = (int *)shared_bytes("start", sizeof *start);
    unsigned long i;
    for (i = 0; i < races; i++)
        race(i, start);
    munmap(start, sizeof *start);
    remove("start");
}

/* While some processes share the file for moments, others save to it. A save
   that succeeds never takes the file away from a process that shares it. */
static void save_at_once(void)
{
    bloom *b = bloom_new(1000, 1e-9);
    pid_t pid[PROCESSES];
    unsigned long i, n;
    CHECK(bloom_save(b, "s") == 0);
    for (i = 0; i < PROCESSES; i++) {
        pid[i] = fork_child();
        for (n = 0; pid[i] == 0 && n < 10 + races / 10; n++) {
            if (i % 2 == 0) {
                const int why = bloom_save(b, "s");
                if (why != 0 && why != EBUSY)
                    _exit(1);
            } else {
                int why = 0;
                struct stat now, later;
                bloom *c = bloom_share("s", any, &why);
                if (!c && why != EBUSY)
                    _exit(2);
                if (c && stat("s", &now) != 0)
                    _exit(3);
                pause_for(1000);
                if (c && (stat("s", &later) != 0
                          || now.st_ino != later.st_ino))
                    _exit(4);
                if (bloom_unshare(c) != 0)
                    _exit(5);
                pause_for(20000);
            }
        }
        if (pid[i] == 0)
            _exit(0);
    }
    for (i = 0; i < PROCESSES; i++)
        CHECK(wait_for(pid[i]) == 0);
    bloom_free(b);
    CHECK(remove("s") == 0);
}

/* Process i adds its keys from added[i] on, and counts each one in added[i]
   afterwards. In between it looks up a key that another one has counted. */
static void add_and_ask(unsigned i, unsigned long *added)
{
    const bloom_plan plan = bloom_plan_layout(PROCESSES * keys, 1e-6,
                                              BLOOM_BLOCKED);
    bloom *b = bloom_share("s", plan, NULL);
    unsigned long n = added[i], x = n * 7919 + i;
    if (!b)
        _exit(1);
    for (; n < keys; n++) {
        const unsigned other = (unsigned)(x >> 20) % PROCESSES;
        const unsigned long there = __atomic_load_n(added + other,
                                                    __ATOMIC_ACQUIRE);
        bloom_add_u64(b, n * PROCESSES + i);
        __atomic_store_n(added + i, n + 1, __ATOMIC_RELEASE);
        x = x * 1103515245 + 12345;
        if (there > 0
            && !bloom_may_contain_u64(b, x % there * PROCESSES + other))
            _exit(2);                           /* a key is lost */
    }
    _exit(bloom_unshare(b) == 0 ? 0 : 3);
}

/* Kills the processes at random moments and starts them again. */
static void add_with_kills(void)
{
    unsigned long *added = (unsigned long *)shared_bytes("added", 4096), n;
    pid_t pid[PROCESSES];
    unsigned i, kills = 0, ended = 0, lost = 0;
    int status;
    bloom *b;
    for (i = 0; i < PROCESSES; i++)
        if ((pid[i] = fork_child()) == 0)
            add_and_ask(i, added);
    for (n = 1; ended < PROCESSES; n = n * 1103515245 + 12345) {
        i = (unsigned)(n >> 16) % PROCESSES;
        pause_for(500);
        if (pid[i] == 0)
            continue;
        if (kills < 40)
            kill(pid[i], SIGKILL);
        status = wait_for(pid[i]);
        CHECK(status <= 0);
        kills += status < 0;
        ended += status >= 0;
        pid[i] = status < 0 ? fork_child() : 0;
        if (status < 0 && pid[i] == 0)
            add_and_ask(i, added);
    }
    b = bloom_load("s", SIZE_MAX, NULL);
    for (n = 0; b && n < keys * PROCESSES; n++)
        lost += !bloom_may_contain_u64(b, n);
    CHECK(b && lost == 0 && kills > 10);
    CHECK(b && bloom_fpr(b) < 1e-5);
    bloom_free(b);
    munmap(added, 4096);
    remove("added");
    CHECK(remove("s") == 0);
}

int main(int argc, char **argv)
{
    if (argc > 2) {
        keys = strtoul(argv[1], NULL, 10);
        races = strtoul(argv[2], NULL, 10);
    }
    mkdir("build", 0777);
    if (system("rm -rf build/share.d") != 0 || mkdir("build/share.d", 0777) != 0
        || chdir("build/share.d") != 0) {
        puts("FAILED: no folder build/share.d\n0 passed, 1 failed");
        return 1;
    }
    RUN(save_and_load());
    RUN(bad_files());
    RUN(from_fifo());
    RUN(share_once());
    RUN(share_bad_files());
    RUN(in_between());
    RUN(short_of_files());
    RUN(create_at_once());
    RUN(save_at_once());
    RUN(add_with_kills());
    RUN(nothing_is_left());
    return end_tests();
}
