/* intersect: prints exactly the lines that two files have in common, even if
   neither file fits in memory. A filter of the shorter file discards most lines
   of the longer one. A filter of the lines that are left then discards most
   lines of the shorter file. The remaining lines of both go to temporary files
   by their hash, so that equal lines are in the same part. Parts that are still
   too large are split again, with another seed.

       intersect MB FILE1 FILE2     prints each common line once, in any order,
                                    in MB megabytes; temporary files are in
                                    $TMPDIR
   Without arguments, it intersects two made-up files in 4 MB.
   Prints:
       200000 and 120000 lines, in 4 MB
       20088 of these 320000 lines passed a filter
       10000 lines in common; right for 310000 of 310000 different lines */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#define BLOOM_IMPLEMENTATION
#include "bloom.h"
#define PROGRAM "intersect"
#include "split.h"

static bloom *next;                     /* filter of the lines that passed */
static unsigned passed;                 /* how many did, in both files */

/* Writes the common lines by an exact set of a's lines. false: they do not
   fit in memory, and nothing is written. */
static bool answer(file *a, file *b, file *out, unsigned level)
{
    size_t lists = set_of(a, level);
    line *l;
    if (lists == 0)
        return false;
    for (from_start(b); next_line(b); ) {
        l = *find(lists);
        if (l && l->count > 0) {
            write_now(out);
            l->count = 0;               /* so that it is written once */
        }
    }
    return true;
}

static bool passes(bloom_hash h)
{
    bool maybe = bloom_may_contain_hash(filter, h);
    if (maybe)
        bloom_add_hash(next, h);
    passed += maybe;
    return maybe;
}

static void intersect(file a, file b, file *out, unsigned level)
{
    size_t most = memory_size / 4 * 3;
    file of_a[PARTS], of_b[PARTS], first = a;
    int i;
    if (a.lines > b.lines)
        a = b, b = first;
    if (answer(&a, &b, out, level))
        return;
    need(level < LEVELS, b.name, "too many of its lines have equal hashes");
    filter = new_filter(memory, most, a.lines, level);
    for (from_start(&a); next_line(&a); )
        bloom_add_hash(filter, hash());
    next = new_filter(memory + most, memory_size - most, b.lines, level);
    split(&b, of_b, passes);
    filter = next;                      /* what passes now is in it already,
                                           so adding it changes nothing */
    split(&a, of_a, passes);
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
    puts("200000 and 120000 lines, in 4 MB");
    intersect(numbers(0, 200000), numbers(190000, 310000), &out, 0);
    printf("%u of these 320000 lines passed a filter\n", passed);
    for (from_start(&out); next_line(&out); )
        met[atoi(now->text + 12)]++;
    for (i = 0; i < 310000; i++)
        right += met[i] == (i >= 190000 && i < 200000);
    printf("%d lines in common; right for %d of 310000 different lines\n",
           (int)out.lines, right);
    return right < 310000;
}

int main(int count, char **words)
{
    file out = { stdout, "standard output", 0 };
    need(count == 1 || count == 4, "usage", "intersect MB FILE1 FILE2");
    allocate(count == 4 ? megabytes(words[1]) : 4, 2, 14);
    if (count == 1)
        return demonstrate();
    intersect(open_file(words[2]), open_file(words[3]), &out, 0);
    need(fclose(stdout) == 0, out.name, NULL);
    return 0;
}
