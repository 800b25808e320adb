/* fold.c: bloom fold. Folding shrinks a filter that was planned for too many
   lines to the size that it needs for the lines that it holds. */
#include "file.h"
#include "options.h"

/* The number of lines for which FILE is folded */
static uint64_t lines_of(const filter *f, const wish *w)
{
    const uint64_t known = keys_in(f);
    return w->n_given && w->n > known ? w->n : known;
}

static void fold_by_rate(filter *f, const wish *w, const char *path)
{
    const uint64_t known = keys_in(f), n = lines_of(f, w);
    if (known == UINT64_MAX)
        die("%s: every cell is set; build a larger filter", path);
    if (!fold_for(f->fixed, n, w->p))
        die("%s: too small for %" PRIu64 " lines at p = %g, even unfolded; "
            "build a larger filter, or give a larger -p", path, n, w->p);
}

static void tell_unchanged(const filter *f, const options *o, const char *path)
{
    const bloom_plan here = bloom_plan_of(f->fixed);
    const uint64_t n = lines_of(f, &o->filter);
    const double p = o->filter.p;
    const bloom_plan least = bloom_plan_layout(n, p,
                                               (bloom_layout)here.layout);
    if (o->by)
        say("%s: unchanged: --by 1 divides by one", path);
    else if (here.cells / 8 * 7 <= least.cells)
        say("%s: unchanged: it has the size that %" PRIu64 " lines need at p = "
            "%g", path, n, p);
    else
        say("%s: unchanged: m = %" PRIu64 " has no divisor that keeps p = %g; "
            "a filter built with --foldable has more divisors", path,
            here.cells, p);
}

int fold_filter(const options *o, char **operands)
{
    static char *no_inputs[] = { NULL };
    const char *path = *operands;
    uint64_t before;
    filter f;
    claim_file(path, no_inputs, !o->no_wait);
    f = read_file(path, NULL);
    must_be_one(&f, path, "cannot be folded");
    before = bloom_plan_of(f.fixed).cells;
    if (!o->by)
        fold_by_rate(&f, &o->filter, path);
    else if (!bloom_fold(f.fixed, o->by))
        die("%s: m = %" PRIu64 " divided by %" PRIu64 " is not a multiple of %"
            PRIu64 "; give another D, or build with --foldable", path, before,
            o->by, least_cells(bloom_plan_of(f.fixed)));
    if (bloom_plan_of(f.fixed).cells == before)
        tell_unchanged(&f, o, path);
    else
        replace_file(path, f.fixed);
    return 0;
}
