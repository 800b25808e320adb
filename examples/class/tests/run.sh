# `make check-class` runs this script. The exercise compiles without a warning, runs,
# and prints its TODOs. With the functions of mini.c, the checker finds that all is
# right. Wrong solutions, one for each kind of mistake, are made from mini.c by sed;
# the checker must report each in the right part, with the text that helps. Then
# sweep.c must measure the predicted rates, and gnuplot must draw them; with ALL=1,
# tables.c, too.
cd "$(dirname "$0")/../../.." && mkdir -p build/class || exit 1
. tests/helpers.sh
each_must_end
need gnuplot gnuplot-nox
enough
class=examples/class
all="-std=c99 -Wall -Wextra -pedantic -I."

sh tests/prints.sh examples/class/exercise.c:-lm >build/class/says
sum exercise build/class/says

# judge FILE [OPTION]: runs the checker on FILE. Its output goes to
# build/class/said.
judge() {
    ${CC:-cc} $all $2 "-DSTUDENT=\"$PWD/$1\"" $class/checker.c -lm \
        -o build/class/check 2>build/class/warnings || return 9
    build/class/check >build/class/said 2>&1
}
says() { grep -q -e "$1" build/class/said; }

judge $class/exercise.c
is 'the exercise as it is: status' 1 $?
is 'the exercise as it is: no warning' "" "$(cat build/class/warnings)"
check 'no part is right' says '^0 of 10 parts are right. Next: m and k.$'
check 'no rates of wrong bits' says '^not yet 10\. the rate: it is measured when part 1 is'
check 'no rates of wrong bits' [ "$(grep -c expected build/class/said)" -eq 0 ]
for todo in 1 2 3 4 5; do
    check "TODO $todo is named" says "TODO $todo is still to be done"
done

# rates WHAT SED COUNT: the checker prints so many rates of the changed solution.
rates() {
    sed "$2" build/class/solved.c >build/class/rates.c
    judge build/class/rates.c
    is "$1: rates" "$3" "$(grep -c expected build/class/said)"
}

# Replaces each function of the exercise that has a TODO by that of mini.c.
awk '
    FNR == 1 { file++ }
    /^static .*\(/ && !/;|}/ {
        name = $0; sub(/\(.*/, "", name); text = ""; on = 1
    }
    !on { if (file == 2) print; next }
    { text = text $0 "\n" }
    /^}/ || /^static .*}$/ {
        if (file == 1) body[name] = text
        else if (text ~ /TODO/) { printf "%s", body[name]; replaced++ }
        else printf "%s", text
        on = 0
    }
    END { exit replaced != 5 }' examples/mini.c $class/exercise.c \
    >build/class/solved.c
is 'the exercise has five functions with a TODO' 0 $?
for solved in build/class/solved.c examples/mini.c; do
    judge $solved
    is "$solved: status" 0 $?
    is "$solved: no warning" "" "$(cat build/class/warnings)"
    is "$solved: right" 10 "$(grep -c '^right ' build/class/said)"
done

rates 'a right solution' '' 10
rates 'another hash' 's/scramble(key + golden)/scramble(key)/' 10
rates 'a lost key' '/^static int filter_may/,/^}/s/return maybe/return !maybe/' 0

# wrong PART SED WORDS [RIGHT]: SED makes a mistake in mini.c. The checker must
# report it in this part with these words. The parts before it, and the parts
# RIGHT, must be right. -Og takes half of the time.
wrongs=0
wrong() {
    wrongs=$((wrongs + 1))
    sed "$2" examples/mini.c >build/class/wrong.c
    cmp -s build/class/wrong.c examples/mini.c && bad "$2: changes nothing"
    judge build/class/wrong.c -Og
    is "$2: status" 1 $?
    check "$2: is reported: $(grep "^not yet *$1\." build/class/said)" \
        says "^not yet *$1\..*$3"
    before=$(awk -v n="$1" '$1 == "right" && $2 + 0 < n' build/class/said |
        wc -l)
    is "$2: the parts before it are right" $(($1 - 1)) $((before))
    for part in $4; do
        check "$2: part $part is right" says "^right *$part\."
    done
}

# k and m
wrong 1 's/ln_2 + 0.5)/ln_2)/' 'Yours is 6: one too few' '2 3 4 5 6 7 9'
wrong 1 's/log(1 \/ p) \/ ln_2 + 0.5/log(1 \/ p) + 0.5/' \
    'log2(x) is log(x) / log(2)'
wrong 1 's/ceil(/floor(/' 'rounded down' '2 3 4 5 6 7 9'
wrong 1 's/ceil(\(n.*ln_2)\) \/ 64) \* 64/ceil(\1)/' \
    \
    'not a multiple of 64'
wrong 1 's/(ln_2 \* ln_2)/ln_2/' 'ln 2 were not squared'
wrong 1 's/f.m = (uint64_t)m;/f.m = (uint64_t)m \/ 8;/' 'the number of bytes'
wrong 1 's/ \&\& p <= 0.5//' 'must return bits = NULL'
wrong 1 's/m < 4294967296.0/m < 4294967297.0/' 'm would be 2^32, when rounded' \
    '2 3 4 5 6 7 9'
wrong 1 's/(unsigned char \*)calloc.*/NULL;/' 'returns no bits'
wrong 1 's/calloc(\(.*\), 1)/malloc(\1)/' 'malloc does not clear memory' \
    '2 3 4 5 6 7'
wrong 1 's/f.m \/ 8, 1)/f.m \/ 64, 1)/' 'm / 8 = 1200 are needed' '2 3 4 5 6 7'
# the hash
wrong 2 's/bytes\[--to\]/(uint64_t)(signed char)bytes[--to]/' \
    'a char has a sign' '1 4 5 6 7 9'
wrong 2 's/bytes\[--to\]/bytes[from++]/' 'the first byte must be the lowest'
wrong 2 's/uint64_t x = 0;/unsigned x = 0;/' 'an int is too narrow'
wrong 2 's/while (to > from)/while (to > 0)/' 'use `from`'
wrong 3 's/scramble(key + golden)/scramble(key)/' \
    'the start is missing' '4 5 6 7 9'
wrong 3 's/load(at, 8, left) \* b/load(at, 8, left) * a/' \
    'all of them have a tail'
# the walk
factor=0xD1342543DE82EF95U
walk='/uint64_t bit = ((h->x/s/=.*/='
wrong 4 "$walk h->x % m;/" 'that is x % m' '5 6 7 9'
wrong 4 "$walk h->x * m >> 32;/" 'shift high \* m + (low \* m >> 32) right by 32'
wrong 4 "$walk (h->x >> 32) * m >> 32;/" \
    'low \* m may carry' '5 6 7 9'
wrong 4 "$walk h->x >> 32;/" 'that is not below m'
wrong 4 's/^    h->x += h->y;//' 'x stays'
wrong 4 's/^    h->y \*= 0x.*//' 'the step y stays the same' '5 6 7 9'
wrong 4 "s/h->x += h->y/z/; s/h->y \*= $factor/h->x += h->y/
         s/z;\$/h->y *= $factor;/" \
    'first x += y, and then' '5 6 7 9'
wrong 4 "/h->x += h->y/d; /h->y \*= 0x/d
         s/^    uint64_t bit = ((h->x/    h->x += h->y;\\
    h->y *= $factor;\\
&/" \
    'the bit after the step' '5 6 7 9'
# adding: mistakes in filter_add only
add='/^static int filter_add/,/^}/s'
wrong 5 "$add/1 << bit % 8/128 >> bit % 8/" 'reverse order' '1 2 3 4 7'
wrong 5 "$add/|= (uns/= (uns/" 'set bits must stay set' '1 2 3 4 7'
wrong 5 "$add/i < f->k/i < f->k - 1/" 'a key sets k - 1 bits' '1 2 3 4 7'
wrong 5 "$add/bits\[bit \/ 8\] |=/bits[bit \/ 7] |=/" \
    'outside of the m bits\|byte i / 8'
wrong 6 "$add/return is_new/return !is_new/" \
    'the other way round' '1 2 3 4 5 7 8 9'
wrong 6 "$add/return is_new/return 1/" 'always returns 1' '1 2 3 4 5 7 8 9'
wrong 6 "$add/is_new |=/is_new =/" 'One of them is enough' '1 2 3 4 5 7 8 9'
wrong 5 "$add/uint64_t bit/bit/; $add/int i, is_new = 0/&;\\
    uint64_t bit = walk_on(\&h, f->m)/" \
    'the first of the k bits is never set' '1 2 3 4 7'
wrong 5 "$add/uint64_t bit/bit/; $add/int i, is_new = 0/&;\\
    uint64_t bit = walk_on(\&h, f->m)/; $add/i < f->k/i < f->k - 1/" \
    'the first of the k bits is never set' '1 2 3 4 7'
# looking up
ask='/^static int filter_may_contain/,/^}/s'
wrong 7 "$ask/ && maybe;/;/; $ask/maybe = f/maybe |= f/; $ask/e = 1/e = 0/" \
    \
    'one set bit is not enough' '1 2 3 4 5 6 8 9'
wrong 7 "$ask/i < f->k/i < f->k - 1/" 'test all k' '1 2 3 4 5 6 8 9'
wrong 7 "$ask/return maybe/return !maybe/" 'must never be wrong' '1 2 3 4 5 6 8'
wrong 7 "$ask/maybe = f/maybe = ((unsigned char *)f->bits)[bit \/ 8] = f/" \
    \
    'a lookup must not change the filter'
wrong 7 "$ask/int i, maybe = 1;/&\\
    walk_on(\&h, f->m);/" 'the first of the k bits is never tested' '1 2 3 4 5 6'

# stops PART SED WORDS: the student's code crashes or does not end in this part
stops() {
    sed "$2" examples/mini.c >build/class/wrong.c
    judge build/class/wrong.c -DCHECK_SECONDS=1
    is "$2: status" 1 $?
    check "$2: is reported" says "^not yet *$1\..*$3"
    is "$2: the parts before it are right" $(($1 - 1)) \
        "$(grep -c '^right ' build/class/said)"
}
stops 4 's/h->y \*= 0x/while (m) h->y *= 0x/' 'takes too long'
stops 4 "$walk h->x % (m - m);/" 'it divides by 0\|that is'
stops 5 "$add/f->bits\[bit/((unsigned char *)0)[bit/g" \
    'crashes: it reads or writes'
echo "class: $wrongs wrong solutions, each reported in its part"

# sweep.c refuses a file with a TODO that it needs, and only then.
for todo in 2 3 4 5; do
    awk -v keep="TODO($todo," '/TODO\([1-5],/ && !index($0, keep) { next }
        { print }' $class/exercise.c >build/class/todo.c
    ${CC:-cc} $all "-DSTUDENT=\"$PWD/build/class/todo.c\"" \
        $class/sweep.c -lm -o build/class/sweep 2>build/class/warnings
    build/class/sweep >build/class/sweep.csv 2>build/class/said
    is "sweep: TODO $todo: status" 2 $?
    is "sweep: TODO $todo: nothing printed" "" "$(cat build/class/sweep.csv)"
    check "sweep: TODO $todo: message" says "TODO $todo is still to be done"
done

# sweep.c: 80 points are within four sigma, and its command draws them.
${CC:-cc} $all -O2 "-DSTUDENT=\"$PWD/build/class/solved.c\"" \
    $class/sweep.c -lm -o build/class/sweep 2>build/class/warnings
is 'sweep: no warning' "" "$(cat build/class/warnings)"
build/class/sweep >build/class/sweep.csv 2>build/class/sweep.gnuplot
awk -F , 'NR == 1 { if ($0 != "n,m,k,measured,predicted") exit 1; next }
    { n = $1; m = $2; k = $3; p = $5
      fill = exp(-k * n / m)            # the share of zeros, and its variance
      by_fill = sqrt((fill - (1 + k * n / m) * fill * fill) / m) / (1 - fill)
      sigma = sqrt(p * (1 - p) / 1e5 + (p * k * by_fill) ^ 2) + 5e-6
      d = $4 - p; if (d < 0) d = -d
      # In small filters the textbook rate is low by k^2 / 2 of that variance.
      if (d > 4 * sigma + p * k * k / 2 * by_fill ^ 2) { print; bad = 1 } }
    END { exit bad || NR != 81 }' build/class/sweep.csv
check 'sweep: measured as predicted' [ $? -eq 0 ]
(cd build/class && GNUTERM=svg sh sweep.gnuplot >sweep.svg 2>gnuplot.err)
is 'sweep: no message from gnuplot' "" "$(cat build/class/gnuplot.err)"
is 'sweep: four curves are drawn' 4 \
    "$(grep -c 'bits per key<.tspan' build/class/sweep.svg)"

if [ -n "$ALL" ]; then
    sh tests/prints.sh examples/class/tables.c:-lm >build/class/says
    sum tables build/class/says
    check 'tables: draws a chart' grep -q '<svg' build/tables.svg
else
    echo 'skipped: tables.c (make check-class ALL=1)'
fi
counted
