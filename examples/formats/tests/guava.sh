# Run by run.sh: tests examples/formats/guava.c with ASan and UBSan.
# Golden filters: it writes the same files as Guava 31.1, bit for bit, and gives
# the same answers (guava.tsv).
# Corrupted files: they are refused.
# Real Guava: it is compared with Debian's Guava.
# Ends with "N passed, N failed".
cd "$(dirname "$0")/../../.." || exit 1
work=build/guava.d
rm -rf $work
mkdir -p $work || exit 1
LC_ALL=C export LC_ALL
. tests/helpers.sh
each_must_end

# keys KIND:FIRST:COUNT: prints keys FIRST .. FIRST + COUNT - 1 of a kind, one per
# line. All but texts are in hexadecimal. The kinds, for key number i:
#   mul8         i * 9E3779B97F4A7C15 mod 2^64, 8 bytes, little-endian
#   seq8, seq4   i, 8 or 4 bytes, little-endian
#   any          4 to 40 bytes that depend on i
#   WORD-        the text WORD-i
#   utf16:WORD-  that text, 2 bytes per letter
keys() {
    first=${1%:*}
    awk -v kind="${first%:*}" -v first="${first##*:}" -v count="${1##*:}" '
function bytes(x, size,    text) {      # x = 0 .. 2^53, little-endian
    for (; size-- > 0; x = int(x / 256))
        text = text sprintf("%02x", x % 256)
    return text
}

function mul8(i,    text, limb, sum) {  # multiplies 16 bits at a time
    for (limb = 1; limb <= 4; limb++) {
        sum += i * golden[limb]
        text = text bytes(sum % 65536, 2)
        sum = int(sum / 65536)
    }
    return text
}

function any(i,    text, at) {
    text = bytes(i * 2654435761 % 4294967296, 4)
    for (at = 4; at < 4 + i % 37; at++)
        text = text bytes((i * 131 + at * 17 + 7) % 256, 1)
    return text
}

function utf16(word,    text, at) {
    for (at = 1; at <= length(word); at++)
        text = text bytes(index(ascii, substr(word, at, 1)) + 31, 2)
    return text
}

function seq(i, size) {
    return i < 0 ? bytes(4294967296 + i, 4) (size > 4 ? "ffffffff" : "") \
                 : bytes(i, size)
}

BEGIN {
    split("31765 32586 31161 40503", golden, " ")
    for (i = 32; i < 127; i++)
        ascii = ascii sprintf("%c", i)
    for (i = first; i < first + count; i++) {
        if (kind == "mul8") print mul8(i)
        else if (kind == "seq8") print seq(i, 8)
        else if (kind == "seq4") print seq(i, 4)
        else if (kind == "any") print any(i)
        else if (kind ~ /^utf16/) print utf16(substr(kind, 7) i)
        else print kind i
    }
}'
}
tool() {        # tool ARGUMENTS...: runs the program
    $work/guava "$@" 2>$work/err
}
refuse() {      # refuse WORDS ARGUMENTS...: the program exits with 2, prints
                # nothing to standard output, and its message begins with WORDS
    words=$1
    shift
    tool "$@" >$work/out </dev/null
    is "guava $*: exit status" 2 $?
    is "guava $*: no output" "" "$(head -c 100 $work/out)"
    why=$(head -n 1 $work/err)
    case $why in "guava: $words"*) why="guava: $words" ;; esac
    is "guava $*: message" "guava: $words" "$why"
}
sha() {
    sha256sum | cut -c 1-64
}

# ---- The files and answers in guava.tsv ----------------------------------------

# answers KEYS < OUTPUT OF check: prints 0 or 1 for each key, one per line
answers() {
    awk '!asked { taken[$0]; next } { print $0 in taken ? 1 : 0 }' \
        - asked=1 "$1"
}
near() {        # near WANTED GOT: prints yes if they agree in 5 digits
    awk -v a="$1" -v b="$2" 'BEGIN {
        print (a > b ? a - b : b - a) <= 1e-5 * a ? "yes" : b }'
}
value() {       # value NAME < OUTPUT OF info: prints the value of that line
    sed -n "s/^$1: *\(about \)\{0,1\}//p"
}
golden() {      # tests the filters of guava.tsv
    rows=0
    while IFS='	' read -r options n p in asked taken file answers ones about \
                           rate; do
        case $options in '#'*) continue ;; *-x*) x=-x ;; *) x= ;; esac
        what="$options $n $p $in"
        rows=$((rows + 1))
        keys $in >$work/keys
        keys $asked >$work/asked
        tool build $options $n $p $work/filter <$work/keys
        is "$what: build" 0 $?
        is "$what: the file" $file $(sha <$work/filter)
        tool check $x $work/filter <$work/keys >$work/out
        is "$what: check" 0 $?
        same "$what" $work/out $work/keys
        tool check $x $work/filter <$work/asked >$work/out
        is "$what: positives among other keys" $taken $(wc -l <$work/out)
        is "$what: answers" $answers \
            $(answers $work/asked <$work/out | sha)
        tool info $work/filter >$work/info
        is "$what: info" 0 $?
        is "$what: ones" $ones "$(value ones <$work/info)"
        is "$what: about keys" $about "$(value keys <$work/info)"
        is "$what: rate" yes \
            "$(near $rate "$(value 'rate now' <$work/info)")"
    done <examples/formats/tests/guava.tsv
    is "golden filters" 21 $rows
}

# ---- Corrupted files, and other files ---------------------------------------

# bent FILE HEADER ACCEPTED: tests that the file is refused if it is truncated at
# any length, if a byte of its header (HEADER bytes) is changed, or if it is too
# long. ACCEPTED is a pattern of the changes, OFFSET:VALUE, that are valid.
bent() {
    size=$(wc -c <"$1")
    for at in $(seq 0 $((size - 1))); do
        head -c "$at" "$1" >$work/bent
        refuse "$work/bent: truncated" check $work/bent
    done
    for at in $(seq 0 $(($2 - 1))); do
        old=$(od -An -tu1 -j "$at" -N 1 "$1")
        for bits in 1 3 64 128 255; do
            new=$((old ^ bits))
            cp "$1" $work/bent
            printf "\\$(printf %o $new)" | dd of=$work/bent bs=1 seek="$at" \
                conv=notrunc 2>/dev/null
            if echo "$at:$new" | grep -Eqx "$3"; then
                tool check $work/bent <$work/a >/dev/null
                is "$1, byte $at is $new" 0 $?
            else
                refuse "$work/bent: " check $work/bent
            fi
        done
    done
    { cat "$1"; printf x; } >$work/bent
    refuse "$work/bent: longer than" check $work/bent
}
foreign() {     # files that are no filters: bytes, escaped for printf, and the
                # reason why they are refused
    while read -r bytes why; do
        printf "$bytes" >$work/bent
        ASAN_OPTIONS=max_allocation_size_mb=1 \
            refuse "$work/bent: $why" check $work/bent
    done <<'END'
\1 truncated
All\40kinds\40of\40text not a filter of Guava: strategies
\254\355\0\5sr\0\101com.google.common.hash not a filter of Guava: strategies
BLM\1\0\100\7\0\100\0\0\0 not a filter of Guava: strategies
\1\0\0\0\0\1\1\1\1\1\1\1\1\1 not a filter of Guava: it has no hashes
\1\7\0\0\0\0 not a filter of Guava: words
\1\7\200\0\0\1\1\1\1\1\1\1\1 not a filter of Guava: words
\1\7\177\377\377\377\1\1\1\1 truncated
END
    refuse "$work: Is a directory" check $work
    refuse "$work/nil: No such file" check $work/nil
}

# ---- Arguments, input lines, and existing files -----------------------------

usage() {
    refuse "usage: guava build" fly
    refuse "usage: guava build" check
    refuse "usage: guava build" check a b
    refuse "usage: guava build" build 1 0.5 f f
    refuse "usage: guava build" build 10 0.01
    for n in -5 x '' 1.5 1e19 nan; do
        refuse "$n: N must" build "$n" 0.01 $work/f
    done
    for p in 0 1 -0.1 x '' nan 1%; do
        refuse "$p: P must" build 10 "$p" $work/f
    done
    refuse "$work/f: without a bit" build 1 0.9 $work/f
    refuse "$work/f: " build 1e18 0.01 $work/f
    refuse "$work/nil/f: No such file" build 10 0.01 $work/nil/f
    refuse "$work: is there, and not" build 10 0.01 $work
    ln -sf small $work/link
    refuse "$work/link: is there, and not" build 10 0.01 $work/link
}
lines() {
    { printf 'a\0b\n\nc\r\n'; head -c 3000000 /dev/zero | tr '\0' x; } \
        >$work/keys
    { cat $work/keys; echo; } >$work/want
    tool build 10 0.0001 $work/filter <$work/keys
    is "odd lines" 0 $?
    { cat $work/want; printf 'a\nc\nx\n'; } >$work/asked
    tool check $work/filter <$work/asked >$work/out
    same "odd lines" $work/out $work/want
}
kept() {        # an existing file stays unchanged if there is an error
    echo a | tool build 10 0.01 $work/filter
    cp $work/filter $work/want
    for bad in 6 6g 6G ' 61'; do
        echo "$bad" | tool build -x 10 0.01 $work/filter
        is "-x and '$bad'" 2 $?
        is "message for -x and '$bad'" \
            "guava: standard input: a line is not hexadecimal" "$(cat $work/err)"
    done
    (ulimit -f 1; echo a | $work/guava build 1e6 0.01 $work/filter 2>$work/err)
    is "disk full" "2 guava: $work/filter: File too large" \
        "$? $(cat $work/err)"
    same "disk full" $work/filter $work/want
    printf "kez\na\n" | tool build 10 0.0001 $work/filter
    for hex in 6b657A 6B657a; do
        printf "%s\n" 6b657b 00 $hex >$work/asked
        is "-x and $hex" "$hex" \
            "$(tool check -x $work/filter <$work/asked)"
    done
    is "no temporary file" "" "$(ls -A $work | grep -F .new)"
    if [ -e /dev/full ]; then
        echo a | tool check $work/filter >/dev/full
        is "output to a full disk" 2 $?
    fi
}

# ---- The real Guava ---------------------------------------------------------

jar=/usr/share/java/guava.jar
java_tool() {
    java -XX:TieredStopAtLevel=1 -cp $work:$jar \
        com.google.common.hash.Guava "$@"
}
# both OPTIONS N P KEYS ASKED: the example and Guava write the same file, and
# each reads the file of the other with the same answers
both() {
    what="real Guava: $1 $2 $3 $4"
    case $1 in *-x*) x=-x ;; *) x= ;; esac
    keys "$4" >$work/keys
    keys "$5" | cat $work/keys - >$work/asked
    java_tool build $1 $2 $3 $work/theirs <$work/keys
    tool build $1 $2 $3 $work/ours <$work/keys
    same "$what" $work/ours $work/theirs
    java_tool check $x $work/ours <$work/asked >$work/out.theirs
    tool check $x $work/theirs <$work/asked >$work/out.ours
    same "$what" $work/out.ours $work/out.theirs
    head -n "$(wc -l <$work/keys)" $work/out.ours >$work/out
    same "$what" $work/out $work/keys
}
sizes() {       # for each N and P, both make the same header, or both refuse
    for n in 0 1 2 3 5 7 10 31 100 999 1000 54321; do
        for p in 0.99 0.9 0.5 0.3 0.1 0.03 0.01 1e-4 1e-6 1e-9 1e-30 1e-80; do
            echo "$n $p"
        done
    done >$work/sizes
    java_tool sizes <$work/sizes >$work/theirs
    while read -r n p; do
        if tool build $n $p $work/filter </dev/null; then
            echo "$n $p $(od -An -tx1 -N 6 $work/filter | tr -d ' ')"
        else
            echo "$n $p refused"
        fi
    done <$work/sizes >$work/ours
    is "real Guava: sizes" 144 "$(wc -l <$work/theirs)"
    is "real Guava: sizes" "" "$(diff $work/ours $work/theirs)"
}
real_guava() {
    if ! command -v javac >/dev/null || [ ! -e $jar ]; then
        bad "needs javac and $jar:" \
            "apt-get install default-jdk-headless libguava-java"
        return
    fi
    javac -cp $jar -d $work examples/formats/tests/Guava.java 2>$work/err
    is "javac Guava.java" 0 $?
    sizes
    for s in -0 -1; do
        both "$s" 1 0.5 key-:0:1 absent-:0:10000
        both "$s" 10 1e-6 key-:0:10 absent-:0:10000
        both "$s -x" 1000 0.03 any:0:1000 any:1000000:10000
        both "$s" 3000 0.2 "Gr\\303\\266\\303\\237e-:0:9000" key-:0:10000
        both "$s" 20000 1e-20 key-:0:20000 absent-:0:10000
    done
}

# ---- All of it --------------------------------------------------------------

${CC:-cc} -std=c99 -g -O1 -Wall -Wextra -pedantic -I. \
    -fsanitize=address,undefined -fno-sanitize-recover=all \
    examples/formats/guava.c -lm -o $work/guava
is "guava compiles" 0 $?
echo a >$work/a
golden
ASAN_OPTIONS=detect_leaks=0         # twice as fast
export ASAN_OPTIONS
for s in -0 -1; do
    tool build $s 10 0.01 $work/small <$work/a
    bent $work/small 6 '0:[01]|1:[1-9].*'
done
foreign
usage
lines
kept
real_guava
counted
