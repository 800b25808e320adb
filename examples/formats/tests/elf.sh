# Run by run.sh, after make libbloom: compares examples/formats/elf.c with
# `nm -D` on every eighth library of this machine, on the C library and on those of
# the cross compilers; and with elf.py on both classes and byte orders. A name that
# nm shows with a small letter is local and in no filter. EACH=1 tests all libraries.
cd "$(dirname "$0")/../../.." && mkdir -p build/elves || exit 1
. tests/helpers.sh

sh tests/prints.sh examples/formats/elf.c >build/elves/says
sum elf build/elves/says

# maybes LIBRARY < NAMES: prints those that may be exported
maybes() { xargs build/elf "$1" | sed -n 's/: maybe$//p'; }

# as_told LIBRARY: is the rate within four sigma of the expected one?
as_told() {
    build/elf "$1" | awk '{
        n = $7; away = $10; p = 1 - $NF / 100
        sigma = sqrt(n * p * (1 - p)) + n * 0.00005         # p is rounded
        d = away - n * (1 - p)
        exit !(n == 100000 && d <= 4 * sigma && -d <= 4 * sigma) }'
}

libraries() {
    ls /lib/*.so* /lib/*/*.so* /usr/lib/*.so* /usr/lib/*/*.so* \
        /usr/*-linux-gnu*/lib/lib[cm].so.6 /usr/lib32/lib[cm].so.6 2>/dev/null |
        xargs -r readlink -f | sort -u | xargs -r grep -l '^.ELF' |
        awk -v n="${EACH:-8}" 'NR % n == 0 || /lib[cm].so/'
}

names=0 count=0
for library in $(libraries); do
    nm -D --defined-only "$library" 2>/dev/null |
        awk '$(NF - 1) ~ /[A-Zivuw]/ { print $NF }' | sed 's/@.*//' |
        sort -u >build/elves/in.txt
    [ -s build/elves/in.txt ] &&
        build/elf "$library" x >/dev/null 2>build/elves/err || {
        continue
    }
    maybes "$library" <build/elves/in.txt | cmp -s - build/elves/in.txt &&
        ok || bad "$library: a name that nm -D lists is not found"
    check "$library: the rate is as expected" as_told "$library"
    count=$((count + 1)) names=$((names + $(wc -l <build/elves/in.txt)))
done
echo "elf: all $names names of $count libraries were found"

python3 examples/formats/tests/elf.py build/elves
for made in build/elves/*.so; do
    maybes "$made" <"${made%.so}.names" >build/elves/out
    same "$made" build/elves/out "${made%.so}.maybe"
done

# bent WHY: the corrupted file build/elves/bent must be refused, for this reason
bent() {
    build/elf build/elves/bent x >build/elves/out 2>build/elves/err
    is "$1: exit status" 2 $?
    is "$1: nothing printed" "" "$(cat build/elves/out)"
    check "$1: message" grep -q "^elf: build/elves/bent: .*$1" build/elves/err
}
: >build/elves/bent
bent 'not an ELF file'
head -c 19 build/elves/64-little.so >build/elves/bent
bent 'not an ELF file'
for cut in 40 200 300; do
    head -c $cut build/elves/64-little.so >build/elves/bent
    bent 'damaged or truncated'
done
patch() {               # patch FILE OFFSET OCTAL
    cp "build/elves/$1.so" build/elves/bent
    printf "\\$3" |
        dd of=build/elves/bent bs=1 seek="$2" conv=notrunc 2>/dev/null
}
patch 64-little 4 003
bent 'unknown class'
patch 64-little 5 000
bent 'unknown class'
patch 32-big 63 000             # no words
bent 'its .gnu.hash is damaged'
patch 32-big 60 001             # 2^24 words
bent 'its .gnu.hash is damaged'
patch 64-little 76 040          # shift 32
bent 'its .gnu.hash is damaged'
for at in 83 104 202; do          # bytes of the filter
    patch 64-little $at 000
    bent 'the filter lacks a name'
done
patch 64-little 60 001          # one section
bent 'has no section .gnu.hash'
counted
