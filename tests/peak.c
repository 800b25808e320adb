/* peak: runs a command, and prints how long it took, its peak memory, and the
   CPU time that it and the system took for it

       peak COMMAND ARGUMENTS...
       peak: 1.23 s, 4567 kB, CPU 1.02 s      on standard error

   Exits with the command's status. cc -std=c99 -O2 peak.c -o peak */

#define _DEFAULT_SOURCE                       /* wait4, of BSD */
#define _DARWIN_C_SOURCE

#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static double in_seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double seconds(void)
{
    struct timeval now;
    gettimeofday(&now, NULL);
    return in_seconds(now);
}

static long kilobytes(const struct rusage *used)
{
#ifdef __APPLE__
    return used->ru_maxrss / 1024;
#else
    return used->ru_maxrss;
#endif
}

int main(int count, char **words)
{
    double start = seconds();
    struct rusage used;
    int status;
    pid_t child = count > 1 ? fork() : -1;
    if (child == 0) {
        execvp(words[1], words + 1);
        perror(words[1]);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &used) < 0) {
        fputs("usage: peak COMMAND ARGUMENTS...\n", stderr);
        return 2;
    }
    fprintf(stderr, "peak: %.2f s, %ld kB, CPU %.2f s\n", seconds() - start,
            kilobytes(&used),
            in_seconds(used.ru_utime) + in_seconds(used.ru_stime));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
