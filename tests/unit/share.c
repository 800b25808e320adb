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
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "check.h"

static void step(void);                 /* before each call of the system */
static bool no_links;                   /* in this file system */

static bool no_locks;                   /* in this file system */
static bool as_nfs;                     /* a lock of one process alone needs a
                                           file that is open for writing */
static int flock_(int fd, int how)
{
    const bool bad = as_nfs && (how & LOCK_EX)
                  && (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY;
    step();
    if (no_locks || bad)
        errno = no_locks ? ENOLCK : EBADF;
    return no_locks || bad ? -1 : flock(fd, how);
}

/* What has been synchronised: files, folders, maps; and the files that there
   were at the last link */
static unsigned file_syncs, folder_syncs, map_syncs, syncs_at_link;

static int link_(const char *from, const char *to)
{
    syncs_at_link = file_syncs;
    step();
    if (no_links)
        errno = EPERM;
    return no_links ? -1 : link(from, to);
}

/* Without links, a save that finds no file may replace one that is made in that
   moment: bloom_share says so. */
static int rename_(const char *from, const char *to)
{
    if (!no_links)
        step();
    return rename(from, to);
}

static int unlink_(const char *name)
{
    step();
    return unlink(name);
}

static int stat_(const char *name, struct stat *file)
{
    step();
    return stat(name, file);
}

static int lstat_(const char *name, struct stat *file)
{
    step();
    return lstat(name, file);
}

static ssize_t write_(int fd, const void *from, size_t size)
{
    step();
    return write(fd, from, size);
}

static int ftruncate_(int fd, off_t size)
{
    step();
    return ftruncate(fd, size);
}

static int close_(int fd)
{
    step();
    return close(fd);
}

static void *mmap_(void *at, size_t size, int may, int how, int fd, off_t from)
{
    step();
    return mmap(at, size, may, how, fd, from);
}

static bool hurries;            /* no process waits, also not for the disk */
static int nanosleep_(const struct timespec *time, struct timespec *left)
{
    return hurries ? 0 : nanosleep(time, left);
}

static int fsync_(int fd)
{
    struct stat file;
    if (fstat(fd, &file) == 0)
        ++*(S_ISDIR(file.st_mode) ? &folder_syncs : &file_syncs);
    return hurries ? 0 : fsync(fd);
}

static int msync_(void *at, size_t size, int how)
{
    map_syncs += how == MS_SYNC;
    return hurries ? 0 : msync(at, size, how);
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
    step();
    if (cannot_open && strcmp(name, "s") == 0) {
        errno = cannot_open;
        return -1;
    }
    return open(name, flags, mode);
}

static ssize_t read_(int fd, void *to, size_t size)
{
    step();
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
/* Before each cell is set, other processes may run. */
static bool yields;
static void yield(void)
{
    if (yields)
        sched_yield();
}
#define __atomic_fetch_or(p, x, order) (yield(), __atomic_fetch_or(p, x, order))
#define BLOOM_MALLOC(size) take(size)
#define BLOOM_FREE(memory) give_back(memory)
#define flock flock_
#define link link_
#define rename rename_
#define unlink unlink_
#define stat(name, file) stat_(name, file)
#define lstat lstat_
#define write write_
#define ftruncate ftruncate_
#define close close_
#define mmap mmap_
#define nanosleep nanosleep_
#define fsync fsync_
#define msync msync_
#define open open_
#define read read_
#define BLOOM_STATIC
#define BLOOM_ATOMIC
#include "examples/companions/bloom_file.h"
#undef __atomic_store_n
#undef flock
#undef link
#undef rename
#undef unlink
#undef stat
#undef lstat
#undef write
#undef ftruncate
#undef close
#undef mmap
#undef nanosleep
#undef fsync
#undef msync
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
        if (pid == 0) {
            const size_t sent = i < 3 ? size - 1 + i : size;
            FILE *to = fopen("p", "wb");
            _exit(!to || fwrite(bytes, 1, sent, to) != sent || fclose(to) != 0);
        }
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
    file_syncs = folder_syncs = map_syncs = syncs_at_link = 0;
    b = bloom_share("s", plan, &why);
    if (!CHECK(b && why == 0))
        return;
    /* The disk has the new file before its name, and then the name. */
    CHECK(syncs_at_link == 1 && file_syncs == 1 && folder_syncs == 1);
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
    as_nfs = true;
    CHECK(bloom_save(small, "s") == EBUSY);
    as_nfs = false;
    file_syncs = map_syncs = 0;
    CHECK(bloom_unshare(b) == 0 && map_syncs == 1 && file_syncs == 1);
    CHECK(bloom_save(small, "s") == EBUSY);
    CHECK(bloom_may_contain(c, "apple", 5) && bloom_unshare(c) == 0);
    b = bloom_load("s", SIZE_MAX, NULL);
    CHECK(b && bloom_may_contain(b, "apple", 5));
    bloom_free(b);
    CHECK(bloom_save(small, "s") == 0 && share_error(plan) == EINVAL);
    b = bloom_share("s", bloom_plan_of(small), NULL);
    CHECK(b && bloom_verify(b) == BLOOM_OK);    /* until a key is added */
    CHECK(b && bloom_unshare(b) == 0);
    bloom_free(small);
    CHECK(symlink("s", "l") == 0 && remove("s") == 0);
    b = bloom_share("l", plan, NULL);           /* creates what l names */
    CHECK(b && access("s", F_OK) == 0 && bloom_unshare(b) == 0);
    b = bloom_share("s", plan, NULL);
    CHECK(b && remove("l") == 0 && remove("s") == 0);
    CHECK(bloom_unshare(b) == ENOENT);          /* its keys are lost */
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

/* ---- Schedules ------------------------------------------------------------
   Two processes do one thing each to the file: the second does its whole before
   a call of the system by the first, for each of these calls. Or the first is
   killed before that call. If there are three, the third does its within the
   second. All are one process, as locks and maps belong to open files. Then no
   key may be lost. */

enum thing { SAVE, LOAD, SHARE, SHARE_AND_LEAVE, ADD, THINGS };
enum start { NO_FILE, A_FILE, A_LINK, A_SHARER, STARTS };
enum { OLD = 1000, LATER = 100, MOST = 3 };     /* keys; and processes */

static struct process {
    enum thing thing;
    unsigned call, at;          /* the next process runs before this call */
    bool reached;               /* it has run */
    int why;                    /* the result */
    bloom *shares, *loaded;
} process[MOST];
static unsigned processes, running;
static bool is_schedule;
static bool dies;               /* the first process, before its call */
static bloom *sharer;           /* another process shares the file, and stays */

static bloom_plan small_plan(void)
{
    return bloom_plan_for(1000, 1e-9);
}

static void next_thing(void);

static void do_thing(void)
{
    struct process *me = process + running;
    bloom *b;
    switch (me->thing) {
    case SAVE:
        b = bloom_create(small_plan());
        CHECK(b && bloom_add_u64(b, running));
        me->why = bloom_save(b, "s");
        bloom_free(b);
        break;
    case LOAD:
        me->loaded = bloom_load("s", SIZE_MAX, &me->why);
        break;
    case SHARE: case SHARE_AND_LEAVE:
        b = bloom_share("s", small_plan(), &me->why);
        if (b)
            bloom_add_u64(b, running);
        if (me->thing == SHARE)
            me->shares = b;
        else
            CHECK(bloom_unshare(b) == 0);
        break;
    default:
        bloom_add_u64(sharer, running);
        break;
    }
    if (!me->reached)
        next_thing();
}

static void next_thing(void)
{
    if (running + 1 < processes) {
        running++;
        do_thing();
        running--;
    }
}

static void step(void)
{
    const int why = errno;
    struct process *me = process + running;
    if (!is_schedule || me->reached || ++me->call != me->at)
        return;
    me->reached = true;
    if (dies && running == 0)
        _exit(0);
    next_thing();
    errno = why;
}

static bool has(const bloom *b, unsigned key)
{
    return b && bloom_may_contain_u64(b, key);
}

static bool is_saved(const struct process *me)
{
    return me->thing == SAVE && me->why == 0;
}

static bool may_result(const struct process *me, enum start start)
{
    bool may_be_busy = start == A_SHARER || (dies && me == process);
    unsigned i;
    for (i = 0; i < processes; i++)
        may_be_busy |= process + i != me && process[i].thing != LOAD;
    switch (me->why) {
    case 0: return true;
    case EBUSY: return may_be_busy;
    case ENOENT: return me->thing == LOAD && start == NO_FILE;
    case EPERM: return no_links && me->thing >= SHARE && start == NO_FILE;
    default: return false;
    }
}

/* A process that loads the file finds the old filter or a saved one. */
static bool may_load(const bloom *b, enum start start)
{
    bool found = start == NO_FILE || has(b, OLD);
    unsigned i;
    for (i = 0; i < processes; i++)
        found |= process[i].thing == SAVE && has(b, i);
    return found;
}

/* After all, and with one more key by each process that shares the file */
static bool is_nothing_lost(enum start start)
{
    unsigned i, saved = 0, saved_are_in = 0;
    bool all = true;
    bloom *b;
    for (i = 0; i < processes; i++) {
        saved += is_saved(process + i);
        if (process[i].shares)
            bloom_add_u64(process[i].shares, LATER + i);
    }
    b = bloom_load("s", SIZE_MAX, NULL);
    for (i = 0; i < processes; i++) {
        const struct process *me = process + i;
        all &= may_result(me, start);
        all &= !me->loaded || may_load(me->loaded, start);
        all &= !me->shares || (has(b, i) && has(b, LATER + i));
        all &= me->thing != ADD || has(b, i);
        all &= me->thing != SHARE_AND_LEAVE || me->why != 0 || saved > 0
            || has(b, i);
        saved_are_in += is_saved(me) && has(b, i);
    }
    all &= saved == 0 || (saved_are_in > 0 && start != A_SHARER);
    all &= saved > 0 || start == NO_FILE || has(b, OLD);
    bloom_free(b);
    return all;
}

/* Removes all files of the folder; returns how many new ones were left over. */
static unsigned clear_folder(void)
{
    const struct dirent *file;
    unsigned left = 0;
    DIR *folder = opendir(".");
    while (folder && (file = readdir(folder)) != NULL) {
        left += strstr(file->d_name, ".new.") != NULL;
        if (file->d_name[0] != '.')
            remove(file->d_name);
    }
    CHECK(folder && closedir(folder) == 0);
    return left;
}

static void begin_schedule(enum start start, const enum thing *things)
{
    bloom *b = bloom_create(small_plan());
    unsigned i;
    CHECK(b && bloom_add_u64(b, OLD));
    CHECK(start != A_LINK || symlink("t", "s") == 0);
    CHECK(start == NO_FILE || bloom_save(b, "s") == 0);
    bloom_free(b);
    sharer = start == A_SHARER ? bloom_share("s", any, NULL) : NULL;
    for (i = 0; i < processes; i++) {
        process[i].thing = things[i];
        process[i].call = 0;
        process[i].reached = false;
        process[i].why = 0;
        process[i].shares = process[i].loaded = NULL;
    }
    is_schedule = true;
}

/* The first process is killed. Was its file saved before? */
static void die(void)
{
    const pid_t pid = fork_child();
    bool killed;
    bloom *b;
    if (pid == 0) {
        processes = 1;
        do_thing();
        _exit(1);
    }
    killed = wait_for(pid) == 0;
    process[0].reached = true;
    b = bloom_load("s", SIZE_MAX, NULL);
    process[0].why = process[0].thing == SAVE && has(b, 0) ? 0 : EBUSY;
    bloom_free(b);
    next_thing();
    process[0].reached = killed;
}

static unsigned long schedules, bad;

static void run_schedule(enum start start, const enum thing *things)
{
    bool good;
    unsigned i;
    begin_schedule(start, things);
    if (dies)
        die();
    else
        do_thing();
    is_schedule = false;
    good = is_nothing_lost(start);
    for (i = 0; i < processes; i++) {
        CHECK(bloom_unshare(process[i].shares) == 0);
        bloom_free(process[i].loaded);
    }
    CHECK(bloom_unshare(sharer) == 0);
    good &= clear_folder() == 0 || dies;
    schedules++;
    bad += !good;
    if (!good && bad <= 10)
        printf("    bad: start %d, things %d %d %d, at %u %u, results %d %d\n",
               (int)start, (int)things[0], (int)things[1], (int)things[2],
               process[0].at, process[1].at, process[0].why, process[1].why);
}

/* Each process but the last has a call before which the next one runs. Counts
   these up, as the digits of a number; after its last call, a process is as
   good as one that has none. */
static void run_schedules(enum start start, const enum thing *things)
{
    unsigned i;
    for (i = 0; i < processes; i++)
        process[i].at = 1;
    do {
        run_schedule(start, things);
        for (i = processes - 1; i-- > 0 && !process[i].reached; )
            process[i].at = 1;
        if (i + 1 > 0)
            process[i].at++;
    } while (i + 1 > 0);
}

static void all_schedules(unsigned of)
{
    enum thing things[MOST] = { SAVE, SAVE, SAVE };
    unsigned start, number;
    processes = of;
    for (start = 0; start < STARTS; start++) {
        const unsigned kinds = start == A_SHARER ? THINGS : ADD;
        const unsigned pairs = kinds * kinds;
        for (number = 0; number < pairs * (of > 2 ? kinds : 1); number++) {
            things[0] = (enum thing)(number % kinds);
            things[1] = (enum thing)(number / kinds % kinds);
            things[2] = (enum thing)(number / pairs);
            run_schedules((enum start)start, things);
        }
    }
}

static void in_schedules(void)
{
    const enum thing things[MOST] = { SAVE, SAVE, SHARE };
    hurries = true;
    all_schedules(2);
    no_links = true;
    all_schedules(2);
    processes = 3;
    run_schedules(NO_FILE, things);
    no_links = false;
    dies = true;
    all_schedules(2);
    dies = false;
    if (races > 10)
        all_schedules(3);
    hurries = false;
    CHECK(schedules > 4000 && bad == 0);
}

/* A save that cannot open the old file to lock it does not replace it. It does
   if the file system has no locks, as then nothing can be shared. An add removes the seal at once, so that a process
   that is killed leaves no part of it. */
static void short_of_files(void)
{
    static const int errors[] = { EMFILE, ENFILE, ENOMEM, EINTR, EACCES };
    bloom *b = bloom_new(1000, 0.01), *c;
    unsigned i;
    CHECK(bloom_save(b, "s") == 0);
    no_locks = true;                    /* so it cannot be shared */
    CHECK(bloom_save(b, "s") == 0);
    CHECK(!bloom_share("s", any, NULL));
    no_locks = false;
    c = bloom_share("s", any, NULL);
    for (i = 0; i < sizeof errors / sizeof *errors; i++) {
        cannot_open = errors[i];
        CHECK(bloom_save(b, "s") == errors[i]);
    }
    cannot_open = 0;
    bloom_seal(c);
    stores = 0;
    CHECK(c && bloom_add(c, "more", 4));
    CHECK(stores == (__GCC_ATOMIC_LLONG_LOCK_FREE == 2 ? 1 : 8));
    CHECK(bloom_unshare(c) == 0 && remove("s") == 0);
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

/* All processes add the same keys, and lock as the README of the companions
   says. Returns how often one was told that its key is new. (Without the locks
   that is usually more than once a key, as a process yields before each
   cell.) */
static unsigned told_new(unsigned count)
{
    unsigned long *told = (unsigned long *)shared_bytes("told", 4096), sum;
    const bloom_plan plan = bloom_plan_for(count, 1e-12);
    pid_t pid[PROCESSES];
    unsigned i, n;
    yields = true;
    *told = 0;
    for (i = 0; i < PROCESSES; i++) {
        if ((pid[i] = fork_child()) == 0) {
            bloom *both = bloom_share("s", plan, NULL);
            const int fd = open("s", O_RDWR);
            for (n = 0; both && fd >= 0 && n < count; n++) {
                bloom_hash h = bloom_hash_u64(both, n);
                struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET,
                                      .l_len = 1 };
                bool is_new;
                lock.l_start = (off_t)(h.h1 >> 58);
                while (fcntl(fd, F_SETLKW, &lock) != 0 && errno == EINTR)
                    continue;
                is_new = bloom_add_hash(both, h);
                lock.l_type = F_UNLCK;
                fcntl(fd, F_SETLK, &lock);
                if (is_new)
                    __atomic_fetch_add(told, 1, __ATOMIC_SEQ_CST);
            }
            _exit(n < count || bloom_unshare(both) != 0);
        }
    }
    for (i = 0; i < PROCESSES; i++)
        CHECK(wait_for(pid[i]) == 0);
    yields = false;
    sum = *told;
    munmap(told, 4096);
    CHECK(remove("told") == 0 && remove("s") == 0);
    return (unsigned)sum;
}

static void exactly_one(void)
{
    CHECK(told_new(300) == 300);
}

int main(int argc, char **argv)
{
    if (argc > 2) {
        test_minutes = 600;
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
    RUN(in_schedules());
    RUN(short_of_files());
    RUN(create_at_once());
    RUN(add_with_kills());
    RUN(exactly_one());
    RUN(nothing_is_left());
    return end_tests();
}
