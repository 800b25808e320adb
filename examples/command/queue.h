/* queue.h: lines that are printed before their keys are added to the filter */

#ifndef QUEUE_H
#define QUEUE_H

#include "filter.h"

enum { MOST_WAITING = 1 << 16 };

bool is_waiting(bloom_hash hash);
void let_wait(bloom_hash hash, uint64_t end);   /* end: bytes of output up to
                                                   the end of its line */
size_t count_waiting(void);         /* at most MOST_WAITING */
void add_printed(filter *f, uint64_t bytes);    /* lines that end within the
                                                   first `bytes` of output */

#endif
