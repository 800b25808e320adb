/* Proves that folding is correct, by Frama-C's WP (`make prove`): for every x
   in a walk, every m and every `by` that bloom_fold accepts, the cell of x in a
   filter of m cells, divided by `by` and rounded down, is the cell of x in a
   filter of m / by cells. The same holds for blocks. So a folded filter has the
   bytes of one that was planned with m / by cells. The functions that find
   cells and blocks are those of bloom.h, as in prove.c.

   Solvers do not finish where shifts, products and quotients meet. Nor do they
   multiply an inequality by a variable unless a lemma says so. So there are
   three parts, made of lemmas that lead from one to the next. `times` is the
   product, under a name by which solvers find the lemmas about it.
     1  which block is chosen: by x or, if m < 2^34, by x without its lower 32
        bits; and that its offset is the product with m / 8, rounded down
     2  the lemma "same", which defines a quotient
     3  the lemma "folded": if f is p / 2^64, rounded down, then f * by is at
        most p * by / 2^64, and f * by + by is more. With "same", which part 2
        proves, the claim follows. */

#define INSIDE_DECLARATIONS
#include "../inside.h"

#define B 4294967296
#define LONGS 18446744073709551616
#define IS_LONG(x) (0 <= x < LONGS)
#define IS_FLOOR(f, p) (0 <= (p) - LONGS * (f) < LONGS)
/* A block has 32 bytes. */
#define IS_BLOCK(at, p) (0 <= 32 * (p) - LONGS * (at) < 32 * LONGS)

#if PART == 1       /* bits.smt2 proves these; prove.c proves "scaled" */
/*@ admit lemma right3: \forall integer a; IS_LONG(a) ==> (a >> 3) == a / 8;
    admit lemma right32: \forall integer a; IS_LONG(a) ==> (a >> 32) == a / B;
    admit lemma above34: \forall integer a; IS_LONG(a) ==>
        ((a & 18446744056529682432) == 0 <==> a < 17179869184);
    admit lemma upper: \forall integer a, mask; IS_LONG(a)
        && mask == 18446744069414584320 ==> (mask & a) == a / B * B;
    admit lemma all: \forall integer a, mask; IS_LONG(a)
        && mask == 18446744073709551615 ==> (mask & a) == a;
    admit lemma scaled: \forall integer x, b; 0 <= x < B && 0 <= b < B ==>
        IS_LONG(x * b) && (b > 0 ==> x * b / B < b);
    lemma eighth: \forall integer x, m; m >= 0 && m % 256 == 0
        ==> x * (m / 8) == 32 * (x * (m / 256));
    lemma block: \forall integer p, h; h >= 0 && IS_FLOOR(h, 32 * p)
        ==> IS_BLOCK(h / 32 * 32, p);
*/
#endif

#define PRODUCT axiomatic product { \
    logic integer times(integer a, integer b); \
    axiom product: \forall integer a, b; times(a, b) == a * b; }
#define SAME lemma same: \forall integer a, by, c; a >= 0 && by > 0 \
        && times(c, by) <= a < times(c, by) + by ==> a / by == c;

#if PART == 2
/*@ lemma rising: \forall integer c, d, by; by > 0 && c <= d
        ==> c * by <= d * by;
    lemma spread: \forall integer c, by; (c + 1) * by == c * by + by;
    lemma unique: \forall integer c, d, by; by > 0
        && c * by < d * by + by ==> c <= d;
    lemma quotient: \forall integer a, by; a >= 0 && by > 0
        ==> a / by * by <= a < a / by * by + by;
    PRODUCT
    SAME
*/
#endif

#if PART == 3
/*@ lemma spread: \forall integer f, by; (f + 1) * by == f * by + by;
    lemma above: \forall integer p, f, by; by > 0 && LONGS * f <= p
        ==> LONGS * (f * by) <= p * by;
    lemma below: \forall integer p, g, by; by > 0 && p < LONGS * g
        ==> p * by < LONGS * (g * by);
    lemma floors: \forall integer p, by, f; by > 0 && IS_FLOOR(f, p)
        ==> LONGS * (f * by) <= p * by < LONGS * (f * by) + LONGS * by;
    PRODUCT
    lemma folded: \forall integer p, by, f; by > 0 && IS_FLOOR(f, p)
        ==> LONGS * times(f, by) <= times(p, by)
            < LONGS * times(f, by) + LONGS * by;
    admit SAME
*/
#endif

/* prove.c proves this one. */
/*@ assigns \nothing;
    ensures top: IS_FLOOR(\result, (integer)x * m);
    ensures within: m > 0 ==> \result < m; */
static inline uint64_t inside_high_half(uint64_t x, uint64_t m);

#define IS_LARGE(m) ((m) >= 17179869184)
#define IS_BLOCKED(m) \
    (256 <= (m) < 1099511627776 && (m) % 256 == 0 && 32 + (m) / 8 <= SIZE_MAX)
#define POSITION(x, m) (IS_LARGE(m) ? (x) : (x) / B * B)

/*@ requires IS_BLOCKED(m);
    assigns \nothing;
    ensures whole: \result % 32 == 0;
    ensures small: !IS_LARGE(m) ==>
        IS_BLOCK(\result, x / B * B * (m / 256));
    ensures large: IS_LARGE(m) ==>
        IS_BLOCK(\result, (integer)x * (m / 256)); */
static inline size_t inside_block_offset(uint64_t m, uint64_t x);

#include "bloom.h"

#if PART == 3
/*@ requires m > 0 && by > 0 && m % by == 0;
    assigns \nothing; */
void proved_fold(uint64_t x, uint64_t m, uint64_t by)
{
    uint64_t folded_m = m / by;
    uint64_t cell = inside_high_half(x, m);
    uint64_t folded = inside_high_half(x, folded_m);
    //@ assert parts: m == folded_m * by;
    //@ assert product: (integer)x * m == times(x * folded_m, by);
    //@ assert cell: IS_FLOOR(cell, times(x * folded_m, by));
    //@ assert between: times(folded, by) <= cell < times(folded, by) + by;
    //@ assert same: cell / by == folded;
}

/*@ requires by > 0 && m % by == 0 && IS_BLOCKED(m) && IS_BLOCKED(m / by)
        && (IS_LARGE(m) <==> IS_LARGE(m / by));
    assigns \nothing; */
void proved_fold_block(uint64_t x, uint64_t m, uint64_t by)
{
    uint64_t at = POSITION(x, m);
    uint64_t folded_m = m / by, blocks = m / 256, fewer = folded_m / 256;
    size_t block = inside_block_offset(m, x) / 32;
    size_t folded = inside_block_offset(folded_m, x) / 32;
    //@ assert parts: m == folded_m * by;
    //@ assert folded_parts: folded_m == fewer * 256;
    //@ assert blocks: blocks == fewer * by;
    //@ assert product: at * blocks == times(at * fewer, by);
    //@ assert block: IS_FLOOR(block, times(at * fewer, by));
    //@ assert folded: IS_FLOOR(folded, at * fewer);
    //@ assert between: times(folded, by) <= block < times(folded, by) + by;
    //@ assert same: block / by == folded;
}
#endif
