/* top: the K most frequent lines of a file that does not fit in memory, with
   their exact counts. In most files, most lines occur only once. So all lines
   are added to one filter, and the lines that may have been in it before are
   added to a second filter. A line that is certainly not in the second filter
   occurs once, and need not be counted. The other lines go to temporary files
   by their hash, so that all copies of a line are in the same file. A file that
   is still too large is split again, with another seed.

       top MB K FILE       prints the same as
                           sort FILE | uniq -c | sort -k1,1nr -k2 | head -n K
                           in MB megabytes; temporary files are in $TMPDIR
   Without arguments, it counts 200,000 made-up lines in 4 MB.
   Prints:
         25000 www.example/000000
         12500 www.example/000001
          6250 www.example/000002
          3125 www.example/000003
          1563 www.example/000004
       150001 of 200000 lines certainly occur once
       right: 5 of 5 */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#define BLOOM_IMPLEMENTATION
#include "bloom.h"
#include <inttypes.h>
#define PROGRAM "top"
#include "split.h"

static bloom *again;                    /* filter of lines that may repeat */
static line **best;                     /* the K best lines so far, in order */
static size_t wanted, known, room;      /* K; how many are in `best`; how many
                                           bytes are left for their text */
static unsigned once;                   /* lines that certainly occur once */

/* Order of the output: more copies first, then by the bytes of the line. */
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
    need(size <= room, "K", "K lines of this length need a larger MB");
    room -= size;
    for (; i > 0 && before(l, best[i - 1]); i--)
        best[i] = best[i - 1];
    best[i] = malloc(size);
    need(best[i] != NULL, "K", NULL);
    memcpy(best[i], l, size);
}

/* Counts the lines of a part by an exact set. false: they do not fit. */
static bool counted(file *f, unsigned level)
{
    size_t lists = set_of(f, level), i;
    const line *l;
    for (i = 0; i < lists; i++)
        for (l = ((line **)(void *)memory)[i]; l; l = l->next)
            offer(l);
    return lists > 0;
}

/* Does the line in `now` go to a part? If it certainly occurs once, it does
   not: its count is 1. */
static bool passes(bloom_hash h)
{
    if (bloom_may_contain_hash(again, h))
        return true;
    now->count = 1;
    offer(now);
    now->count = 0;
    once++;
    return false;
}

static void count(file f, unsigned level)
{
    size_t most = memory_size / 3 * 2;
    file parts[PARTS];
    bloom_hash h;
    int i;
    if (counted(&f, level))
        return;
    need(level < LEVELS, f.name, "too many of its lines have equal hashes");
    filter = new_filter(memory, most, f.lines, level);
    again = new_filter(memory + most, memory_size - most, f.lines / 2, level);
    for (from_start(&f); next_line(&f); )
        if (!bloom_add_hash(filter, h = hash()))
            bloom_add_hash(again, h);
    split(&f, parts, passes);
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

/* Of each four lines, three occur once. The fourth is the frequent line number
   n, where n is how many zeros the binary number j ends in, j = 1 .. 50000. Of
   these j, 50000 / 2^n end in n or more zeros. */
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
    printf("%u of 200000 lines certainly occur once\n", once);
    printf("right: %u of %u\n", right, (unsigned)wanted);
    return right < wanted;
}

int main(int argc, char **words)
{
    char *end = "";
    need(argc == 1 || argc == 4, "usage", "top MB K FILE");
    allocate(argc == 4 ? megabytes(words[1]) : 4, 1, 11);
    wanted = argc == 4 ? strtoul(words[2], &end, 10) : 5;
    room = longest * 2;                 /* malloc may need as much again */
    need(!*end && wanted > 0, words[2], "K must be a number, 1 or more");
    need(wanted <= room / 64, words[2], "K is too large for this MB");
    best = malloc(wanted * sizeof *best);
    need(best != NULL, words[2], NULL);
    if (argc == 1)
        return demonstrate();
    count(open_file(words[3]), 0);
    print();
    need(fclose(stdout) == 0, "standard output", NULL);
    return 0;
}
