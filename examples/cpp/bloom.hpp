/* bloom.h for C++11 and later: filters that own their memory, keys of C++
   types, and ranges of keys. Each member function calls the C function of that
   name, inline. For other C functions, get() returns the pointer. Copy bloom.h
   and its five companions beside this file. In one file of the program, define
   BLOOM_IMPLEMENTATION before you include it.

       bloompp::filter seen(1000000, 0.01);     // a million keys, 1%
       if (!seen) return 1;                     // impossible plan or no memory
       seen.add("apple");                       // true: certainly new
       seen.may_contain("pear");                // false: certainly not in
       seen.add(urls);                          // a range: how many were new
       seen.may_contain(urls);                  // how many of them may be in
       seen.may_contain(urls, answers);         // also a bool for each
       seen.add({ 1, 2, 3 });                   // also add(first, last)
       if (!(seen |= other)) return 1;          // union; false: plans differ
       bloompp::filter both = seen.copy();      // with its own memory
       bloompp::chain log(1000, 0.01);          // grows, if n is not known
       bloompp::window recent(1000, 0.01);      // forgets: the last 1000 keys
       bloompp::slices days(1000, 0.01, 365);   // 365 filters, asked at once

       int why = seen.save("seen.bloom");       // 0, or an errno
       auto old = bloompp::filter::load("seen.bloom", &why);
       if (!old && why == ENOENT)               // no such file: begin anew; but
           old = bloompp::filter(1000000, 0.01);    // never after other errors
       // with BLOOM_ATOMIC: several processes add, and look up at once
       auto all = bloompp::share("all.bloom", bloom_plan_for(1000000, 0.01));

   Keys have one of these types; others do not compile, with a clear message.
     - Text or bytes: a C string, a bloom_key, an array of unsigned char, or a
       type with data() and size() of bytes, such as std::string,
       std::string_view, std::vector<unsigned char>, std::array<uint8_t, 16>.
       u8"text" is the same key as "text" with these bytes.
     - An integer or an enumeration: the key is its value modulo 2^64. char and
       wide characters are not accepted as integers, because their values
       depend on the compiler. Nor is bool, which is rarely meant as a key.
     - A bloom_hash.
     - Your own type, if its namespace has a function bloom_key_of that makes a
       key of it. Never pass the bytes of a struct as they lie in memory: what
       is between its members is not part of its value, so equal structs could
       be different keys. bloompp::pack makes eight little-endian bytes of each
       integer:
           struct point { int x, y; };
           std::array<unsigned char, 16> bloom_key_of(const point &p)
               { return bloompp::pack(p.x, p.y); }
           std::string bloom_key_of(const user &u) { return u.name; }
       For std::pair and other types of namespace std, no such function is
       found: pass bloompp::pack(p.first, p.second), a key of integers.

   Secret: if strangers choose the keys, they can choose false positives. They
   cannot if you pass 16 secret bytes, an unsigned char[16] or a std::array, as
   the last argument to the constructor. The secret is not stored in the image.
   Pass the same one to the constructor that reads the image: with another one,
   or without, it finds nothing. A bloom_hash is used as it is, so make it with
   bloom_keyed_hash.

   Nothing throws. A filter, view, chain or window converts to false if it could
   not be made. So does one that was moved from. You may copy, move, assign to,
   compare and merge a false one: its copy is false, and the merge fails. All
   other calls need a true one. (Calls of slices that return a vector may throw
   std::bad_alloc.) If BLOOM_EXCEPTIONS is defined, constructors, copy(), |, &,
   |= and &= throw std::runtime_error when they fail. what() says whether the
   plan is impossible, what is wrong with the image, or that memory is short.
   Then save, load, share and close throw std::system_error, whose code() has
   the errno.

   Files: save(), load() and share() follow bloom_save, bloom_load and
   bloom_share of bloom_file.h, which says what they promise and refuse. They
   need a POSIX system or Windows (share() a POSIX system). */
#if defined _WIN32 || defined __unix__ || defined __APPLE__
#include "bloom_file.h"         /* each time: see BLOOM_IMPLEMENTATION */
#endif
#include "bloom_chain.h"
#include "bloom_keyed.h"
#include "bloom_slices.h"
#include "bloom_window.h"
#ifndef BLOOM_HPP
#define BLOOM_HPP
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>
#if __cplusplus >= 201703L      /* where C's functions warn about it, too */
#include <string_view>
#define BLOOMPP_USE [[nodiscard]]
#else
#define BLOOMPP_USE
#endif
#if defined BLOOM_EXCEPTIONS
#define BLOOMPP_ANSWER          /* it throws, so its result may be ignored */
#else
#define BLOOMPP_ANSWER BLOOMPP_USE
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
template <class T> struct is_text : std::integral_constant<bool,
    std::is_convertible<T, const char *>::value
    && !std::is_same<bare<T>, std::nullptr_t>::value> {};
#ifdef __cpp_char8_t
template <class T> struct is_utf8 : std::is_convertible<T, const char8_t *> {};
#else
template <class T> struct is_utf8 : std::false_type {};
#endif
template <class T> using is_bytes = decltype(holds<T>(0));
template <class T> std::true_type is_own(
    decltype(bloom_key_of(std::declval<const T &>()), 0));
template <class T> std::false_type is_own(...);
template <class T> using has_key_of = decltype(is_own<T>(0));
template <class T> struct is_range : std::integral_constant<bool,
    decltype(iterates<T>(0))::value && !is_text<T>::value
    && !is_bytes<T>::value && !has_key_of<bare<T>>::value> {};
template <class T, std::size_t n> struct is_range<T[n]> :
    std::integral_constant<bool, !is_byte<bare<T>>::value> {};

template <class R>                      // R as in R &&
using is_keys = is_range<typename std::remove_reference<R>::type>;

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
#ifdef __cpp_char8_t
inline bloom_key slot(const char8_t *k)
    { return slot(reinterpret_cast<const char *>(k)); }
#endif
template <class T, only_if<!is_bytes<const T>::value && !is_text<T>::value
                           && !is_utf8<T>::value && !is_number<T>::value> = 0>
bloom_hash slot(const T &)
{
    static_assert(sizeof(T) == 0, "A key must be text, bytes, an integer, an "
        "enum or a bloom_hash: cast a char to unsigned char, convert wide text "
        "to UTF-8, and write a function bloom_key_of for your own type.");
    return {};
}

// The key itself, or what bloom_key_of makes of it
template <class T, only_if<has_key_of<T>::value> = 0>
auto key_of(const T &k) -> decltype(bloom_key_of(k)) { return bloom_key_of(k); }
template <class T, only_if<!has_key_of<T>::value> = 0>
const T &key_of(const T &k) { return k; }

// Eight bytes for each integer: its value modulo 2^64, little-endian. The same
// key on every machine, whatever the sizes of the types.
template <class T> uint64_t integer(T k)
{
    static_assert(is_number<T>::value, "pack takes integers and enums: cast a "
        "char to unsigned char.");
    return static_cast<uint64_t>(k);
}
template <class... T> std::array<unsigned char, 8 * sizeof...(T)> pack(T... of)
{
    const uint64_t numbers[] = { integer(of)... };
    std::array<unsigned char, 8 * sizeof...(T)> bytes;
    for (std::size_t i = 0; i < bytes.size(); i++)
        bytes[i] = static_cast<unsigned char>(numbers[i / 8] >> i % 8 * 8);
    return bytes;
}

// 16 bytes for bloom_keyed.h, or none
class secret {
    std::array<unsigned char, 16> bytes;
    bool given;
public:
    secret() : bytes(), given(false) {}
    secret(const std::array<unsigned char, 16> &key) : bytes(key), given(true)
        {}
    secret(const unsigned char (&key)[16]) : bytes(), given(true)
        { std::copy(key, key + 16, bytes.begin()); }
    explicit operator bool() const { return given; }
    bloom_hash operator()(bloom_key k) const
        { return bloom_keyed_hash(bytes.data(), k.data, k.size); }
    bloom_hash operator()(uint64_t k) const
        { return bloom_keyed_u64(bytes.data(), k); }
    bloom_hash operator()(bloom_hash h) const { return h; }
    bool operator==(const secret &a) const
        { return given == a.given && bytes == a.bytes; }
};

// ---- The C functions, by kind of key and of filter -------------------------
#define BLOOMPP_KEYS(result, f, call, B) \
    inline result f##_(B *b, bloom_key k) { return call(b, k.data, k.size); } \
    inline result f##_(B *b, uint64_t k) { return call##_u64(b, k); } \
    inline result f##_(B *b, bloom_hash h) { return call##_hash(b, h); }
#define BLOOMPP_MANY(f, call, B, key) \
    inline size_t f##_(B *b, const key *keys, size_t count, bool *results) \
        { return call(b, keys, count, results); }
#define BLOOMPP_ALL(f, call, B)         /* one key, and many */ \
    BLOOMPP_KEYS(bool, f, call, B) \
    BLOOMPP_MANY(f, call##_many, B, bloom_key) \
    BLOOMPP_MANY(f, call##_many_u64, B, uint64_t) \
    BLOOMPP_MANY(f, call##_many_hash, B, bloom_hash)
#define BLOOMPP_EACH(result, f, constant) \
    inline result f##_(constant bloom *b) { return bloom_##f(b); } \
    inline result f##_(constant bloom_chain *c) { return bloom_chain_##f(c); } \
    inline result f##_(constant bloom_window *w) { return bloom_window_##f(w); }
BLOOMPP_KEYS(bool, remove, bloom_remove, bloom)
BLOOMPP_KEYS(unsigned, count, bloom_count, const bloom)
BLOOMPP_ALL(add, bloom_add, bloom)
BLOOMPP_ALL(add, bloom_chain_add, bloom_chain)
BLOOMPP_ALL(add, bloom_window_add, bloom_window)
BLOOMPP_ALL(may_contain, bloom_may_contain, const bloom)
BLOOMPP_ALL(may_contain, bloom_chain_may_contain, const bloom_chain)
BLOOMPP_ALL(may_contain, bloom_window_may_contain, const bloom_window)
BLOOMPP_EACH(size_t, size, const)
BLOOMPP_EACH(double, fpr, const)
BLOOMPP_EACH(bloom_error, verify, const)
BLOOMPP_EACH(void, seal, )
BLOOMPP_EACH(void, free, )
inline void free_(bloom_slices *s) { bloom_slices_free(s); }
inline bloom_hash hash_(const bloom_slices *s, bloom_key k)
    { return bloom_slices_hash_key(s, k.data, k.size); }
inline bloom_hash hash_(const bloom_slices *s, uint64_t k)
    { return bloom_slices_hash_u64(s, k); }
inline bloom_hash hash_(const bloom_slices *, bloom_hash h) { return h; }
inline uint64_t estimate_(const bloom *b) { return bloom_estimate(b); }
inline uint64_t estimate_(const bloom_chain *c)
    { return bloom_chain_estimate(c); }
inline uint64_t estimate_(const bloom_window *w)
    { return bloom_window_estimate(w); }
inline void write_(const bloom_chain *c, void *to) { bloom_chain_write(c, to); }
template <class B> void write_(const B *b, void *to)
    { std::memcpy(to, b, size_(b)); }

// ---- Files -----------------------------------------------------------------
class path {                            // a name of a file, in UTF-8 on Windows
    const char *name;
public:
    path(const char *of) : name(of) {}
    path(const std::string &of) : name(of.c_str()) {}
    operator const char *() const { return name; }
};
#ifdef BLOOM_FILE_H
inline int save_(bloom *b, path name) { return bloom_save(b, name); }
inline int save_(bloom_window *w, path name)
{
    bloom_window_seal(w);
    return bloom_file_save(name, w, bloom_window_size(w));
}
inline int save_(bloom_chain *c, path name)
{
    const size_t size = bloom_chain_size(c);
    std::unique_ptr<char[]> image(new (std::nothrow) char[size]);
    if (!image)
        return ENOMEM;
    bloom_chain_seal(c);
    bloom_chain_write(c, image.get());
    return bloom_file_save(name, image.get(), size);
}
// Makes a filter of the bytes that bloom_file_load has read, and owns them.
inline bloom_chain *take(bloom_chain *, void *image, size_t size,
                         bloom_error *error)
{
    bloom_chain *c = bloom_chain_load(image, size, error);
    bloom_file_free(image);
    return c;
}
inline bloom_window *take(bloom_window *, void *image, size_t size,
                          bloom_error *error)
{
    bloom_window *w = bloom_window_open(image, size, error);
    if (!w)
        bloom_file_free(image);
    return w;
}
inline bloom *load_(bloom *, path name, int *why)
    { return bloom_load(name, SIZE_MAX, why); }
// Loads and checks as bloom_load does: bytes after the image are refused, since
// the next save would drop them.
template <class B> B *load_(B *kind, path name, int *why)
{
    size_t size;
    bloom_error error = BLOOM_OK;
    void *image = bloom_file_load(name, SIZE_MAX, &size);
    *why = image ? 0 : errno;
    if (!image)
        return nullptr;
    B *b = take(kind, image, size, &error);
    if (b && size_(b) == size && verify_(b) != BLOOM_CORRUPT)
        return b;
    free_(b);
    *why = error == BLOOM_NO_MEMORY ? ENOMEM : EBADMSG;
    return nullptr;
}
#endif

// ---- Ranges ----------------------------------------------------------------
template <class It> std::is_base_of<std::forward_iterator_tag,
    typename std::iterator_traits<It>::iterator_category> goes_forward(int);
template <class> std::false_type goes_forward(...);
// Calls many(keys, count) for a range, with up to 256 keys at a time, and sums
// its results. It passes single keys if reading the next may destroy the last.
// The end of the range may have another type, such as a sentinel of C++20.
template <class It, class End, class Many>
size_t chunks(It first, End last, Many many)
{
    using value = bare<decltype(*first)>;
    static_assert(!is_byte<value>::value,
        "A range of bytes is not a range of keys: pass it as one key, such as "
        "bloom_key{data, size}.");
    using part = decltype(slot(key_of(*first)));
    constexpr bool stays = !std::is_same<part, bloom_key>::value
        || (decltype(goes_forward<It>(0))::value
            && std::is_reference<decltype(*first)>::value
            && !has_key_of<value>::value);
    constexpr size_t room = stays ? 256 : 1;
    part some[room];
    size_t count = 0, total = 0;
    for (; first != last; ++first) {
        auto &&element = *first;        // keep temporaries alive for the call
        auto &&k = key_of(element);
        some[count++] = slot(k);
        if (count == room) {
            total += many(some, count);
            count = 0;
        }
    }
    return count ? total + many(some, count) : total;
}
// Hashes a key, or a batch of them, if there is a secret.
template <class B, class K> bool add_one(B *b, const secret &hide, K key)
    { return hide ? add_(b, hide(key)) : add_(b, key); }
template <class B, class K> bool ask_one(B *b, const secret &hide, K key)
    { return hide ? may_contain_(b, hide(key)) : may_contain_(b, key); }
template <class B, class K> unsigned count_one(B *b, const secret &hide, K key)
    { return hide ? count_(b, hide(key)) : count_(b, key); }
template <class B> struct adds {
    B *b;
    const secret &hide;
    template <class K> size_t operator()(const K *keys, size_t count)
    {
        bloom_hash h[256];
        if (!hide)
            return add_(b, keys, count, nullptr);
        std::transform(keys, keys + count, h, hide);
        return add_(b, h, count, nullptr);
    }
};
template <class B> struct counts {
    B *b;
    const secret &hide;
    template <class K> size_t operator()(const K *keys, size_t count)
    {
        bloom_hash h[256];
        if (!hide)
            return may_contain_(b, keys, count, nullptr);
        std::transform(keys, keys + count, h, hide);
        return may_contain_(b, h, count, nullptr);
    }
};
template <class B, class Out> struct asks {
    B *b;
    const secret &hide;
    Out &out;
    template <class K> size_t ask(const K *keys, size_t count)
    {
        bool maybe[256];
        size_t total = may_contain_(b, keys, count, maybe);
        out = std::copy(maybe, maybe + count, out);
        return total;
    }
    template <class K> size_t operator()(const K *keys, size_t count)
    {
        bloom_hash h[256];
        if (!hide)
            return ask(keys, count);
        std::transform(keys, keys + count, h, hide);
        return ask(h, count);
    }
};

// ---- Filters ---------------------------------------------------------------
struct made {                           // frees filters, and checks new ones
    template <class B> void operator()(B *b) const { free_(b); }
    template <class P> static P check(P p, const char *why)
    {
#ifdef BLOOM_EXCEPTIONS
        if (!p) throw std::runtime_error(std::string("bloom: ") + why);
#endif
        static_cast<void>(why);
        return p;
    }
    // Made from a plan; size is that of its image, or 0 if it is impossible
    template <class P> static P by_plan(P p, size_t size)
    {
        return check(p, size ? bloom_error_text(BLOOM_NO_MEMORY)
            : "impossible plan: n, p or another argument is out of range");
    }
    template <class P> static P copy(P p)
        { return check(p, bloom_error_text(BLOOM_NO_MEMORY)); }
    // Read from an image by one of C's functions
    template <class P> static P read(
        P (*function)(const void *, size_t, bloom_error *), const void *image,
        size_t size, bloom_error *error)
    {
        bloom_error why = BLOOM_OK;
        P p = function(image, size, &why);
        if (error)
            *error = why;
        return check(p, bloom_error_text(why));
    }
    static int file(int why, const char *name)  // why: 0 or an errno
    {
#ifdef BLOOM_EXCEPTIONS
        if (why) throw std::system_error(why, std::generic_category(),
                                         std::string("bloom: ") + name);
#endif
        static_cast<void>(name);
        return why;
    }
    template <class P> static P opened(P p, int error, const char *name,
                                       int *why)
    {
        if (why)
            *why = error;
        file(error, name);
        return p;
    }
};
template <class Self, class B> struct lookups {     // for the B of Self::get()
    const B *b() const { return static_cast<const Self *>(this)->get(); }
    explicit operator bool() const { return b() != nullptr; }
    template <class K, only_if<!is_range<K>::value> = 0>
    bool may_contain(const K &k) const
        { return ask_one(b(), hide, slot(key_of(k))); }
    template <class It, class Out, class End = It>      // out: bools; returns
    size_t may_contain(It first, End last, Out out) const   // how many are true
    {
        return chunks(std::move(first), last,
                      asks<const B, Out>{ b(), hide, out });
    }
    template <class R, class Out, only_if<is_keys<R>::value> = 0>
    size_t may_contain(R &&range, Out out) const
        { return may_contain(std::begin(range), std::end(range), out); }
    template <class R, only_if<is_keys<R>::value> = 0>
    size_t may_contain(R &&range) const         // returns how many may be in
    {
        return chunks(std::begin(range), std::end(range),
                      counts<const B>{ b(), hide });
    }
    template <class K> size_t may_contain(std::initializer_list<K> keys) const
    {
        return chunks(keys.begin(), keys.end(),
                      counts<const B>{ b(), hide });
    }
    // Not of chains and windows. How often the key was added at most: 0 to 15,
    // where 15 stands for 15 or more. In filters that do not count, 1 if it may
    // be in, else 0.
    template <class K> unsigned count(const K &k) const
        { return count_one(b(), hide, slot(key_of(k))); }
    size_t size() const { return size_(b()); }                  // bytes
    uint64_t estimate() const { return estimate_(b()); }    // too large after &
    double fpr() const { return fpr_(b()); }                    // the rate now
    bloom_error verify() const { return verify_(b()); }
    void write(void *memory) const { write_(b(), memory); }     // size() bytes
    const secret &key() const { return hide; }
protected:
    explicit lookups(const secret &key) : hide(key) {}
    secret hide;
};
template <class Self, class B, class Delete = made>
struct additions : lookups<Self, B> {
    template <class K, only_if<!is_range<K>::value> = 0> bool add(const K &k)
        { return add_one(get(), this->hide, slot(key_of(k))); }
    template <class It, class End = It>         // returns how many were new
    size_t add(It first, End last)
        { return chunks(std::move(first), last, adds<B>{ get(), this->hide }); }
    template <class R, only_if<is_keys<R>::value> = 0> size_t add(R &&range)
        { return add(std::begin(range), std::end(range)); }
    template <class K> size_t add(std::initializer_list<K> keys)
        { return add(keys.begin(), keys.end()); }
    B *get() const { return own.get(); }
protected:
    additions(B *b, const secret &key) : lookups<Self, B>(key), own(b) {}
    std::unique_ptr<B, Delete> own;
};
// In memory of its own
template <class Self, class B> struct owner : additions<Self, B> {
    void seal() { seal_(this->get()); }
#ifdef BLOOM_FILE_H
    // Seals and saves it: a crash leaves the old file or the new one. Returns 0
    // or an errno.
    BLOOMPP_ANSWER int save(path name)
        { return made::file(save_(this->get(), name), name); }
    // Loads and checks it. It is false after an error: *why is an errno. Do not
    // begin with an empty filter after another error than ENOENT: the next save
    // would replace what is there.
    static Self load(path name, int *why = nullptr, const secret &key = {})
    {
        int error = 0;
        B *b = load_(static_cast<B *>(nullptr), name, &error);
        return Self(made::opened(b, error, name, why), key);
    }
#endif
protected:
    owner(B *b, const secret &key) : additions<Self, B>(b, key) {}
};
// Borrowed bytes: a mapped file, ROM, or another filter
class BLOOMPP_USE view : public lookups<view, bloom> {
    const bloom *of;
public:
    view(const bloom *b, const secret &key = {}) : lookups(key), of(b) {}
    view(const void *image, size_t size, bloom_error *error = nullptr,
         const secret &key = {})
        : lookups(key), of(made::read(bloom_view, image, size, error)) {}
    const bloom *get() const { return of; }
    bloom_plan plan() const { return bloom_plan_of(of); }
};
// Equal plans, cells and secrets. The seals do not count.
inline bool operator==(view a, view b)
{
    if (!a || !b || a.size() != b.size() || !(a.key() == b.key()))
        return !a && !b;
    auto x = reinterpret_cast<const unsigned char *>(a.get());
    auto y = reinterpret_cast<const unsigned char *>(b.get());
    return !std::memcmp(x, y, 24)       // bytes 24 to 31 are the seal
        && !std::memcmp(x + 32, y + 32, a.size() - 32);
}
inline bool operator!=(view a, view b) { return !(a == b); }

class BLOOMPP_USE filter : public owner<filter, bloom> {
    friend struct owner<filter, bloom>;
    filter(bloom *b, const secret &key) : owner(b, key) {}
public:
    explicit filter(bloom_plan plan, const secret &key = {})
        : owner(made::by_plan(bloom_create(plan), bloom_plan_size(plan)),
                key) {}
    filter(uint64_t n, double p, bloom_layout layout = BLOOM_CLASSIC,
           const secret &key = {})
        : filter(bloom_plan_layout(n, p, layout), key) {}
    // Has at most `bytes` bytes, and holds the most keys at the rate p:
    // bloom_plan_capacity(plan(), p) says how many.
    static filter fit(size_t bytes, double p,
                      bloom_layout layout = BLOOM_CLASSIC,
                      const secret &key = {})
        { return filter(bloom_plan_fit(bytes, p, layout), key); }
    explicit filter(view a)             // a copy, with its secret
        : owner(a ? made::copy(bloom_copy(a.get())) : nullptr, a.key()) {}
    operator view() const { return view(get(), hide); }
    filter copy() const { return filter(view(*this)); }
    bloom_plan plan() const { return bloom_plan_of(get()); }
    // Takes back one add() of a key. true does not mean that the key is gone:
    // it may have been added several times, or be a false positive now. Each
    // add() counts, and 15 of them make a key permanent. So add a key only if
    // it is not in, and remove only keys that were added.
    template <class K> bool remove(const K &k)
        { return remove_one(slot(key_of(k))); }
    // Unions and intersections need equal plans and secrets.
    BLOOMPP_USE bool merge(view from)
        { return fits(from) && bloom_merge(get(), from.get()); }
    BLOOMPP_USE bool intersect(view with)
        { return fits(with) && bloom_intersect(get(), with.get()); }
    BLOOMPP_ANSWER bool operator|=(view from)
        { return made::check(merge(from), "|= needs equal plans"); }
    BLOOMPP_ANSWER bool operator&=(view with)
        { return made::check(intersect(with), "&= needs equal plans"); }
    BLOOMPP_USE bool fold(uint64_t by) { return bloom_fold(get(), by); }
    void clear() { bloom_clear(get()); }
private:
    bool fits(view a) const { return *this && a && a.key() == hide; }
    template <class K> bool remove_one(K key)
        { return hide ? remove_(get(), hide(key)) : remove_(get(), key); }
};
// A new filter; false if the plans or secrets differ
inline filter operator|(view a, view b)
{
    filter both(a);
    return (both |= b) ? std::move(both) : filter(view(nullptr));
}
// The common keys, and few others. Its estimate() is too large, because two
// filters have some cells in common by chance. README.md has the code that
// estimates how many keys are common.
inline filter operator&(view a, view b)
{
    filter both(a);
    return (both &= b) ? std::move(both) : filter(view(nullptr));
}

#if defined BLOOM_FILE_H && defined BLOOM_ATOMIC && !defined _WIN32
// A filter in a file that several processes use at once: they add keys and look
// up one another's. close() writes it to the disk, and returns 0 or an errno.
// The destructor does the same, but cannot tell an error. During verify(),
// write(), == and a copy by filter(view), nobody may change the filter.
struct unshared {
    void operator()(bloom *b) const { static_cast<void>(bloom_unshare(b)); }
};
class BLOOMPP_USE shared : public additions<shared, bloom, unshared> {
    friend shared share(path name, bloom_plan plan, int *why,
                        const secret &key);
    shared(bloom *b, const secret &key) : additions(b, key) {}
public:
    operator view() const { return view(get(), hide); }
    bloom_plan plan() const { return bloom_plan_of(get()); }
    template <class K> bool remove(const K &k)      // as that of a filter
    {
        auto &&it = key_of(k);
        return hide ? remove_(get(), hide(slot(it))) : remove_(get(), slot(it));
    }
    BLOOMPP_USE bool merge(view from)
    {
        return *this && from && from.key() == hide
            && bloom_merge(get(), from.get());
    }
    BLOOMPP_ANSWER int close()
        { return made::file(bloom_unshare(own.release()), "closing"); }
};
// Creates the file if there is none. Without a plan, it takes the filter that
// is there. The result is false after an error: *why is an errno.
inline shared share(path name, bloom_plan plan = bloom_plan(),
                    int *why = nullptr, const secret &key = {})
{
    int error = 0;
    bloom *b = bloom_share(name, plan, &error);
    return shared(made::opened(b, error, name, why), key);
}
#endif

// A scalable Bloom filter. Chains cannot be merged, because the union would not
// keep the rate: look keys up in both.
class BLOOMPP_USE chain : public owner<chain, bloom_chain> {
    friend struct owner<chain, bloom_chain>;
    chain(bloom_chain *c, const secret &key) : owner(c, key) {}
public:
    chain(uint64_t first_n, double p, bloom_layout layout = BLOOM_CLASSIC,
          const secret &key = {})
        : owner(made::by_plan(bloom_chain_new(first_n, p, layout),
                              first_size(first_n, p, layout)), key) {}
    chain(const void *image, size_t size, bloom_error *error = nullptr,
          const secret &key = {})       // a copy of the image
        : owner(made::read(bloom_chain_load, image, size, error), key) {}
    chain copy() const
    {
        if (!*this)
            return chain(static_cast<bloom_chain *>(nullptr), hide);
        std::unique_ptr<char[]> image(
            made::copy(new (std::nothrow) char[size()]));
        if (image)
            write(image.get());
        return chain(image.get(), size(), nullptr, hide);
    }
    unsigned links() const { return bloom_chain_links(get()); }
    view link(unsigned i) const { return { bloom_chain_link(get(), i), hide }; }
    double rate() const { return bloom_chain_rate(get()); }     // asked for
private:
    static size_t first_size(uint64_t first_n, double p, bloom_layout layout)
    {
        return p < 1 && layout != BLOOM_COUNTING
            ? bloom_plan_size(bloom_plan_layout(first_n, p / 2, layout)) : 0;
    }
};
// Equal heads and links, which have the secret
inline bool operator==(const chain &a, const chain &b)
{
    unsigned char x[32], y[32];
    if (!a || !b)
        return !a && !b;
    bloom_chain_head(a.get(), x);
    bloom_chain_head(b.get(), y);
    bool same = !std::memcmp(x, y, 32);
    for (unsigned i = 0; same && i < a.links(); i++)
        same = a.link(i) == b.link(i);
    return same;
}
inline bool operator!=(const chain &a, const chain &b) { return !(a == b); }

// A sliding window
class BLOOMPP_USE window : public owner<window, bloom_window> {
    friend struct owner<window, bloom_window>;
    window(bloom_window *w, const secret &key) : owner(w, key) {}
public:
    explicit window(bloom_window_plan plan, const secret &key = {})
        : owner(made::by_plan(bloom_window_create(plan),
                              bloom_window_plan_size(plan)), key) {}
    window(uint64_t n, double p, unsigned generations = 8,
           bloom_layout layout = BLOOM_CLASSIC, const secret &key = {})
        : window(bloom_window_plan_for(n, p, generations, layout), key) {}
    window(const void *image, size_t size, bloom_error *error = nullptr,
           const secret &key = {})      // a copy of the image
        : window(copied(made::read(bloom_window_view, image, size, error)),
                 key) {}
    window copy() const { return window(copied(get()), hide); }
    bloom_window_plan plan() const { return bloom_window_plan_of(get()); }
    view generation(unsigned i) const           // 0 is the newest
        { return { bloom_window_generation(get(), i), hide }; }
    void step() { bloom_window_step(get()); }   // forgets the oldest one
    bool advance(uint64_t now, uint64_t span)   // forgets keys older than span
        { return bloom_window_advance(get(), now, span); }
    uint64_t room_left() const  // new keys for the newest generation: 1 or more
    {
        uint64_t room = plan().room, keys = bloom_window_keys(get());
        return keys < room ? room - keys : 1;
    }
    void clear() { bloom_window_clear(get()); }
private:
    static bloom_window *copied(const bloom_window *w)
        { return w ? made::copy(bloom_window_copy(w)) : nullptr; }
};
// Equal headers, with time and span, and generations, which have the secret
inline bool operator==(const window &a, const window &b)
{
    if (!a || !b)
        return !a && !b;
    bool same = !std::memcmp(a.get(), b.get(), BLOOM_WINDOW_HEADER_SIZE);
    for (unsigned i = 0; same && i < a.plan().generations; i++)
        same = a.generation(i) == b.generation(i);
    return same;
}
inline bool operator!=(const window &a, const window &b) { return !(a == b); }

// ---- Many filters that are asked at once: bloom_slices.h --------------------
struct hashes {                         // for chunks()
    const bloom_slices *s;
    const secret &hide;
    std::vector<bloom_hash> &to;
    template <class K> size_t operator()(const K *keys, size_t count)
    {
        for (size_t i = 0; i < count; i++)
            to.push_back(hide ? hide(keys[i]) : hash_(s, keys[i]));
        return count;
    }
};
// Filters have numbers from 0. The calls that return a vector may throw
// std::bad_alloc. Those with `who` or `counts` write to memory of yours, as
// those of C do, and return how many filters they found.
template <class Self> struct slices_lookups {       // for Self::get()
    const bloom_slices *b() const
        { return static_cast<const Self *>(this)->get(); }
    explicit operator bool() const { return b() != nullptr; }
    uint64_t filters() const { return bloom_slices_filters(b()); }
    bloom_plan plan() const { return bloom_slices_plan_of(b()); }
    template <class K> uint64_t find(const K &k, uint64_t *who) const
        { return bloom_slices_find_hash(b(), hash(k), who); }
    template <class R> uint64_t find_all(R &&range, uint64_t *who) const
        { return find_them(all(range), who); }
    template <class R> void count(R &&range, uint32_t *counts) const
        { count_them(all(range), counts); }
    // The numbers of the filters that may contain this key, or all these keys
    template <class K> std::vector<uint64_t> find(const K &k) const
    {
        std::vector<uint64_t> who(words());
        return numbers(find(k, who.data()), who);
    }
    template <class R> std::vector<uint64_t> find_all(R &&range) const
        { return find_them(all(range)); }
    template <class K>
    std::vector<uint64_t> find_all(std::initializer_list<K> keys) const
        { return find_them(all(keys)); }
    // For each filter, how many of these keys it may contain
    template <class R> std::vector<uint32_t> count(R &&range) const
        { return count_them(all(range)); }
    template <class K>
    std::vector<uint32_t> count(std::initializer_list<K> keys) const
        { return count_them(all(keys)); }
    filter get(uint64_t i) const        // a copy; false if there is none
    {
        filter one(i < filters() ? plan() : bloom_plan(), hide);
        const bool got = one && bloom_slices_get(b(), i, one.get());
        static_cast<void>(got);         // true if there is a filter
        return one;
    }
    size_t size() const { return bloom_slices_size(b()); }      // bytes
    bloom_error verify() const { return bloom_slices_verify(b()); }
    void write(void *memory) const { std::memcpy(memory, b(), size()); }
    const secret &key() const { return hide; }
protected:
    explicit slices_lookups(const secret &key) : hide(key) {}
    template <class K> bloom_hash hash(const K &k) const
    {
        auto &&it = key_of(k);
        return hide ? hide(slot(it)) : hash_(b(), slot(it));
    }
    using many = std::vector<bloom_hash>;
    template <class R> many all(R &&range) const
    {
        many h;
        chunks(std::begin(range), std::end(range), hashes{ b(), hide, h });
        return h;
    }
    secret hide;
private:
    size_t words() const { return static_cast<size_t>((filters() + 63) / 64); }
    uint64_t find_them(const many &h, uint64_t *who) const
        { return bloom_slices_find_all(b(), h.data(), h.size(), who); }
    std::vector<uint64_t> find_them(const many &h) const
    {
        std::vector<uint64_t> who(words());
        return numbers(find_them(h, who.data()), who);
    }
    void count_them(const many &h, uint32_t *counts) const
        { bloom_slices_count(b(), h.data(), h.size(), counts); }
    std::vector<uint32_t> count_them(const many &h) const
    {
        std::vector<uint32_t> counts(static_cast<size_t>(filters()));
        count_them(h, counts.data());
        return counts;
    }
    static std::vector<uint64_t> numbers(uint64_t how_many,
                                         const std::vector<uint64_t> &who)
    {
        std::vector<uint64_t> found;
        found.reserve(static_cast<size_t>(how_many));
        for (size_t i = 0; i < who.size(); i++)
            for (uint64_t bits = who[i], at = i * 64; bits; bits >>= 1, at++)
                if (bits & 1)
                    found.push_back(at);
        return found;
    }
};
// Borrowed bytes, such as a mapped file
class BLOOMPP_USE slices_view : public slices_lookups<slices_view> {
    const bloom_slices *of;
public:
    slices_view(const bloom_slices *s, const secret &key = {})
        : slices_lookups(key), of(s) {}
    slices_view(const void *image, size_t size, bloom_error *error = nullptr,
                const secret &key = {})
        : slices_view(made::read(bloom_slices_view, image, size, error), key) {}
    using slices_lookups::get;
    const bloom_slices *get() const { return of; }
};
// Equal plans, cells and secrets. The seals do not count.
inline bool operator==(slices_view a, slices_view b)
{
    if (!a || !b || a.size() != b.size() || !(a.key() == b.key()))
        return !a && !b;
    auto x = reinterpret_cast<const unsigned char *>(a.get());
    auto y = reinterpret_cast<const unsigned char *>(b.get());
    return !std::memcmp(x, y, 24)       // bytes 24 to 31 are the seal
        && !std::memcmp(x + 32, y + 32, a.size() - 32);
}
inline bool operator!=(slices_view a, slices_view b) { return !(a == b); }

class BLOOMPP_USE slices : public slices_lookups<slices> {
    std::unique_ptr<bloom_slices, made> own;
    slices(bloom_slices *s, const secret &key) : slices_lookups(key), own(s) {}
    size_t add_them(uint64_t i, const many &hashes)
    {
        size_t fresh = 0;
        for (bloom_hash h : hashes)
            fresh += bloom_slices_add_hash(get(), i, h);
        return fresh;
    }
public:
    slices(bloom_plan plan, uint64_t filters, const secret &key = {})
        : slices(made::by_plan(bloom_slices_create(plan, filters),
                               bloom_slices_plan_size(plan, filters)), key) {}
    slices(uint64_t n, double p, uint64_t filters, const secret &key = {})
        : slices(bloom_plan_for(n, p), filters, key) {}
    explicit slices(slices_view a)      // a copy, with its secret
        : slices(a ? made::copy(bloom_slices_copy(a.get(), a.filters()))
                   : nullptr, a.key()) {}
    slices(const void *image, size_t size, bloom_error *error = nullptr,
           const secret &key = {})      // a copy of the image
        : slices(slices_view(image, size, error, key)) {}
    operator slices_view() const { return { get(), hide }; }
    slices copy() const { return slices(slices_view(*this)); }
    slices copy(uint64_t filters) const // more, or fewer
    {
        return { made::by_plan(bloom_slices_copy(get(), filters),
                               bloom_slices_plan_size(plan(), filters)), hide };
    }
    template <class K, only_if<!is_range<K>::value> = 0>
    bool add(uint64_t i, const K &k)    // to filter i, which must exist: else
                                        // it is lost. true: certainly new
        { return bloom_slices_add_hash(get(), i, hash(k)); }
    template <class R, only_if<is_keys<R>::value> = 0>
    size_t add(uint64_t i, R &&range)   // returns how many were new
        { return add_them(i, all(range)); }
    template <class K> size_t add(uint64_t i, std::initializer_list<K> keys)
        { return add_them(i, all(keys)); }
    BLOOMPP_USE bool put(uint64_t i, view b)    // false: no i, or another plan
    {
        return *this && b && b.key() == hide
            && bloom_slices_put(get(), i, b.get());
    }
    void clear() { bloom_slices_clear(get()); }
    void clear(uint64_t i) { bloom_slices_clear_filter(get(), i); }
    void seal() { bloom_slices_seal(get()); }
    using slices_lookups::get;
    bloom_slices *get() const { return own.get(); }
};

#if __cplusplus >= 201703L
// ---- An image at compile time -----------------------------------------------
// Makes the sealed image of a classic filter that contains `keys`, integers or
// texts. Their number n is planned for by BLOOM_PLAN(n, one_in). As constexpr,
// it needs no RAM, and no code to make it:
//     static constexpr auto rom = bloompp::image<1000>({ "apple", "pear" });
//     bloompp::view(rom.data(), rom.size()).may_contain("apple")     // true
// From some thousand keys on, raise gcc's -fconstexpr-ops-limit or clang's
// -fconstexpr-steps.
constexpr uint64_t golden = 0x9E3779B97F4A7C15;
constexpr uint64_t rotated(uint64_t x, int by)
    { return x << by | x >> (64 - by); }
constexpr uint64_t fmix64(uint64_t x)   // of MurmurHash3, as is the next
{
    x = (x ^ x >> 33) * 0xff51afd7ed558ccd;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53;
    return x ^ x >> 33;
}
template <class Byte>
constexpr bloom_hash murmur3(const Byte *bytes, std::size_t size, uint64_t seed)
{
    const uint64_t a = 0x87c37b91114253d5, b = 0x4cf5ad432745937f;
    uint64_t h1 = seed, h2 = seed;
    for (std::size_t at = 0; at < size; at += 16) {
        uint64_t word[2] = {};          // little-endian; 0 beyond the end
        for (std::size_t i = 0; i < 16 && at + i < size; i++)
            word[i / 8] |= uint64_t(bytes[at + i] & 255) << i % 8 * 8;
        const bool whole = size - at >= 16;     // the last one may be a part
        h1 ^= rotated(word[0] * a, 31) * b;
        h1 = whole ? (rotated(h1, 27) + h2) * 5 + 0x52dce729 : h1;
        h2 ^= rotated(word[1] * b, 33) * a;
        h2 = whole ? (rotated(h2, 31) + h1) * 5 + 0x38495ab5 : h2;
    }
    h1 ^= size, h2 ^= size;
    h1 += h2, h2 += h1;
    h1 = fmix64(h1), h2 = fmix64(h2);
    h1 += h2, h2 += h1;
    return { h1, h2 };
}
template <class K> constexpr bloom_hash hash_of(const K &key)   // seed 0
{
    if constexpr (is_number<K>::value) {
        const uint64_t h1 = fmix64(static_cast<uint64_t>(key) + golden);
        return { h1, rotated(h1, 32) * golden };
    } else {
        const std::string_view text = key;
        return murmur3(text.data(), text.size(), golden);
    }
}
template <uint64_t one_in, class K, std::size_t n>
constexpr auto image(const K (&keys)[n])
{
    constexpr uint64_t m = BLOOM_CELLS(n, one_in), k = BLOOM_HASHES(n, one_in);
    static_assert(m > 0 && m < uint64_t(1) << 32, "one_in is 2 to 10^9");
    std::array<unsigned char, 32 + m / 8> bytes{ 'B', 'L', 'M', 2, 0, 64, k };
    auto store = [&bytes](std::size_t at, uint64_t number) {
        for (std::size_t i = 0; i < 8; i++)
            bytes[at + i] = static_cast<unsigned char>(number >> 8 * i);
    };
    store(8, m);
    for (const K &key : keys) {
        bloom_hash h = hash_of(key);
        for (uint64_t i = 0; i < k; i++) {      // cell = (h1 * m) >> 64
            uint64_t low = (h.h1 & 0xffffffff) * m >> 32;
            uint64_t cell = ((h.h1 >> 32) * m + low) >> 32;
            bytes[32 + cell / 8] |= static_cast<unsigned char>(1 << cell % 8);
            h = { h.h1 + h.h2, h.h2 * 0xD1342543DE82EF95 };
        }
    }
    uint64_t seal = murmur3(bytes.data(), 24, 0).h1;
    seal = murmur3(bytes.data() + 32, m / 8, seal).h1;
    store(24, seal ? seal : 1);
    return bytes;
}
#endif
}
#endif
