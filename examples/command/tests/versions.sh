# Run by `make check-command`: FILEs of the last version and of this one, of each
# kind, in both directions. Git has the last version: the commit before the one
# that raised the major number. This alone notices if the bytes of a FILE change.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers.sh
each_must_end
raised=$(git log -n 1 --format=%H -G'^#define BLOOM_VERSION 30000' -- bloom.h)
if [ -z "$raised" ] || ! git rev-parse -q --verify "$raised^" >/dev/null; then
    echo 'skipped: FILEs of the last version (git does not have it)'
    counted; exit
fi
new=$PWD/build/bloom dir=build/versions
rm -rf $dir && mkdir -p $dir/tree || exit 1
git archive "$raised^" | tar -x -C $dir/tree
cc -std=c99 -O1 -w -I$dir/tree $dir/tree/examples/command/*.c -pthread \
    -o $dir/old || exit 1
old=$PWD/$dir/old; cd $dir || exit 1
seq 1 30000 >a; seq 20001 50000 >b; seq 30001 50000 >news
for how in '--fixed -n 60000' '-n 100' '--last 60000' '--for 1d -n 60000' \
           '--fixed -n 60000 -w 32 -p 0.0001' '--fixed -n 60000 -l counting'; do
    for order in "$old $new" "$new $old"; do
        what="$how, ${order##*/} after"; rm -f f f.lock
        exact="$how -s 7"; case $how in *-p*) ;; *) exact="$exact -p 1e-9" ;; esac
        ${order% *} uniq $exact -f f a >out 2>err
        check "$what: it is made" cmp -s out a
        ${order#* } uniq $exact -f f b >out 2>err
        check "$what: it goes on: $(cat err)" cmp -s out news
        ${order% *} check -v f a b >out 2>err
        check "$what: all are known: $(cat err)" [ $? = 1 ]
        ${order% *} info f >out 2>err
        check "$what: intact" grep -q 'sealed and intact' out
    done
done
cd ../.. && counted
