/* wish.h: the filter that the user asks for by the filter options: its plan, a
   new one in memory, and whether that of a FILE was made by the same options */

#ifndef WISH_H
#define WISH_H

#include "filter.h"

/* The filter options. The file of a filter records them, but for n and p of a
   filter of fixed size. */
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

extern const char *const widths[];

bool must_forget(const wish *w);        /* --last or --for */
bool has_size(const wish *w);           /* by n or by --bytes */

/* All of these exit with a message if there is no such filter, or no memory
   for it. new_fixed is for n lines, new_filter of the kind that the wish is
   for: of uniq, which by default uses the layout that is fastest. */
filter new_fixed(const wish *w, uint64_t n);
filter new_filter(const wish *w);
filter new_hasher(const wish *w);       /* small; hashes like the others */
uint64_t lines_wanted(const wish *w);   /* n, or how many fit in --bytes */

/* Exits if the filter of this file was made by other options: a job that runs
   every day gives the same options every day. */
void must_agree(filter *f, const wish *w, const char *name);

#endif
