/* split.h: helpers of intersect.c and top.c, which process more lines than fit
   in memory. A file is split into parts by the hash of its lines, so that all
   copies of a line are in the same part. A set of lines lives in a fixed amount
   of memory. Include it after bloom.h and  #define PROGRAM "name". */
#ifndef EXAMPLES_SPLIT_H
#define EXAMPLES_SPLIT_H

#include "need.h"
#include <unistd.h>

enum { PARTS = 16, LEVELS = 16, HASHER = 64 };
typedef struct file { FILE *stream; const char *name; uint64_t lines; } file;
typedef struct line {
    struct line *next;
    uint64_t count;                     /* how many copies */
    size_t size;
    char text[];
} line;

static line *now;                       /* the line that was read last; its
                                           next and count are 0 */
static char *memory;                    /* for filters, or for a set */
static size_t longest, memory_size;     /* bytes of a line at most; of memory */
static bloom *filter;                   /* its seed is the level of splitting */

/* Reads MB, the megabytes that the program may use. The process and its buffers
   take 3 of them. */
static size_t megabytes(const char *text)
{
    char *end;
    size_t size = strtoul(text, &end, 10);
    need(!*end && size >= 4 && !(size >> 31), text,
         "MB must be a number, 4 or more");
    return size;
}

/* Allocates `now` and `memory`. Both sizes are in sixteenths of what MB leaves:
   longest_line is that of the longest line, sixteenths that of the memory. */
static void allocate(size_t size, size_t longest_line, size_t sixteenths)
{
    size_t sixteenth = (size - 3) << 16;
    longest = sixteenth * longest_line;
    memory_size = sixteenth * sixteenths;
    now = calloc(sizeof *now + longest, 1);
    memory = malloc(memory_size + HASHER);
    need(now && memory, "MB", "not enough memory");
}

/* ---- Files of lines ------------------------------------------------------ */

static file temporary(void)
{
    char path[4096], *folder = getenv("TMPDIR");
    file f = { NULL, folder && *folder ? folder : "/var/tmp", 0 };
    int number;
    snprintf(path, sizeof path, "%s/" PROGRAM ".XXXXXX", f.name);
    number = mkstemp(path);             /* unlinked: no file is left behind */
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
    return read_line(f->stream, f->name, now->text, longest, &now->size);
}

static file open_file(const char *name)
{
    file f = { open_text(name), name, 0 };
    for (from_start(&f); next_line(&f); )
        f.lines++;
    return f;
}

/* ---- Filters and hashes -------------------------------------------------- */

/* A filter of at most two bytes per line: about 1 false positive in 2000, so
   more memory would not help. */
static bloom *new_filter(char *at, size_t size, uint64_t n, unsigned level)
{
    bloom_plan plan = bloom_plan_bytes(n, n < size / 4 ? 2 * n + 40 : size);
    plan.seed = level;
    return bloom_init(at, size, plan);
}

static bloom_hash hash(void)            /* of `now`, for filter, part and set */
{
    return bloom_hash_key(filter, now->text, now->size);
}

/* Writes each line for which passes() is true to one of the PARTS parts, chosen
   by its hash. */
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

/* ---- An exact set, in `memory`: a hash table of linked lists ------------- */

/* Where the pointer to the line in `now` is, or would be appended */
static line **find(size_t lists)
{
    line **at = (line **)(void *)memory + hash().h1 % lists;
    while (*at && ((*at)->size != now->size
                   || memcmp((*at)->text, now->text, now->size) != 0))
        at = &(*at)->next;
    return at;
}

/* Counts each line of a file. Returns how many lists the table has, or 0 if the
   lines do not fit. Copies take no memory. So a file that does not fit has many
   different lines, and splitting it helps. */
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
