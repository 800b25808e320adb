# bloom dump: C arrays, with comments that describe the filter. Alone compiles them

compile() {     # compile WHAT FILE OPTION...: to rom, with messages in err
    what=$1 source=$2; shift 2
    ${CC:-cc} -std=c99 -Wall -Wextra -pedantic -Werror "$@" -I"$root" "$source" \
        -o rom 2> err
}
cp f1% 9-odd.bloom; try dump 0 dump ../command.$$/9-odd.bloom
says out 'BLOOM_TINY cannot read it'
cat out - > rom.c <<'END_OF_C'
#define BLOOM_STATIC
#include "bloom.h"
#include <stdio.h>
int main(void)
{
    const bloom *b = bloom_view(_9_odd_bloom, sizeof _9_odd_bloom, NULL);
    return !b || fwrite(b, 1, bloom_size(b), stdout) != bloom_size(b);
}
END_OF_C
compile dump rom.c && ./rom > image; is "$what" 0 $?; same image f1%
compile 'dump for BLOOM_TINY' rom.c -DBLOOM_TINY; is "$what" 1 $?
says err 'BLOOM_TINY reads classic filters of hash width 32 only'
try 'a tiny one' 0 build -w 32 9-odd.bloom a; try dump 0 dump 9-odd.bloom
is "no #error" 0 "$(grep -c TINY out)"
{ cat out; sed -n '/^#define BLOOM_STATIC/,$p' rom.c; } > tiny.c
compile 'dump of a tiny one' tiny.c -DBLOOM_TINY && ./rom > image
is "$what" 0 $?; same image 9-odd.bloom

try 'a grown one' 0 uniq -f grown -n 100 a; try dump 0 dump grown
links=$("$bloom" info grown | sed -n 's/^links: *\([0-9]*\);.*/\1/p')
is 'arrays' $links "$(grep -c '^const unsigned char grown_' out)"
says out "a key may be in if any of grown_0 to grown_$((links - 1)) contains it"
{
    cat out
    printf '#include <stdio.h>\nint main(void)\n{\n'
    for i in $(numbers 0 $((links - 1))); do
        printf '    fwrite(grown_%s, 1, sizeof grown_%s, stdout);\n' $i $i
    done
    printf '    return 0;\n}\n'
} > rom.c
compile 'dump of a grown one' rom.c && ./rom > image; is "$what" 0 $?
tail -c +33 grown > want; same image want
rm grown
