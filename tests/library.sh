# Tests `make libbloom` and `make install-libbloom`: the library exports every
# public function of bloom.h and its companions and nothing else, and programs
# can be linked with it. Part of `make symbols`; ends with "N passed, N failed".
. tests/helpers.sh
each_must_end
cc=${CC:-cc}
work=build/library
rm -rf $work
mkdir -p $work
$MAKE install-libbloom DESTDIR="$PWD/$work/root" >$work/log 2>&1 || cat $work/log

# The names are declared as EXPORTED RESULT NAME(.. once the macros are expanded.
# Those for programs with BLOOM_ATOMIC begin with BLOOM_ATOMIC_.
for header in examples/companions/*.h; do
    echo "#include \"$header\""
done >$work/all.h
declared() {    # declared OPTION...
    $cc -E -P -DBLOOM_API=EXPORTED "$@" -I. -x c $work/all.h |
        tr -s ' \n' ' ' | grep -o 'EXPORTED [^;(]*(' |
        grep -o '[A-Za-z0-9_]*(' | tr -d '('
}
atomic=-DBLOOM_ATOMIC
[ -z "$(lacks atomic)" ] || atomic=
{ declared; declared $atomic; echo bloom_version; } | sort -u >$work/declared
if command -v nm >/dev/null; then
    # Linkers export names of their own, too; those of bloom.h are in the objects.
    nm -g build/libbloom.o build/libbloom-atomic.o |
        awk 'NF == 3 { print $3 }' >$work/own
    nm -D build/libbloom.so | awk 'NF == 3 { print $3 }' |
        grep -x -F -f $work/own | sort >$work/exported
    is 'exported names' '' "$(diff $work/declared $work/exported)"
    is 'at least 90 names' yes \
        "$([ $(wc -l <$work/declared) -ge 90 ] && echo yes)"
else
    echo 'skipped: exported names (nm; package binutils)'
fi

# Each way to link, with the library's version, without BLOOM_ATOMIC and with it
cat >$work/use.c <<'LINES'
#define BLOOM_API extern
#include "examples/companions/bloom_file.h"
extern const int bloom_version;
static int use(const char *name)
{
#ifdef BLOOM_ATOMIC
    bloom *b = bloom_share(name, bloom_plan_for(10, 0.01), NULL);
    int bad = !b || !bloom_add(b, "x", 1) || bloom_unshare(b) != 0;
#else
    bloom *b = bloom_new(10, 0.01);
    int bad = !b || !bloom_add(b, "x", 1) || bloom_save(b, name) != 0;
    bloom_free(b);
#endif
    b = bloom_load(name, SIZE_MAX, NULL);
    bad = bad || !b || !bloom_may_contain(b, "x", 1);
    bloom_free(b);
    return bad;
}
int main(int argc, char **argv)
{
    return argc != 2 || use(argv[1]) || bloom_version != BLOOM_VERSION;
}
LINES
lib=$work/root/usr/local/lib
linked() {
    $cc -I. $work/use.c -o $work/use "$@" && rm -f $work/filter &&
        $work/use $work/filter
}
for option in '' $atomic; do
    check "a program with libbloom-h.so $option" linked $option -L$lib -lbloom-h \
        "-Wl,-rpath,$PWD/$lib"
    check "a program with libbloom-h.a $option" linked $option $lib/libbloom-h.a
done
[ -n "$atomic" ] || echo "skipped: BLOOM_ATOMIC ($(lacks atomic))"
counted
