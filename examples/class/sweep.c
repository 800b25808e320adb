/* sweep: measures the false-positive rate of a student's filter for many k, m
   and n. Prints it and the textbook's rate, (1 - (1 - 1/m)^(kn))^k, as CSV:

       cc sweep.c -lm -o sweep && ./sweep >sweep.csv
       cc -DSTUDENT='"mine.c"' sweep.c -lm -o sweep && ./sweep >sweep.csv

   Then it prints, to stderr, the command that draws sweep.csv with gnuplot: the
   rate over k for 1000 keys and 4, 8, 12 and 16 bits per key. Where is the
   minimum of each curve? If a TODO from 2 to 5 is left, it prints a message
   only, and the exit status is 2. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int sweep_todo[6];               /* [i]: TODO i is still in the code */
#define TODO(number, what) ((void)(sweep_todo[number] = 1))

#ifndef STUDENT
#define STUDENT "exercise.c"
#endif
#define main main_of_student
#include STUDENT
#undef main

#define SWEEP_ASKED 100000
#define SWEEP_MOST 16000                /* bits */

static walk sweep_key(const char *kind, unsigned i)
{
    char text[24];
    return walk_of(text, (size_t)sprintf(text, "%s %u", kind, i));
}

static void sweep_row(unsigned n, unsigned m, int k)
{
    static unsigned char bits[SWEEP_MOST / 8];
    filter f = { 0, 0, NULL };
    unsigned i, maybes = 0;
    f.m = m;
    f.k = k;
    f.bits = bits;
    memset(bits, 0, sizeof bits);
    for (i = 0; i < n; i++)
        filter_add(&f, sweep_key("key", i));
    for (i = 0; i < SWEEP_ASKED; i++)
        maybes += filter_may_contain(&f, sweep_key("absent", i)) != 0;
    printf("%u,%u,%d,%.5f,%.6f\n", n, m, k, (double)maybes / SWEEP_ASKED,
           pow(1 - pow(1 - 1.0 / m, (double)k * n), k));
}

/* Returns the number of a TODO in what is measured here, 2 to 5; 0: none.
   TODO 1 does not matter, as m and k are given. */
static int sweep_left(void)
{
    unsigned char bits[8] = { 0 };
    filter f = { 64, 1, NULL };
    int i;
    f.bits = bits;
    filter_add(&f, sweep_key("key", 0));
    filter_may_contain(&f, sweep_key("key", 0));
    for (i = 2; i <= 5 && !sweep_todo[i]; i++)
        continue;
    return i <= 5 ? i : 0;
}

int main(void)
{
    unsigned n, each;
    int k, left = sweep_left();
    if (left > 0) {
        fprintf(stderr, "sweep: " STUDENT ": TODO %d is still to be done\n",
                left);
        return 2;
    }
    puts("n,m,k,measured,predicted");
    for (each = 4; each <= 16; each += 4)
        for (k = 1; k <= 16; k++)
            sweep_row(1000, 1000 * each, k);
    for (n = 250; n <= 4000; n += 250)          /* up to too many keys */
        sweep_row(n, 16000, 7);
    fputs("gnuplot -p -e \"set datafile separator ','; set logscale y;"
          " set xlabel 'k'; set ylabel 'rate';"
          " plot for [b=4:16:4] 'sweep.csv' every ::1 using"
          " (\\$1==1000 && \\$2==1000*b ? \\$3 : NaN):5 with lines notitle,"
          " for [b=4:16:4] '' every ::1 using"
          " (\\$1==1000 && \\$2==1000*b ? \\$3 : NaN):4 with points"
          " title sprintf('%d bits per key', b)\"\n", stderr);
    return fflush(stdout) == 0 ? 0 : 1;
}
