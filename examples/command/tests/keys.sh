# The options that select the key of a line; the line is printed whole. Alone
# combines them, and gives them to build, add and check

keyed() {       # keyed WANTED OPTIONS: uniq prints WANTED, with `in` as input
    printf "$1" > want; shift
    try "uniq $*" 0 uniq "$@" in; same out want
}
printf 'a:1:x\na:2:y\nb:1:x\n:1\nc\nd\n' > in
keyed 'a:1:x\nb:1:x\n:1\nc\nd\n' -t : -k 1,1
keyed 'a:1:x\na:2:y\nc\n' -t : -k 2,2
keyed 'a:1:x\na:2:y\n:1\nc\n' -t : -k 2
keyed 'a:1:x\na:2:y\n:1\nc\n' -t : -k 2,3
keyed 'b:1:x\nc\nd\n' -t : -k 3 -d
keyed 'a:1:x\na:2:y\nb:1:x\n:1\nc\nd\n' -k 1
printf 'a\tx\nb\tx\nb y\tz\n' > in
keyed 'a\tx\nb y\tz\n' -k 2; keyed 'a\tx\nb y\tz\n' -k 2 -t '\t'
keyed 'a\tx\nb\tx\nb y\tz\n' -t ' ' -k 1,1
printf 'Ab\naB\n\303\204\n\303\244\n[\n{\n' > in
keyed 'Ab\n\303\204\n\303\244\n[\n{\n' -i
printf 'a\r\na\na \r\n a\t\n' > in
keyed 'a\r\na \r\n a\t\n' --crlf; keyed 'a\r\na\na \r\n' --trim
keyed 'a\r\n' --trim --crlf
printf 'x A;1\nX a ;2\nx;a\n' > in
keyed 'x A;1\nx;a\n' -t ';' -k 1,1 -i --trim
printf 'a\nb\0a\nb\0c\0c' > in; printf 'a\nb\0c\0' > want
try -z 0 uniq -z in; same out want
printf 'a:1\n:2\0a:2\0' > in; printf 'a:1\n:2\0' > want
try '-z -k' 0 uniq -z -t : -k 1,1 in; same out want

# build, add and check use the same keys
printf 'One:1\r\nTwo:2\r\n' > in; printf 'ONE\n TWO \nthree\n' > asked
for jobs in 1 2; do
    try 'build by key' 0 build -p 1e-9 -j $jobs -t : -k 1,1 -i f in
    try 'add by key' 0 add -i -t : -k 1,1 f in
    try 'check by key' 0 check -j $jobs -i --trim f asked
    head -n 2 asked > want; same out want
    try 'not by key' 1 check f asked
done
try 'CR' 0 build --crlf f in; printf 'Two:2\n' > want
try 'CR' 0 check f want; same out want
try 'count with -z' 0 build -z f in; try 'count with -z' 0 check -z f in
