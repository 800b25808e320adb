/* bloom.h for C++17 and later: filters that own their memory, keys of any kind
   that has an obvious meaning, ranges of them. Each call is the C function of
   that name, inline; get() is for the others. One file of the program defines
   BLOOM_IMPLEMENTATION before it includes this.

       bloompp::filter seen(1000000, 0.01);     // a million keys, 1%
       if (!seen) return 1;                     // no such plan, or no memory
       seen.add("apple");                       // true: it was new
       seen.may_contain("pear");                // false: certainly not in
       seen.add(urls.begin(), urls.end());      // any range: how many were new
       bloompp::filter copy{bloompp::view(seen)};   // has memory of its own
       bloompp::chain growing(1000, 0.01);      // when nobody knows how many

   A key is what makes a std::string_view, or a span of std::byte; an integer,
   not bool, by its value modulo 2^64; or a bloom_hash. Nothing throws: what
   could not be made is false, and not to be used. But where BLOOM_EXCEPTIONS is
   defined, to make it throws std::runtime_error. */
#ifndef BLOOM_HPP
#define BLOOM_HPP
#include "bloom_chain.h"
#include <algorithm>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <type_traits>

namespace bloompp {
template <class T> constexpr bool is_integer =
    std::is_integral_v<T> && !std::is_same_v<T, bool>;
inline bloom_key slot(std::string_view k) { return { k.data(), k.size() }; }
inline bloom_hash slot(bloom_hash h) { return h; }
template <class T, std::enable_if_t<is_integer<T>, int> = 0>
uint64_t slot(T k) { return static_cast<uint64_t>(k); }
template <class T, std::enable_if_t<std::is_same_v<
    std::remove_cv_t<typename T::value_type>, std::byte>, int> = 0>
bloom_key slot(const T &k) { return { k.data(), k.size() }; }
#define BLOOMPP_KEYS(f, call, B)        /* the C functions, by kind of key */ \
    inline bool f##_(B *b, bloom_key k) { return call(b, k.data, k.size); } \
    inline bool f##_(B *b, uint64_t k) { return call##_u64(b, k); } \
    inline bool f##_(B *b, bloom_hash h) { return call##_hash(b, h); }
#define BLOOMPP_MANY(f, call, B, key) \
    inline size_t f##_(B *b, const key *keys, size_t count, bool *results) \
        { return call(b, keys, count, results); }
#define BLOOMPP_ALL(f, call, B)         /* and for many */ \
    BLOOMPP_KEYS(f, call, B) \
    BLOOMPP_MANY(f, call##_many, B, bloom_key) \
    BLOOMPP_MANY(f, call##_many_u64, B, uint64_t) \
    BLOOMPP_MANY(f, call##_many_hash, B, bloom_hash)
#define BLOOMPP_BOTH(result, f, constant) \
    inline result f##_(constant bloom *b) { return bloom_##f(b); } \
    inline result f##_(constant bloom_chain *c) { return bloom_chain_##f(c); }
BLOOMPP_KEYS(remove, bloom_remove, bloom)
BLOOMPP_ALL(add, bloom_add, bloom)
BLOOMPP_ALL(add, bloom_chain_add, bloom_chain)
BLOOMPP_ALL(may_contain, bloom_may_contain, const bloom)
BLOOMPP_ALL(may_contain, bloom_chain_may_contain, const bloom_chain)
BLOOMPP_BOTH(size_t, size, const)
BLOOMPP_BOTH(uint64_t, estimate, const)
BLOOMPP_BOTH(double, fpr, const)
BLOOMPP_BOTH(void, seal, )

// Hands a range to many(keys, count), 256 at a time; but one by one if a key
// may be gone when the next one is read. The sum of what that returns.
template <class It, class Many> size_t chunks(It first, It last, Many many)
{
    using of = std::iterator_traits<It>;
    constexpr bool stays = std::is_base_of_v<std::forward_iterator_tag,
        typename of::iterator_category> && (is_integer<typename of::value_type>
        || std::is_reference_v<typename of::reference>);
    decltype(slot(*first)) some[stays ? 256 : 1];
    size_t count = 0, total = 0;
    for (; first != last; ++first) {
        auto &&k = *first;              // a temporary lives as long as this
        some[count++] = slot(k);
        if (count == std::size(some))
            total += many(some, count), count = 0;
    }
    return total + many(some, count);
}

struct made {                           // how all of it ends, and begins
    void operator()(bloom *b) const { bloom_free(b); }
    void operator()(bloom_chain *c) const { bloom_chain_free(c); }
    template <class P> static P check(P p)
    {
#ifdef BLOOM_EXCEPTIONS
        if (!p) throw std::runtime_error("bloom: no such filter, or no memory");
#endif
        return p;
    }
};
template <class Self> struct lookups {  // of whatever Self::get() is
    auto *b() const { return static_cast<const Self *>(this)->get(); }
    explicit operator bool() const { return b() != nullptr; }
    template <class K> bool may_contain(const K &k) const
        { return may_contain_(b(), slot(k)); }
    template <class It, class Out>      // a bool for each; how many are true
    size_t may_contain(It first, It last, Out out) const
    {
        return chunks(first, last, [&](const auto *keys, size_t count) {
            bool maybe[256];
            size_t total = may_contain_(b(), keys, count, maybe);
            out = std::copy(maybe, maybe + count, out);
            return total;
        });
    }
    size_t size() const { return size_(b()); }                  // bytes
    uint64_t estimate() const { return estimate_(b()); }
    double fpr() const { return fpr_(b()); }
};
template <class Self> struct additions : lookups<Self> {
    template <class K> bool add(const K &k)
        { return add_(this->b(), slot(k)); }
    template <class It> size_t add(It first, It last)   // how many were new
        { return chunks(first, last, [&](const auto *keys, size_t count)
            { return add_(this->b(), keys, count, nullptr); }); }
    void seal() { seal_(this->b()); }
};
class view : public lookups<view> {     // someone else's bytes: mapped, in ROM
    const bloom *of;
public:
    view(const bloom *b) : of(b) {}
    view(const void *image, size_t size, bloom_error *error = nullptr)
        : of(made::check(bloom_view(image, size, error))) {}
    const bloom *get() const { return of; }
    bloom_plan plan() const { return bloom_plan_of(of); }
    bloom_error verify() const { return bloom_verify(of); }
};
class filter : public additions<filter> {
    std::unique_ptr<bloom, made> own;
public:
    explicit filter(bloom_plan plan) : own(made::check(bloom_create(plan))) {}
    filter(uint64_t n, double p, bloom_layout layout = BLOOM_CLASSIC)
        : filter(bloom_plan_layout(n, p, layout)) {}
    explicit filter(view a) : own(made::check(bloom_copy(a.get()))) {}
    bloom *get() const { return own.get(); }
    operator view() const { return get(); }
    bloom_plan plan() const { return bloom_plan_of(get()); }
    bloom_error verify() const { return bloom_verify(get()); }
    template <class K> bool remove(const K &k)
        { return remove_(get(), slot(k)); }
    bool merge(view from) { return bloom_merge(get(), from.get()); }
    bool intersect(view with) { return bloom_intersect(get(), with.get()); }
    bool fold(uint64_t by) { return bloom_fold(get(), by); }
    void clear() { bloom_clear(get()); }
};
class chain : public additions<chain> { // saved as its head and its links
    std::unique_ptr<bloom_chain, made> own;
public:
    chain(uint64_t first_n, double p, bloom_layout layout = BLOOM_CLASSIC)
        : own(made::check(bloom_chain_new(first_n, p, layout))) {}
    chain(const void *image, size_t size, bloom_error *error = nullptr)
        : own(made::check(bloom_chain_load(image, size, error))) {}
    bloom_chain *get() const { return own.get(); }
    unsigned links() const { return bloom_chain_links(get()); }
    view link(unsigned i) const { return bloom_chain_link(get(), i); }
    double rate() const { return bloom_chain_rate(get()); }
};
}
#endif
