/* kill: kills `bloom` while it writes FILE, with every verb that writes

       kill BLOOM RUNS          until RUNS were killed; in the folder
                                that crash.sh has filled

   After a kill, FILE must be the old file or the new one, byte for byte. Half
   of the kills come at any time of a run, the others soon after the first bytes
   of FILE.new.PID.0 were written. In each half, and for each verb, every second
   run is halted by SIGSTOP before it is killed; half of these continue for a
   moment in between. A run that ends before its kill must have made the new
   file. If many do, as on a busy machine, the kills come sooner. */

#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COUNT(a) (sizeof (a) / sizeof *(a))

static const struct verb {
    const char *old, *new;              /* files; old: NULL if FILE is new */
    const char *words[7];
} verbs[] = {
    { NULL, "whole", { "build", "-n", "300000", "FILE", "ab" } },
    { "a.bloom", "whole", { "build", "-n", "300000", "FILE", "ab" } },
    { "a.bloom", "whole", { "uniq", "-f", "FILE" } },
    { "a.chain", "chain", { "uniq", "-f", "FILE" } },
    { "a.window", "window", { "uniq", "--last", "50000", "-f", "FILE" } },
    { "a.wide", "folded", { "fold", "--by", "5", "FILE" } },
    { NULL, "whole", { "merge", "FILE", "a.bloom", "b.bloom" } },
    { "a.bloom", "whole", { "merge", "FILE", "a.bloom", "b.bloom" } },
    { "a.bloom", "whole", { "add", "FILE", "b" } }
};

/* HALTED is a part of KILLED. LEFT: FILE.new.PID.0 was left behind */
enum { KILLED, HALTED, ENDED, OLD, NEW, LEFT, COUNTS };

/* For each verb: [0] killed at any time, [1] soon after it began to write */
static unsigned long counted[COUNT(verbs)][2][COUNTS], all[COUNTS];
static const char *bloom;
static unsigned long killed, failed;

static void must(bool good, const char *what)
{
    if (!good) {
        perror(what);
        exit(2);
    }
}

/* ---- Files -------------------------------------------------------------- */

typedef struct text { char *bytes; size_t size; bool is_there; } text;

static text read_file(const char *name)
{
    text t = { NULL, 0, false };
    FILE *file = name ? fopen(name, "rb") : NULL;
    if (!file)
        return t;
    t.is_there = true;
    t.bytes = malloc(1 << 22);
    must(t.bytes != NULL, "malloc");
    t.size = fread(t.bytes, 1, 1 << 22, file);
    fclose(file);
    return t;
}

static bool same(text a, text b)
{
    return a.is_there == b.is_there && a.size == b.size
           && (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0);
}

static void begin(const char *old)
{
    text t = read_file(old);
    FILE *file;
    remove("FILE");
    if (!t.is_there)
        return;
    file = fopen("FILE", "wb");
    must(file && fwrite(t.bytes, 1, t.size, file) == t.size, "FILE");
    must(fclose(file) == 0, "FILE");
    free(t.bytes);
}

static char temporary[64];              /* FILE.new.PID.0 of the present run */

/* Has writing begun? Disk space that uniq has reserved reads as zeros. */
static bool is_written(void)
{
    FILE *file = fopen(temporary, "rb");
    int c = file ? getc(file) : EOF;
    if (file)
        fclose(file);
    return c == 'B';
}

/* ---- One run ------------------------------------------------------------ */

static void nap(double seconds)
{
    struct timespec t = { 0, 0 };
    t.tv_nsec = (long)((seconds < 0.5 ? seconds : 0.5) * 1e9);
    nanosleep(&t, NULL);
}

static double random_part(void)
{
    return rand() / (RAND_MAX + 1.0);
}

static pid_t start(const struct verb *v)
{
    char *words[9] = { "bloom" };
    unsigned i;
    pid_t pid;
    for (i = 0; i < COUNT(v->words) && v->words[i]; i++)
        words[i + 1] = strdup(v->words[i]);
    pid = fork();
    must(pid >= 0, "fork");
    if (pid == 0) {
        dup2(open("b", O_RDONLY), 0);
        dup2(open("/dev/null", O_WRONLY), 1);
        dup2(1, 2);
        execv(bloom, words);
        _exit(127);
    }
    while (i > 0)
        free(words[i--]);
    snprintf(temporary, sizeof temporary, "FILE.new.%ld.0", (long)pid);
    return pid;
}

static void wait_for_writing(pid_t pid, int *status)
{
    while (!is_written() && waitpid(pid, status, WNOHANG) == 0)
        nap(0.00005);
}

/* Returns false if it has ended. */
static bool halt(pid_t pid, bool goes_on)
{
    siginfo_t info = { 0 };
    kill(pid, SIGSTOP);
    must(waitid(P_PID, (id_t)pid, &info, WSTOPPED | WEXITED | WNOWAIT) == 0,
         "waitid");
    if (goes_on) {
        kill(pid, SIGCONT);
        nap(0.004 * random_part());
    }
    return info.si_code == CLD_STOPPED;
}

static void judge(const struct verb *v, unsigned long *count, unsigned run,
                  bool went_well)
{
    text old = read_file(v->old), new = read_file(v->new);
    text file = read_file("FILE");
    bool is_old = same(file, old), is_new = same(file, new);
    count[OLD] += is_old;
    count[NEW] += is_new;
    if (is_new || (is_old && !went_well))
        goto done;
    failed++;
    printf("FAILED: run %u, bloom %s: FILE is %s\n", run, v->words[0],
           is_old ? "the old one, although bloom succeeded"
                  : "neither the old one nor the new one");
done:
    free(old.bytes);
    free(new.bytes);
    free(file.bytes);
}

/* *span: the kill comes within so many seconds; it is adapted to the
   machine. */
static void one_run(unsigned run, double *span)
{
    const struct verb *v = &verbs[run % COUNT(verbs)];
    const unsigned round = run / COUNT(verbs);
    unsigned long *count = counted[run % COUNT(verbs)][round % 2];
    bool halted = false;
    int status = -1;
    pid_t pid;
    begin(v->old);
    pid = start(v);
    if (round % 2 == 1)
        wait_for_writing(pid, &status);
    nap(*span * random_part());
    if (status == -1 && 2 * count[HALTED] <= count[KILLED])
        halted = halt(pid, round / 4 % 2 == 1);
    if (status == -1) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
    killed += WIFSIGNALED(status);
    count[KILLED] += WIFSIGNALED(status);
    count[HALTED] += WIFSIGNALED(status) && halted;
    count[ENDED] += !WIFSIGNALED(status);
    *span *= WIFSIGNALED(status) ? 1.05 : 0.9;
    count[LEFT] += remove(temporary) == 0;
    judge(v, count, run, !WIFSIGNALED(status));
}

static double time_of_run(void)
{
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    waitpid(start(&verbs[0]), NULL, 0);
    clock_gettime(CLOCK_MONOTONIC, &to);
    return (double)(to.tv_sec - from.tv_sec)
           + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
}

/* ---- All runs ----------------------------------------------------------- */

static void tell(const unsigned long *count)
{
    unsigned i;
    for (i = 0; i < COUNTS; i++)
        printf("%7lu", count[i]);
}

static void tell_verbs(void)
{
    unsigned i, j;
    printf(" killed halted  ended    old    new   left\n");
    for (i = 0; i < COUNT(verbs); i++) {
        unsigned long both[COUNTS];
        for (j = 0; j < COUNTS; j++) {
            both[j] = counted[i][0][j] + counted[i][1][j];
            all[j] += both[j];
        }
        tell(both);
        printf("  bloom");
        for (j = 0; j < COUNT(verbs[i].words) && verbs[i].words[j]; j++)
            printf(" %s", verbs[i].words[j]);
        printf("\n");
    }
    tell(all);
    printf("  total\n");
}

int main(int count, char **words)
{
    unsigned long runs;
    unsigned run;
    double span[2] = { 0, 0.001 };              /* at any time, late */
    must(count == 3, "usage: kill BLOOM RUNS");
    bloom = words[1];
    runs = strtoul(words[2], NULL, 10);
    srand((unsigned)time(NULL));
    span[0] = time_of_run();
    for (run = 0; killed < runs && run < 20 * runs + 100; run++)
        one_run(run, &span[run / COUNT(verbs) % 2]);
    remove("FILE");
    tell_verbs();
    if (runs >= 50
        && (!all[HALTED] || !all[OLD] || !all[NEW] || !all[LEFT])) {
        printf("FAILED: a total of halted, old, new or left is 0\n");
        failed++;
    }
    printf("%u passed, %lu failed\n", run, failed);
    return failed != 0;
}
