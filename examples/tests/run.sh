# `make check-examples` runs this script: each small program prints what its
# comment says, crawler.c remembers lines in a file, spam.c reads lines with any
# end, intersect.c and top.c agree with comm and uniq -c in a quarter of the memory that the
# lines take, mini.c sets the bits of bloom.h, in C and in C++. search.c and overlap.c have
# scripts of their own. prints.sh leaves each program in build/.
. tests/helpers.sh
each_must_end

for source in examples/*.c; do
    case $source in
    examples/mini.c) source=$source:-lm ;;
    examples/search.c) continue ;;
    esac
    set -- "$@" "$source"
done
sh tests/prints.sh "$@" >build/examples.out
sum programs build/examples.out
sh examples/tests/search.sh >build/search.out
sum search build/search.out
sh examples/tests/overlap.sh >build/overlap.out
sum overlap build/overlap.out

# crawls WORDS...: runs crawler.c in a folder of its own
crawls() { (cd build/crawler.d && ../crawler "$@"); }
crawler_remembers() {
    rm -rf build/crawler.d && mkdir -p build/crawler.d || return
    seq 1 500 >build/crawler.d/a; seq 400 600 >build/crawler.d/b
    crawls a seen >build/crawler.d/first && crawls b seen >build/crawler.d/second &&
        crawls b seen >build/crawler.d/third &&
        cmp build/crawler.d/first build/crawler.d/a &&
        seq 501 600 | cmp - build/crawler.d/second && [ ! -s build/crawler.d/third ]
}
crawler_refuses() {         # a file with a changed bit, and one that is no chain
    printf '\377\377\377\377' | dd of=build/crawler.d/seen bs=1 seek=200 \
        conv=notrunc 2>/dev/null
    for name in seen a; do
        cp build/crawler.d/$name build/crawler.d/before
        crawls b $name >build/crawler.d/out 2>build/crawler.d/err
        [ $? -eq 2 ] && [ ! -s build/crawler.d/out ] &&
            grep -q "^crawler: $name: " build/crawler.d/err &&
            cmp build/crawler.d/$name build/crawler.d/before || return
    done
}
check 'crawler.c remembers the lines of earlier runs' crawler_remembers
check 'crawler.c refuses a damaged file, and keeps it' crawler_refuses

# blocks LIST ADDRESSES PASSED: spam.c lets these addresses pass; escaped for
# printf
blocks() {
    printf "$1" >build/spam.list
    printf "$2" | build/spam build/spam.list >build/spam.passed 2>build/spam.err
    echo "$?" >>build/spam.passed
    printf "$3" | cmp - build/spam.passed
}
long=$(printf '%0255d' 0)
check 'spam.c: lines that end with \\r\\n, or with the file' \
    blocks 'a@x\r\nb@y' 'a@x\nb@y\r\nc@z\nb\ry' 'c@z\nb\ry\n0\n'
check 'spam.c: a NUL' blocks 'a\000b\n' '' '2\n'
check 'spam.c: the longest line' blocks "${long}0\n" "${long}0" '0\n'
check 'spam.c: a line that is too long' blocks "${long}000\n" '' '2\n'

if echo '#include <xxhash.h>' | ${CC:-cc} -E - >/dev/null 2>&1; then
    custom_hash_of_xxhash() {
        ${CC:-cc} -std=c99 -O1 -Wall -Wextra -pedantic -Werror -I. -DXXH3 \
            examples/custom_hash.c -lxxhash -o build/custom_hash-xxh3 &&
            build/custom_hash-xxh3 >build/custom_hash-xxh3.out &&
            grep -q '^XXH3_128bits  *1\.0[0-9]%  *1\.0[0-9]% ' build/custom_hash-xxh3.out
    }
    check 'custom_hash.c: XXH3_128bits keeps the rate' custom_hash_of_xxhash
else
    echo 'skipped: custom_hash.c with XXH3 (no xxhash.h; Debian package libxxhash-dev)'
fi

# A fifth of a's 400,000 lines are repeated, some very often. A tenth of b's 200,000
# lines are in a. top counts a twice, so that no line occurs once, and parts are split.
lines() {
    awk -v which=$1 'BEGIN { for (i = 0; i < (which == "a" ? 4e5 : 2e5); i++) {
        j = int(i / 5)
        print "https://www.example/" (which == "a" ? i % 5 ? 1e6 + i : j % (1 + j % 97) \
            : i % 10 ? 2e6 + i : i % 1000 ? 1e6 + 2 * i + 1 : i / 1000) "/index.html" } }'
}
within() {                  # within KILOBYTES OUT COMMAND...
    most=$1 out=$2
    shift 2
    build/peak "$@" >$out 2>build/peak.out &&
        awk -v most=$most '{ exit !($4 > 0 && $4 <= most) }' build/peak.out ||
        { cat build/peak.out; return 1; }
}
large_files() {
    LC_ALL=C export LC_ALL
    lines a >build/lines.a && lines b >build/lines.b &&
        ${CC:-cc} -std=c99 -O2 tests/peak.c -o build/peak || return
    sort -u build/lines.a >build/lines.sorted
    sort -u build/lines.b | comm -12 - build/lines.sorted >build/lines.wanted
    [ "$(wc -l <build/lines.wanted)" -eq 19897 ] || return
    within 4096 build/lines.out build/intersect 4 build/lines.a build/lines.b &&
        sort build/lines.out | cmp - build/lines.wanted || return
    cat build/lines.a build/lines.a >build/lines.b
    sort build/lines.b | uniq -c | sort -k1,1nr -k2 | head -n 50 >build/lines.wanted
    within 4096 build/lines.out build/top 4 50 build/lines.b &&
        cmp build/lines.out build/lines.wanted
}
check 'intersect.c and top.c are right, in 4 MB' large_files

WARN='-Wall -Wextra -pedantic -O2 -I.'
${CC:-cc} -std=c99 $WARN examples/tests/mini_bits.c -lm -o build/mini-test &&
    build/mini-test >build/mini.out
sum mini.c build/mini.out
if command -v "${CXX:-c++}" >/dev/null; then
    ${CXX:-c++} -std=c++11 $WARN -x c++ examples/tests/mini_bits.c -lm \
        -o build/mini-test && build/mini-test >build/mini.out
    sum 'mini.c, C++' build/mini.out
else
    echo 'skipped: mini.c as C++ (no C++ compiler; Debian package g++)'
fi

# As its top says, all but main is pasted; no compiler warns of what is not used.
{
    sed '/^int main/,$d' examples/mini.c
    echo 'int main(void) { return filter_new(9, 0.1).bits == NULL; }'
} >build/pasted.c
for compiler in "${CC:-cc}" gcc clang; do
    command -v ${compiler%% *} >/dev/null || continue
    check "mini.c, pasted: $compiler" $compiler -std=c99 -Wall -Wextra -pedantic -Wshadow \
        -Wconversion -Werror build/pasted.c -lm \
        -o build/pasted
done
counted
