# `make docs` runs this script. It checks what a reader of the repository would
# stumble over: links and paths of the documents that lead nowhere, commands that
# do not exist, lines of C in README.md that do not compile, lines that are too
# wide, private names of bloom.h outside of it, and an #include in extern "C".
# It ends with "N passed, N failed".
cd "$(dirname "$0")/../.." && mkdir -p build || exit 1
. tests/helpers.sh
each_must_end

# The repository's own files; without git, all those that were not built
if [ -e .git ] && command -v git >/dev/null; then
    git -c safe.directory='*' ls-files | while read -r file; do
        [ ! -e "$file" ] || echo "$file"
    done
else
    find . -type f ! -path './build/*' ! -path '*/__pycache__/*' |
        sed 's|^\./||'
fi | sort >build/files
documents=$(grep '\.md$' build/files)

# none WHAT [FOUND]...: passed if nothing was found
none() {
    what=$1
    shift
    is "$what" '' "$*"
}

# ---- The documents ----------------------------------------------------------

# there PATH: it exists. A folder of examples/ may be deleted: then build/deleted
# names it, and no document need be changed.
there() {
    [ -e "$1" ] && return
    case $1 in examples/*/*) ;; examples/*.*) return 1 ;; examples/*) ;;
               *) return 1 ;; esac
    folder=$(echo "$1" | cut -d / -f 1,2)
    [ ! -d "$folder" ] && echo "$folder" >>build/deleted
}
# flat PATH: the path without "NAME/.."
flat() { echo "$1" | sed ':a; s|[^/]*[^/.]/\.\./||; ta; s|^\./||'; }
# An anchor is a heading in lower case, with dashes for blanks and without other
# signs.
anchors() { sed -n 's/^##* //p' "$1" | tr 'A-Z ' 'a-z-' | tr -c -d 'a-z0-9_\n-'; }
: >build/deleted
dead() {        # the links that lead nowhere
    for file in $documents; do
        grep -o '](\([^)]*\))' "$file" | sed 's/^](//; s/)$//' |
            grep -v ':' | while read -r link; do
            to=$file
            [ -z "${link%%#*}" ] || to=$(flat "$(dirname "$file")/${link%%#*}")
            there "$to" || { echo "$file:$link"; continue; }
            case $link in
            *#*) [ ! -e "$to" ] || anchors "$to" | grep -q -x -e "${link#*#}" ||
                     echo "$file:$link" ;;
            esac
        done
    done
}
none 'links that lead nowhere' $(dead)
paths() {       # the files of tests/ and examples/ that documents name, but that
                # are missing; not tests/ of products, which may be others' tests
    for file in $documents; do
        case $file in examples/*/*) tests= ;; *) tests='tests|' ;; esac
        for path in $(grep -o -w -E \
            "(${tests}examples)/[A-Za-z0-9_/.-]*\.(c|h|hpp|sh|py|js|mjs|txt|tsv|md)" \
            "$file" | grep -v NAME | sort -u); do
            there "$path" || echo "$file:$path"
        done
    done
}
none 'paths that lead nowhere' $(paths)

# The code in the comment on bloom_estimate is that of its test.
intersection() {
    sed -n '/double both = 0;/,/bloom_free(u);/{s/^ *//; s/ \*\/$//; p}' "$1"
}
is 'the size of an intersection' "$(intersection bloom.h)" \
    "$(intersection tests/unit/whole.c)"

# The lines that keep a window in a file are those of their test.
kept_window() {
    sed -n '/plan = bloom_window_plan_for(1000, /,/bloom_file_drop(file)/{
        s/^ *//; s| *//.*||; s| */\*.*||; p
        /bloom_file_drop/q; }' "$1"
}
for file in bloom_window.h README.md; do
    is "the lines that keep a window, in $file" \
        "$(kept_window tests/unit/file.c)" \
        "$(kept_window examples/companions/$file)"
done

# Every target that a document or `make help` names is one. That cannot be told
# if a folder of examples/ is deleted.
if [ -s build/deleted ]; then
    echo "skipped: names of targets (deleted:" $(sort -u build/deleted)")"
else
    make -p -n -q 2>/dev/null | sed -n 's/^\([a-z][a-z-]*\):.*/\1/p' |
        sort -u >build/targets
    none 'targets that are named, but missing' $(
        cat $documents Makefile tests/Makefile examples/*.mk examples/*/*.mk \
            2>/dev/null |
            grep -o -e '`make [a-z][a-z-][a-z-]*' -e '^    make [a-z][a-z-][a-z-]*' \
                    -e '^# [ *] make [a-z][a-z-]*' | sed 's/.*make //' | sort -u |
            grep -v -x -F -f build/targets)
fi

# README's first program is examples/first.c.
readme_program() {
    awk '/^```c$/ { on = 1; next } /^```$/ { if (on) exit } on' README.md |
        cmp -s - examples/first.c
}
check "README.md shows examples/first.c" readme_program

# README's first commands run as they are typed, and print what its first program
# says.
rm -rf build/typed
mkdir -p build/typed/examples
cp bloom.h build/typed && cp examples/first.c build/typed/examples
is "README's first commands" "$(sed -n 's/^       \([a-z]\)/\1/p' \
    examples/first.c | sed 's, \*/$,,')" "$(awk '/^    cc / { on = 1 }
        on && !NF { exit } on' README.md | (cd build/typed && sh 2>&1))"

# README's lines of C, those indented by four blanks, compile. Each heading
# begins a new function.
{
    printf '#define %s\n' BLOOM_STATIC BLOOM_ATOMIC
    echo '#include "examples/companions/bloom_file.h"'
    awk '/^```/ { fenced = !fenced }
        /^#/ && !fenced { if (on) print "}"; on = 0 }
        !fenced && /^    .*(bloom|BLOOM)_[a-zA-Z0-9_]*\(|^    (bloom|else|if)[^ ]* .*;|^    .*BLOOM_HEADER_SIZE|^    int why;/ {
            if (!on)
                print "void f" ++i "(uint64_t n, double p, unsigned k, size_t " \
                    "bytes, size_t count, uint64_t one_in, const uint64_t *keys, " \
                    "bool *is_new, bool *maybe, FILE *file, void *image, " \
                    "size_t size, const char *name, uint64_t id, " \
                    "bloom_layout layout)\n{"
            on = 1
            line = $0
            if (line ~ /^    [a-zA-Z_]*\([a-zA-Z_, ]*\)  /) {
                sub(/\)  .*/, ")", line)
                line = line ~ /PLAN/ ? "bloom_plan q = BLOOM_PLAN(10, 10);" : line ";"
            }
            gsub(/bloom_view\(bytes/, "bloom_view(image", line)
            print line
        }
        END { if (on) print "}" }' README.md
} >build/readme.c
check "README's lines of C compile: see build/readme.c" \
    ${CC:-cc} -std=c99 -I. -w -c build/readme.c -o build/readme.o

# The lines about prefixes run: a prefix of a key is found, another one is not,
# and the prefix is no key.
{
    printf '#define BLOOM_STATIC\n#include "bloom.h"\n'
    echo 'int main(void) {
        const char *key = "apple-tree", *prefix = "apple-tr";
        bloom *b = bloom_new(1000, 1e-6);'
    sed -n '/^## Prefixes/,/^## /s/^    //p' examples/companions/README.md
    echo 'bool other = bloom_may_contain_hash(b, bloom_hash_key(of_8, "pear-tre", 8));
        return !may_have || other || bloom_may_contain(b, key, 8); }'
} >build/prefixes.c
check "companions/README.md: the lines about prefixes: see build/prefixes.c" \
    eval '${CC:-cc} -std=c99 -I. -w build/prefixes.c -o build/prefixes &&
        build/prefixes'

# ---- The code ---------------------------------------------------------------

wide() {        # wide MOST PATTERN: lines of more columns. Tables may be wide.
    awk -v most="$1" '/[|]|\\n"[;,]?$/ { next }
        { gsub(/[\200-\277]/, "") }            # of UTF-8, the first bytes count
        length($0) > most { print FILENAME ":" FNR }' $(grep -E "$2" build/files)
}
none 'lines of more than 80 columns (documents: 100)' $(wide 100 '\.md$') \
    $(wide 80 '^(bloom\.h|examples/.*\.(c|h|hpp|ino)|tests/test\.c)$')

# The version is written in bloom.h only; all others take it from there.
version=$(make -s version)
check "bloom.h begins with its version, $version" \
    grep -q "^   bloom\.h $version - " bloom.h
none 'files that have the version, too' $(grep -v -e '\.md$' -e '^bloom\.h$' \
    build/files | xargs grep -Fw -- "$version" /dev/null |
    grep -v ' or later' | cut -d : -f 1)

# private FILE: the names that end with an underscore, as private ones of bloom.h
# do. bloom_hash_* in a comment is not one.
private() {
    sed 's/_\*//g' "$1" | grep -o -w -E '(bloom|BLOOM)_[A-Za-z0-9_]*_' | sort -u
}
# The private names of bloom.h that companions may use: its list "For companions"
awk '/^\/\* ==== For companions/ { on = 1 } on { print } on && /\*\/$/ { exit }' \
    bloom.h | grep -o -w -E '(bloom|BLOOM)_[A-Za-z0-9_]*_' | sort -u \
    >build/for-companions
none 'private names in tests, other than in tests/inside.h' $(
    for file in $(grep -E '^(tests|examples/[^/]*/tests)/.*\.(c|h|cpp|hpp)$' \
        build/files | grep -v '^tests/inside.h$'); do
        private "$file" | sed "s|^|$file:|"
    done)
for file in examples/companions/*.h; do
    own=$(basename "$file" .h)
    private "$file" | grep -v -i -e "^${own}_" >build/used.$own
    none "private names in $file that bloom.h does not list for companions" $(
        grep -v -x -F -f build/for-companions build/used.$own |
            grep -v -x BLOOM_IMPLEMENTATION_DONE_)
    none "the version that $file needs" $(
        grep -L "^#if .* BLOOM_VERSION != $(sed -n \
            's/^#define BLOOM_VERSION //p' bloom.h)\$" "$file")
done
none 'names that bloom.h lists for companions, which none uses' $(
    cat build/used.* | grep -v -x -F -f - build/for-companions)

# The golden images of the tests are those that a second implementation makes.
if command -v python3 >/dev/null; then
    grep -h -o '"[0-9a-f]\{2,\}"' tests/unit/images.c tests/unit/chain.c \
        >build/golden
    none 'images of golden.py that no test has' $(python3 tests/unit/golden.py |
        grep -o '"[0-9a-f]*"' | grep -v -x -F -f build/golden)
else
    echo 'skipped: tests/unit/golden.py (needs python3)'
fi

# A C++ library may have templates in <string.h>, which extern "C" refuses.
for file in bloom.h examples/companions/*.h; do
    none "#include in extern \"C\"" $(awk '
        /^extern "C" \{/ { on = 1 }
        /^}/ && last ~ /__cplusplus/ { on = 0 }
        on && /^ *# *include/ { print FILENAME ":" FNR }
        { last = $0 }' "$file")
done

counted docs
