/* lost.c: an estimate of the new lines that bloom uniq has lost

   A filter of x keys takes a new key for known at the rate f(x), bloom_plan_fpr.
   A key is lost only if all its cells are set already. The cells are therefore
   those of all keys that were offered, lost ones included, and bloom_estimate
   tells how many these are: a before the run, b after it. The run has lost the
   integral of f from a to b.

   With a FILE, a line is looked up while others are on their way out and not in
   the filter yet: its rate is f(x - late).

   A link of a chain is offered only the keys that no older link has taken for
   known. If their rates add up to r, and it was offered c keys, then the older
   links have lost c * r / (1 - r). */
#include "command.h"

static uint64_t offered_before[64]; /* to each link */

void look_at_start(const filter *f)
{
    unsigned i;
    for (i = 0; i < links_of(f); i++)
        offered_before[i] = bloom_estimate(link_of(f, i));
}

/* By Simpson's rule: f rises like x^k, and is smooth. */
static double lost_between(bloom_plan plan, uint64_t a, uint64_t b,
                           double late)
{
    const unsigned parts = 64;
    const double step = (double)(b - a) / parts;
    double sum = 0, more;
    unsigned i;
    for (i = 0; i <= parts; i++) {
        more = step * i > late ? step * i - late : 0;
        sum += bloom_plan_fpr(plan, a + (uint64_t)more)
               * (i == 0 || i == parts ? 1 : i % 2 ? 4 : 2);
    }
    return sum * step / 3;
}

double lost_since_start(const filter *f, double late)
{
    double lost = 0, older = 0;
    unsigned i;
    for (i = 0; i < links_of(f); i++) {
        const bloom *b = link_of(f, i);
        const uint64_t before = offered_before[i], now = bloom_estimate(b);
        if (now == UINT64_MAX)
            return -1;
        if (now > before)
            lost += (double)(now - before) * older / (1 - older)
                    + lost_between(bloom_plan_of(b), before, now, late);
        older += (1 - older) * bloom_fpr(b);
    }
    return lost;
}
