# Run by `make page`: compiles bloom.h for the browser and writes the page, as one
# file, to build/page.html. npm fetches uPlot, which draws its charts, and esbuild, which
# bundles its modules.
cd "$(dirname "$0")/../.." && mkdir -p build/npm || exit 1
missing=0
for tool in clang wasm-ld node npm; do
    command -v $tool >/dev/null && continue
    echo "page needs $tool: apt-get install clang lld nodejs npm"
    missing=1
done
[ $missing -eq 0 ] || exit 1

packages=build/npm/node_modules
[ -d $packages/uplot ] && [ -d $packages/esbuild ] ||
    npm install --silent --no-save --no-package-lock --prefix build/npm \
        uplot@1.6.32 esbuild@0.28.2 || exit 1
# -O2 makes the module larger and no faster. Do not use -msimd128: it is no faster,
# and with clang 14 the results differ from those of C.
clang --target=wasm32 -std=c99 -Os -ffreestanding -nostdlib -mbulk-memory \
    -Wall -Wextra -pedantic -Wconversion -Wshadow -I. -Wl,--no-entry -Wl,--strip-all \
    examples/page/page.c -o build/page.wasm || exit 1
node examples/page/build.mjs build/page.wasm $packages build/page.html
