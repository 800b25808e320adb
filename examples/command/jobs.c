/* jobs.c: threads that work on lines, and output in the order of the input */
#include "command.h"
#include <pthread.h>
#include <time.h>

/* ---- Progress ----------------------------------------------------------- */

static struct progress {
    bool wanted, shown;
    time_t next;
} progress;

static void begin_progress(bool prints)
{
    progress.wanted = isatty(2) && !(prints && isatty(1));
    if (progress.next == 0)
        progress.next = time(NULL) + 2;
}

static void show_progress(const char *doing, uint64_t lines)
{
    time_t now;
    if (!progress.wanted || (now = time(NULL)) < progress.next)
        return;
    progress.next = now + 1;
    progress.shown = true;
    fprintf(stderr, "\rbloom: %" PRIu64 " lines %s", lines, doing);
}

void erase_progress(void)
{
    if (progress.shown)
        fprintf(stderr, "\r%45s\r", "");
    progress.shown = false;
}

/* ---- Output ------------------------------------------------------------- */

static void write_out(const char *text, size_t size)
{
    while (size > 0) {
        ssize_t some = write(1, text, size);
        if (some < 0 && errno != EINTR)
            die_of(strerror(errno), "standard output");
        text += some > 0 ? some : 0;
        size -= some > 0 ? (size_t)some : 0;
    }
}

/* Exits with an error unless all output was written. */
void close_output(void)
{
    if (ferror(stdout) || fflush(stdout) != 0 || close(1) != 0)
        die_of(strerror(errno), "standard output");
}

/* Moves the wanted lines of a batch to the front of the chunk, after those that
   are there already. */
void keep_lines(chunk *c, size_t *kept, const batch *b, const bool *wanted,
                bool value, size_t count)
{
    size_t i = 0;
    while (i < count) {
        const char *from = b->line[i].data;
        size_t size = 0;
        for (; i < count && wanted[i] == value; i++)
            size += b->line[i].size + 1;
        if (size > 0 && from != c->text + *kept)
            memmove(c->text + *kept, from, size);
        *kept += size;
        while (i < count && wanted[i] != value)
            i++;
    }
}

/* ---- Threads ------------------------------------------------------------ */
/* Each thread takes the next chunk, works on it, and waits for its turn to
   print. One lock guards the input, another one the output. */

typedef struct crew {
    reader *in;
    job *work;
    uint64_t taken, printed;        /* chunks */
    uint64_t lines;
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

static void hand_in(crew *w, const chunk *c, uint64_t number, uint64_t lines)
{
    pthread_mutex_lock(&w->printing);
    while (w->work->prints && w->printed != number)
        pthread_cond_wait(&w->turn, &w->printing);
    if (w->work->prints)
        write_out(c->text, c->size);
    w->printed++;
    w->lines += lines;
    show_progress(w->work->doing, w->lines);
    pthread_cond_broadcast(&w->turn);
    pthread_mutex_unlock(&w->printing);
}

static void *work(void *argument)
{
    worker *me = argument;
    chunk c = { 0 };
    uint64_t number;
    while (take_chunk(me->of, &c, &number)) {
        uint64_t lines = 0;
        me->of->work->run(me->of->work, me->slot, &c, &lines);
        hand_in(me->of, &c, number, lines);
    }
    free(c.text);
    return NULL;
}

/* Works on the first chunk, and returns whether it is large. Less input is not
   worth starting threads. */
static bool is_large(crew *w)
{
    chunk c = { 0 };
    uint64_t number, lines = 0;
    bool large = false;
    if (take_chunk(w, &c, &number)) {
        large = c.size > CHUNK_ROOM / 2;
        w->work->run(w->work, 0, &c, &lines);
        hand_in(w, &c, number, lines);
    }
    free(c.text);
    return large;
}

uint64_t do_lines(reader *in, job *j, unsigned threads)
{
    crew all = { 0 };
    worker list[64];
    unsigned i, started = 1;
    all.in = in;
    all.work = j;
    pthread_mutex_init(&all.reading, NULL);
    pthread_mutex_init(&all.printing, NULL);
    pthread_cond_init(&all.turn, NULL);
    begin_progress(j->prints);
    for (i = 0; i < 64; i++) {
        list[i].of = &all;
        list[i].slot = i;
    }
    if (threads > 1 && is_large(&all))
        while (started < threads
               && pthread_create(&list[started].thread, NULL, work,
                                 &list[started]) == 0)
            started++;
    work(&list[0]);
    for (i = 1; i < started; i++)
        pthread_join(list[i].thread, NULL);
    erase_progress();
    return all.lines;
}
