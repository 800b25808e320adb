# bloom uniq: lines, its output, and more than N lines. Alone has long lines, NUL in
# lines, and the recipes of the README

printf 'a\nb\na\n\nb\n\nc' > in; printf 'a\nb\n\nc\n' > want
try uniq 0 uniq < in; same out want; try 'of a file' 0 uniq in; same out want
try 'of files' 0 uniq in - in < in; same out want
printf 'a\0b\na\0c\na\0b\na\ra\r\na\n\na\n' > in
printf 'a\0b\na\0c\na\ra\r\na\n\n' > want
try 'NUL and CR' 0 uniq -n 9 -p 0.1% < in; same out want
try 'empty input' 0 uniq < /dev/null; same out /dev/null
long() { dd if=/dev/zero bs=1000000 count=5 2> /dev/null | tr '\0' x; }
{ long; echo; long; echo y; long; echo; long; } > in
{ long; echo; long; echo y; } > want
try 'long lines' 0 uniq < in; same out want
cat many many > twice
try 'many lines' 0 uniq -n 2e5 -p 1e-9 < twice; same out many
what='lines do not wait for others'; : > out
{ echo a; wait_for out; cat out > now; } | "$bloom" uniq > out
is "$what" a "$(cat now)"

printf 'a\nb\na\nc\na\n' > in; printf 'a\na\n' > want
try -d 0 uniq -d < in; same out want
try -c 0 uniq -c < in; printf '3 new\n2 seen\n' > want; same out want
try '-c of nothing' 0 uniq -c < /dev/null
printf '0 new\n0 seen\n' > want; same out want
try '-d with a file' 0 uniq -f f -n 99 < in; try -d 0 uniq -d -f f < in
same out in; rm f
for layout in classic blocked counting; do
    try "-l $layout" 0 uniq -f f -n 2000 -l $layout -s 5 -p 1e-9 ab
    try "-l $layout" 0 info f; says out "layout:          $layout"
    says out 'seed:            5'; near 1000; rm f
done
try 'the default -n' 0 uniq -f f --fixed -l counting a; same out a; rm f
try '-w 32' 0 uniq --fixed -f f -n 2000 -w 32 a; try '-w 32' 0 info f
says out 'hash width:      32'
rm f

# Beyond N lines it grows, and keeps the rate (plan.sh has more). --fixed and
# counting filters do not grow
few_lost() {    # of 200000 lines, at most 0.1% are lost: 258 with chance
    is "$what: few are lost" yes \
        "$(wc -l < out | awk '{ print ($1 >= 199742 ? "yes" : $1) }')"
}
try 'past N' 0 uniq -n 100 many; few_lost
try 'past N' 0 uniq -n 100 -l classic many; few_lost
head -n 100 many > hundred; try 'at N' 0 uniq --fixed -n 100 < hundred
try 'at N' 0 uniq --fixed -n 100 -f f < hundred; try 'at N' 0 merge g f f; rm f
try 'a chain' 0 uniq -f chain many; few_lost; rm chain
try 'far beyond N' 0 uniq -n 100 -f f many
try 'it has grown' 0 info f; says out 'links:           '
says out 'it grows as lines are added'
try 'known' 0 check -c f many; says out '200000 in'
try 'again' 0 uniq -f f many; same out /dev/null
try 'more' 0 uniq -c -f f b; says out '0 new'
numbers 200001 400000 > more
try 'more' 0 uniq -f f more; few_lost
refuse 'f: a filter that grows (made by uniq without --fixed) cannot be merged' \
    merge g f f
rm f; refuse '-w 32: does not work with a filter that grows' uniq -w 32 -f f a

# The recipes of the README
sed -n '/^## Recipes/,/^## How/s/^    //p' "$root/examples/command/README.md" |
    sed 's/^bloom/$bloom/; s/| bloom/| $bloom/g; s/; bloom/; $bloom/' > recipes
{ numbers 1 9000; numbers 1 6000; numbers 1 3000; numbers 1 10; } > w
numbers 9001 9100 > more; begin; what='the recipes'
is "$what: commands" 5 "$(grep -c '^$bloom' recipes)"
bloom=$bloom sh -e ./recipes > out 2>&1; is "$what" 0 $?; empty "$what" out
between() {     # between FILE FIRST LAST MISSING WRONG: numbers; and most others
    is "$what: $1" yes "$(awk -v first=$2 -v last=$3 -v missing=$4 -v wrong=$5 '
        $1 >= first && $1 <= last { right++; next } { others++ }
        END { good = last - first + 1 - right <= missing && others <= wrong
              print good ? "yes" : right " right, " others " others" }' "$1")"
}
between single 6001 9000 16 0; between thrice 1 3000 0 16; between w 1 9100 24 0
