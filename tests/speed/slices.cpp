// The speed of bloom_slices.h (`make slices`): asking many filters about one
// key, in one process, compared with
//   * filters of bloom.h that are asked one by one, classic and blocked;
//   * if HIBF=dir is given, the interleaved Bloom filter of seqan/hibf, with the
//     same m, k and number of filters. It has its own hash.
// It prints nanoseconds per key, and ratios: the time of bloom_slices.h divided
// by that of the other. Contenders take turns, and the fastest of all rounds
// counts. First the answers are compared, which must be equal to those of
// filters one by one. The exit status is 1 if one differs. Last, filters are
// filled one after another, as those of days are: the ratios are those of the
// slices to a filter of its own.
//
// usage: slices [FILTERS...]       numbers of filters; 64 256 512 1024 16384
//        HASHES=k slices ...       k in place of 2 and 4
//        slices days               only these, and up to 10^6 keys in each
//        slices large [FILTERS]    one index of 10^6 filters: creating, adding,
//                                  finding, saving to build/, and mapping

#define BLOOM_STATIC
#include "examples/companions/bloom_file.h"     // first, see there
#include "examples/companions/bloom_slices.h"
#include "tests/random.h"
#include "clock.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#ifdef PEER_HIBF
#include <hibf/interleaved_bloom_filter.hpp>
#endif

namespace {

constexpr uint64_t KEYS = 1000;         // in each filter
constexpr unsigned COUNTED = 225;       // keys of a call of bloom_slices_count
double shortest = 4e6;                  // ns of a measurement
unsigned rounds = 9;

// A way to do something with keys. `run` does it with `count` keys from key
// number `from` on, of keys that were not used before.
struct contender {
    const char *name;
    std::function<void(const uint64_t *keys, size_t count)> run;
    double best = 1e9;                  // ns per key
};

// The contenders take turns with the same keys. A turn is as long as `shortest`
// for the fastest. `step` is how many keys a call takes.
void race(std::vector<contender> &all, size_t step)
{
    size_t count = step;
    std::vector<uint64_t> keys;
    double ns = 0;
    do {                                // how many keys are enough?
        if (ns > 0)
            count = count * 2;
        keys.resize(count);
        for (auto &key : keys)
            key = random64();
        ns = now();
        all[0].run(keys.data(), count);
        ns = now() - ns;
    } while (ns < shortest && count < (1 << 22));
    for (unsigned i = 0; i < rounds; i++) {
        for (auto &key : keys)
            key = random64();
        for (auto &one : all) {
            // the slow ones get fewer keys
            const size_t some = one.best * double(count) < 20 * shortest
                              ? count
                              : size_t(20 * shortest / one.best) / step * step;
            const size_t n = some < step ? step : some;
            ns = now();
            one.run(keys.data(), n);
            ns = (now() - ns) / double(n);
            one.best = ns < one.best ? ns : one.best;
        }
    }
}

void print(const char *what, uint64_t filters, unsigned k,
           const std::vector<contender> &all)
{
    std::printf("%-10s %7llu %2u", what, (unsigned long long)filters, k);
    for (size_t i = 0; i < all.size(); i++) {
        std::printf("  %s %.1f", all[i].name, all[i].best);
        if (i > 0)
            std::printf(" (%.2f)", all[0].best / all[i].best);
    }
    std::printf("\n");
    std::fflush(stdout);
}

volatile uint64_t sink;

struct field {                          // the filters of all contenders
    bloom_plan plan;
    uint64_t filters;
    bloom_slices *s;
    std::vector<bloom *> classic, blocked;
    std::vector<uint64_t> who;
    std::vector<uint32_t> counts;
    std::vector<bloom_hash> hashes = std::vector<bloom_hash>(COUNTED);
#ifdef PEER_HIBF
    std::unique_ptr<seqan::hibf::interleaved_bloom_filter> ibf;
#endif

    field(bloom_plan plan_, uint64_t filters_, bool one_by_one)
        : plan(plan_), filters(filters_), s(bloom_slices_create(plan, filters)),
          who((filters + 63) / 64), counts(filters)
    {
        const bloom_plan b = bloom_plan_layout(KEYS, 0.01, BLOOM_BLOCKED);
        for (uint64_t i = 0; one_by_one && i < filters; i++) {
            classic.push_back(bloom_create(plan));
            blocked.push_back(bloom_create(b));
        }
#ifdef PEER_HIBF
        ibf.reset(new seqan::hibf::interleaved_bloom_filter(
            seqan::hibf::bin_count{filters}, seqan::hibf::bin_size{plan.cells},
            seqan::hibf::hash_function_count{plan.hashes}));
#endif
    }
    ~field()
    {
        bloom_slices_free(s);
        for (auto b : classic)
            bloom_free(b);
        for (auto b : blocked)
            bloom_free(b);
    }
    field(const field &) = delete;
    field &operator=(const field &) = delete;
};

// Fills the filters. The time of adding is measured by the way: keys go to the
// filters in turn, as from a stream, and one filter after another.
void fill(field &f)
{
    std::vector<uint64_t> keys(KEYS * f.filters);
    std::vector<contender> all = { { "slices", nullptr }, };
    double ns;
    for (auto &key : keys)
        key = random64();
    const auto each = [&](const char *name, auto add) {
        ns = now();
        for (uint64_t i = 0; i < f.filters; i++)
            for (uint64_t j = 0; j < KEYS; j++)
                add(i, keys[i * KEYS + j]);
        contender c = { name, nullptr };
        c.best = (now() - ns) / double(keys.size());
        for (auto &one : all)
            if (one.name == std::string(name)) {
                one.best = c.best < one.best ? c.best : one.best;
                return;
            }
        all.push_back(c);
    };
    for (unsigned i = 0; i < (keys.size() > 2000000 ? 2u : 5u); i++) {
        bloom_slices_clear(f.s);
        each("slices", [&](uint64_t i, uint64_t key)
            { bloom_slices_add_u64(f.s, i, key); });
#ifdef PEER_HIBF
        for (uint64_t i = 0; i < f.filters; i++)
            f.ibf->clear(seqan::hibf::bin_index{i});
        each("hibf", [&](uint64_t i, uint64_t key)
            { f.ibf->emplace(key, seqan::hibf::bin_index{i}); });
#endif
    }
    if (!f.classic.empty()) {
        each("classic", [&](uint64_t i, uint64_t key)
            { bloom_add_u64(f.classic[i], key); });
        each("blocked", [&](uint64_t i, uint64_t key)
            { bloom_add_u64(f.blocked[i], key); });
    }
    print("add", f.filters, f.plan.hashes, all);
}

bool right(field &f)
{
    bool same = true;
    for (unsigned i = 0; i < 300 && !f.classic.empty(); i++) {
        const uint64_t key = random64();
        bloom_add_u64(f.classic[i % f.filters], key);
        bloom_slices_add_u64(f.s, i % f.filters, key);
        uint64_t sum = bloom_slices_find_u64(f.s, key, f.who.data());
        const bloom_hash h = bloom_slices_hash_u64(f.s, key);
        f.hashes[i % COUNTED] = h;
        for (uint64_t j = 0; j < f.filters; j++) {
            const bool in = bloom_may_contain_hash(f.classic[j], h);
            same = same && in == (f.who[j / 64] >> j % 64 & 1);
            sum -= in;
        }
        same = same && sum == 0;
    }
    if (f.classic.empty())
        return true;
    bloom_slices_count(f.s, f.hashes.data(), COUNTED, f.counts.data());
    for (uint64_t j = 0; j < f.filters; j++) {
        unsigned sum = 0;
        for (auto h : f.hashes)
            sum += bloom_may_contain_hash(f.classic[j], h);
        same = same && sum == f.counts[j];
    }
    return same;
}

void find(field &f)
{
    std::vector<contender> all = {
        { "slices", [&](const uint64_t *keys, size_t count) {
            for (size_t i = 0; i < count; i++) {
                bloom_slices_find_u64(f.s, keys[i], f.who.data());
                sink = f.who[0];
            } } },
    };
#ifdef PEER_HIBF
    auto agent = f.ibf->containment_agent();
    all.push_back({ "hibf", [&](const uint64_t *keys, size_t count) {
        for (size_t i = 0; i < count; i++) {
            auto &result = agent.bulk_contains(keys[i]);
            sink = result.data()[0];
        } } });
#endif
    const auto one_by_one = [](std::vector<bloom *> &filters) {
        return [&](const uint64_t *keys, size_t count) {
            for (size_t i = 0; i < count; i++) {
                const bloom_hash h = bloom_hash_u64(filters[0], keys[i]);
                uint64_t sum = 0;
                for (auto b : filters)
                    sum += bloom_may_contain_hash(b, h);
                sink = sum;
            }
        };
    };
    if (!f.classic.empty()) {
        all.push_back({ "classic", one_by_one(f.classic) });
        all.push_back({ "blocked", one_by_one(f.blocked) });
    }
    race(all, 1);
    print("find", f.filters, f.plan.hashes, all);
}

void count(field &f)
{
    std::vector<contender> all = {
        { "slices", [&](const uint64_t *keys, size_t count) {
            for (size_t i = 0; i < count; i += COUNTED) {
                for (unsigned j = 0; j < COUNTED; j++)
                    f.hashes[j] = bloom_slices_hash_u64(f.s, keys[i + j]);
                bloom_slices_count(f.s, f.hashes.data(), COUNTED,
                                   f.counts.data());
                sink = f.counts[0];
            } } },
    };
#ifdef PEER_HIBF
    auto agent = f.ibf->counting_agent<uint16_t>();
    std::vector<uint64_t> query(COUNTED);
    all.push_back({ "hibf", [&](const uint64_t *keys, size_t count) {
        for (size_t i = 0; i < count; i += COUNTED) {
            query.assign(keys + i, keys + i + COUNTED);
            sink = agent.bulk_count(query)[0];
        } } });
#endif
    race(all, COUNTED);
    print("count 225", f.filters, f.plan.hashes, all);
}

bool measure(uint64_t filters, unsigned k)
{
    const bloom_plan plan = k ? bloom_plan_hashes(KEYS, 0.01, k)
                              : bloom_plan_for(KEYS, 0.01);
    field f(plan, filters, k == 0 || filters <= 1024);
    fill(f);
    find(f);
    count(f);
    if (right(f))
        return true;
    std::printf("WRONG ANSWERS\n");
    return false;
}

// One filter after another gets its keys: in the slices; in its own filter; and
// that is then put into other slices. In the end, both must be equal.
bool days(uint64_t n)
{
    const uint64_t filters = 365;
    const bloom_plan plan = bloom_plan_for(n, 0.01);
    bloom_slices *added = bloom_slices_create(plan, filters);
    bloom_slices *put = bloom_slices_create(plan, filters);
    bloom *one = bloom_create(plan);
    std::vector<uint64_t> keys(n);
    double in_slices = 0, alone = 0, putting = 0;
    bool same = added && put && one;
    for (uint64_t i = 0; same && i < filters; i++) {
        for (auto &key : keys)
            key = random64();
        double from = now();
        for (auto key : keys)
            bloom_slices_add_u64(added, i, key);
        in_slices += now() - from;
        bloom_clear(one);
        from = now();
        for (auto key : keys)
            bloom_add_u64(one, key);
        alone += now() - from;
        from = now();
        same = bloom_slices_put(put, i, one);
        putting += now() - from;
    }
    const double each = 1 / double(n * filters);
    std::printf("one after another: %llu filters of %llu keys, k = %u, ns per "
                "key\n  slices %.1f (%.2f)  a filter %.1f  and put %.1f more "
                "(%.2f in all)\n", (unsigned long long)filters,
                (unsigned long long)n, unsigned(plan.hashes), in_slices * each,
                in_slices / alone, alone * each, putting * each,
                (alone + putting) / alone);
    std::fflush(stdout);
    same = same && std::memcmp(added, put, bloom_slices_size(put)) == 0;
    bloom_slices_free(added);
    bloom_slices_free(put);
    bloom_free(one);
    if (!same)
        std::printf("WRONG CONTENTS, OR NO MEMORY\n");
    return same;
}

// A million filters, in one image
int large(uint64_t filters)
{
    const char *name = "build/slices.image";
    const unsigned adds = 1000000, finds = 200;
    const double begin = now();
    bloom_slices *s = bloom_slices_new(KEYS, 0.01, filters);
    std::vector<uint64_t> who(size_t(filters / 64 + 1));
    uint64_t found = 0;
    if (!s)
        return std::puts("not enough memory"), 2;
    const auto time = [](const char *what, double from, double calls) {
        std::printf("%-24s %12.3f us\n", what, (now() - from) / calls / 1e3);
    };
    std::printf("%llu filters of %llu keys: %.1f MB, k = %u\n",
                (unsigned long long)filters, (unsigned long long)KEYS,
                double(bloom_slices_size(s)) / 1e6,
                unsigned(bloom_slices_plan_of(s).hashes));
    time("create", begin, 1);
    double from = now();
    for (unsigned i = 0; i < adds; i++)
        bloom_slices_add_u64(s, random64() % filters, i);
    time("add, memory not yet used", from, adds);
    from = now();
    for (unsigned i = 0; i < adds; i++)
        bloom_slices_add_u64(s, random64() % filters, i);
    time("add", from, adds);
    from = now();
    for (unsigned i = 0; i < finds; i++)
        found += bloom_slices_find_u64(s, i, who.data());
    time("find", from, finds);
    from = now();
    bloom_slices_seal(s);
    time("seal", from, 1);
    from = now();
    const int why = bloom_file_save(name, s, bloom_slices_size(s));
    time("save", from, 1);
    size_t size = 0;
    from = now();
    const void *file = why ? nullptr : bloom_file_map(name, &size);
    const bloom_slices *v = file ? bloom_slices_view(file, size, nullptr)
                                 : nullptr;
    time("map and open", from, 1);
    if (!v)
        return std::puts("the file cannot be saved and mapped"), 2;
    from = now();
    for (unsigned i = 0; i < finds; i++)
        found -= bloom_slices_find_u64(v, i, who.data());
    time("find, mapped", from, finds);
    bloom_file_unmap(file, size);
    std::remove(name);
    bloom_slices_free(s);
    return found != 0;
}

}

int main(int words, char **word)
{
    bool same = true;
    if (words > 1 && word[1] == std::string("large"))
        return large(words > 2 ? std::strtoull(word[2], nullptr, 10) : 1000000);
    const bool only_days = words > 1 && word[1] == std::string("days");
    std::vector<uint64_t> numbers = { 64, 256, 512, 1024, 16384 };
    std::vector<unsigned> hashes = { 2, 4 };
    if (const char *given = std::getenv("HASHES"))
        hashes = { unsigned(std::atoi(given)) };
    if (words > 1)
        numbers.clear();
    for (int i = 1; i < words && !only_days; i++)
        numbers.push_back(std::strtoull(word[i], nullptr, 10));
    for (auto filters : numbers)
        for (auto k : hashes)
            same = measure(filters, k) && same;
    const uint64_t most = only_days ? 1000000 : words == 1 ? 100000 : 0;
    for (uint64_t n = 1000; n <= most; n *= 10)
        same = days(n) && same;
    return !same;
}
