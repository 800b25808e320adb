# `make check-cmake` runs this script: CMake and pkg-config find what `make
# install` installs, wherever it was moved to, and CMakeLists.txt works as a part
# of another project. Each way builds a program in C. Of an installation, and of the
# tree, one is also built in C++ and, if the project has it, one with bloom.hpp.
. tests/helpers.sh
each_must_end
need cmake cmake
need g++ g++
need pkg-config pkg-config
enough
root=$PWD
work=$root/build/check-cmake
rm -rf "$work"
mkdir -p "$work" || exit 1
said="$(awk '/define BLOOM_VERSION/ { print $3; exit }' bloom.h) 1 1 1"
in_c=c:C:$root/examples/cmake/tests/use.c
all="$in_c c++:CXX:$root/examples/cmake/tests/use.c"
if [ -n "$(ls examples/*/bloom.hpp 2>/dev/null)" ]; then
    all="$all hpp:CXX:$root/examples/cmake/tests/use.cpp"
else
    echo 'skipped: bloom.hpp (examples/cpp is absent)'
fi

# project NAME LANGUAGES: makes a CMake project from the lines on standard input
project() {
    mkdir "$work/$1"
    { echo 'cmake_minimum_required(VERSION 3.18)'
      echo "project(use $2)"
      cat; } >"$work/$1/CMakeLists.txt"
}
# builds PROGRAMS NAME [OPTION...]: the programs build with the lines on standard
# input, and print what they should
builds() {
    programs=$1 name=$2
    shift 2
    cat >"$work/lines"
    for program in $programs; do
        source=${program##*:} language=${program#*:}
        language=${language%%:*}
        at=$name-${program%%:*}
        { cat "$work/lines"
          echo "set_source_files_properties($source PROPERTIES"
          echo "    LANGUAGE $language)"
          echo "add_executable(use $source)"
          echo 'target_link_libraries(use PRIVATE bloom::bloom)'
        } | project "$at" "$language"
        cmake -S "$work/$at" -B "$work/$at/out" "$@" >"$work/$at.log" 2>&1 &&
            cmake --build "$work/$at/out" >>"$work/$at.log" 2>&1 ||
            cat "$work/$at.log"
        is "cmake: $at" "$said" "$("$work/$at/out/use")"
    done
}

# ---- make install -----------------------------------------------------------

stage=$work/stage/opt/b
(umask 077; $MAKE install DESTDIR="$work/stage" PREFIX=/opt/b) >"$work/log" ||
    cat "$work/log"
files="lib/cmake/bloom/bloom-config.cmake
lib/cmake/bloom/bloom-config-version.cmake
share/pkgconfig/bloom.pc"
for file in $files; do
    is "mode of $file" "644 $file" "$(cd "$stage" && stat -c '%a %n' $file)"
done
is 'nothing is left to be filled in' '' \
    "$(cd "$stage" && grep -l '@[A-Z]*@' $files)"
is 'pkg-config' "-I/opt/b/include/bloom-h $VERSION" "$(
    export PKG_CONFIG_PATH="$stage/share/pkgconfig"
    echo $(pkg-config --cflags bloom) $(pkg-config --modversion bloom))"

# The installation is moved, to show that CMake's files depend on no first place.
cp -r "$stage" "$work/moved with blanks"
builds "$all" moved "-DCMAKE_PREFIX_PATH=$work/moved with blanks" <<LINES
find_package(bloom ${VERSION%%.*}.0 REQUIRED)
find_package(bloom REQUIRED CONFIG)     # again, as a subproject would do
LINES

# /lib is a link to /usr/lib in Debian.
mkdir "$work/debian" && cp -r "$stage" "$work/debian/usr" &&
    ln -s usr/lib "$work/debian/lib"
builds $in_c by-link <<LINES
find_package(bloom REQUIRED PATHS $work/debian/lib/cmake/bloom NO_DEFAULT_PATH)
LINES

# The library libbloom-h in place of BLOOM_IMPLEMENTATION: the lines of the README
$MAKE install-libbloom DESTDIR="$work/stage" PREFIX=/opt/b >"$work/log" ||
    cat "$work/log"
linked() {      # linked WORDS: the paragraph with them, with names that exist here
    awk -v RS= "/$1/" examples/cmake/README.md |
        sed "s/^    //; s|PREFIX/lib|\"$stage/lib\"|; s|^cc |$CC |"
}
linked 'bloom::bloom bloom-h' >"$work/readme"
sed '/define BLOOM_IMPLEMENTATION/d' examples/cmake/tests/use.c >"$work/program.c"
{ head -n 1 "$work/readme"
  echo "add_executable(program $work/program.c)"
  sed 1d "$work/readme"; } | project library C
cmake -S "$work/library" -B "$work/library/out" "-DCMAKE_PREFIX_PATH=$stage" \
    >"$work/log" 2>&1 && cmake --build "$work/library/out" >>"$work/log" 2>&1 ||
    cat "$work/log"
is 'cmake: libbloom-h' "$said" \
    "$(LD_LIBRARY_PATH="$stage/lib" "$work/library/out/program")"
linked 'cflags bloom. program' >"$work/command"
is 'pkg-config: libbloom-h' "$said" "$(
    export PKG_CONFIG_PATH="$stage/share/pkgconfig" LD_LIBRARY_PATH="$stage/lib"
    export PKG_CONFIG_SYSROOT_DIR="$work/stage"
    cd "$work" && . ./command && ./a.out)"

# A request is met if its major version is the same and it needs nothing newer.
major=${VERSION%%.*} minor=${VERSION#*.}
minor=${minor%.*}
asked="$major $major.0 $VERSION $VERSION:EXACT $major.0...$((major + 1)) \
    $major.0...$VERSION"
refused="$((major + 1)) $((major - 1)).9 $major.$((minor + 1)) $VERSION.1 \
    $major.$((minor + 1)):EXACT $((major - 1)).0...<$VERSION \
    $((major + 1))...$((major + 2))"
project versions NONE <<'LINES'
foreach(asked ${ASKED})
    string(REPLACE ":" ";" words ${asked})
    find_package(bloom ${words} QUIET)
    if(bloom_FOUND)
        file(APPEND ${CMAKE_BINARY_DIR}/found "${asked}\n")
    endif()
    unset(bloom_DIR CACHE)
endforeach()
LINES
cmake -S "$work/versions" -B "$work/versions/out" \
    "-DASKED=$(echo $asked $refused | tr ' ' ';')" \
    "-DCMAKE_PREFIX_PATH=$work/moved with blanks" >"$work/versions.log" 2>&1 ||
    cat "$work/versions.log"
is 'cmake: versions found' "$(printf '%s\n' $asked)" \
    "$(cat "$work/versions/out/found")"

(cd "$stage" && echo $files include/bloom-h) >"$work/list"
$MAKE uninstall DESTDIR="$work/stage" PREFIX=/opt/b >"$work/log" ||
    cat "$work/log"
is 'uninstall' '' "$(cd "$stage" && ls -d $(cat "$work/list") lib/cmake/bloom \
    2>/dev/null)"

# ---- CMakeLists.txt ---------------------------------------------------------

# A copy of the tree, in a folder whose name has a blank
tree="$work/a copy"
mkdir "$tree" && cp -r bloom.h examples "$tree" || exit 1
builds "$all" fetched <<LINES
include(FetchContent)
FetchContent_Declare(bloom SOURCE_DIR "$tree" SOURCE_SUBDIR examples/cmake)
FetchContent_MakeAvailable(bloom)
LINES
cmake --install "$work/fetched-c/out" --prefix "$work/nothing" >"$work/log"
check 'FetchContent installs nothing' [ ! -e "$work/nothing" ]
builds $in_c added <<LINES
add_subdirectory("$tree/examples/cmake" bloom)
LINES

# Alone, it installs the same files as `make install`, but not bloom.pc.
cmake -S "$tree/examples/cmake" -B "$work/alone" >"$work/log" 2>&1 &&
    cmake --install "$work/alone" --prefix "$work/installed" >>"$work/log" ||
    cat "$work/log"
is 'cmake --install' '' "$(cd "$work/installed" && find . -type f |
    while read -r file; do
        cmp "$file" "$work/moved with blanks/$file" 2>&1
    done)"
is 'headers' "$(ls "$work/moved with blanks/include/bloom-h")" \
    "$(ls "$work/installed/include/bloom-h")"
builds $in_c installed "-DCMAKE_PREFIX_PATH=$work/installed" <<LINES
find_package(bloom $VERSION EXACT REQUIRED CONFIG)
LINES

# A build folder of before, after bloom.h was replaced by another version. (It is
# installed elsewhere: CMake leaves a file that is less than a second older.)
sed 's/^#define BLOOM_VERSION .*/#define BLOOM_VERSION 39900/' bloom.h >"$tree/bloom.h"
cmake --build "$work/alone" >"$work/log" 2>&1 &&
    cmake --install "$work/alone" --prefix "$work/again" >>"$work/log" ||
    cat "$work/log"
check 'a new version is read again' grep -q '"3\.99\.0"' \
    "$work/again/lib/cmake/bloom/bloom-config-version.cmake"

# FetchContent of the single file bloom.h
project single C <<LINES
include(FetchContent)
FetchContent_Declare(bloom URL $root/bloom.h DOWNLOAD_NO_EXTRACT TRUE)
FetchContent_MakeAvailable(bloom)
add_executable(use $root/examples/first.c)
target_include_directories(use PRIVATE \${bloom_SOURCE_DIR})
LINES
cmake -S "$work/single" -B "$work/single/out" >"$work/log" 2>&1 &&
    cmake --build "$work/single/out" >>"$work/log" 2>&1 || cat "$work/log"
is 'cmake: a single file' 'apple: maybe in
pear:  certainly not in' "$("$work/single/out/use")"
counted
