/* Git's Bloom filters: one a commit, of the paths that it changed. They make
   `git log -- PATH` fast: of most commits they say "certainly not", and only
   the others are unpacked and compared. This asks them as git does, of a file
   that `git commit-graph write --reachable --changed-paths` has written.

       git COMMIT-GRAPH PATH      .git/objects/info/commit-graph, as a rule

   PATH is as `git ls-files` prints it, or a folder. Printed are the commits
   that may have changed it against their first parent, among them those with
   no filter or with too many changes. The format: man gitformat-commit-graph,
   but that the size of a filter is in bytes, not in words of 64 bits.

   cc -I. examples/git.c -o git. After tests/wide/examples/git.sh,
   git build/graphs/graph docs/a    Prints:
       32551a78f1b339e63db2fe5f6c6bf04360599092
       492ef9d52228dc0c17f74f39e04c4066d22c59fb
       9100280c8711d3ffd3c6d42784237e14b72e9422
       9476d60b96b181ab75b6fc63aa52e1b5c3a638c8
       17 of 21 commits certainly did not change it */
#define PROGRAM "git"
#include "common/bytes.h"

static struct chunk { uint64_t at, size; } hashes, index_of, data;
static unsigned hash_size;              /* 20 bytes, or 32 of SHA-256 */
static uint32_t version, probes;

/* ---- The file ------------------------------------------------------------ */

/* The table has a row a chunk: its name of 4 letters, where it begins, and in
   the next row where it ends. Size 0: there is none. */
static struct chunk find_chunk(const char *name)
{
    struct chunk found = { 0, 0 };
    uint64_t row, count = number_at(6, 1);
    for (row = 8; count > 0; count--, row += 12)
        if (memcmp(bytes_at(row, 4), name, 4) == 0) {
            found.at = number_at(row + 4, 8);
            found.size = number_at(row + 16, 8) - found.at;
            bytes_at(found.at, found.size);
        }
    return found;
}

static void read_graph(const char *name)
{
    read_file(name);
    file.big_endian = true;
    need(file.size >= 8 && memcmp(file.at, "CGPH\1", 5) == 0, name,
         "not a commit graph of git, version 1");
    need(file.at[5] == 1 || file.at[5] == 2, name, "of an unknown hash");
    hash_size = file.at[5] == 1 ? 20 : 32;
    hashes = find_chunk("OIDL");
    index_of = find_chunk("BIDX");
    data = find_chunk("BDAT");
    need(data.size > 0, name, "has no filters: git commit-graph write "
         "--reachable --changed-paths makes them");
    need(index_of.size / 4 == hashes.size / hash_size && data.size >= 12, name,
         "damaged: commits and filters do not agree");
    version = (uint32_t)number_at(data.at, 4);
    probes = (uint32_t)number_at(data.at + 4, 4);
    need(version == 1 || version == 2, name, "has filters of another version");
    need(probes >= 1 && probes <= 64, name, "damaged: not 1 to 64 probes");
}

/* ---- A path -------------------------------------------------------------- */

static uint32_t rotate(uint32_t x, int by) { return x << by | x >> (32 - by); }

/* MurmurHash3_x86_32: four bytes at a time, then the tail of up to three.
   Version 1 takes a byte for a `char`, which has a sign on most machines: one
   beyond ASCII fills all bits above it, and the tail is joined otherwise. */
static uint32_t murmur3(uint32_t h, const char *key, size_t size, bool has_sign)
{
    size_t at, i;
    for (at = 0; at < size; at += 4) {
        bool tail = size - at < 4;
        uint32_t word = 0, x;
        for (i = 0; i < 4 && at + i < size; i++) {
            x = (unsigned char)key[at + i];
            x = (has_sign && x > 127 ? x | 0xFFFFFF00 : x) << 8 * i;
            word = tail ? word ^ x : word | x;
        }
        h ^= rotate(word * 0xCC9E2D51, 15) * 0x1B873593;
        h = tail ? h : rotate(h, 13) * 5 + 0xE6546B64;
    }
    h ^= (uint32_t)size;
    h = (h ^ h >> 16) * 0x85EBCA6B;
    h = (h ^ h >> 13) * 0xC2B2AE35;
    return h ^ h >> 16;
}

/* Of `bits` bits that begin at `at`: are those of the path set? */
static bool ask(uint64_t at, uint64_t bits, const char *path, size_t size,
                bool has_sign)
{
    uint32_t i, h = murmur3(0x293AE76F, path, size, has_sign);
    uint32_t step = murmur3(0x7E646E2C, path, size, has_sign);
    for (i = 0; i < probes; i++, h += step)
        if (!(file.at[at + h % bits / 8] >> h % bits % 8 & 1))
            return false;
    return true;
}

/* A commit's filter ends where the index says, and the next begins there. It
   has the folders of each path too, so that they must be in as well. Whether
   the chars of version 1 had a sign is not told: what either finds is maybe. */
static bool may_have_changed(uint64_t commit, const char *path)
{
    uint64_t from = commit ? number_at(index_of.at + 4 * commit - 4, 4) : 0;
    uint64_t to = number_at(index_of.at + 4 * commit, 4);
    uint64_t bits = 8 * (to - from);
    size_t size, all = strlen(path);
    need(from <= to && to <= data.size - 12, file.name,
         "damaged: a filter lies outside");
    for (size = 1; bits > 0 && size <= all; size++)
        if ((size == all || path[size] == '/')
            && !ask(data.at + 12 + from, bits, path, size, false)
            && (version > 1
                || !ask(data.at + 12 + from, bits, path, size, true)))
            return false;
    return true;
}

/* a//b, ./a and a/.. are in no filter, so "certainly not" would be a lie. */
static bool is_git_path(const char *path)
{
    size_t part = strcspn(path, "/");
    return part > 0 && strncmp(path, "..", part) != 0
        && (path[part] == '\0' || is_git_path(path + part + 1));
}

int main(int count, char **words)
{
    uint64_t i, commits, not_in = 0, j;
    need(count == 3, "usage", "git COMMIT-GRAPH PATH");
    need(is_git_path(words[2]), words[2], "not as git ls-files prints it");
    read_graph(words[1]);
    commits = hashes.size / hash_size;
    for (i = 0; i < commits; i++) {
        bool maybe = may_have_changed(i, words[2]);
        not_in += !maybe;
        for (j = 0; maybe && j < hash_size; j++)
            printf("%02x%s", file.at[hashes.at + i * hash_size + j],
                   j + 1 < hash_size ? "" : "\n");
    }
    printf("%lu of %lu commits certainly did not change it\n",
           (unsigned long)not_in, (unsigned long)commits);
    need(fflush(stdout) == 0, "standard output", NULL);
    return 0;
}
