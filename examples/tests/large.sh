# Run by `make check-large`: compares examples/intersect.c and examples/top.c, limited
# to 64 MB of memory, with sort, uniq and comm, on two files of 20 million lines
# each. Takes minutes, and 5 GB of disk space. usage: large.sh [LINES [MB]]
lines=${1:-20000000}
limit=${2:-64}
best=1000
cd "$(dirname "$0")/../.." && mkdir -p build/large || exit 1
TMPDIR=$PWD/build/large         # of intersect, top and sort
LC_ALL=C                        # lines are bytes
export TMPDIR LC_ALL
trap 'cd / && rm -rf "$TMPDIR"' EXIT
trap 'exit 1' HUP INT TERM

for name in examples/intersect examples/top tests/peak; do
    ${CC:-cc} -std=c99 -O2 -Wall -Wextra -pedantic -I. $name.c \
        -o "build/$(basename $name)" || exit 1
done
cd build/large || exit 1

# generate a|b LINES: lines of 30 to 50 bytes. In a, nine tenths occur once, and
# the others often, some very often. One twentieth of b is in a as well.
cat >generate.c <<'C'
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t mix(uint64_t x)         /* splitmix64: a permutation */
{
    x += 0x9E3779B97F4A7C15U;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9U;
    x = (x ^ x >> 27) * 0x94D049BB133111EBU;
    return x ^ x >> 31;
}

static uint64_t popular(uint64_t i, uint64_t lines)
{
    double u = (double)(mix(~i) >> 11) / 9007199254740992.0;
    return 10 * (uint64_t)(u * u * u * u * (double)lines / 200);
}

int main(int count, char **words)
{
    int b = count == 3 && *words[1] == 'b';
    uint64_t i, id, x, lines = strtoull(words[2], NULL, 10);
    for (i = 0; i < lines; i++) {
        id = i % 100 == 0 || (i % 10 == 0 && !b) ? popular(i, lines)
           : b && i % 20 != 1 ? i + lines : i;
        x = mix(id);
        printf("https://www.site%u.example/%0*" PRIx64 "/page%u.html\n",
               (unsigned)(x % 9973), (int)(x % 9), x >> 44,
               (unsigned)(x >> 16) % 1000);
    }
    return 0;
}
C
${CC:-cc} -O2 generate.c -o generate || exit 1
./generate a "$lines" >a && ./generate b "$lines" >b || exit 1

lines_of() { wc -l <"$1" | tr -d ' '; }
failed=0
broken() { echo "BROKEN: $*"; failed=1; }

# measured NAME COMMAND...: writes its output to the file NAME, its time and
# peak memory to NAME.peak
measured() {
    name=$1
    shift
    ../peak "$@" >"$name" 2>"$name.cost" ||
        broken "$*: $(cat "$name.cost")"
    sed -n 's/^peak: //p' "$name.cost" >"$name.peak"
    printf '    %-24s %s\n' "$*" "$(cat "$name.peak")"
}

# kept NAME: its peak memory was within the limit
kept() {
    awk -v limit="$limit" '{ exit !($3 > 0 && $3 <= limit * 1024) }' \
        "$1.peak" || broken "$1 took more than $limit MB"
}

echo "a and b: $lines lines each, $(wc -c <a | tr -d ' ') and" \
     "$(wc -c <b | tr -d ' ') bytes; limit $limit MB of memory"
measured common ../intersect "$limit" a b
measured often ../top "$limit" $best a
kept common
kept often

measured a.sorted sort a
measured b.sorted sort -u b
uniq a.sorted | comm -12 - b.sorted >common.exact
uniq -c a.sorted | sort -k1,1nr -k2 | head -n $best >often.exact
sort common | cmp -s - common.exact ||
    broken "intersect: its output differs from that of comm"
cmp -s often often.exact || broken "top: its output differs from sort | uniq -c"
[ -s common.exact ] && [ "$(lines_of often.exact)" -eq $best ] ||
    broken "an empty output, so nothing was compared"

# counts FILE: the first and the last count that top or uniq -c printed
counts() { awk 'NR == 1 { first = $1 } END { print first, "to", $1 }' "$1"; }
echo "intersect: $(lines_of common) lines; comm: $(lines_of common.exact)"
echo "top: $(lines_of often) lines, with counts $(counts often);" \
     "sort | uniq -c: $(lines_of often.exact), $(counts often.exact)"
[ "$failed" -ne 0 ] || echo 'equal output'
exit $failed
