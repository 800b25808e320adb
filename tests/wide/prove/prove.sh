# Run by `make prove`: product.c, prove.c and fold.c, by Frama-C, Z3 and CVC4.
#
# Proved of bloom.h's own code, for every 64-bit input, with size_t of 64 and of
# 32 bits:
#   bloom_high_half_  is the upper half of the 128-bit product, exactly
#   bloom_check_           (bloom_open, bloom_view) accepts a header just if it
#                          is within the format's limits and its cells are
#                          within `size`
#   bloom_plan_size, bloom_cell_bytes_   are right to the byte; 0 just where
#                          there is no such size; nothing overflows
#   of an accepted image   every cell that a walk can come to, bit, counter or
#                          block, is inside `size` bytes, past the header
#   bloom_fold             the cell, or block, of each position among m / by, by
#                          any `by` that is accepted, is that among m over `by`
# Taken for granted:
#   that compilers, Frama-C and the solvers are right; and that
#   bloom_high_half_, where there are 128-bit numbers, is C's own product
#   that bloom_open and bloom_view come to bloom_check_ with size >= 32 only
#   (WP does not follow a cast to a `bloom *`); that adders, lookups and
#   bloom_count_ come to cells as the functions named in prove.c do (their loops
#   would need notes within bloom.h)
#   shifts and masks: bits.smt2 proves them, in bits, by Z3
#   bytes put together to words: all 2^32 are tried here
cd "$(dirname "$0")/../../.." && mkdir -p build || exit 1
for tool in frama-c why3 z3 cvc4; do
    command -v $tool >/dev/null && continue
    echo "prove needs $tool: apt-get install --no-install-recommends" \
         "frama-c-base why3 z3 cvc4"
    exit 1
done
. tests/unit/count.sh
grep -q CVC4 "$HOME/.why3.conf" 2>/dev/null ||
    why3 config detect >/dev/null 2>&1

# proof NAME MACHINE FILE OPTIONS... : every goal, or those that are not
proof() {
    name=$1 machine=$2 file=tests/wide/prove/$3
    shift 3
    frama-c -machdep gcc_$machine \
        -cpp-extra-args="-I. -U__SIZEOF_INT128__ $PART" -wp -wp-rte \
        -warn-unsigned-overflow -wp-prover z3,cvc4 -wp-timeout 300 "$@" \
        $file >build/prove.out 2>&1
    goals=$(sed -n 's/.*Proved goals: *//p' build/prove.out)
    echo "$name: ${goals:-no} goals proved"
    grep -E '\[(Failed|Timeout|Unknown)\] Goal|rror:' build/prove.out
    [ -n "$goals" ] && [ "${goals% /*}" = "$(echo ${goals#*/})" ]
}

product() {
    PART=-DPART=1 proof "product, lemmas" x86_64 product.c -wp-prop=@lemma &&
    PART=-DPART=2 proof "product, overflow" x86_64 product.c \
        -wp-fct bloom_high_half_ -wp-prop=-top &&
    PART=-DPART=3 proof "product, result" x86_64 product.c \
        -wp-fct bloom_high_half_ -wp-prop=top
}

fold() {
    PART=-DPART=1 proof "fold, block, $1" $1 fold.c -wp-fct bloom_block_ &&
    PART=-DPART=2 proof "fold, quotients, $1" $1 fold.c -wp-prop=@lemma &&
    PART=-DPART=3 proof "fold, lemmas, $1" $1 fold.c -wp-prop=@lemma &&
    PART=-DPART=3 proof "fold, $1" $1 fold.c \
        -wp-fct proved_fold,proved_fold_block
}

functions=bloom_low_half_,bloom_check_fields_,bloom_cell_bytes_
functions=$functions,bloom_check_,bloom_plan_size_,bloom_plan_size
functions=$functions,bloom_look_bit_,bloom_set_bit_
functions=$functions,bloom_shift_,bloom_is_counted_,bloom_block_
functions=$functions,bloom_block_bit_,proved_cell,proved_block
sizes() {
    proof "lemmas" $1 prove.c -wp-prop=@lemma &&
    proof "sizes and cells, $1" $1 prove.c -wp-fct $functions
}

bits() {
    z3 tests/wide/prove/bits.smt2 >build/prove.out &&
        ! grep -v '^unsat$' build/prove.out
}

loads() {
    ${CC:-cc} -O1 -I. tests/wide/prove/loads.c -o build/loads && build/loads
}

check "the product" product
check "folding, 64 bits" fold x86_64
check "folding, 32 bits" fold x86_32
check "shifts and masks" bits
check "bytes to words" loads
check "64 bits" sizes x86_64
check "32 bits" sizes x86_32
counted
