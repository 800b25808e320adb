/* check.c: bloom check */
#include "file.h"
#include "jobs.h"
#include "options.h"

#include <stdio.h>

typedef struct asking {
    const options *asked;
    filter f;
    batch lines[SLOTS];             /* by thread */
    bool as_usual[SLOTS];           /* by thread: a line may be in, or does
                                       not look like a password's hash */
} asking;

static bool all_hashes(const batch *b, size_t count)
{
    size_t i = 0;
    while (i < count && (looks_like_a_hash(b->key[i])
                         || looks_like_a_count(b->key[i])))
        i++;
    return i == count;
}

/* For -q, the first line that would be printed decides the exit status. */
static void answer(const bool *maybe, size_t count, bool inverted)
{
    while (count-- > 0)
        if (*maybe++ != inverted)
            exit(0);
}

static void check_chunk(job *j, unsigned slot, chunk *c, tally *sum)
{
    asking *a = j->with;
    const options *o = a->asked;
    batch *b = &a->lines[slot];
    bool maybe[BATCH];
    size_t count, found, i, kept = 0;
    while ((count = next_batch(b, c, &o->keys, BATCH)) > 0) {
        look_up(&a->f, b->key, count, maybe);
        if (o->quiet)
            answer(maybe, count, o->inverted);
        for (i = found = 0; i < count; i++)
            found += maybe[i];
        if (!a->as_usual[slot])
            a->as_usual[slot] = found > 0 || !all_hashes(b, count);
        sum->found += found;
        sum->lines += count;
        if (!o->counts)
            keep_lines(c, &kept, b, maybe, !o->inverted, count);
    }
    c->size = kept;
}

/* That no hash is in a filter is the usual answer for a few of them, but odd
   for many. Names only what was not done. */
static void give_hint(const asking *a, uint64_t lines, const char *name)
{
    const bool keys = a->asked->keys.first == 0;
    const bool cases = !a->asked->keys.ignore_case;
    unsigned i = 0;
    while (i < SLOTS && !a->as_usual[i])
        i++;
    if (i == SLOTS && lines >= MANY_HASHES && !a->asked->quiet
        && (keys || cases))
        say("%s: contains none of these hashes%s%s", name, keys ?
            "; if it was built from HASH:COUNT lines, rebuild it with -t : -k "
            "1,1" : "", cases ? "; if the case of the letters may differ, give "
            "-i to build and check" : "");
}

int check_lines(const options *o, char **operands)
{
    asking *a = calloc(1, sizeof *a);
    reader lines = reader_of(operands + 1, &o->keys);
    job j = { check_chunk, a, !o->counts && !o->quiet, "read",
              "may be in", false, NULL };
    tally sum;
    unsigned i;
    if (!a)
        die("check: not enough memory");
    a->asked = o;
    a->f = read_file(*operands, NULL);
    forget_old(&a->f);
    sum = do_lines(&lines, &j, o->jobs);
    for (i = 0; i < SLOTS; i++)
        free(a->lines[i].lower);
    if (o->counts && !o->quiet)
        printf("%" PRIu64 " in\n%" PRIu64 " not in\n", sum.found,
               sum.lines - sum.found);
    close_output();
    give_hint(a, sum.lines, *operands);
    free(a);
    return sum.found == (o->inverted ? sum.lines : 0);
}
