/* plan.c: makes a filter as the options say, and checks whether an existing one
   was made with such options */
#include "command.h"

/* ---- Making ------------------------------------------------------------- */

/* Layout, seed and width as the options say; else classic, 0 and 64 */
bloom_plan given_plan(void)
{
    bloom_plan plan = { 0, 0, 0, 0, 0 };
    plan.layout = (uint8_t)(options.layout > 0 ? options.layout : 0);
    plan.hash_bits = options.width > 0 ? 32 : 64;
    plan.seed = options.seed;
    return plan;
}

/* A plan for n lines and the rate p, with the seed and width of `like`; exits
   with a message if there is none */
bloom_plan checked_plan(bloom_plan plan, uint64_t n, double p, bloom_plan like)
{
    plan.seed = like.seed;
    plan.hash_bits = like.hash_bits;
    if (plan.hash_bits == 32 && bloom_plan_fpr(plan, n) > 1.01 * p)
        die("-w 32: too narrow for %" PRIu64 " lines with a rate of %g",
            n, options.p);
    if (bloom_plan_size(plan) == 0)
        die("-n %" PRIu64 " -p %g: more than fits into any memory",
            n, options.p);
    return plan;
}

static bloom_plan plan_for(uint64_t n, double p, bloom_plan like)
{
    bloom_plan plan = bloom_plan_layout(n, p, (bloom_layout)like.layout);
    if (options.fold || options.foldable)
        plan = make_foldable(plan);
    return checked_plan(plan, n, p, like);
}

filter new_filter(uint64_t n)
{
    filter f = { 0 };
    bloom_plan plan = plan_for(n, options.p, given_plan());
    size_t size = bloom_plan_size(plan);
    f.one = bloom_init(need_memory(size, "filter"), size, plan);
    f.n = n;
    f.p = options.p;
    return f;
}

/* The first link of a chain has half of its rate. */
filter new_chain(uint64_t first_n)
{
    filter f = { 0 };
    if (options.width > 0)
        die("-w 32: only a filter that does not grow has it; give --fixed");
    f.chain = bloom_chain_create(first_n, options.p,
                                 plan_for(first_n, options.p / 2,
                                          given_plan()));
    if (!f.chain)
        die("filter: not enough memory for %" PRIu64 " lines", first_n);
    f.n = first_n;
    f.p = options.p;
    return f;
}

/* ---- Agreeing ----------------------------------------------------------- */
/* A job that runs every day gives the same options every day. */

static void agree_on(const char *name, const char *option, uint64_t there,
                     uint64_t given)
{
    if (there != given)
        die("%s: was made with %s %" PRIu64 ", not %" PRIu64, name, option,
            there, given);
}

/* 0.7% and 0.007 need not be the same double. */
static void agree_on_rate(const char *name, double there, double given)
{
    double ratio = there / given;
    if (ratio < 1 - 1e-9 || ratio > 1 + 1e-9)
        die("%s: was made with -p %.10g, not %.10g", name, there, given);
}

/* A filter's file does not hold n and p, but k and m follow from them. */
static void agree_on_size(filter *f, const char *name)
{
    bloom_plan there = bloom_plan_of(f->one);
    bloom_plan given = plan_for(options.n, options.p, there);
    if (there.cells != given.cells || there.hashes != given.hashes)
        die("%s: has k %d and m %" PRIu64 ", but -n %" PRIu64 " -p %g "
            "makes k %d and m %" PRIu64, name, there.hashes, there.cells,
            options.n, options.p, given.hashes, given.cells);
    f->n = options.n;
    f->p = options.p;
    f->known = keys_in(f) < UINT64_MAX ? keys_in(f) : f->n;
}

void must_agree(filter *f, const char *name)
{
    bloom_plan there = bloom_plan_of(link_of(f, 0));
    if (options.fixed && f->chain)
        die("%s: is a chain of filters, which grows; it is not --fixed",
            name);
    if (f->window || window_wanted())
        window_must_agree(f, name);
    if (options.layout >= 0 && options.layout != there.layout)
        die("%s: was made with -l %s, not %s", name, layouts[there.layout],
            layouts[options.layout]);
    if (options.width >= 0)
        agree_on(name, "-w", there.hash_bits, options.width ? 32 : 64);
    if (options.seed_given)
        agree_on(name, "-s", there.seed, options.seed);
    if (options.n_given && f->chain)
        agree_on(name, "-n", f->n, options.n);
    if (options.p_given && f->chain)
        agree_on_rate(name, f->p, options.p);
    if ((options.n_given || options.p_given) && f->one)
        agree_on_size(f, name);
}
