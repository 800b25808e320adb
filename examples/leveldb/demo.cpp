/* demo: a LevelDB database with filters of bloom.h, beside one with LevelDB's
   own filters and one without.

   usage: leveldb-demo [decimal] [KEYS [BLOCK_SIZE]]
   KEYS is 1000000 by default, and BLOCK_SIZE 4096. Keys are random text of 16
   bytes, or with `decimal` consecutive numbers.

   For each policy, it writes KEYS keys with values of 100 bytes to a database
   in a temporary folder ($TMPDIR, else /tmp), asks for as many absent keys
   between them, and for each present key. A database has one filter for each
   block of data. The columns:
       keys     per filter
       bits     of the filters per key
       rate     of false positives: how often a filter that was asked for an
                absent key said "maybe"
       blocks   of data read for an absent key, and for a present one
       us       for an absent key, and for a present one
       ns       to make a filter, per key; to ask a filter. These are measured
                without a database.
   It first prints the time to make the policies of bloom.h, with their plans.
   Blocks are counted where LevelDB reads from a file. They are not kept in its
   cache, but the system keeps the file in memory.

   The exit status is 1 if a present key was not found, or if the rate of a
   policy of bloom.h is above p by more than the error of the measurement, and
   2 after an error. */
#define BLOOM_IMPLEMENTATION
#include "bloom_leveldb.h"
#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/write_batch.h>
#include <memory>
#include <string>
#include <unistd.h>

static const double p = 0.01;
static unsigned count = 1000000;
static size_t block_size = 4096;
static bool decimal, broken;

static void need(const leveldb::Status &status)
{
    if (status.ok())
        return;
    std::fprintf(stderr, "leveldb-demo: %s\n", status.ToString().c_str());
    std::exit(2);
}

static double now()
{
    return std::chrono::duration<double>(
        std::chrono::steady_clock::now().time_since_epoch()).count();
}

/* ---- What is counted ----------------------------------------------------- */

/* Another policy, with counts. Its filters are made by one thread of LevelDB,
   and counts are read when all of them are made. */
class counted : public leveldb::FilterPolicy {
public:
    explicit counted(const leveldb::FilterPolicy *policy) : inner(policy) { }
    const char *Name() const override { return inner->Name(); }

    void CreateFilter(const leveldb::Slice *keys, int n,
                      std::string *dst) const override
    {
        const size_t before = dst->size();
        inner->CreateFilter(keys, n, dst);
        const bloom *b = bloom_view(dst->data() + before, dst->size() - before,
                                    nullptr);
        const double own = b ? bloom_fpr(b) : 0;
        filters++;
        of_keys += n;
        bytes += static_cast<double>(dst->size() - before);
        sum += own;
        squares += own * own;
    }

    bool KeyMayMatch(const leveldb::Slice &key,
                     const leveldb::Slice &filter) const override
    {
        const bool maybe = inner->KeyMayMatch(key, filter);
        asked++;
        maybes += maybe;
        return maybe;
    }

    /* The variance of the rates of single filters, by bloom_fpr */
    double variance() const
    {
        return squares / filters - sum / filters * (sum / filters);
    }

    const leveldb::FilterPolicy *inner;
    mutable double filters = 0, of_keys = 0, bytes = 0, sum = 0, squares = 0;
    mutable double asked = 0, maybes = 0;
};

static double blocks_read;

class counted_file : public leveldb::RandomAccessFile {
public:
    explicit counted_file(leveldb::RandomAccessFile *file) : inner(file) { }
    leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice *result,
                         char *scratch) const override
    {
        blocks_read++;
        return inner->Read(offset, n, result, scratch);
    }

private:
    std::unique_ptr<leveldb::RandomAccessFile> inner;
};

class counted_env : public leveldb::EnvWrapper {
public:
    counted_env() : leveldb::EnvWrapper(leveldb::Env::Default()) { }
    leveldb::Status NewRandomAccessFile(const std::string &name,
        leveldb::RandomAccessFile **file) override
    {
        leveldb::Status status = target()->NewRandomAccessFile(name, file);
        if (status.ok())
            *file = new counted_file(*file);
        return status;
    }
};

/* ---- A database ---------------------------------------------------------- */

/* 16 bytes: the digits of a number, or of its hash. Even numbers are present,
   and odd ones absent. */
static std::string key_of(uint64_t number)
{
    static const bloom *const hasher = bloom_new(1, 0.5);
    char text[17];
    std::snprintf(text, sizeof text, decimal ? "%016" PRIu64 : "%016" PRIx64,
                  decimal ? number : bloom_hash_u64(hasher, number).h1);
    return text;
}

/* 100 bytes that cannot be compressed */
static std::string value_of(uint64_t number)
{
    std::string value(100, 0);
    for (char &c : value) {
        number = number * 6364136223846793005u + 1442695040888963407u;
        c = static_cast<char>(number >> 56);
    }
    return value;
}

static leveldb::DB *open(const std::string &folder, leveldb::Env *env,
                         const leveldb::FilterPolicy *policy)
{
    leveldb::Options options;
    leveldb::DB *db;
    options.create_if_missing = true;
    options.env = env;
    options.filter_policy = policy;
    options.block_size = block_size;
    need(leveldb::DB::Open(options, folder, &db));
    return db;
}

static void fill(leveldb::DB *db)
{
    leveldb::WriteBatch batch;
    for (unsigned i = 0; i < count; i++) {
        const uint64_t number = 2ull * i;
        batch.Put(key_of(number), value_of(number));
        if (i % 1000 == 999 || i + 1 == count) {
            need(db->Write(leveldb::WriteOptions(), &batch));
            batch.Clear();
        }
    }
    db->CompactRange(nullptr, nullptr);
}

/* Asks for all even or odd numbers. Returns the seconds that it took. Each
   answer must be right. */
static double ask(leveldb::DB *db, unsigned odd)
{
    leveldb::ReadOptions options;
    std::string value;
    double took = 0, from;
    options.fill_cache = false;
    for (unsigned i = 0; i < count; i++) {
        const uint64_t number = 2ull * i + odd;
        const std::string key = key_of(number);
        from = now();
        leveldb::Status status = db->Get(options, key, &value);
        took += now() - from;
        if (!status.IsNotFound())
            need(status);
        if (status.IsNotFound() ? !odd : odd || value != value_of(number)) {
            std::printf("wrong: key %s\n", key.c_str());
            broken = true;
        }
    }
    return took;
}

/* ---- A policy alone ------------------------------------------------------ */

enum { ALONE = 1000, ROUNDS = 5 };      /* filters; the fastest counts */

/* The milliseconds to make a policy of bloom.h, with its plans */
static double plan_time(bloom_layout layout)
{
    double least = 1e9;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const double start = now();
        const bloom_leveldb policy(p, layout);
        least = std::min(least, now() - start);
    }
    return least * 1e3;
}

/* Prints the nanoseconds to make a filter of n keys, per key, and to ask it for
   an absent key. */
static void time_alone(const leveldb::FilterPolicy *policy, unsigned n)
{
    std::vector<std::string> text;
    std::vector<leveldb::Slice> key;
    double make = 1e9, ask = 1e9, maybes = 0;
    for (unsigned i = 0; i < 2 * n * ALONE; i++)
        text.push_back(key_of(i));
    key.assign(text.begin(), text.end());
    for (unsigned round = 0; round < ROUNDS; round++) {
        std::vector<std::string> made(ALONE);
        double start = now();
        for (unsigned f = 0; f < ALONE; f++)
            policy->CreateFilter(&key[f * n], static_cast<int>(n), &made[f]);
        make = std::min(make, now() - start);
        start = now();
        for (unsigned i = 0; i < n; i++)
            for (unsigned f = 0; f < ALONE; f++)
                maybes += policy->KeyMayMatch(key[(f + ALONE) * n + i],
                                              made[f]);
        ask = std::min(ask, now() - start);
    }
    std::printf(" %5.0f %4.0f\n", make / n / ALONE * 1e9,
                ask / n / ALONE * 1e9);
    broken |= maybes > ROUNDS * ALONE * n / 2.0;        /* uses the answers */
}

/* ---- The table ----------------------------------------------------------- */

/* The rate may be above p by chance. Each of `asked` lookups is a false
   positive with the rate of its filter, and these rates scatter around their
   mean, which is at most p. The variance of the result is that of the lookups,
   at most p / asked, and that of the filters, their variance / their
   number. */
static void check_rate(const counted &c)
{
    const double live = count / (c.of_keys / c.filters);
    const double sigma = std::sqrt(p / c.asked + c.variance() / live);
    if (c.maybes / c.asked > p + 4 * sigma) {
        std::printf("the rate is above %g + %g\n", p, 4 * sigma);
        broken = true;
    }
}

static void measure(const char *name, const leveldb::FilterPolicy *policy,
                    bool ours)
{
    const char *tmp = std::getenv("TMPDIR");
    std::string folder = std::string(tmp ? tmp : "/tmp") + "/leveldb.XXXXXX";
    counted_env env;
    counted c(policy);
    std::unique_ptr<leveldb::DB> db;
    double absent, present, in_vain;
    if (!mkdtemp(&folder[0])) {
        std::perror("leveldb-demo: temporary folder");
        std::exit(2);
    }
    db.reset(open(folder, &env, policy ? &c : nullptr));
    fill(db.get());
    db.reset();
    db.reset(open(folder, &env, policy ? &c : nullptr));
    ask(db.get(), 0);                           /* opens the files */
    c.asked = c.maybes = blocks_read = 0;
    absent = ask(db.get(), 1);
    in_vain = blocks_read;
    if (policy)
        std::printf("%-9s %4.0f %5.1f %5.2f%%", name, c.of_keys / c.filters,
                    8 * c.bytes / c.of_keys, 100 * c.maybes / c.asked);
    else
        std::printf("%-9s    -     -      -", name);
    if (ours)
        check_rate(c);
    blocks_read = 0;
    present = ask(db.get(), 0);
    std::printf("  %6.4f %6.4f  %5.2f %5.2f", in_vain / count,
                blocks_read / count, absent / count * 1e6,
                present / count * 1e6);
    if (policy)
        time_alone(policy, static_cast<unsigned>(c.of_keys / c.filters));
    else
        std::printf("     -    -\n");
    db.reset();
    need(leveldb::DestroyDB(folder, leveldb::Options()));
}

int main(int argc, char **argv)
{
    const bloom_leveldb classic(p), blocked(p, BLOOM_BLOCKED);
    std::unique_ptr<const leveldb::FilterPolicy>
        own(leveldb::NewBloomFilterPolicy(10));
    if (argc > 1 && std::string(argv[1]) == "decimal") {
        decimal = true;
        argc--;
        argv++;
    }
    if (argc > 1)
        count = static_cast<unsigned>(std::atof(argv[1]));
    if (argc > 2)
        block_size = static_cast<size_t>(std::atof(argv[2]));
    if (argc > 3 || count < 1 || block_size < 1) {
        std::fputs("usage: leveldb-demo [decimal] [KEYS [BLOCK_SIZE]]\n",
                   stderr);
        return 2;
    }
    std::printf("256 plans: classic %.1f ms, blocked %.1f ms\n",
                plan_time(BLOOM_CLASSIC), plan_time(BLOOM_BLOCKED));
    std::printf("%u keys, p = %g, blocks of %lu bytes\n"
                "           keys  bits   rate   blocks absent, present"
                "  us absent, present  ns make, ask\n", count, p,
                static_cast<unsigned long>(block_size));
    measure("none", nullptr, false);
    measure("LevelDB's", own.get(), false);
    measure("classic", &classic, true);
    measure("blocked", &blocked, true);
    return broken;
}
