# Run by `make figures`: what `make bench` and `make pages` measured becomes the
# figures of README.md and tests/README.md, between the lines there that name
# this command, and the picture tests/wide/pictures/speed.svg.
cd "$(dirname "$0")/../../.." || exit 1
for name in bench pages; do
    [ -s build/$name.tsv ] || { echo "figures: first make $name"; exit 1; }
done

tables() {
    awk -v part="$1" -f tests/wide/speed/tables.awk build/bench.tsv \
        build/pages.tsv
}

# put FILE PART: between the lines; the row `fast` has none, as it is in a table
put() {
    tables "$2" >build/figures.md && tables fast >>build/figures.md || exit 1
    awk '
        NR == FNR { if (/^\| fast /) fast = $0; else text = text $0 "\n"; next }
        /^<!-- end of make figures -->/ { skipped = 0 }
        !skipped { print /^\| fast / ? fast : $0 }
        /^<!-- make figures -->/ { printf "%s", text; skipped = 1 }
    ' build/figures.md "$1" >"$1.new" && mv "$1.new" "$1" && echo "$1"
}

put README.md readme
put tests/README.md tests
sh tests/wide/pictures/run.sh speed &&
    cp build/speed.svg tests/wide/pictures/speed.svg
