# `make check-python` runs this script: bloom.py with Debian's python3, its
# installation by pip, and its types. It needs no network.
. tests/helpers.sh
each_must_end
need /usr/bin/python3 python3
for module in venv:python3-venv mypy:mypy numpy:python3-numpy; do
    need "Python's ${module%:*}" ${module#*:} \
        "/usr/bin/python3 -c 'import ${module%:*}'"
done
enough
work=build/check-python
rm -rf $work
mkdir -p $work || exit 1
command=
if [ -d examples/command ]; then
    $MAKE build/bloom || exit 1
    command=build/bloom
fi

for test in filter files threads; do
    /usr/bin/python3 examples/python/tests/test_$test.py $work $command \
        >$work/$test.out 2>&1
    sum "$test" $work/$test.out
done
sh examples/python/tests/install.sh >$work/install.out 2>&1
sum install $work/install.out

is 'python -m bloom' "bloom.h $VERSION, $PWD/build/libbloom.so" \
    "$(cd examples/python && LIBBLOOM="$OLDPWD/build/libbloom.so" \
        /usr/bin/python3 -m bloom 2>&1)"
is 'the soname that bloom.py loads' \
    "libbloom-h.so.${VERSION%%.*}" \
    "$(grep -o 'libbloom-h\.so\.[0-9.]*[0-9]' examples/python/bloom.py)"
is 'no library of another example hides bloom.py' '' \
    "$(grep -r -o -h -E -e '-o ([a-z/]*/)?bloom\.so' examples)"

# The README: each block of Python runs, and prints what its comments say.
awk '/^```python$/ { on = 1; next } /^```$/ { on = 0 } on' \
    examples/python/README.md >$work/readme.py
is 'the examples in the README' \
    "$(sed -n 's/^.*# prints: //p' $work/readme.py)" \
    "$(cd $work && PYTHONPATH=../../examples/python /usr/bin/python3 \
        -W error readme.py 2>&1)"

counted
