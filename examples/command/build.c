/* build.c: bloom build, add and merge */
#include "command.h"

/* ---- Lines into a filter ------------------------------------------------ */
/* If the filter is small, each thread fills one of its own, and they are merged
   at the end. If it is large, all threads fill the same filter by atomic
   operations. Those are slower, but the time goes into waiting for memory. */

enum { SMALL = 1 << 26 };

typedef struct filling {
    filter *into;
    bool together;
    bloom *own[64];                 /* by thread; thread 0 fills `into` */
    batch lines[64];
    uint64_t added[64];
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

static bloom *filter_of(filling *f, unsigned slot)
{
    if (!f->own[slot])
        f->own[slot] = new_filter(f->into->n).one;
    return f->own[slot];
}

static void fill_chunk(job *j, unsigned slot, chunk *c, uint64_t *lines)
{
    filling *f = j->with;
    batch *b = &f->lines[slot];
    bool is_new[BATCH];
    size_t count;
    while ((count = next_batch(b, c)) > 0) {
        if (slot == 0 && f->looked < BATCH)
            look_for_counts(f, b, count);
        f->added[slot] +=
            f->together ? add_atomically(f->into->one, b->key, count)
            : slot == 0 ? add_lines(f->into, b->key, count, is_new)
            : bloom_add_many(filter_of(f, slot), b->key, count, NULL);
        *lines += count;
    }
}

/* Returns how many lines were new. With several threads, it may count some of
   them more than once. */
static uint64_t fill_filter(filter *into, char **names, unsigned threads)
{
    filling *f = calloc(1, sizeof *f);
    reader in = reader_of(names, options.end);
    job j = { fill_chunk, f, false, "read" };
    uint64_t added = 0;
    unsigned i;
    if (!f)
        die("new filter: not enough memory");
    f->into = into;
    f->together = into->one && threads > 1 && size_of(into) > SMALL;
    do_lines(&in, &j, into->one ? threads : 1);
    for (i = 0; i < 64; i++) {
        added += f->added[i];
        if (f->own[i] && !bloom_merge(into->one, f->own[i]))
            die("the parts of a filter differ");
        free(f->own[i]);
        free(f->lines[i].lower);
    }
    if (f->looked > 0 && f->alike == f->looked)
        say("these lines look like HASH:COUNT; to add the hashes alone, give "
            "-t : -k 1,1");
    free(f);
    return added;
}

/* Returns the exit status. */
static int tell_if_full(const char *path, const filter *f)
{
    return warn_if_full(f, path, "are now taken for known") ? EXCEEDED : 0;
}

/* Exits if OUT is also an input, as its lines or keys would be lost. */
static void spare_inputs(const char *path, char **names)
{
    struct stat out, in;
    const bool exists = stat(path, &out) == 0;
    for (; exists && *names; names++)
        if ((strcmp(*names, "-") == 0 ? fstat(0, &in) : stat(*names, &in)) == 0
            && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
            misused("%s: is OUT and an input; write to a new file, then rename "
                    "it", shown(*names));
}

/* ---- build, add --------------------------------------------------------- */

static void count_chunk(job *j, unsigned slot, chunk *c, uint64_t *lines)
{
    const char *at = c->text, *end = at + c->size;
    (void)j;
    (void)slot;
    for (; at < end; ++*lines)
        at = (const char *)memchr(at, c->end, (size_t)(end - at)) + 1;
}

static uint64_t count_lines(char **names)
{
    reader in = reader_of(names, options.end);
    job j = { count_chunk, NULL, false, "counted" };
    in.again = true;
    return do_lines(&in, &j, options.jobs);
}

int build_filter(char **operands)
{
    const char *path = *operands++;
    uint64_t n, added;
    filter f;
    int status;
    spare_inputs(path, reader_of(operands, options.end).names);
    take_output(path);
    n = options.n_given ? options.n : count_lines(operands);
    f = new_filter(n);
    added = fill_filter(&f, operands, options.jobs);
    /* Several threads may each have counted the same line as new. */
    f.known = options.jobs > 1 && keys_in(&f) < added ? keys_in(&f) : added;
    status = tell_if_full(path, &f);
    if (options.fold)
        fold_for(&f, keys_in(&f), f.p);
    save_filter(path, &f);
    free_filter(&f);
    return status;
}

int add_to_filter(char **operands)
{
    const char *path = *operands++;
    filter f;
    int status;
    take_output(path);
    f = read_sound_filter(path);
    f.warns = true;
    fill_filter(&f, operands, 1);
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
    bloom_plan plan = bloom_plan_of(part.one);
    bool merged = bloom_merge(f->one, part.one);
    free_filter(&part);
    if (!merged)
        tell_difference(name, first, plan, bloom_plan_of(f->one));
}

/* People type "merge a b" to add the lines of b to a. */
static void check_parts(const char *path, char **parts)
{
    if (!parts[1])
        misused("merge: one input has no union; for that of %s and %s, type: "
                "bloom merge OUT %s %s", path, *parts, path, *parts);
    spare_inputs(path, parts);
}

int merge_filters(char **operands)
{
    const char *path = *operands++, *first = *operands;
    filter f;
    int status = 0;
    check_parts(path, operands);
    take_output(path);
    f = read_part(first);
    while (*++operands)
        merge_one(&f, first, *operands);
    if (options.fold) {
        f.p = options.p;
        f.known = keys_in(&f);
    }
    if (!options.fold || !fold_for(&f, f.known, f.p))
        status = tell_if_full(path, &f);
    save_filter(path, &f);
    free_filter(&f);
    return status;
}
