# Makes build/redismodule.h, without which no module for Redis can be built. Debian
# and Ubuntu have this file only in the source package of Redis. This script gets it
# from there. The system needs no deb-src lines: they are made from its deb lines,
# and the package lists are kept in build/ for the moment.
[ -s build/redismodule.h ] && exit
echo "getting redismodule.h from the source package of Redis"
from=$PWD/build/redis-source
mkdir -p "$from/lists/partial" "$from/cache/archives/partial"
(. /etc/os-release &&
 apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) main' \
     'Identifier: Packages' 'Component: main' |
     grep " $VERSION_CODENAME" | sort -u) >"$from/sources.list"
set -- apt-get -qq -o Dir::Etc::SourceList="$from/sources.list" \
    -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$from/lists" \
    -o Dir::Cache="$from/cache" -o APT::Sandbox::User=root
"$@" update && (cd "$from" && "$@" source --download-only redis) &&
    tar xzf "$from"/redis_*.orig.tar.gz -C build --strip-components=2 \
        --wildcards '*/src/redismodule.h'
rm -rf "$from"
[ -s build/redismodule.h ] && exit
echo "Copy src/redismodule.h from the source code of Redis 7.0 or later to build/"
exit 1
