/* plan.c: plans of new filters, from the options */
#include "plan.h"
#include "say.h"

const char *const layouts[] = { "classic", "blocked", "counting" };
const char *const widths[] = { "64", "32" };

/* ---- Making ------------------------------------------------------------- */

bool must_forget(const wish *w)
{
    return w->last_lines > 0 || w->age > 0;
}

bool has_size(const wish *w)
{
    return w->n_given || w->bytes > 0;
}

/* By default classic, 0 and 64 */
bloom_plan given_plan(const wish *w)
{
    bloom_plan plan = { 0, 0, 0, 0, 0 };
    plan.layout = (uint8_t)(w->layout > 0 ? w->layout : 0);
    plan.hash_bits = w->width > 0 ? 32 : 64;
    plan.seed = w->seed;
    return plan;
}

uint64_t least_cells(bloom_plan plan)
{
    return plan.layout == BLOOM_BLOCKED ? 256 : 64;
}

void make_foldable(bloom_plan *plan)
{
    const uint64_t unit = 5040 * least_cells(*plan);
    plan->cells += (unit - plan->cells % unit) % unit;
}

/* `layout` is too small for n lines; -1: all layouts are. In a window, n is
   that of a generation; the user gave more. */
static void refuse_plan(const wish *w, uint64_t n, int layout)
{
    const char *option = w->last_lines ? "--last" : "-n";
    if (must_forget(w))
        n = w->last_lines ? w->last_lines : w->n;
    die("%s %" PRIu64 " -p %g: too large or too accurate for %s filter; "
        "%sgive a smaller %s or a larger -p", option, n, w->p,
        layout < 0 ? "any" : layout == BLOOM_BLOCKED ? "a blocked"
        : "a counting", layout < 0 ? "" : "try -l classic, or ", option);
}

bloom_plan checked_plan(const wish *w, bloom_plan plan, uint64_t n, double p,
                        bloom_plan like)
{
    plan.seed = like.seed;
    plan.hash_bits = like.hash_bits;
    if (plan.hash_bits == 32 && bloom_plan_fpr(plan, n) > 1.01 * p)
        die("-w 32: too narrow for %" PRIu64 " lines at p = %g; leave out -w "
            "32, or give a larger -p", n, w->p);
    if (bloom_plan_size(plan) == 0)
        refuse_plan(w, n, bloom_plan_size(bloom_plan_for(n, p)) > 0
                          ? (int)like.layout : -1);
    return plan;
}

bloom_plan plan_for(const wish *w, uint64_t n, double p, bloom_plan like)
{
    const bloom_layout layout = (bloom_layout)like.layout;
    bloom_plan plan = w->bytes ? bloom_plan_fit((size_t)w->bytes, p, layout)
                               : bloom_plan_layout(n, p, layout);
    if (w->foldable)
        make_foldable(&plan);
    return checked_plan(w, plan, n, p, like);
}

uint64_t lines_wanted(const wish *w, bloom_plan like)
{
    uint64_t n = w->n;
    if (w->bytes)
        n = bloom_plan_capacity(bloom_plan_fit((size_t)w->bytes, w->p,
                                               (bloom_layout)like.layout),
                                w->p);
    if (n == 0)
        die("--bytes %" PRIu64 ": too few for a filter of one line at p = %g; "
            "give more", w->bytes, w->p);
    return n;
}

size_t size_planned(const wish *w, uint64_t n)
{
    return bloom_plan_size(plan_for(w, n, w->p, given_plan(w)));
}

/* ---- Same options ------------------------------------------------------- */

void agree_on(const char *name, const char *option, uint64_t there,
              uint64_t given)
{
    if (there != given)
        die("%s: made with %s = %" PRIu64 ", not %" PRIu64 "; use another file "
            "or leave out -%s", name, option, there, given, option);
}

/* 0.7% and 0.007 may be different doubles. */
void agree_on_rate(const char *name, double there, double given)
{
    double ratio = there / given;
    if (ratio < 1 - 1e-9 || ratio > 1 + 1e-9)
        die("%s: made with p = %.10g, not %.10g; use another file or leave out "
            "-p", name, there, given);
}

void agree_on_plan(const wish *w, bloom_plan there, const char *name)
{
    if (w->layout >= 0 && w->layout != there.layout)
        die("%s: made with layout = %s, not %s; use another file or leave out "
            "-l",
            name, layouts[there.layout], layouts[w->layout]);
    if (w->width >= 0)
        agree_on(name, "w", there.hash_bits, w->width ? 32 : 64);
    if (w->seed_given)
        agree_on(name, "s", there.seed, w->seed);
}

void must_not_forget(const wish *w, const char *name, const char *what)
{
    if (must_forget(w))
        die("%s: is %s, which never forgets; use another file or leave out "
            "--%s", name, what, w->age ? "for" : "last");
}
