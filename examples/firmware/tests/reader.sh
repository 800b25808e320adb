# Run by run.sh: tests reader.h. On this machine it is compared with bloom.h in
# 2 * 10^6 lookups. Then it is compiled by sdcc for the 8051, STM8 and Z80, and by
# cc65 for the 6502, and looks 300 keys up in their simulators. The answers must be
# those of bloom.h. It prints how much code the reader takes, with the functions of the
# compiler's library. It ends with "N passed, N failed".
. tests/helpers.sh
each_must_end
dir=build/reader-chips
rm -rf $dir && mkdir -p $dir
need sdcc sdcc
need sz80 sdcc-ucsim
need sim65 cc65
enough
source=examples/firmware/tests/reader_chip.c
cc="${CC:-cc} -std=c99 -O2 -Wall -Wextra -pedantic -I."

$cc examples/firmware/tests/reader.c -o $dir/reader && $dir/reader >$dir/out
sum 'here' $dir/out
grep '^reader' $dir/out
$cc $source -o $dir/bloom && $dir/bloom >$dir/wanted
is 'both answers, and 300 of them' '0 1 300' \
    "$(tr -d '\n' <$dir/wanted | sed 's/./&\n/g' | sort -u | tr '\n' ' ' |
        sed 's/ $//') $(tr -d '\n' <$dir/wanted | wc -c | tr -d ' ')"

# loaded FILE.ihx: the bytes of a file in Intel's hexadecimal format
loaded() {
    awk 'function digit(x) { return index("0123456789ABCDEF", x) - 1 }
         substr($0, 8, 2) == "00" {
             bytes += 16 * digit(substr($0, 2, 1)) + digit(substr($0, 3, 1)) }
         END { print bytes }' "$1"
}
# answers NAME BYTES: compares, and prints what a lookup takes
answers() {
    same "$1: the answers of bloom.h" $dir/wanted "$dir/$1.answers"
    echo "$1: reader.h takes $2 bytes of code"
}
chip() {                # chip NAME SIMULATOR MEMORY FLAGS...: with sdcc
    name=$1 simulator=$2 memory=$3
    shift 3
    sdcc "$@" $source -o $dir/$name.ihx >$dir/$name.log 2>&1 &&
        sdcc "$@" -DNOTHING $source -o $dir/$name-nothing.ihx \
            >>$dir/$name.log 2>&1 || { bad "$name: sdcc"; cat $dir/$name.log; }
    timeout $patience "$simulator" -b -e run -e quit -I "if=$memory[0x7fff]" \
        $dir/$name.ihx </dev/null 2>&1 | grep -ax '[01][01]*' >$dir/$name.answers
    answers $name $(($(loaded $dir/$name.ihx) - $(loaded $dir/$name-nothing.ihx)))
}
chip 8051 s51 xram -mmcs51 --model-large
chip STM8 sstm8 rom -mstm8 --opt-code-size
chip Z80 sz80 rom -mz80 --opt-code-size

cl65 -t sim6502 -Oi $source -o $dir/6502 && sim65 $dir/6502 >$dir/6502.answers
cl65 -t sim6502 -Oi -DNOTHING $source -o $dir/6502-nothing
rm -f "${source%.c}.o"          # cl65 leaves it beside the source
answers 6502 $(($(wc -c <$dir/6502) - $(wc -c <$dir/6502-nothing)))
counted
