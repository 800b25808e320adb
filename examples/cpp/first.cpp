// A first program in C++: a filter of strings and a filter of integers. Build
// it with -I. -Iexamples/companions. It prints:
//     apple: maybe in, pear: certainly not in
//     49: maybe in, 50: certainly not in, about 1004 keys
#define BLOOM_IMPLEMENTATION
#include "bloom.hpp"
#include <iostream>
#include <string>
#include <vector>

static const char *answer(bool maybe)
{
    return maybe ? "maybe in" : "certainly not in";
}

int main()
{
    bloompp::filter words(1000, 0.001);         // 1000 keys, 0.1%
    bloompp::filter squares(1000, 0.001);
    if (!words || !squares)
        return 1;                               // no memory

    std::string pear = "pear";
    words.add("apple");
    std::cout << "apple: " << answer(words.may_contain("apple"))
              << ", pear: " << answer(words.may_contain(pear)) << '\n';

    std::vector<int> numbers;
    for (int i = 0; i < 1000; i++)
        numbers.push_back(i * i);
    squares.add(numbers);
    std::cout << "49: " << answer(squares.may_contain(49))
              << ", 50: " << answer(squares.may_contain(50))
              << ", about " << squares.estimate() << " keys\n";
    return 0;
}
