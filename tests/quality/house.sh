# `make house` runs this script. It counts lines, conditionals and repetitions
# in the sources. Each figure is printed with its goal, which it may miss. It
# fails if it is larger than the value reached so far, so the code can only
# become better. It ends with "N passed, N failed".
cd "$(dirname "$0")/../.." || exit 1
. tests/count.sh

# figure WHAT VALUE GOAL REACHED [WHERE]: prints a figure; fails above REACHED
figure() {
    met='not met'
    if [ "${2:-99999}" -le "$3" ]; then met=met; fi
    printf '%6s  %-40s goal %4s: %s%s\n' "$2" "$1" "$3" "$met" "${5:+; $5}"
    check "$1: ${2:-not found}, was $4" [ "${2:-99999}" -le "$4" ]
}
# sections FILE: prints "FIRST-LINE LINES LEVEL TITLE" of each section. Those of
# level 1 begin with ====, those of level 2, within them, with ----.
sections() {
    awk '
        function end(level) {
            for (; level <= 2; level++) {
                lines[open[level]] = FNR - first[open[level]]
                open[level] = 0
            }
        }
        /^\/\* =+ \*\/$/ { end(1) }
        /^\/\* (----|====) [^=-]/ {
            end(level[++n] = /^\/\* ====/ ? 1 : 2)
            gsub(/^\/\* [-=]+ | *[-=]*( \*\/)?$/, "")
            title[n] = $0; first[n] = FNR; open[level[n]] = n
        }
        END {
            FNR++; end(1)
            for (i = 1; i <= n; i++)
                print first[i], lines[i], level[i], title[i]
        }' "$1"
}
# functions FILE: prints "LINES NAME" of each function; all begin in column 1
functions() {
    awk '/^[A-Za-z].*\(/ && !/;$/ { name = $0; start = FNR
             sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
         /^}/ && start { print FNR - start + 1, name; start = 0 }' "$1"
}
# sources FOLDER: lists the files in a programming language
sources() {
    find "$1" -type f | grep -E '\.(c|h|cpp|hpp|ino|sh|py|js|mjs|awk)$' | sort
}
# largest FOLDER [BUT]: prints "LINES NAME" of its largest source; not of paths
# that contain BUT
largest() {
    wc -l $(sources "$1" | grep -v -F -e "${2:-//}") | awk '$2 != "total"' | sort -n | tail -n 1
}
# private FILE...: lists the names that end with an underscore, which marks
# private ones. bloom_hash_* in a comment is not one.
private() {
    sed 's/_\*//g' "$@" | grep -o -w -E '[A-Za-z][A-Za-z0-9_]*_' | sort -u
}
# twice FOLDER: lists pairs of files that share six consecutive lines, without
# blank lines, single braces and #include. exercise.c is left out, as it is
# mini.c with TODOs.
twice() {
    sources "$1" | grep -v class/exercise.c | xargs awk '
        FNR == 1 { n = 0 }
        { gsub(/[ \t]+/, " "); sub(/^ /, ""); sub(/ $/, "") }
        length($0) < 4 || /^#include/ { next }
        {
            line[n % 6] = $0; at[n % 6] = FNR; n++
            if (n < 6) next
            block = ""
            for (i = n - 6; i < n; i++) block = block line[i % 6] "\n"
            if (!(block in first)) first[block] = FILENAME ":" at[n % 6]
            else {
                pair = first[block]; sub(/:.*/, "", pair)
                if (!(pair SUBSEP FILENAME in seen))
                    print first[block] " = " FILENAME ":" at[n % 6]
                seen[pair, FILENAME] = 1
            }
        }'
}

sections bloom.h >build/sections
figure 'lines of bloom.h' "$(wc -l <bloom.h)" 2950 3005
figure 'lines of its planning' \
    "$(awk '$3 == 1 && $4 == "Planning" { print $2 }' \
    build/sections)" 380 380
set -- $(functions bloom.h | sort -rn | head -n 1)
figure 'lines of its longest function' "$1" 35 35 "$2"
figure 'conditionals in its implementation' "$(awk '
    /^#define BLOOM_IMPLEMENTATION_DONE_/ { on = 1 }
    on && /^ *# *(if|el)/ { n++ }
    END { print n }' bloom.h)" 50 50
figure 'mentions of chains in it' "$(grep -ic chain bloom.h)" 0 0
set -- $(private tests/test.c)
figure 'its private names in tests/test.c' $# 0 0 "$*"
set -- $(private examples/companions/*.h |
         grep -v -i -e '^bloom_chain_' -e '^bloom_window_')
figure 'its private names in the companions' $# 0 0 "$*"
set -- $(largest tests)
figure 'lines of the largest source in tests/' "$1" 700 700 "$2"
set -- $(largest examples companions/)
figure 'lines of the largest source in examples/' "$1" 420 580 "$2"
set -- $(largest examples/companions)
figure 'lines of the largest companion' "$1" 700 700 "$2"
for folder in tests examples; do
    twice $folder >build/twice
    figure "pairs of $folder/ that share six lines" "$(wc -l <build/twice)" 0 0
    sed 's/^/            /' build/twice
done
figure 'lines of README.md' "$(wc -l <README.md)" 160 160
figure 'lines of tests/README.md' "$(wc -l <tests/README.md)" 100 100
figure 'lines of the Makefile' "$(wc -l <Makefile)" 200 200

# ---- The tree ---------------------------------------------------------------

find . -type f ! -path './.git/*' ! -path './build/*' ! -path '*/__pycache__/*' |
    sed 's|^\./||' | sort >build/files
figure 'files' "$(wc -l <build/files)" 300 300
set -- $(sed 's|.*/||' build/files | sort | uniq -d |
         grep -v -x -e README.md -e Makefile -e run.sh)
figure 'names that two files have' $# 0 0 "$*"
set -- $(sed -n 's|/[^/]*$||p' build/files | sort | uniq -u | grep -v -x .ci)
figure 'folders of one file' $# 0 0 "$*"

# ---- The documents ----------------------------------------------------------

long() { awk -v most="$1" 'length($0) > most && !/[|]|\\n"[;,]?$/ { print FILENAME ":" FNR }' \
    $(grep -E "$2" build/files); }
long 100 '\.md$' >build/long
long 80 '^(bloom\.h|examples/.*\.(c|h|hpp|ino)|tests/test\.c)$' >>build/long
set -- $(cat build/long)
figure 'lines over 80 columns (documents: 100)' $# 0 0 "$*"

# dead: the links of the documents that lead nowhere. An anchor is a heading in
# lower case, with dashes for blanks and without other signs.
anchors() {
    sed -n 's/^##* //p' "$1" | tr 'A-Z ' 'a-z-' | tr -c -d 'a-z0-9_\n-'
}
dead() {
    grep '\.md$' build/files | while read -r file; do
        grep -o '](\([^)]*\))' "$file" | sed 's/^](//; s/)$//' |
            grep -v ':' | while read -r link; do
            to=$file
            [ -z "${link%%#*}" ] || to=$(dirname "$file")/${link%%#*}
            [ -e "$to" ] || { echo "$file:$link"; continue; }
            case $link in
            *#*) anchors "$to" | grep -q -x -e "${link#*#}" ||
                     echo "$file:$link" ;;
            esac
        done
    done
}
set -- $(dead)
figure 'dead links' $# 0 0 "$*"

# Every target that a document or `make help` names is one.
set -- $(cat $(grep '\.md$' build/files) Makefile tests/Makefile |
    grep -o -e '`make [a-z][a-z-][a-z-]*' -e '^    make [a-z][a-z-][a-z-]*' \
            -e '^# [ *] make [a-z][a-z-]*' | sed 's/.*make //' | sort -u |
    while read -r target; do
        grep -q "^\([a-z -]* \)\{0,1\}$target:" Makefile tests/Makefile ||
            echo "$target"
    done)
figure 'targets that are named but missing' $# 0 0 "$*"

# README's lines of C, those indented by four blanks, compile. Each heading
# begins a new function.
{
    echo '#define BLOOM_STATIC'
    echo '#include "bloom.h"'
    echo '#include <stdio.h>'
    awk '/^```/ { fenced = !fenced }
        /^#/ && !fenced { if (on) print "}"; on = 0 }
        !fenced && /^    .*(bloom|BLOOM)_[a-zA-Z0-9_]*\(|^    (bloom|else|if)[^ ]* .*;/ {
            if (!on)
                print "void f" ++i "(uint64_t n, double p, unsigned k, size_t " \
                    "bytes, size_t count, uint64_t one_in, const uint64_t *keys, " \
                    "bool *is_new, bool *maybe, FILE *file, void *image, " \
                    "size_t size)\n{"
            on = 1
            line = $0
            if (line ~ /^    [a-zA-Z_]*\([a-zA-Z_, ]*\)  /) {
                sub(/\)  .*/, ")", line)
                line = line ~ /PLAN/ ? "bloom_plan q = BLOOM_PLAN(10, 10);" : line ";"
            }
            gsub(/bloom_view\(bytes/, "bloom_view(image", line)
            print line
        }
        END { if (on) print "}" }' README.md
} >build/readme.c
check "README's lines of C compile: see build/readme.c" \
    ${CC:-cc} -std=c99 -I. -w -c build/readme.c -o build/readme.o

echo
echo 'Lines of each section of bloom.h'
while read -r first lines level title; do
    printf '%6d  %*s%s\n' "$lines" $((2 * level - 2)) '' "$title"
done <build/sections
counted
