/* For class: shows the cells that three words set in a filter of 64 cells. Then
   shows how the number of set cells and the false-positive rate grow with more
   words. Compile it by: cc -I. examples/probes.c
   Prints:
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

/* Adds a word and prints its cells in the order of its probes. Then prints the
   picture of the filter: each set cell has the first letter of its word, or a *
   if several words set it. */
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
    plan.hashes = 4;    /* The plan has 34, the best for one key. That would be
                           too many for a picture of several words. */
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
