# Tests `make libbloom` and `make install-libbloom`: the library exports every
# public function of bloom.h and its companions and nothing else, and programs
# can be linked with it. Part of `make test`; ends with "N passed, N failed".
. tests/helpers.sh
cc=${CC:-cc}
work=build/library
rm -rf $work
mkdir -p $work
$MAKE install-libbloom DESTDIR="$PWD/$work/root" >$work/log 2>&1 || cat $work/log

# The names are declared as EXPORTED RESULT NAME(.. once the macros are expanded.
for header in examples/companions/*.h; do
    echo "#include \"$header\""
done >$work/all.h
$cc -E -P -DBLOOM_API=EXPORTED -I. -x c $work/all.h |
    tr -s ' \n' ' ' | grep -o 'EXPORTED [^;(]*(' |
    grep -o 'bloom_[a-z0-9_]*(' | tr -d '(' >$work/names
echo bloom_version >>$work/names
sort -u $work/names >$work/declared
if command -v nm >/dev/null && command -v readelf >/dev/null; then
    # Linkers export names of their own, too; those of bloom.h are in the object.
    nm -g build/libbloom.o | awk 'NF == 3 { print $3 }' >$work/own
    nm -D build/libbloom.so | awk 'NF == 3 { print $3 }' |
        grep -x -F -f $work/own | sort >$work/exported
    is 'exported names' '' "$(diff $work/declared $work/exported)"
    is 'at least 90 names' yes \
        "$([ $(wc -l <$work/declared) -ge 90 ] && echo yes)"
    is soname "libbloom-h.so.${VERSION%%.*}" \
        "$(readelf -d build/libbloom.so | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')"
else
    echo 'skipped: exported names and soname (nm, readelf; package binutils)'
fi

# Each way to link, with the library's version
cat >$work/use.c <<'LINES'
#define BLOOM_API extern
#include "bloom.h"
extern const int bloom_version;
int main(void)
{
    bloom *b = bloom_new(10, 0.01);
    return !b || !bloom_add(b, "x", 1) || !bloom_may_contain(b, "x", 1)
        || bloom_version != BLOOM_VERSION;
}
LINES
lib=$work/root/usr/local/lib
linked() { $cc -I. $work/use.c -o $work/use "$@" && $work/use; }
check "a program with libbloom-h.so" linked -L$lib -lbloom-h \
    "-Wl,-rpath,$PWD/$lib"
check "a program with libbloom-h.a" linked $lib/libbloom-h.a
counted
