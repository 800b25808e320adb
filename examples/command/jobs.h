/* jobs.h: threads that work on lines, output in the order of the input, and the
   state of the run, which SIGUSR1 or a terminal asks for */

#ifndef JOBS_H
#define JOBS_H

#include "lines.h"

typedef struct tally { uint64_t lines, found; } tally;      /* found: new lines,
                                                               for example */

/* Several threads call `run`, each with a chunk of lines; `slot` is the number
   of the thread, below SLOTS. It leaves in c what is to be printed, and counts
   the lines in *sum. Chunks are printed in the order of the input. */
typedef struct job {
    void (*run)(struct job *, unsigned slot, chunk *c, tally *sum);
    void *with;
    bool prints;
    /* for the state of the run: */
    const char *doing, *found;      /* "read"; what sum->found counts, or
                                       NULL */
    bool at_most;                   /* sum->found may be too large */
    double (*rate)(const struct job *, uint64_t found); /* now; or NULL */
} job;

enum { SLOTS = 64 };

tally do_lines(reader *in, job *j, unsigned threads);

double seconds(void);                   /* of a clock that nobody sets */

/* SIGUSR1 asks for the state of the run. at_work: it also interrupts what
   waits. tell_state tells it, and shows it on a terminal if it is time to. */
void watch_questions(bool at_work);
void tell_state(void);

#endif
