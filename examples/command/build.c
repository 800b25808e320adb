/* build.c: bloom build, which makes a filter of lines, by several threads */
#include "file.h"
#include "jobs.h"
#include "options.h"

#include <string.h>
#include <sys/stat.h>

/* ---- Lines into a filter ------------------------------------------------ */
/* If the filter is small, each thread fills one of its own, and they are merged
   at the end. If it is large, all threads fill the same filter by atomic
   operations. Those are slower, but the time goes into waiting for memory. */

enum { SMALL = 1 << 26 };

/* If the number of lines is unknown until they have all been read, and they can
   be read only once, their hashes are kept. */
enum { KEPT = (1 << 16) - 1 };      /* hashes in a block of 1 MB */

typedef struct kept {
    struct kept *older;
    size_t count;
    bloom_hash hash[KEPT];
} kept;

typedef struct filling {
    const options *asked;
    filter *into;                   /* NULL: hashes are kept instead */
    bool together;
    bloom *own[SLOTS];              /* by thread; thread 0 fills `into` */
    filter hasher;                  /* has the seed and width of the options */
    kept *hashes[SLOTS];            /* by thread */
    batch lines[SLOTS];
    size_t looked, alike;           /* first lines, and how many of them are
                                       HASH:COUNT */
} filling;

static void look_for_counts(filling *f, const batch *b, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++)
        f->alike += looks_like_a_count(b->key[i]);
    f->looked += count;
}

/* The filters of several threads may each count a line as new, and the cells of
   one that they all fill must not be read now. */
static double rate_so_far(const job *j, uint64_t found)
{
    const filling *f = j->with;
    return j->at_most ? bloom_plan_fpr(bloom_plan_of(f->into->fixed),
                                       found)
                      : rate_of(f->into);
}

static bloom *filter_of(filling *f, unsigned slot)
{
    if (!f->own[slot])
        f->own[slot] = new_fixed(&f->asked->filter, f->into->n).fixed;
    return f->own[slot];
}

static void keep_hashes(filling *f, unsigned slot, const batch *b,
                        size_t count)
{
    kept *block = f->hashes[slot];
    if (!block || block->count + count > KEPT) {
        block = malloc(sizeof *block);
        if (!block)
            die("new filter: not enough memory for the hashes of all lines, 16 "
                "bytes each; give -n N, so that they need not be kept");
        block->older = f->hashes[slot];
        block->count = 0;
        f->hashes[slot] = block;
    }
    hash_keys(&f->hasher, b->key, count, block->hash + block->count);
    block->count += count;
}

static size_t add_batch(filling *f, unsigned slot, const batch *b, size_t count)
{
    bool is_new[BATCH];
    return f->together ? add_atomically(f->into->fixed, b->key, count)
           : slot == 0 ? add_keys(f->into, b->key, count, is_new)
           : bloom_add_many(filter_of(f, slot), b->key, count, NULL);
}

static void fill_chunk(job *j, unsigned slot, chunk *c, tally *sum)
{
    filling *f = j->with;
    batch *b = &f->lines[slot];
    size_t count;
    while ((count = next_batch(b, c, &f->asked->keys, BATCH)) > 0) {
        if (slot == 0 && f->looked < BATCH)
            look_for_counts(f, b, count);
        if (f->into)
            sum->found += add_batch(f, slot, b, count);
        else
            keep_hashes(f, slot, b, count);
        sum->lines += count;
    }
}

static filling *new_filling(const options *o, filter *into)
{
    filling *f = calloc(1, sizeof *f);
    if (!f)
        die("new filter: not enough memory");
    f->asked = o;
    f->into = into;
    return f;
}

static void end_filling(filling *f)
{
    unsigned i;
    for (i = 0; i < SLOTS; i++) {
        if (f->own[i] && !bloom_merge(f->into->fixed, f->own[i]))
            die("the parts of a filter differ");
        bloom_free(f->own[i]);
        free(f->lines[i].lower);
    }
    if (f->looked >= MANY_HASHES && f->alike == f->looked)
        say("these lines look like HASH:COUNT; to add the hashes alone, give "
            "-t : -k 1,1");
    free(f);
}

/* Returns how many lines were new. With several threads, it may count some of
   them more than once. */
static uint64_t fill_filter(const options *o, filter *into, char **names,
                            unsigned threads)
{
    filling *f = new_filling(o, into);
    reader in = reader_of(names, &o->keys);
    job j = { fill_chunk, f, false, "read", "new", false, rate_so_far };
    tally sum;
    f->together = threads > 1 && size_of(into) > SMALL;
    j.at_most = threads > 1;
    sum = do_lines(&in, &j, threads);
    end_filling(f);
    return sum.found;
}

static uint64_t add_kept(filter *into, kept *block)
{
    uint64_t added = 0;
    while (block) {
        kept *older = block->older;
        added += add_absent(into, block->hash, block->count);
        free(block);
        block = older;
    }
    return added;
}

/* Makes a filter for as many lines as there are. Reads them once. Returns how
   many were new. */
static uint64_t fill_unplanned(const options *o, filter *into, char **names)
{
    filling *f = new_filling(o, NULL);
    reader in = reader_of(names, &o->keys);
    job j = { fill_chunk, f, false, "read", NULL, false, NULL };
    uint64_t added = 0;
    unsigned i;
    f->hasher = new_hasher(&o->filter);
    *into = new_fixed(&o->filter, do_lines(&in, &j, o->jobs).lines);
    for (i = 0; i < SLOTS; i++)
        added += add_kept(into, f->hashes[i]);
    free_filter(&f->hasher);
    end_filling(f);
    return added;
}

/* ---- How many lines ------------------------------------------------------ */

static void count_chunk(job *j, unsigned slot, chunk *c, tally *sum)
{
    const char *at = c->text, *end = at + c->size;
    (void)j;
    (void)slot;
    for (; at < end; sum->lines++)
        at = (const char *)memchr(at, c->end, (size_t)(end - at)) + 1;
}

static uint64_t count_lines(const options *o, char **names)
{
    reader in = reader_of(names, &o->keys);
    job j = { count_chunk, NULL, false, "counted", NULL, false, NULL };
    in.again = true;
    return do_lines(&in, &j, o->jobs).lines;
}

/* Is none of the inputs a pipe or a terminal? */
static bool can_be_read_twice(char **names)
{
    struct stat in;
    for (; *names; names++)
        if (look_at_input(*names, &in) && !S_ISREG(in.st_mode))
            return false;
    return true;
}

int build_filter(const options *o, char **operands)
{
    const char *path = *operands++;
    char **names = reader_of(operands, &o->keys).names;
    const wish *w = &o->filter;
    uint64_t added;
    filter f;
    int status;
    claim_file(path, names, !o->no_wait);
    if (has_size(w) || can_be_read_twice(names)) {
        f = new_fixed(w, has_size(w) ? lines_wanted(w)
                                     : count_lines(o, names));
        if (w->bytes)
            say("%s: room for %" PRIu64 " lines at p = %g", path, f.n, f.p);
        added = fill_filter(o, &f, names, o->jobs);
    } else
        added = fill_unplanned(o, &f, names);
    /* Several threads may each have counted the same line as new. */
    f.known = o->jobs > 1 && keys_in(&f) < added ? keys_in(&f) : added;
    status = warn_if_full(&f, path, "are now taken for known") ? EXCEEDED : 0;
    if (o->fold)
        fold_for(f.fixed, keys_in(&f), f.p);
    replace_file(path, f.fixed);
    free_filter(&f);
    return status;
}
