/* bloom.h for C++17 and later: filters that own their memory, keys of any kind
   that has an obvious meaning, ranges of them. All inline; each call is the C
   function of that name. One file of the program defines BLOOM_IMPLEMENTATION
   before it includes this or bloom.h.

       bloompp::filter seen(1000000, 0.01);        // a million keys, 1%
       if (!seen) return 1;                        // no such plan, or no memory
       seen.add("apple");                          // true: it was new
       seen.may_contain("pear");                   // false: certainly not in
       seen.add(urls.begin(), urls.end());         // any range: how many new

   A key is what makes a std::string_view, or a std::span of bytes, by its bytes;
   an integer (not bool), by its value modulo 2^64; or a bloom_hash. Nothing
   throws: what could not be made is false, and not to be used. But where
   BLOOM_EXCEPTIONS is defined, to make it throws std::runtime_error. */
#ifndef BLOOM_HPP
#define BLOOM_HPP
#include "bloom.h"
#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace bloompp {

template <class T> constexpr bool is_integer =
    std::is_integral_v<T> && !std::is_same_v<T, bool>;

inline bloom_key slot(std::string_view k) { return { k.data(), k.size() }; }
template <class T, std::enable_if_t<is_integer<T>, int> = 0>
uint64_t slot(T k) { return static_cast<uint64_t>(k); }
#ifdef __cpp_lib_span
inline bloom_key slot(std::span<const std::byte> k)
    { return { k.data(), k.size_bytes() }; }
#endif
inline bloom_hash slot(bloom_hash h) { return h; }

template <class F> struct by {          // a C function for each kind of key
    F *bytes; decltype(slot(0)) x;
};

/* Hands a range to many(keys, count), at most 256 at a time; one, if a key may
   be gone when the next one is read. Returns the sum of what that returns. */
template <class It, class Many> size_t chunks(It first, It last, Many many)
{
    using traits = std::iterator_traits<It>;
    constexpr bool stays = std::is_base_of_v<std::forward_iterator_tag,
        typename traits::iterator_category>
        && (is_integer<typename traits::value_type>
            || std::is_reference_v<typename traits::reference>);
    decltype(slot(*first)) some[stays ? 256 : 1];
    size_t count = 0, total = 0;
    for (; first != last; ++first) {
        auto &&k = *first;
        some[count++] = slot(k);
        if (count == std::size(some))
            total += many(some, count), count = 0;
    }
    return total + (count ? many(some, count) : 0);
}

/* What can be asked, of whatever Self::get() is */
template <class Self> struct lookups {
    explicit operator bool() const { return b(); }
    template <class K> bool may_contain(const K &k) const { return one(slot(k)); }
    template <class It, class Out>      // a bool for each; how many are true
    size_t may_contain(It first, It last, Out out) const
    {
        return chunks(first, last, [&](const auto *keys, size_t count) {
            bool maybe[256];
            size_t total = many(keys, count, maybe);
            out = std::copy(maybe, maybe + count, out);
            return total;
        });
    }
    bloom_plan plan() const { return bloom_plan_of(b()); }
    size_t size() const { return bloom_size(b()); }             // bytes
    bloom_error verify() const { return bloom_verify(b()); }
    uint64_t ones() const { return bloom_ones(b()); }
    uint64_t estimate() const { return bloom_estimate(b()); }
    double fpr() const { return bloom_fpr(b()); }
private:
    const bloom *b() const { return static_cast<const Self *>(this)->get(); }
    bool one(bloom_key k) const
        { return bloom_may_contain(b(), k.data, k.size); }
    bool one(uint64_t k) const { return bloom_may_contain_u64(b(), k); }
    bool one(bloom_hash h) const { return bloom_may_contain_hash(b(), h); }
    size_t many(const bloom_key *k, size_t n, bool *to) const
        { return bloom_may_contain_many(b(), k, n, to); }
    size_t many(const uint64_t *k, size_t n, bool *to) const
        { return bloom_may_contain_many_u64(b(), k, n, to); }
    size_t many(const bloom_hash *h, size_t n, bool *to) const
        { return bloom_may_contain_many_hash(b(), h, n, to); }
};
