# `make without` runs this script. Each product in examples/ can be deleted, and
# everything else still builds and passes. So in a copy of this tree, without one
# folder at a time, it runs make, make test (in one mode), libbloom, help, the
# links of the documents, and the checks of the products that use the deleted
# one. It ends with "N passed, N failed".
# usage: without.sh [NAME...]       NAME: delete only these
. tests/count.sh
unset ONLY MAKEFLAGS
tree=$PWD/build/without only=$*
log=$PWD/build/without.log

# made TARGET...: make succeeds in the copy
made() {
    $MAKE -C "$tree" "$@" >"$log" 2>&1 && return
    tail -n 20 "$log"
    false
}
# users NAME: the products with a source that names a file of this one, or what
# its rules build
users() {
    built=$(sed -n 's,^\(build/[A-Za-z0-9._-]*\)[ :].*,\1,p' \
            "examples/$1/rules.mk" 2>/dev/null)
    for rules in "$tree"/examples/*/rules.mk; do
        folder=${rules%/rules.mk}
        grep -r -q -w --exclude='*.md' -e "examples/$1/" \
            $(printf -- '-e %s ' $built) "$folder" && echo "${folder##*/}"
    done
}

for folder in examples/*/; do
    name=$(basename "$folder")
    case " ${only:-$name} " in *" $name "*) ;; *) continue ;; esac
    [ "$name" != companions ] || continue   # tests/ and the products need them
    sh tests/copy.sh "$tree" && rm -rf "$tree/examples/$name" || exit 1
    rm -rf "$tree/build/bloom"
    check "without $name: make" made
    check "without $name: make test" made test ONLY=debug
    check "without $name: make libbloom" made libbloom
    check "without $name: make help" made help
    check "without $name: make house" made house
    for user in $(users "$name"); do
        check "without $name: make check-$user" made check-$user
    done
done
counted
