/* merge.c: bloom merge, which writes the union of filters */
#include "file.h"
#include "options.h"

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
    filter f = read_file(name, NULL);
    must_be_one(&f, name, "cannot be merged; make the parts with build or "
                "uniq --fixed");
    return f;
}

static void merge_one(filter *f, const char *first, const char *name)
{
    const filter part = read_part(name);
    if (!bloom_merge(f->fixed, part.fixed))
        tell_difference(name, first, bloom_plan_of(part.fixed),
                        bloom_plan_of(f->fixed));
}

int merge_filters(const options *o, char **operands)
{
    const char *path = *operands++, *first = *operands;
    const bool folds = o->fold;
    filter f;
    int status = 0;
    if (!operands[1])                   /* to add the lines of b to a */
        misused("merge: one input has no union; for that of %s and %s, type: "
                "bloom merge OUT %s %s", path, first, path, first);
    claim_file(path, operands, !o->no_wait);
    f = read_part(first);
    while (*++operands)
        merge_one(&f, first, *operands);
    if (folds) {
        f.p = o->filter.p;
        f.known = keys_in(&f);
    }
    if ((!folds || !fold_for(f.fixed, f.known, f.p))
        && warn_if_full(&f, path, "are now taken for known"))
        status = EXCEEDED;
    replace_file(path, f.fixed);
    return status;
}
