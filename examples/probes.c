/* For class: the cells of three words, and how fill and rate grow with more.
   cc -I. examples/probes.c    Prints:
       apple  49 63  3 36
       ...a................................a............a.............a
       fig    36 14 12 63
       ...a........f.f.....................*............a.............*
       melon  26 60 38 45
       ...a........f.f...........m.........*.m......m...a..........m..*
       words   cells set   expected rate   measured
           3          10            0.1%       0.1%
           6          19            0.8%       1.0%
          12          31            5.5%       5.9%
          24          48           31.6%      32.5%
          48          60           77.2%      76.8% */
#define BLOOM_STATIC
#include "bloom.h"
#include <stdio.h>
#include <string.h>

/* Adds the word; prints its cells in the order of its probes, and the picture:
   its letter where they are, * where another word was before. */
static void add(bloom *b, const char *word, char *picture)
{
    uint64_t cell[64];
    size_t size = strlen(word);
    unsigned i, k = bloom_probes(b, bloom_hash_key(b, word, size), cell);
    printf("%-6s", word);
    for (i = 0; i < k; i++) {
        char *at = picture + cell[i];
        *at = *at == '.' || *at == word[0] ? word[0] : '*';
        printf("%3u", (unsigned)cell[i]);
    }
    bloom_add(b, word, size);
    printf("\n%s\n", picture);
}

int main(void)
{
    static unsigned char memory[40];            /* a header, and 64 cells */
    char picture[65] = "", word[20];
    bloom_plan plan = bloom_plan_bytes(1, sizeof memory);
    unsigned n, added = 3, maybes, i;
    bloom *b;
    plan.hashes = 4;    /* planned were 34, the best for one key alone: too
                           many to be seen in a picture of several */
    b = bloom_init(memory, sizeof memory, plan);
    if (!b)
        return 1;
    memset(picture, '.', 64);
    add(b, "apple", picture);
    add(b, "fig", picture);
    add(b, "melon", picture);
    puts("words   cells set   expected rate   measured");
    for (n = 3; n <= 48; n *= 2) {
        for (; added < n; added++)
            bloom_add(b, word, (size_t)sprintf(word, "word %u", added));
        for (maybes = i = 0; i < 10000; i++)
            maybes += bloom_may_contain(b, word,
                                        (size_t)sprintf(word, "other %u", i));
        printf("%5u %11u %14.1f%% %9.1f%%\n", n, (unsigned)bloom_ones(b),
               100 * bloom_fpr(b), maybes / 100.0);
    }
    return 0;
}
