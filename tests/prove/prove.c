/* Proves the safety of opening an image, by Frama-C's WP, for all possible
   arguments (`make prove`). A header is accepted exactly if its fields are
   within the limits of the format and its cells within `size` bytes. Sizes are
   correct and do not overflow. Each cell that a walk can reach in an accepted
   image lies inside it.

   The functions are those of bloom.h. A contract on a declaration before
   bloom.h is read applies to the definition. They are compiled in the portable
   mode, as Frama-C has no 128-bit numbers. */

#define INSIDE_DECLARATIONS
#include "../inside.h"

/* ---- Shifts and masks; bits.smt2 proves these ---------------------------- */

#define WORD(x) (0 <= x < 4294967296)
#define LONG(x) (0 <= x < 18446744073709551616)
/*@ admit lemma right1: \forall integer a; LONG(a) ==> (a >> 1) == a / 2;
    admit lemma right3: \forall integer a; LONG(a) ==> (a >> 3) == a / 8;
    admit lemma right8: \forall integer a; LONG(a) ==> (a >> 8) == a / 256;
    admit lemma right27: \forall integer a; LONG(a) ==>
        (a >> 27) == a / 134217728;
    admit lemma right32: \forall integer a; LONG(a) ==>
        (a >> 32) == a / 4294967296;
    admit lemma right34: \forall integer a; LONG(a) ==>
        ((a >> 34) == 0 <==> a < 17179869184);
    admit lemma and7: \forall integer a; LONG(a) ==> (a & 7) == a % 8;
    admit lemma bit: \forall integer a; 0 <= a <= 7 ==> 1 <= (1 << a) <= 128;
    admit lemma mask: \forall integer a; LONG(a) ==>
        (a & 4294967295) == a % 4294967296;
    admit lemma above: \forall integer a; WORD(a) ==>
        ((a >> 8) == 0 <==> a < 256);
    lemma scaled: \forall integer x, b; WORD(x) && WORD(b) ==> LONG(x * b)
        && (b > 0 ==> x * b / 4294967296 < b);
*/

/* ---- Bytes to numbers: assumed here (loads.c tries all words) ------------ */

#define LOAD32(p) ((p)[0] + 256 * (p)[1] + 65536 * (p)[2] + 16777216 * (p)[3])
#define LOAD64(p) (LOAD32(p) + 4294967296 * LOAD32((p) + 4))

/*@ requires \valid_read(p + (0 .. 3));
    assigns \nothing;
    ensures value: \result == LOAD32(p); */
static inline uint32_t inside_load32(const unsigned char *p);

/*@ requires \valid_read(p + (0 .. 7));
    assigns \nothing;
    ensures value: \result == LOAD64(p); */
static inline uint64_t inside_load64(const unsigned char *p);

/*@ assigns \nothing;
    ensures value: \result == x % 4294967296; */
static inline uint32_t inside_low_half(uint64_t x);

/* ---- Limits and sizes ---------------------------------------------------- */

#define CELL_BYTES(m, layout) ((layout) == 2 ? (m) / 2 : (m) / 8)
#define ARE_GOOD(m, layout, width, k) \
    (m > 0 && m % 64 == 0 && 1 <= k <= 64 && layout <= 2 \
     && (width == 64 || (width == 32 && m < 4294967296)) \
     && (layout == 1 ==> m % 256 == 0 && k % 8 == 0 && m < 1099511627776 \
                         && width == 64))
#define M(header) LOAD64((header) + 8)
#define WHOLE(m, m_high) ((m_high) * 4294967296 + (m))
#define SIZE(m, layout) (32 + CELL_BYTES(m, layout))
#define IS_GOOD(plan) \
    ARE_GOOD((plan).cells, (plan).layout, (plan).hash_bits, (plan).hashes)
#define SIZE_OF(plan) SIZE((plan).cells, (plan).layout)

/*@ assigns \nothing;
    ensures ok: \result == BLOOM_OK <==>
        ARE_GOOD(WHOLE(m, m_high), layout, width, k)
        && SIZE(WHOLE(m, m_high), layout) <= size; */
static inline bloom_error inside_check_fields(uint32_t m, uint32_t m_high,
                                              unsigned layout, unsigned width,
                                              unsigned k, size_t size);

/*@ assigns \nothing;
    ensures bytes: \result == CELL_BYTES(m, layout); */
static inline uint64_t inside_cell_bytes(uint64_t m, unsigned layout);

/*@ requires \valid_read(header + (0 .. 31)) && size >= 32;
    assigns \nothing;
    ensures ok: \result == BLOOM_OK <==> header[0] == 'B' && header[1] == 'L'
        && header[2] == 'M' && header[3] == 2 && header[7] == 0
        && ARE_GOOD(M(header), header[4], header[5], header[6])
        && SIZE(M(header), header[4]) <= size; */
static bloom_error inside_check(const unsigned char *header, size_t size);

/*@ assigns \nothing;
    ensures size: IS_GOOD(plan) && SIZE_OF(plan) <= most ==>
        \result == SIZE_OF(plan);
    ensures none: \result == 0 || (IS_GOOD(plan) && SIZE_OF(plan) <= most); */
static inline size_t inside_plan_size(bloom_plan plan, size_t most);

/*@ assigns \nothing;
    ensures size: IS_GOOD(plan) && SIZE_OF(plan) <= SIZE_MAX ==>
        \result == SIZE_OF(plan);
    ensures none: \result == 0
        || (IS_GOOD(plan) && SIZE_OF(plan) <= SIZE_MAX); */
BLOOM_API size_t bloom_plan_size(bloom_plan plan);

/* ---- Cells --------------------------------------------------------------- */

/* product.c proves `top`, and that `within` follows from it. */
/*@ assigns \nothing;
    ensures top: 0 <= (integer)x * m - 18446744073709551616 * \result
                 < 18446744073709551616;
    ensures within: m > 0 ==> \result < m; */
static inline uint64_t inside_high_half(uint64_t x, uint64_t m);

/*@ requires \valid(array + cell / 8) && cell / 8 <= SIZE_MAX;
    assigns array[cell / 8]; */
static inline unsigned inside_probe_bit(unsigned char *array, uint64_t cell,
                                        bool add);

/*@ assigns \nothing;
    ensures \result == 0 || \result == 4; */
static inline unsigned inside_nibble_shift(uint64_t cell);

/*@ requires \valid_read(array + cell / 2) && cell / 2 <= SIZE_MAX;
    assigns \nothing; */
static inline unsigned inside_counter(const unsigned char *array,
                                      uint64_t cell);

/*@ requires 256 <= m < 1099511627776 && m % 256 == 0
        && 32 + m / 8 <= SIZE_MAX;
    assigns \nothing;
    ensures within: \result + 32 <= m / 8 && \result % 32 == 0; */
static inline size_t inside_block_offset(uint64_t m, uint64_t x);

/*@ requires i < 8;
    assigns \nothing;
    ensures within: \result <= 31; */
static inline unsigned inside_block_bit(uint64_t x, unsigned i);

#include "bloom.h"

/* ---- Cells of an accepted image are inside it: any bytes, any x ---------- */

/*@ requires size >= 32 && \valid(image + (0 .. size - 1));
    assigns image[32 .. size - 1]; */
void proved_cell(unsigned char *image, size_t size, uint64_t x)
{
    uint64_t cell;
    if (inside_check(image, size) != BLOOM_OK)
        return;
    cell = inside_high_half(x, inside_load64(image + 8));
    if (image[4] == BLOOM_COUNTING) {
        inside_counter(image + BLOOM_HEADER_SIZE, cell);
    } else {
        inside_probe_bit(image + BLOOM_HEADER_SIZE, cell, false);
        inside_probe_bit(image + BLOOM_HEADER_SIZE, cell, true);
    }
}

/*@ requires size >= 32 && \valid(image + (0 .. size - 1)) && i < 8;
    assigns image[32 .. size - 1]; */
void proved_block(unsigned char *image, size_t size, uint64_t x, unsigned i)
{
    size_t block;
    if (inside_check(image, size) != BLOOM_OK
        || image[4] != BLOOM_BLOCKED)
        return;
    block = inside_block_offset(inside_load64(image + 8), x);
    inside_probe_bit(image + BLOOM_HEADER_SIZE + block + 4 * i,
                     inside_block_bit(x, i), true);
}
