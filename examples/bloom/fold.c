/* fold.c: bloom fold, and --fold: a filter that was planned for too many lines
   gets the size that one for its own number of lines would have had */
#include "command.h"

static uint64_t least_cells(bloom_plan plan)
{
    return plan.layout == BLOOM_BLOCKED ? 256 : 64;
}

/* Its size can then be divided by each of the 60 divisors of 5040. */
bloom_plan make_foldable(bloom_plan plan)
{
    const uint64_t unit = 5040 * least_cells(plan);
    plan.cells += (unit - plan.cells % unit) % unit;
    return plan;
}

/* Does a filter of this plan, folded by `by`, keep p with n lines? */
static bool keeps(bloom_plan plan, uint64_t by, uint64_t n, double p)
{
    const bool was_large = plan.cells >> 34 != 0;
    plan.cells /= by;
    if (plan.layout == BLOOM_BLOCKED && was_large && plan.cells >> 34 == 0)
        return false;                   /* bloom_fold tells why */
    return bloom_plan_capacity(plan, p) >= n;
}

bool fold_for(filter *f, uint64_t n, double p)
{
    const bloom_plan plan = bloom_plan_of(f->one);
    const uint64_t parts = plan.cells / least_cells(plan);
    uint64_t best = 0, i, other;
    for (i = 1; i <= parts / i; i++) {  /* divisors come in pairs */
        if (parts % i != 0)
            continue;
        other = parts / i;
        if (i > best && keeps(plan, i, n, p))
            best = i;
        if (other > best && keeps(plan, other, n, p))
            best = other;
    }
    return best > 0 && bloom_fold(f->one, best);
}

static void fold_by_rate(filter *f, const char *path)
{
    uint64_t known = keys_in(f);
    uint64_t n = options.n_given && options.n > known ? options.n : known;
    if (known == UINT64_MAX)
        die("%s: every cell is set, so it cannot be folded", path);
    if (!fold_for(f, n, options.p))
        die("%s: is too small for %" PRIu64 " lines with a rate of %g as it is",
            path, n, options.p);
}

int fold_filter(char **operands)
{
    const char *path = *operands;
    filter f;
    take_output(path);
    f = read_sound_filter(path);
    must_be_one(&f, path, "cannot be folded");
    if (!options.by)
        fold_by_rate(&f, path);
    else if (!bloom_fold(f.one, options.by))
        die("%s: its m, %" PRIu64 ", cannot be divided by %" PRIu64 " so that "
            "a multiple of %" PRIu64 " is left", path,
            bloom_plan_of(f.one).cells, options.by,
            least_cells(bloom_plan_of(f.one)));
    save_filter(path, &f);
    free_filter(&f);
    return 0;
}
