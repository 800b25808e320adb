/* stop: stops `bloom uniq -f` at random moments, and runs several at once

       stop BLOOM CLOCK RUNS    in an empty folder, which it leaves empty
       stop BLOOM - RUNS        only the runs of which the next paragraph tells

   With "-", another program removes the lock of a run at a random moment, or
   FILE, or replaces FILE, or overwrites it, and a second run may begin then.
   Half of the runs are ended by SIGTERM. Each line that a run has printed must
   then be in FILE, or the run has status 2, and its message names FILE and a
   file FILE.kept.PID that contains the line. What was in FILE must be there.

   FILE is a chain or, every second time, a window (`uniq --last`). A run gets
   new lines without end. It is stopped by a signal, or because the reader of
   its output exits; half of the runs are halted by SIGSTOP before. FILE must
   then be intact. It must contain every line that was printed, and no other
   line except for false positives. A few runs save every second, and are killed
   with SIGKILL after two saves. Then RUNS more runs are killed while they save
   every 20 ms, half of them halted before. (CLOCK is a library, made from
   fast_clock.c.) FILE must contain the lines that were printed before the last
   save began, and those of earlier runs. Finally, two and eight writers run at
   the same time, and are halted now and then. */

#define _GNU_SOURCE                     /* syscall */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *bloom, *fast_clock;
static const char *messages;            /* file for those of bloom, or NULL */
static unsigned long long fed;          /* lines given to all runs so far */
static unsigned long passed, failed;
static unsigned long long others;       /* lines given, but not printed */
static unsigned long long sure;         /* lines printed before a save */

/* [0]: of chains, [1]: of windows. ended: by a signal or by their reader;
   killed: while they save. halted: before that; early: before they printed */
static struct { unsigned long runs, halted, early, saved; } ended[2], killed[2];

static void must(int good, const char *what)
{
    if (!good) {
        perror(what);
        exit(2);
    }
}

static void verify(int good, const char *what, int number, unsigned run)
{
    if (good)
        passed++;
    else
        failed++;
    if (!good)
        printf("FAILED: run %u, signal %d: %s\n", run, number, what);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double random_part(void)
{
    return rand() / (RAND_MAX + 1.0);
}

/* ---- One run ------------------------------------------------------------ */

typedef struct child { pid_t pid; int to, from; } child;

/* Returns after exec, when signals reach the command itself. */
static child start(char *const words[], const char *library)
{
    int in[2], out[2], begun[2];
    const struct rlimit no_core = { 0, 0 };
    child c;
    must(pipe(in) == 0 && pipe(out) == 0 && pipe(begun) == 0, "pipe");
    fcntl(begun[1], F_SETFD, FD_CLOEXEC);
    fcntl(in[1], F_SETFD, FD_CLOEXEC);  /* or a second run would keep it open */
    c.pid = fork();
    must(c.pid >= 0, "fork");
    if (c.pid == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        if (messages)
            dup2(open(messages, O_WRONLY | O_CREAT | O_TRUNC, 0666), 2);
        close(in[0]); close(in[1]); close(out[0]); close(out[1]);
        signal(SIGPIPE, SIG_DFL);
        signal(SIGINT, SIG_DFL);        /* a background shell ignores both, */
        signal(SIGQUIT, SIG_DFL);       /* and nohup ignores SIGHUP */
        signal(SIGTERM, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
        setrlimit(RLIMIT_CORE, &no_core);
        if (library)
            setenv("LD_PRELOAD", library, 1);
        execv(bloom, words);
        _exit(127);
    }
    close(begun[1]);
    must(read(begun[0], &c.to, 1) == 0, "exec");
    close(begun[0]);
    close(in[0]);
    close(out[1]);
    c.to = in[1];
    c.from = out[0];
    fcntl(c.to, F_SETFL, O_NONBLOCK);
    return c;
}

static void feed(const child *c)
{
    char text[2048];
    size_t size = 0;
    while (size < sizeof text - 40)
        size += (size_t)snprintf(text + size, 40, "line %llu\n", fed++);
    if (write(c->to, text, size) < 0 && errno != EAGAIN && errno != EPIPE)
        must(0, "write");
}

static size_t rest_size;                /* of an incomplete line */

/* Copies the complete lines of its output to `file`; false at the end. */
static int drain(const child *c, FILE *file)
{
    static char text[1 << 16], rest[1 << 17];
    ssize_t got = read(c->from, text, sizeof text), size = got;
    while (size > 0 && text[size - 1] != '\n')
        size--;                     /* the output may end within a line */
    if (size > 0) {
        fwrite(rest, 1, rest_size, file);
        rest_size = 0;
    }
    if (got > 0) {
        fwrite(text, 1, (size_t)size, file);
        memcpy(rest + rest_size, text + size, (size_t)(got - size));
        rest_size += (size_t)(got - size);
    }
    return got > 0;
}

/* Gives it lines and reads its output; returns false if it has ended. */
static bool talk(const child *c, double until, FILE *file)
{
    struct pollfd either[2];
    double left;
    while ((left = until - now()) > 0) {
        either[0].fd = c->to;
        either[0].events = POLLOUT;
        either[1].fd = c->from;
        either[1].events = POLLIN;
        poll(either, 2, (int)(left * 1000) + 1);
        if (either[1].revents && !drain(c, file))
            return false;
        if (either[0].revents)
            feed(c);
    }
    return true;
}

static long count_lines(const char *name)
{
    FILE *file = fopen(name, "r");
    long count = 0;
    int c;
    must(file != NULL, name);
    while ((c = getc(file)) != EOF)
        count += c == '\n';
    fclose(file);
    return count;
}

/* Returns how many lines of a file a filter does not know; -1: it is
   damaged. */
static long unknown_to(const char *filter, const char *lines)
{
    char order[600];
    int status;
    snprintf(order, sizeof order, "'%s' check -v %s %s >missing", bloom, filter,
             lines);
    status = system(order);
    if (!WIFEXITED(status) || WEXITSTATUS(status) == 2)
        return -1;
    return count_lines("missing");
}

static long unknown(const char *lines)
{
    return unknown_to("FILE", lines);
}

static bool is_empty(const char *name)
{
    FILE *file = fopen(name, "r");
    int c = file ? getc(file) : EOF;
    if (file)
        fclose(file);
    return c == EOF;
}

static bool forgets;                    /* FILE is a window, not a chain */
static unsigned long long at_first;     /* `fed` when FILE was begun */

/* Begins a FILE: a chain if the one before was a window, and the other way. */
static void begin(void)
{
    system("rm -f FILE; : >kept");
    forgets = !forgets;
    at_first = fed;
}

/* A window forgets after 2000000 lines. One run gets far less than half. */
static bool is_half_full(void)
{
    return fed - at_first > 1000000;
}

static child start_uniq(const char *library)
{
    char name[] = "uniq", f[] = "-f", file[] = "FILE", n[] = "-n",
         many[] = "100000", save[] = "--save", one[] = "1", zero[] = "bloom",
         last[] = "--last", more[] = "2000000";
    char *words[] = { zero, name, f, file, save, one, forgets ? last : n,
                      forgets ? more : many, NULL };
    rest_size = 0;
    return start(words, library);
}

/* Is `known` at most 0.001 * count, plus four standard deviations, plus 2? */
static bool is_chance(double known, double count)
{
    double more = known - 0.001 * count - 2;
    return more <= 0 || more * more <= 16 * 0.001 * count;
}

/* Lines from `first` on that were given to the run, and come after the last one
   in the file `lines`, must be absent from FILE, except for false positives. */
static void verify_others(const char *lines, unsigned long long first,
                          int number, unsigned run)
{
    FILE *file = fopen(lines, "r"), *rest = fopen("rest", "w");
    unsigned long long line, count = 0;
    must(file && rest, "rest");
    while (fscanf(file, "line %llu\n", &line) == 1)
        first = line + 1;
    for (line = first; line < fed; line++, count++)
        fprintf(rest, "line %llu\n", line);
    fclose(file);
    fclose(rest);
    others += count;
    verify(is_chance((double)count - (double)unknown("rest"), (double)count),
           "a line that was not printed is known", number, run);
}

static void verify_stopped(unsigned long long first, int number, unsigned run)
{
    verify(is_empty("printed") || unknown("printed") == 0,
           "a line that was printed is not known", number, run);
    if (access("FILE", F_OK) == 0)
        verify_others("printed", first, number, run);
    verify(system("ls FILE.* 2>/dev/null") != 0,
           "something is left beside FILE", number, run);
}

static void halt(const child *c)
{
    siginfo_t info;
    kill(c->pid, SIGSTOP);
    must(waitid(P_PID, (id_t)c->pid, &info, WSTOPPED | WEXITED | WNOWAIT) == 0
         && info.si_code == CLD_STOPPED, "SIGSTOP");
}

/* Stops the run, and returns its status. If it is halted first, it handles the
   signal before anything else. */
static int stop_it(const child *c, int number, bool halts, FILE *printed)
{
    int status;
    if (halts)
        halt(c);
    if (number == 0) {
        close(c->from);                         /* the reader exits */
        feed(c);
    } else
        kill(c->pid, number);
    kill(c->pid, SIGCONT);
    close(c->to);
    while (number != 0 && drain(c, printed))
        continue;
    waitpid(c->pid, &status, 0);
    fclose(printed);
    if (number != 0)
        close(c->from);
    return status;
}

static void one_run(unsigned run, int number)
{
    const double enough = (random_part() - 0.2) * 200000;
    const unsigned long long first = fed;
    const bool is_halted = run / 8 % 2 == 1;
    FILE *printed = fopen("printed", "w");
    child c;
    int status;
    must(printed != NULL, "printed");
    c = start_uniq(NULL);
    while ((double)ftell(printed) < enough
           && talk(&c, now() + 0.001, printed))
        continue;
    talk(&c, now() + 0.01 * random_part(), printed);
    status = stop_it(&c, number, is_halted, printed);
    ended[forgets].runs++;
    ended[forgets].halted += is_halted;
    ended[forgets].early += is_empty("printed");
    if (number == SIGKILL) {
        system("rm -f FILE.*");                 /* a file without a lock */
        verify(access("FILE", F_OK) != 0 || unknown("/dev/null") == 0,
               "FILE is damaged", number, run);
    } else {
        verify(WIFSIGNALED(status)
               && WTERMSIG(status) == (number ? number : SIGPIPE),
               "it did not end by the signal", number, run);
        verify_stopped(first, number, run);
    }
}

static void nap(double most)
{
    struct timespec t = { 0, 0 };
    t.tv_nsec = (long)(random_part() * most * 1e9);
    nanosleep(&t, NULL);
}

/* Its lock must keep another writer out while it is halted. */
static void halt_saving(const child *c, bool has_lock, unsigned run)
{
    char order[600];
    snprintf(order, sizeof order, "'%s' uniq --no-wait -f FILE </dev/null "
             ">taken 2>&1; grep -q 'in use by another process' taken", bloom);
    halt(c);
    if (run % 8 == 3 && has_lock)
        verify(system(order) == 0, "another writer got the lock", SIGSTOP, run);
    if (run % 4 == 1) {
        kill(c->pid, SIGCONT);
        nap(0.02);
    }
}

/* Bytes of output, each as of the last look at a FILE. seen: at the present
   FILE, `file`; before: at the FILE before it; sure: at the one before that. A
   save begins only after the one before has replaced FILE. So the first `sure`
   bytes are certainly in the present FILE. */
typedef struct saves {
    ino_t file;
    unsigned count;
    long seen, before, sure;
} saves;

static void look_at_file(saves *s, FILE *printed)
{
    const long size = ftell(printed);
    struct stat file = { 0 };
    stat("FILE", &file);
    if (file.st_ino != s->file) {
        s->file = file.st_ino;
        s->count++;
        s->sure = s->before;
        s->before = s->seen;
    }
    s->seen = size;
}

/* Kills a run that saved twice, once a second, in at most a minute. */
static void killed_later(unsigned run)
{
    const double end = now() + 60;
    FILE *printed = fopen("printed", "w");
    child c;
    saves s = { 0 };
    must(printed != NULL, "printed");
    look_at_file(&s, printed);
    s.count = 0;
    c = start_uniq(NULL);
    while ((s.count < 2 || s.sure == 0) && now() < end
           && talk(&c, now() + 0.01, printed))
        look_at_file(&s, printed);
    kill(c.pid, SIGKILL);
    waitpid(c.pid, NULL, 0);
    close(c.to);
    close(c.from);
    fclose(printed);
    verify(s.count >= 2 && s.sure > 0, "it did not save", SIGKILL, run);
    must(truncate("printed", s.sure) == 0, "printed");
    verify(unknown("printed") == 0,
           "a line printed before the last save is lost", SIGKILL, run);
}

/* The file kept has lines that were known after earlier kills. */
static void verify_killed(const saves *s, unsigned run)
{
    char order[600];
    verify(unknown("kept") == 0, "a saved line is lost", SIGKILL, run);
    snprintf(order, sizeof order, "rm -f FILE.*; '%s' check FILE printed "
             ">>kept", bloom);
    verify(system(order) >= 0, "check", SIGKILL, run);
    must(truncate("printed", s->sure) == 0, "printed");
    sure += (unsigned long long)count_lines("printed");
    verify(unknown("printed") == 0, "a line printed before a save is lost",
           SIGKILL, run);
}

static void killed_saving(unsigned run)
{
    FILE *printed = fopen("printed", "w");
    const unsigned enough = (unsigned)rand() % 5;
    saves s = { 0 };
    double until;
    child c;
    must(printed != NULL, "printed");
    look_at_file(&s, printed);
    s.count = 0;
    c = start_uniq(fast_clock);
    while (s.count < enough && !is_half_full()
           && talk(&c, now() + 0.001, printed))
        look_at_file(&s, printed);
    for (until = now() + 0.03 * random_part(); now() < until; ) {
        talk(&c, now() + 0.001, printed);
        look_at_file(&s, printed);
    }
    if (run % 2 == 1)
        halt_saving(&c, ftell(printed) > 0, run);
    kill(c.pid, SIGKILL);
    waitpid(c.pid, NULL, 0);
    look_at_file(&s, printed);
    close(c.to);
    close(c.from);
    fclose(printed);
    killed[forgets].runs++;
    killed[forgets].halted += run % 2;
    killed[forgets].early += s.seen == 0;
    killed[forgets].saved += s.count > 0;
    if (s.file)
        verify_killed(&s, run);
}

/* ---- Many writers ------------------------------------------------------- */

/* Each writer gets half of the lines of the writer before it, and as many new
   ones. */
static void many_writers(unsigned writers)
{
    char order[900];
    unsigned i;
    remove("FILE");
    snprintf(order, sizeof order,
             "for i in %.*s; do awk -v i=$i 'BEGIN { for (j = 0; j < 20000; "
             "j++) print \"line\", i * 10000 + j }' >in.$i; "
             "'%s' uniq -f FILE in.$i >out.$i 2>/dev/null & p=\"$p $!\"; done; "
             "for i in 1 2 3 4; do for j in $p; do kill -STOP $j; sleep 0.004; "
             "kill -CONT $j; done; done 2>/dev/null; wait; cat in.* >printed; "
             "sort out.* | uniq -d >twice; rm -f in.* out.*; "
             "exit $(wc -l <twice)",
             (int)(2 * writers - 1), "0 1 2 3 4 5 6 7", bloom);
    i = (unsigned)system(order);
    verify(i == 0, "two writers printed one line", 0, writers);
    verify(unknown("printed") == 0, "a writer's lines are lost", 0, writers);
}

/* ---- Replaced ----------------------------------------------------------- */

/* What another program does. SECOND and BOTH: then a second run begins. BOTH:
   the lock is removed, and FILE is replaced by a rename. */
enum { LOCK, SECOND, RENAME, COPY, REMOVE, BOTH, HARMS };
static const char *const harm_names[] = {
    "lock removed", "lock removed, second run", "FILE replaced",
    "FILE overwritten", "FILE removed", "both, second run" };
static struct { unsigned long runs, late, kept; } harmed[HARMS];

/* The file that is replaced becomes `old`. */
static void swap_in_other(void)
{
    system("cp other new");
    if (syscall(SYS_renameat2, AT_FDCWD, "new", AT_FDCWD, "FILE",
                2 /* RENAME_EXCHANGE */) == 0)
        must(rename("new", "old") == 0, "old");
    else
        must(rename("new", "FILE") == 0, "FILE");
}

/* Waits until a file that is written now gets another time than FILE. */
static void await_tick(void)
{
    struct stat there, mine;
    must(stat("FILE", &there) == 0, "FILE");
    do {
        FILE *file = fopen("tick", "w");
        must(file && putc('x', file) == 'x' && fclose(file) == 0
             && stat("tick", &mine) == 0, "tick");
    } while (mine.st_ctim.tv_sec == there.st_ctim.tv_sec
             && mine.st_ctim.tv_nsec == there.st_ctim.tv_nsec);
}

static void do_harm(unsigned harm)
{
    if (harm == LOCK || harm == SECOND || harm == BOTH)
        remove("FILE.lock");
    if (harm == RENAME || harm == BOTH)
        swap_in_other();
    if (harm == COPY) {
        await_tick();
        system("cat other >FILE");
    }
    if (harm == REMOVE)
        rename("FILE", "old");
}

/* Gives it few lines, so that a run is short. */
static void talk_slowly(const child *c, double until, FILE *printed)
{
    struct timespec pause = { 0, 5000000 };
    while (now() < until && talk(c, now() + 1e-4, printed))
        nanosleep(&pause, NULL);
}

typedef struct replaced {
    unsigned run, harm;
    bool is_late;                       /* it is ending when it is harmed */
    child first, second;
    FILE *printed;
    saves saves;
} replaced;

static void check_that(const replaced *r, bool good, const char *what)
{
    verify(good, what, (int)r->harm, r->run);
}

static bool has_failed(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == 2;
}

static void begin_replaced(replaced *r)
{
    system("rm -f FILE FILE.* old; cp base FILE; : >printed");
    r->printed = fopen("printed", "a");
    must(r->printed != NULL, "printed");
    look_at_file(&r->saves, r->printed);
    messages = "said";
    r->first = start_uniq(NULL);
    while (ftell(r->printed) == 0
           && talk(&r->first, now() + 0.001, r->printed))
        continue;
}

static void end_first(replaced *r)
{
    if (r->run / HARMS % 2)
        kill(r->first.pid, SIGTERM);
    close(r->first.to);
}

/* Before that, it copies the lines that are certainly in FILE. */
static void harm(replaced *r)
{
    char order[100];
    fflush(r->printed);
    snprintf(order, sizeof order, "head -c %ld printed >sure", r->saves.sure);
    must(system(order) == 0, "sure");
    if (r->harm == COPY)
        halt(&r->first);                /* or it may save in the same tick */
    do_harm(r->harm);
    kill(r->first.pid, SIGCONT);
    if (r->harm != SECOND && r->harm != BOTH)
        return;
    messages = "said.2";
    r->second = start_uniq(NULL);
    feed(&r->second);
}

static void run_both(replaced *r)
{
    const double length = 0.1 + 2.4 * random_part(), end = now() + length;
    const double at = r->is_late ? end : end - length * random_part();
    for (; now() < at; look_at_file(&r->saves, r->printed))
        talk_slowly(&r->first, now() + 0.01, r->printed);
    if (r->is_late) {
        end_first(r);
        nap(0.03);
    }
    harm(r);
    if (!r->is_late) {
        talk_slowly(&r->first, end > now() + 0.02 ? end : now() + 0.02,
                    r->printed);
        end_first(r);
    }
}

/* Copies the rest of its output, and returns its status. */
static int end_of(const child *c, FILE *printed)
{
    int status;
    while (drain(c, printed))
        continue;
    rest_size = 0;
    fclose(printed);
    close(c->from);
    waitpid(c->pid, &status, 0);
    return status;
}

/* If FILE was replaced late, the run may have saved all in the one before. */
static void verify_end(const replaced *r, pid_t pid, int status,
                       const char *printed, const char *said)
{
    char kept[64], order[300];
    snprintf(kept, sizeof kept, "FILE.kept.%ld", (long)pid);
    snprintf(order, sizeof order, "grep -q '^bloom: FILE: .* %s$' %s", kept,
             said);
    if (has_failed(status))
        check_that(r, system(order) == 0 && unknown_to(kept, printed) == 0,
                   "a line was not kept, or no message says where");
    else
        check_that(r, is_empty(printed) || unknown(printed) == 0
                   || (access("old", F_OK) == 0
                       && unknown_to("old", printed) == 0),
                   "a line is forgotten in silence");
    check_that(r, has_failed(status) || status == 0
               || (WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM),
               "its status is another");
}

static void verify_file(const replaced *r)
{
    if (r->harm == RENAME || r->harm == COPY)
        check_that(r, system("cmp -s FILE other") == 0,
                   "FILE was replaced, but did not stay");
    if (r->harm == BOTH)
        check_that(r, unknown("others") == 0, "FILE has lost lines");
    if (r->harm == LOCK || r->harm == SECOND)
        check_that(r, unknown("bases") == 0 && unknown("sure") == 0,
                   "FILE has lost lines that were saved");
    if (r->harm == REMOVE)
        check_that(r, access("FILE", F_OK) != 0, "FILE was removed, but is");
    check_that(r, system("ls FILE.* 2>/dev/null | grep -v kept") != 0,
               "something is left beside FILE");
}

static void replaced_run(unsigned run)
{
    replaced r = { 0 };
    int status, other;
    r.run = run;
    r.harm = run % HARMS;
    r.is_late = r.harm != COPY && rand() % 5 == 0;
    begin_replaced(&r);
    run_both(&r);
    status = end_of(&r.first, r.printed);
    if (r.second.pid) {
        close(r.second.to);
        other = end_of(&r.second, fopen("second", "w"));
        verify_end(&r, r.second.pid, other, "second", "said.2");
    }
    verify_end(&r, r.first.pid, status, "printed", "said");
    verify_file(&r);
    check_that(&r, r.is_late || r.harm < RENAME || has_failed(status),
               "FILE was replaced, but the status is not 2");
    harmed[r.harm].runs++;
    harmed[r.harm].late += r.is_late;
    harmed[r.harm].kept += has_failed(status);
}

static int replaced_runs(unsigned runs)
{
    char order[600];
    unsigned run, i;
    for (run = 0; run < runs; run++) {
        if (run % 24 == 0) {
            const char *kind = run / 24 % 2 ? "--last 2000000" : "-n 100000";
            snprintf(order, sizeof order, "rm -f base other; for i in base "
                     "other; do seq -f $i-%%.0f 1000 >${i}s; '%s' uniq %s -f "
                     "$i ${i}s >printed; done", bloom, kind);
            must(system(order) == 0, "base");
        }
        forgets = run / 24 % 2;
        replaced_run(run);
    }
    for (i = 0; i < HARMS; i++)
        printf("%s: %lu runs, %lu of them at their end, %lu kept\n",
               harm_names[i], harmed[i].runs, harmed[i].late, harmed[i].kept);
    system("rm -f FILE FILE.* base bases other others old new printed second "
           "said said.2 sure missing tick");
    printf("%lu passed, %lu failed\n", passed, failed);
    return failed != 0;
}

static void tell(void)
{
    unsigned i;
    for (i = 0; i < 2; i++) {
        const char *verb = i ? "uniq --last" : "uniq -f";
        printf("%s: %lu ended by a signal or by their reader, %lu of them "
               "halted before, %lu before they printed\n", verb, ended[i].runs,
               ended[i].halted, ended[i].early);
        printf("%s: %lu killed while saving, %lu of them halted before, %lu "
               "before they printed; %lu had saved\n", verb, killed[i].runs,
               killed[i].halted, killed[i].early, killed[i].saved);
    }
    printf("%llu lines were given but not printed; %llu were printed before "
           "the last save began\n", others, sure);
}

int main(int count, char **words)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT,
                                   SIGUSR2, 0, SIGKILL };
    unsigned run, runs = count > 3 ? (unsigned)atoi(words[3]) : 60;
    must(count > 2, "usage: stop BLOOM CLOCK RUNS");
    bloom = words[1];
    fast_clock = words[2];
    signal(SIGPIPE, SIG_IGN);
    srand((unsigned)time(NULL) + 7919 * (unsigned)getpid());
    if (strcmp(fast_clock, "-") == 0)
        return replaced_runs(runs);
    for (run = 0; run < runs; run++) {
        if (run % 20 == 0)
            begin();
        one_run(run, signals[run % 8]);
    }
    for (run = 0; run < 2 + runs / 100; run++) {
        do
            begin();
        while (forgets);    /* a window would forget some of so many lines */
        killed_later(run);
    }
    for (run = 0; run < runs; run++) {
        if (run % 6 == 0 || is_half_full())
            begin();
        killed_saving(run);
    }
    many_writers(2);
    many_writers(8);
    system("rm -f FILE FILE.* printed after missing twice kept "
           "taken rest");
    tell();
    verify(killed[0].saved + killed[1].saved > runs / 4 && sure > 0,
           "few runs had saved", SIGKILL, 0);
    printf("%lu passed, %lu failed\n", passed, failed);
    return failed != 0;
}
