/* A program in C and in C++ that uses bloom.h and its companions. Prints:
       BLOOM_VERSION 1 1 1 */
#define BLOOM_IMPLEMENTATION
#include "bloom_chain.h"
#include "bloom_window.h"
#include <stdio.h>

int main(void)
{
    bloom *b = bloom_new(10, 0.01);
    bloom_chain *c = bloom_chain_new(10, 0.01, BLOOM_CLASSIC);
    bloom_window *w = bloom_window_new(10, 0.01, 4, BLOOM_CLASSIC);
    if (!b || !c || !w)
        return 1;
    bloom_add(b, "x", 1);
    bloom_chain_add(c, "x", 1);
    bloom_window_add(w, "x", 1);
    printf("%d %d %d %d\n", BLOOM_VERSION, (int)bloom_may_contain(b, "x", 1),
           (int)bloom_chain_may_contain(c, "x", 1),
           (int)bloom_window_may_contain(w, "x", 1));
    bloom_free(b);
    bloom_chain_free(c);
    bloom_window_free(w);
    return 0;
}
