/* intersect: the lines that two files have in common, exactly, when neither
   fits in memory. A filter of one file discards most lines of the other, then
   a filter of what is left of that one most lines of the first. The rest goes
   to temporary files by hash, so that equal lines meet in the same part; parts
   still too large are treated so again, with another seed.

       intersect MB FILE1 FILE2     each common line once, in any order, with
                                    MB megabytes; temporary files in $TMPDIR
   Prints:
       200000 and 120000 lines, with 4 MB
       20095 of these 320000 passed a filter
       10000 in common; right for 310000 of 310000 */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#define BLOOM_IMPLEMENTATION
#include "bloom.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PARTS = 16, LEVELS = 16, HASHER = 64, EIGHTH = 1 << 17 };
typedef struct file { FILE *stream; const char *name; uint64_t lines; } file;
typedef struct line { struct line *next; size_t size; char text[]; } line;

static line *now;                       /* the line read last; its next: 0 */
static char *memory;                    /* for filters or for a set */
static size_t longest, memory_size;     /* of these */
static bloom *filter;                   /* its seed is the level */
static unsigned passed;

static void need(bool right, const char *name, const char *why)
{
    if (!right) {
        fprintf(stderr, "intersect: %s: %s\n", name,
                why ? why : strerror(errno));
        exit(2);
    }
}

static file temporary(void)
{
    char path[4096], *folder = getenv("TMPDIR");
    file f = { NULL, folder && *folder ? folder : "/var/tmp", 0 };
    int number;
    snprintf(path, sizeof path, "%s/intersect.XXXXXX", f.name);
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
        need(now->size < longest, f->name, "a line is too long for MB / 8");
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

/* With an exact set of a's lines, if it fits. Equal lines take room only once:
   those of a file that does not fit differ, so that they can be split. */
static bool answer(file *a, file *b, file *out)
{
    size_t lists = memory_size / 64, used = lists * sizeof(line *), size;
    line **at;
    memset(memory, 0, used);
    for (from_start(a); next_line(a); used += size) {
        at = find(lists);
        size = *at ? 0 : (sizeof(line) + now->size + 7) & ~(size_t)7;
        if (size > memory_size - used)
            return false;
        if (!*at)
            *at = memcpy(memory + used, now, sizeof(line) + now->size);
    }
    for (from_start(b); next_line(b); )
        if (*(at = find(lists))) {
            write_now(out);
            *at = (*at)->next;          /* once only */
        }
    return true;
}

/* What passes the filter goes to one of the parts, and to the next filter. */
static void split(file *f, file *parts, bloom *next)
{
    bloom_hash h;
    int i;
    for (i = 0; i < PARTS; i++)
        parts[i] = temporary();
    for (from_start(f); next_line(f); )
        if (bloom_may_contain_hash(filter, h = hash())) {
            bloom_add_hash(next, h);
            write_now(&parts[h.h1 % PARTS]);
            passed++;
        }
}

static void intersect(file a, file b, file *out, unsigned level)
{
    size_t most = memory_size / 4 * 3;
    file of_a[PARTS], of_b[PARTS], first = a;
    bloom *next;
    int i;
    if (a.lines > b.lines)
        a = b, b = first;
    filter = new_filter(memory + memory_size, HASHER, 1, level);
    if (answer(&a, &b, out))
        return;
    need(level < LEVELS, b.name, "its lines were made to hash alike");
    filter = new_filter(memory, most, a.lines, level);
    for (from_start(&a); next_line(&a); )
        bloom_add_hash(filter, hash());
    next = new_filter(memory + most, memory_size - most, b.lines, level);
    split(&b, of_b, next);
    split(&a, of_a, filter = next);     /* adds what is in: changes nothing */
    for (i = 0; i < PARTS; i++) {
        intersect(of_a[i], of_b[i], out, level + 1);
        fclose(of_a[i].stream);
        fclose(of_b[i].stream);
    }
}

static file numbers(int from, int to)
{
    file f = temporary();
    for (; from < to; from++) {
        now->size = (size_t)sprintf(now->text, "www.example/%06d", from);
        write_now(&f);
    }
    return f;
}

static int demonstrate(void)
{
    static char met[310000];
    file out = temporary();
    int i, right = 0;
    puts("200000 and 120000 lines, with 4 MB");
    intersect(numbers(0, 200000), numbers(190000, 310000), &out, 0);
    printf("%u of these 320000 passed a filter\n", passed);
    for (from_start(&out); next_line(&out); )
        met[atoi(now->text + 12)]++;
    for (i = 0; i < 310000; i++)
        right += met[i] == (i >= 190000 && i < 200000);
    printf("%d in common; right for %d of 310000\n", (int)out.lines, right);
    return right < 310000;
}

static file open_file(const char *name)
{
    file f = { fopen(name, "rb"), name, 0 };
    need(f.stream != NULL, name, NULL);
    for (from_start(&f); next_line(&f); )
        f.lines++;
    return f;
}

int main(int count, char **words)
{
    char *end = "";
    size_t size = count == 4 ? strtoul(words[1], &end, 10) : 4;
    file out = { stdout, "standard output", 0 };
    need((count == 1 || count == 4) && !*end && size >= 4 && !(size >> 31),
         "usage", "intersect MB FILE1 FILE2, with 4 MB or more");
    longest = (size - 3) * EIGHTH;      /* 3 MB for the process and buffers */
    memory_size = longest * 7;
    now = calloc(sizeof *now + longest, 1);
    memory = malloc(memory_size + HASHER);
    need(now && memory, words[1], "more megabytes than there are");
    if (count == 1)
        return demonstrate();
    intersect(open_file(words[2]), open_file(words[3]), &out, 0);
    need(fclose(stdout) == 0, out.name, NULL);
    return 0;
}
