# Run by `make house`: the figures of the house, from the sources alone, and
# whether they keep to its limits. Ends with "N passed, N failed".
cd "$(dirname "$0")/.." || exit 1
. tests/count.sh

LINES=2500          # of bloom.h
CONDITIONALS=55     # #if, #ifdef, #ifndef in its implementation
FUNCTION=43         # lines of its longest function
CASTS=0             # casts by a macro
MANY=230            # lines of the section for many keys
TEST=700            # lines of the largest source in tests/
EXAMPLE=420         # and in examples/
TWICE_TESTS=3       # pairs of files in tests/ that share six lines
TWICE_EXAMPLES=0    # and in examples/

# figure WHAT VALUE LIMIT [WHERE]
figure() {
    printf '%6s  %-46s at most %s%s\n' "$2" "$1" "$3" "${4:+; $4}"
    if [ "${2:-99999}" -le "$3" ]; then ok; else failed=$((failed + 1)); fi
}

# The implementation, from its guard to the papers
awk '/^#define BLOOM_IMPLEMENTATION_DONE_/ { on = 1 }
     /^\/\* ---- Papers/ { on = 0 } on' bloom.h >build/implementation.h

# functions FILE: "lines name line" of each; all begin in the first column
functions() {
    awk '/^[A-Za-z].*\(/ && !/;$/ { name = $0; start = FNR
             sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
         /^}/ && start { print FNR - start + 1, name, start; start = 0 }' "$1"
}
# sections FILE: "lines title"
sections() {
    awk 'function end() { if (title) print FNR - start, title }
         /^\/\* ---- / { end(); title = $0; start = FNR
             gsub(/^\/\* -+ | *-*( \*\/)?$/, "", title) }
         END { FNR++; end() }' "$1"
}
# macro_casts FILE: lines that use a macro whose text is a cast of what it is given
macro_casts() {
    awk '/^ *# *define [A-Za-z_0-9]+\(/ &&
         /(\(\(|static_cast|reinterpret_cast)(type|T|(u?int[0-9]*_t|size_t|unsigned|char|double)[ a-z*]*\))/ {
             sub(/\(.*/, "", $2); cast[$2 "("] = 1; next }
         { for (name in cast) if (index($0, name)) { n++; break } }
         END { print n + 0 }' "$1"
}
# largest FOLDER: "lines name" of its largest source
largest() {
    find "$1" -name '*.c' -o -name '*.h' -o -name '*.sh' -o -name '*.py' \
        -o -name '*.mjs' -o -name '*.js' -o -name '*.cpp' -o -name '*.awk' |
        xargs wc -l | awk '$2 != "total"' | sort -n | tail -n 1
}
# twice FOLDER: pairs of places that share six lines, without blanks and with
# more in each than a brace, and without #include
twice() {
    find "$1" -name '*.c' -o -name '*.h' -o -name '*.sh' -o -name '*.py' |
        sort | xargs awk '
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

set -- $(functions bloom.h | sort -rn | head -n 1)
longest=$1 name=$2
figure 'lines of bloom.h' "$(wc -l <bloom.h)" $LINES
figure 'preprocessor conditionals in its implementation' "$(grep -c \
    '^ *# *if' build/implementation.h)" $CONDITIONALS
figure 'lines of its longest function' "$longest" $FUNCTION "$name"
figure 'lines with a cast by a macro' "$(macro_casts bloom.h)" $CASTS
figure 'lines of its section for many keys' "$(sections bloom.h |
    awk '/[Mm]any keys/ { if ($1 > n) n = $1 } END { print n }')" $MANY
set -- $(largest tests)
figure 'lines of the largest source in tests/' "$1" $TEST "$2"
set -- $(largest examples)
figure 'lines of the largest source in examples/' "$1" $EXAMPLE "$2"
for folder in tests examples; do
    limit=$TWICE_TESTS
    [ $folder = tests ] || limit=$TWICE_EXAMPLES
    twice $folder >build/twice
    figure "pairs of files in $folder/ that share six lines" \
        "$(wc -l <build/twice)" $limit
    sed 's/^/            /' build/twice
done

echo
echo 'Sections of bloom.h, in lines'
sections bloom.h | awk '{ lines = $1; $1 = ""; printf "%6d %s\n", lines, $0 }'
echo
printf 'Private macros that stay defined: '
printf '#define BLOOM_IMPLEMENTATION\n#include "bloom.h"\n' >build/house.c
${CC:-cc} -E -dM -I. build/house.c | awk '$2 ~ /^(BLOOM|bloom)_.*_(\(|$)/ {
    sub(/\(.*/, "", $2); n++; names = names " " $2 }
    END { print n + 0; print names }' | fold -s -w 76
counted
