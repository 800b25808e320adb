# Run by run.sh: compares examples/formats/git.c with git itself, in
# repositories of SHA-1 and SHA-256 that this script makes. Each commit that changed
# a path, as `git log` and `git diff-tree` find without filters, must be printed.
# The number of commits that are "certainly not" must be the one that git counts.
cd "$(dirname "$0")/../../.." && mkdir -p build || exit 1
. tests/helpers.sh

# Author, times and settings are fixed, so that the hashes of these commits are the
# same everywhere.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 HOME=/nonexistent
export GIT_AUTHOR_NAME=bloom GIT_AUTHOR_EMAIL=bloom@example.org
export GIT_COMMITTER_NAME=bloom GIT_COMMITTER_EMAIL=bloom@example.org
export GIT_AUTHOR_DATE='1000000000 +0000' GIT_COMMITTER_DATE='1000000000 +0000'
export LC_ALL=C
UTF=$(printf 'caf\303\251/\346\227\245\346\234\254\350\252\236.txt')
TAIL=$(printf '\346\227\245')

commit() {              # commit PATH...: makes a commit that changes these paths
    for path in "$@"; do
        mkdir -p "$(dirname "$path")"
        echo "$path $((number += 1))" >"$path"
    done
    git add -A && git commit -q --allow-empty -m "changes $*"
}

history() {             # history OPTIONS: makes the repository build/graphs/work
    rm -rf build/graphs && mkdir -p build/graphs/work || return
    number=0
    (
        cd build/graphs/work && git init -q "$@" && git checkout -q -b main &&
        commit README docs/a docs/b src/core/main.c && commit docs/a &&
        commit "$UTF" "$TAIL" && commit && commit README && commit "$TAIL" &&
        commit $(awk 'BEGIN { for (i = 0; i < 600; i++) print "many/" i }') &&
        for i in 1 2 3 4 5 6 7 8 9; do
            commit "src/core/$i.c" "src/$i.h" docs/b || exit
        done &&
        git mv docs/a docs/c && commit README &&
        git checkout -q -b side HEAD~4 && commit side/only docs/b &&
        commit many/7 && git checkout -q main &&
        git merge -q -m merge -X ours side && commit README
    ) >/dev/null && write_graph
}
write_graph() {
    git -C build/graphs/work commit-graph write --reachable --changed-paths \
        --no-progress && cp build/graphs/work/.git/objects/info/commit-graph \
        build/graphs/graph && chmod u+w build/graphs/graph
}

plain='git -C build/graphs/work -c core.commitGraph=false'
plain="$plain -c core.quotePath=false"

# Writes changed.txt: a line "commit TAB path" for each path and folder in which a
# commit differs from its first parent.
list_changes() {
    for commit in $($plain rev-list --all); do
        parent=$($plain rev-parse -q --verify "$commit^1" ||
            $plain hash-object -t tree /dev/null)
        $plain diff-tree -r --no-renames --name-only "$parent" "$commit" |
            awk -v c="$commit" '{ for (;;) { print c "\t" $0
                if (!sub("/[^/]*$", "")) break } }'
    done | sort -u >build/graphs/changed.txt
    cut -f 2 build/graphs/changed.txt | grep -v '^many/..' | sort -u \
        >build/graphs/paths.txt
}

# lost PATH: prints the commits that changed PATH but were not found
lost() {
    build/git build/graphs/graph "$1" >build/graphs/printed.txt || return
    {
        awk -F '\t' -v p="$1" '$2 == p { print $1 }' build/graphs/changed.txt
        $plain log --all --full-history --no-merges --format=%H -- "$1"
    } | awk 'NR == FNR { seen[$0]; next } !($0 in seen)' \
        build/graphs/printed.txt -
}

# compare WHAT: no commit may be lost, and few others may be found, over all paths.
compare() {
    list_changes
    commits=$($plain rev-list --all | wc -l)
    : >build/graphs/lost.txt
    while IFS= read -r path; do
        lost "$path" >>build/graphs/lost.txt
        tail -n 1 build/graphs/printed.txt
    done <build/graphs/paths.txt >build/graphs/away.txt
    is "$1: commits that were lost" "" "$(cat build/graphs/lost.txt)"
    changes=$(grep -vc '	many/..' build/graphs/changed.txt)
    awk -v c="$commits" -v changes="$changes" '
        $3 != c { bent = 1 }
        { away += $1 }
        END { no = NR * c - changes
              printf "git, '"$1"': certainly not for %d of %d pairs of a " \
                  "commit and a path that it did not change\n", away, no
              exit bent || !(NR > 30 && away <= no && away > 0.9 * no) }' \
        build/graphs/away.txt
    check "$1: enough are certainly not" [ $? -eq 0 ]
}

# Compares how many commits are "certainly not" with the count in git's own trace,
# along first parents. git looks at the filters of commits with a parent only.
sames() {
    root=$($plain rev-list --max-parents=0 main)
    $plain rev-list --first-parent main | sort >build/graphs/first.txt
    for path in README docs docs/a src/core/3.c "$UTF" "$TAIL" many/7 nosuch \
        no/such; do
        rm -f build/graphs/trace
        GIT_TRACE2_PERF=$PWD/build/graphs/trace git -C build/graphs/work log \
            --first-parent --format=%H main -- "$path" >/dev/null
        theirs=$(sed -n 's/.*"definitely_not":\([0-9]*\).*/\1/p' \
            build/graphs/trace)
        ours=$(build/git build/graphs/graph "$path" | awk -v root="$root" '
            NR == FNR { printed[$1]; next }
            !($1 in printed) && $1 != root { n++ }
            END { print n + 0 }' - build/graphs/first.txt)
        is "$path: as many are certainly not as in git" "$theirs" "$ours"
    done
}

# bent WHAT WHY: the corrupted file build/graphs/bent must be refused, for this reason
bent() {
    build/git build/graphs/bent README >build/graphs/out 2>build/graphs/err
    is "$1: exit status" 2 $?
    is "$1: nothing printed" "" "$(cat build/graphs/out)"
    check "$1: message" grep -q "^git: build/graphs/bent: $2" build/graphs/err
}

# seal COMMAND: ends build/graphs/bent with its checksum again, as sha1sum or
# sha256sum computes it. Only so does the program look at what else is wrong.
seal() {
    bytes=20
    [ "$1" = sha1sum ] || bytes=32
    head -c $(($(wc -c <build/graphs/bent) - bytes)) build/graphs/bent \
        >build/graphs/body
    printf "$("$1" <build/graphs/body | awk '{
        for (i = 1; i < length($1); i += 2)
            printf "\\%03o", 16 * digit(substr($1, i, 1)) \
                + digit(substr($1, i + 1, 1)) }
        function digit(x) { return index("0123456789abcdef", x) - 1 }')" |
        cat build/graphs/body - >build/graphs/bent
}
# start CHUNK: prints the offset of the chunk of this name in build/graphs/graph
start() {
    at=$(LC_ALL=C grep -abo "$1" build/graphs/graph | head -n 1 | cut -d : -f 1)
    od -An -tu1 -j $((at + 4)) -N 8 build/graphs/graph |
        awk '{ for (i = 1; i <= 8; i++) x = x * 256 + $i; print x }'
}
patch() {               # patch OFFSET OCTAL: makes build/graphs/bent
    cp build/graphs/graph build/graphs/bent
    printf "\\$2" |
        dd of=build/graphs/bent bs=1 seek="$1" conv=notrunc 2>/dev/null
}
# damage: every kind of damage is noticed, by the checksum alone. A filter with
# zeros would answer "certainly not" for commits that did change the path.
damage() {
    at=$(start BDAT)
    size=$(wc -c <build/graphs/graph)
    patch $((at + 12)) 000
    dd if=/dev/zero of=build/graphs/bent bs=1 seek=$((at + 12)) count=400 \
        conv=notrunc 2>/dev/null
    bent 'zeros in BDAT' 'damaged or truncated: its checksum'
    for at in 8 40 1200 $((at + 3)) $((at + 7)) $((size - 33)) $((size - 1)); do
        old=$(od -An -v -tu1 -j "$at" -N 1 build/graphs/graph)
        patch "$at" "$(printf '%03o' $((old ^ 16)))"
        bent "a bit at $at" 'damaged or truncated: its checksum'
    done
    for cut in 8 12 27 28 39 40 1100 $((size - 2000)) $((size - 1)); do
        head -c $cut build/graphs/graph >build/graphs/bent
        bent "cut at $cut" 'damaged or truncated: its checksum'
    done
}

${CC:-cc} -std=c99 -O2 -I. examples/formats/git.c -o build/git || exit 1
if history --object-format=sha256 2>/dev/null; then
    compare 'SHA-256'
    sames
    damage
    patch $(($(start BDAT) + 3)) 003
    seal sha256sum
    bent 'SHA-256, version 3' 'has filters of an unknown version'
else
    echo 'skipped: SHA-256 (this git does not support it)'
fi

# The SHA-1 repository comes last: its graph stays in build/graphs, for the
# command in the head of git.c.
history || { bad 'no repository was made'; counted; exit; }
sh tests/prints.sh examples/formats/git.c >build/graphs/says
sum git build/graphs/says
compare 'SHA-1'
sames

# Version 2 does not sign-extend bytes. So paths in ASCII have the same bits as in
# version 1, and other paths have other bits. Here a file of version 1 is marked as
# version 2. A path beyond ASCII must then be found only in the commit of 600 paths,
# whose filter has all bits set. With the last line, that makes two lines of output.
at=$(start BDAT)
patch $((at + 3)) 002
seal sha1sum
is 'version 2: ASCII' "$(build/git build/graphs/graph docs/b)" \
    "$(build/git build/graphs/bent docs/b)"
is 'version 2: other bits than in version 1' 2 \
    "$(build/git build/graphs/bent "$TAIL" | wc -l | tr -d ' ')"
patch $((at + 3)) 003
seal sha1sum
bent 'version 3' 'has filters of an unknown version'
patch $((at + 7)) 000
seal sha1sum
bent 'no probes' 'damaged: the number of probes'
patch $(($(start BIDX) + 3)) 377
seal sha1sum
bent 'a filter that ends before it begins' 'damaged: a filter lies outside'
patch 5 007
bent 'an unknown hash' 'its commits have an unknown kind of hash'
patch 0 000
bent 'another file' 'not a commit graph'
head -c 7 build/graphs/graph >build/graphs/bent
bent 'seven bytes' 'not a commit graph'
damage

# Commits without a filter may have changed any path.
rm -f build/graphs/work/.git/objects/info/commit-graph
git -C build/graphs/work commit-graph write --reachable --changed-paths \
    --max-new-filters=5 --no-progress
cp -f build/graphs/work/.git/objects/info/commit-graph build/graphs/bent
is 'five filters' 16 \
    "$(build/git build/graphs/bent nosuch | grep -c '^[0-9a-f]*$')"

git -C build/graphs/work commit-graph write --reachable --no-changed-paths \
    --no-progress
cp -f build/graphs/work/.git/objects/info/commit-graph build/graphs/bent
bent 'without filters' 'has no filters'
for path in ./README /README docs/ docs//a docs/../README . ''; do
    build/git build/graphs/graph "$path" >build/graphs/out 2>&1
    is "'$path' is refused" 2 $?
done

counted
