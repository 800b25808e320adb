// Tests bloom_leveldb.h: each key is found, whatever the number of keys, the
// layout and the alignment; the rate is at most p; a filter is appended; and
// damage never hides a key, in a database if its checksums are verified.
// usage: policy FOLDER        for a database; it must not exist
#define BLOOM_IMPLEMENTATION
#include "bloom_leveldb.h"
#include "tests/unit/check.h"
#include <cmath>
#include <fstream>
#include <iterator>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <memory>

typedef std::vector<std::string> texts;

// Some keys are empty, and some have bytes of 0.
static texts keys_from(unsigned first, unsigned n)
{
    texts keys;
    for (unsigned i = first; i < first + n; i++)
        keys.push_back(std::string(i % 11, '\0')
                       + (i % 97 ? std::to_string(i) : ""));
    return keys;
}

static std::string filter_of(const leveldb::FilterPolicy &policy,
                             const texts &keys, const std::string &before)
{
    std::vector<leveldb::Slice> slices(keys.begin(), keys.end());
    std::string made = before;
    policy.CreateFilter(slices.data(), static_cast<int>(keys.size()), &made);
    CHECK(made.compare(0, before.size(), before) == 0);
    return made;
}

static const bloom_layout layouts[] = { BLOOM_CLASSIC, BLOOM_BLOCKED,
                                        BLOOM_COUNTING };

// 0 to 600 keys: plans that are kept, and others. Filters begin at all
// alignments.
static void test_finding()
{
    for (bloom_layout layout : layouts) {
        const bloom_leveldb policy(0.01, layout);
        for (unsigned n = 0; n < 600; n += 1 + n / 50) {
            const texts keys = keys_from(n, n);
            const std::string before(n % 9, 'x');
            const std::string made = filter_of(policy, keys, before);
            const leveldb::Slice filter(made.data() + n % 9,
                                        made.size() - n % 9);
            const bloom_plan plan = bloom_plan_layout(n, 0.01, layout);
            CHECK(filter.size() == bloom_plan_size(plan));
            for (const std::string &key : keys)
                CHECK(policy.KeyMayMatch(key, filter));
        }
    }
}

// The rate is at most p, on average over filters of n keys. Each filter is
// asked ASKED times, and the shares of false positives are independent numbers.
// So sigma, the error of their mean, is their standard deviation divided by
// sqrt(FILTERS).
static void test_rate()
{
    enum { FILTERS = 5000, ASKED = 100 };
    texts absent;
    for (unsigned i = 0; i < ASKED; i++)
        absent.push_back("absent-" + std::to_string(i));
    for (bloom_layout layout : layouts)
        for (unsigned n : { 1u, 18u, 36u, 300u }) {
            const bloom_leveldb policy(0.01, layout);
            double sum = 0, squares = 0;
            for (unsigned f = 0; f < FILTERS; f++) {
                const std::string made = filter_of(policy,
                                                   keys_from(f * n, n), "");
                double maybes = 0;
                for (const std::string &key : absent)
                    maybes += policy.KeyMayMatch(key, made);
                sum += maybes / ASKED;
                squares += maybes / ASKED * (maybes / ASKED);
            }
            const double rate = sum / FILTERS;
            const double sigma = std::sqrt((squares / FILTERS - rate * rate)
                                           / FILTERS);
            CHECK(rate <= 0.01 + 4 * sigma);
        }
}

static void test_damage()
{
    const bloom_leveldb policy(0.01), none(0), other(0.5, BLOOM_BLOCKED);
    const texts keys = keys_from(1, 30);
    std::string made = filter_of(policy, keys, "");
    CHECK(filter_of(none, keys, "").empty());
    CHECK(none.KeyMayMatch("absent", ""));
    for (const std::string &key : keys)
        CHECK(other.KeyMayMatch(key, made));            // made with another p
    for (size_t size = 0; size < made.size(); size++)
        CHECK(policy.KeyMayMatch("absent", leveldb::Slice(made.data(), size)));
    made[0] = 'X';
    CHECK(policy.KeyMayMatch("absent", made));
}

// ---- A database whose filters are damaged -----------------------------------

enum { KEYS = 5000 };

static std::unique_ptr<leveldb::DB> open(const char *folder, bool paranoid)
{
    static const bloom_leveldb policy(0.01);
    leveldb::Options options;
    leveldb::DB *db = nullptr;
    options.create_if_missing = true;
    options.filter_policy = &policy;
    options.paranoid_checks = paranoid;
    CHECK(leveldb::DB::Open(options, folder, &db).ok());
    return std::unique_ptr<leveldb::DB>(db);
}

static unsigned found(const char *folder, bool paranoid)
{
    const std::unique_ptr<leveldb::DB> db = open(folder, paranoid);
    std::string value;
    unsigned in = 0;
    for (unsigned i = 0; i < KEYS; i++)
        in += db->Get(leveldb::ReadOptions(), std::to_string(i), &value).ok()
              && value == "of " + std::to_string(i);
    return in;
}

// Clears the cells of every filter in this file. Returns how many there were.
static unsigned clear_filters(const std::string &name)
{
    std::ifstream in(name, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)),
                      std::istreambuf_iterator<char>());
    unsigned filters = 0;
    size_t at = 0;
    while ((at = bytes.find("BLM\2", at)) != std::string::npos) {
        bloom_clear(bloom_open(&bytes[at], bytes.size() - at, nullptr));
        at += BLOOM_HEADER_SIZE;
        filters++;
    }
    std::ofstream(name, std::ios::binary) << bytes;
    return filters;
}

static void test_damaged_database(const char *folder)
{
    std::vector<std::string> names;
    unsigned filters = 0;
    {
        const std::unique_ptr<leveldb::DB> db = open(folder, false);
        for (unsigned i = 0; i < KEYS; i++) {
            const std::string key = std::to_string(i);
            CHECK(db->Put(leveldb::WriteOptions(), key, "of " + key).ok());
        }
        db->CompactRange(nullptr, nullptr);
    }
    CHECK(found(folder, false) == KEYS);
    CHECK(leveldb::Env::Default()->GetChildren(folder, &names).ok());
    for (const std::string &name : names)
        if (name.find(".ldb") != std::string::npos)
            filters += clear_filters(folder + ("/" + name));
    CHECK(filters > 0);
    CHECK(found(folder, false) < KEYS);         // the damage is real ..
    CHECK(found(folder, true) == KEYS);         // .. and is detected
}

int main(int argc, char **argv)
{
    RUN_TEST(test_finding(), (void)0);
    RUN_TEST(test_rate(), (void)0);
    RUN_TEST(test_damage(), (void)0);
    if (argc > 1)
        RUN_TEST(test_damaged_database(argv[1]), (void)0);
    return end_tests();
}
