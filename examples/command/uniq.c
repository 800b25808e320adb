/* uniq.c: bloom uniq, which prints each line the first time it is seen.

   With -f FILE, a line is printed first and recorded afterwards, as a line that
   did not reach its reader must be printed by the next run: the disk was full,
   or the reader of a pipe or socket has exited (as in "| head"). Until then,
   its hash waits in a queue, and a second copy of the line finds it there. A
   process that is killed has printed these lines but not recorded them, and the
   next run prints them again. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE                     /* FIONREAD */
#define _DARWIN_C_SOURCE
#endif
#include "file.h"
#include "jobs.h"
#include "options.h"
#include "queue.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 13,                 /* bytes per write, roughly */
       EVERY = 30,                      /* seconds, for the disk */
       PATIENCE = 10000, HASTE = 500 }; /* milliseconds for a slow reader; after
                                           a signal */

static struct run {
    const options *asked;
    const char *name;                   /* in messages */
    file seen;                          /* without FILE: only its filter */
    batch lines;
    uint64_t new_lines, old_lines;
    uint64_t offered, printed, taken;   /* bytes of new lines so far; those that
                                           standard output, its reader took */
    bool is_pipe, is_socket, is_file;   /* standard output */
    bool gone;                          /* its reader exited */
    bool begun;                         /* it has lines of this run */
    bool warned;
    uint64_t warn_at;                   /* look again at this many lines */
    double synced;                      /* when the disk got all lines last, */
    uint64_t synced_lines;              /* and new_lines at that time */
} run;

static volatile sig_atomic_t stopped_by;

/* ---- More lines than planned --------------------------------------------- */

/* A run may go on for months, so it warns as soon as its filter is full. */
static void warn_in_time(void)
{
    const filter *f = &run.seen.in;
    if (!run.warned)
        run.warned = warn_if_full(f, run.name, "will now be lost");
    run.warn_at = f->known + f->known / 8;
}

/* ---- Recording ----------------------------------------------------------- */

static bool reader_is_gone(int milliseconds)
{
    struct pollfd out = { 1, 0, 0 };            /* always reports POLLERR */
    return poll(&out, 1, milliseconds) > 0;
}

/* Bytes of output that lie in the pipe or socket, and may never be read. Other
   processes may have written some of them. A socket counts the memory of each
   write until all of it was read, so more than the bytes. Linux empties it when
   its reader exits, so the reader is looked for after the count. */
static uint64_t unread_output(void)
{
    int unread = 0;
#ifdef FIONREAD
    if (run.is_pipe && ioctl(1, FIONREAD, &unread) != 0)
        unread = 0;
#endif
#if defined __linux__ && defined TIOCOUTQ
    if (run.is_socket) {
        if (ioctl(1, TIOCOUTQ, &unread) != 0)
            unread = 0;
        run.gone = run.gone || reader_is_gone(0);
        if (run.gone)
            return run.printed - run.taken;
    }
#endif
    return unread > 0 ? (uint64_t)unread : 0;
}

static void record_until(uint64_t bytes)
{
    bloom_hash hash[BATCH];
    size_t count;
    while ((count = take_printed(bytes, hash, BATCH)) > 0)
        record(&run.seen, hash, count);
}

/* Records the lines that the reader has read. Returns the bytes left unread. */
static uint64_t settle(void)
{
    const uint64_t unread = unread_output();
    if (run.printed > unread + run.taken)
        run.taken = run.printed - unread;
    record_until(run.taken);
    return unread;
}

/* The disk gets the lines before FILE is synchronised, which says that they
   were printed. Returns false, after a message, if it does not get them. */
static bool sync_output(void)
{
    if (!run.is_file || fsync(1) == 0)
        return true;
    say("standard output: %s", strerror(errno));
    return false;
}

/* While lines come, the disk gets them from time to time. So a disk that fails
   is noticed before the end. */
static void sync_in_time(void)
{
    const double now = seconds();
    if (run.new_lines == run.synced_lines || now < run.synced + EVERY)
        return;
    run.synced = now;
    run.synced_lines = run.new_lines;
    if (!sync_output())
        exit(2);
    sync_lines(&run.seen);
}

/* Waits until at most `most` lines are not recorded. A reader that goes on is
   given time. One that has not exited when it has read nothing for a while is
   expected to read the rest: it may be waiting for this process to end. */
static void await_reader(uint64_t most)
{
    const int patience = stopped_by ? HASTE : PATIENCE;
    int left = patience, pause = 1;
    uint64_t before = settle(), unread;
    while (before > 0 && count_waiting() > most && !run.gone && left > 0) {
        run.gone = reader_is_gone(pause);
        tell_state();
        unread = settle();
        left = unread < before ? patience : left - pause;
        before = unread;
        pause = pause < 50 ? 2 * pause : pause;
    }
    if (!run.gone && count_waiting() > most)
        record_until(run.printed);
}

/* Returns false, after a message, if FILE could not be written. */
static bool end_file(void)
{
    bool printed;
    if (run.seen.ending)
        return true;
    run.seen.ending = true;
    await_reader(0);
    printed = sync_output();
    return close_file(&run.seen) && printed;
}

static void end_at_exit(void)
{
    if (!end_file())
        _exit(2);
}

static void end_by_signal(int number)
{
    const bool saved = end_file();
    warn_in_time();
    if (!saved)
        exit(2);
    signal(number, SIG_DFL);
    raise(number);
}

/* ---- Signals ------------------------------------------------------------- */

/* The first signal ends the run: what was read is printed and recorded before.
   The second one kills it. A signal may come right before a system call that
   waits, and does not interrupt that one; so SIGALRM follows every second. */
static void on_signal(int number)
{
    const bool again = stopped_by && number != SIGPIPE && number != SIGALRM;
    if (again) {
        signal(number, SIG_DFL);
        raise(number);
    }
    if (!stopped_by)
        stopped_by = number;
    alarm(1);
}

/* A signal that is ignored stays ignored. */
static void watch_signals(void)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT,
        SIGALRM, SIGUSR2, SIGXCPU, SIGVTALRM, SIGPROF };
    struct sigaction new = { 0 }, old;
    unsigned i;
    new.sa_handler = on_signal;
    for (i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &new, NULL);
}

/* Waits for input, meanwhile recording what the reader has read. */
static void before_read(reader *in)
{
    struct pollfd input = { 0, POLLIN, 0 };
    input.fd = in->fd;
    do {
        if (stopped_by)
            end_by_signal(stopped_by);
        tell_state();
        settle();
        sync_in_time();
    } while (in->fd >= 0
             && poll(&input, 1, count_waiting() > 0 ? 20 : 1000) <= 0);
}

/* ---- Printing ------------------------------------------------------------ */

static void fail_to_print(void)
{
    run.gone = errno == EPIPE;
    if (run.gone && stopped_by)
        end_by_signal(stopped_by);
    die_of(strerror(errno), "standard output");
}

/* A full disk or a kill may have cut the last line of a file to which this run
   appends. Then this run first ends it. */
static bool ends_in_half_line(void)
{
    struct stat out;
    const int flags = fcntl(1, F_GETFL);
    const char end = run.asked->keys.end;
    char last = end;
    const int fd = flags >= 0 && flags & O_APPEND
                   ? open("/dev/stdout", O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return false;
    if (fstat(fd, &out) != 0 || out.st_size == 0
        || pread(fd, &last, 1, out.st_size - 1) != 1)
        last = end;
    close(fd);
    return last != end;
}

static void print_all(const char *text, size_t size, uint64_t *printed)
{
    ssize_t some;
    for (; size > 0; text += some, size -= (size_t)some) {
        some = write_some(text, size);
        if (some < 0)
            fail_to_print();
        *printed += (uint64_t)some;
        tell_state();
        settle();
    }
}

static void print(const char *text, size_t size)
{
    uint64_t others = 0;
    if (size > 0 && !run.begun && run.is_file && ends_in_half_line())
        print_all(&run.asked->keys.end, 1, &others);
    run.begun |= size > 0;
    print_all(text, size, &run.printed);
}

static void count_lines(tally *sum, size_t lines, size_t added)
{
    sum->lines += lines;
    sum->found += added;
    run.new_lines += added;
    run.old_lines += lines - added;
    if (run.seen.in.known > run.warn_at)
        warn_in_time();
}

static void keep_wanted(chunk *c, size_t *kept, const bool *is_new,
                        size_t lines)
{
    if (!run.asked->counts)
        keep_lines(c, kept, &run.lines, is_new, !run.asked->repeated, lines);
}

/* Finds the new lines of a batch, and lets them wait. With -c and -d, they are
   not printed, and are recorded at once. */
static size_t find_new(bool *is_new, size_t lines)
{
    const bool prints = !run.asked->counts && !run.asked->repeated;
    const batch *b = &run.lines;
    bloom_hash hash[BATCH];
    size_t i, found = 0;
    forget_old(&run.seen.in);
    hash_keys(&run.seen.in, b->key, lines, hash);
    look_up_hashes(&run.seen.in, hash, lines, is_new);
    for (i = 0; i < lines; i++) {
        is_new[i] = !is_new[i] && !is_waiting(hash[i]);
        if (is_new[i] && prints)
            run.offered += b->line[i].size + 1;
        if (is_new[i])
            let_wait(hash[i], run.offered);
        found += is_new[i];
    }
    if (!prints)
        record_until(0);
    return found;
}

/* How many lines can be looked up, so that all of them can be recorded if they
   are new? */
static size_t room_for_lines(void)
{
    const uint64_t room = room_in(&run.seen);
    const uint64_t most = room < MOST_WAITING ? room : MOST_WAITING;
    return most > count_waiting() ? (size_t)(most - count_waiting()) : 0;
}

/* Makes room before lines are printed, so that a full disk is noticed in time.
   If a reader is so slow that the lines in its pipe would fill a link, the next
   link begins early. If they fill the queue, the reader is waited for. */
static void make_room(void)
{
    if (count_waiting() == MOST_WAITING)
        await_reader(MOST_WAITING / 2);
    if (run.gone) {
        kill(getpid(), SIGPIPE);        /* as if it had been written to */
        errno = EPIPE;
        fail_to_print();
    }
    if (room_for_lines() > 0)
        return;
    if (!sync_output())
        exit(2);
    add_room(&run.seen);
}

/* For a run with a FILE */
static void print_chunk(job *j, unsigned slot, chunk *c, tally *sum)
{
    bool is_new[BATCH];
    size_t kept = 0, done = 0, lines;
    (void)j;
    (void)slot;
    while (c->next < c->size) {
        if (kept - done >= BLOCK || room_for_lines() == 0) {
            print(c->text + done, kept - done);
            done = kept;
            make_room();
        }
        lines = next_batch(&run.lines, c, &run.asked->keys, room_for_lines());
        count_lines(sum, lines, find_new(is_new, lines));
        keep_wanted(c, &kept, is_new, lines);
    }
    print(c->text + done, kept - done);
    c->size = 0;                        /* do_lines has nothing to print */
}

/* For a run without a FILE. do_lines prints the lines. */
static void filter_chunk(job *j, unsigned slot, chunk *c, tally *sum)
{
    bool is_new[BATCH];
    size_t lines, kept = 0;
    (void)j;
    (void)slot;
    while ((lines = next_batch(&run.lines, c, &run.asked->keys, BATCH)) > 0) {
        count_lines(sum, lines,
              add_keys(&run.seen.in, run.lines.key, lines, is_new));
        keep_wanted(c, &kept, is_new, lines);
    }
    c->size = kept;
}

/* ---- The whole run ------------------------------------------------------- */

static double rate_now(const job *j, uint64_t found)
{
    (void)j;
    (void)found;
    return rate_of(&run.seen.in);
}

static void open_seen(const options *o)
{
    const filter *f = &run.seen.in;
    struct stat out;
    if (!o->file) {
        run.seen.in = new_filter(&o->filter);
        run.seen.fd = -1;
        run.seen.is_new = true;
    } else {
        run.seen = open_file(o->file, &o->filter, !o->no_wait);
        if (fstat(1, &out) == 0) {
            run.is_pipe = S_ISFIFO(out.st_mode);
            run.is_socket = S_ISSOCK(out.st_mode);
            run.is_file = S_ISREG(out.st_mode);
        }
        run.synced = seconds();
        watch_signals();
        atexit(end_at_exit);
    }
    if (run.seen.is_new && o->filter.bytes)
        say("%s: room for %" PRIu64 " lines at p = %g", run.name, f->n, f->p);
    run.seen.in.warns = true;
    run.warn_at = f->fixed ? f->n : UINT64_MAX;
    forget_old(&run.seen.in);           /* it looks at the clock */
}

int uniq_lines(const options *o, char **operands)
{
    reader in = reader_of(operands, &o->keys);
    job j = { filter_chunk, NULL, !o->counts, "read", "new", false, rate_now };
    run.asked = o;
    run.name = o->file ? o->file : "uniq";
    open_seen(o);
    if (o->file) {
        in.before_read = before_read;
        j.run = print_chunk;
    }
    do_lines(&in, &j, 1);
    if (o->counts)
        printf("%" PRIu64 " new\n%" PRIu64 " seen\n", run.new_lines,
               run.old_lines);
    if (fflush(stdout) != 0 && !stopped_by)
        die_of(strerror(errno), "standard output");
    if (!end_file())
        return 2;
    warn_in_time();
    if (stopped_by)
        end_by_signal(stopped_by);
    close_output();
    return run.warned ? EXCEEDED : 0;
}
