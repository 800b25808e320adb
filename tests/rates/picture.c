/* Draws the picture of README.md, rates.svg: the measured false-positive rate of
   bloom.h and of two usual ways to plan and index a Bloom filter, over the number
   of keys. Prints commands and data for gnuplot (`make picture`).

   All three have the same random hashes. The rules are:
     usual      m = -n ln p / ln^2 2, rounded up to whole 64-bit words; k = m/n ln 2,
                rounded; cell i is (h1 + i h2) mod m, in 63 bits, as in Guava
     constant   the same m and k; a cell is the upper half of x * m, x += h2
     bloom.h    the plan of bloom_plan_for, and the library's own calls */

#include "rates.h"

#define P 1e-4
enum { USUAL, CONSTANT, OURS };

static bloom_plan usual_plan(double n)
{
    double ln2 = log(2), m = floor(n * log(1 / P) / (ln2 * ln2));
    bloom_plan plan = bloom_plan_bytes(1, 40);
    plan.hashes = (uint8_t)fmax(1, floor(m / n * ln2 + 0.5));
    plan.cells = ((uint64_t)m + 63) / 64 * 64;
    return plan;
}

/* Sets the cells of a random key, or only tests them. Returns true if all of them
   were set before. The usual rules take the memory of a filter as plain bits. */
static bool key(bloom *b, bloom_plan plan, int rule, bool set)
{
    unsigned char *bits = (unsigned char *)b + BLOOM_HEADER_SIZE;
    unsigned k = plan.hashes, all = 1;
    bloom_hash h;
    h.h1 = random64();
    h.h2 = random64();
    if (rule == OURS)
        return set ? bloom_add_hash(b, h) : bloom_may_contain_hash(b, h);
    while (k-- > 0 && (all || set)) {
        uint64_t i = rule == USUAL ? (h.h1 & INT64_MAX) % plan.cells
                                   : inside_high_half(h.h1, plan.cells);
        all &= (unsigned)bits[i >> 3] >> (i & 7) & 1;
        if (set)
            bits[i >> 3] |= (unsigned char)(1U << (i & 7));
        h.h1 += h.h2;
    }
    return all;
}

/* The mean of filters of n keys, until 10^4 false positives or 3 * 10^7 lookups */
static double rate(double n, int rule)
{
    bloom_plan plan = rule == OURS ? bloom_plan_for((uint64_t)n, P)
                                   : usual_plan(n);
    bloom *b = need(bloom_create(plan));
    double asked = 0, maybes = 0, i;
    while (asked < 3e7 && maybes < 1e4) {
        bloom_clear(b);
        for (i = 0; i < n; i++)
            key(b, plan, rule, true);
        for (i = 0; i < 4 * n + 200; i++, asked++)
            maybes += key(b, plan, rule, false);
    }
    bloom_free(b);
    return maybes / asked;
}

int main(void)
{
    double n;
    puts("$rates <<END");
    for (n = 1; n <= 1e5; n = fmax(n + 1, floor(n * (n < 30 ? 1.3 : 2.15) + 0.5)))
        printf("%.0f %.4g %.4g %.4g\n", n, rate(n, USUAL) / P,
               rate(n, CONSTANT) / P, rate(n, OURS) / P);
    /* No background, and a gray between black and white, so that the picture is
       legible on light pages and on dark ones. */
    puts("END\n"
         "gray = '#7d8590'; blue = '#2f7fdb'; orange = '#cc6a14'; violet = '#9a62d8'\n"
         "set terminal svg size 880,360 dynamic font 'system-ui, sans-serif,15'"
         " linewidth 1.1\n"
         "set border 3 lc rgb gray; set tics nomirror textcolor rgb gray\n"
         "set grid lc rgb gray lw 0.35\n"
         "set key top right textcolor rgb gray reverse Left samplen 1.6\n"
         "set logscale xy; set xrange [0.9:1.2e5]; set yrange [0.1:400]\n"
         "set xtics ('1' 1, '10' 10, '100' 100, '1000' 1000, '10^4' 1e4,"
         " '10^5' 1e5)\n"
         "set ytics ('1/10' 0.1, 'as planned' 1, '10 times' 10, '100 times' 100)\n"
         "set title '{/:Bold Measured false-positive rate, if 1 in 10,000 is"
         " planned}' textcolor rgb gray font ',17'\n"
         "set xlabel 'keys, n' offset 0,0.4 textcolor rgb gray\n"
         "set object 1 rectangle from graph 0, first 0.1 to graph 1, first 1"
         " fillcolor rgb blue fillstyle solid 0.09 noborder behind\n"
         "plot 1 lc rgb gray lw 1.2 notitle,"
         " $rates using 1:2 with linespoints lc rgb orange lw 2.2 pt 7 ps 0.5"
         " title 'usual rule: textbook size, (h1 + i h2) mod m',"
         " $rates using 1:3 with linespoints lc rgb violet lw 1.6 pt 5 ps 0.4"
         " title 'textbook size, constant step',"
         " $rates using 1:4 with linespoints lc rgb blue lw 3 pt 7 ps 0.6"
         " title 'bloom.h'");
    return 0;
}
