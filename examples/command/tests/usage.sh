# The command line: help, and errors. Alone compares the manual page, the help and
# the completion

for word in --help -h help; do
    try "$word" 0 $word; says out '  bloom uniq  [-f FILE] [IN...]  print each'
    is "$what: on one screen" yes "$(awk 'length > 79 { wide = 1 }
        END { print NR <= 24 && !wide ? "yes" : NR " lines" }' out)"
    is "$what: verbs and examples first" '  bloom Examples:' "$(
        awk 'BEGIN { RS = "" } NR == 2 { printf "%.7s ", $0 }
             NR == 3 { print $1 }' out)"
done
try version 0 --version; says out "bloom $(
    sed -n 's/.* BLOOM_VERSION \([0-9]\).*/\1/p' "$root/bloom.h")."
try 'help of a verb' 0 uniq --help
says out 'usage: bloom uniq [OPTION...] [-f FILE] [IN...]'
hint() {        # hint LINE: the only line after the error message
    is "$what: a hint" "$1" "$(sed 1d err)"
}
refuse 'no verb given, such as uniq or build; bloom help lists them'
hint 'Try: bloom help'
refuse 'fly: no such verb; bloom help' fly; hint 'Try: bloom help'
refuse 'fly: no such verb; bloom help' help fly; hint 'Try: bloom help'
refuse '-x: no such option' uniq -x; hint 'Try: bloom help uniq'
refuse '-n 0: must be a whole' build -n 0 f a; hint 'Try: bloom help build'
refuse '--fast: no such option' uniq --fast
refuse '-j: no such option' uniq -j 2
for word in --f --fixe --n --no-wai --sav --s=5; do         # abbreviations
    refuse "$word: no such option" uniq -f nil "$word" 5 a
done; is 'an abbreviation has no effect' no "$([ -e nil ] || echo no)"
for verb in uniq build add check merge fold; do     # at the end of the line
    "$bloom" help $verb | sed -n 's/^  \(-[^ ]*\) [A-Z].*/\1/p' > words
    for word in $(cat words); do
        refuse "$word: needs a value" $verb "$word"
        hint "Try: bloom help $verb"
    done
done; rm words
refuse '--fixed: takes no value' uniq --fixed=2
refuse '-F: no such option' uniq --no-wait -Fq
refuse 'b: unexpected argument' info a b
for v in build add check info dump; do
    refuse "$v: needs at least 1 file" $v
done
refuse 'merge: needs at least 2 files' merge f; hint 'Try: bloom help merge'
for n in 0 -1 1.5 x 1e 1e19 0x10 '' 1k nan; do
    refuse "-n $n: must be a whole number from 1 to 1e18" uniq -n "$n"
done < /dev/null
for p in 0 1 -0.1 100% x nan '' 0.1x; do
    refuse "-p $p: must be between 0 and 1" uniq -p "$p"
done < /dev/null
refuse '-p 1e-300: too low for any filter' build -p 1e-300 f a
refuse '-w 16: must be 64 or 32' build -w 16 f
refuse '-l odd: must be classic, blocked or counting' build -l odd f
for s in x -1 1x 99999999999999999999 0x 08x; do
    refuse "-s $s: must be a whole number below 2^64" build -s $s f
done
for k in 0 x 2,1 1, 1,x -1 ''; do
    refuse "-k $k: must be N or N,M" uniq -k "$k"
done
for t in '' ab; do refuse "-t $t: must be one byte" uniq -k 1 -t "$t"; done
refuse '-t: needs -k N' uniq -t :
for j in 0 65 x 2x; do
    refuse "-j $j: must be a whole number" build -j $j f
done
try '--save does nothing' 0 uniq --save 5 a; same out a
refuse '-f: given twice; give only one of them' uniq -f nil -f nix a
refuse '-k: given twice; give only one of them' check -k 1 -k 3 f a
is 'neither FILE is made' '' "$(ls nil nix 2> /dev/null)"
refuse '-c and -d: give only one of them' uniq -c -d a
refuse '-l counting: cannot grow, so it needs -n N or --fixed' uniq -l counting
why='too large or too accurate for'
refuse "-n 1000000000000000000 -p 0.001: $why any filter" build -n 1e18 f
which='a blocked'       # a 32-bit program has no classic one of this size, either
[ "$(od -An -tu1 -j 4 -N 1 "$bloom")" -ne 1 ] || which=any      # ELF's class
for words in 'uniq --fixed' 'uniq -f nil' 'build -l blocked f'; do
    refuse "-n 100000000000 -p 0.001: $why $which filter;" $words -n 1e11 \
        < /dev/null
done
refuse "-n 1000000000000 -p 0.001: $why $which" uniq --for 1d -n 1e12
refuse "--last 1000000000000 -p 0.001: $why $which" uniq --last 1e12
refuse "-n 1000000000000000000 -p 0.001: $why any filter" uniq --fixed -n 1e18
refuse '-l blocked: needs 64-bit hashes' build -l blocked -w 32 f a
refuse '-l blocked: needs 64-bit hashes' uniq -w 32 -l blocked --last 9
refuse '-w 32: too narrow for 1000000000 lines' build -w 32 -n 1e9 f
refuse '-w 32: too narrow for 9 lines' build -w 32 -n 9 -p 1e-11 f
for words in 'uniq -f -' 'build -' 'add -' 'merge - a b'; do
    refuse '-: cannot write a filter to standard output' $words < a
done
for words in 'check -' 'info -' 'dump -' 'merge f - a'; do
    refuse '-: is not the name of a filter; to read one' $words < a
done
is 'no file named -' no "$([ -e - ] || echo no)"
for s in 010:10 0x10:16; do
    try "-s $s" 0 build -n 900 -s ${s%:*} f a; try "-s $s" 0 info f
    says out "seal:"; says out "seed:            ${s#*:}"
done; rm -f f

# If an option means different things, the help of each verb explains its own
for verb in merge fold build uniq; do "$bloom" help $verb > help-$verb; done
what='help of merge'
says help-merge 'with --fold: false-positive rate of the union'
says help-merge 'shrink OUT to the smallest possible size that keeps'
what='help of fold'; says help-fold 'false-positive rate of the result'
says help-fold 'keep the rate P for at least N lines'
for verb in merge fold; do
    is "help $verb: no other verb's text" '' \
        "$(grep -e default -e uniq -e 'lines expected' help-$verb)"
done
what='help of build'; says help-build '-n N is then the most lines'
says help-build 'default 0.001, which is 0.1%'; rm help-*

# The executable file contains no large arrays of zeros
if command -v nm > /dev/null; then
    is 'no variable of 64 KB is stored' '' "$(nm -S "$bloom" |
        awk 'NF == 4 && $3 ~ /[dD]/ && $2 !~ /^0*.?.?.?.?$/')"
else
    echo "skipped: arrays in the executable file (Debian package binutils)"
fi

# mandoc shows the man page as its source means it
if command -v mandoc > /dev/null; then
    mandoc -T ascii "$root/examples/command/bloom.1" > page
    says page 'bloom uniq -k 1,1 -t , a.csv b.csv'
else
    echo 'skipped: the man page in mandoc (Debian package mandoc)'
fi

# The man page has the verbs and options of the help, and no others. The
# completion has them, too
page=$root/examples/command/bloom.1
"$bloom" --help | sed -n '/^Examples/q; s/^  bloom \([a-z]*\) .*/\1/p' > verbs
is 'all verbs' 8 $(wc -l < verbs)
: > options
while read -r verb; do
    "$bloom" help $verb | sed -n 's/^  \(-[^ ]*\) .*/\1/p' | sort > $verb.options
    cat $verb.options >> options
    what="$verb in the man page"
    is "$what: its synopsis" 1 \
        "$(sed '/Sh DESCR/q' "$page" | grep -c "^\.Cm $verb\$")"
    is "$what: its text" 1 "$(grep -c "^\.It Cm $verb\$" "$page")"
done < verbs
sort -u options | sed 's/^-//' > want; what='options of the man page'
sed -n '/^.Sh EXIT/q; s/^\.It Fl \([^ ]*\).*/\1/p' "$page" | tr -d '\\' |
    sort > found
LC_ALL=C sort want > wanted; LC_ALL=C sort found > there; same there wanted
if command -v bash > /dev/null; then
    complete() {        # complete WORD...: what bash offers for the last one
        bash -c '. "$0"; bloom=$1; shift
            COMP_WORDS=(bloom "$@") COMP_CWORD=$#
            _bloom "$bloom" "${COMP_WORDS[$#]}" "${COMP_WORDS[$# - 1]}"
            printf "%s\n" "${COMPREPLY[@]}"' \
            "$root/examples/command/bloom.bash" "$bloom" "$@" | grep . | sort
    }
    while read -r verb; do
        what="completion of $verb"; complete $verb - > completed
        same completed $verb.options
    done < verbs
    what='completion of verbs'; complete help '' > completed
    sort verbs > want; same completed want
    complete uniq -l b > completed; is "$what: -l" blocked "$(cat completed)"
    complete uniq -n '' > completed; is "$what: -n" '' "$(cat completed)"
    touch 'my file'
    complete uniq -f my > completed; is "$what: -f" 'my file' "$(cat completed)"
else
    echo 'skipped: completion in bash (Debian package bash)'
fi
