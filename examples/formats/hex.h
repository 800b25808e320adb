/* hex.h: bytes from pairs of hexadecimal digits in upper or lower case. */
#ifndef BLOOM_COMMON_HEX_H
#define BLOOM_COMMON_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Converts the `size` digits at `text` to size / 2 bytes at `to`, which may be
   the same memory. false: size is odd, or some character is not a digit. */
static bool unhex(unsigned char *to, const char *text, size_t size)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    size_t i;
    for (i = 0; i < size; i++) {
        const char *at = memchr(digits, text[i], sizeof digits - 1);
        size_t digit = at ? (size_t)(at - digits) : 0;
        if (!at || size % 2)
            return false;
        digit -= digit > 15 ? 6 : 0;
        to[i / 2] = (unsigned char)(i % 2 ? to[i / 2] | digit : digit << 4);
    }
    return true;
}

#endif
