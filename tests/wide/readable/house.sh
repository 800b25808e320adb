# Run by `make house`: the figures of the house, from the sources alone. Each is
# printed beside its goal, which it may miss, and fails if it is above what was
# reached before. Ends with "N passed, N failed".
cd "$(dirname "$0")/../../.." || exit 1
. tests/unit/count.sh

# figure WHAT VALUE GOAL REACHED [WHERE]
figure() {
    met='not met'
    if [ "${2:-99999}" -le "$3" ]; then met=met; fi
    printf '%6s  %-40s goal %4s: %s%s\n' "$2" "$1" "$3" "$met" "${5:+; $5}"
    check "$1: ${2:-not found}, was $4" [ "${2:-99999}" -le "$4" ]
}
# sections FILE: "first-line lines level title" of each; a part, of level 1,
# begins with ==== and goes on to the next one, a section in it with ----
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
# functions FILE: "lines name" of each; all begin in the first column
functions() {
    awk '/^[A-Za-z].*\(/ && !/;$/ { name = $0; start = FNR
             sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
         /^}/ && start { print FNR - start + 1, name; start = 0 }' "$1"
}
# sources FOLDER: what is written there in a programming language
sources() {
    find "$1" -type f | grep -E '\.(c|h|cpp|hpp|ino|sh|py|js|mjs|awk)$' | sort
}
# largest FOLDER [BUT]: "lines name" of its largest source whose path has no BUT
largest() {
    wc -l $(sources "$1" | grep -v -F -e "${2:-//}") | awk '$2 != "total"' | sort -n | tail -n 1
}
# private FILE...: the names there that end with an underscore, as private ones
# do; bloom_hash_* in a comment is none
private() {
    sed 's/_\*//g' "$@" | grep -o -w -E '[A-Za-z][A-Za-z0-9_]*_' | sort -u
}
# twice FOLDER: pairs of places that share six lines, not counting blanks, lines
# of a brace, and #include; exercise.c is left out, as it is mini.c with TODOs
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
figure 'lines of bloom.h' "$(wc -l <bloom.h)" 2950 2970
figure 'of its planning' "$(awk '$3 == 1 && $4 == "Planning" { print $2 }' \
    build/sections)" 380 380
set -- $(functions bloom.h | sort -rn | head -n 1)
figure 'of its longest function' "$1" 35 35 "$2"
figure 'conditionals in its implementation' "$(awk '
    /^#define BLOOM_IMPLEMENTATION_DONE_/ { on = 1 }
    on && /^ *# *(if|el)/ { n++ }
    END { print n }' bloom.h)" 50 50
figure 'mentions of chains in it' "$(grep -ic chain bloom.h)" 0 0
set -- $(private tests/test.c)
figure 'private names of it in tests/test.c' $# 0 0 "$*"
set -- $(private examples/companions/*.h |
         grep -v -i -e '^bloom_chain_' -e '^bloom_window_')
figure 'and in the companions' $# 0 0 "$*"
set -- $(largest tests)
figure 'lines of the largest source in tests/' "$1" 700 700 "$2"
set -- $(largest examples companions/)
figure 'lines of the largest source in examples/' "$1" 420 538 "$2"
set -- $(largest examples/companions)
figure 'lines of the largest companion' "$1" 700 700 "$2"
for folder in tests examples; do
    twice $folder >build/twice
    figure "pairs in $folder/ that share six lines" "$(wc -l <build/twice)" 0 0
    sed 's/^/            /' build/twice
done
figure 'lines of README.md' "$(wc -l <README.md)" 220 220
figure 'lines of the Makefile' "$(wc -l <Makefile)" 200 200

echo
echo 'Sections of bloom.h, in lines'
while read -r first lines level title; do
    printf '%6d  %*s%s\n' "$lines" $((2 * level - 2)) '' "$title"
done <build/sections
counted
