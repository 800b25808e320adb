/* Run by tests/analyse/prove.sh: what Frama-C's WP proves, by the solver Z3, of
   some functions of bloom.h, for every argument there is. A contract on a
   declaration, before bloom.h is read, is one on its definition: the functions
   are bloom.h's own. In the portable mode: Frama-C knows no 128-bit numbers.

   What bloom_check_plan_ accepts is within the limits of the format (but that
   a blocked filter has less than 2^40 cells, a shift, is left to the tests).
   That bloom_load32_ puts four bytes together is taken for granted here. */

#define BLOOM_STATIC
#define BLOOM_NO_SIMD
#define BLOOM_IMPLEMENTATION_DONE_      /* the types first, */
#include "bloom.h"
#undef BLOOM_IMPLEMENTATION_DONE_

/*@ axiomatic words {
      logic integer word{L}(unsigned char *p) reads p[0 .. 3];
      axiom range{L}: \forall unsigned char *p; 0 <= word(p) <= 4294967295;
    } */

/*@ requires \valid_read(p + (0 .. 3));
    assigns \nothing;
    ensures \result == word(p);
*/
static inline uint32_t bloom_load32_(const unsigned char *p);

/*@ requires \valid_read(header + (0 .. 31));
    assigns \nothing;
    ensures zero: \result == BLOOM_OK ==> header[7] == 0;
    ensures k: \result == BLOOM_OK ==> 1 <= header[6] <= 64;
    ensures layout: \result == BLOOM_OK ==> header[4] <= 2;
    ensures width: \result == BLOOM_OK ==> header[5] == 32 || header[5] == 64;
    ensures m: \result == BLOOM_OK ==> word(header + 8) % 64 == 0
        && (word(header + 8) > 0 || word(header + 12) > 0);
    ensures narrow: \result == BLOOM_OK && header[5] == 32 ==>
        word(header + 12) == 0;
    ensures blocked: \result == BLOOM_OK && header[4] == 1 ==>
        header[6] == 8 && word(header + 8) % 256 == 0;
*/
static bloom_error bloom_check_plan_(const unsigned char *header);

#include "bloom.h"
