/* parts.h: what intersect.c and top.c share, to work on more lines than fit in
   memory: files that are split by hash, so that all copies of a line come to
   the same part, and sets of lines in a piece of memory of fixed size.
   Include it after bloom.h and  #define PROGRAM "name". */
#ifndef BLOOM_COMMON_PARTS_H
#define BLOOM_COMMON_PARTS_H

#include "need.h"
#include <unistd.h>

enum { PARTS = 16, LEVELS = 16, HASHER = 64 };
typedef struct file { FILE *stream; const char *name; uint64_t lines; } file;
typedef struct line {
    struct line *next;
    uint64_t count;                     /* of its copies */
    size_t size;
    char text[];
} line;

static line *now;                       /* the line read last; next, count 0 */
static char *memory;                    /* for filters or for a set */
static size_t longest, memory_size;     /* of a line, of the memory */
static bloom *filter;                   /* its seed is the level */

/* A number of megabytes, of which the process and its buffers have 3 */
static size_t megabytes(const char *text)
{
    char *end;
    size_t size = strtoul(text, &end, 10);
    need(!*end && size >= 4 && !(size >> 31), text, "MB is 4 or more");
    return size;
}

/* A sixteenth of the rest for each line at most, `sixteenths` for memory */
static void allocate(size_t size, size_t longest_line, size_t sixteenths)
{
    size_t sixteenth = (size - 3) << 16;
    longest = sixteenth * longest_line;
    memory_size = sixteenth * sixteenths;
    now = calloc(sizeof *now + longest, 1);
    memory = malloc(memory_size + HASHER);
    need(now && memory, "MB", "more megabytes than there are");
}

/* ---- Files of lines ------------------------------------------------------ */

static file temporary(void)
{
    char path[4096], *folder = getenv("TMPDIR");
    file f = { NULL, folder && *folder ? folder : "/var/tmp", 0 };
    int number;
    snprintf(path, sizeof path, "%s/" PROGRAM ".XXXXXX", f.name);
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
        need(now->size < longest, f->name, "a line is too long for MB");
        now->text[now->size++] = (char)c;
    }
    need(!ferror(f->stream), f->name, NULL);
    return c != EOF || now->size > 0;
}

static file open_file(const char *name)
{
    file f = { fopen(name, "rb"), name, 0 };
    need(f.stream != NULL, name, NULL);
    for (from_start(&f); next_line(&f); )
        f.lines++;
    return f;
}

/* ---- Filters and hashes -------------------------------------------------- */

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

/* What `passes` goes to one of the parts, by the hash for which it asks. */
static void split(file *f, file *parts, bool (*passes)(bloom_hash h))
{
    bloom_hash h;
    int i;
    for (i = 0; i < PARTS; i++)
        parts[i] = temporary();
    for (from_start(f); next_line(f); )
        if (passes(h = hash()))
            write_now(&parts[h.h1 % PARTS]);
}

/* ---- An exact set, in memory: lists by hash ------------------------------ */

static line **find(size_t lists)
{
    line **at = (line **)(void *)memory + hash().h1 % lists;
    while (*at && ((*at)->size != now->size
                   || memcmp((*at)->text, now->text, now->size) != 0))
        at = &(*at)->next;
    return at;
}

/* The lines of a file, each counted; returns how many lists there are, or 0:
   they do not fit. Copies take no room: so the lines of a file that does not
   fit differ, and it can be split. */
static size_t set_of(file *f, unsigned level)
{
    size_t lists = memory_size / 64, used = lists * sizeof(line *), size;
    line **at;
    filter = new_filter(memory + memory_size, HASHER, 1, level);
    memset(memory, 0, used);
    for (from_start(f); next_line(f); (*at)->count++) {
        at = find(lists);
        if (*at)
            continue;
        size = (sizeof *now + now->size + 7) & ~(size_t)7;
        if (size > memory_size - used)
            return 0;
        *at = memcpy(memory + used, now, sizeof *now + now->size);
        used += size;
    }
    return lists;
}

#endif
