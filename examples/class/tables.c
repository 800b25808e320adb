/* tables: computes and measures the parameter tables of textbooks again.
   a. The bits per key that k probes need: by the formula, by its Taylor
      approximation, and as planned by bloom.h. Also the measured rate.
   b. The rates for pairs of m/n and k: by the formula, exact, measured, and
      as once reported. Only eight of the eleven reported rows are known.
   c. The memory for 10^8 URLs.

   tables             prints the tables
   tables OUT.svg     also draws a. and b. by gnuplot

   tables build/tables.svg    Prints:
       a. bits per key for rate p; measured: n = 10^6, 5000/p absent keys
       p      k  formula   Taylor   error  planned   measured
       0.1    1     9.49     9.52   0.34%     9.49   9.93000%
       0.1    2     5.26     5.46   3.80%     5.26   9.89600%
       0.1    3     4.81     5.25   9.10%     4.81   9.86600%
       0.1    4     4.84     5.55  14.69%     4.84   9.80000%
       0.1    5     5.02     6.02  20.10%     5.02   9.89000%
       0.01   1    99.50    99.50   0.00%    99.50   0.99460%
       0.01   2    18.98    19.05   0.34%    18.98   0.98920%
       0.01   3    12.36    12.57   1.67%    12.36   0.99000%
       0.01   4    10.52    10.92   3.80%    10.52   0.99120%
       0.01   5     9.85    10.47   6.35%     9.85   0.99720%
       0.001  1   999.50   999.50   0.00%   999.50   0.09840%
       0.001  2    62.24    62.26   0.03%    62.24   0.10062%
       0.001  3    28.47    28.57   0.34%    28.47   0.09962%
       0.001  4    20.43    20.66   1.12%    20.43   0.09736%
       0.001  5    17.28    17.68   2.31%    17.29   0.09892%
       0.0001 1  9999.50  9999.50   0.00%  9999.50   0.01006%, n = 10^5
       0.0001 2   199.00   199.00   0.00%   199.00   0.00996%
       0.0001 3    63.12    63.17   0.07%    63.12   0.01030%
       0.0001 4    37.96    38.10   0.34%    37.96   0.00994%
       0.0001 5    28.98    29.23   0.88%    28.98   0.01001%
       b. rates, n = 80000; measured: 10^7 absent keys, 10 seeds
       m/n   k    formula      exact   measured  reported     ns
        20   6   0.03031%   0.03031%   0.03087%   0.0303%  ...
        20  14   0.00671%   0.00671%   0.00707%  0.00605%  ...
        20  20   0.01038%   0.01038%   0.01061%  0.00914%  ...
        10   7   0.81937%   0.81938%   0.82284%    0.786%  ...
         5   3   9.18488%   9.18493%   9.17029%    9.014%  ...
         2   1  39.34693%  39.34703%  39.35338%     39.1%  ...
         2   2  39.95764%  39.95785%  39.98675%     39.6%  ...
         2   5  65.16469%  65.16520%  65.12794%     64.4%  ...
       c. memory for 10^8 URLs of 64 bytes
       their text                                            6.40 GB
       hash set of the text, with two pointers per URL       8.00 GB
       hash set of MD5 sums, half full                       3.20 GB
       hash set of 64-bit hashes, half full                  1.60 GB
       Bloom filter, p = 1%                                  0.12 GB
       Bloom filter, p = 0.01%                               0.24 GB */
#define _POSIX_C_SOURCE 200809L         /* popen, setenv, SIGPIPE */
#define BLOOM_IMPLEMENTATION
#include "bloom.h"

#define PROGRAM "tables"
#include "../need.h"
#include <math.h>
#include <signal.h>
#include <time.h>

static FILE *chart;                     /* input of gnuplot, or /dev/null */

/* Measures the rate of a filter of the keys 0 .. n - 1 by lookups of n, n + 1,
   ... Adds the nanoseconds per lookup to *ns. */
static double measure(bloom_plan plan, uint64_t n, uint64_t lookups, double *ns)
{
    bloom *b = bloom_create(plan);
    uint64_t i, maybes = 0;
    clock_t start;
    need(b != NULL, "filter", "not enough memory");
    for (i = 0; i < n; i++)
        bloom_add_u64(b, i);
    start = clock();
    for (i = n; i < n + lookups; i++)
        maybes += bloom_may_contain_u64(b, i);
    *ns += (double)(clock() - start) * 1e9 / CLOCKS_PER_SEC / (double)lookups;
    bloom_free(b);
    return (double)maybes / (double)lookups;
}

/* A filter with s bits per key has the rate p = c^k, where c = 1 - e^(-k/s) is
   the share of its ones. So s = -k / ln(1 - c). The Taylor approximation uses
   c + c*c/2 for -ln(1 - c). */
static void size_row(double p, unsigned k)
{
    double c = pow(p, 1.0 / k), ns = 0, rate;
    double exact = -(double)k / log1p(-c), taylor = 2 * k / (2 * c + c * c);
    uint64_t n = 1000000;
    bloom_plan plan = bloom_plan_hashes(n, p, k);
    double planned = (double)plan.cells / (double)n;
    if (planned > 5000)                 /* above 600 MB: a tenth of the keys */
        plan = bloom_plan_hashes(n /= 10, p, k);
    rate = measure(plan, n, (uint64_t)(5000 / p + 0.5), &ns);
    printf("%-6g %u %8.2f %8.2f %6.2f%% %8.2f %9.5f%%%s\n", p, k, exact,
           taylor, 100 * (taylor / exact - 1), planned, 100 * rate,
           n < 1000000 ? ", n = 10^5" : "");
    fprintf(chart, "%u %g %g\n", k, exact, taylor);
}

static void size_rows(void)
{
    static const double rates[] = { 0.1, 0.01, 0.001, 0.0001 };
    unsigned i, k;
    puts("a. bits per key for rate p; measured: n = 10^6, 5000/p absent keys\n"
         "p      k  formula   Taylor   error  planned   measured");
    fputs("$sizes << END\n", chart);
    for (i = 0; i < 4; i++, fputs("\n\n", chart))
        for (k = 1; k <= 5; k++)
            size_row(rates[i], k);
    fputs("END\nset title 'bits per key for k probes'\n"
          "set xlabel 'k'; set ylabel 'm/n'; set xtics 1; set logscale y\n"
          "plot for [i=0:3] $sizes index i using 1:2 with lines lw 2 lc i+1 "
          "title sprintf('p = %g', 10**-(i+1)), for [i=0:3] $sizes index i "
          "using 1:3 with points pt 6 lc i+1 title i ? '' : 'Taylor'\n", chart);
}

static void pair_row(unsigned bits, unsigned k, double reported)
{
    const uint64_t n = 80000;
    bloom_plan plan = bloom_plan_hashes(n, 0.5, k);
    double theory = 100 * pow(1 - exp(-(double)k / bits), k);
    double measured = 0, ns = 0;        /* sums of 10; the rate in % */
    unsigned i;
    plan.cells = n * bits;
    for (i = 0; i < 10; i++) {          /* seeds far apart, so that the keys of
                                           two filters are not related */
        plan.seed = (uint64_t)i << 32;
        measured += 10 * measure(plan, n, 1000000, &ns);
    }
    printf("%3u %3u %9.5f%% %9.5f%% %9.5f%% %8g%% %6.1f\n", bits, k, theory,
           100 * bloom_plan_fpr(plan, n), measured, reported, ns / 10);
    fprintf(chart, "\"%u,%u\" %g %g %g\n", bits, k, theory, measured, reported);
}

static void pair_rows(void)
{
    static const struct { unsigned bits, k; double reported; } pairs[] = {
        { 20, 6, 0.0303 }, { 20, 14, 0.00605 }, { 20, 20, 0.00914 },
        { 10, 7, 0.786 }, { 5, 3, 9.014 }, { 2, 1, 39.1 }, { 2, 2, 39.6 },
        { 2, 5, 64.4 }
    };
    size_t i;
    puts("b. rates, n = 80000; measured: 10^7 absent keys, 10 seeds\n"
         "m/n   k    formula      exact   measured  reported     ns");
    fputs("$pairs << END\n", chart);
    for (i = 0; i < sizeof pairs / sizeof *pairs; i++)
        pair_row(pairs[i].bits, pairs[i].k, pairs[i].reported);
    fputs("END\nset title 'false-positive rate, %'; unset xtics\n"
          "set xlabel 'm/n,k'; set ylabel ''; set xtics rotate by -45\n"
          "set style fill solid; set style data histograms; set key left\n"
          "plot $pairs using 2:xtic(1) title 'formula', '' using 3 title "
          "'measured', '' using 4 title 'reported'\n", chart);
}

static void memory_row(const char *what, double bytes_each)
{
    printf("%-52s %5.2f GB\n", what, bytes_each * 1e8 / 1e9);
}

static void memory_rows(void)
{
    const uint64_t n = 100000000;
    puts("c. memory for 10^8 URLs of 64 bytes");
    memory_row("their text", 64);
    memory_row("hash set of the text, with two pointers per URL", 64 + 16);
    memory_row("hash set of MD5 sums, half full", 2 * 16);
    memory_row("hash set of 64-bit hashes, half full", 2 * 8);
    memory_row("Bloom filter, p = 1%",
               (double)bloom_plan_size(bloom_plan_for(n, 0.01)) / (double)n);
    memory_row("Bloom filter, p = 0.01%",
               (double)bloom_plan_size(bloom_plan_for(n, 0.0001)) / (double)n);
}

/* Starts gnuplot. The shell takes the path from the environment, so that it may
   contain any characters. */
static void open_chart(const char *path)
{
    FILE *file;
    need(system("command -v gnuplot >/dev/null 2>&1") == 0, "gnuplot",
         "not found; it is in the Debian package gnuplot-nox");
    file = fopen(path, "w");            /* only to report an error here */
    need(file && fclose(file) == 0 && setenv("TABLES_SVG", path, 1) == 0,
         path, NULL);
    signal(SIGPIPE, SIG_IGN);           /* pclose reports errors of gnuplot */
    chart = popen("exec gnuplot >\"$TABLES_SVG\"", "w");
    need(chart != NULL, "gnuplot", NULL);
    fputs("set terminal svg size 1000,450 background 'white'\n"
          "set multiplot layout 1,2\n", chart);
}

int main(int count, char **arguments)
{
    const char *path = count == 2 ? arguments[1] : "/dev/null";
    need(count <= 2, "usage", "tables [OUT.svg]");
    if (count == 2)
        open_chart(path);
    else
        need((chart = fopen(path, "w")) != NULL, path, NULL);
    size_rows();
    pair_rows();
    memory_rows();
    need((count == 2 ? pclose(chart) : fclose(chart)) == 0, path,
         "gnuplot could not draw it");
    return 0;
}
