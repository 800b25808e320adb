/* plan.c: makes new filters by the options, and checks that an existing filter
   was made with the same options */
#include "command.h"

/* ---- Making ------------------------------------------------------------- */

/* Layout, seed and hash width of the options; by default classic, 0 and 64 */
bloom_plan given_plan(void)
{
    bloom_plan plan = { 0, 0, 0, 0, 0 };
    plan.layout = (uint8_t)(options.layout > 0 ? options.layout : 0);
    plan.hash_bits = options.width > 0 ? 32 : 64;
    plan.seed = options.seed;
    return plan;
}

/* `layout` is too small for n lines; -1: all layouts are. In a window, n is
   that of a generation; the user gave more. */
static void refuse_plan(uint64_t n, int layout)
{
    const char *option = options.last_lines ? "--last" : "-n";
    if (window_wanted())
        n = options.last_lines ? options.last_lines : options.n;
    die("%s %" PRIu64 " -p %g: too large or too accurate for %s filter; "
        "%sgive a smaller %s or a larger -p", option, n, options.p,
        layout < 0 ? "any" : layout == BLOOM_BLOCKED ? "a blocked"
        : "a counting", layout < 0 ? "" : "try -l classic, or ", option);
}

/* Completes a plan for n lines and the rate p with the seed and hash width of
   `like`. Exits with a message if there is no such plan. */
bloom_plan checked_plan(bloom_plan plan, uint64_t n, double p, bloom_plan like)
{
    plan.seed = like.seed;
    plan.hash_bits = like.hash_bits;
    if (plan.hash_bits == 32 && bloom_plan_fpr(plan, n) > 1.01 * p)
        die("-w 32: too narrow for %" PRIu64 " lines at p = %g; leave out -w "
            "32, or give a larger -p", n, options.p);
    if (bloom_plan_size(plan) == 0)
        refuse_plan(n, bloom_plan_size(bloom_plan_for(n, p)) > 0
                       ? (int)like.layout : -1);
    return plan;
}

static bloom_plan plan_for(uint64_t n, double p, bloom_plan like)
{
    bloom_plan plan = bloom_plan_layout(n, p, (bloom_layout)like.layout);
    if (options.fold || options.foldable)
        plan = make_foldable(plan);
    return checked_plan(plan, n, p, like);
}

size_t size_planned(uint64_t n)
{
    return bloom_plan_size(plan_for(n, options.p, given_plan()));
}

/* A small filter that hashes lines like any other filter of the options */
filter new_hasher(void)
{
    filter f = { 0 };
    bloom_plan plan = given_plan();
    size_t size;
    plan.cells = 256;
    plan.hashes = 8;
    size = bloom_plan_size(plan);
    f.one = bloom_init(need_memory(size, "new filter"), size, plan);
    return f;
}

filter new_filter(uint64_t n)
{
    filter f = { 0 };
    bloom_plan plan = plan_for(n, options.p, given_plan());
    size_t size = bloom_plan_size(plan);
    f.one = bloom_init(need_memory(size, "new filter"), size, plan);
    f.n = n;
    f.p = options.p;
    return f;
}

/* The first link of a chain gets half of the rate. */
filter new_chain(uint64_t first_n)
{
    filter f = { 0 };
    if (options.width > 0)
        die("-w 32: does not work with a filter that grows; add --fixed");
    f.chain = bloom_chain_create(first_n, options.p,
                                 plan_for(first_n, options.p / 2,
                                          given_plan()));
    if (!f.chain)
        die("new filter: not enough memory for %" PRIu64 " lines; give a "
            "smaller -n", first_n);
    f.n = first_n;
    f.p = options.p;
    return f;
}

/* ---- Same options ------------------------------------------------------- */
/* A job that runs every day gives the same options every day. They must be
   those that made the file. */

static void agree_on(const char *name, const char *option, uint64_t there,
                     uint64_t given)
{
    if (there != given)
        die("%s: made with %s = %" PRIu64 ", not %" PRIu64 "; use another file "
            "or leave out -%s", name, option, there, given, option);
}

/* 0.7% and 0.007 may be different doubles. */
static void agree_on_rate(const char *name, double there, double given)
{
    double ratio = there / given;
    if (ratio < 1 - 1e-9 || ratio > 1 + 1e-9)
        die("%s: made with p = %.10g, not %.10g; use another file or leave out "
            "-p", name, there, given);
}

/* The file of a single filter does not record n and p. But they determine k and
   m, which it does record. */
static void agree_on_size(filter *f, const char *name)
{
    bloom_plan there = bloom_plan_of(f->one);
    bloom_plan given = plan_for(options.n, options.p, there);
    if (there.cells != given.cells || there.hashes != given.hashes)
        die("%s: has k = %d and m = %" PRIu64 ", but -n %" PRIu64 " -p %g "
            "means k = %d and m = %" PRIu64 "; use another file or leave out "
            "-n and -p", name, there.hashes, there.cells,
            options.n, options.p, given.hashes, given.cells);
    f->n = options.n;
    f->p = options.p;
    f->known = keys_in(f) < UINT64_MAX ? keys_in(f) : f->n;
}

void must_agree(filter *f, const char *name)
{
    bloom_plan there = bloom_plan_of(link_of(f, 0));
    if (options.fixed && f->chain)
        die("%s: is a filter that grows; use another file or leave out "
            "--fixed", name);
    if (f->window || window_wanted())
        window_must_agree(f, name);
    if (options.layout >= 0 && options.layout != there.layout)
        die("%s: made with layout = %s, not %s; use another file or leave out "
            "-l",
            name, layouts[there.layout], layouts[options.layout]);
    if (options.width >= 0)
        agree_on(name, "w", there.hash_bits, options.width ? 32 : 64);
    if (options.seed_given)
        agree_on(name, "s", there.seed, options.seed);
    if (options.n_given && f->chain)
        agree_on(name, "n", f->n, options.n);
    if (options.p_given && f->chain)
        agree_on_rate(name, f->p, options.p);
    if ((options.n_given || options.p_given) && f->one)
        agree_on_size(f, name);
}
