# Errors in files: a message, and the file unchanged. Alone notices if a file of
# the wrong kind, length or version is used, or if lines are read from a filter
refuse 'nil: No such file' check nil; refuse 'nil: No such file' build f nil
if [ -e /dev/zero ]; then refuse '/dev/zero: File too large' info /dev/zero; fi
refuse '.: Is a directory' check .; refuse '.: Is a dir' build -n 1 f .
refuse '.: is not a regular file; give another name' build -n 1 . a
refuse '/dev/null: is not a regular file' build /dev/null a
refuse 'nil/f: No such file' build nil/f a; refuse 'nil/f: ' uniq -f nil/f < a
cp a c; refuse 'c: is not a Bloom filter, so it is not replaced; give' build c b
same a c; same f f1%
for verb in check info dump 'merge nil f1%'; do
    : > bad; refuse 'bad: is empty; make a filter with' $verb bad
    for text in B BLX hello 'one short line' BLM 'BLM and' 'BLM\n' 'BLM\2' \
            'BLC\2' 'BLW\2 and more'; do
        printf "$text" > bad; cp bad was
        case $text in
        *2*) why=truncated ;;
        *) why='not a Bloom filter' ;;
        esac
        refuse "bad: $why" $verb bad; same bad was
    done
done
for size in 4 31 32 39 1000; do
    dd if=f1% of=bad bs=1 count=$size 2> /dev/null; cp bad was
    refuse 'bad: truncated' uniq -f bad < a; same bad was
    refuse 'bad: truncated' check bad a
done
cell=$(od -An -tu1 -j 100 -N 1 f1%); cp f1% bad
overwrite bad 100 "\\$(printf %o $((cell ^ 1)))"; cp bad was
for verb in 'check bad' 'uniq -f bad' 'merge f bad bad' 'dump bad'; do
    refuse 'bad: corrupt' $verb < a
done; same bad was; same f f1%
try 'info of damage' 2 info bad; says out 'seal:            DAMAGED'
says err 'bad: corrupt'
overwrite bad 0 X; refuse 'bad: not a Bloom filter' check bad a
for field in 3:3:'a format version' 6:0:'bad header' 4:11:'a layout'; do
    cp f1% bad; value=${field#*:}
    overwrite bad ${field%%:*} "\\${value%%:*}"; cp bad was
    refuse "bad: ${field##*:}" uniq -f bad < a; same bad was
done
cp f1% bad; overwrite bad 11 '\177'; refuse 'bad: truncated' check bad a
try 'a chain' 0 uniq -f chain -n 9 a; size=$(wc -c < chain)
first=$(od -An -tu1 -j 40 -N 1 chain)   # m of its first link, below 256
for end in 32 $((64 + first / 8)) $((size - 1)); do
    head -c $end chain > bad; cp bad was
    refuse 'bad: truncated' check bad a; refuse 'bad: truncated' uniq -f bad < a
    same bad was
done
try 'a window' 0 uniq --last 7 -f window a
for file in f1% chain window; do                # two files, joined by cat
    cat $file $file > bad; cp bad was
    refuse 'bad: extra bytes follow the filter; use an intact copy' check bad a
    refuse 'bad: extra bytes follow the filter; use an' uniq -f bad < a
    same bad was
done; rm window
overwrite chain 8 '\10'; refuse 'chain: corrupt' check chain a; rm chain

# Filters are not lines, unless they come from standard input or a pipe
try 'a chain' 0 uniq -f chain a; try 'a window' 0 uniq -f window --last 9 a
printf 'BLS\2' > slices; cp f1% part; cp f1% was; cp a to-add; rm -f new
for file in part chain window slices; do
    why="$file: is a filter; did you mean merge?"
    for verb in 'build -n 9 f1%' 'build f1%' 'build -j 3 new'; do
        refuse "$why" $verb a many $file; same f1% was
    done
    is "$what: no new file" no "$([ -e new ] || echo no)"
    refuse "$why" check f1% $file; refuse "$why" uniq $file
    what="uniq -f of $file"; rm -f g; "$bloom" uniq -f g a $file b > out 2> err
    is "$what" 2 $?; says err "bloom: $why"; same out a
    try "$what: it has saved" 1 check -v g a
    is "$what: no more" 600 "$("$bloom" info g | awk '/^keys/ { print $3 }')"
    try "$file as standard input" 0 build new - < $file
    fed $file try "$file by a pipe" 0 check new pipe
    head -c $(wc -c < $file) out > g; same g $file
    rm new
done; rm chain window slices part to-add
for text in 'BLM\n' 'BLC\tx\r\n' 'BLS' 'BLW \2\n' 'BLM\200\n' 'BLA\2\n'; do
    printf "$text" > in; try "lines: $text" 0 build new in
    try "lines: $text" 0 check -q new in; rm new; cp in was
    refuse 'in: is not a Bloom filter, so it is not' build in a; same in was
done

# OUT is not an input
cp f1% new; : > empty; ln new link; cp new was
for words in 'new new' 'new a new' '-n 9 new link' 'empty empty' 'new a -'; do
    refuse '' build $words < new; same new was
    says err ': is OUT and an input; write to a new file, then rename it'
done; refuse 'standard input: is OUT and an input' build new < new; same new was
rm new link empty

if [ -e /dev/full ]; then
    printf '1\n-1' > new
    for verb in 'uniq -f one' uniq 'uniq -c' 'check one' 'check -c one' \
                'info one' 'dump one' help 'help uniq' --version; do
        cp one was; what="$verb, disk full"
        "$bloom" $verb < new > /dev/full 2> err; is "$what" 2 $?
        says err 'standard output: '; same one was
    done
else
    echo 'skipped: output to a full disk (no /dev/full)'
fi

# Symbolic links are followed: the link stays, and its target is replaced
mkdir links; ln -s ../target links/link; ln -s links/link to-link
for there in no yes; do             # at first, it has no target
    try "a link, target there: $there" 0 build to-link a; cp target was
    try 'the same without a link' 0 build other a; same target other
    is "$what: the links stay" '../target links/link' \
        "$(readlink links/link) $(readlink to-link)"
done
chmod 640 target; try 'uniq -f of a link' 0 uniq -f to-link b; rm other
is "$what: a file" "-rw-r----- $(readlink to-link)" \
    "$(ls -l target | cut -c 1-10) links/link"
try 'its target has them' 0 check -c target ab; says out '1201 in'
try 'add to a link' 0 add "$PWD/links/link" b
try 'merge' 0 merge to-link f1% f1%
try 'fold a link' 0 build -n 640 --foldable to-link a
try 'fold a link' 0 fold --by 5 to-link; cmp -s target was
is "$what: it has changed" 1 $?
mkdir else; (cd else && "$bloom" build ../to-link ../b)
try 'from another folder' 0 check -c target b; says out '601 in'
ln -sf "$work/target" links/link; try 'an absolute link' 0 build to-link a
same target was
cat > words.c <<'LINES'
#include <errno.h>
#include <stdio.h>
#include <string.h>
int main(void) { puts(strerror(ELOOP)); return 0; }
LINES
${CC:-cc} words.c -o words; loop=$(./words)     # each C library has its own words
ln -s loop loop; refuse "loop: $loop" build loop a
ln -s links to-dir; refuse 'to-dir: is not a regular file' build to-dir a
ln -s pipe to-pipe; refuse 'to-pipe: is not a regular file' uniq -f to-pipe a
ln -s nil/f lost; refuse 'lost: No such file or directory' build lost a
ln -s a to-a; cp a was; refuse 'to-a: is not a Bloom filter' build to-a b
same a was
rm -rf links else; rm to-link target to-dir to-pipe to-a lost loop

# A hard link is another name of the same FILE, and build makes a new one
try 'a hard link' 0 build -n 2000 named a; ln named hard
try 'a hard link' 0 uniq -f named b; same hard named
try 'a hard link' 0 build -n 3000 named a; try 'it has the old one' 1 check -v hard ab
rm hard named

cp f was; what='no space to save'
(ulimit -f 1; "$bloom" build -n 1e6 f a 2> err); is "$what" 2 $?
says err 'bloom: f: File too large'; same f was

