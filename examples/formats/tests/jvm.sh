# Run by run.sh: tests guava.c, spark.c and
# cassandra.c of examples/formats/ with ASan and UBSan.
# Golden filters: the examples write the same files as the real systems, bit for
# bit, and give the same answers (filters.tsv).
# Corrupted files: they are refused.
# Real Guava: the examples are compared with Guava itself. Debian and npm have no
# package of Spark or Cassandra.
# Ends with "N passed, N failed".
# usage: jvm.sh [NAME...]      guava, spark, cassandra; default: all
cd "$(dirname "$0")/../../.." || exit 1
work=build/jvm
rm -rf $work
mkdir -p $work || exit 1
LC_ALL=C export LC_ALL
. tests/helpers.sh

keys() {        # keys KIND:FIRST:COUNT
    first=${1%:*}
    awk -v kind="${first%:*}" -v first="${first##*:}" -v count="${1##*:}" \
        -f examples/formats/tests/keys.awk
}
tool() {        # tool ARGUMENTS...: runs the example $name
    $work/$name "$@" 2>$work/err
}
refuse() {      # refuse WORDS ARGUMENTS...: the example exits with 2, prints
                # nothing to standard output, and its message begins with WORDS
    words=$1
    shift
    tool "$@" >$work/out </dev/null
    is "$name $*: exit status" 2 $?
    is "$name $*: no output" "" "$(head -c 100 $work/out)"
    why=$(head -n 1 $work/err)
    case $why in "$name: $words"*) why="$name: $words" ;; esac
    is "$name $*: message" "$name: $words" "$why"
}
sha() {
    sha256sum | cut -c 1-64
}

# ---- The files and answers in filters.tsv -----------------------

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
golden() {      # golden N: tests the N filters of filters.tsv
    rows=0 r=
    while IFS='	' read -r whose options n p in asked taken file answers ones \
                           about rate; do
        [ "$whose" = $name ] || continue
        case $options in *-x*) x=-x ;; *) x= ;; esac
        case $options in *-r*) r=${options%% -x} ;; esac
        what="$name $options $n $p $in"
        rows=$((rows + 1))
        keys $in >$work/keys
        keys $asked >$work/asked
        tool build $options $n $p $work/filter <$work/keys
        is "$what: build" 0 $?
        is "$what: the file" $file $(sha <$work/filter)
        tool check $r $x $work/filter <$work/keys >$work/out
        is "$what: check" 0 $?
        same "$what" $work/out $work/keys
        tool check $r $x $work/filter <$work/asked >$work/out
        is "$what: positives among other keys" $taken $(wc -l <$work/out)
        is "$what: answers" $answers \
            $(answers $work/asked <$work/out | sha)
        tool info $work/filter >$work/info
        is "$what: info" 0 $?
        [ "$ones" ] || continue
        is "$what: ones" $ones "$(value ones <$work/info)"
        is "$what: about keys" $about "$(value keys <$work/info)"
        is "$what: rate" yes \
            "$(near $rate "$(value 'rate now' <$work/info)")"
    done <examples/formats/tests/filters.tsv
    is "$name: golden filters" "$1" $rows
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
                is "$name: $1, byte $at is $new" 0 $?
            else
                refuse "$work/bent: " check $work/bent
            fi
        done
    done
    { cat "$1"; printf x; } >$work/bent
    refuse "$work/bent: longer than" check $work/bent
}
foreign() {     # each line of the input: bytes, escaped for printf, and the
                # reason why they are refused
    while read -r bytes why; do
        printf "$bytes" >$work/bent
        ASAN_OPTIONS=max_allocation_size_mb=1 \
            refuse "$work/bent: $why" check $work/bent
    done
    refuse "$work: Is a directory" check $work
    refuse "$work/nil: No such file" check $work/nil
}
foreign_to_guava() {
    foreign <<'END'
\1 truncated
All\40kinds\40of\40text not a filter of Guava: strategies
\254\355\0\5sr\0\101com.google.common.hash not a filter of Guava: strategies
BLM\1\0\100\7\0\100\0\0\0 not a filter of Guava: strategies
\1\0\0\0\0\1\1\1\1\1\1\1\1\1 not a filter of Guava: it has no hashes
\1\7\0\0\0\0 not a filter of Guava: words
\1\7\200\0\0\1\1\1\1\1\1\1\1 not a filter of Guava: words
\1\7\177\377\377\377\1\1\1\1 truncated
END
}
foreign_to_spark() {
    foreign <<'END'
\0\0\0\1 truncated
All\40kinds\40of\40text,\40in\40lines not a filter of Spark: versions
\0\0\0\3\0\0\0\7\0\0\0\0\0\0\0\1\1\1\1\1\1\1\1\1 not a filter of Spark: v
\0\0\0\1\0\0\0\0\0\0\0\1\1\1\1\1\1\1\1\1 not a filter of Spark: it has no hash
\0\0\0\1\0\0\0\101\0\0\0\1\1\1\1\1\1\1\1\1 not a filter of Spark: it has no h
\0\0\0\2\200\0\0\1\0\0\0\0\177\377\377\377\1\1 not a filter of Spark: it has
\0\0\0\2\0\0\0\7\0\0\0\0\0\0\0\0 not a filter of Spark: words
\0\0\0\2\0\0\0\7\0\0\0\0\200\0\0\1\1\1\1\1\1\1\1\1 not a filter of Spark: words
\0\0\0\2\0\0\0\7\0\0\0\0\177\377\377\377\1\1\1\1 truncated
END
}
foreign_to_cassandra() {
    foreign <<'END'
\0\0\0\1 truncated
All\40kinds\40of\40text not a filter of Cassandra: hashes
\0\0\0\0\0\0\0\1\1\1\1\1\1\1\1\1 not a filter of Cassandra: hashes
\0\0\0\26\0\0\0\1\1\1\1\1\1\1\1\1 not a filter of Cassandra: hashes
\0\0\0\7\0\0\0\0 not a filter of Cassandra: words
\0\0\0\7\200\0\0\1\1\1\1\1\1\1\1 not a filter of Cassandra: words
\0\0\0\7\177\377\377\377\1\1\1\1 truncated
END
}

# ---- Arguments, input lines, and existing files -----------------------------

usage() {               # like lines and kept, for one program: this is jvm.h
    refuse "usage: $name build" check
    refuse "usage: $name build" check a b
    refuse "usage: $name build" build 1 0.5 f f
    refuse "usage: $name build" build 10 0.01
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
# Sizes by the table of Cassandra: N, P, hashes, words
sizes_of_cassandra() {
    rows=0
    while read -r n p hashes words; do
        case $n in '#'*) continue ;; esac
        rows=$((rows + 1))
        tool build $n $p $work/filter </dev/null
        is "cassandra: $n $p" "$hashes $words" \
            "$(od -An -v -tu1 -N 8 $work/filter | awk '{
                print $4, (($5 * 256 + $6) * 256 + $7) * 256 + $8 }')"
    done <examples/formats/tests/cassandra-sizes.tsv
    is "cassandra: sizes" 167 $rows
    refuse "$work/f: Cassandra has at most 20 bits a key" \
        build 1000 6.7e-5 $work/f
    for r in x 0 1.1 '' nan; do
        refuse "-r: RELEASE is" build -r "$r" 10 0.01 $work/f
    done
    refuse "usage: $name build" build -r
}
seeds() {
    for s in x 1.5 2147483648 -2147483649 nan; do
        refuse "-s: SEED must" build -s $s 10 0.01 $work/f
    done
    refuse "-s: a V1 has no seed" build -V1 -s 7 10 0.01 $work/f
    refuse "usage: $name build" build -s
    for s in -2147483648 -1 2147483647; do
        tool build -s $s 10 0.01 $work/filter <$work/a
        tool info $work/filter >$work/info
        is "spark: -s $s" $s "$(value seed <$work/info)"
    done
}
lines() {
    { printf 'a\0b\n\nc\r\n'; head -c 3000000 /dev/zero | tr '\0' x; } \
        >$work/keys
    { cat $work/keys; echo; } >$work/want
    tool build 10 0.0001 $work/filter <$work/keys
    is "$name: odd lines" 0 $?
    { cat $work/want; printf 'a\nc\nx\n'; } >$work/asked
    tool check $work/filter <$work/asked >$work/out
    same "$name: odd lines" $work/out $work/want
}
kept() {        # an existing file stays unchanged if there is an error
    echo a | tool build 10 0.01 $work/filter
    cp $work/filter $work/want
    for bad in 6 6g 6G ' 61'; do
        echo "$bad" | tool build -x 10 0.01 $work/filter
        is "$name: -x and '$bad'" 2 $?
        is "$name: message for -x and '$bad'" \
            "$name: standard input: a line is not hexadecimal" "$(cat $work/err)"
    done
    (ulimit -f 1; echo a | $work/$name build 1e6 0.01 $work/filter 2>$work/err)
    is "$name: disk full" "2 $name: $work/filter: File too large" \
        "$? $(cat $work/err)"
    same "$name: disk full" $work/filter $work/want
    printf "kez\na\n" | tool build 10 0.0001 $work/filter
    for hex in 6b657A 6B657a; do
        printf "%s\n" 6b657b 00 $hex >$work/asked
        is "$name: -x and $hex" "$hex" \
            "$(tool check -x $work/filter <$work/asked)"
    done
    is "$name: no temporary file" "" "$(ls $work | grep tmp)"
    if [ -e /dev/full ]; then
        echo a | tool check $work/filter >/dev/full
        is "$name: output to a full disk" 2 $?
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
        both "$s -x" 20000 0.01 mul8:0:20000 mul8:1000000000:10000
        both "$s" 20000 1e-20 key-:0:20000 absent-:0:10000
        both "$s" 100000 0.001 key-:0:100000 absent-:0:50000
    done
}

# ---- All of it --------------------------------------------------------------

[ $# -gt 0 ] || set -- guava spark cassandra
for name in "$@"; do
    case $name in
    guava | spark | cassandra) ;;
    *) is "$name" "guava, spark or cassandra" "$name"; continue ;;
    esac
    before=$passed
    ${CC:-cc} -std=c99 -g -O1 -Wall -Wextra -pedantic -I. \
        -fsanitize=address,undefined -fno-sanitize-recover=all \
        examples/formats/$name.c -lm -o $work/$name
    is "$name compiles" 0 $?
    echo a >$work/a
    if [ $name = guava ]; then
        golden 21
        for s in -0 -1; do
            tool build $s 10 0.01 $work/small <$work/a
            bent $work/small 6 '0:[01]|1:[1-9].*'
        done
        foreign_to_guava
        real_guava
    elif [ $name = cassandra ]; then
        golden 9
        tool build 10 0.01 $work/small <$work/a
        bent $work/small 8 '3:([1-9]|1.|20|21)'
        foreign_to_cassandra
        sizes_of_cassandra
    else
        golden 6
        tool build -V1 10 0.01 $work/small <$work/a
        bent $work/small 12 '7:(4|6|71)'
        tool build -s 7 10 0.01 $work/small <$work/a
        bent $work/small 16 '7:(4|6|71)|([89]|10|11):.*'
        foreign_to_spark
        seeds
    fi
    refuse "usage: $name build" fly
    if [ $name = guava ]; then
        usage
        lines
        kept
    fi
    echo "$name: $((passed - before)) passed"
done
counted
