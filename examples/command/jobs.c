/* jobs.c: threads that work on lines, output in the order of the input, and the
   state of the run */
#include "jobs.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- The state of the run ------------------------------------------------ */
/* If standard error is a terminal, and a run takes longer than five seconds,
   its state is shown there, about once a second. SIGUSR1 asks for it
   anywhere. */

static volatile sig_atomic_t asked;

static struct state {
    job of;
    tally sum;
    bool wanted;
    uint64_t shown_lines;           /* the number that was shown last */
    double next;                    /* time to show it again; 0: no run yet */
} state;

/* Guards state.sum while several threads are running */
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;

double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void on_question(int number)
{
    (void)number;
    asked = 1;
}

/* A signal that is ignored stays ignored. */
void watch_questions(bool at_work)
{
    struct sigaction new = { 0 }, old;
    new.sa_handler = on_question;
    new.sa_flags = at_work ? 0 : SA_RESTART;
    if (sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(SIGUSR1, &new, NULL);
}

static void begin_state(const job *j)
{
    const tally none = { 0, 0 };
    state.of = *j;
    state.sum = none;
    state.shown_lines = 0;
    state.wanted = isatty(2) && !(j->prints && isatty(1));
    if (state.next == 0)
        state.next = seconds() + 5;
    watch_questions(true);
}

/* Returns `text`. */
static const char *print_state(char text[160])
{
    const job *j = &state.of;
    const char *most = j->at_most ? "at most " : "";
    int size = snprintf(text, 160, "%" PRIu64 " lines %s", state.sum.lines,
                        j->doing);
    if (j->found)
        size += snprintf(text + size, 160 - (size_t)size, ", %s%" PRIu64 " %s",
                         most, state.sum.found, j->found);
    if (j->rate)
        snprintf(text + size, 160 - (size_t)size, ", rate now %s%.3g", most,
                 j->rate(j, state.sum.found));
    return text;
}

/* Reading the cells of a large filter takes time: at most a twentieth. */
static void show_if_due(void)
{
    double now;
    char text[160];
    if (!state.wanted || state.sum.lines == state.shown_lines)
        return;
    now = seconds();
    if (now < state.next)
        return;
    print_state(text);
    state.next = seconds() + 1 + 20 * (seconds() - now);
    show_progress(text);
    state.shown_lines = state.sum.lines;
}

void tell_state(void)
{
    char text[160];
    pthread_mutex_lock(&counting);
    if (asked) {
        asked = 0;
        say("%s", print_state(text));
    }
    show_if_due();
    pthread_mutex_unlock(&counting);
}

static void count_lines_of(const tally *some)
{
    pthread_mutex_lock(&counting);
    state.sum.lines += some->lines;
    state.sum.found += some->found;
    pthread_mutex_unlock(&counting);
}

/* Before a thread reads. Another thread may get the signal, so that this one
   looks every second. */
static void wait_and_tell(reader *in)
{
    struct pollfd input = { 0, POLLIN, 0 };
    input.fd = in->fd;
    tell_state();
    while (in->fd >= 0 && poll(&input, 1, 1000) <= 0)
        tell_state();
}

/* ---- Output ------------------------------------------------------------- */

static void write_out(const char *text, size_t size)
{
    while (size > 0) {
        const ssize_t some = write_some(text, size);
        if (some < 0)
            die_of(strerror(errno), "standard output");
        tell_state();
        text += some;
        size -= (size_t)some;
    }
}

/* ---- Threads ------------------------------------------------------------ */
/* Each thread takes the next chunk, works on it, and waits for its turn to
   print. One lock guards the input, another one the output. */

typedef struct crew {
    reader *in;
    job *work;
    uint64_t taken, printed;        /* chunks */
    bool alone;                     /* one thread: it counts in state.sum */
    pthread_mutex_t reading, printing;
    pthread_cond_t turn;
} crew;

typedef struct worker {
    crew *of;
    unsigned slot;
    pthread_t thread;
} worker;

static bool take_chunk(crew *w, chunk *c, uint64_t *number)
{
    bool taken;
    pthread_mutex_lock(&w->reading);
    taken = next_chunk(w->in, c);
    *number = w->taken;
    w->taken += taken;
    pthread_mutex_unlock(&w->reading);
    return taken;
}

static void hand_in(crew *w, const chunk *c, uint64_t number)
{
    pthread_mutex_lock(&w->printing);
    while (w->work->prints && w->printed != number)
        pthread_cond_wait(&w->turn, &w->printing);
    if (w->work->prints)
        write_out(c->text, c->size);
    w->printed++;
    pthread_cond_broadcast(&w->turn);
    pthread_mutex_unlock(&w->printing);
}

static void do_chunk(crew *w, unsigned slot, chunk *c, uint64_t number)
{
    tally some = { 0, 0 };
    w->work->run(w->work, slot, c, w->alone ? &state.sum : &some);
    count_lines_of(&some);
    tell_state();
    hand_in(w, c, number);
}

static void *work(void *argument)
{
    worker *me = argument;
    chunk c = { 0 };
    uint64_t number;
    while (take_chunk(me->of, &c, &number))
        do_chunk(me->of, me->slot, &c, number);
    free(c.text);
    return NULL;
}

/* Works on the first chunk, and returns whether it is large. Less input is not
   worth starting threads. */
static bool is_large(crew *w)
{
    chunk c = { 0 };
    uint64_t number;
    bool large = false;
    if (take_chunk(w, &c, &number)) {
        large = c.size > CHUNK_ROOM / 2;
        do_chunk(w, 0, &c, number);
    }
    free(c.text);
    return large;
}

tally do_lines(reader *in, job *j, unsigned threads)
{
    crew all = { 0 };
    worker list[SLOTS];
    unsigned i, started = 1;
    all.in = in;
    all.work = j;
    all.alone = true;
    if (!in->before_read)
        in->before_read = wait_and_tell;
    pthread_mutex_init(&all.reading, NULL);
    pthread_mutex_init(&all.printing, NULL);
    pthread_cond_init(&all.turn, NULL);
    begin_state(j);
    for (i = 0; i < SLOTS; i++) {
        list[i].of = &all;
        list[i].slot = i;
    }
    if (threads > 1 && is_large(&all)) {
        all.alone = false;
        while (started < threads
               && pthread_create(&list[started].thread, NULL, work,
                                 &list[started]) == 0)
            started++;
    }
    work(&list[0]);
    for (i = 1; i < started; i++)
        pthread_join(list[i].thread, NULL);
    erase_progress();
    watch_questions(false);
    return state.sum;
}
