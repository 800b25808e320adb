/* Measures lookups in a filter that lies in a mapped file, compared with
   reading random pages of that file by pread (`make mapped`; Linux). It also
   tests that each added key is found.

   usage: mapped_file FILE N [cached]

   If FILE does not exist, the program first makes it: a blocked filter of the
   integers below N at p = 1%, which needs 1.3 bytes of memory per key. Then 1,
   4 and 16 processes read random pages, and look up random keys, half of which
   were added, in three ways: one key per call; many per call; many per call
   after madvise for the page of each key. Before each measurement, the file is
   dropped from the cache. Each touches an eighth of the pages. With `cached`,
   the file is not dropped but read once at the beginning, so that as much of it
   is cached as memory allows. It prints thousands of lookups (or pages) per
   second, and their ratio to pread. The exit status is 1 if a key was lost or a
   page not read, and 2 if the file could not be used. */

#define _GNU_SOURCE
#include "rates.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PREAD, ONE, MANY, AHEAD, WAYS, SOME = 64, PAGE = 4096 };

static int file;
static uint64_t n, pages;
static unsigned char *map;
static bool is_cached;

static void well(int is_well, const char *what)
{
    if (is_well)
        return;
    perror(what);
    exit(2);
}

static void make(const char *name)
{
    FILE *out = fopen(name, "wb");
    bloom *b = need(bloom_create(bloom_plan_layout(n, 0.01, BLOOM_BLOCKED)));
    uint64_t key[BATCH], i;
    for (i = 0; i < n; i++) {
        key[i % BATCH] = i;
        if (i % BATCH == BATCH - 1 || i == n - 1)
            bloom_add_many_u64(b, key, (size_t)(i % BATCH + 1), NULL);
    }
    well(out && fwrite(b, 1, bloom_size(b), out) == bloom_size(b)
         && fflush(out) == 0 && fsync(fileno(out)) == 0, name);
    fclose(out);
    bloom_free(b);
}

/* Maps the file anew, and drops it from the cache unless `cached` was given. */
static void map_anew(void)
{
    const size_t size = (size_t)lseek(file, 0, SEEK_END);
    bloom_error error;
    if (map)
        munmap(map, size);
    if (!is_cached)
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM);
    map = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
    well(map != MAP_FAILED && madvise(map, size, MADV_RANDOM) == 0, "mmap");
    pages = size / PAGE;
    if (bloom_view(map, size, &error))
        return;
    fprintf(stderr, "bloom: mapped: %s\n", bloom_error_text(error));
    exit(2);
}

/* Asks the system to read the page of this key, so that the pages of many keys
   are read at the same time and not one after the other. */
static void ask_for_page(const bloom *b, uint64_t key)
{
    uint64_t cell[64];
    bloom_probes(b, bloom_hash_u64(b, key), cell);
    madvise(map + (32 + cell[0] / 8) / PAGE * PAGE, PAGE, MADV_WILLNEED);
}

/* Looks up SOME keys, or reads as many pages. Returns true if an added key was
   not found, or a page not read. */
static bool look(int way)
{
    const bloom *b = (const bloom *)(const void *)map;
    uint64_t key[SOME], page[PAGE / 8];
    bool maybe[SOME], lost = false;
    unsigned i;
    for (i = 0; i < SOME; i++) {
        key[i] = random64() % (2 * n);
        if (way == PREAD)
            maybe[i] = pread(file, page, PAGE, (off_t)(key[i] % pages) * PAGE)
                       == PAGE;
        if (way == ONE)
            maybe[i] = bloom_may_contain_u64(b, key[i]);
        if (way == AHEAD)
            ask_for_page(b, key[i]);
    }
    if (way >= MANY)
        bloom_may_contain_many_u64(b, key, SOME, maybe);
    for (i = 0; i < SOME; i++)
        lost |= key[i] < n && !maybe[i];
    return lost;
}

static void read_all(void)
{
    static unsigned char part[1 << 20];
    posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL);
    while (read(file, part, sizeof part) > 0)
        ;
}

/* Runs one measurement. Returns lookups (or pages) per millisecond. */
static double run(int way, unsigned processes)
{
    const uint64_t each = pages / 8 / processes / SOME + 1;
    struct timespec from, to;
    bool lost = false;
    uint64_t i;
    unsigned j;
    int status;
    map_anew();
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (j = 0; j < processes; j++) {
        state = random64();             /* other keys in each process */
        if (fork() != 0)
            continue;
        for (i = 0; i < each; i++)
            lost |= look(way);
        _exit(lost);
    }
    while (wait(&status) > 0)
        promise(status == 0, "every added key is found, every page is read");
    clock_gettime(CLOCK_MONOTONIC, &to);
    return (double)(each * SOME * processes)
         / ((double)(to.tv_sec - from.tv_sec) * 1e3
            + (double)(to.tv_nsec - from.tv_nsec) / 1e6);
}

int main(int argc, char **argv)
{
    double disk = 0, rate;
    unsigned processes;
    int way;
    is_cached = argc == 4 && strcmp(argv[3], "cached") == 0;
    n = argc == 3 + is_cached ? (uint64_t)strtod(argv[2], NULL) : 0;
    if (n == 0)
        return say_what("use mapped_file FILE N [cached]");
    if (access(argv[1], F_OK) != 0)
        make(argv[1]);
    file = open(argv[1], O_RDONLY);
    if (is_cached)
        read_all();
    map_anew();
    printf("%.0f keys, %.3f GB; thousands per second, and ratio to pread\n"
           "processes       pread  one per call          many  many, madvise\n",
           (double)n, (double)bloom_size((void *)map) / 1e9);
    for (processes = 1; processes <= 16; processes *= 4) {
        printf("%9u", processes);
        for (way = PREAD; way < WAYS; way++) {
            fflush(stdout);
            rate = run(way, processes);
            disk = way == PREAD ? rate : disk;
            printf(" %7.1f %5.2f", rate, rate / disk);
        }
        printf("\n");
    }
    return ending();
}
