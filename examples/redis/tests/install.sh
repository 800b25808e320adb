# Run by `make check-redis`: `make install` installs the module if `make redis` has
# built it. A server loads the installed file. `make uninstall` removes it.
# Nothing else notices an installed file that Redis refuses.
. examples/redis/tests/server.sh
build

make="${MAKE:-make -s} PREFIX=/opt/b"
installed=$work/stage/opt/b/lib/redis/modules/bloom.redis.so
rm -f build/bloom.redis.so
$make DESTDIR="$work/none" install >"$work/log" 2>&1 ||
    { cat "$work/log"; fail "make install without the module"; }
[ ! -e "$work/none/opt/b/lib/redis" ] || fail "a module that was not built"
$make redis DESTDIR="$work/stage" >"$work/log" 2>&1 &&
    $make DESTDIR="$work/stage" install >>"$work/log" 2>&1 ||
    { cat "$work/log"; fail "make redis install"; }
module=$installed
start main
[ "$(ask main bf.add f x)" = 1 ] || fail "the installed module does not work"
$make DESTDIR="$work/stage" uninstall >"$work/log" 2>&1 ||
    { cat "$work/log"; fail "make uninstall"; }
[ ! -e "$installed" ] || fail "make uninstall leaves the module"
echo "make install, and make uninstall"
