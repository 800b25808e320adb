/* check.c: bloom check */
#include "command.h"

typedef struct asking {
    filter f;
    batch lines[64];                /* by thread */
    size_t looked, alike;           /* first lines, and how many of them
                                       look like hashes of passwords */
} asking;

static void look_for_hashes(asking *a, const batch *b, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++)
        a->alike += looks_like_a_hash(b->key[i])
                    || looks_like_a_count(b->key[i]);
    a->looked += count;
}

/* For -q, the first line that would be printed decides the exit status. */
static void answer(const bool *maybe, size_t count)
{
    while (count-- > 0)
        if (*maybe++ != options.inverted)
            exit(0);
}

static void check_chunk(job *j, unsigned slot, chunk *c, tally *sum)
{
    asking *a = j->with;
    batch *b = &a->lines[slot];
    bool maybe[BATCH];
    size_t count, i, kept = 0;
    while ((count = next_batch(b, c)) > 0) {
        if (slot == 0 && a->looked < BATCH)
            look_for_hashes(a, b, count);
        look_up(&a->f, b->key, count, maybe);
        if (options.quiet)
            answer(maybe, count);
        for (i = 0; i < count; i++)
            sum->found += maybe[i];
        sum->lines += count;
        if (!options.counts)
            keep_lines(c, &kept, b, maybe, !options.inverted, count);
    }
    c->size = kept;
}

static void give_hint(const asking *a, uint64_t in, const char *name)
{
    if (in == 0 && a->looked > 0 && a->alike == a->looked)
        say("%s: contains none of these hashes; if it was built from "
            "HASH:COUNT lines, rebuild it with -t : -k 1,1; if the case of "
            "the letters may differ, give -i to build and check", name);
}

int check_lines(char **operands)
{
    asking *a = calloc(1, sizeof *a);
    reader lines = reader_of(operands + 1, options.end);
    job j = { check_chunk, a, !options.counts && !options.quiet, "read",
              "may be in", false, NULL };
    tally sum;
    unsigned i;
    if (!a)
        die("check: not enough memory");
    a->f = read_sound_filter(*operands);
    forget_old(&a->f);
    sum = do_lines(&lines, &j, options.jobs);
    for (i = 0; i < 64; i++)
        free(a->lines[i].lower);
    if (options.counts && !options.quiet)
        printf("%" PRIu64 " in\n%" PRIu64 " not in\n", sum.found,
               sum.lines - sum.found);
    close_output();
    give_hint(a, sum.found, *operands);
    free_filter(&a->f);
    free(a);
    return sum.found == (options.inverted ? sum.lines : 0);
}
