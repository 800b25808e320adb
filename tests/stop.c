/* stop: `bloom uniq -f` stopped at random moments, and several at once

       stop BLOOM RUNS          in an empty folder, which it leaves empty

   A run is fed new lines without end, and stopped by a signal, or because its
   reader goes away. What it printed must then be in its FILE, which must be
   whole; after SIGKILL, what it printed before the last interval of --save.
   Then two and eight writers at once. cc -std=c99 -O2 tests/stop.c -o stop */

#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *bloom;
static unsigned long long fed;          /* lines so far, in all runs */
static unsigned long passed, failed, stopped, early;

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

/* Returns when the command runs: before, signals are not its business. */
static child start(char *const words[])
{
    int in[2], out[2], begun[2];
    child c;
    must(pipe(in) == 0 && pipe(out) == 0 && pipe(begun) == 0, "pipe");
    fcntl(begun[1], F_SETFD, FD_CLOEXEC);
    c.pid = fork();
    must(c.pid >= 0, "fork");
    if (c.pid == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[0]); close(in[1]); close(out[0]); close(out[1]);
        signal(SIGPIPE, SIG_DFL);
        signal(SIGINT, SIG_DFL);        /* a shell in the background ignores */
        signal(SIGTERM, SIG_DFL);       /* it, nohup the last of these */
        signal(SIGHUP, SIG_DFL);
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

static size_t rest_size;                /* of a line that has not ended */

/* The lines it prints go to `file`; returns false at its end. */
static int drain(const child *c, FILE *file)
{
    static char text[1 << 16], rest[1 << 17];
    ssize_t got = read(c->from, text, sizeof text), size = got;
    while (size > 0 && text[size - 1] != '\n')
        size--;                     /* its reader may go away in a line */
    if (size > 0)
        fwrite(rest, 1, rest_size, file);
    if (size > 0)
        rest_size = 0;
    if (got > 0) {
        fwrite(text, 1, (size_t)size, file);
        memcpy(rest + rest_size, text + size, (size_t)(got - size));
        rest_size += (size_t)(got - size);
    }
    return got > 0;
}

static void talk(const child *c, double until, FILE *file)
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
            return;
        if (either[0].revents)
            feed(c);
    }
}

/* The lines of a file that FILE does not know; -1: FILE is not whole. */
static long unknown(const char *lines)
{
    char order[600];
    long count = 0;
    int status, c;
    FILE *from;
    snprintf(order, sizeof order, "'%s' check -v FILE %s >missing", bloom,
             lines);
    status = system(order);
    if (!WIFEXITED(status) || WEXITSTATUS(status) == 2)
        return -1;
    from = fopen("missing", "r");
    must(from != NULL, "missing");
    while ((c = getc(from)) != EOF)
        count += c == '\n';
    fclose(from);
    return count;
}

static int is_empty(const char *name)
{
    FILE *file = fopen(name, "r");
    int c = file ? getc(file) : EOF;
    if (file)
        fclose(file);
    return c == EOF;
}

static void one_run(unsigned run, int number, double seconds)
{
    char name[] = "uniq", f[] = "-f", file[] = "FILE", n[] = "-n",
         many[] = "100000", save[] = "--save", one[] = "1", zero[] = "bloom";
    char *words[] = { zero, name, f, file, save, one, n, many, NULL };
    FILE *printed = fopen("printed", "w");
    child c;
    int status;
    must(printed != NULL, "printed");
    if (access("FILE", F_OK) == 0)
        words[6] = NULL;                        /* it has its N */
    c = start(words);
    rest_size = 0;
    talk(&c, now() + seconds, printed);
    if (number == 0)
        close(c.from);                          /* the reader goes away */
    else
        kill(c.pid, number);
    if (number == 0)
        feed(&c);
    close(c.to);
    while (number != 0 && drain(&c, printed))
        continue;
    waitpid(c.pid, &status, 0);
    fclose(printed);
    if (number != 0)
        close(c.from);
    stopped += WIFSIGNALED(status) ? 1 : 0;
    early += is_empty("printed") ? 1 : 0;
    if (number == SIGKILL) {
        remove("FILE.lock");                    /* locks nothing */
        verify(access("FILE", F_OK) != 0 || unknown("/dev/null") == 0,
               "FILE is torn", number, run);
    } else {
        verify(WIFSIGNALED(status)
               && WTERMSIG(status) == (number ? number : SIGPIPE),
               "it did not end by the signal", number, run);
        verify(is_empty("printed") || unknown("printed") == 0,
               "a line that was printed is not known", number, run);
        verify(system("ls FILE.* 2>/dev/null") != 0,
               "something is left beside FILE", number, run);
    }
}

/* --save 1: what was printed three seconds before the kill is known. */
static void killed_later(unsigned run)
{
    char name[] = "uniq", f[] = "-f", file[] = "FILE", save[] = "--save",
         one[] = "1", zero[] = "bloom";
    char *words[] = { zero, name, f, file, save, one, NULL };
    FILE *before = fopen("printed", "w"), *after = fopen("after", "w");
    child c = start(words);
    int status;
    rest_size = 0;
    must(before && after, "printed");
    while (ftell(before) == 0)
        talk(&c, now() + 0.1, before);
    talk(&c, now() + 3 + random_part(), after);
    kill(c.pid, SIGKILL);
    waitpid(c.pid, &status, 0);
    close(c.to);
    close(c.from);
    fclose(before);
    fclose(after);
    verify(unknown("printed") == 0,
           "what was printed before the last save is lost", SIGKILL, run);
}

/* ---- Many writers ------------------------------------------------------- */

/* Each is given half of what the one before it was given, and as much more. */
static void many_writers(unsigned writers)
{
    char order[800];
    unsigned i;
    remove("FILE");
    snprintf(order, sizeof order,
             "for i in %.*s; do awk -v i=$i 'BEGIN { for (j = 0; j < 20000; "
             "j++) print \"line\", i * 10000 + j }' >in.$i; "
             "'%s' uniq -f FILE in.$i >out.$i 2>/dev/null & done; "
             "wait; cat in.* >printed; sort out.* | uniq -d >twice; rm -f in.* "
             "out.*; exit $(wc -l <twice)",
             (int)(2 * writers - 1), "0 1 2 3 4 5 6 7", bloom);
    i = (unsigned)system(order);
    verify(i == 0, "two writers printed one line", 0, writers);
    verify(unknown("printed") == 0, "a writer's lines are lost", 0, writers);
}

int main(int count, char **words)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, 0,
                                   SIGKILL };
    unsigned run, runs = count > 2 ? (unsigned)atoi(words[2]) : 60;
    must(count > 1, "usage: stop BLOOM RUNS");
    bloom = words[1];
    signal(SIGPIPE, SIG_IGN);
    srand((unsigned)time(NULL));
    for (run = 0; run < runs; run++) {
        if (run % 50 == 0)
            remove("FILE");
        one_run(run, signals[run % 6], 0.05 * random_part());
    }
    remove("FILE");
    for (run = 0; run < 2 + runs / 100; run++)
        killed_later(run);
    many_writers(2);
    many_writers(8);
    system("rm -f FILE FILE.* printed after missing twice");
    printf("%u runs: %lu ended by a signal, %lu before they printed\n", runs,
           stopped, early);
    printf("%lu passed, %lu failed\n", passed, failed);
    return failed != 0;
}
