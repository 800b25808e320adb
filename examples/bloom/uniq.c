/* uniq.c: bloom uniq, which prints each line the first time it is seen.

   What was printed is in the file that is saved, whatever comes: a chunk of
   lines is added, printed, and only then a signal or the clock has the filter
   saved, before the next chunk is read. */
#include "command.h"

static struct run {
    const char *path, *name;        /* path: NULL if nothing is kept */
    filter seen;
    batch lines;
    uint64_t new_lines, old_lines;
    bool warned;
    double save_at;                 /* NEVER: nothing is new */
} run;

static const double NEVER = 1e300;

static void warn(void)
{
    if (!run.warned && run.seen.one && run.seen.known > run.seen.n)
        warn_of_rate(run.name, &run.seen, "is now lost");
    if (run.seen.one && run.seen.known > run.seen.n)
        run.warned = true;
}

static void save(void)
{
    if (run.path)
        save_filter(run.path, &run.seen);
    if (!run.warned && is_overfull(&run.seen)) {
        say("%s: has grown as far as it can; 1 new line in %.0f is now lost",
            run.name, 1 / rate_of(&run.seen));
        run.warned = true;
    }
    run.save_at = NEVER;
}

/* All that was read is printed, or nobody is there to read it. */
static void stop(void)
{
    save();
    let_go();
    end_by_signal(stop_signal());
}

static void before_read(reader *in)
{
    while (!wait_for_input(in->fd, run.save_at)) {
        if (stop_signal())
            stop();
        if (seconds() >= run.save_at)
            save();
    }
}

static void uniq_chunk(job *j, unsigned slot, chunk *c, uint64_t *lines)
{
    bool is_new[BATCH];
    size_t count, added, kept = 0;
    (void)j;
    (void)slot;
    while ((count = next_batch(&run.lines, c)) > 0) {
        added = add_lines(&run.seen, run.lines.key, count, is_new);
        run.new_lines += added;
        run.old_lines += count - added;
        *lines += count;
        if (!options.counts)
            keep_lines(c, &kept, &run.lines, is_new, !options.repeated, count);
        if (added > 0 && run.save_at >= NEVER)
            run.save_at = seconds() + (double)options.save;
        warn();
    }
    c->size = kept;
}

/* That of the file, if there is one. Without -n nobody knows how many lines
   will come: a large first link is faster, a small one a smaller file. */
static filter recall(bool exists)
{
    if (!exists && (options.n_given || options.fixed))
        return new_filter(options.n);
    if (!exists)
        return new_chain(run.path ? options.n : 2 * options.n);
    if (options.n_given || options.p_given || options.layout >= 0
        || options.width || options.seed)
        misused("%s: is there already; -n, -p, -l, -w and -s are for a new "
                "file", run.path);
    run.seen = read_to_add(run.path);
    if (options.fixed && run.seen.chain)
        misused("%s: has grown already, so it is not --fixed", run.path);
    return run.seen;
}

int uniq_lines(char **operands)
{
    reader in = reader_of(operands, options.end);
    job j = { uniq_chunk, NULL, true, "read" };
    bool exists;
    run.path = options.file;
    run.name = run.path ? run.path : "standard input";
    exists = run.path && take_output(run.path);
    if (!run.path && options.layout < 0)
        options.layout = BLOOM_BLOCKED;     /* nobody sees it: the fastest */
    run.seen = recall(exists);
    run.save_at = NEVER;
    warn();
    if (run.path) {
        watch_signals(stop);
        in.before_read = before_read;
    }
    do_lines(&in, &j, 1);
    if (options.counts)
        printf("%" PRIu64 " new\n%" PRIu64 " seen\n", run.new_lines,
               run.old_lines);
    if (stop_signal())
        stop();
    close_output();
    save();
    free_filter(&run.seen);
    free(run.lines.lower);
    return 0;
}
