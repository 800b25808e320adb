// What one could use instead, in the benchmark, with the same keys: a hash set
// (std::unordered_set) and, at the same rate of 1%, boost::bloom, libfilter,
// fastfilter and datasketches, if `make bench` is given the folders of their
// sources. The first three use the hash of bloom.h, so that only the filters are
// compared; boost::bloom is also measured with its own hash. datasketches has its
// own (XXH64), and is measured with adds that report whether the key is new, too.
// The others cannot report it.

#define BLOOM_STATIC
#include "bloom.h"
#include "bench.h"
#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>
#include <unordered_set>
#ifdef PEER_BOOST
#include <boost/bloom.hpp>
#endif
#ifdef PEER_LIBFILTER
extern "C" {
#include "filter/block.h"
}
#endif
#ifdef PEER_FASTFILTER
#include "bloom/bloom.h"
#endif
#ifdef PEER_DATASKETCHES
#include <bloom_filter.hpp>
#endif

template <class Key> const Key *of(const keys &k);
template <> inline const uint64_t *of(const keys &k) { return k.u64; }
template <> inline const bloom_hash *of(const keys &k) { return k.hashes; }
template <> inline const bloom_key *of(const keys &k) { return k.strings; }

struct our_hash {
    using is_avalanching = void;
    size_t operator()(uint64_t key) const
    {
        return bloom_hash_u64(ours[0], key).h1;
    }
    size_t operator()(bloom_hash key) const { return key.h1; }
    size_t operator()(bloom_key key) const
    {
        return bloom_hash_key(ours[0], key.data, key.size).h1;
    }
};

// A peer is a class with a type Key and the functions bytes(), clear(),
// add(key) and ask(key); if it takes many keys per call, also add(keys, count)
// and ask(keys, count). It is never freed.
template <class Peer> struct singly {
    using Key = typename Peer::Key;
    static void clear(void *peer) { static_cast<Peer *>(peer)->clear(); }
    LOOP(add, Peer, f->add(of<Key>(k)[i]))
    LOOP(ask, Peer, f->ask(of<Key>(k)[i]))
};
template <class Peer> struct in_bulk {
    using Key = typename Peer::Key;
    SLICES(add, Peer, f->add(of<Key>(k) + i, count))
    SLICES(ask, Peer, f->ask(of<Key>(k) + i, count))
};

template <class Peer> Peer *enter_peer(const char *name)
{
    Peer *peer = new Peer;
    enter({ name, SINGLE, RIGHT, peer, peer->bytes(), singly<Peer>::clear,
            singly<Peer>::add, singly<Peer>::ask });
    return peer;
}

#ifdef PEER_BOOST
struct boosts_hash {
    using is_avalanching = void;
    size_t operator()(bloom_key key) const
    {
        const char *text = static_cast<const char *>(key.data);
        return boost::hash<std::string_view>()({ text, key.size });
    }
};

template <class K, size_t hashes, class Cells, class Hash> struct boost_peer {
    using Key = K;
    boost::bloom::filter<Key, hashes, Cells, 0, Hash> f{ run.n, run.p };
    double bytes() const { return double(f.capacity()) / 8; }
    void clear() { f.clear(); }
    bool add(const Key &key) { return f.insert(key), true; }
    bool ask(const Key &key) const { return f.may_contain(key); }
    size_t add(const Key *key, size_t count)
    {
        f.insert(key, key + count);
        return count;
    }
    size_t ask(const Key *key, size_t count) const
    {
        size_t yes = 0;
        f.may_contain(key, key + count,
                      [&](const Key &, bool in) { yes += in; });
        return yes;
    }
};

template <class Peer> void enter_boost(const char *name)
{
    Peer *peer = enter_peer<Peer>(name);
    enter({ name, MANY, RIGHT, peer, peer->bytes(), singly<Peer>::clear,
            in_bulk<Peer>::add, in_bulk<Peer>::ask });
}

template <class Key, class Hash>
void enter_boosts(const char *blocked, const char *classic)
{
    using namespace boost::bloom;
    enter_boost<boost_peer<Key, 1, fast_multiblock32<8>, Hash>>(blocked);
    enter_boost<boost_peer<Key, 7, block<unsigned char, 1>, Hash>>(classic);
}
#endif

#ifdef PEER_LIBFILTER
template <class K> struct libfilter_peer {
    using Key = K;
    libfilter_block b;
    libfilter_peer()
    {
        if (libfilter_block_init(libfilter_block_bytes_needed(double(run.n),
                                                              run.p), &b) < 0)
            throw std::bad_alloc();
    }
    double bytes() const { return double(libfilter_block_size_in_bytes(&b)); }
    void clear() { memset(b.block_.block, 0, size_t(b.num_buckets_) * 32); }
    bool add(const Key &key)
    {
        libfilter_block_add_hash(our_hash()(key), &b);
        return true;
    }
    bool ask(const Key &key) const
    {
        return libfilter_block_find_hash(our_hash()(key), &b);
    }
};
#endif

#ifdef PEER_FASTFILTER
template <bool branchless> struct fastfilter_peer {
    using Key = uint64_t;
    bloomfilter::BloomFilter<uint64_t, 10, branchless> b{ run.n };
    double bytes() const { return double(b.arrayLength) * 8; }
    void clear() { std::fill_n(b.data, b.arrayLength, 0); }
    bool add(Key key) { return b.Add(key) == bloomfilter::Ok; }
    bool ask(Key key) const { return b.Contain(key) == bloomfilter::Ok; }
};
#endif

#ifdef PEER_DATASKETCHES
// Integers only: a string is the same call with a pointer and a size.
template <bool tells> struct datasketches_peer {
    using Key = uint64_t;
    datasketches::bloom_filter f =
        datasketches::bloom_filter::builder::create_by_accuracy(run.n, run.p);
    double bytes() const { return double(f.get_capacity()) / 8; }
    void clear() { f.reset(); }
    bool add(Key key)
    {
        return tells ? !f.query_and_update(key) : (f.update(key), true);
    }
    bool ask(Key key) const { return f.query(key); }
};
#endif

// Its nodes of 16 bytes take 32 each of glibc's malloc.
struct hash_set {
    using Key = uint64_t;
    std::unordered_set<uint64_t> s;
    hash_set() { s.reserve(run.n); }
    double bytes() const
    {
        return double(s.bucket_count()) * sizeof(void *) + 32 * double(run.n);
    }
    void clear() { s.clear(); }
    bool add(Key key) { return s.insert(key).second; }
    bool ask(Key key) const { return s.count(key) != 0; }
};

template <class Key> void enter_all()
{
#ifdef PEER_BOOST
    enter_boosts<Key, our_hash>("boost blocked", "boost classic");
#endif
#ifdef PEER_LIBFILTER
    enter_peer<libfilter_peer<Key>>("libfilter");
#endif
}

void peers_enter()
{
    if (run.kind == U64)
        enter_peer<hash_set>("hash set");
    if (run.p != 0.01)                  // their k is a compile-time constant
        return;
    switch (run.kind) {
    case U64: enter_all<uint64_t>(); break;
    case HASHED: enter_all<bloom_hash>(); break;
    default: enter_all<bloom_key>();
    }
#ifdef PEER_BOOST
    if (run.kind == U64)
        enter_boosts<uint64_t, boost::hash<uint64_t>>(
            "boost blocked, its hash", "boost classic, its hash");
    if (run.kind == STRINGS)
        enter_boosts<bloom_key, boosts_hash>("boost blocked, its hash",
                                             "boost classic, its hash");
#endif
#ifdef PEER_FASTFILTER
    if (run.kind == U64) {
        enter_peer<fastfilter_peer<false>>("fastfilter");
        enter_peer<fastfilter_peer<true>>("fastfilter branchless");
    }
#endif
#ifdef PEER_DATASKETCHES
    if (run.kind == U64) {
        enter_peer<datasketches_peer<false>>("datasketches");
        enter_peer<datasketches_peer<true>>("datasketches, tells");
    }
#endif
}
