/* build.c: bloom build, add and merge */
#include "build.h"
#include "atomic.h"
#include "filter.h"
#include "fixed.h"
#include "jobs.h"
#include "save.h"
#include "say.h"

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
    return j->at_most ? bloom_plan_fpr(bloom_plan_of(f->into->as.fixed),
                                       found)
                      : rate_of(f->into);
}

static bloom *filter_of(filling *f, unsigned slot)
{
    if (!f->own[slot])
        f->own[slot] = new_fixed(&f->asked->filter, f->into->n).as.fixed;
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
    hash_lines(&f->hasher, b->key, count, block->hash + block->count);
    block->count += count;
}

static size_t add_batch(filling *f, unsigned slot, const batch *b, size_t count)
{
    bool is_new[BATCH];
    return f->together ? add_atomically(f->into->as.fixed, b->key, count)
           : slot == 0 ? add_lines(f->into, b->key, count, is_new)
           : bloom_add_many(filter_of(f, slot), b->key, count, NULL);
}

static void fill_chunk(job *j, unsigned slot, chunk *c, tally *sum)
{
    filling *f = j->with;
    batch *b = &f->lines[slot];
    size_t count;
    while ((count = next_batch(b, c, &f->asked->keys)) > 0) {
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
        if (f->own[i] && !bloom_merge(f->into->as.fixed, f->own[i]))
            die("the parts of a filter differ");
        free(f->own[i]);
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
    reader in = reader_of(names, o->keys.end);
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
        added += add_hashes(into, block->hash, block->count);
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
    reader in = reader_of(names, o->keys.end);
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

/* Returns the exit status. */
static int tell_if_full(const char *path, const filter *f)
{
    return warn_if_full(f, path, "are now taken for known") ? EXCEEDED : 0;
}

static bool look_at_input(const char *name, struct stat *file)
{
    return (strcmp(name, "-") == 0 ? fstat(0, file) : stat(name, file)) == 0;
}

/* Exits if OUT is also an input, as its lines or keys would be lost. */
static void spare_inputs(const char *path, char **names)
{
    struct stat out, in;
    const bool exists = stat(path, &out) == 0;
    for (; exists && *names; names++)
        if (look_at_input(*names, &in)
            && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
            misused("%s: is OUT and an input; write to a new file, then rename "
                    "it", shown(*names));
}

/* ---- build, add --------------------------------------------------------- */

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
    reader in = reader_of(names, o->keys.end);
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

enum { WORTH_IT = 1 << 12 };        /* bytes: a block of a disk */

/* A filter that was planned for all lines of a log may be twice as large as
   that for its different ones. */
static void tell_repeats(const wish *w, const char *path, const filter *f)
{
    const uint64_t size = size_of(f), folded = size_folded(f);
    const bool folds = folded < size;
    const uint64_t better = folds ? folded : size_planned(w, f->known);
    if (f->known / 3 >= f->n / 4 || size < better + WORTH_IT)
        return;
    say("%s: only about %" PRIu64 " of %" PRIu64 " lines were different; with "
        "%s, it would have %" PRIu64 " bytes, not %" PRIu64, path, f->known,
        f->n, folds ? "--fold" : "that number as -n",
        better, size);
}

int build_filter(const options *o, char **operands)
{
    const char *path = *operands++;
    char **names = reader_of(operands, o->keys.end).names;
    const wish *w = &o->filter;
    uint64_t added;
    filter f;
    int status;
    spare_inputs(path, names);
    take_output(path, !o->no_wait);
    if (has_size(w) || can_be_read_twice(names)) {
        f = new_fixed(w, has_size(w) ? lines_wanted(w, given_plan(w))
                                     : count_lines(o, names));
        if (w->bytes)
            say("%s: room for %" PRIu64 " lines at p = %g", path, f.n, f.p);
        added = fill_filter(o, &f, names, o->jobs);
    } else
        added = fill_unplanned(o, &f, names);
    /* Several threads may each have counted the same line as new. */
    f.known = o->jobs > 1 && keys_in(&f) < added ? keys_in(&f) : added;
    status = tell_if_full(path, &f);
    if (o->fold)
        fold_for(&f, keys_in(&f), f.p);
    else if (!has_size(w) && !w->foldable)
        tell_repeats(w, path, &f);
    save_filter(path, &f);
    free_filter(&f);
    return status;
}

/* By one thread, as only filters of fixed size can be filled by several */
int add_to_filter(const options *o, char **operands)
{
    const char *path = *operands++;
    filter f;
    int status;
    take_output(path, !o->no_wait);
    f = read_output();
    f.warns = true;
    fill_filter(o, &f, operands, 1);
    status = tell_if_full(path, &f);
    save_changes(path, &f);
    free_filter(&f);
    return status;
}

/* ---- merge -------------------------------------------------------------- */

static void compare(const char *name, const char *first, const char *field,
                    uint64_t here, uint64_t there)
{
    if (here != there)
        die("%s: %s %" PRIu64 " differs from %" PRIu64 " in %s; build all "
            "parts with the same -n, -p, -l, -w and -s", name, field, here,
            there, first);
}

static void tell_difference(const char *name, const char *first,
                            bloom_plan here, bloom_plan there)
{
    if (here.layout != there.layout)
        die("%s: layout %s differs from %s in %s; build all parts with the "
            "same -l", name,
            layouts[here.layout], layouts[there.layout], first);
    compare(name, first, "hash width", here.hash_bits, there.hash_bits);
    compare(name, first, "k", here.hashes, there.hashes);
    compare(name, first, "m", here.cells, there.cells);
    compare(name, first, "seed", here.seed, there.seed);
}

static filter read_part(const char *name)
{
    filter f = read_sound_filter(name);
    must_be_one(&f, name, "cannot be merged; make the parts with build or "
                "uniq --fixed");
    return f;
}

/* Memory holds two filters at once. */
static void merge_one(filter *f, const char *first, const char *name)
{
    filter part = read_part(name);
    bloom_plan plan = bloom_plan_of(part.as.fixed);
    bool merged = bloom_merge(f->as.fixed, part.as.fixed);
    free_filter(&part);
    if (!merged)
        tell_difference(name, first, plan, bloom_plan_of(f->as.fixed));
}

/* People type "merge a b" to add the lines of b to a. */
static void check_parts(const char *path, char **parts)
{
    if (!parts[1])
        misused("merge: one input has no union; for that of %s and %s, type: "
                "bloom merge OUT %s %s", path, *parts, path, *parts);
    spare_inputs(path, parts);
}

int merge_filters(const options *o, char **operands)
{
    const char *path = *operands++, *first = *operands;
    filter f;
    int status = 0;
    check_parts(path, operands);
    take_output(path, !o->no_wait);
    f = read_part(first);
    while (*++operands)
        merge_one(&f, first, *operands);
    if (o->fold) {
        f.p = o->filter.p;
        f.known = keys_in(&f);
    }
    if (!o->fold || !fold_for(&f, f.known, f.p))
        status = tell_if_full(path, &f);
    save_filter(path, &f);
    free_filter(&f);
    return status;
}
