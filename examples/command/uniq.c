/* uniq.c: bloom uniq, which prints each line the first time it is seen.

   With -f FILE, a line is printed first and added to the filter afterwards;
   queue.c explains why. The filter is saved at intervals, at a signal, and
   however else the command ends. So the next run knows every line that was
   printed, except lines that the reader left unread in a pipe, or that could
   not be written to a full disk. Disk space for the filter is reserved before a
   line is printed.

   A save while the reader is still there counts what is in the pipe as read, as
   the reader is expected to read it. To keep such saves few, the command waits
   at its end until the reader has read everything or has exited, but not beyond
   the time of the next save: the reader may be waiting for the command. */
#include "uniq.h"
#include "filter.h"
#include "jobs.h"
#include "lost.h"
#include "queue.h"
#include "save.h"
#include "say.h"
#include "system.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 13 };           /* bytes per write, roughly */

static struct run {
    const options *asked;
    const char *path;               /* FILE; NULL: none */
    filter seen;
    batch lines;
    bloom_hash hash[BATCH];         /* of the keys of `lines` */
    uint64_t new_lines, old_lines;
    double late;                    /* sum, over all lines, of how many waited
                                       when the line was looked up */
    uint64_t offered, printed;      /* bytes of new lines so far; bytes that
                                       standard output has taken */
    bool gone, broken;              /* nothing more will be printed; because
                                       the reader of the pipe exited */
    double save_at;                 /* NEVER: nothing to save */
    bool ended;                     /* the last save was made */
    bool warned;
    uint64_t warn_at;               /* check again at this many lines */
} run;

/* ---- More than P --------------------------------------------------------- */

static void warn(void)
{
    if (!run.warned)
        run.warned = warn_if_full(&run.seen, run.path ? run.path : "uniq",
                                  "will now be lost");
    run.warn_at = run.seen.known + run.seen.known / 8;
}

/* If the filter's rate has exceeded P, prints how many lines the run has lost,
   and returns true. That number may be 0: with a FILE, up to MOST_WAITING lines
   are looked up before any of them is in the filter. The next run would lose
   many, so the exit status is the same. */
static bool tell_lost(void)
{
    const char *name = run.path ? run.path : "uniq";
    double most = (double)run.old_lines, lost;
    warn();
    if (!run.warned)
        return false;
    if (run.old_lines == 0) {
        say("%s: %" PRIu64 " lines were new, 0 were taken for known, so none "
            "was lost", name, run.new_lines);
        return true;
    }
    lost = lost_since_start(&run.seen,
                            run.late / ((double)run.new_lines + most));
    lost = lost < most ? lost : most;
    if (lost < 0)
        say("%s: %" PRIu64 " lines were new, %" PRIu64 " were taken for known; "
            "how many of these were in fact new is unknown, as every cell is "
            "set", name, run.new_lines, run.old_lines);
    else
        say("%s: %" PRIu64 " lines were new, %" PRIu64 " were taken for known; "
            "about %.0f of these were in fact new: %.3g%% of all new lines "
            "were lost",
            name, run.new_lines, run.old_lines, lost,
            lost > 0 ? 100 * lost / (lost + (double)run.new_lines) : 0);
    return true;
}

/* ---- Saving ------------------------------------------------------------- */

/* Adds the lines that end within the first `end` bytes of output. */
static void add_lines_until(uint64_t end)
{
    add_printed(&run.seen, end);
}

/* Bytes of output that the reader of a pipe has read. Other processes may have
   written to the same pipe, so the result may be too small. */
static uint64_t was_read(void)
{
    uint64_t unread = run.broken ? 0 : unread_output();
    return run.printed > unread ? run.printed - unread : 0;
}

/* The reader has exited: what it left unread does not count as printed. */
static void lose_reader(void)
{
    run.printed = was_read();
    run.gone = run.broken = true;
}

/* A reader that has not exited is expected to read the rest. */
static void add_all_printed(void)
{
    add_lines_until(run.printed);
}

/* Waits for the reader of a pipe at the end of the run. */
static void await_reader(void)
{
    double pause = 0.001;
    add_lines_until(was_read());
    while (count_waiting() > 0 && was_read() < run.printed && !stop_signal()
           && seconds() < run.save_at) {
        if (reader_exits(seconds() + pause))
            lose_reader();
        tell_state();
        pause = pause < 0.05 ? 2 * pause : pause;
        add_lines_until(was_read());
    }
}

/* If lines still wait to be printed, there will be another save. Returns false,
   after a message, if the filter cannot be saved. */
static bool save(void)
{
    add_all_printed();
    run.save_at = count_waiting() > 0 ? seconds() + (double)run.asked->save
                                      : NEVER;
    return try_to_save(run.path, &run.seen);
}

/* Saves when the run ends before all input was read. */
static bool save_rest(void)
{
    if (!stop_signal())
        await_reader();
    add_all_printed();
    return !(run.seen.changed || is_replaced()) || save();
}

static void save_at_exit(void)
{
    if (!run.ended)
        save_rest();
}

/* A signal does not hide that saving failed. */
static void stop(void)
{
    const bool saved = save_rest();
    tell_lost();
    if (!saved)
        exit(2);
    let_go();
    end_by_signal(stop_signal());
}

static void save_or_end(void)
{
    if (!save())
        exit(2);
}

static void reserve_or_end(void)
{
    if (!reserve(size_of(&run.seen)))
        die_of(strerror(errno), run.path);
}

/* Ends if the filter could not grow for lack of disk space. The lines that were
   printed are saved at exit. */
static void end_if_full(void)
{
    if (disk_is_full())
        die_of(strerror(disk_is_full()), run.path);
}

/* Saves during the run, and reserves disk space for the next save. */
static void save_meanwhile(void)
{
    add_all_printed();
    if (run.seen.changed) {
        save_or_end();
        reserve_or_end();
    } else
        run.save_at = seconds() + (double)run.asked->save;
}

static double next_event(void)
{
    const double state = state_due();
    return state < run.save_at ? state : run.save_at;
}

static bool is_fifo(const char *name)
{
    struct stat file;
    return stat(name, &file) == 0 && S_ISFIFO(file.st_mode);
}

/* Opening a FIFO waits for its writer without a time limit. So it saves
   first. */
static void before_open(const reader *in)
{
    if (stop_signal())
        stop();
    if (run.save_at < NEVER && is_fifo(in->name))
        save_meanwhile();
}

static void before_read(reader *in)
{
    tell_state();
    if (in->fd < 0) {
        before_open(in);
        return;
    }
    while (!wait_for_input(in->fd, next_event())) {
        if (stop_signal())
            stop();
        tell_state();
        if (seconds() >= run.save_at)
            save_meanwhile();
    }
}

/* ---- Printing ----------------------------------------------------------- */

/* Returns how many bytes to write: whole lines if at least one fits in
   `room`. */
static size_t piece_of(const char *text, size_t size, size_t room)
{
    size_t piece = room;
    if (size <= room)
        return size;
    while (piece > 0 && text[piece - 1] != run.asked->keys.end)
        piece--;
    return piece > 0 ? piece : room;
}

static size_t print_some(const char *text, size_t size)
{
    ssize_t some = write(1, text, size);
    int why = errno;
    if (some >= 0) {
        run.printed += (uint64_t)some;
        return (size_t)some;
    }
    if (why == EPIPE)
        lose_reader();
    if (!(run.broken && stop_signal()) && why != EINTR && why != EAGAIN)
        die_of(strerror(why), "standard output");
    return 0;
}

/* Waits for the reader. If a signal comes, it saves what was printed, and then
   prints the rest. At a second signal it stops printing. */
static void print_lines(const char *text, size_t size)
{
    while (size > 0 && !run.gone) {
        size_t room = room_in_output(next_event()), some = 0;
        if (room > 0)
            some = print_some(text, piece_of(text, size, room));
        else if (stop_now())
            run.gone = true;
        else if (stop_signal() || seconds() >= run.save_at)
            save_meanwhile();
        tell_state();
        text += some;
        size -= some;
        add_lines_until(was_read());
    }
}

/* ---- Lines -------------------------------------------------------------- */

static double rate_now(const job *j, uint64_t found)
{
    (void)j;
    (void)found;
    return rate_of(&run.seen);
}

static void note_lines(tally *sum, size_t count, size_t added)
{
    sum->lines += count;
    sum->found += added;
    run.new_lines += added;
    run.old_lines += count - added;
    if (added > 0 && run.save_at >= NEVER && run.path)
        run.save_at = seconds() + (double)run.asked->save;
    if (run.seen.known > run.warn_at)
        warn();
}

/* Finds the new lines of a batch, and puts them into the queue of lines that
   are added after they were printed. */
static size_t find_new(bool *is_new, size_t count)
{
    const batch *b = &run.lines;
    size_t i, found = 0, waited = count_waiting();
    forget_old(&run.seen);
    hash_lines(&run.seen, b->key, count, run.hash);
    look_up_hashes(&run.seen, run.hash, count, is_new);
    for (i = 0; i < count; i++) {
        is_new[i] = !is_new[i] && !is_waiting(run.hash[i]);
        if (is_new[i])
            let_wait(run.hash[i], run.offered += b->line[i].size + 1);
        found += is_new[i];
    }
    run.late += (double)count * ((double)waited + (double)found / 2);
    return found;
}

static size_t next_lines_of(chunk *c)
{
    return next_batch(&run.lines, c, &run.asked->keys);
}

static void keep_wanted(chunk *c, size_t *kept, const bool *is_new,
                        size_t count)
{
    if (!run.asked->counts)
        keep_lines(c, kept, &run.lines, is_new, !run.asked->repeated, count);
}

/* For a run with a FILE. With -c and -d, new lines are not printed, so they are
   added at once. */
static void print_chunk(job *j, unsigned slot, chunk *c, tally *sum)
{
    const bool adds = run.asked->counts || run.asked->repeated;
    bool is_new[BATCH];
    size_t count, added, kept = 0, done = 0;
    (void)j;
    (void)slot;
    while (!run.gone && (count = next_lines_of(c)) > 0) {
        added = adds ? add_lines(&run.seen, run.lines.key, count, is_new)
                     : find_new(is_new, count);
        note_lines(sum, count, added);
        keep_wanted(c, &kept, is_new, count);
        if (kept - done >= BLOCK || count_waiting() > MOST_WAITING - BATCH) {
            print_lines(c->text + done, kept - done);
            done = kept;
        }
        if (count_waiting() > MOST_WAITING - BATCH)
            add_all_printed();
        end_if_full();
    }
    print_lines(c->text + done, kept - done);
    c->size = 0;
}

/* For a run without a FILE. do_lines prints the lines. */
static void filter_chunk(job *j, unsigned slot, chunk *c, tally *sum)
{
    bool is_new[BATCH];
    size_t count, kept = 0;
    (void)j;
    (void)slot;
    while ((count = next_lines_of(c)) > 0) {
        note_lines(sum, count,
                   add_lines(&run.seen, run.lines.key, count, is_new));
        keep_wanted(c, &kept, is_new, count);
    }
    c->size = kept;
}

/* ---- The whole run ------------------------------------------------------- */

/* Reads the filter from FILE if that exists, and makes a new one otherwise: by
   default, blocked, which is the fastest. */
static filter recall(bool exists)
{
    wish wanted = run.asked->filter;
    filter f;
    if (exists) {
        f = read_output();
        must_agree(&f, &wanted, run.path);
        return f;
    }
    if (wanted.layout < 0 && wanted.width <= 0)
        wanted.layout = BLOOM_BLOCKED;
    f = new_filter(&wanted);
    if (wanted.bytes)
        say("%s: room for %" PRIu64 " lines at p = %g",
            run.path ? run.path : "uniq", f.n, f.p);
    return f;
}

int uniq_lines(const options *o, char **operands)
{
    reader in = reader_of(operands, o->keys.end);
    job j = { filter_chunk, NULL, !o->counts, "read", "new", false, rate_now };
    int status;
    run.asked = o;
    run.path = o->file;
    run.seen = recall(run.path && take_output(run.path, !o->no_wait));
    run.warn_at = run.seen.kind->fills ? run.seen.n : UINT64_MAX;
    run.save_at = NEVER;
    run.seen.warns = true;
    look_at_start(&run.seen);
    if (run.path) {
        reserve_or_end();
        watch_signals(true);
        atexit(save_at_exit);
        in.before_read = before_read;
        j.run = print_chunk;
    }
    do_lines(&in, &j, 1);
    if (o->counts)
        printf("%" PRIu64 " new\n%" PRIu64 " seen\n", run.new_lines,
               run.old_lines);
    await_reader();
    if (stop_signal())
        stop();
    close_output();
    add_all_printed();          /* before it looks whether anything changed */
    if (run.path && has_changes(&run.seen))
        save_or_end();
    run.ended = true;
    end_if_full();
    status = tell_lost() ? EXCEEDED : 0;
    free_filter(&run.seen);
    free(run.lines.lower);
    return status;
}
