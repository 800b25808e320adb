/* The README's first program. Prints:
       apple: maybe in
       pear:  certainly not in */
#define BLOOM_IMPLEMENTATION
#include "bloom.h"
#include <stdio.h>

int main(void)
{
    bloom *seen = bloom_new(1000000, 0.01);     /* a million keys, 1% */
    if (!seen)
        return 1;
    bloom_add(seen, "apple", 5);
    printf("apple: %s in\n",
           bloom_may_contain(seen, "apple", 5) ? "maybe" : "certainly not");
    printf("pear:  %s in\n",
           bloom_may_contain(seen, "pear", 4) ? "maybe" : "certainly not");
    bloom_free(seen);
    return 0;
}
