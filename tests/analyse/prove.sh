# Run by `make prove`: Frama-C and Z3 prove every goal of prove.c.
cd "$(dirname "$0")/../.." && mkdir -p build || exit 1
for tool in frama-c why3 z3; do
    command -v $tool >/dev/null && continue
    echo "prove needs $tool: apt-get install --no-install-recommends" \
         "frama-c-base why3 z3; then: why3 config detect"
    exit 1
done
[ -f "$HOME/.why3.conf" ] || why3 config detect >/dev/null 2>&1
frama-c -machdep gcc_x86_64 -cpp-extra-args="-I. -U__SIZEOF_INT128__" \
    -wp -wp-rte -warn-unsigned-overflow \
    -wp-fct bloom_check_fields_ \
    -wp-prover z3 -wp-timeout 20 tests/analyse/prove.c >build/prove.out 2>&1
goals=$(sed -n 's/.*Proved goals: *//p' build/prove.out)
echo "prove: ${goals:-no} goals proved"
grep -E 'Goal .* : (Failed|Unknown|Timeout)' build/prove.out
[ -n "$goals" ] && [ "${goals% /*}" = "$(echo ${goals#*/})" ]
