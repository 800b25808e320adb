# Makes the files that a text holds: a line each, the name and the bytes in hex.
# usage: unpack.sh TEXT FOLDER
mkdir -p "$2" && grep -v '^#' "$1" | awk '{
    bytes = ""
    for (i = 1; i < length($2); i += 2) {
        high = index("123456789abcdef", substr($2, i, 1))
        low = index("123456789abcdef", substr($2, i + 1, 1))
        bytes = bytes sprintf("\\%03o", 16 * high + low)
    }
    print $1, bytes
}' | while read -r name bytes; do
    printf "$bytes" >"$2/$name"
done
