// Tests every function of ../bloom.hpp, with and without
// BLOOM_EXCEPTIONS. Run by run.sh. Prints "N passed, N failed".
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
#endif

static int passed, failed;
static void is(bool good, const char *what, int line)
{
    good ? passed++ : failed++;
    if (!good)
        std::printf("hpp.cpp:%d: failed: %s\n", line, what);
}
#define IS(x) is(x, #x, __LINE__)

using bloompp::chain;
using bloompp::filter;
using bloompp::view;

static const bloom_hash hashed = { 0x8a5cd789635d2dff, 0x121fd2155c472f96 };

static bool same(view a, view b)
{
    return a.size() == b.size() && !std::memcmp(a.get(), b.get(), a.size());
}

enum { ninety_seven = 97 };
enum class below : short { four = -4 };
struct converts { operator const char *() const { return "one"; } };

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
#endif
    bloom_add(c.get(), bytes, 4);
    IS(same(f, c));
    IS(f.may_contain("one") && f.may_contain(text) && f.may_contain(-4)
       && f.may_contain(hashed) && !f.may_contain("none")
       && !f.may_contain(5) && !f.may_contain(bloom_hash{ ~hashed.h1, 1 }));
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
    F none(5000, 0.001);
    out.clear();
    IS(none.may_contain(r.begin(), r.end(), std::back_inserter(out)) == 0
       && out.size() == count);
}

// A chain that must grow, with the constructor of a filter
struct grows : chain {
    grows(uint64_t, double p) : chain(50, p, BLOOM_BLOCKED) {}
};

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
}

static void falses()
{
    filter gone(10, 0.1), taker(std::move(gone));
    harmless(std::move(gone));
    harmless(filter(view(nullptr)));
    harmless(filter(gone.operator view()));
    chain old(10, 0.1), newer(std::move(old));
    IS(!old && newer);
    old = std::move(newer);
    IS(old && !newer);
    newer = chain(5, 0.1);
    IS(newer && newer.add("x"));
#ifndef BLOOM_EXCEPTIONS
    filter damaged{view("damaged", 7)};
    IS(!damaged);
    harmless(std::move(damaged));
    harmless(filter(10, 7.0));
    filter good(10, 0.1);
    IS(!good.merge(view("damaged", 7)) && good != view("", 0));
#endif
}

static void whole()
{
    filter a(1000, 0.01, BLOOM_BLOCKED), b(1000, 0.01, BLOOM_BLOCKED);
    a.add("a"), a.add("both"), b.add("b"), b.add("both");
    filter both(a.operator view()), copy(std::move(both));
    IS(!both && copy && same(a, copy));
    IS(copy.merge(b) && copy.may_contain("a") && copy.may_contain("b"));
    IS(copy.intersect(a) && same(copy, a) && !copy.merge(filter(7, 0.1)));
    IS(copy.estimate() == 2 && copy.fpr() > 0 && copy.plan().hashes >= 8);
    IS(copy.verify() == BLOOM_UNSEALED);
    copy.seal();
    IS(copy.verify() == BLOOM_OK);
    copy.clear();
    IS(copy.estimate() == 0);

    filter counting(100, 0.01, BLOOM_COUNTING), flat(bloom_plan_for(100, 0.01));
    IS(counting.add("x") && counting.add(5) && counting.remove("x")
       && !counting.remove("x") && !counting.may_contain("x"));
    IS(bloom_flatten(flat.get(), counting.get()) && flat.may_contain(5)
       && !flat.may_contain("x"));

    bloom_error error = BLOOM_OK;
    view seen(a.get(), a.size(), &error);
    a.seal();
    filter clone(seen);
    IS(same(clone, a) && clone.verify() == BLOOM_OK && clone.add("more")
       && !a.may_contain("more") && clone.may_contain("a"));

    bloom_plan wide = bloom_plan_for(1000, 0.01), narrow;
    wide.cells = 64 * 5040;
    narrow = wide;
    narrow.cells /= 6;
    filter folded(wide), planned(narrow);
    for (int i = 0; i < 1000; i++)
        folded.add(i), planned.add(i);
    IS(!folded.fold(0) && !folded.fold(11) && folded.plan().cells == 64 * 5040);
    IS(folded.fold(6) && same(folded, planned));
    IS(seen && error == BLOOM_OK && seen.may_contain("a") && same(seen, a));
}

static void chains()
{
    chain c(10, 0.01, BLOOM_BLOCKED);
    std::vector<unsigned char> image(32);
    bloom_error error = BLOOM_CORRUPT;
    IS(c && c.add("text") && c.add(-1) && c.add(hashed));
    for (int i = 0; i < 1000; i++)
        c.add(i);
    IS(c.may_contain("text") && c.may_contain(-1));
    IS(bloom_chain_links(c.get()) > 3);
    IS(c.may_contain(hashed) && !c.may_contain("none"));
    IS(c.rate() > 0.0099 && c.fpr() < 0.01 && c.link(0).verify()
       == BLOOM_UNSEALED);
    c.seal();
    bloom_chain_head(c.get(), image.data());
    for (unsigned i = 0; i < c.links(); i++) {
        const bloom *link = c.link(i).get();
        const unsigned char *bytes
            = reinterpret_cast<const unsigned char *>(link);
        image.insert(image.end(), bytes, bytes + bloom_size(link));
    }
    chain d(image.data(), image.size(), &error);
    IS(d && error == BLOOM_OK && d.may_contain(999) && d.get());
    IS(d.estimate() > 900 && image.size() == c.size() && same(c, d)
       && d.link(0).verify() == BLOOM_OK);
    chain e(std::move(d));
    IS(!d && e);
}

// Tests that a filter, view or chain cannot be made.
template <class Make> static void none(Make make)
{
#ifdef BLOOM_EXCEPTIONS
    try {
        make();
        is(false, "no exception", __LINE__);
    } catch (const std::runtime_error &) {
        passed++;
    }
#else
    IS(!make());
#endif
}

int main()
{
    bloom_error error = BLOOM_OK;
    keys();
    ranges();
    lists();
    operators();
    falses();
    whole();
    chains();
    none([] { return filter(1000, 1.5); });
    none([] { return filter(bloom_plan{ 1, 0, 1, 0, 64 }); });
    none([] { return chain(1000, 0.01, BLOOM_COUNTING); });
    none([&] { return view("BLM", 3, &error); });
    IS(error == BLOOM_TRUNCATED);
    none([&] { return chain("BLM", 3, &error); });
    IS(error == BLOOM_TRUNCATED);
    none([&] { return chain("thirty-two bytes that are no chain", 34,
                            &error); });
    IS(error == BLOOM_NOT_A_FILTER);
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
