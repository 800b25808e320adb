/* lost.c: how many new lines bloom uniq has lost, by the cells of the filter */
#include "lost.h"

/* A filter of x keys takes a new key for a known one at the rate f(x), which is
   bloom_plan_fpr. A key is lost only if all its cells are set already, so lost
   keys leave no trace in the cells. The cells are the same as if every key that
   was offered had been added, and bloom_estimate returns the number of these
   keys: a before the run, b after it. The run has therefore lost the integral
   of f from a to b.

   With a FILE, a line is looked up while earlier lines are being printed and
   are not in the filter yet. The rate for that line is f(x - late), where
   `late` is the average number of such lines.

   A link of a chain is offered only the keys that no older link has taken for
   known. If the older links together have the rate r, and the link was offered
   c keys, then the older links have lost c * r / (1 - r). */

static uint64_t offered_before[64]; /* keys, by link */

void look_at_start(const filter *f)
{
    unsigned i;
    for (i = 0; i < links_of(f); i++)
        offered_before[i] = bloom_estimate(link_of(f, i));
}

/* The integral of f, by Simpson's rule. f is smooth, and rises like x^k. */
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
