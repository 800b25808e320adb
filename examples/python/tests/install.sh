# Run by `make languages`: tests the files in examples/packages/, and installs
# examples/python by pip in a fresh virtual environment. CMake, pip and mypy are
# Debian's. Debian has no vcpkg and no Conan: a few lines of CMake and Python
# stand in for their functions. If a tool is missing, the run names it and
# fails, but without avr-g++ or Arduino's core it only skips the Arduino sketch.
# Ends with "N passed, N failed".
cd "$(dirname "$0")/../.." || exit 1
. tests/count.sh
for tool in cmake:cmake g++:g++ /usr/bin/python3:python3; do
    need ${tool%:*} ${tool#*:}
done
for module in venv:python3-venv setuptools:python3-setuptools \
              wheel:python3-wheel mypy:mypy; do
    need "Python's ${module%:*}" ${module#*:} \
        "/usr/bin/python3 -c 'import ${module%:*}'"
done
enough
work=$PWD/build/packages
rm -rf "$work"
mkdir -p "$work" || exit 1

# A copy of the tree, in a folder whose name has a blank. Only below its build/
# may new files be left.
tree="$work/a copy"
mkdir "$tree" && cp -r bloom.h Makefile examples tests "$tree" || exit 1
find "$tree" -name __pycache__ -prune -exec rm -r {} +
packages=$tree/examples/packages
version=$(awk '/define BLOOM_VERSION/ { v = $3; print int(v / 10000) "." \
    int(v / 100) % 100 "." v % 100; exit }' bloom.h)
listed() {      # listed: the files of the copy that are not below build/
    (cd "$tree" && find . -path ./build -prune -o -type f -print | sort)
}
listed >"$work/before"

# Every file has the version of bloom.h and the same licence. No file names a
# host but bloom.example.
properties=$packages/library.properties
field() { sed -n "s/^$1=//p" "$properties"; }
json() {        # json FILE FIELD
    /usr/bin/python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$packages/$1" $2
}
is 'library.properties: version' $version "$(field version)"
is 'library.json: version' $version "$(json library.json version)"
is 'vcpkg.json: version' $version "$(json vcpkg/vcpkg.json version)"
is 'bloom.py: version' $version \
    "$(sed -n 's/^__version__ = "\(.*\)"/\1/p' examples/python/bloom.py)"
licence=$(sed -n 's/.*SPDX-License-Identifier: *\([^*]*[^* ]\).*/\1/p' bloom.h |
    head -n 1)
licence=${licence:-$(json library.json license)}
is 'library.json: licence' "$licence" "$(json library.json license)"
is 'vcpkg.json: licence' "$licence" "$(json vcpkg/vcpkg.json license)"
for file in packages/conanfile.py python/setup.py; do
    check "$file: licence" grep -q "license *= *\"$licence\"" examples/$file
done
is 'hosts' '' "$(grep -r -E -o \
    '(https?|git|ssh)://[^/" ]*|[a-z]+\.(com|org|io|net|dev)\>' \
    examples/packages examples/python | grep -v '//bloom\.example$')"

# library.properties follows Arduino's library specification 2.2: each line is
# name=value, each required field is there once, and the name and the category
# are allowed.
is 'library.properties: fields' "$(printf '%s\n' architectures author category \
    includes maintainer name paragraph sentence url version)" \
    "$(sed 's/=.*//' "$properties" | LC_ALL=C sort)"
for name in $(sed 's/=.*//' "$properties"); do
    check "library.properties: $name is empty" [ -n "$(field $name)" ]
done
check 'library.properties: name' grep -q -E \
    '^name=[A-Za-z0-9][A-Za-z0-9_. -]{0,62}$' "$properties"
is 'library.properties: category' 'Data Processing' "$(field category)"

# library.json and vcpkg.json have the fields that are required, none that are
# unknown, and values that PlatformIO's documentation and vcpkg's schema allow.
is 'JSON' '' "$(cd "$packages" && /usr/bin/python3 - 2>&1 <<'END'
import json, re
pio = json.load(open("library.json"))
port = json.load(open("vcpkg/vcpkg.json"))
known = """name version description keywords homepage repository authors license
    frameworks platforms headers examples dependencies export scripts build"""
assert set(pio) <= set(known.split()), pio.keys()
assert {"name", "version", "description", "keywords"} <= set(pio)
assert re.fullmatch(r"[A-Za-z0-9]+(-[A-Za-z0-9]+)*", pio["name"])
assert len(pio["name"]) <= 50 and len(pio["description"]) <= 255
assert all(re.fullmatch("[a-z0-9-]+", word) for word in pio["keywords"])
assert all(author["name"] for author in pio["authors"])
known = """name version description license dependencies homepage supports
    features default-features port-version maintainers documentation"""
assert set(port) <= set(known.split()), port.keys()
assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", port["name"])
assert re.fullmatch(r"\d+(\.\d+)*", port["version"])
assert [d["name"] for d in port["dependencies"] if d["host"]] == [
    "vcpkg-cmake", "vcpkg-cmake-config"]
END
)"

# The commands in README.md make a library for Arduino and PlatformIO.
(cd "$tree" && sed -n '/^```sh$/,/^```$/p' "$packages/README.md" |
    grep -v '^```' | sh -e)
is "README.md's commands" 0 $?
library=$tree/build/bloom-h
files() {       # files FOLDER: the files in it, one per line
    (cd "$1" && find . -type f | sed 's,^\./,,' | LC_ALL=C sort)
}
is 'files of the library' "$(printf '%s\n' examples/lock/lock.ino \
    examples/lock/revoked.h library.json library.properties src/bloom.h \
    src/bloom_chain.h src/bloom_window.h)" "$(files "$library")"
for header in $(field includes) $(json library.json headers); do
    check "$header is in src/" [ -f "$library/src/$header" ]
done
core=/usr/share/arduino/hardware/arduino/avr
if command -v avr-g++ >/dev/null && [ -e $core/cores/arduino/Arduino.h ]; then
    { echo '#include <Arduino.h>'; cat "$library/examples/lock/lock.ino"; } \
        >"$work/lock.cpp"
    check 'the sketch compiles' avr-g++ -mmcu=atmega328p -DF_CPU=16000000L \
        -DARDUINO=10819 -DARDUINO_ARCH_AVR -Os -std=gnu++11 -w \
        -I$core/cores/arduino -I$core/variants/standard -I"$library/src" \
        -I"$library/examples/lock" -c "$work/lock.cpp" -o "$work/lock.o"
else
    echo 'skipped: the Arduino sketch (gcc-avr, arduino-core-avr)'
fi

# CMakeLists.txt, in C and in C++: by FetchContent, by add_subdirectory, and by
# find_package after an installation that was moved.
cat >"$work/use.c" <<'END'
#define BLOOM_IMPLEMENTATION
#include "bloom_chain.h"
#include "bloom_window.h"
#include <stdio.h>
int main(void)
{
    bloom *b = bloom_new(10, 0.01);
    bloom_chain *c = bloom_chain_new(10, 0.01, BLOOM_CLASSIC);
    if (!b || !c)
        return 1;
    bloom_add(b, "x", 1);
    bloom_chain_add(c, "x", 1);
    printf("%d %d %d\n", BLOOM_VERSION, (int)bloom_may_contain(b, "x", 1),
           (int)bloom_chain_may_contain(c, "x", 1));
    bloom_free(b);
    bloom_chain_free(c);
    return 0;
}
END
said="$(awk '/define BLOOM_VERSION/ { print $3; exit }' bloom.h) 1 1"
# builds NAME [OPTION...]: a project in each language builds with the lines that
# this reads from standard input, and its program prints what it should
builds() {
    name=$1
    shift
    cat >"$work/lines"
    for language in C CXX; do
        at=$work/$name-$language
        mkdir "$at"
        { echo 'cmake_minimum_required(VERSION 3.18)'
          echo "project(use $language)"
          cat "$work/lines"
          echo "add_executable(use $work/use.c)"
          echo "set_source_files_properties($work/use.c PROPERTIES"
          echo "    LANGUAGE $language)"
          echo 'target_link_libraries(use PRIVATE bloom::bloom)'
        } >"$at/CMakeLists.txt"
        cmake -S "$at" -B "$at/out" "$@" >"$at/log" 2>&1 &&
            cmake --build "$at/out" >>"$at/log" 2>&1 || cat "$at/log"
        is "cmake: $name, $language" "$said" "$("$at/out/use")"
    done
}
builds fetched <<END
include(FetchContent)
FetchContent_Declare(bloom SOURCE_DIR "$tree" SOURCE_SUBDIR examples/packages)
FetchContent_MakeAvailable(bloom)
END
cmake --install "$work/fetched-C/out" --prefix "$work/nothing" >"$work/log"
check 'FetchContent installs nothing' [ ! -e "$work/nothing" ]
builds added <<END
add_subdirectory("$packages" bloom)
END
builds installed -DBLOOM_INSTALL=ON <<END
add_subdirectory("$packages" bloom)
END
cmake --install "$work/installed-C/out" --prefix "$work/prefix" >"$work/log" ||
    cat "$work/log"
mv "$work/prefix" "$work/moved"
builds found -DCMAKE_PREFIX_PATH="$work/moved" <<END
find_package(bloom $version EXACT CONFIG REQUIRED)
END

# The vcpkg port. Three functions stand in for those of vcpkg.
cat >"$work/port.cmake" <<'END'
function(vcpkg_cmake_configure)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" SOURCE_PATH "")
    execute_process(COMMAND "${CMAKE_COMMAND}" -S "${arg_SOURCE_PATH}"
        -B "${WORK}/out" "-DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}"
        COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_cmake_install)
    execute_process(COMMAND "${CMAKE_COMMAND}" --build "${WORK}/out"
        --target install COMMAND_ERROR_IS_FATAL ANY)
endfunction()
# moves the files from lib/cmake/bloom to share/bloom, which is one level higher
function(vcpkg_cmake_config_fixup)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "PACKAGE_NAME;CONFIG_PATH" "")
    file(GLOB files "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/*")
    foreach(file IN LISTS files)
        get_filename_component(name "${file}" NAME)
        file(READ "${file}" text)
        set(up "get_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\"")
        string(APPEND up " PATH)")
        string(REPLACE "${up}\n${up}\n${up}" "${up}\n${up}" text "${text}")
        file(WRITE "${CURRENT_PACKAGES_DIR}/share/${arg_PACKAGE_NAME}/${name}"
            "${text}")
    endforeach()
    file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/..")
endfunction()
set(CURRENT_PACKAGES_DIR "${WORK}/bloom-h")
set(PORT bloom-h)
include("${PORTFILE}")
END
mkdir "$work/vcpkg"
cmake -DWORK="$work/vcpkg" -DPORTFILE="$packages/vcpkg/portfile.cmake" \
    -P "$work/port.cmake" >"$work/log" 2>&1 || cat "$work/log"
port=$work/vcpkg/bloom-h
is 'vcpkg: files' "$(printf '%s\n' include/bloom.h include/bloom_chain.h \
    include/bloom_window.h share/bloom-h/copyright share/bloom-h/usage \
    share/bloom/bloom-config-version.cmake share/bloom/bloom-config.cmake)" \
    "$(files "$port")"
is 'vcpkg: no empty folder' '' "$(find "$port" -type d -empty)"
is 'vcpkg: copyright' 1 "$(grep -c '2\. MIT' "$port/share/bloom-h/copyright")"
builds port -DCMAKE_PREFIX_PATH="$port" <<END
$(sed -n 's/^    \(find_package.*\)/\1/p' "$packages/vcpkg/usage")
END

# The Conan recipe. Three functions stand in for those of Conan.
mkdir -p "$work/conan/conan/tools"
echo 'class ConanFile: pass' >"$work/conan/conan/__init__.py"
: >"$work/conan/conan/tools/__init__.py"
cat >"$work/conan/conan/tools/files.py" <<'END'
import glob, os, shutil
def load(recipe, path):
    with open(path) as file:
        return file.read()
def save(recipe, path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
def copy(recipe, pattern, src, dst):
    os.makedirs(dst, exist_ok=True)
    for path in glob.glob(os.path.join(glob.escape(src), pattern)):
        shutil.copy(path, dst)
END
is 'conan' "$version bloom.h bloom_chain.h bloom_window.h LICENSE" \
    "$(PYTHONPATH="$work/conan:$packages" PYTHONDONTWRITEBYTECODE=1 \
        /usr/bin/python3 - "$packages" "$work/conan/sources" \
        "$work/conan/package" 2>&1 <<'END'
import os, sys, types
from conanfile import Bloom
recipe = Bloom()
(recipe.recipe_folder, recipe.source_folder,
 recipe.package_folder) = sys.argv[1:]
recipe.export_sources_folder = recipe.source_folder
recipe.set_version()
recipe.export_sources()
recipe.package()
recipe.cpp_info = types.SimpleNamespace(set_property=lambda name, value: None)
recipe.package_info()
print(recipe.version, *sorted(os.listdir(recipe.package_folder + "/include")),
      *os.listdir(recipe.package_folder + "/licenses"))
END
)"

# pip installs bloom.py from the copy. The installed package is then used in
# another folder, without the variable that would name another library.
unset LIBBLOOM PYTHONPATH
{ /usr/bin/python3 -m venv --system-site-packages "$work/venv" &&
    (cd "$tree" && "$work/venv/bin/pip" --isolated install --no-index \
        --no-build-isolation ./examples/python)
} >"$work/log" 2>&1 || cat "$work/log"
mkdir "$work/elsewhere"
cat >"$work/elsewhere/use.py" <<'END'
from array import array
from typing import List

from bloom import Bloom, BloomError, Chain, Plan, __version__


class Words(Bloom):
    pass


words: Words = Words(1000, 0.001, layout="blocked", seed=7)
new: bool = words.add("apple")
count: int = words.update(["pear", b"fig", 7])
count += words.update(array("Q", [1, 2]))
answers: bytearray = words.check(["apple", "plum"])
plan: Plan = words.plan
both: Words = words | words.copy()
both &= words
rates: List[float] = [words.rate, words.error_rate(1000)]
words.save("words.bloom")
with Words.open("words.bloom") as old:
    same: bool = old == words and old.verify()
chain: Chain = Chain.from_bytes(bytes(Chain(10)))
try:
    Bloom.from_bytes(b"no filter")
except BloomError:
    print(__version__, new, count, list(answers), plan.seed, "apple" in both,
          same, len(chain))
END
cd "$work/elsewhere" || exit 1
is 'pip: what it installed' "$version True 5 [1, 0] 7 True True 0" \
    "$("$work/venv/bin/python" use.py 2>&1)"
is 'pip: version' $version "$("$work/venv/bin/pip" --isolated show bloom-h |
    sed -n 's/^Version: //p')"
is 'pip: the library is beside it' "$work/venv" "$("$work/venv/bin/python" -c \
    'import bloom; print(bloom._path.split("/lib/")[0])')"

# mypy accepts that program, and finds four mistakes in another one
typed() {       # typed OPTION... FILE
    /usr/bin/python3 -m mypy --strict --cache-dir "$work/mypy" "$@" 2>&1
}
none='Success: no issues found in 1 source file'
is 'mypy: a program' "$none" \
    "$(typed --python-executable "$work/venv/bin/python" use.py)"
cat >wrong.py <<'END'
from bloom import Bloom
f = Bloom("1000")
f.add(1.5)
f.update(7)
n: str = f.plan.cells
END
is 'mypy: mistakes' "$(printf 'wrong.py:%s: error\n' 2 3 4 5)" \
    "$(typed --python-executable "$work/venv/bin/python" wrong.py |
        grep -o '^wrong\.py:[0-9]*: error')"
cd "$tree" || exit 1
is 'mypy: bloom.py' "$none" \
    "$(typed --no-warn-return-any examples/python/bloom.py)"
listed >"$work/after"
is 'nothing is left in the tree' '' "$(diff "$work/before" "$work/after")"
counted
