# Run by run.sh: installs examples/python by pip in a fresh virtual environment that
# has nothing else, without a network, uses it, and checks its types by mypy. Ends
# with "N passed, N failed".
. tests/helpers.sh
each_must_end
work=$PWD/build/check-python/install
mkdir -p "$work" || exit 1

# A copy of the tree, in a folder whose name has a blank. Only below its build/
# may new files be left.
tree="$work/a copy"
mkdir "$tree" && cp -r bloom.h Makefile examples tests "$tree" || exit 1
find "$tree" -name __pycache__ -prune -exec rm -r {} +
listed() {      # listed: the files of the copy that are not below build/
    (cd "$tree" && find . \( -path ./build -o -name __pycache__ \) -prune \
        -o -type f -print | sort)
}
listed >"$work/before"

# pip installs bloom.py from the copy. The installed package is then used in
# another folder, without the variable that would name another library.
unset LIBBLOOM PYTHONPATH
mkdir "$work/elsewhere"
cat >"$work/elsewhere/use.py" <<'END'
from array import array
from typing import List

from bloom import (Bloom, BloomError, Chain, Plan, Slices, Window,
                   __version__)


class Words(Bloom):
    pass


words: Words = Words(1000, 0.001, layout="blocked", seed=7)
new: bool = words.add("apple")
count: int = words.update(["pear", b"fig"], [7])
count += words.update(array("Q", [1, 2]))
answers: bytearray = words.check(["apple", "plum"])
plan: Plan = words.plan
both: Words = words | words.copy()
both &= words
chain: Chain = Chain.from_bytes(bytes(Chain(10)))
recent: Window = Window(10, 0.01, generations=4, key=bytes(16))
recent.add("x")
days: Slices = Slices(10, 0.01, 3).copy()
days.update(1, ["x", 7])
who: List[int] = days.find_all(["x"])
per_day: "array[int]" = days.count([7])
one: Bloom = days.get(1)
rates: List[float] = [words.fpr, words.plan_fpr(1000), chain.rate, recent.fpr]
words.save("words.bloom")
loaded: Words = Words.load("words.bloom")
with Words.share("shared.bloom", 1000, layout="blocked") as all_:
    new = "apple" in all_ or all_.add("apple") and new
with Words.open("words.bloom") as old:
    same: bool = loaded == old == words and old.verify()
try:
    Bloom.from_bytes(b"no filter")
except BloomError:
    print(__version__, new, count, list(answers), plan.seed, "apple" in both,
          same, len(chain))
END
cd "$work/elsewhere" || exit 1
venv=$work/venv
/usr/bin/python3 -m venv "$venv"
pip() { "$venv/bin/pip" --isolated "$@" >"$work/log" 2>&1 || cat "$work/log"; }
# installs [-e]: the package from the copy; use.py runs with it
installs() {
    (cd "$tree" && pip install --no-index $1 ./examples/python)
    is "pip $1: use.py" "$VERSION True 5 [1, 0] 7 True True 0" \
        "$("$venv/bin/python" use.py 2>&1)"
    is "pip $1: version and licence" "$VERSION $(
        sed -n 's/.*SPDX-License-Identifier: *//p' "$tree/bloom.h" |
            head -n 1)" \
        "$("$venv/bin/pip" --isolated show bloom-h |
            sed -n 's/^Version: //p; s/^License: //p' | paste -s -d ' ')"
}
uninstalls() {
    pip uninstall -y bloom-h
    is "pip $1: nothing is left" '' "$(find "$venv/lib" -name '*bloom*')"
}
installs -e
is 'pip -e: changes of bloom.py take effect' changed "$(
    echo 'print("changed")' >>"$tree/examples/python/bloom.py"
    "$venv/bin/python" -c 'import bloom' 2>&1
    cp "$OLDPWD/examples/python/bloom.py" "$tree/examples/python")"
uninstalls -e
installs
is 'pip: the library is beside it' \
    "bloom.h $VERSION, $(echo "$venv"/lib/*/site-packages/bloom)/libbloom.so" \
    "$("$venv/bin/python" -m bloom 2>&1)"

# mypy accepts that program, and finds six mistakes in another one
typed() {       # typed OPTION... FILE
    /usr/bin/python3 -m mypy --strict --cache-dir "$work/mypy" "$@" 2>&1
}
none='Success: no issues found in 1 source file'
is 'mypy: a program' "$none" \
    "$(typed --python-executable "$venv/bin/python" use.py)"
cat >wrong.py <<'END'
from bloom import Bloom
f = Bloom("1000")
f.add(1.5)
f.update(7)
n: str = f.plan.cells
g = Bloom(10, key="text")
h = Bloom(10, layout="fastest")
END
is 'mypy: mistakes' "$(printf 'wrong.py:%s: error\n' 2 3 4 5 6 7)" \
    "$(typed --python-executable "$venv/bin/python" wrong.py |
        grep -o '^wrong\.py:[0-9]*: error')"
uninstalls
cd "$tree" || exit 1
is 'mypy: bloom.py' "$none" \
    "$(typed --no-warn-return-any examples/python/bloom.py)"
listed >"$work/after"
is 'nothing is left in the tree' '' "$(diff "$work/before" "$work/after")"
counted
