# Run by `make check-page`: what build/page.html shows in chromium is what the command
# `bloom` says of the same plans and files. The page's state is its address, so a test is an
# address and what the page then contains; `then` is what a reader does next, as a script.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers.sh
need chromium chromium
enough
work=$PWD/build/page-test
rm -rf "$work" && mkdir -p "$work" || exit 1
# page ADDRESS [THEN]: its text, without tags, in lines "name value"
page() {
    { cat build/page.html; echo "<script>$2</script>"; } >"$work/page.html"
    timeout 120 chromium --headless --no-sandbox --disable-gpu --dump-dom \
        --virtual-time-budget=60000 "file://$work/page.html$1" 2>"$work/log" |
        sed -E 's#</(dd|li|p)>#\n#g; s|</dt><dd>| = |g; s|<[^>]*>||g'
    grep -q "Uncaught" "$work/log" && cat "$work/log"
}
shows() {       # shows TEXT: the last page has this line
    is "$1" "$1" "$(grep -m 1 -x -F -e "$1" "$work/text")"
}

page '?words=apple,pear,cherry,plum,fig,quince,melon,grape&ask=apple' >"$work/text"
shows '“apple” was added.'
shows 'words = 8'
shows 'cells set = 31 of 256'
page '?words=apple&ask=apple&clear=1' >"$work/text"
shows 'Wrong: “apple” was added, and then its cells were cleared.'
shows 'words lost = apple'
page '?words=apple,apple&layout=2&ask=pear&m=512&k=5' >"$work/text"
shows 'certainly not'
shows 'cells set = 5 of 512'
page '?words=a,b,c' "document.querySelector('[data-do=more]').click();
    document.querySelector('[data-do=more]').click();
    document.querySelector('[data-do=more]').click();
    document.querySelector('[data-do=find]').click()" >"$work/text"
shows 'words = 63'
shows 'maybe'
page '?n=1000&p=0.01' >"$work/text"
shows 'memory, bytes = 1232'
shows 'probes, k = 7'
page '?memory=64000000&p=1%' >"$work/text"
shows 'memory, bytes = 64000000'
page '?n=0' >"$work/text"
shows 'no plan = n must be 1 to 10^12, and p between 2^-64 and 1'

# Files that the command wrote, and one that it reads
file() {        # file NAME LINE...: opens it, and looks up the lines
    image=$1
    shift
    page '?' "name = '$image'; openImage(Uint8Array.from(atob('$(base64 -w 0 \
        "$work/$image")'), (x) => x.charCodeAt(0)));
        document.querySelector('#lines').value = \`$(printf '%s\n' "$@")\`; showAnswers();" \
        >"$work/text"
}
if [ -x build/bloom ]; then
    for layout in classic blocked counting; do
        printf '%s\n' one two three |
            build/bloom build -n 100 -p 0.001 -l $layout "$work/$layout"
        file $layout one four
        shows 'one: maybe'
        shows 'four: certainly not'
        shows 'seal = sealed and intact'
        shows 'keys, about = 3'
    done
    seq 5000 | build/bloom uniq -f "$work/chain" >/dev/null
    file chain 17 x
    shows '17: maybe'
    shows 'x: certainly not'
    printf x | dd of="$work/chain" bs=1 seek=200 conv=notrunc 2>/dev/null
    file chain 17
    shows 'refused = a link of this filter that grows is damaged, or has no seal'
else
    echo "skipped: files (build/bloom is missing)"
fi
counted
