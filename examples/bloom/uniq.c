/* uniq.c: bloom uniq, which prints each line the first time it is seen.

   With -f FILE a line is printed, and then added to the filter (waiting.c tells
   why), and the filter is saved when a signal comes, when it is time, and
   however the command ends: what was printed is known the next time. What its
   reader left unread in a pipe, or the disk did not take, is not. That there is
   room on the disk to save the filter is made sure before a line is printed. */
#include "command.h"

enum { BLOCK = 1 << 15,             /* bytes that are printed at once, about */
       EXCEEDED = 3 };              /* exit status: more than P are lost */

static struct run {
    const char *path;               /* NULL if nothing is kept */
    filter seen;
    batch lines;
    bloom_hash hash[BATCH];         /* of their keys */
    uint64_t new_lines, old_lines;
    double late;                    /* of all lines, how many waited when they
                                       were looked up */
    uint64_t offered, printed;      /* bytes: of all new lines; of those that
                                       standard output took */
    bool gone, broken;              /* nothing more will be printed; as its
                                       reader went away */
    bool unsaved;
    double save_at;                 /* NEVER: nothing is new */
    bool warned;
    uint64_t warn_at;               /* so many lines known */
} run;

static const double NEVER = 1e300;

/* ---- More than P --------------------------------------------------------- */

static void warn(void)
{
    if (!run.warned)
        run.warned = warn_if_full(&run.seen, run.path ? run.path : "uniq",
                                  "are now lost");
    run.warn_at = run.seen.known + run.seen.known / 8;
}

/* The last word of a run whose filter has exceeded P; has it? */
static bool tell_lost(void)
{
    const char *name = run.path ? run.path : "uniq";
    double most = (double)run.old_lines, lost;
    warn();
    if (!run.warned)
        return false;
    lost = lost_since_start(&run.seen,
                            run.late / ((double)run.new_lines + most));
    lost = lost < most ? lost : most;
    if (lost < 0)
        say("%s: %" PRIu64 " lines were new, %" PRIu64 " were taken for known; "
            "how many of these were new cannot be told, as every cell is set",
            name, run.new_lines, run.old_lines);
    else
        say("%s: %" PRIu64 " lines were new, %" PRIu64 " were taken for known; "
            "about %.0f of these were new: %.3g%% of all new lines are lost",
            name, run.new_lines, run.old_lines, lost,
            lost > 0 ? 100 * lost / (lost + (double)run.new_lines) : 0);
    return true;
}

/* ---- Saving ------------------------------------------------------------- */

/* Lines that end within so many bytes of what is printed */
static void add_lines_until(uint64_t end)
{
    if (add_printed(&run.seen, end) > 0)
        run.unsaved = true;
}

/* Others may have written to the pipe, too. */
static uint64_t was_read(void)
{
    uint64_t unread = unread_output();
    return run.printed > unread ? run.printed - unread : 0;
}

/* What a reader who is there has not read yet, it will. */
static void add_all_printed(void)
{
    add_lines_until(run.broken ? was_read() : run.printed);
}

/* false: it cannot be saved, and why was said. */
static bool save(void)
{
    bool good;
    add_all_printed();
    run.unsaved = false;
    run.save_at = NEVER;
    hold_signals(true);
    good = try_to_save(run.path, &run.seen);
    hold_signals(false);
    return good;
}

/* It ended before all was done. */
static void save_at_exit(void)
{
    add_all_printed();
    if (run.unsaved)
        save();
}

static void stop(void)
{
    save_at_exit();
    tell_lost();
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

/* The filter could not grow. What was printed is saved at the exit. */
static void end_if_full(void)
{
    if (disk_is_full())
        die_of(strerror(disk_is_full()), run.path);
}

/* There will be another save. */
static void save_meanwhile(void)
{
    save_or_end();
    reserve_or_end();
}

static bool is_fifo(const char *name)
{
    struct stat file;
    return stat(name, &file) == 0 && S_ISFIFO(file.st_mode);
}

/* To open a FIFO takes as long as its writer likes, and there is no clock. */
static void before_open(const reader *in)
{
    if (stop_signal())
        stop();
    if (run.save_at < NEVER && is_fifo(in->name))
        save_meanwhile();
}

static void before_read(reader *in)
{
    if (in->fd < 0) {
        before_open(in);
        return;
    }
    while (!wait_for_input(in->fd, run.save_at)) {
        if (stop_signal())
            stop();
        if (seconds() >= run.save_at)
            save_meanwhile();
    }
}

/* ---- Printing ----------------------------------------------------------- */

/* Whole lines if one fits into the room. */
static size_t piece_of(const char *text, size_t size, size_t room)
{
    size_t piece = room;
    if (size <= room)
        return size;
    while (piece > 0 && text[piece - 1] != options.end)
        piece--;
    return piece > 0 ? piece : room;
}

static size_t print_some(const char *text, size_t size)
{
    ssize_t some = write(1, text, size);
    if (some >= 0) {
        run.printed += (uint64_t)some;
        return (size_t)some;
    }
    run.gone = run.broken = errno == EPIPE;
    if (!(run.broken && stop_signal()) && errno != EINTR && errno != EAGAIN)
        die_of(strerror(errno), "standard output");
    return 0;
}

/* Waits for who reads it. When a signal comes meanwhile, what was printed is
   saved, and the rest is printed all the same, until a second one comes. */
static void print_lines(const char *text, size_t size)
{
    while (size > 0 && !run.gone) {
        size_t room = room_in_output(run.save_at), some = 0;
        if (room > 0)
            some = print_some(text, piece_of(text, size, room));
        else if (stop_now())
            run.gone = true;
        else if (stop_signal() || seconds() >= run.save_at)
            save_meanwhile();
        text += some;
        size -= some;
        add_lines_until(was_read());
    }
}

/* ---- Lines -------------------------------------------------------------- */

static void note_lines(size_t count, size_t added)
{
    run.new_lines += added;
    run.old_lines += count - added;
    if (added > 0 && run.save_at >= NEVER && run.path)
        run.save_at = seconds() + (double)options.save;
    if (run.seen.one && run.seen.known > run.warn_at)
        warn();
}

/* Those that are to be printed, and then known. */
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

/* With a FILE. Of lines that are not printed nobody can miss one. */
static void print_chunk(job *j, unsigned slot, chunk *c, uint64_t *lines)
{
    const bool adds = options.counts || options.repeated;
    bool is_new[BATCH];
    size_t count, added, kept = 0, done = 0;
    (void)j;
    (void)slot;
    while (!run.gone && (count = next_batch(&run.lines, c)) > 0) {
        added = adds ? add_lines(&run.seen, run.lines.key, count, is_new)
                     : find_new(is_new, count);
        run.unsaved |= adds && added > 0;
        note_lines(count, added);
        *lines += count;
        if (!options.counts)
            keep_lines(c, &kept, &run.lines, is_new, !options.repeated, count);
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

/* Without one the lines are left to do_lines, which prints them. */
static void filter_chunk(job *j, unsigned slot, chunk *c, uint64_t *lines)
{
    bool is_new[BATCH];
    size_t count, kept = 0;
    (void)j;
    (void)slot;
    while ((count = next_batch(&run.lines, c)) > 0) {
        note_lines(count, add_lines(&run.seen, run.lines.key, count, is_new));
        *lines += count;
        if (!options.counts)
            keep_lines(c, &kept, &run.lines, is_new, !options.repeated, count);
    }
    c->size = kept;
}

/* ---- All of it ---------------------------------------------------------- */

/* That of the file, if there is one. Without -n nobody knows how many lines
   will come: a large first link is faster, a small one a smaller file. */
static filter recall(bool exists)
{
    filter f;
    if (exists) {
        f = read_sound_filter(run.path);
        must_agree(&f, run.path);
        return f;
    }
    if (window_wanted())
        return new_window();
    if (options.fixed || options.layout == BLOOM_COUNTING)
        return new_filter(options.n);
    return new_chain(run.path || options.n_given ? options.n : 2 * options.n);
}

int uniq_lines(char **operands)
{
    reader in = reader_of(operands, options.end);
    job j = { filter_chunk, NULL, true, "read" };
    int status;
    run.path = options.file;
    if (!run.path && options.layout < 0 && options.width <= 0)
        options.layout = BLOOM_BLOCKED;     /* nobody sees it: the fastest */
    run.seen = recall(run.path && take_output(run.path));
    run.warn_at = run.seen.n;
    run.save_at = NEVER;
    look_at_start(&run.seen);
    if (run.path) {
        reserve_or_end();
        watch_signals(true);
        atexit(save_at_exit);
        in.before_read = before_read;
        j.run = print_chunk;
    }
    do_lines(&in, &j, 1);
    if (options.counts)
        printf("%" PRIu64 " new\n%" PRIu64 " seen\n", run.new_lines,
               run.old_lines);
    if (stop_signal())
        stop();
    close_output();
    if (run.path)
        save_or_end();
    end_if_full();
    status = tell_lost() ? EXCEEDED : 0;
    free_filter(&run.seen);
    free(run.lines.lower);
    return status;
}
