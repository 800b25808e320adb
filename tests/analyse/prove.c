/* Run by tests/analyse/prove.sh: what Frama-C's WP proves, by the solver Z3, of
   some functions of bloom.h, for every argument there is. A contract on a
   declaration, before bloom.h is read, is one on its definition: the functions
   are bloom.h's own. In the portable mode: Frama-C knows no 128-bit numbers.

   What bloom_check_fields_ accepts, of a header or a plan, is within the limits
   of the format (but that a blocked filter has less than 2^40 cells, a shift,
   is left to the tests). That bytes are put together to these numbers is taken
   for granted here. */

#define BLOOM_STATIC
#define BLOOM_NO_SIMD
#define BLOOM_IMPLEMENTATION_DONE_      /* the types first, */
#include "bloom.h"
#undef BLOOM_IMPLEMENTATION_DONE_

/*@ assigns \nothing;
    ensures k: \result == BLOOM_OK ==> 1 <= k <= 64;
    ensures layout: \result == BLOOM_OK ==> layout <= 2;
    ensures width: \result == BLOOM_OK ==> width == 32 || width == 64;
    ensures m: \result == BLOOM_OK ==> m % 64 == 0 && (m > 0 || m_high > 0);
    ensures narrow: \result == BLOOM_OK && width == 32 ==> m_high == 0;
    ensures blocked: \result == BLOOM_OK && layout == 1 ==>
        k % 8 == 0 && m % 256 == 0;
*/
static inline bloom_error bloom_check_fields_(uint32_t m, uint32_t m_high,
                                              unsigned layout, unsigned width,
                                              unsigned k);

#include "bloom.h"
