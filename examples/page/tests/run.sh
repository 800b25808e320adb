# Run by `make check-page`: uses build/page.html in Debian's chromium as a person
# would, and compares its figures with those of the command and of figures.c.
# Screenshots in both themes and three sizes go to build/shots/.
cd "$(dirname "$0")/../../.." || exit 1
missing=0
for tool in node npm chromium gcc; do
    command -v $tool >/dev/null && continue
    echo "check-page needs $tool: apt-get install nodejs npm chromium gcc"
    missing=1
done
[ $missing -eq 0 ] || exit 1

npm=build/npm-test
[ -d $npm/node_modules/axe-core ] || { mkdir -p $npm &&
    npm install --silent --no-save --no-package-lock --prefix $npm \
        playwright-core@1.65.1 axe-core@4.14.1; } || exit 1
gcc -std=c99 -O2 -Wall -Wextra -pedantic -I. examples/page/tests/figures.c \
    -o build/figures || exit 1
rm -rf build/page-test && mkdir -p build/page-test build/shots || exit 1
timeout 3600 node examples/page/tests/page.mjs "$@"
