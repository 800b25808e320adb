/* wish.c: the filter that the user asks for */
#include "wish.h"

#include <stdio.h>

enum { GENERATIONS = 8 };
const char *const widths[] = { "64", "32" };

bool must_forget(const wish *w)
{
    return w->last_lines > 0 || w->age > 0;
}

bool has_size(const wish *w)
{
    return w->n_given || w->bytes > 0;
}

/* ---- Plans -------------------------------------------------------------- */

/* Layout, seed and width alone; by default classic, 0 and 64 */
static bloom_plan given_plan(const wish *w)
{
    bloom_plan plan = { 0, 0, 0, 0, 0 };
    plan.layout = (uint8_t)(w->layout > 0 ? w->layout : 0);
    plan.hash_bits = w->width > 0 ? 32 : 64;
    plan.seed = w->seed;
    return plan;
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

/* Completes a plan for n lines and the rate p with the seed and hash width of
   `like`. */
static bloom_plan checked_plan(const wish *w, bloom_plan plan, uint64_t n,
                               double p, bloom_plan like)
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

/* Rounds the size up so that each of the 60 divisors of 5040 divides it. */
static void make_foldable(bloom_plan *plan)
{
    const uint64_t unit = 5040 * least_cells(*plan);
    plan->cells += (unit - plan->cells % unit) % unit;
}

static bloom_plan plan_for(const wish *w, uint64_t n, double p,
                           bloom_plan like)
{
    const bloom_layout layout = (bloom_layout)like.layout;
    bloom_plan plan = w->bytes ? bloom_plan_fit((size_t)w->bytes, p, layout)
                               : bloom_plan_layout(n, p, layout);
    if (w->foldable)
        make_foldable(&plan);
    return checked_plan(w, plan, n, p, like);
}

static bloom_window_plan plan_window(const wish *w, uint64_t n, unsigned g,
                                     bloom_plan like)
{
    bloom_window_plan plan = bloom_window_plan_for(n, w->p, g,
                                                   (bloom_layout)like.layout);
    plan.filter = checked_plan(w, plan.filter, plan.room, w->p / g, like);
    if (bloom_window_plan_size(plan) == 0)
        die("%" PRIu64 " lines: too many for any memory; give fewer", n);
    return plan;
}

static uint64_t lines_of_plan(const wish *w, bloom_plan like)
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

uint64_t lines_wanted(const wish *w)
{
    return lines_of_plan(w, given_plan(w));
}

/* ---- New filters --------------------------------------------------------- */

static void need(const void *made, size_t size)
{
    if (!made)
        die("new filter: not enough memory for %" PRIu64 " bytes",
            (uint64_t)size);
}

static filter make_one(bloom_plan plan, uint64_t n, double p)
{
    filter f = { 0 };
    f.fixed = bloom_create(plan);
    need(f.fixed, bloom_plan_size(plan));
    f.n = n;
    f.p = p;
    return f;
}

filter new_fixed(const wish *w, uint64_t n)
{
    return make_one(plan_for(w, n, w->p, given_plan(w)), n, w->p);
}

filter new_hasher(const wish *w)
{
    bloom_plan plan = given_plan(w);
    plan.cells = 256;
    plan.hashes = 8;
    return make_one(plan, 0, 0);
}

/* The first link of a chain gets half of the rate. Without -n, it is for two
   million lines. */
static filter make_chain(const wish *w)
{
    filter f = { 0 };
    bloom_plan first;
    if (w->width > 0)
        die("-w 32: does not work with a filter that grows; add --fixed");
    f.n = w->n_given ? w->n : 2 * w->n;
    f.p = w->p;
    first = plan_for(w, f.n, f.p / 2, given_plan(w));
    f.chain = bloom_chain_create(f.n, f.p, first);
    need(f.chain, bloom_plan_size(first));
    return f;
}

static filter make_window(const wish *w)
{
    const uint64_t n = w->last_lines ? w->last_lines : w->n;
    const bloom_window_plan plan = plan_window(w, n, GENERATIONS,
                                               given_plan(w));
    filter f = { 0 };
    f.window = bloom_window_create(plan);
    need(f.window, bloom_window_plan_size(plan));
    if (w->age)
        start_clock(&f, w->age);
    return f;
}

filter new_filter(const wish *given)
{
    wish w = *given;
    if (w.layout < 0 && w.width <= 0)
        w.layout = BLOOM_BLOCKED;
    return must_forget(&w) ? make_window(&w)
         : w.fixed || w.bytes || w.layout == BLOOM_COUNTING
           ? new_fixed(&w, lines_wanted(&w)) : make_chain(&w);
}

/* ---- Same options ------------------------------------------------------- */

static void agree_on(const char *name, const char *option, uint64_t there,
                     uint64_t given)
{
    if (there != given)
        die("%s: made with %s = %" PRIu64 ", not %" PRIu64 "; use another file "
            "or leave out -%s", name, option, there, given, option);
}

/* Exits if one of the options is given, as they make filters of other kinds. */
static void must_not_be(const char *name, const char *kind, const char *option)
{
    if (option)
        die("%s: is a filter %s; use another file or leave out --%s", name,
            kind, option);
}

static const char *forgetting(const wish *w)
{
    return w->age ? "for" : w->last_lines ? "last" : NULL;
}

static const char *fixing(const wish *w)
{
    return w->fixed ? "fixed" : w->bytes ? "bytes" : NULL;
}

/* The file does not record n and p, but k and m, which follow from them. */
static void agree_on_fixed(filter *f, const wish *w, const char *name)
{
    const bloom_plan there = bloom_plan_of(f->fixed);
    const uint64_t known = keys_in(f), n = lines_of_plan(w, there);
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

/* 0.7% and 0.007 may be different doubles. */
static void agree_on_chain(const filter *f, const wish *w, const char *name)
{
    const double ratio = f->p / w->p;
    if (w->n_given)
        agree_on(name, "n", f->n, w->n);
    if (w->p_given && (ratio < 1 - 1e-9 || ratio > 1 + 1e-9))
        die("%s: made with p = %.10g, not %.10g; use another file or leave out "
            "-p", name, f->p, w->p);
}

/* Writes --for TIME, or --last N if the age is 0. */
static const char *print_kind(char text[80], uint64_t age, uint64_t n)
{
    char time[40];
    if (age)
        snprintf(text, 80, "--for %s", print_age(time, age));
    else
        snprintf(text, 80, "--last %" PRIu64, n);
    return text;
}

/* The file of a window does not record the rate, but k and m. */
static void agree_on_room(const filter *f, const wish *w, uint64_t n,
                          const char *name)
{
    const bloom_window_plan all = bloom_window_plan_of(f->window);
    const bloom_plan there = all.filter;
    const bloom_window_plan wanted = plan_window(w, n, all.generations, there);
    const bloom_plan given = wanted.filter;
    const char *option = age_known(f->window) ? "-n" : "--last";
    if (wanted.room != all.room)
        die("%s: made with %s %" PRIu64 ", not %s %" PRIu64 "; use another "
            "file or leave out %s", name, option, lines_known(f->window),
            option, n, option);
    if (w->p_given && (there.cells != given.cells
                       || there.hashes != given.hashes))
        die("%s: has k = %d and m = %" PRIu64 ", but -p %g means k = %d and "
            "m = %" PRIu64 "; use another file or leave out -p", name,
            there.hashes, there.cells, w->p, given.hashes, given.cells);
}

static void agree_on_window(const filter *f, const wish *w, const char *name)
{
    const uint64_t there = age_known(f->window);
    const uint64_t lines = lines_known(f->window);
    const uint64_t n = w->last_lines ? w->last_lines
                     : w->n_given ? w->n : lines;
    char here[80], given[80];
    if (w->last_lines ? there > 0 : w->age > 0 && w->age != there)
        die("%s: made with %s, not %s; use another file or leave out --%s",
            name, print_kind(here, there, lines),
            print_kind(given, w->age, n), forgetting(w));
    if (w->last_lines || w->n_given || w->p_given)
        agree_on_room(f, w, n, name);
}

static void agree_on_plan(const wish *w, bloom_plan there, const char *name)
{
    if (w->layout >= 0 && w->layout != there.layout)
        die("%s: made with layout = %s, not %s; use another file or leave out "
            "-l", name, layouts[there.layout], layouts[w->layout]);
    if (w->width >= 0)
        agree_on(name, "w", there.hash_bits, w->width ? 32 : 64);
    if (w->seed_given)
        agree_on(name, "s", there.seed, w->seed);
}

void must_agree(filter *f, const wish *w, const char *name)
{
    if (f->fixed)
        must_not_be(name, "of fixed size, which never forgets", forgetting(w));
    if (f->chain) {
        must_not_be(name, "that grows", fixing(w));
        must_not_be(name, "that grows, which never forgets", forgetting(w));
    }
    if (f->window) {
        must_not_be(name, "that forgets", fixing(w));
        agree_on_window(f, w, name);
    }
    agree_on_plan(w, bloom_plan_of(part_of(f, 0)), name);
    if (f->chain)
        agree_on_chain(f, w, name);
    if (f->fixed && (has_size(w) || w->p_given))
        agree_on_fixed(f, w, name);
}
