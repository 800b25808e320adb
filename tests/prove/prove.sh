# `make prove` runs this script. It proves properties of the code of bloom.h,
# for every 64-bit input, with a size_t of 64 bits, by Frama-C, Z3 and CVC4. ALL=1:
# folding, too, and with a size_t of 32 bits. It ends with "N passed, N failed". A
# failure names the goals that are not proved.
#
# Proved:
#   product.c     the function for the upper half of a 128-bit product is exact
#   prove.c       the check of bloom_open and bloom_view accepts a header
#                 exactly if it is within the format's limits and its cells are
#                 within `size`
#   prove.c       bloom_plan_size and the bytes of the cells are exact. The size
#                 is 0 exactly if there is no such size. Nothing overflows.
#   prove.c       every cell that a walk can reach in an accepted image (bit,
#                 counter or block) is within `size` bytes, after the header
#   fold_proof.c  for any `by` that bloom_fold accepts, the cell or block of
#                 each position in m / by cells is that in m cells, divided by
#                 `by`
#   bits.smt2     the properties of shifts and masks that these proofs use
#   loads.c       four bytes make the right word; all 2^32 are tried
# Assumed:
#   Compilers, Frama-C and the solvers are correct. Where C has 128-bit numbers,
#   bloom.h's upper half is C's own product.
#   bloom_open and bloom_view check a header only if size >= 32. (WP does not
#   follow a cast to a `bloom *`.)
#   Adding, counting and looking up reach cells only by the functions that
#   prove.c names. (To prove that, their loops would need annotations within
#   bloom.h.)
cd "$(dirname "$0")/../.." && mkdir -p build || exit 1
. tests/helpers.sh
need gcc gcc; need frama-c frama-c-base; need why3 why3; need z3 z3; need cvc4 cvc4
enough
grep -q CVC4 "$HOME/.why3.conf" 2>/dev/null ||
    why3 config detect >/dev/null 2>&1

# outside NAMES: the names that bloom.h has for these of tests/inside.h
outside() {
    printf '#include "tests/inside.h"\n%s\n' "$1" | gcc -E -P -I. - |
        tr -d ' \n'
}
# proof NAME MACHINE FILE OPTIONS...: passed if every goal is proved; prints
# others
proof() {
    name=$1 machine=$2 file=tests/prove/$3
    shift 3
    frama-c -machdep gcc_$machine \
        -cpp-extra-args="-I. -U__x86_64__ -U__i386__ -U__SIZEOF_INT128__ $PART" \
        -wp -wp-rte -warn-unsigned-overflow -wp-prover z3,cvc4 -wp-timeout 300 "$@" \
        $file >build/prove.out 2>&1
    goals=$(sed -n 's/.*Proved goals: *//p' build/prove.out)
    echo "$name: ${goals:-no} goals proved"
    grep -E '\[(Failed|Timeout|Unknown)\] Goal|rror:' build/prove.out
    [ -n "$goals" ] && [ "${goals% /*}" = "$(echo ${goals#*/})" ]
}

product() {
    PART=-DPART=1 proof "product, lemmas" x86_64 product.c -wp-prop=@lemma &&
    PART=-DPART=2 proof "product, overflow" x86_64 product.c \
        -wp-fct "$(outside inside_high_half)" -wp-prop=-top &&
    PART=-DPART=3 proof "product, result" x86_64 product.c \
        -wp-fct "$(outside inside_high_half)" -wp-prop=top
}

fold() {
    PART=-DPART=1 proof "fold, eighths, $1" $1 fold_proof.c -wp-prop=@lemma &&
    PART=-DPART=1 proof "fold, block, $1" $1 fold_proof.c \
        -wp-fct "$(outside inside_block_offset)" &&
    PART=-DPART=2 proof "fold, quotients, $1" $1 fold_proof.c -wp-prop=@lemma &&
    PART=-DPART=3 proof "fold, lemmas, $1" $1 fold_proof.c -wp-prop=@lemma &&
    PART=-DPART=3 proof "fold, $1" $1 fold_proof.c \
        -wp-fct proved_fold,proved_fold_block
}

functions=inside_low_half,inside_check_fields,inside_cell_bytes
functions=$functions,inside_check,inside_plan_size,bloom_plan_size
functions=$functions,inside_probe_bit
functions=$functions,inside_nibble_shift,inside_counter,inside_block_offset
functions=$functions,inside_block_bit,proved_cell,proved_block
sizes() {
    proof "lemmas" $1 prove.c -wp-prop=@lemma &&
    proof "sizes and cells, $1" $1 prove.c -wp-fct "$(outside $functions)"
}

bits() {
    z3 tests/prove/bits.smt2 >build/prove.out &&
        ! grep -v '^unsat$' build/prove.out
}

loads() {
    ${CC:-cc} -O1 -I. tests/prove/loads.c -o build/loads && build/loads
}

check "upper half of a product" product
check "shifts and masks" bits
check "bytes to words" loads
check "sizes, header and cells, 64-bit size_t" sizes x86_64
if [ -n "$ALL" ]; then
    check "folding, 64-bit size_t" fold x86_64
    check "folding, 32-bit size_t" fold x86_32
    check "sizes, header and cells, 32-bit size_t" sizes x86_32
fi
counted
