# Run by `make deb`: makes build/bloom_VERSION_ARCHITECTURE.deb of the files
# that `make install` puts below /usr. Set DEBFULLNAME and DEBEMAIL to your name
# and address, as for Debian's own tools; lintian rejects the default address.
umask 022
work=build/deb usr=build/deb/bloom/usr control=build/deb/bloom/DEBIAN
maintainer="${DEBFULLNAME:-$(id -un)} <${DEBEMAIL:-$(id -un)@$(hostname)}>"
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(date -r bloom.h +%s)}"
rm -rf $work && mkdir -p $control $work/debian &&
    $MAKE install DESTDIR=$work/bloom PREFIX=/usr &&
    strip -R .comment -R .note $usr/bin/bloom &&
    gzip -9n $usr/share/man/man1/bloom.1 || exit

echo "bloom ($VERSION) unstable; urgency=low

  * bloom.h $VERSION.

 -- $maintainer  $(date -Ru -d "@$SOURCE_DATE_EPOCH")" |
    gzip -9n >$usr/share/doc/bloom/changelog.gz

printf 'Source: bloom\n\nPackage: bloom\nArchitecture: any\n' \
    >$work/debian/control
depends=$(cd $work && dpkg-shlibdeps -O bloom/usr/bin/bloom) || exit
cat >$control/control <<END
Package: bloom
Version: $VERSION
Architecture: $(dpkg --print-architecture)
Maintainer: $maintainer
Depends: ${depends#*=}
Conflicts: golang-github-dcso-bloom-cli
Installed-Size: $(du -k -s $usr | cut -f 1)
Section: utils
Priority: optional
Description: command and C header for Bloom filters
 A Bloom filter represents a set of keys in about ten bits per key. It answers
 whether a key is in the set with "certainly not" or "maybe", at a chosen
 false-positive rate. The command bloom works on lines of text: it drops
 repeated lines, or finds lines that are in a set. The header bloom.h is for
 C99 and C++11, with pkg-config, CMake or as a copy.
END
(cd $work/bloom && find usr -type f | sort | xargs md5sum >DEBIAN/md5sums)
dpkg-deb --root-owner-group --build $work/bloom build
