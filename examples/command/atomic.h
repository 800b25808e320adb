/* atomic.h: several threads may add to one filter at the same time */

#ifndef ATOMIC_H
#define ATOMIC_H

#include "bloom.h"

size_t add_atomically(bloom *b, const bloom_key *key, size_t count);

#endif
