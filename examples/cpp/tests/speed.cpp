// `make speed-cpp` runs this: ns of CPU time per key of bloom.h, of bloom.hpp,
// and of bloom.hpp with a secret; the best of several rounds, which alternate.
#define BLOOM_IMPLEMENTATION
#include "../bloom.hpp"
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

static const size_t n = 1000000;
static const unsigned char key[16] = { 1, 2, 3 };
static volatile size_t sink;

template <class Work> static void time(double *best, Work work)
{
    std::clock_t start = std::clock();
    sink = work();
    double ns = static_cast<double>(std::clock() - start) * 1e9
        / static_cast<double>(CLOCKS_PER_SEC) / static_cast<double>(n);
    *best = *best == 0 || ns < *best ? ns : *best;
}

int main()
{
    bloompp::filter plain(n, 0.01, BLOOM_BLOCKED);
    bloompp::filter keyed(n, 0.01, BLOOM_BLOCKED, key);
    std::vector<std::string> texts;
    for (size_t i = 0; i < n; i++)
        texts.push_back("http://example.org/" + std::to_string(i));
    for (size_t i = 0; i < n; i += 2)
        plain.add(i), keyed.add(i), plain.add(texts[i]), keyed.add(texts[i]);
    const bloom *b = plain.get();
    double best[2][3] = {};
    for (int round = 0; round < 9; round++) {
        time(&best[0][0], [&] {
            size_t found = 0;
            for (uint64_t i = 0; i < n; i++)
                found += bloom_may_contain_u64(b, i);
            return found;
        });
        time(&best[1][0], [&] {
            size_t found = 0;
            for (const std::string &k : texts)
                found += bloom_may_contain(b, k.data(), k.size());
            return found;
        });
        for (int i = 1; i < 3; i++) {
            const bloompp::filter &f = i == 1 ? plain : keyed;
            time(&best[0][i], [&] {
                size_t found = 0;
                for (uint64_t k = 0; k < n; k++)
                    found += f.may_contain(k);
                return found;
            });
            time(&best[1][i], [&] {
                size_t found = 0;
                for (const std::string &k : texts)
                    found += f.may_contain(k);
                return found;
            });
        }
    }
    std::printf("ns per lookup, %zu keys, p = 1%%, blocked\n"
                "                   bloom.h  bloom.hpp  with a secret\n", n);
    for (int i = 0; i < 2; i++)
        std::printf("%-18s %7.1f %10.1f %14.1f\n",
                    i ? "texts of 25 bytes" : "integers", best[i][0],
                    best[i][1], best[i][2]);
    return 0;
}
