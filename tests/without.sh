# `make without` runs this script. Each product in examples/ can be deleted, and
# everything else still builds and passes. So in a copy of this tree, without one
# folder at a time, it runs make, make test (one program, and make install),
# libbloom, help and docs; with ALL=1, also the checks of those products that use
# the deleted one. It ends with "N passed, N failed".
# usage: [ALL=1] without.sh [NAME...]       NAME: delete only these
. tests/helpers.sh
tree=$PWD/build/without only=$* all=$ALL
unset ONLY ALL MAKEFLAGS
log=$PWD/build/without.log

# made TARGET...: make succeeds in the copy
made() {
    $MAKE -C "$tree" "$@" >"$log" 2>&1 && return
    failures "$log"
    false
}
# built NAME: the files in build/ that its rules build
built() {
    sed -n 's,^\(build/[A-Za-z0-9._-]*\)[ :].*,\1,p' "examples/$1/rules.mk" \
        2>/dev/null
}
# users NAME: the folders of the products with a source that names this folder,
# or a file that its rules build; examples: the small programs
users() {
    names="examples/$1$(built "$1" | sed 's/^/|/' | tr -d '\n')"
    for rules in examples/*/rules.mk; do
        folder=${rules%/rules.mk}
        [ "$folder" != "examples/$1" ] &&
            grep -r -q -E --exclude='*.md' -e "($names)([^A-Za-z0-9._-]|$)" \
                "$folder" && echo "$folder"
    done
    grep -q -E -e "($names)([^A-Za-z0-9._-]|$)" examples/*.[ch] \
        $(find examples/tests -type f 2>/dev/null) && echo examples
}

for folder in examples/*/; do
    name=$(basename "$folder")
    case " ${only:-$name} " in *" $name "*) ;; *) continue ;; esac
    case $name in companions|tests) continue ;; esac    # not products
    copy "$tree" && rm -rf "$tree/examples/$name" || exit 1
    for file in $(built "$name"); do
        rm -f "$tree/$file"
    done
    check "without $name: make" made
    check "without $name: make test" \
        made test ONLY=promises-static TESTS=build/install.out
    check "without $name: make libbloom" made libbloom
    check "without $name: make help" made help
    check "without $name: make docs" made docs
    [ -n "$all" ] || continue
    for user in $(users "$name"); do
        for target in $(sed -n 's/^CHECKS += //p' "$user/rules.mk"); do
            echo "without $name: make $target"
            check "without $name: make $target" made $target
        done
    done
done
counted
