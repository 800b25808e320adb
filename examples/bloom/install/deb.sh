# Run by `make deb`: makes build/bloom_VERSION_ARCHITECTURE.deb of what `make
# install` puts below /usr. DEBFULLNAME and DEBEMAIL say who you are, as they do
# for Debian's own tools; without them lintian finds fault with the address.
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
Conflicts: golang-github-dcso-bloom-cli, libbloom-dev
Installed-Size: $(du -k -s $usr | cut -f 1)
Section: utils
Priority: optional
Description: command and C header for Bloom filters whose rate is kept
 A Bloom filter remembers millions of keys in ten bits each, and answers
 "certainly not" or "maybe". The command bloom does that for lines; bloom.h is
 for C99 and C++11, by pkg-config, CMake or a copy.
END
(cd $work/bloom && find usr -type f | sort | xargs md5sum >DEBIAN/md5sums)
dpkg-deb --root-owner-group --build $work/bloom build
