# `make without` runs this script. Products in examples/ can be deleted, and
# everything else still builds and passes. In a copy of this tree, without all the
# folders that README.md names for this, it runs make, libbloom, help, docs, and of
# make test one program and the tests of the products. ALL=1 runs all of make test,
# and then deletes each product alone. It runs the same, but of make test one
# program and make install, and the checks of those products that use the deleted
# one. It ends with "N passed, N failed".
# usage: [ALL=1] without.sh [NAME...]       NAME: delete only these, each alone
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

# without NAME...: tests a copy without these folders
without() {
    copy "$tree" || exit 1
    for name; do
        rm -rf "$tree/examples/$name"
        for file in $(built "$name"); do rm -f "$tree/$file"; done
    done
    check "without $*: make" made
    if [ $# -eq 1 ]; then
        check "without $*: make test" \
            made test ONLY=promises-static TESTS=build/install.out
    else
        check "without $*: make test" \
            made test $([ -n "$all" ] || echo ONLY=promises-static)
    fi
    for target in libbloom help docs; do
        check "without $*: make $target" made $target
    done
}

# README.md names the folders that may be deleted together.
together=$(tr '\n' ' ' <README.md |
    sed -n 's/.* delete the folders \([a-z, ]*\) of examples.*/\1/p' |
    sed 's/,/ /g; s/ and / /')
check 'README.md names folders that may be deleted' [ -n "$together" ]
[ -n "$only" ] || without $together

for folder in examples/*/; do
    name=$(basename "$folder")
    case " ${only:-${all:+$name}} " in *" $name "*) ;; *) continue ;; esac
    case $name in companions|tests) continue ;; esac    # not products
    without "$name"
    [ -n "$all" ] || continue
    for user in $(users "$name"); do
        for target in $(sed -n 's/^CHECKS += //p' "$user/rules.mk"); do
            echo "without $name: make $target"
            check "without $name: make $target" made $target
        done
    done
done
counted
