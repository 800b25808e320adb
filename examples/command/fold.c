/* fold.c: bloom fold, and --fold. Folding shrinks a filter that was planned for
   too many lines to the size that it needs for the lines that it holds. */
#include "command.h"

static uint64_t least_cells(bloom_plan plan)
{
    return plan.layout == BLOOM_BLOCKED ? 256 : 64;
}

/* Rounds the size up so that each of the 60 divisors of 5040 divides it. */
bloom_plan make_foldable(bloom_plan plan)
{
    const uint64_t unit = 5040 * least_cells(plan);
    plan.cells += (unit - plan.cells % unit) % unit;
    return plan;
}

/* Can a filter of this plan be folded by `by`, and is its rate at most p then,
   if it holds n lines? */
static bool keeps(bloom_plan plan, uint64_t by, uint64_t n, double p)
{
    const bool wide = plan.cells >> 34 > 0;     /* blocked filters stay so */
    if (plan.cells % by != 0)
        return false;
    plan.cells /= by;
    return bloom_plan_size(plan) > 0 && bloom_plan_fpr(plan, n) <= p
           && (plan.layout != BLOOM_BLOCKED || wide == (plan.cells >> 34 > 0));
}

/* The size that --fold would give to a filter that was built without it */
size_t size_folded(const filter *f)
{
    bloom_plan plan = make_foldable(bloom_plan_of(f->one));
    uint64_t by = 1 << 16;
    while (by > 1 && !keeps(plan, by, f->known, f->p))
        by--;
    plan.cells /= by;
    return bloom_plan_size(plan);
}

/* bloom_fold_by considers only the lines in the filter, and divisors up to
   65536. So its result is checked for n lines, and used repeatedly. */
bool fold_for(filter *f, uint64_t n, double p)
{
    bool kept = false;
    uint64_t by;
    do {
        by = bloom_fold_by(f->one, p);
        while (by > 0 && !(keeps(bloom_plan_of(f->one), by, n, p)
                           && bloom_fold(f->one, by)))
            by--;
        kept = kept || by > 0;
    } while (by > 1);
    return kept;
}

/* The number of lines for which FILE is folded */
static uint64_t lines_of(const filter *f)
{
    const uint64_t known = keys_in(f);
    return options.n_given && options.n > known ? options.n : known;
}

static void fold_by_rate(filter *f, const char *path)
{
    const uint64_t known = keys_in(f), n = lines_of(f);
    if (known == UINT64_MAX)
        die("%s: every cell is set; build a larger filter", path);
    if (!fold_for(f, n, options.p))
        die("%s: too small for %" PRIu64 " lines at p = %g, even unfolded; "
            "build a larger filter, or give a larger -p", path, n, options.p);
}

static void tell_unchanged(const filter *f, const char *path)
{
    const bloom_plan here = bloom_plan_of(f->one);
    const uint64_t n = lines_of(f);
    const bloom_plan least = bloom_plan_layout(n, options.p,
                                               (bloom_layout)here.layout);
    if (options.by)
        say("%s: unchanged: --by 1 divides by one", path);
    else if (here.cells / 8 * 7 <= least.cells)
        say("%s: unchanged: it has the size that %" PRIu64 " lines need at p = "
            "%g", path, n, options.p);
    else
        say("%s: unchanged: m = %" PRIu64 " has no divisor that keeps p = %g; "
            "a filter built with --foldable has more divisors", path,
            here.cells, options.p);
}

int fold_filter(char **operands)
{
    const char *path = *operands;
    uint64_t before;
    filter f;
    take_output(path);
    f = read_sound_filter(path);
    must_be_one(&f, path, "cannot be folded");
    before = bloom_plan_of(f.one).cells;
    if (!options.by)
        fold_by_rate(&f, path);
    else if (!bloom_fold(f.one, options.by))
        die("%s: m = %" PRIu64 " divided by %" PRIu64 " is not a multiple of %"
            PRIu64 "; give another D, or build with --foldable", path,
            bloom_plan_of(f.one).cells, options.by,
            least_cells(bloom_plan_of(f.one)));
    f.changed = bloom_plan_of(f.one).cells != before;
    if (!f.changed)
        tell_unchanged(&f, path);
    save_changes(path, &f);
    free_filter(&f);
    return 0;
}
