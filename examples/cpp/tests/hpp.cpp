// Tests every function of bloom.hpp, with and without BLOOM_EXCEPTIONS. Run by
// run.sh. Prints "N passed, N failed".
#include <cstdlib>
static bool memory_is_short;            // then calls of C find none
static void *memory_of(std::size_t size)
    { return memory_is_short ? nullptr : std::malloc(size); }
#define BLOOM_MALLOC memory_of
#define BLOOM_FREE std::free
#define BLOOM_IMPLEMENTATION
#include "../bloom.hpp"
#include <array>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <list>
#include <sstream>
#include <string>
#include <vector>
#if __cplusplus >= 201703L
#include <string_view>
using text_view = std::string_view;
#else
using text_view = std::string;
#endif
#if __cplusplus >= 202002L
#include <span>
#if !defined __clang__ || __clang_major__ >= 16     /* older ones cannot */
#include <ranges>                                   /* compile libstdc++'s */
#define VIEWS
#endif
#endif

static int passed, failed;
static void is(bool good, const char *what, int line)
{
    good ? passed++ : failed++;
    if (!good)
        std::printf("hpp.cpp:%d: failed: %s\n", line, what);
}
#define IS(x) is(x, #x, __LINE__)

#ifdef BLOOM_EXCEPTIONS
#define FAILS(call, number) IS(thrown([&] { static_cast<void>(call); }) \
                               == (number))
#else
#define FAILS(call, number) IS((call) == (number))
#endif

using bloompp::chain;
using bloompp::filter;
using bloompp::secret;
using bloompp::slices;
using bloompp::slices_view;
using bloompp::view;
using bloompp::window;

static const bloom_hash hashed = { 0x8a5cd789635d2dff, 0x121fd2155c472f96 };

static bool same(view a, view b)
{
    return a.size() == b.size() && !std::memcmp(a.get(), b.get(), a.size());
}

enum { ninety_seven = 97 };
enum class below : short { four = -4 };
struct converts { operator const char *() const { return "one"; } };

// Types with a function that makes keys of them: bytes of its own, text that it
// owns, an integer, and a hash. `row` has a range's begin() and end().
namespace own {
struct point { short x; char padding; long long y; };
static std::array<unsigned char, 16> bloom_key_of(const point &p)
    { return bloompp::pack(p.x, p.y); }
struct user { std::string first, last; };
static std::string bloom_key_of(const user &u)
    { return u.first + " of house " + u.last; }
enum class unit : char { litre = 'l' };
static int bloom_key_of(const unit &u) { return static_cast<int>(u); }
struct row {
    bloom_hash h;
    const int *begin() const { return nullptr; }
    const int *end() const { return nullptr; }
};
static bloom_hash bloom_key_of(const row &r) { return r.h; }
}

// Each type of key is the same key as in C.
static void keys()
{
    filter f(1000, 0.001), c(bloom_plan_for(1000, 0.001));
    std::string text = "three";
    const unsigned char bytes[] = { 1, 2, 0, 255 };
    IS(f.add("one") && f.add(text_view("two")) && f.add(text));
    IS(!f.add("one") && f.add("") && f.add(hashed));
    IS(f.add(4) && f.add(-4) && f.add(static_cast<uint8_t>(200)));
    IS(f.add(ninety_seven) && f.may_contain(below::four) && !f.add(97));
    IS(!f.add(4ull) && f.may_contain(uint64_t(0) - 4));
    for (const char *k : { "one", "two", "three", "" })
        bloom_add(c.get(), k, std::strlen(k));
    bloom_add_hash(c.get(), hashed);
    for (int k : { 4, -4, 200, 97 })
        bloom_add_u64(c.get(), static_cast<uint64_t>(k));
    const std::vector<unsigned char> owned(bytes, bytes + 4);
    std::array<uint8_t, 4> array{ { 1, 2, 0, 255 } };
    const char chars[] = { 1, 2, 0, static_cast<char>(255) };
    IS(f.add(owned) && f.may_contain(owned) && f.may_contain(array));
    IS(f.may_contain(bytes) && f.may_contain(bloom_key{ bytes, 4 })
       && f.may_contain(std::string(chars, 4)) && f.may_contain(converts()));
    IS(f.may_contain(std::vector<signed char>{ 1, 2, 0, -1 }));
#if __cplusplus >= 201703L
    std::array<std::byte, 4> plain;
    std::memcpy(plain.data(), bytes, 4);
    IS(f.may_contain(plain));
#endif
#if __cplusplus >= 202002L
    IS(f.may_contain(std::as_bytes(std::span(bytes))));
    IS(f.may_contain(std::u8string(u8"one")));
    const char8_t *utf8 = u8"one";
    IS(f.may_contain(u8"one") && f.may_contain(u8"") && !f.may_contain(u8"no")
       && f.may_contain(utf8) && f.may_contain(std::u8string_view(utf8)));
#else
    IS(f.may_contain(u8"one") && !f.may_contain(u8"no"));
#endif
    bloom_add(c.get(), bytes, 4);
    IS(same(f, c));
    IS(f.may_contain("one") && f.may_contain(text) && f.may_contain(-4)
       && f.may_contain(hashed) && !f.may_contain("none")
       && !f.may_contain(5) && !f.may_contain(bloom_hash{ ~hashed.h1, 1 }));
}

// Types with a function bloom_key_of
static void own_keys()
{
    filter f(1000, 1e-6);
    own::point p, q;
    std::memset(static_cast<void *>(&p), 0, sizeof p);
    std::memset(static_cast<void *>(&q), 255, sizeof q);
    p.x = q.x = -2, p.y = q.y = 3;
    const unsigned char bytes[] = { 254, 255, 255, 255, 255, 255, 255, 255,
                                    3, 0, 0, 0, 0, 0, 0, 0 };
    IS(std::memcmp(&p, &q, sizeof p) != 0 && f.add(p) && !f.add(q));
    IS(f.may_contain(bytes) && f.may_contain(bloompp::pack(-2, 3u)));
    q.y = 4;
    IS(!f.may_contain(q) && f.add(q));
    IS(f.add(own::user{ "Ada", "Lovelace" })
       && f.may_contain("Ada of house Lovelace")
       && !f.may_contain(own::user{ "Ada", "L" }));
    IS(f.add(own::unit::litre) && f.may_contain('l' + 0));
    IS(f.add(own::row{ hashed }) && f.may_contain(hashed));
    const own::point array[] = { p, q };
    IS(f.add(array) == 0 && f.add({ p, q }) == 0);
}

template <class F, class Range> static void range(const Range &r)
{
    F many(5000, 0.001), one(5000, 0.001);
    size_t fresh = many.add(r.begin(), r.end()), wanted = 0, count = 0;
    std::vector<bool> out;
    for (const auto &k : r) {
        wanted += one.add(k);
        count++;
    }
    IS(fresh == wanted && same(many, one));
    IS(many.may_contain(r.begin(), r.end(), std::back_inserter(out)) == count);
    IS(out.size() == count && one.add("certainly another"));
    F at_once(5000, 0.001);
    IS(at_once.add(r) == wanted && same(many, at_once));
    out.clear();
    IS(at_once.may_contain(r, std::back_inserter(out)) == count);
    IS(at_once.may_contain(r) == count);
    F none(5000, 0.001);
    IS(none.may_contain(r) == 0);
    out.clear();
    IS(none.may_contain(r.begin(), r.end(), std::back_inserter(out)) == 0
       && out.size() == count);
}

// A chain that must grow, with the constructor of a filter
struct grows : chain {
    grows(uint64_t, double p) : chain(50, p, BLOOM_BLOCKED) {}
};

struct moves : window {
    moves(uint64_t, double p) : window(5000, p, 4, BLOOM_BLOCKED) {}
};

// The same, with a secret
static const unsigned char secret_bytes[16] = { 1, 2, 3, 16 };
struct keyed : filter {
    keyed(uint64_t n, double p) : filter(n, p, BLOOM_COUNTING, secret_bytes) {}
};
struct keyed_chain : chain {
    keyed_chain(uint64_t, double p) : chain(50, p, BLOOM_CLASSIC, secret_bytes)
        {}
};

static bool same(const window &a, const window &b)
{
    return a.size() == b.size() && !std::memcmp(a.get(), b.get(), a.size());
}

static bool same(const chain &a, const chain &b)
{
    bool all = a.links() == b.links() && a.size() == b.size();
    for (unsigned i = 0; all && i < a.links(); i++)
        all = same(a.link(i), b.link(i));
    return all;
}

template <class Range> static void range(const Range &r)
{
    range<filter>(r);
    range<grows>(r);
    range<moves>(r);
    range<keyed>(r);
    range<keyed_chain>(r);
}

static void ranges()
{
    std::vector<uint64_t> integers;
    std::list<std::string> strings;
    std::vector<const char *> words = { "x", "yy", "zzz" };
    std::vector<text_view> views(words.begin(), words.end());
    std::string all;
    for (uint64_t i = 0; i < 3000; i++) {
        integers.push_back(i * i);
        strings.push_back("key " + std::to_string(i));
        all += std::to_string(i) + "-and-more-than-fits-in-a-string ";
    }
    range(integers);
    range(std::vector<short>{ 1, -1, 7 });
    range(std::list<int>(integers.begin(), integers.begin() + 700));
    range(strings);
    range(words);
    range(views);
    range(std::vector<below>{ below::four });
    range(std::vector<std::vector<unsigned char>>{ { 1, 2 }, {}, { 0 } });
    range(std::vector<std::string>());
    std::list<own::user> users;
    std::vector<own::point> points;
    for (short i = 0; i < 700; i++) {
        users.push_back({ "a name that is allocated", std::to_string(i) });
        points.push_back({ i, 'x', i * i });
    }
    range(users);
    range(points);
    range(std::vector<own::row>{ { hashed }, { { 1, 2 } } });
    range(std::vector<own::unit>{ own::unit::litre });
    filter hashes(5000, 0.01);
    std::vector<bloom_hash> hashed_before;
    for (uint64_t i : integers)
        hashed_before.push_back(bloom_hash_u64(hashes.get(), i));
    range(hashed_before);
    hashes.add(hashed_before.begin(), hashed_before.end());
    IS(hashes.may_contain(integers.back()));

    // Keys that are destroyed when the next one is read
    filter f(3000, 0.001), g(3000, 0.001);
    std::istringstream in(all), again(all);
    f.add(std::istream_iterator<std::string>(in), {});
    for (std::string word; again >> word;)
        g.add(word);
    IS(same(f, g) && f.estimate() > 2900);
}

// The keys of a text up to its first '.', which another type than that of the
// iterator looks for
struct full_stop {};
static bool operator!=(const char *const *at, full_stop) { return **at != '.'; }
struct sentence {
    const char *const *words;
    const char *const *begin() const { return words; }
    full_stop end() const { return {}; }
};

static void ends()
{
    const char *words[] = { "one", "two", "three", ".", "four" };
    const sentence s = { words };
    std::vector<bool> out;
    filter f(100, 1e-6), g(100, 1e-6), h(100, 1e-6, BLOOM_CLASSIC, { { 5 } });
    IS(f.add(s) == 3 && f.may_contain("three") && !f.may_contain("four"));
    IS(g.add(words, full_stop()) == 3 && g == f && f.may_contain(s) == 3);
    IS(f.may_contain(words, full_stop(), std::back_inserter(out)) == 3
       && out.size() == 3);
    IS(f.may_contain(s, std::back_inserter(out)) == 3 && out.size() == 6);
    IS(h.add(s) == 3 && h.may_contain(s) == 3 && h.may_contain("two"));
    IS(f.may_contain({ "one", "five" }) == 1 && f.may_contain({ 7, 8 }) == 0);
#ifdef VIEWS
    std::vector<std::string> texts;
    for (int i = 0; i < 1000; i++)
        texts.push_back("a text that is longer than " + std::to_string(i));
    auto some = texts | std::views::take_while([&](const std::string &text) {
        return text != texts[700];
    });
    filter e(1000, 1e-6), c(1000, 1e-6);
    IS(e.add(some) == 700 && e.may_contain(some) == 700
       && !e.may_contain(texts[700]) && e.may_contain(texts) == 700);
    for (const std::string &text : some)
        c.add(text);
    IS(c == e);
    // Keys that exist only until the next one is read
    auto made = std::views::iota(0) | std::views::transform([](int i) {
        return "a text that is longer than " + std::to_string(i);
    }) | std::views::take_while([](const std::string &text) {
        return text.substr(text.size() - 3) != "700";
    });
    c.clear();
    IS(c.add(made) == 700 && c == e);
    IS(c.add(std::views::iota(uint64_t(5), uint64_t(9))) == 4);
    IS(c.add(std::counted_iterator(texts.begin() + 900, 50),
             std::default_sentinel) == 50 && c.may_contain(texts[949]));
    std::istringstream in("5 6 7 8");   // its iterators cannot be copied
    filter numbers(9, 1e-6);
    IS(numbers.add(std::ranges::istream_view<int>(in)) == 4
       && numbers.may_contain(8));
#endif
}

static void lists()
{
    filter f(100, 1e-6), g(100, 1e-6);
    const char *array[] = { "a", "b" };
    IS(f.add({ "a", "b", "a" }) == 2 && g.add(array) == 2 && f == g);
    IS(f.add({ 1, 2, 3 }) == 3 && f.may_contain(3) && f != g);
    IS(f.add({ std::string("text"), std::string("b") }) == 1);
    chain c(10, 0.01);
    IS(c.add({ hashed }) == 1 && c.may_contain(hashed));
#if __cplusplus >= 202002L
    IS(f.add({ u8"utf", u8"8" }) == 2 && f.may_contain("utf"));
#endif
#if __cplusplus >= 202002L
    bool maybe[2];
    IS(f.may_contain(std::span(array), maybe) == 2 && maybe[0] && maybe[1]);
#endif
}

// Tests that an operation fails: it throws with BLOOM_EXCEPTIONS, and otherwise
// returns false.
template <class Change> static void fails(Change change)
{
#ifdef BLOOM_EXCEPTIONS
    try {
        static_cast<void>(change());
        is(false, "no exception", __LINE__);
    } catch (const std::runtime_error &) {
        passed++;
    }
#else
    IS(!change());
#endif
}

static void operators()
{
    filter a(100, 1e-6), b(100, 1e-6), all(100, 1e-6), other(101, 1e-6);
    a.add({ "a", "both" });
    b.add({ "b", "both" });
    all.add({ "a", "b", "both" });
    filter both{view(a)}, untouched{view(a)};
    IS((both |= b) && both == all && both != a && !(both == b));
    IS((both &= a) && both == a && !(both != a));
    IS(a == view(a) && view(a) == a);
    fails([&] { return a |= other; });
    fails([&] { return a &= other; });
    fails([&] { return a | other; });
    fails([&] { return other & a; });
    IS((a | b) == all && (a & a) == a && (view(a) | b) == all
       && a == untouched);
    IS((a & b).may_contain("both") && !(a & b).may_contain("a"));
    IS(a == untouched && a != other);
    both.seal();
    IS(a == both && b != both);
    filter seeded(bloom_plan{ a.plan().cells, 1, a.plan().hashes, 0, 64 });
    a.clear();
    IS(a != seeded && a.size() == seeded.size());
}

// A false filter may be copied, moved, assigned, merged and compared.
static void harmless(filter f)
{
    filter good(10, 0.1), from(10, 0.1);
    good.add("x");
    IS(!f && !view(f) && !filter(view(f)) && !f.get());
    filter moved(std::move(f));
    IS(!f && !moved && f == moved && good != f && f != good);
    IS(!good.merge(f) && !good.intersect(f) && !f.merge(good)
       && !f.intersect(good) && good.may_contain("x"));
    fails([&] { return good |= f; });
    fails([&] { return f &= good; });
    f = filter(view(good));
    IS(f && f == good);
    f = std::move(moved);
    IS(!f && !moved);
    f = std::move(good);
    good = std::move(from);
    IS(f && f.may_contain("x") && good && !good.may_contain("x"));
    IS(!moved.copy());
    fails([&] { return moved | good; });
    fails([&] { return good | moved; });
}

static void falses()
{
    filter gone(10, 0.1), taker(std::move(gone));
    harmless(std::move(gone));
    harmless(filter(view(nullptr)));
    harmless(filter(gone.operator view()));
#ifndef BLOOM_EXCEPTIONS
    filter damaged{view("damaged", 7)};
    IS(!damaged);
    harmless(std::move(damaged));
    harmless(filter(10, 7.0));
    filter good(10, 0.1);
    IS(!good.merge(view("damaged", 7)) && good != view("", 0));
#endif
}

static void fits()
{
    filter f = filter::fit(10000, 0.001, BLOOM_COUNTING), hidden = filter::fit(
        1000, 0.1, BLOOM_CLASSIC, secret_bytes);
    IS(f.size() <= 10000 && f.size() > 9900
       && f.plan().layout == BLOOM_COUNTING);
    IS(filter::fit(10000, 0.001) == filter::fit(10000, 0.001, BLOOM_CLASSIC));
    IS(hidden.add("x") && !view(hidden.get()).may_contain("x"));
    fails([] { return filter::fit(32, 0.1); });
    fails([] { return filter::fit(1000, 1); });
}

// Reads an image: a filter is read as a view.
template <class F> struct reads {
    static F from(const std::vector<unsigned char> &image,
                  const secret &key = {})
    {
        bloom_error error = BLOOM_CORRUPT;
        F made(image.data(), image.size(), &error, key);
        IS(error == BLOOM_OK);
        return made;
    }
};
template <> struct reads<filter> {
    static filter from(const std::vector<unsigned char> &image,
                       const secret &key = {})
        { return filter(reads<view>::from(image, key)); }
};
template <class F> static std::vector<unsigned char> image_of(const F &f)
{
    std::vector<unsigned char> image(f.size());
    f.write(image.data());
    return image;
}

// What filters, chains and windows have in common: equality, seals, images,
// copies, moves and secrets. make(key) makes an empty one.
template <class F, class Make> static void every(Make make)
{
    F a = make(secret()), b = make(secret()), empty = make(secret()),
      hidden = make(secret_bytes), same_key = make(secret_bytes);
    IS(a && a == b && !(a != b) && a != hidden && hidden == same_key);
    for (int i = 0; i < 100; i++)
        a.add(i), b.add(i), hidden.add(i);
    IS(a == b && a != empty && hidden != same_key && a.may_contain(99)
       && hidden.may_contain(99) && a.estimate() > 90 && a.fpr() > 0);
    F here = a.copy(), there = a.copy();
    IS(here == there && here.add("only here") && there.add("only there")
       && here != there);
    b.seal();
    IS(a == b && b == a && a.verify() == BLOOM_UNSEALED
       && b.verify() == BLOOM_OK);
    std::vector<unsigned char> image = image_of(b);
    F again = reads<F>::from(image), copy = again.copy();
    IS(image == image_of(again) && image == image_of(copy) && again == b);
    IS(copy.add("more") && copy != again && copy.may_contain("more")
       && !again.may_contain("more") && copy.verify() == BLOOM_UNSEALED);
    image.back() = static_cast<unsigned char>(image.back() ^ 255);
    IS(reads<F>::from(image).verify() == BLOOM_CORRUPT);

    // The right secret, a wrong one, and none
    image = image_of(hidden);
    const F right = reads<F>::from(image, secret_bytes),
            wrong = reads<F>::from(image, { { 9 } }),
            none = reads<F>::from(image);
    IS(right == hidden && right.may_contain(99) && right.copy() == hidden
       && right.copy().may_contain(99));
    IS(wrong != hidden && !wrong.may_contain(99) && none != hidden
       && !none.may_contain(99));

    F taken(std::move(a));
    IS(taken == b && !a && a != taken && !a.copy());
    a = std::move(taken);
    IS(a == b && !taken);
    taken = make(secret());
    IS(taken == empty && taken.add("x"));
    a.clear();
    IS(a == empty && a.add("x"));
}

static void whole()
{
    every<filter>([](const secret &key)
                  { return filter(100, 1e-6, BLOOM_COUNTING, key); });
    filter a(1000, 0.01, BLOOM_BLOCKED), b(1000, 0.01, BLOOM_BLOCKED);
    a.add("a"), a.add("both"), b.add("b"), b.add("both");
    filter copy(a.operator view());
    IS(copy.merge(b) && copy.may_contain("a") && copy.may_contain("b"));
    IS(copy.intersect(a) && same(copy, a) && !copy.merge(filter(7, 0.1)));
    IS(copy.estimate() == 2 && copy.plan().hashes >= 8 && a.count("a") == 1
       && a.count(std::string("absent")) == 0);
    bloom_error error = BLOOM_CORRUPT;
    view seen(a.get(), a.size(), &error);
    IS(seen && error == BLOOM_OK && seen.may_contain("a") && same(seen, a));

    for (const secret &key : { secret(), secret(secret_bytes) }) {
        filter c(100, 0.01, BLOOM_COUNTING, key);
        IS(c.add("x") && !c.add("x") && c.add(7) && c.add(hashed)
           && c.count("x") == 2 && c.count(7) == 1 && c.count(hashed) == 1
           && filter(c.operator view()).count("x") == 2 && c.count(9) == 0);
        IS(c.remove("x") && c.remove("x") && !c.remove("x") && c.remove(7)
           && c.remove(hashed) && c.estimate() == 0);
    }
    filter folded(bloom_plan{ 64 * 5040, 0, 7, BLOOM_CLASSIC, 64 }),
        planned(bloom_plan{ 64 * 840, 0, 7, BLOOM_CLASSIC, 64 });
    for (int i = 0; i < 1000; i++)
        folded.add(i), planned.add(i);
    IS(!folded.fold(0) && !folded.fold(11) && folded.plan().cells == 64 * 5040);
    IS(folded.fold(6) && same(folded, planned));
}

// A chain of a few links, which has no clear()
struct clearable : chain {
    using chain::chain;
    clearable(chain &&c) : chain(std::move(c)) {}
    void clear() { chain::operator=(chain(10, 0.01)); }
};

static void chains()
{
    every<clearable>([](const secret &key)
                     { return clearable(10, 0.01, BLOOM_CLASSIC, key); });
    chain c(10, 0.01, BLOOM_BLOCKED), other(11, 0.01, BLOOM_BLOCKED);
    IS(chain(10, 0.01) != chain(10, 0.010000001));      // equal links
    IS(c && c.add("text") && c.add(-1) && c.add(hashed) && c != other);
    for (int i = 0; i < 1000; i++)
        c.add(i);
    IS(c.may_contain("text") && c.may_contain(-1) && c.may_contain(hashed)
       && !c.may_contain("none") && c.links() > 3 && !c.link(c.links())
       && c.links() == bloom_chain_links(c.get()));
    IS(c.rate() > 0.0099 && c.rate() < 0.0101 && c.fpr() < 0.0099
       && c.link(0).verify() == BLOOM_UNSEALED);
    chain e = c.copy(), hidden(10, 0.01, BLOOM_BLOCKED, secret_bytes);
    unsigned alike = 0;
    for (int i = 1000; i < 5000; i++)
        alike += c.add(i) == e.add(i);          // it grows in the same way
    IS(alike == 4000 && same(c, e) && e.add("in the last link") && c != e);
    IS(hidden.add("x") && hidden.link(0).may_contain("x"));
}

static void windows()
{
    every<window>([](const secret &key)
                  { return window(800, 1e-4, 8, BLOOM_BLOCKED, key); });
    window w(1000, 0.001), planned(bloom_window_plan_for(1000, 0.001, 8,
                                                         BLOOM_CLASSIC));
    IS(w && w.plan().generations == 8 && w.plan().room == 143
       && same(w, planned) && w.estimate() == 0
       && window(10, 0.1, 2).plan().generations == 2);
    IS(w.add("text") && w.add(hashed) && w.generation(0).may_contain("text")
       && !w.generation(1).may_contain("text") && !w.generation(8));
    for (int i = 0; i < 8; i++) {
        IS(w.may_contain("text"));
        w.step();
    }
    IS(!w.may_contain("text") && w == planned.copy());
    bloom_window_set_time(w.get(), 1, 2);
    IS(w != planned);
    window timed(70, 1e-6, 8, BLOOM_CLASSIC, secret_bytes);
    IS(timed.room_left() == 10 && timed.add(-1) && timed.room_left() == 9
       && timed.generation(0).may_contain(-1));
    for (uint64_t now = 0; now < 100; now++)
        IS(!timed.advance(now, 20) && timed.add(now)
           && timed.may_contain(now < 20 ? 0 : now - 20));
    IS(!timed.may_contain(70) && !timed.advance(1000, 20)
       && timed.estimate() == 0);
    IS(timed.add({ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }) == 10
       && timed.room_left() == 1);
}

// With a secret, the hashes of all keys are those of bloom_keyed.h.
static void secrets()
{
    const std::array<unsigned char, 16> other{ { 9 } };
    filter f(1000, 1e-6, BLOOM_CLASSIC, secret_bytes), g(1000, 1e-6);
    filter c(g.plan());
    const bloom_hash text = bloom_keyed_hash(secret_bytes, "text", 4);
    IS(f.add("text") && f.add(5) && f.add(hashed) && f.add(own::unit::litre));
    bloom_add_hash(c.get(), text);
    bloom_add_hash(c.get(), bloom_keyed_u64(secret_bytes, 5));
    bloom_add_hash(c.get(), hashed);
    bloom_add_hash(c.get(), bloom_keyed_u64(secret_bytes, 'l'));
    IS(same(f, c) && f != c && f.may_contain("text") && f.may_contain(text)
       && !f.may_contain("other") && !f.add(std::string("text")));
    IS(!c.may_contain("text") && !c.may_contain(5));

    // Filters with other secrets cannot be combined.
    filter others(1000, 1e-6, BLOOM_CLASSIC, other), copy = f.copy();
    IS(!f.merge(others) && !f.intersect(others) && !f.merge(g) && !g.merge(f));
    fails([&] { return f |= others; });
    fails([&] { return f &= g; });
    fails([&] { return g | f; });
    IS(copy.add("more") && f.merge(copy) && f.may_contain("more")
       && (f | copy) == f && (f | copy).may_contain("more"));
    filter planned(bloom_plan_layout(100, 1e-6, BLOOM_BLOCKED), other);
    IS(planned.add("x") && !planned.may_contain("y"));
    IS(secret(secret_bytes) && !secret() && secret() == secret()
       && !(secret(secret_bytes) == secret(other)));
}

// Filters that are asked at once: the answers of an array of plain filters
static void many_filters(const secret &key)
{
    const uint64_t count = 130;
    slices s(200, 1e-5, count, key);
    std::vector<filter> plain;
    std::vector<std::string> texts;
    for (int i = 0; i < 300; i++)
        texts.push_back("a text that is longer than " + std::to_string(i));
    for (uint64_t i = 0; i < count; i++) {
        plain.emplace_back(s.plan(), key);
        IS(s.add(i, i) == plain[i].add(i));
        IS(s.add(i, texts[i]) == plain[i].add(texts[i]));
        std::vector<own::point> points(i % 7, { 3, 'x', -4 });
        IS(s.add(i, points) == plain[i].add(points));
    }
    plain[77].add(texts), s.add(77, texts);
    plain[0].add({ "list", "of" }), IS(s.add(0, { "list", "of" }) == 2);
    IS(s && s.filters() == count && s.size() == 64 + s.plan().cells * 24
       && s.key() == key);

    const std::vector<std::string> query(texts.begin() + 70,
                                         texts.begin() + 90);
    std::vector<uint64_t> one, all, who(3), nobody;
    std::vector<uint32_t> counts;
    for (uint64_t i = 0; i < count; i++) {
        if (plain[i].may_contain(texts[70]))
            one.push_back(i);
        if (plain[i].may_contain(query) == query.size())
            all.push_back(i);
        counts.push_back(static_cast<uint32_t>(plain[i].may_contain(query)));
        IS(s.get(i) == plain[i]);
    }
    IS(one.size() >= 2 && s.find(texts[70]) == one && s.find("no") == nobody);
    IS(all.size() >= 1 && s.find_all(query) == all);
    IS(counts[77] == 20 && s.count(query) == counts);
    IS(s.find_all({ "list", "of" }) == std::vector<uint64_t>{ 0 }
       && s.count({ 5, 7 })[5] >= 1);
    IS(s.find(texts[77], who.data()) == s.find(texts[77]).size()
       && (who[1] >> 13 & 1) && !(who[2] >> 2));
    IS(s.find(own::point{ 3, 'y', -4 }).size() > 100);

    IS(s.put(3, plain[77]) && s.get(3) == plain[77]);
    filter another(400, 1e-5);
    IS(!s.put(3, another) && !s.put(count, plain[0])
       && !s.put(1, view(nullptr)));
    filter keyless(s.plan());
    IS(s.put(3, keyless) != bool(key));
    s.clear(3);
    IS(s.get(3) == filter(s.plan(), key) && s.get(4) == plain[4]);
    fails([&] { return s.get(count); });

    std::vector<unsigned char> image(s.size());
    s.seal();
    s.write(image.data());
    bloom_error error = BLOOM_CORRUPT;
    slices_view v(image.data(), image.size(), &error, key);
    IS(v && error == BLOOM_OK && v.verify() == BLOOM_OK && v == s
       && v.find_all(query) == all && v.get(77) == plain[77]);
    slices again(image.data(), image.size(), nullptr, key), copy = s.copy();
    IS(again == s && copy == s && copy.verify() == BLOOM_OK
       && copy.add(5, "new") && copy != s && !(copy == again));
    slices more = s.copy(200), fewer = s.copy(78);
    IS(s.copy(count + 1) != s && more.filters() == 200 && more.get(77) == plain[77] && more != s
       && more.get(199) == filter(s.plan(), key));
    IS(fewer.filters() == 78 && fewer.find_all(query) == all);
    copy.clear();
    IS(copy.find(5) == nobody && copy == slices(s.plan(), count, key));
    slices taken(std::move(copy));
    IS(!copy && taken && !copy.copy() && copy != taken);
    IS(slices_view(image.data(), image.size(), nullptr,
                   std::array<unsigned char, 16>{ { 9 } }) != s);
}

#if __cplusplus >= 201703L
// An image that the compiler made: that of bloom_create and bloom_add
template <class Image, class K>
static bool as_made(const Image &image, bloom_plan plan, const K *keys,
                    size_t count)
{
    filter f(plan);
    f.add(keys, keys + count);
    f.seal();
    return f.size() == image.size()
        && !std::memcmp(f.get(), image.data(), image.size());
}

static constexpr const char *text_keys[] = {
    "", "a", "seven b", "8 bytes.", "9 bytes .", "fifteen bytes..",
    "sixteen bytes...", "seventeen bytes..", "thirty-one bytes of one key, so",
    "thirty-two bytes of one key, so.", "Gr\303\274n \377",
    "a key that is longer than two blocks of sixteen bytes"
};
static constexpr int integer_keys[] = { 0, 1, -1, 300000, -2147483647 };
static constexpr uint64_t wide_keys[] = { UINT64_MAX, 1234567890123456789 };
static constexpr text_view view_keys[] = { "a", { "\0b", 2 } };

static void compiled()
{
    static constexpr auto texts = bloompp::image<1000>(text_keys);
    static constexpr auto integers = bloompp::image<2>(integer_keys);
    static constexpr auto wide = bloompp::image<1000000000>(wide_keys);
    static constexpr auto views = bloompp::image<100>(view_keys);
    static constexpr auto units = bloompp::image<100>({ below::four });
    static constexpr auto list = bloompp::image<100>({ "a", "bb", "a" });
    const below unit = below::four;
    const char *listed[] = { "a", "bb" };
    IS(as_made(texts, BLOOM_PLAN(12, 1000), text_keys, 12));
    IS(as_made(integers, BLOOM_PLAN(5, 2), integer_keys, 5));
    IS(as_made(wide, BLOOM_PLAN(2, 1000000000), wide_keys, 2));
    IS(as_made(views, BLOOM_PLAN(2, 100), view_keys, 2));
    IS(as_made(units, BLOOM_PLAN(1, 100), &unit, 1));
    IS(as_made(list, BLOOM_PLAN(3, 100), listed, 2));
    view rom(texts.data(), texts.size());
    IS(rom.verify() == BLOOM_OK && rom.may_contain(text_keys) == 12
       && !rom.may_contain("absent"));
}
#endif

// Tests that a filter, view or chain cannot be made, and what its error says.
template <class Make> static void none(const char *why, Make make)
{
#ifdef BLOOM_EXCEPTIONS
    try {
        static_cast<void>(make());
        is(false, "no exception", __LINE__);
    } catch (const std::runtime_error &error) {
        is(!std::strncmp(error.what(), why, std::strlen(why)), error.what(),
           __LINE__);
    }
#else
    static_cast<void>(why);
    IS(!make());
#endif
}

// Why something cannot be made: one text for each cause
static void reasons()
{
    const char *plan = "bloom: impossible plan: ", *junk = "bloom: not a Bloom",
        *cut = "bloom: truncated", *memory = "bloom: out of memory",
        bytes[100] = "no image";
    bloom_error error = BLOOM_OK;
    none(plan, [] { return filter(1000, 1.5); });
    none(plan, [] { return filter(bloom_plan{ 1, 0, 1, 0, 64 }); });
    none(plan, [] { return chain(1000, 0.01, BLOOM_COUNTING); });
    for (double p : { 0.0, 1.0, 1.5, 2.0 })
        none(plan, [p] { return chain(1000, p); });
    none(plan, [] { return slices(1000, 0.01, 0); });
    none(plan, [] { return slices(bloom_plan_layout(9, 0.1, BLOOM_BLOCKED),
                                  1); });
    none(plan, [] { return slices(9, 0.1, 2).copy(0); });
    none(plan, [] { return window(1000, 0.01, 17); });
    none(plan, [] { return window(bloom_window_plan{ bloom_plan_for(9, 0.1), 0,
                                                     2 }); });
    none(cut, [&] { return view("BLM", 3, &error); });
    IS(error == BLOOM_TRUNCATED);
    none(cut, [&] { return chain("BLM", 3, &error); });
    IS(error == BLOOM_TRUNCATED);
    none(cut, [&] { return slices_view("BLS", 3, &error); });
    IS(error == BLOOM_TRUNCATED);
    none(cut, [&] { return window("BLW", 3, &error); });
    IS(error == BLOOM_TRUNCATED);
    none(junk, [&] { return chain(bytes, sizeof bytes, &error); });
    IS(error == BLOOM_NOT_A_FILTER);
    none(junk, [&] { return slices("BLM", 3, &error); });
    IS(error == BLOOM_NOT_A_FILTER);
    none(junk, [&] { return view(bytes, sizeof bytes); });
    none(junk, [&] { return window(bytes, sizeof bytes); });

    filter f(10, 0.1);
    window w(10, 0.1);
    slices s(10, 0.1, 3);
    chain c(10, 0.1);
    std::vector<char> image(c.size());
    c.write(image.data());
    memory_is_short = true;
    none(memory, [] { return filter(10, 0.1); });
    none(memory, [] { return chain(10, 0.1); });
    none(memory, [] { return chain(10, 0.999); });
    none(memory, [] { return window(10, 0.1); });
    none(memory, [] { return slices(10, 0.1, 3); });
    none(memory, [&] { return f.copy(); });
    none(memory, [&] { return w.copy(); });
    none(memory, [&] { return s.copy(); });
    none(memory, [&] { return s.copy(4); });
    none(memory, [&] { return c.copy(); });
    none(memory, [&] { return f | f; });
    none(memory, [&] { return chain(image.data(), image.size(), &error); });
    IS(error == BLOOM_NO_MEMORY);
    none(plan, [] { return filter(10, 2); });
    memory_is_short = false;
}

// ---- Files ------------------------------------------------------------------

#ifdef BLOOM_EXCEPTIONS
template <class Call> static int thrown(Call call)
{
    try {
        call();
    } catch (const std::system_error &error) {
        return std::strstr(error.what(), "bloom: ") == error.what()
            ? error.code().value() : -1;
    }
    return 0;
}
#endif
static void put(const char *name, const std::vector<char> &bytes)
{
    std::FILE *file = std::fopen(name, "wb");
    IS(file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size()
       && std::fclose(file) == 0);
}
// The error of loading; what is loaded is false if and only if there is one
template <class F> static int load_error(const char *name)
{
    int why = -1;
#ifdef BLOOM_EXCEPTIONS
    why = thrown([&] { IS(static_cast<bool>(F::load(name))); });
#else
    IS(static_cast<bool>(F::load(name, &why)) == (why == 0));
#endif
    return why;
}
template <class F> static void saves(F f, F hidden)     // with secret_bytes
{
    int why = -1;
    f.add("apple");
    IS(f.save("saved") == 0 && f.verify() == BLOOM_OK);
    const F g = F::load(std::string("saved"), &why);
    IS(g && why == 0 && g == f && g.may_contain("apple"));
    IS(g.verify() == BLOOM_OK);
    std::vector<char> image(f.size());
    f.write(image.data());
    image.push_back(0);                 // the next save would drop it
    put("damaged", image);
    IS(load_error<F>("damaged") == EBADMSG);
    image.pop_back();
    image.back() = static_cast<char>(image.back() ^ 1);
    put("damaged", image);
    IS(load_error<F>("damaged") == EBADMSG);
    image.pop_back();
    put("damaged", image);
    IS(load_error<F>("damaged") == EBADMSG);
    IS(load_error<F>("none") == ENOENT && load_error<F>(".") == EISDIR);
    FAILS(f.save("none/f"), ENOENT);
    memory_is_short = true;
    const int error = load_error<F>("saved");
    memory_is_short = false;
    IS(error == ENOMEM);
    hidden.add("pear");
    IS(hidden.save("saved") == 0);
    IS(F::load("saved", nullptr, secret_bytes).may_contain("pear"));
    IS(!F::load("saved").may_contain("pear"));
}

#ifdef BLOOM_ATOMIC
static void sharing()
{
    const bloom_plan plan = bloom_plan_layout(1000, 0.001, BLOOM_COUNTING);
    int why = -1;
    std::remove("shared");
    FAILS((static_cast<void>(bloompp::share("shared", bloom_plan(), &why)),
           why), ENOENT);
    auto one = bloompp::share("shared", plan, &why);
    IS(one && why == 0);
    auto two = bloompp::share(std::string("shared"));
    IS(one.add("apple") && two.may_contain("apple"));
    IS(two.add({ 1, 2, 3 }) == 3 && one.may_contain({ 1, 2, 3 }) == 3);
    IS(one.count(1) == 1 && one.remove(1) && !two.may_contain(1)
       && two.count(1) == 0 && two.estimate() == 3);
    IS(view(one) == view(two) && one.fpr() > 0);
    IS(two.plan().cells == plan.cells && two.verify() == BLOOM_UNSEALED);
    filter other(plan);
    other.add("fig");
    IS(one.merge(other) && two.may_contain("fig"));
    IS(!one.merge(filter(10, 0.1)) && filter(one) == view(two));
    FAILS((static_cast<void>(bloompp::share("shared", bloom_plan_for(9, 0.1),
                                            &why)), why), EINVAL);
    FAILS(other.save("shared"), EBUSY);
    auto moved = std::move(one);
    IS(!one && moved.may_contain("apple") && moved.close() == 0 && !moved);
    FAILS(other.save("shared"), EBUSY);
    {
        const auto last = std::move(two);
    }
    IS(filter::load("shared").may_contain("apple"));
    IS(other.save("shared") == 0);
    auto hidden = bloompp::share("shared", plan, nullptr, secret_bytes);
    IS(hidden.add("date") && hidden.may_contain("date"));
    IS(!bloompp::share("shared").may_contain("date"));
    IS(!hidden.merge(other) && hidden.remove("date"));
}
#endif

static void files()
{
    saves(filter(1000, 0.01, BLOOM_BLOCKED),
          filter(1000, 0.001, BLOOM_CLASSIC, secret_bytes));
    saves(chain(10, 0.01), chain(10, 0.001, BLOOM_BLOCKED, secret_bytes));
    saves(window(1000, 0.01),
          window(1000, 0.001, 8, BLOOM_CLASSIC, secret_bytes));
#ifdef BLOOM_ATOMIC
    sharing();
#endif
}

int main()
{
    keys();
    own_keys();
    ranges();
    ends();
    lists();
    operators();
    falses();
    fits();
    whole();
    chains();
    windows();
    secrets();
    many_filters({});
    many_filters(secret_bytes);
#if __cplusplus >= 201703L
    compiled();
#endif
    reasons();
    files();
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
