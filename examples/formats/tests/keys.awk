# Prints keys FIRST .. FIRST + COUNT - 1 of a kind, one per line. These are the
# keys in the test files of other systems. All but texts are in hexadecimal.
#   awk -v kind=KIND -v first=FIRST -v count=COUNT -f keys.awk
# The kinds, for key number i:
#   mul8         i * 9E3779B97F4A7C15 mod 2^64, 8 bytes, little-endian
#   seq8, seq4   i, 8 or 4 bytes, little-endian
#   any          4 to 40 bytes that depend on i
#   WORD-        the text WORD-i
#   utf16:WORD-  that text, 2 bytes per letter

function bytes(x, size,    text) {      # x = 0 .. 2^53, little-endian
    for (; size-- > 0; x = int(x / 256))
        text = text sprintf("%02x", x % 256)
    return text
}

function mul8(i,    text, limb, sum) {  # multiplies 16 bits at a time
    for (limb = 1; limb <= 4; limb++) {
        sum += i * golden[limb]
        text = text bytes(sum % 65536, 2)
        sum = int(sum / 65536)
    }
    return text
}

function any(i,    text, at) {
    text = bytes(i * 2654435761 % 4294967296, 4)
    for (at = 4; at < 4 + i % 37; at++)
        text = text bytes((i * 131 + at * 17 + 7) % 256, 1)
    return text
}

function utf16(word,    text, at) {
    for (at = 1; at <= length(word); at++)
        text = text bytes(index(ascii, substr(word, at, 1)) + 31, 2)
    return text
}

function seq(i, size) {
    return i < 0 ? bytes(4294967296 + i, 4) (size > 4 ? "ffffffff" : "") \
                 : bytes(i, size)
}

BEGIN {
    split("31765 32586 31161 40503", golden, " ")
    for (i = 32; i < 127; i++)
        ascii = ascii sprintf("%c", i)
    for (i = first; i < first + count; i++) {
        if (kind == "mul8") print mul8(i)
        else if (kind == "seq8") print seq(i, 8)
        else if (kind == "seq4") print seq(i, 4)
        else if (kind == "any") print any(i)
        else if (kind ~ /^utf16/) print utf16(substr(kind, 7) i)
        else print kind i
    }
}
