/* lost.h: an estimate of how many new lines bloom uniq has lost, as it took
   them for known ones */

#ifndef LOST_H
#define LOST_H

#include "filter.h"

void look_at_start(const filter *f);

/* Since look_at_start. `late`: how many lines, on average, were looked up but
   not yet added when a line was looked up. Negative: unknown, as every cell of
   a filter is set. */
double lost_since_start(const filter *f, double late);

#endif
