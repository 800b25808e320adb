# Run by `make languages`: tests that CMake finds what `make install` installs, and
# the Debian package of `make deb`. If a tool is missing, it is named and the run
# fails. Ends with "N passed, N failed".
cd "$(dirname "$0")/../.." || exit 1
. tests/count.sh
for tool in cmake:cmake lintian:lintian dpkg-shlibdeps:dpkg-dev; do
    need ${tool%:*} ${tool#*:}
done
enough
make -s build/bloom || exit 1
root=$PWD
work=$root/build/builds
rm -rf "$work"
mkdir -p "$work" || exit 1
said='apple: maybe in
pear:  certainly not in'
version=$(build/bloom --version | cut -c 7-)

# project NAME LANGUAGES: makes a CMake project from the lines on standard input
project() {
    mkdir "$work/$1"
    { echo "cmake_minimum_required(VERSION 3.14)"
      echo "project($1 $2)"
      echo "set(source $root/examples/first.c)"
      cat; } >"$work/$1/CMakeLists.txt"
}
# builds NAME WHERE: the project builds with the installation in WHERE, and its
# program prints the output of examples/first.c
builds() {
    cmake -S "$work/$1" -B "$work/$1/out" -DCMAKE_PREFIX_PATH="$work/$2" \
        >"$work/$1.log" 2>&1 && make -s -C "$work/$1/out" >>"$work/$1.log" 2>&1
    is "cmake: $1 builds" '' "$([ $? -eq 0 ] || cat "$work/$1.log")"
    is "cmake: $1" "$said" "$("$work/$1/out/use")"
}

# The installation is moved, to show that no file depends on its first place.
make -s install DESTDIR="$work/stage" PREFIX=/opt/b || exit 1
mv "$work/stage/opt/b" "$work/moved with blanks" || exit 1
project c C <<'END'
find_package(bloom 2.0 REQUIRED)
find_package(bloom REQUIRED)            # again, as a subproject would do
add_executable(use ${source})
target_link_libraries(use bloom::bloom)
END
builds c 'moved with blanks'
project c++ CXX <<'END'
set_source_files_properties(${source} PROPERTIES LANGUAGE CXX)
find_package(bloom REQUIRED CONFIG)
add_executable(use ${source})
target_link_libraries(use PRIVATE bloom::bloom)
END
builds c++ 'moved with blanks'

# Versions: a request is met if its major version is the same and it needs nothing
# newer.
major=${version%%.*} minor=${version#*.}
minor=${minor%.*}
asked="$major $major.0 $version $version:EXACT $major.0...$((major + 1)) \
    $major.0...$version"
refused="$((major + 1)) $((major - 1)).9 $major.$((minor + 1)) $version.1 \
    $major.$((minor + 1)):EXACT $((major - 1)).0...<$version \
    $((major + 1))...$((major + 2))"
project versions NONE <<'END'
foreach(asked ${ASKED})
    string(REPLACE ":" ";" words ${asked})
    find_package(bloom ${words} QUIET)
    if(bloom_FOUND)
        file(APPEND ${CMAKE_BINARY_DIR}/found "${asked}\n")
    endif()
    unset(bloom_DIR CACHE)
endforeach()
END
cmake -S "$work/versions" -B "$work/versions/out" \
    -DASKED="$(echo $asked $refused | tr ' ' ';')" \
    -DCMAKE_PREFIX_PATH="$work/moved with blanks" >"$work/versions.log" 2>&1 ||
    cat "$work/versions.log"
is 'cmake: versions found' "$(printf '%s\n' $asked)" \
    "$(cat "$work/versions/out/found")"

# FetchContent of the single file bloom.h
project fetched C <<END
include(FetchContent)
FetchContent_Declare(bloom URL $root/bloom.h DOWNLOAD_NO_EXTRACT TRUE)
FetchContent_MakeAvailable(bloom)
add_executable(use \${source})
target_include_directories(use PRIVATE \${bloom_SOURCE_DIR})
END
builds fetched nowhere

# The Debian package: its fields, its files, and its program. CMake must find
# bloom.h through /lib, too, which is a link to /usr/lib in Debian.
rm -f build/bloom_*.deb
DEBFULLNAME='A Packager' DEBEMAIL=packager@bloom.example make -s deb \
    >"$work/deb.log" 2>&1 || cat "$work/deb.log"
deb=build/bloom_${version}_$(dpkg --print-architecture).deb
is lintian '' "$(lintian "$deb" 2>&1 | grep -v 'root privileges')"
is 'deb: version' "$version" "$(dpkg-deb -f "$deb" Version)"
is 'deb: depends on libc' 1 "$(dpkg-deb -f "$deb" Depends |
    grep -c '^libc6* (')"
dpkg-deb -x "$deb" "$work/debian" && dpkg-deb -e "$deb" "$work/debian/DEBIAN"
(cd "$work/debian" && md5sum --quiet -c DEBIAN/md5sums)
is 'deb: checksums of its files' 0 $?
is 'deb: runs' "$(printf 'a\nb\n')" \
    "$(printf 'a\nb\na\n' | "$work/debian/usr/bin/bloom" uniq)"
same 'deb' "$work/debian/usr/include/bloom.h" bloom.h
ln -s usr/lib "$work/debian/lib"
project by-link C <<END
find_package(bloom REQUIRED PATHS $work/debian/lib/cmake/bloom NO_DEFAULT_PATH)
add_executable(use \${source})
target_link_libraries(use bloom::bloom)
END
builds by-link nowhere
counted
