# The command line: what is said, and what is refused

for word in --help -h help; do try "$word" 0 $word; says out 'bloom uniq'; done
try version 0 --version; says out "bloom $(
    sed -n 's/.* BLOOM_VERSION \([0-9]\).*/\1/p' "$root/bloom.h")."
try 'help of a verb' 0 uniq --help; says out 'usage: bloom uniq'
hint() {        # hint LINE: which is all that follows what is wrong
    is "$what: a hint" "$1" "$(sed 1d err)"
}
refuse 'no verb is given; bloom help tells'; hint 'Try: bloom help'
refuse 'fly: not one of the verbs' fly; hint 'Try: bloom help'
refuse 'fly: not one of the verbs' help fly; hint 'Try: bloom help'
refuse '-x: no such option' uniq -x; hint 'Try: bloom help uniq'
refuse '-n 0: not a whole' build -n 0 f a; hint 'Try: bloom help build'
refuse '--fast: no such option' uniq --fast
refuse '-j: no such option' uniq -j 2
for word in --f --fixe --n --no-wai --sav --s=5; do         # not abbreviated
    refuse "$word: no such option" uniq -f nil "$word" 5 a
done; is 'no abbreviation does anything' no "$([ -e nil ] || echo no)"
refuse '-n: needs a value' uniq -n
refuse '--save: needs a value' uniq -f nil --save
refuse 'b: one word too many' info a b
for v in build add check info dump; do refuse "$v: needs 1 file" $v; done
refuse 'merge: needs 2 files' merge f; hint 'Try: bloom help merge'
for n in 0 -1 1.5 x 1e 1e19 0x10 '' 1k nan; do
    refuse "-n $n: not a whole number from 1 to 1e18" uniq -n "$n"
done < /dev/null
for p in 0 1 -0.1 100% x nan '' 0.1x; do
    refuse "-p $p: the rate must be between 0 and 1" uniq -p "$p"
done < /dev/null
refuse '-p 1e-300: so low a rate no filter can keep' build -p 1e-300 f a
refuse '-w 16: must be 64 or 32' build -w 16 f
refuse '-l odd: must be classic, blocked or counting' build -l odd f
for s in x -1 1x 99999999999999999999 0x 08x; do
    refuse "-s $s: not a" build -s $s f
done
for k in 0 x 2,1 1, 1,x -1 ''; do refuse "-k $k: not N or N,M" uniq -k "$k"; done
for t in '' ab; do refuse "-t $t: must be one char" uniq -k 1 -t "$t"; done
refuse '-t: there are no fields; give -k N' uniq -t :
for j in 0 65 x 2x; do refuse "-j $j: not a whole number" build -j $j f; done
refuse '--save 0: not a whole number' uniq -f nil --save 0
refuse '--save: there is no FILE; give -f FILE' uniq --save 5
refuse '-l counting: cannot grow; give -n N' uniq -l counting
refuse '-n 1000000000000000000 -p 0.001: more' build -n 1e18 f
refuse '-l blocked: has hashes of 64 bits only' build -l blocked -w 32 f a
refuse '-l blocked: has hashes of 64 bits only' uniq -w 32 -l blocked --last 9
refuse '-w 32: too narrow for 1000000000 lines' build -w 32 -n 1e9 f
refuse '-w 32: too narrow for 9 lines' build -w 32 -n 9 -p 1e-11 f
for words in 'uniq -f -' 'build -' 'add -' 'merge - a b'; do
    refuse '-: cannot hold a filter, which replaces a file' $words < a
done
for words in 'check -' 'info -' 'dump -' 'merge f - a'; do
    refuse '-: is no name of a filter; one from a pipe is' $words < a
done
is 'no file named -' no "$([ -e - ] || echo no)"
for s in 010:10 0x10:16; do
    try "-s $s" 0 build -n 900 -s ${s%:*} f a; try "-s $s" 0 info f
    says out "seal:"; says out "seed:            ${s#*:}"
done; rm -f f

# Options that mean different things are explained by each verb for itself
for verb in merge fold build uniq; do "$bloom" help $verb > help-$verb; done
what='help of merge'; says help-merge 'with --fold: the rate that the union is'
says help-merge 'make OUT as small as -p P allows for the lines in the union'
what='help of fold'; says help-fold 'the rate that is to be kept'
says help-fold 'leave room for so many lines, if fewer are in it'
for verb in merge fold; do
    is "help $verb: no other verb's text" '' \
        "$(grep -e 'if not given' -e build -e uniq help-$verb)"
done
what='help of build'; says help-build 'needs -n N, the most lines'
says help-build '0.001, or 0.1%, if not given'; rm help-*

# Zeros do not lie in the program's file
if command -v nm > /dev/null; then
    is 'no variable of 64 KB is stored' '' "$(nm -S "$bloom" |
        awk 'NF == 4 && $3 ~ /[dD]/ && $2 !~ /^0*.?.?.?.?$/')"
else
    echo "skipped: what is in the program's file (Debian package binutils)"
fi

# The page shows what its source says
if command -v mandoc > /dev/null; then
    mandoc -T ascii "$root/examples/bloom/bloom.1" > page
    says page 'bloom uniq -k 1,1 -t , a.csv b.csv'
else
    echo 'skipped: the page as mandoc shows it (Debian package mandoc)'
fi

# The help, the page and the completion know the same options of each verb
page=$root/examples/bloom/bloom.1
for verb in uniq build add check info merge fold dump; do
    what="options of $verb"
    "$bloom" help $verb | sed -n 's/^  \(-[^ ]*\) .*/\1/p' > options
    "$bloom" help $verb | sed '/^$/q' | tr -s '[] ' '\n' |
        sed -n 's/^\(-[a-z-]*\).*/\1/p' | sort -u > synopsis
    sort options > sorted; same sorted synopsis
    while read -r option; do
        option=$(printf %s "$option" | sed 's/^-//; s/^-/\\\\-/')
        is "$what: $option is on the page" 1 \
            "$(grep -c -e "^\.It Fl $option\$" -e "^\.It Fl $option " "$page")"
    done < options
    is "$what: its synopsis is on the page" 1 \
        "$(sed '/Sh DESCR/q' "$page" | grep -c "^\.Cm $verb\$")"
    is "$what: its text is on the page" 1 "$(grep -c "^\.It Cm $verb\$" "$page")"
    if command -v bash > /dev/null; then
        bash -c ". '$root/examples/bloom/bloom.bash'
            COMP_WORDS=(bloom $verb -) COMP_CWORD=2; _bloom
            printf '%s\n' \"\${COMPREPLY[@]}\"" | grep . | sort > completed
        same completed sorted
    fi
done
command -v bash > /dev/null ||
    echo 'skipped: the completion of bash (Debian package bash)'
