/* full.c: a filter that holds more lines than it was planned for: the warning,
   and an estimate of how many new lines bloom uniq has lost */
#include "command.h"

bool warn_if_full(const filter *f, const char *name, const char *fate)
{
    const double rate = rate_of(f);
    char wanted[40] = "";
    if (f->window)
        return false;               /* it forgets lines instead */
    if (f->p > 0 ? rate < 1.1 * f->p || (f->one && f->known <= f->n)
                 : rate < 0.25)
        return false;
    if (f->p > 0)
        snprintf(wanted, sizeof wanted, ", not %.3g%%", 100 * f->p);
    if (f->chain)
        say("%s: could not grow when it was full: %.3g%% of new lines %s%s",
            name, 100 * rate, fate, wanted);
    else if (f->n)
        say("%s: holds more than %" PRIu64 " lines: %.3g%% of new lines %s%s; "
            "make a larger filter with -n", name, f->n, 100 * rate, fate,
            wanted);
    else
        say("%s: %.3g%% of new lines %s%s; make a larger filter with -n",
            name, 100 * rate, fate, wanted);
    return true;
}

/* ---- What was lost ------------------------------------------------------- */
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
