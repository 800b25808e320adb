/* plan.h: plans of new filters, from what the user wishes */

#ifndef PLAN_H
#define PLAN_H

#include "posix.h"
#include "bloom.h"

/* The filter options, which the file of a filter records, but for n and p of a
   filter of fixed size */
typedef struct wish {
    uint64_t n, seed;
    uint64_t bytes;                 /* --bytes, in place of n; 0: not given */
    uint64_t last_lines, age;       /* --last, --for (in seconds); 0: not
                                       given */
    double p;
    int layout, width;              /* indexes into layouts, widths; -1: not
                                       given */
    bool n_given, p_given, seed_given;
    bool fixed, foldable;
} wish;

extern const char *const layouts[], *const widths[];

bool must_forget(const wish *w);        /* --last or --for */
bool has_size(const wish *w);           /* by n or by --bytes */
bloom_plan given_plan(const wish *w);   /* layout, seed and width alone */
bloom_plan plan_for(const wish *w, uint64_t n, double p, bloom_plan like);

/* n, or how many lines fit in --bytes */
uint64_t lines_wanted(const wish *w, bloom_plan like);
size_t size_planned(const wish *w, uint64_t n);

/* Completes a plan for n lines and the rate p with the seed and hash width of
   `like`. Exits with a message if there is no such plan. */
bloom_plan checked_plan(const wish *w, bloom_plan plan, uint64_t n, double p,
                        bloom_plan like);

/* Rounds the size up so that each of the 60 divisors of 5040 divides it. */
void make_foldable(bloom_plan *plan);
uint64_t least_cells(bloom_plan plan);  /* the unit of its size */

/* A job that runs every day gives the same options every day. They must be
   those that made the file. Each of these exits if they are not. */
void agree_on_plan(const wish *w, bloom_plan there, const char *name);
void agree_on(const char *name, const char *option, uint64_t there,
              uint64_t given);
void agree_on_rate(const char *name, double there, double given);
void must_not_forget(const wish *w, const char *name, const char *what);

#endif
