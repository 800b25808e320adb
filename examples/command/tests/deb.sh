# Tests the Debian package that `make deb` builds: its fields, its files, and its
# program. Ends with "N passed, N failed".
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers.sh
need lintian lintian
need dpkg-shlibdeps dpkg-dev
enough
work=build/deb-test
rm -rf $work build/bloom_*.deb && mkdir -p $work || exit 1

version=$(${MAKE:-make} -s build/bloom && build/bloom --version | cut -c 7-)
DEBFULLNAME='A Packager' DEBEMAIL=packager@bloom.example ${MAKE:-make} -s deb \
    >$work/log 2>&1 || cat $work/log
deb=build/bloom_${version}_$(dpkg --print-architecture).deb
is lintian '' "$(lintian "$deb" 2>&1 | grep -v 'root privileges')"
is 'version' "$version" "$(dpkg-deb -f "$deb" Version)"
is 'depends on libc' 1 "$(dpkg-deb -f "$deb" Depends | grep -c '^libc6* (')"
dpkg-deb -x "$deb" $work && dpkg-deb -e "$deb" $work/DEBIAN
(cd $work && md5sum --quiet -c DEBIAN/md5sums)
is 'checksums of its files' 0 $?
is 'runs' "$(printf 'a\nb\n')" \
    "$(printf 'a\nb\na\n' | $work/usr/bin/bloom uniq)"
same 'the header' $work/usr/include/bloom-h/bloom.h bloom.h
is 'a folder of its own for the headers' bloom-h "$(ls $work/usr/include)"
counted
