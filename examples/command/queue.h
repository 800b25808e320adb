/* queue.h: lines that were found to be new, and are not recorded yet, as they
   have not reached the reader of the output */

#ifndef QUEUE_H
#define QUEUE_H

#include "say.h"
#include "bloom.h"

enum { MOST_WAITING = 1 << 16 };

/* end: how many bytes of output there are, up to the end of this line */
void let_wait(bloom_hash hash, uint64_t end);
uint64_t count_waiting(void);
bool is_waiting(bloom_hash hash);

/* Takes lines that end within the first `bytes` of output, at most `most`.
   Returns how many. */
size_t take_printed(uint64_t bytes, bloom_hash *hash, size_t most);

#endif
