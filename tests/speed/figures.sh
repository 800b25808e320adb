# `make figures` runs this script. It writes the figures that `make bench` and
# `make pages` measured into tests/RESULTS.md, between the lines that name this
# command, and one of them into the line "Fast." of README.md. It makes the
# picture tests/pictures/speed.svg. VERSION is that of bloom.h.
cd "$(dirname "$0")/../.." || exit 1
for name in bench pages; do
    [ -s build/$name.tsv ] || { echo "figures: run make $name first"; exit 1; }
done

tables() {
    awk -v part="$1" -v version="$VERSION" -f tests/speed/tables.awk \
        build/bench.tsv build/pages.tsv
}
# put FILE LINE PART: replaces what stands between LINE and the end
put() {
    tables "$3" >build/figures.md || exit 1
    awk -v line="$2" '
        NR == FNR { text = text $0 "\n"; next }
        /^<!-- end of make figures -->/ { skipped = 0 }
        !skipped
        $0 == line { printf "%s", text; skipped = 1 }
    ' build/figures.md "$1" >"$1.new" && mv "$1.new" "$1" && echo "$1: $3"
}

put tests/RESULTS.md '<!-- make figures: summary -->' summary
put tests/RESULTS.md '<!-- make figures -->' full
tables fast >build/figures.md &&
    awk 'NR == FNR { fast = $0; next } { print /^\* \*\*Fast/ ? fast : $0 }' \
        build/figures.md README.md >README.md.new && mv README.md.new README.md
sh tests/pictures/run.sh speed &&
    cp build/speed.svg tests/pictures/speed.svg
