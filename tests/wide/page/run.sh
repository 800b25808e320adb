# Run by `make page-test`: build/page.html in Debian's chromium, used as a
# person would, its figures beside the command's and those of figures.c.
# Screenshots of both themes and widths go to build/shots/.
cd "$(dirname "$0")/../../.." || exit 1
missing=0
for tool in node npm chromium gcc; do
    command -v $tool >/dev/null && continue
    echo "page-test needs $tool: apt-get install nodejs npm chromium gcc"
    missing=1
done
[ $missing -eq 0 ] || exit 1

npm=build/npm-test
[ -d $npm/node_modules/axe-core ] || { mkdir -p $npm &&
    npm install --silent --no-save --no-package-lock --prefix $npm \
        playwright-core@1.65.1 axe-core@4.14.1; } || exit 1
gcc -std=c99 -O2 -Wall -Wextra -pedantic -I. tests/wide/page/figures.c \
    -o build/figures || exit 1
rm -rf build/page-test && mkdir -p build/page-test build/shots || exit 1
timeout 900 node tests/wide/page/page.mjs "$@"
