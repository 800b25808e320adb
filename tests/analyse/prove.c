/* Run by tests/analyse/prove.sh: what Frama-C's WP proves, by the solver Z3, of some
   functions of bloom.h, for every argument there is. A contract on a
   declaration, before bloom.h is read, is one on its definition: the functions
   are bloom.h's own. In the portable mode: Frama-C knows no 128-bit numbers.

   bloom_plan_size: no sum overflows, and it is 0 or the size that the format
   says; what bloom_check_plan_ accepts is within the limits of the format. */

#define BLOOM_STATIC
#define BLOOM_NO_SIMD
#define BLOOM_IMPLEMENTATION_DONE_      /* the types first, */
#include "bloom.h"
#undef BLOOM_IMPLEMENTATION_DONE_

/*@ assigns \nothing;
    ensures m: \result == BLOOM_OK ==> plan.cells > 0 && plan.cells % 64 == 0;
    ensures k: \result == BLOOM_OK ==> 1 <= plan.hashes <= 64;
    ensures layout: \result == BLOOM_OK ==> plan.layout <= 2;
    ensures width: \result == BLOOM_OK ==>
        plan.hash_bits == 32 || plan.hash_bits == 64;
    ensures narrow: \result == BLOOM_OK && plan.hash_bits == 32 ==>
        plan.cells >> 32 == 0;
    ensures blocked: \result == BLOOM_OK && plan.layout == 1 ==>
        plan.hashes == 8 && plan.cells % 256 == 0 && plan.cells >> 40 == 0;
*/
static bloom_error bloom_check_plan_(bloom_plan plan);

/*@ assigns \nothing;
    ensures half: \result <= 9223372036854775807;
    ensures bytes: \result
        == (plan.layout == 2 ? plan.cells / 2 : plan.cells / 8);
*/
static uint64_t bloom_cell_bytes_(bloom_plan plan);

/*@ assigns \nothing;
    ensures size: \result == 0 || \result
        == 32 + (plan.layout == 2 ? plan.cells / 2 : plan.cells / 8);
*/
static inline size_t bloom_plan_size(bloom_plan plan);

#include "bloom.h"
