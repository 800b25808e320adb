# `make check-examples` runs this script. It compares examples/overlap.c with an
# exact set of sequences, made by tr and awk, for made-up texts, the licence of
# bloom.h in other forms, and files of this tree. It also tests names of files in
# JSON, and errors. The program is built with ASan and UBSan, if the compiler has
# them.
. tests/helpers.sh
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
overlap=$work/overlap
sanitized examples/overlap.c "$overlap" || exit 1
export LC_ALL=C ASAN_OPTIONS=detect_leaks=0     # it frees nothing at the end

# exact N REFERENCE... -- FILE...: prints what overlap prints without -j. A line of
# /// ends the words of each file.
exact() {
    n=$1
    shift
    for file; do
        if [ "$file" = -- ]; then echo ///; continue; fi
        tr A-Z a-z <"$file" | tr -cs 'a-z0-9\200-\377' '\n'
        printf '\n/// %s\n' "$file"
    done | awk -v n="$n" '
        $0 == "" { next }
        $0 == "///" { complete = 1; next }
        $1 == "///" {
            if (complete)
                printf "%.4f %d of %d %s\n", all ? found / all : 0, found, all,
                       substr($0, 5)
            count = found = all = 0
            next
        }
        {
            word[count++ % n] = $0
            if (count < n)
                next
            sequence = ""
            for (i = count - n; i < count; i++)
                sequence = sequence " " word[i % n]
            all++
            if (!complete)
                known[sequence]
            else
                found += sequence in known
        }'
}

# compare N REFERENCE... -- FILE...: does overlap print the same? With a rate of
# 10^-6, a false positive among so few sequences would be a surprise.
compare() {
    exact "$@" >"$work/want"
    "$overlap" "$@" >"$work/got" 2>"$work/err" || return
    awk '$1 == "rate" && $2 + 0 > 0 && $2 + 0 < 1e-5 { good = 1 }
        END { exit !good || NR > 1 }' "$work/err" && diff "$work/want" "$work/got" && [ -s "$work/want" ]
}

# text SEED WORDS: a made-up text with signs and bytes of all kinds
text() {
    awk -v x="$1" -v words="$2" '
        function below(n) { x = x * 16807 % 2147483647; return x % n }
        BEGIN {
            for (i = 0; i < words; i++) {
                word = "w" below(300)
                if (below(9) == 0) word = toupper(word)
                if (below(50) == 0) word = word "\303\251"
                if (below(400) == 0)
                    for (j = 0; j < 5; j++) word = word word
                printf "%s%s", word, substr("  \n,.-\t\"_", 1 + below(9), 1)
            }
        }'
}
a=$work/a b=$work/b
text 1 6000 >"$a"
text 2 4000 >"$b"
{ text 3 500; head -c 9000 "$a"; text 4 500; tail -c 5000 "$b"; } >"$work/both"
text 5 6000 >"$work/other"
{ cat "$a"; printf '\0\0last\0'; } >"$work/zeros"
: >"$work/empty"
printf 'one two' >"$work/two"
printf 'one two three' >"$work/three"
all="$a $b $work/both $work/other $work/zeros $work/empty $work/two $work/three"
for n in 1 2 3 13 64; do
    check "made-up texts, N = $n" compare $n "$a" "$b" -- $all
done
text 1 1200 >"$work/begin"
{ text 3 50; cat "$work/begin"; } >"$work/after"
check 'made-up texts, N = 1000' compare 1000 "$work/begin" -- "$work/after"
check 'three words' compare 3 "$work/three" -- $all
# Sequences that consist of one word, and that differ in their order only
awk 'BEGIN { for (i = 0; i < 3000; i++) printf "a%s ", i % 700 ? "" : "\nb" }' \
    >"$work/one"
awk 'BEGIN { for (i = 0; i < 3000; i++) printf "%s ", i * i % 7 }' >"$work/seven"
for n in 2 5 13; do
    check "few words, N = $n" compare $n "$work/one" "$work/seven" -- $all \
        "$work/one" "$work/seven"
    check "seven words, N = $n" compare $n "$work/seven" -- "$work/one" "$b"
done

# The licence in other forms: all but the last are found
sed '1,/^\/\* ---- Licence/d' bloom.h >"$work/licence"
tr 'a-z\n' 'A-Z ' <"$work/licence" | fold -s -w 31 | sed 's/^/ * /' >"$work/folded"
{ text 6 40; sed 's/^/# /; s/,/ ,/g' "$work/licence"; } >"$work/script"
sed 's/ the / a /g' "$work/licence" >"$work/changed"
check 'the licence' compare 13 "$work/licence" -- bloom.h "$work/folded" \
    "$work/script" "$work/changed"
is 'the shares of the licence' '1 1 0' "$(awk '/(folded|script|changed)$/ {
    printf "%s%d", sep, ($1 >= 0.8); sep = " " }' "$work/got")"
check 'files of this tree' compare 8 bloom.h README.md -- examples/*.[ch] \
    examples/*/*.[ch] tests/unit/*.[ch] tests/README.md
check 'one of them is a copy' grep -q '^1\.0000 .* examples/first\.c$' "$work/got"

# Names of files in JSON: quotes, control bytes, UTF-8, and bytes that are not,
# with the first and last characters of each size
json() {
    mkdir "$work/names" && (
        cd "$work/names" &&
        for name in plain 'a"b\c' '\001\037\177' '\nx' '\303\251' \
            '\302\200\337\277' '\340\240\200\355\237\277\356\200\200\357\277\277' \
            '\360\220\200\200\364\217\277\277' '\377' '\200' '\301\277' \
            '\340\237\277' '\355\240\200' '\355\277\277' '\360\217\277\277' \
            '\364\220\200\200' '\365\200\200\200' '\303' '\342\202' '\360\237\230' \
            '\303\303\251'; do
            cp "$a" "$(printf "$name.")" || exit
        done
        "$overlap" -j 13 "$b" "$a" -- * "$work/other"
    ) >"$work/json" && python3 - "$work" <<'PYTHON'
import json, os, sys        # in the locale C, names are UTF-8 since Python 3.7
work = os.fsencode(sys.argv[1])
with open(work + b"/json", "rb") as file:
    lines = [json.loads(line.decode("utf-8")) for line in file]
wanted = set(os.listdir(work + b"/names"))
last = lines.pop()
assert {os.fsencode(line["file"]) for line in lines} == wanted
assert all(line["share"] == 1 and line["found"] == line["sequences"] == 5988
           and 0 < line["rate"] < 1e-5 for line in lines)
assert last["share"] == last["found"] == 0 and last["sequences"] > 5900
PYTHON
}
if command -v python3 >/dev/null; then
    check 'names in JSON' json
else
    echo 'skipped: names in JSON (needs python3)'
fi

# refuses TEXT WORD...: exit status 2, a message that ends with TEXT, no output
refuses() {
    text=$1
    shift
    "$overlap" "$@" >"$work/out" 2>"$work/err" </dev/null
    [ $? -eq 2 ] && [ ! -s "$work/out" ] && grep -q "^overlap: .*$text\$" "$work/err"
}
usage='usage: overlap .*'
check 'no words' refuses "$usage"
check 'no --' refuses "$usage" 3 "$a" "$b"
check 'no reference' refuses "$usage" 3 -- "$b"
check 'no N' refuses 'must be 1 to 1000' "$a" "$b" -- "$b"
for n in 0 1001 99999999999999999999 x 3x -1 ''; do
    check "N = $n" refuses 'must be 1 to 1000' "$n" "$a" -- "$b"
done
check 'no such reference' refuses 'No such file or directory' 3 "$a" "$work/no" -- "$b"
check 'a folder' refuses 'Is a directory' 3 "$work" -- "$b"
check 'a short reference' refuses 'has fewer than N words' 3 "$a" "$work/two" -- "$b"
pipe() {        # as a FILE it is read; as a reference, which is read twice, not
    cat "$b" | "$overlap" 3 "$b" -- /dev/stdin 2>/dev/null |
        grep -q '^1\.0000 ' &&
        ! cat "$b" | "$overlap" 3 "$a" /dev/stdin -- "$b" 2>"$work/err" &&
        grep -q '^overlap: /dev/stdin: ' "$work/err"
}
check 'a pipe' pipe
reads_others() {
    "$overlap" 13 "$a" -- "$work/no" "$work" "$a" "$b" >"$work/out" 2>"$work/err"
    [ $? -eq 2 ] && [ "$(grep -c -v '^rate ' "$work/err")" -eq 2 ] &&
        grep -q "^overlap: $work/no: No such" "$work/err" &&
        [ "$(cat "$work/out")" = "$(exact 13 "$a" -- "$a" "$b")" ]
}
check 'others are read after an error' reads_others
full() { "$overlap" 13 "$a" -- "$a" >/dev/full 2>"$work/err"; [ $? -eq 2 ]; }
[ ! -c /dev/full ] || check 'a full disk' full
counted
