/* fixed.c: filters of fixed size. Their files do not record n and p. */
#include "fixed.h"
#include "image.h"
#include "memory.h"
#include "say.h"

#include <stdio.h>

/* ---- Making ------------------------------------------------------------- */

static filter new_one(bloom_plan plan, uint64_t n, double p)
{
    const size_t size = bloom_plan_size(plan);
    filter f = { 0 };
    f.kind = &fixed_kind;
    f.as.fixed = bloom_init(need_memory(size, "new filter"), size, plan);
    f.n = n;
    f.p = p;
    return f;
}

filter new_fixed(const wish *w, uint64_t n)
{
    return new_one(plan_for(w, n, w->p, given_plan(w)), n, w->p);
}

/* A small filter that hashes lines like any other filter of the options */
filter new_hasher(const wish *w)
{
    bloom_plan plan = given_plan(w);
    plan.cells = 256;
    plan.hashes = 8;
    return new_one(plan, 0, 0);
}

static bool is_fixed_wanted(const wish *w)
{
    return w->fixed || w->bytes > 0 || w->layout == BLOOM_COUNTING;
}

static filter make_fixed(const wish *w)
{
    return new_fixed(w, lines_wanted(w, given_plan(w)));
}

static filter read_fixed(int fd, const char *name, const unsigned char *head)
{
    filter f = { 0 };
    f.kind = &fixed_kind;
    f.as.fixed = read_one(fd, name, head);
    return f;
}

bool is_fixed(const filter *f)
{
    return f->kind == &fixed_kind;
}

static void free_fixed(filter *f)
{
    free(f->as.fixed);
}

/* ---- Same options ------------------------------------------------------- */

static uint64_t keys_in_fixed(const filter *f)
{
    return bloom_estimate(f->as.fixed);
}

/* n and p determine k and m, which the file records. */
static void agree_on_size(filter *f, const wish *w, const char *name)
{
    const bloom_plan there = bloom_plan_of(f->as.fixed);
    const uint64_t n = lines_wanted(w, there), known = keys_in_fixed(f);
    const bloom_plan given = plan_for(w, n, w->p, there);
    const char *option = w->bytes ? "--bytes" : "-n";
    if (there.cells != given.cells || there.hashes != given.hashes)
        die("%s: has k = %d and m = %" PRIu64 ", but %s %" PRIu64 " -p %g "
            "means k = %d and m = %" PRIu64 "; use another file or leave out "
            "%s and -p", name, there.hashes, there.cells, option,
            w->bytes ? w->bytes : n, w->p, given.hashes, given.cells, option);
    f->n = n;
    f->p = w->p;
    f->known = known < UINT64_MAX ? known : f->n;
}

static void agree_on_fixed(filter *f, const wish *w, const char *name)
{
    must_not_forget(w, name, "a filter of fixed size");
    agree_on_plan(w, bloom_plan_of(f->as.fixed), name);
    if (has_size(w) || w->p_given)
        agree_on_size(f, w, name);
}

/* ---- Its image ---------------------------------------------------------- */

static unsigned count_fixed(const filter *f)
{
    (void)f;
    return 1;
}

static const bloom *one_of_fixed(const filter *f, unsigned i)
{
    (void)i;
    return f->as.fixed;
}

static size_t size_of_fixed(const filter *f)
{
    return bloom_size(f->as.fixed);
}

static const void *piece_of_fixed(const filter *f, unsigned i, size_t *size)
{
    *size = size_of_fixed(f);
    return i == 0 ? f->as.fixed : NULL;
}

static bloom_error verify_fixed(const filter *f)
{
    return bloom_verify(f->as.fixed);
}

static void seal_fixed(filter *f)
{
    bloom_seal(f->as.fixed);
}

/* ---- Keys --------------------------------------------------------------- */

/* A counting filter counts a known key once more. */
static void note_counted(filter *f, size_t count)
{
    f->changed |= count > 0
                  && bloom_plan_of(f->as.fixed).layout == BLOOM_COUNTING;
}

static size_t add_to_fixed(filter *f, const bloom_key *key, size_t count,
                           bool *is_new)
{
    note_counted(f, count);
    return bloom_add_many(f->as.fixed, key, count, is_new);
}

static size_t add_absent_to_fixed(filter *f, const bloom_hash *hash,
                                  size_t count)
{
    note_counted(f, count);
    return bloom_add_many_hash(f->as.fixed, hash, count, NULL);
}

static void look_up_in_fixed(const filter *f, const bloom_key *key,
                             size_t count, bool *maybe)
{
    bloom_may_contain_many(f->as.fixed, key, count, maybe);
}

static void look_up_hashes_in_fixed(const filter *f, const bloom_hash *hash,
                                    size_t count, bool *maybe)
{
    bloom_may_contain_many_hash(f->as.fixed, hash, count, maybe);
}

/* ---- What the cells tell ------------------------------------------------ */

static double rate_of_fixed(const filter *f)
{
    return bloom_fpr(f->as.fixed);
}

/* If p is unknown, 25% is too much. */
static bool warn_of_fixed(const filter *f, const char *name, const char *fate)
{
    const double rate = rate_of_fixed(f);
    char wanted[40] = "";
    if (f->p > 0 ? rate < 1.1 * f->p || f->known <= f->n : rate < 0.25)
        return false;
    if (f->p > 0)
        snprintf(wanted, sizeof wanted, ", not %.3g%%", 100 * f->p);
    if (f->n)
        say("%s: holds more than %" PRIu64 " lines: %.3g%% of new lines %s%s; "
            "make a larger filter, with -n or --bytes", name, f->n, 100 * rate,
            fate, wanted);
    else
        say("%s: %.3g%% of new lines %s%s; make a larger filter, with -n or "
            "--bytes", name, 100 * rate, fate, wanted);
    return true;
}

static const char *purpose_of_fixed(const filter *f, char text[120])
{
    (void)f;
    (void)text;
    return NULL;
}

static void facts_of_fixed(const filter *f, fact list[3])
{
    const bloom_plan plan = bloom_plan_of(f->as.fixed);
    list[0].name = "keys_until_1_percent";
    list[0].number = bloom_plan_capacity(plan, 0.01);
    list[1].name = "keys_until_0.1_percent";
    list[1].number = bloom_plan_capacity(plan, 0.001);
}

/* ---- Folding ------------------------------------------------------------ */

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
    bloom_plan plan = bloom_plan_of(f->as.fixed);
    uint64_t by = 1 << 16;
    make_foldable(&plan);
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
        by = bloom_fold_by(f->as.fixed, p);
        while (by > 0 && !(keeps(bloom_plan_of(f->as.fixed), by, n, p)
                           && bloom_fold(f->as.fixed, by)))
            by--;
        kept = kept || by > 0;
    } while (by > 1);
    return kept;
}

const kind fixed_kind = {
    "fixed", NULL, NULL, NULL, NULL, NULL, "BLM", true,
    is_fixed_wanted, make_fixed, read_fixed, agree_on_fixed, free_fixed,
    count_fixed, one_of_fixed, piece_of_fixed, size_of_fixed, verify_fixed,
    seal_fixed,
    add_to_fixed, add_absent_to_fixed, look_up_in_fixed,
    look_up_hashes_in_fixed, NULL,
    rate_of_fixed, keys_in_fixed, warn_of_fixed,
    purpose_of_fixed, facts_of_fixed
};
