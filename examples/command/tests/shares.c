/* Shares a filter and adds a key when it gets a line (bloom_share).
   usage: shares FILE KEY        the status is 0 or an errno */
#define BLOOM_STATIC
#define BLOOM_ATOMIC
#include "examples/companions/bloom_file.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    const bloom_plan any = { 0, 0, 0, 0, 0 };
    int why = EINVAL;
    bloom *b = argc == 3 ? bloom_share(argv[1], any, &why) : NULL;
    if (!b)
        return why;
    puts("shared");
    fflush(stdout);
    getchar();
    bloom_add(b, argv[2], strlen(argv[2]));
    return bloom_unshare(b);
}
