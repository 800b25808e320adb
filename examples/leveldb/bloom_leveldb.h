/* bloom_leveldb.h: filters of bloom.h for LevelDB.

       #define BLOOM_IMPLEMENTATION             // in one file of the program
       #include "bloom_leveldb.h"
       bloom_leveldb policy(0.01, BLOOM_BLOCKED);      // p = 1%
       leveldb::Options options;
       options.filter_policy = &policy;         // must outlive the database
       options.paranoid_checks = true;          // else damage may hide keys

   A filter is an image of bloom.h, which says its own m, k and layout. So p and
   the layout may change between two runs: old filters stay valid. If p is not
   between 0 and 1, there are no filters. Threads may share a policy. */
#ifndef BLOOM_LEVELDB_H
#define BLOOM_LEVELDB_H

#include "bloom.h"
#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>
#include <string>
#include <vector>

class bloom_leveldb : public leveldb::FilterPolicy {
public:
    explicit bloom_leveldb(double p, bloom_layout layout = BLOOM_CLASSIC)
        : rate(p), kind(layout)
    {
        for (size_t n = 0; n < KEPT; n++)
            plans.push_back(bloom_plan_layout(n, rate, kind));
    }

    /* LevelDB ignores filters of policies with other names. This one must
       change when the format of images does. */
    const char *Name() const override { return "bloom.h, format 2"; }

    void CreateFilter(const leveldb::Slice *keys, int n,
                      std::string *dst) const override
    {
        const size_t count = static_cast<size_t>(n), before = dst->size();
        const bloom_plan plan = plan_for(count);
        const size_t size = bloom_plan_size(plan);
        if (size == 0)
            return;
        dst->resize(before + size);
        bloom *b = bloom_init(&(*dst)[before], size, plan);
        for (size_t i = 0; i < count; i++)
            bloom_add(b, keys[i].data(), keys[i].size());
    }

    /* Without a filter, or with one whose header is damaged, any key may be
       in. */
    bool KeyMayMatch(const leveldb::Slice &key,
                     const leveldb::Slice &filter) const override
    {
        const bloom *b = bloom_view(filter.data(), filter.size(), nullptr);
        return !b || bloom_may_contain(b, key.data(), key.size());
    }

private:
    /* A filter has some tens of keys: those of a data block. Planning may take
       longer than adding them, so plans for few keys are made once. */
    enum { KEPT = 256 };
    double rate;
    bloom_layout kind;
    std::vector<bloom_plan> plans;              /* for 0, 1, 2 ... keys */

    bloom_plan plan_for(size_t n) const
    {
        return n < KEPT ? plans[n] : bloom_plan_layout(n, rate, kind);
    }
};

#endif
