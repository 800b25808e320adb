/* fixed.h: filters of fixed size: a single one of bloom.h */

#ifndef FIXED_H
#define FIXED_H

#include "kind.h"

extern const kind fixed_kind;

filter new_fixed(const wish *w, uint64_t n);    /* for n lines */
filter new_hasher(const wish *w);
bool is_fixed(const filter *f);

/* Folds it to the smallest size that keeps the rate p with n lines. Returns
   false, without changing it, if no size does. */
bool fold_for(filter *f, uint64_t n, double p);
size_t size_folded(const filter *f);

#endif
