/* Proves, by Frama-C's WP, that bloom.h's function for the upper half of a
   product is right for any two 64-bit numbers, and that none of its sums and
   products overflows (`make prove`). The function is that of bloom.h, as in
   prove.c.

   Solvers do not finish where products, quotients and bits meet. So there are
   three parts. All that they use of x >> 32 and x & 0xFFFFFFFF is that these
   are `up` and `low` in the axiom "parts" (bits.smt2 proves it).
     1  the lemma "high", for any functions up and low with that property
     2  nothing overflows
     3  the result is the upper half, by "high" of part 1 for >> and &
   The lemma "within" of part 1 says that the upper half of x * m is less than
   m. prove.c uses it. */

#define INSIDE_DECLARATIONS
#include "../inside.h"

#define B 4294967296
#define IS_LONG(x) (0 <= x < B * B)

#if PART < 3
#define LEMMA lemma
#define UP(x) up(x)
#define LOW(x) low(x)
/*@ axiomatic halves {
        logic integer up(integer x);
        logic integer low(integer x);
        axiom up: \forall integer x; IS_LONG(x) ==> (x >> 32) == up(x);
        axiom low: \forall integer x; IS_LONG(x) ==>
            (x & 4294967295) == low(x);
        axiom parts: \forall integer x; IS_LONG(x) ==>
            x == B * up(x) + low(x) && 0 <= up(x) < B && 0 <= low(x) < B;
    }
    lemma within: \forall integer x, m, high; IS_LONG(x) && 0 < m &&
        0 <= x * m - B * B * high < B * B ==> high < m;
    lemma bound: \forall integer a, b; 0 <= a < B && 0 <= b < B ==>
        0 <= a * b <= (B - 1) * (B - 1);
    lemma product: \forall integer x1, x0, m1, m0;
        (B * x1 + x0) * (B * m1 + m0)
        == B * B * (x1 * m1) + B * (x1 * m0 + x0 * m1) + x0 * m0;
    lemma expand: \forall integer x, m; IS_LONG(x) && IS_LONG(m) ==>
        x * m == B * B * (up(x) * up(m))
               + B * (up(x) * low(m) + low(x) * up(m)) + low(x) * low(m);
*/
#else
#define LEMMA admit lemma
#define UP(x) ((x) >> 32)
#define LOW(x) ((x) & 4294967295)
#endif

/* The variables a and b of the function */
#define A(x, m) (UP(x) * LOW(m) + UP(LOW(x) * LOW(m)))
#define B_(x, m) (LOW(x) * UP(m) + LOW(A(x, m)))

#if PART != 2
/*@ LEMMA high: \forall integer x, m; IS_LONG(x) && IS_LONG(m) ==>
        0 <= x * m - B * B * (UP(x) * UP(m) + UP(A(x, m)) + UP(B_(x, m)))
          < B * B;
*/
#endif

/*@ assigns \nothing;
    ensures top: 0 <= (integer)x * m - B * B * \result < B * B;
*/
static inline uint64_t inside_high_half(uint64_t x, uint64_t m);

#include "bloom.h"
