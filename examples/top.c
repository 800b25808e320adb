/* top: the K most frequent lines of a file that does not fit in memory, with
   their counts, exactly. Most lines of most files are met once. So one filter
   takes all lines, and a second one those that the first may have met before:
   a line certainly not in the second was met once, and needs no counting. The
   others go to temporary files by hash, all copies of a line to the same one;
   parts still too large are treated so again, with another seed.

       top MB K FILE       as sort | uniq -c | sort -k1,1nr -k2 | head -n K,
                           with MB megabytes; temporary files in $TMPDIR
   Prints:
         25000 www.example/000000
         12500 www.example/000001
          6250 www.example/000002
          3125 www.example/000003
          1563 www.example/000004
       of 200000 lines 150001 were known to be met once
       right: 5 of 5 */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#define BLOOM_IMPLEMENTATION
#include "bloom.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PARTS = 16, LEVELS = 16, HASHER = 64, SIXTEENTH = 1 << 16 };
typedef struct file { FILE *stream; const char *name; uint64_t lines; } file;
typedef struct line {
    struct line *next;
    uint64_t count;
    size_t size;
    char text[];
} line;

static line *now;                       /* the line read last; next, count 0 */
static char *memory;                    /* for filters or for a set */
static size_t longest, memory_size;     /* of these */
static bloom *filter;                   /* its seed is the level */
static line **best;                     /* of all lines so far, best first */
static size_t wanted, known, room;      /* K; how many; bytes left for them */
static unsigned once;

static void need(bool right, const char *name, const char *why)
{
    if (!right) {
        fprintf(stderr, "top: %s: %s\n", name,
                why ? why : strerror(errno));
        exit(2);
    }
}

static file temporary(void)
{
    char path[4096], *folder = getenv("TMPDIR");
    file f = { NULL, folder && *folder ? folder : "/var/tmp", 0 };
    int number;
    snprintf(path, sizeof path, "%s/top.XXXXXX", f.name);
    number = mkstemp(path);             /* gone however the program ends: */
    need(number >= 0 && unlink(path) == 0, f.name, NULL);
    need((f.stream = fdopen(number, "w+b")) != NULL, f.name, NULL);
    return f;
}

static void write_now(file *f)
{
    need(fwrite(now->text, 1, now->size, f->stream) == now->size
         && putc('\n', f->stream) != EOF, f->name, NULL);
    f->lines++;
}

static void from_start(file *f)
{
    need(fseek(f->stream, 0, SEEK_SET) == 0, f->name, NULL);
}

static bool next_line(file *f)
{
    int c;
    for (now->size = 0; (c = getc_unlocked(f->stream)) != EOF && c != '\n'; ) {
        need(now->size < longest, f->name, "a line is too long for MB / 16");
        now->text[now->size++] = (char)c;
    }
    need(!ferror(f->stream), f->name, NULL);
    return c != EOF || now->size > 0;
}

/* Two bytes a line are 1 false "maybe" in 2000; more would not help. */
static bloom *new_filter(char *at, size_t size, uint64_t n, unsigned level)
{
    bloom_plan plan = bloom_plan_bytes(n, n < size / 4 ? 2 * n + 40 : size);
    plan.seed = level;
    return bloom_init(at, size, plan);
}

static bloom_hash hash(void)            /* for filter, part and set alike */
{
    return bloom_hash_key(filter, now->text, now->size);
}

static line **find(size_t lists)        /* in the set: lists by hash */
{
    line **at = (line **)(void *)memory + hash().h1 % lists;
    while (*at && ((*at)->size != now->size
                   || memcmp((*at)->text, now->text, now->size) != 0))
        at = &(*at)->next;
    return at;
}

/* More copies first, then as sort has it. */
static bool before(const line *a, const line *b)
{
    size_t both = a->size < b->size ? a->size : b->size;
    int order = memcmp(a->text, b->text, both);
    if (a->count != b->count)
        return a->count > b->count;
    return order < 0 || (order == 0 && a->size < b->size);
}

static void offer(const line *l)
{
    size_t i = known, size = sizeof *l + l->size;
    if (known < wanted) {
        known++;
    } else if (before(l, best[i - 1])) {
        room += sizeof *l + best[--i]->size;
        free(best[i]);
    } else {
        return;
    }
    need(size <= room, "K", "so many lines are too long for MB / 8");
    room -= size;
    for (; i > 0 && before(l, best[i - 1]); i--)
        best[i] = best[i - 1];
    best[i] = malloc(size);
    need(best[i] != NULL, "K", NULL);
    memcpy(best[i], l, size);
}

/* With an exact set, if it fits. Copies take no room: the lines of a file that
   does not fit differ, so that they can be split. */
static bool counted(file *f)
{
    size_t lists = memory_size / 64, used = lists * sizeof(line *), size;
    line **at, *l;
    memset(memory, 0, used);
    for (from_start(f); next_line(f); (*at)->count++) {
        at = find(lists);
        if (*at)
            continue;
        size = (sizeof *now + now->size + 7) & ~(size_t)7;
        if (size > memory_size - used)
            return false;
        *at = memcpy(memory + used, now, sizeof *now + now->size);
        used += size;
    }
    for (at = (line **)(void *)memory; lists > 0; lists--, at++)
        for (l = *at; l; l = l->next)
            offer(l);
    return true;
}

/* The others are counted already: one each. */
static void split(file *f, const bloom *again, file *parts)
{
    bloom_hash h;
    int i;
    for (i = 0; i < PARTS; i++)
        parts[i] = temporary();
    for (from_start(f); next_line(f); )
        if (bloom_may_contain_hash(again, h = hash())) {
            write_now(&parts[h.h1 % PARTS]);
        } else {
            now->count = 1;
            offer(now);
            once++;
        }
    now->count = 0;
}

static void count(file f, unsigned level)
{
    size_t most = memory_size / 3 * 2;
    file parts[PARTS];
    bloom *again;
    bloom_hash h;
    int i;
    filter = new_filter(memory + memory_size, HASHER, 1, level);
    if (counted(&f))
        return;
    need(level < LEVELS, f.name, "its lines were made to hash alike");
    filter = new_filter(memory, most, f.lines, level);
    again = new_filter(memory + most, memory_size - most, f.lines / 2, level);
    for (from_start(&f); next_line(&f); )
        if (!bloom_add_hash(filter, h = hash()))
            bloom_add_hash(again, h);
    split(&f, again, parts);
    for (i = 0; i < PARTS; i++) {
        count(parts[i], level + 1);
        fclose(parts[i].stream);
    }
}

static void print(void)
{
    size_t i;
    for (i = 0; i < known; i++) {
        printf("%7" PRIu64 " ", best[i]->count);
        fwrite(best[i]->text, 1, best[i]->size, stdout);
        putchar('\n');
    }
    need(!ferror(stdout), "standard output", NULL);
}

/* One line in four is that of n, the zeros at the end of the binary j: of
   50000 j, 50000 / 2^n have n or more. The other lines are met once. */
static int demonstrate(void)
{
    file f = temporary();
    unsigned i, j, n, right = 0;
    for (i = 0; i < 200000; i++) {
        for (n = 0, j = i / 4 + 1; j % 2 == 0; j /= 2)
            n++;
        now->size = (size_t)sprintf(now->text, "www.example/%06u",
                                    i % 4 ? i + 100 : n);
        write_now(&f);
    }
    count(f, 0);
    print();
    for (n = 0; n < known; n++) {
        sprintf(now->text, "www.example/%06u", n);
        right += memcmp(best[n]->text, now->text, best[n]->size) == 0
                 && best[n]->count == (50000u >> n) - (50000u >> (n + 1));
    }
    printf("of 200000 lines %u were known to be met once\n", once);
    printf("right: %u of %u\n", right, (unsigned)wanted);
    return right < wanted;
}

static file open_file(const char *name)
{
    file f = { fopen(name, "rb"), name, 0 };
    need(f.stream != NULL, name, NULL);
    for (from_start(&f); next_line(&f); )
        f.lines++;
    return f;
}

int main(int argc, char **words)
{
    char *end = "", *end_of_k = end;
    size_t size = argc == 4 ? strtoul(words[1], &end, 10) : 4;
    wanted = argc == 4 ? strtoul(words[2], &end_of_k, 10) : 5;
    need((argc == 1 || argc == 4) && !*end && size >= 4 && !(size >> 31)
         && !*end_of_k && wanted > 0, "usage",
         "top MB K FILE, with 4 MB or more and K of 1 or more");
    longest = (size - 3) * SIXTEENTH;   /* 3 MB for the process and buffers */
    memory_size = longest * 11;
    room = longest * 2;                 /* twice; half is malloc's to waste */
    need(wanted <= room / 64, words[2], "K is too large for MB");
    best = malloc(wanted * sizeof *best);
    now = calloc(sizeof *now + longest, 1);
    memory = malloc(memory_size + HASHER);
    need(best && now && memory, words[1], "more megabytes than there are");
    if (argc == 1)
        return demonstrate();
    count(open_file(words[3]), 0);
    print();
    need(fclose(stdout) == 0, "standard output", NULL);
    return 0;
}
