/* bloom.h for C++11 and later: filters that own their memory, keys of C++
   types, and ranges of keys. Each member function calls the C function of that
   name, inline. For other C functions, get() returns the pointer. Copy bloom.h
   and bloom_chain.h beside this file. In one file of the program, define
   BLOOM_IMPLEMENTATION before you include it.

       bloompp::filter seen(1000000, 0.01);     // a million keys, 1%
       if (!seen) return 1;                     // impossible plan or no memory
       seen.add("apple");                       // true: certainly new
       seen.may_contain("pear");                // false: certainly not in
       seen.add(urls);                          // a range: how many were new
       seen.add({ 1, 2, 3 });                   // also add(first, last)
       if (!(seen |= other)) return 1;          // union; false: plans differ
       bloompp::filter copy{bloompp::view(seen)};   // with its own memory
       bloompp::chain growing(1000, 0.01);      // grows, if n is not known

   Keys have one of these types; others do not compile, with a clear message.
     - Text or bytes: a C string, a bloom_key, an array of unsigned char, or a
       type with data() and size() of bytes, such as std::string,
       std::string_view, std::vector<unsigned char>, std::array<uint8_t, 16>.
     - An integer or an enumeration: the key is its value modulo 2^64. char and
       wide characters are not accepted as integers, because their values
       depend on the compiler. Nor is bool, which is rarely meant as a key.
     - A bloom_hash.

   Nothing throws. A filter, view or chain converts to false if it could not be
   made. So does a filter or chain that was moved from. You may copy, move,
   assign to, compare and merge a false one: its copy is false, and the merge
   fails. All other calls need a true one. If BLOOM_EXCEPTIONS is defined, the
   constructors, |= and &= throw std::runtime_error when they fail. */
#ifndef BLOOM_HPP
#define BLOOM_HPP
#include "bloom_chain.h"
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#if defined BLOOM_EXCEPTIONS || __cplusplus < 201703L
#define BLOOMPP_ANSWER
#else
#define BLOOMPP_ANSWER [[nodiscard]]    /* the only sign of failure */
#endif

namespace bloompp {
// ---- What is a key ---------------------------------------------------------
template <bool yes> using only_if = typename std::enable_if<yes, int>::type;
template <class T> using bare = typename std::decay<T>::type;

// Excludes char and wide characters: they are distinct from the signed and the
// unsigned type of their size.
template <class T, bool = std::is_integral<T>::value
                          && !std::is_same<T, bool>::value>
struct is_integer : std::false_type {};
template <class T> struct is_integer<T, true> : std::integral_constant<bool,
    std::is_same<T, typename std::make_signed<T>::type>::value ||
    std::is_same<T, typename std::make_unsigned<T>::type>::value> {};
template <class T, bool = std::is_enum<T>::value>
struct is_number : is_integer<T> {};
template <class T> struct is_number<T, true>
    : is_integer<typename std::underlying_type<T>::type> {};

template <class T> struct is_byte : std::integral_constant<bool, sizeof(T) == 1
    && std::is_integral<T>::value && !std::is_same<T, bool>::value> {};
#ifdef __cpp_lib_byte
template <> struct is_byte<std::byte> : std::true_type {};
#endif
template <class T> std::true_type iterates(
    decltype(std::begin(std::declval<T &>()), 0));
template <class> std::false_type iterates(...);
template <class T> is_byte<bare<decltype(*std::declval<T &>().data())>> holds(
    decltype(std::declval<T &>().size(), 0));
template <class> std::false_type holds(...);
template <class T> using is_text = std::is_convertible<T, const char *>;
template <class T> using is_bytes = decltype(holds<T>(0));
template <class T> struct is_range : std::integral_constant<bool,
    decltype(iterates<T>(0))::value && !is_text<T>::value
    && !is_bytes<T>::value> {};
template <class T, std::size_t n> struct is_range<T[n]> :
    std::integral_constant<bool, !is_byte<bare<T>>::value> {};

inline bloom_key slot(bloom_key k) { return k; }
inline bloom_hash slot(bloom_hash h) { return h; }
inline bloom_key slot(const char *k) { return { k, std::strlen(k) }; }
template <class T, std::size_t n,       // not char, whose arrays are text
          only_if<is_byte<T>::value && is_number<T>::value> = 0>
bloom_key slot(const T (&k)[n]) { return { k, n }; }
template <class T, only_if<is_bytes<const T>::value> = 0>
bloom_key slot(const T &k) { return { k.data(), k.size() }; }
template <class T, only_if<is_number<T>::value> = 0>
uint64_t slot(T k) { return static_cast<uint64_t>(k); }
template <class T, only_if<!is_bytes<const T>::value && !is_text<T>::value
                           && !is_number<T>::value> = 0>
bloom_hash slot(const T &)
{
    static_assert(sizeof(T) == 0, "A key must be text, bytes, an integer, an "
        "enum or a bloom_hash: cast a char to unsigned char, and convert wide "
        "text to UTF-8.");
    return {};
}

// ---- The C functions, by kind of key and of filter -------------------------
#define BLOOMPP_KEYS(f, call, B) \
    inline bool f##_(B *b, bloom_key k) { return call(b, k.data, k.size); } \
    inline bool f##_(B *b, uint64_t k) { return call##_u64(b, k); } \
    inline bool f##_(B *b, bloom_hash h) { return call##_hash(b, h); }
#define BLOOMPP_MANY(f, call, B, key) \
    inline size_t f##_(B *b, const key *keys, size_t count, bool *results) \
        { return call(b, keys, count, results); }
#define BLOOMPP_ALL(f, call, B)         /* one key, and many */ \
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

// ---- Ranges ----------------------------------------------------------------
// Calls many(keys, count) for a range, with up to 256 keys at a time, and sums
// its results. It passes single keys if reading the next may destroy the last.
template <class It, class Many> size_t chunks(It first, It last, Many many)
{
    using of = std::iterator_traits<It>;
    static_assert(!is_byte<typename of::value_type>::value,
        "A range of bytes is not a range of keys: pass it as one key, such as "
        "bloom_key{data, size}.");
    constexpr bool stays = std::is_base_of<std::forward_iterator_tag,
        typename of::iterator_category>::value
        && (is_number<typename of::value_type>::value
            || std::is_reference<typename of::reference>::value);
    constexpr size_t room = stays ? 256 : 1;
    decltype(slot(*first)) some[room];
    size_t count = 0, total = 0;
    for (; first != last; ++first) {
        auto &&k = *first;              // keeps a temporary alive for the call
        some[count++] = slot(k);
        if (count == room) {
            total += many(some, count);
            count = 0;
        }
    }
    return count ? total + many(some, count) : total;
}
template <class B> struct adds {
    B *b;
    template <class K> size_t operator()(const K *keys, size_t count)
        { return add_(b, keys, count, nullptr); }
};
template <class B, class Out> struct asks {
    B *b;
    Out &out;
    template <class K> size_t operator()(const K *keys, size_t count)
    {
        bool maybe[256];
        size_t total = may_contain_(b, keys, count, maybe);
        out = std::copy(maybe, maybe + count, out);
        return total;
    }
};

// ---- Filters ---------------------------------------------------------------
struct made {                           // frees filters, and checks new ones
    void operator()(bloom *b) const { bloom_free(b); }
    void operator()(bloom_chain *c) const { bloom_chain_free(c); }
    template <class P> static P check(P p, const char *why
        = "bloom: impossible plan, damaged image, or not enough memory")
    {
#ifdef BLOOM_EXCEPTIONS
        if (!p) throw std::runtime_error(why);
#endif
        static_cast<void>(why);
        return p;
    }
};
template <class Self, class B> struct lookups {     // for the B of Self::get()
    const B *b() const { return static_cast<const Self *>(this)->get(); }
    explicit operator bool() const { return b() != nullptr; }
    template <class K> bool may_contain(const K &k) const
        { return may_contain_(b(), slot(k)); }
    template <class It, class Out>      // out: bools; returns how many are true
    size_t may_contain(It first, It last, Out out) const
        { return chunks(first, last, asks<const B, Out>{ b(), out }); }
    template <class R, class Out> size_t may_contain(R &&range, Out out) const
        { return may_contain(std::begin(range), std::end(range), out); }
    size_t size() const { return size_(b()); }                  // bytes
    uint64_t estimate() const { return estimate_(b()); }
    double fpr() const { return fpr_(b()); }
};
template <class Self, class B> struct additions : lookups<Self, B> {
    B *own() const { return static_cast<const Self *>(this)->get(); }
    template <class K, only_if<!is_range<K>::value> = 0> bool add(const K &k)
        { return add_(own(), slot(k)); }
    template <class It> size_t add(It first, It last)   // returns how many new
        { return chunks(first, last, adds<B>{ own() }); }
    template <class R, only_if<is_range<typename std::remove_reference<R>::type
                                        >::value> = 0> size_t add(R &&range)
        { return add(std::begin(range), std::end(range)); }
    template <class K> size_t add(std::initializer_list<K> keys)
        { return add(keys.begin(), keys.end()); }
    void seal() { seal_(own()); }
};
class view : public lookups<view, bloom> {  // borrowed bytes: mapped file, ROM
    const bloom *of;
public:
    view(const bloom *b) : of(b) {}
    view(const void *image, size_t size, bloom_error *error = nullptr)
        : of(made::check(bloom_view(image, size, error))) {}
    const bloom *get() const { return of; }
    bloom_plan plan() const { return bloom_plan_of(of); }
    bloom_error verify() const { return bloom_verify(of); }
};
// Equal plans and cells. The seals do not count.
inline bool operator==(view a, view b)
{
    if (!a || !b || a.size() != b.size())
        return !a && !b;
    auto x = reinterpret_cast<const unsigned char *>(a.get());
    auto y = reinterpret_cast<const unsigned char *>(b.get());
    return !std::memcmp(x, y, 24)       // bytes 24 to 31 are the seal
        && !std::memcmp(x + 32, y + 32, a.size() - 32);
}
inline bool operator!=(view a, view b) { return !(a == b); }

class filter : public additions<filter, bloom> {
    std::unique_ptr<bloom, made> own;
public:
    explicit filter(bloom_plan plan) : own(made::check(bloom_create(plan))) {}
    filter(uint64_t n, double p, bloom_layout layout = BLOOM_CLASSIC)
        : filter(bloom_plan_layout(n, p, layout)) {}
    explicit filter(view a)
        : own(a ? made::check(bloom_copy(a.get())) : nullptr) {}
    bloom *get() const { return own.get(); }
    operator view() const { return get(); }
    bloom_plan plan() const { return bloom_plan_of(get()); }
    bloom_error verify() const { return bloom_verify(get()); }
    template <class K> bool remove(const K &k)
        { return remove_(get(), slot(k)); }
    bool merge(view from)
        { return *this && from && bloom_merge(get(), from.get()); }
    bool intersect(view with)
        { return *this && with && bloom_intersect(get(), with.get()); }
    BLOOMPP_ANSWER bool operator|=(view from)
        { return made::check(merge(from), "bloom: |= needs equal plans"); }
    BLOOMPP_ANSWER bool operator&=(view with)
        { return made::check(intersect(with), "bloom: &= needs equal plans"); }
    bool fold(uint64_t by) { return bloom_fold(get(), by); }
    void clear() { bloom_clear(get()); }
};
// A scalable Bloom filter. To save it, write its head (bloom_chain_head), then
// each link. Chains cannot be merged, because the union would not keep the
// rate: look keys up in both.
class chain : public additions<chain, bloom_chain> {
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
