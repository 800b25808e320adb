# bloom fold, build --fold and merge --fold make the filter that the same lines
# would have made at that size. Alone compares the two

bytes() { wc -c < "$1" | tr -d ' '; }
narrow() {      # narrow FILE N P: at most 1.1 times the size for N lines
    "$bloom" build -n "$2" -p "$3" -l $layout least /dev/null
    is "$what: is small" yes "$(awk -v a="$(bytes "$1")" -v b="$(bytes least)" \
        'BEGIN { print (a >= b / 1.02 && a <= 1.1 * b) ? "yes" : a " of " b }')"
}
# rate FILE P: of 100000 absent lines, at most the share P and four standard
# deviations are false positives
rate() {
    "$bloom" check -c "$1" strangers > out
    is "$what: keeps P" yes "$(awk -v p="$2" 'NR == 1 { n = 100000
        print ($1 <= n * p * 1.02 + 4 * sqrt(n * p)) ? "yes" : $1 }' out)"
}
numbers 1000001 1100000 > strangers; numbers 1 20000 > some
for layout in classic blocked counting; do
    what="fold, $layout"
    try "$what" 0 build -n 1e6 -p 0.01 -l $layout --foldable f some; cp f wide
    try "$what" 0 fold -p 0.01 f; narrow f 20000 0.01; rate f 0.01
    try "$what" 1 check -v f some; try "$what" 0 info f
    says out 'seal:            sealed and intact'
    cp wide g
    try "$what" 0 fold --by $((($(bytes wide) - 32) / ($(bytes f) - 32))) g
    same g f; what="fold -n, $layout"
    cp wide g; try "$what" 0 fold -p 0.01 -n 60000 g; narrow g 60000 0.01
    cp wide g; try "$what" 0 fold -p 0.01 -n 10 g; same g f
    what='fold again'
    warned 0 'g: unchanged: it has the size that ' fold -p 0.01 g; same g f

    what="build --fold, $layout"
    fed some try "$what" 0 build -n 1e6 -p 0.01 -l $layout --fold g pipe
    same g f
    what="merge --fold, $layout"; numbers 1 12000 > part.1
    numbers 8001 20000 > part.2; rm -f g
    for i in 1 2; do
        try "$what" 0 build -n 1e6 -p 0.01 -l $layout --foldable g.$i part.$i
    done
    [ $layout = counting ] ||           # where a merge adds counters
        { try "$what" 0 merge --fold -p 0.01 g g.1 g.2; same g f; }
done

try 'much too large' 0 build -n 1e6 -p 0.01 --fold f a
layout=classic what='much too large'; narrow f 600 0.01; rate f 0.01

# 1361 * 64 cells, a prime number of words, for which --foldable was forgotten
try 'a prime' 0 build -n 9075 -p 0.01 g a
warned 0 'g: unchanged: m = ' fold -p 0.01 g
says err ' has no divisor that keeps p = 0.01; a filter built with --fold'

# Impossible folds are refused, and FILE is unchanged
cp f was
refuse 'f: too small for ' fold -p 1e-6 f; same f was
refuse 'f: too small for 900000 lines at p = 0.01' fold -p 0.01 -n 9e5 f
same f was
refuse 'f: m = ' fold --by 7e9 f
says err ' divided by 7000000000 is not a multiple of 64; give another D'
same f was
refuse 'fold: needs -p P, the false-positive rate, or --by D' fold f
refuse '--by: determines the size alone; leave out' fold --by 2 -p 0.1 f
refuse '--by 0: must be a whole number' fold --by 0 f
refuse '--fold: needs -p P, the false-positive rate' merge --fold g f f
refuse '-p: needs --fold' merge -p 0.1 g f f
refuse 'nosuch: No such file' fold --by 2 nosuch
try 'a chain' 0 uniq -f chain a; cp chain was
refuse 'chain: a filter that grows (made by uniq without --fixed) cannot' \
    fold -p 0.1 chain; same chain was
overwrite f 40 '\0\0\0\0\0\0\0\0'; cp f was
refuse 'f: corrupt' fold --by 2 f; same f was
try 'full' 0 build -n 1 -p 0.5 f /dev/null; "$bloom" add f many 2> err
refuse 'f: every cell is set' fold -p 0.1 f
what='more lines than -n'
warned 3 'f: holds more than 300 lines' build -n 300 -p 0.01 --fold f many
try "$what" 0 check -c f many
says out '200000 in'
what='union too large'; warned 3 g: merge --fold -p 0.01 g f f
says err '% of new lines are now taken for known, not 1%; make a'
same g f; rm -f f g g.1 g.2 chain wide least some strangers
