# Run by `make check-page`: what build/page.html shows in chromium is what bloom.h, compiled for
# this machine, and the command `bloom` say of the same words, plans and files. All that the page
# shows follows from its address, so a test is an address and the text that the page then shows.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers.sh
need chromium-headless-shell chromium-headless-shell
enough
work=$PWD/build/page-test
rm -rf "$work" && mkdir -p "$work" || exit 1

# page ADDRESS [THEN]: sets `shown` to the text of the page, after the script THEN, which is what
# a reader does next. A row of a list is "name = value".
page() {
    cat build/page.html - >"$work/page.html" <<HTML
<script type="module">
const say = (name, value) => document.body.append('\n' + name + ' = ' + value + '\n');
const type = (field, value) => {
    field.value = value;
    field.dispatchEvent(new Event('input', { bubbles: true }));
};
const tick = () => new Promise(setTimeout);
const { filter: { elements: part1 }, plan: { elements: part2 } } = document.forms;
$2
</script>
HTML
    shown=$(timeout $patience chromium-headless-shell --no-sandbox --disable-gpu --dump-dom \
        --window-size="${width:-1280},900" --enable-logging=stderr --virtual-time-budget=60000 \
        "file://$work/page.html$1" 2>"$work/log" |
        sed '/^<script/,/<\/script>/d' |
        sed -E 's#<output#\n&#g; s#</(dd|li|p|div|span|strong|output)>#\n#g; s|</dt><dd>| = |g; s|<[^>]*>||g' |
        sed 's/^ *//; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g')
    is "$1: no error" '' "$(grep -o 'Uncaught.*' "$work/log")"
}
shows() {       # shows TEXT: the page has this line
    is "$1" "$1" "$(echo "$shown" | grep -m 1 -x -F -e "$1")"
}

# ---- Part 1 ------------------------------------------------------------------

page '?words=apple,pear,cherry,plum,fig,quince,melon,grape&word=apple'
shows 'This is right: “apple” was added.'
shows 'Words in the filter = 8'
shows 'Cells set = 31 of 256 (12.1%)'
page '?words=apple&word=apple&clear=1'
shows 'Probe 1 tests cell 196, which is not set. “apple” was taken out, and no other word was lost.'
shows 'Cells set = 0 of 256 (0%)'
page '?words=apple,apple&layout=counting&word=apple&m=512&k=5&clear=1'
shows 'This is right: “apple” was added. “apple” was taken out, and no other word was lost.'
shows 'Cells set = 5 of 512 (0.977%)'
page '?words=a,b&made=60&m=256' "document.querySelector('[data-do=find]').click()"
shows 'Words in the filter = 62'
shows 'maybe'
page '?words=a&m=4096&k=32' "document.querySelector('[data-do=find]').click()"
shows 'None of 20,000 made-up words is a false positive. Add words, or choose fewer cells.'

# The filter is that of bloom.h, byte for byte, and the probes are those of its walk.
cat >"$work/same.c" <<'C'
/* same M K LAYOUT WORD...: prints the cells of the first word, and the image of a filter with all.
   same N P: prints of how many of 100,000 absent keys a filter with N keys says "maybe". */
#define BLOOM_STATIC
#include "bloom.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    bloom_plan plan = bloom_plan_bytes(1, 40);
    uint64_t cell[64], i, n = strtoull(argv[1], NULL, 10), maybes = 0;
    bloom *b;
    if (argc == 3) {
        b = bloom_new(n, atof(argv[2]));
        for (i = 0; i < n; i++)
            bloom_add_u64(b, i);
        for (i = 0; i < 100000; i++)
            maybes += bloom_may_contain_u64(b, (1ULL << 50) + i);
        printf("%" PRIu64 "\n", maybes);
        return 0;
    }
    plan.cells = n;
    plan.hashes = (uint8_t)atoi(argv[2]);
    plan.layout = (uint8_t)(strcmp(argv[3], "blocked") == 0 ? BLOOM_BLOCKED
        : strcmp(argv[3], "counting") == 0 ? BLOOM_COUNTING : BLOOM_CLASSIC);
    b = bloom_create(plan);
    bloom_probes(b, bloom_hash_key(b, argv[4], strlen(argv[4])), cell);
    for (i = 0; i < plan.hashes; i++)
        printf(" %" PRIu64, cell[i]);
    for (argv += 4; *argv; argv++)
        bloom_add(b, *argv, strlen(*argv));
    bloom_seal(b);
    printf("\n");
    for (i = 0; i < bloom_size(b); i++)
        printf("%02x", ((unsigned char *)b)[i]);
    return 0;
}
C
${CC:-cc} -std=c99 -O1 -I. "$work/same.c" -o "$work/same" || bad 'same.c'
while read -r m k layout; do
    "$work/same" "$m" "$k" "$layout" apple 'x y' ü >"$work/same.txt"
    page "?words=apple,x%20y,%C3%BC&word=apple&m=$m&k=$k&layout=$layout" "
        say('cells', [...document.querySelectorAll('#probes li')].map((at) =>
            at.lastChild.data).join(''));
        say('image', [...sealedImage()].map((x) => x.toString(16).padStart(2, '0')).join(''))"
    shows "cells = $(sed -n 1p "$work/same.txt")"
    shows "image = $(sed -n 2p "$work/same.txt")"
done <<LAYOUTS
256 4 classic
512 16 blocked
4096 32 counting
LAYOUTS

# A word that is taken out of a classic filter is lost with others, the same ones in the page as
# in the command.
if [ -x build/bloom ]; then
    page '?words=a,b&made=60&word=a&clear=1' "
        say('words', words.join(' '));
        say('image', btoa(String.fromCharCode(...sealedImage())))"
    echo "$shown" | sed -n 's/^image = //p' | base64 -d >"$work/lossy"
    echo "$shown" | sed -n 's/^words = //p' | tr ' ' '\n' |
        build/bloom check -v "$work/lossy" >"$work/lost"
    check 'some words were lost' test -s "$work/lost"
    shows "$(wc -l <"$work/lost") words are lost"
    shows "“a” was taken out. But $(paste -s -d , "$work/lost" |
        sed 's/,/, /g') shared a cell with it: the filter now says “certainly not”, which is wrong. Only a counting filter can remove words."
fi

# ---- Part 2 ------------------------------------------------------------------

page '?n=1000&p=0.01'
shows 'Memory = 1,232 bytes'
shows '7 (best)'
page '?memory=64%20MB&p=1%'
shows 'Memory = 64,000,000 bytes'
shows 'Measured rate with n keys = not measured above 10,000,000 keys or 32 MB'
page '?n=300&p=2%&plan=blocked&probes=24'
shows '24 (planned: 8)'
page '?n=1000&p=1%&hits=10&behind=100000' "
    type(document.querySelector('[data-for=n]'), 0.05);
    say('n of the slider', part2.n.value);
    type(part2.n, '1000');"
shows 'n of the slider = 1'
shows 'They take = 10.9 s; without a filter, all take 100 s'
page '' "
    for (const [name, values] of Object.entries({ n: ['0', '-1', '1.5', 'ten', '', '4e9', '1e99'],
        p: ['0', '1', '2', '1e-30', 'NaN'], memory: ['1', '-5', 'much', '5 GB'] }))
        for (const value of values) {
            const before = part2[name].value;
            type(part2[name], value);
            say(name + ' ' + value, document.querySelector('#planned').textContent.slice(0, 24)
                + document.querySelectorAll('.plot *').length);
            type(part2[name], before);
        }"
is 'refused values' 16 "$(echo "$shown" | grep -c ' = No such filtern must be 0$')"

# Measuring: each slice is small, and what is shown is measured for the inputs that are shown.
page '?n=20000&p=1%'
maybes=$("$work/same" 20000 0.01)
shows "Measured rate with n keys = $(awk "BEGIN { print $maybes / 1000 }")% ($maybes of 100,000 lookups)"
page '' "
    let slice = 0, most = 0;
    const count = (keys) => { most = Math.max(most, slice += keys); };
    const { c } = meter, { setTimeout } = window;
    window.setTimeout = (...all) => { slice = 0; return setTimeout(...all); };
    meter.c = { ...c, add_range: (b, from, keys) => { count(keys); c.add_range(b, from, keys); },
        ask_range: (b, from, keys) => { count(keys); return c.ask_range(b, from, keys); } };
    const text = () => document.querySelector('#planned').textContent;
    const dots = () => document.querySelectorAll('#rates .dot').length;
    const run = async (ticks) => {
        for (; ticks && !/of 100,000 l/.test(text()); ticks--)
            await tick();
    };
    type(part2.n, '1000000');
    say('dots of the old n', dots());
    await run(25);
    say('measured in 25 slices', dots() > 0 && dots() < 8);
    type(part2.n, '30000');
    say('at once', /Keys, n30,000.*measuring …$/.test(text()) && dots() === 0);
    await run(9999);
    say('then', text().split('keys').at(-1));
    say('at most 110,000 keys between two slices', most <= 110000);"
shows 'dots of the old n = 0'
shows 'measured in 25 slices = true'
shows 'at once = true'
maybes=$("$work/same" 30000 0.01)
shows "then = $(awk "BEGIN { print $maybes / 1000 }")% ($maybes of 100,000 lookups)"
shows 'at most 110,000 keys between two slices = true'

# A bar has an end where the count is 1.96 standard deviations from what is then expected.
page '' "say('bar of 3', interval(3).map((x) => (3 - x) / Math.sqrt(x)).map((z) => z.toFixed(3)))"
shows 'bar of 3 = 1.960,-1.960'

# ---- Addresses, also those of 2.4.0 --------------------------------------------

page '?n=2500&p=0.002#words=a%2Cb,x%20y,50%25,%C3%A4%26%3D%23,a%2Cb&made=40&m=512&k=3&layout=counting&word=x%20y&asked=owl&probes=5&plan=counting&step=256,10,35&part=4' "
    say('files in view', document.querySelector('#files').getBoundingClientRect().top < innerHeight)"
shows 'files in view = true'
shows 'Words in the filter = 44'
shows 'This is right: “x y” was added.'
shows 'Keys, n = 2,500'
shows '5 (best: 9)'
page '#words=%,%E0%A4&m=77&k=999&layout=none&n=-1&p=7&step=1,2&part=9'
shows 'Words in the filter = 2'
page '?n=7&p=0.1#n=8'                   # what follows # is newer
shows 'Keys, n = 8'
page '#part-4' "say('address', location.hash)"
shows 'Words in the filter = 8'
page '?memory=1000' "
    type(part1.word, 'a,b');
    document.querySelector('.first').click();
    type(part2.memory, '');
    await new Promise((done) => setTimeout(done, 300));
    say('address', location.search + location.hash);
    location.hash = '#words=owl,fig&n=5';
    await tick().then(tick);
    say('words', words)"
shows 'address = #word=a%2Cb&words=apple%0Apear%0Acherry%0Aplum%0Afig%0Aquince%0Amelon%0Agrape%0Aa%2Cb&made=0&layout=classic&m=256&k=4&n=10000&p=1%25&memory=&probes=0&plan=classic&hits=10&behind=100000'
shows 'words = owl,fig'
shows 'Keys, n = 5'

# ---- For all readers -----------------------------------------------------------

page '?words=apple&word=apple' "
    const named = (at) => at.ariaLabel || at.getAttribute('aria-labelledby')
        || at.labels?.[0]?.textContent.trim() || at.textContent.trim();
    const all = [...document.querySelectorAll('button, input, textarea, a, [role=img]')];
    say('without a name', all.filter((at) => !named(at)).map((at) => at.outerHTML));
    say('not reached by Tab', all.filter((at) => at.tabIndex < 0 && !at.role).length);
    type(document.querySelector('#cell'), 147);
    say('by key', document.querySelector('#setters').value);
    document.querySelectorAll('#cells rect')[196].dispatchEvent(
        new PointerEvent('pointerover', { bubbles: true, pointerType: 'touch' }));
    say('by tap', document.querySelector('#setters').value);"
shows 'without a name = '
shows 'not reached by Tab = 0'
shows 'by key = Cell 147: set by apple.'
shows 'by tap = Cell 196: set by apple.'
# Chromium makes no window of 400 pixels, but 500 have the same layout.
width=500 page "?words=$(printf '%063d' 1)&m=4096&k=32&layout=blocked" "
    document.body.style.width = '400px';
    dispatchEvent(new Event('resize'));
    const right = [...document.querySelectorAll('main *')].map((at) =>
        at.getBoundingClientRect().right);
    say('too wide', right.filter((x) => x > 400).length);
    say('columns', getComputedStyle(document.forms.plan).gridTemplateColumns.split(' ').length);"
shows 'too wide = 0'
shows 'columns = 1'

# ---- Part 3: files that the command wrote, and what the page saves ---------------

file() {        # file NAME LINE...: opens it, and looks up the lines
    image=$(base64 -w 0 "$work/$1")
    name=$1
    shift
    page '' "openImage('$name', Uint8Array.from(atob('$image'), (x) => x.charCodeAt(0)));
        type(document.querySelector('#lines'), \`$(printf '%s\n' "$@")\`);"
}
if [ -x build/bloom ]; then
    for layout in classic blocked counting; do
        printf '%s\n' one two three |
            build/bloom build -n 100 -p 0.001 -l $layout "$work/$layout"
        file $layout one four
        shows 'one: maybe'
        shows 'four: certainly not'
        shows '1 maybe, 1 certainly not'
        shows 'Seal = sealed and intact'
        shows 'Keys = about 3'
        shows "Layout = $layout"
    done
    printf x | dd of="$work/classic" bs=1 seek=40 conv=notrunc 2>/dev/null
    file classic one
    shows "Refused = $(error_text CORRUPT)"
    seq 5000 | build/bloom uniq -f "$work/chain" >/dev/null
    file chain 17 x
    shows '17: maybe'
    shows 'x: certainly not'
    printf x | dd of="$work/chain" bs=1 seek=200 conv=notrunc 2>/dev/null
    file chain 17
    shows "Refused = $(error_text CORRUPT)"
    head -c 100 "$work/blocked" >"$work/short"
    file short one
    shows "Refused = $(error_text TRUNCATED)"
else
    echo "skipped: files (build/bloom is missing)"
fi
counted
