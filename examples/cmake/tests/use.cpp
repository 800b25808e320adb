// A program that uses bloom.hpp. Prints: BLOOM_VERSION 1 1 1
#define BLOOM_IMPLEMENTATION
#include <bloom.hpp>
#include <iostream>

int main()
{
    bloompp::filter f(10, 0.01);
    bloompp::chain c(10, 0.01);
    bloompp::window w(10, 0.01);
    f.add("x"), c.add("x"), w.add("x");
    std::cout << BLOOM_VERSION << ' ' << f.may_contain("x") << ' '
              << c.may_contain("x") << ' ' << w.may_contain("x") << '\n';
    return 0;
}
