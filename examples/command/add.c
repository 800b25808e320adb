/* add.c: bloom add, which adds lines to the filter in a FILE */
#include "file.h"
#include "jobs.h"
#include "options.h"

#include <unistd.h>

static file growing;
static batch lines;
static const key_rules *rules;

/* A filter of fixed size gets all lines, as a counting one counts them. The
   others get those that they do not know. */
static size_t add_batch(size_t count)
{
    bloom_hash hash[BATCH];
    bool known[BATCH];
    size_t i, unknown = 0;
    if (growing.in.fixed)
        return record_keys(&growing, lines.key, count);
    forget_old(&growing.in);
    hash_keys(&growing.in, lines.key, count, hash);
    look_up_hashes(&growing.in, hash, count, known);
    for (i = 0; i < count; i++)
        if (!known[i])
            hash[unknown++] = hash[i];
    return record(&growing, hash, unknown);
}

static void add_chunk(job *j, unsigned slot, chunk *c, tally *sum)
{
    size_t count, room;
    (void)j;
    (void)slot;
    while (c->next < c->size) {
        if (room_in(&growing) == 0)
            add_room(&growing);
        room = room_in(&growing) < BATCH ? (size_t)room_in(&growing) : BATCH;
        count = next_batch(&lines, c, rules, room);
        sum->found += add_batch(count);
        sum->lines += count;
    }
}

static double rate_now(const job *j, uint64_t found)
{
    (void)j;
    (void)found;
    return rate_of(&growing.in);
}

/* However the command ends */
static void end_at_exit(void)
{
    if (!close_file(&growing))
        _exit(2);
}

int add_to_filter(const options *o, char **operands)
{
    reader in = reader_of(operands + 1, &o->keys);
    job j = { add_chunk, NULL, false, "read", "new", false, rate_now };
    int status;
    rules = &o->keys;
    growing = open_file(*operands, NULL, !o->no_wait);
    growing.in.warns = true;
    atexit(end_at_exit);
    do_lines(&in, &j, 1);
    status = warn_if_full(&growing.in, *operands, "are now taken for known")
             ? EXCEEDED : 0;
    return close_file(&growing) ? status : 2;
}
