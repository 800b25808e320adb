# page: a web page that shows a filter at work, in one file
#   make page             build build/page.html: see a filter in the browser
#   make check-page       compare what it shows with bloom.h and the command; 1 min

CHECKS += check-page
PACKAGES += clang lld chromium-headless-shell

page: build/page.html
# -O2 makes the module larger and no faster; with -msimd128, too.
build/page.html: examples/page/page.c examples/page/index.html $(BLOOM)
	clang --target=wasm32 -std=c99 -Os -ffreestanding -nostdlib -mbulk-memory \
	    $(WARN) -I. -Wl,--no-entry -Wl,--strip-all \
	    examples/page/page.c -o build/page.wasm
	{ sed "/@WASM@/,\$$d" examples/page/index.html; \
	    sed -n "s/@WASM@.*//p" examples/page/index.html | tr -d '\n'; \
	    base64 build/page.wasm | tr -d '\n'; \
	    sed -n "s/.*@WASM@//p" examples/page/index.html; \
	    sed "1,/@WASM@/d" examples/page/index.html; } >$@

check-page: page all
	@sh examples/page/tests/run.sh
.PHONY: page check-page
