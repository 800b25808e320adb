/* git: reads Git's Bloom filters. Each commit has one, of the paths that it
   changed. They make `git log -- PATH` fast: for most commits the answer is
   "certainly not", and only the others are unpacked and compared. This program
   looks paths up as git does, in a file that is written by
   `git commit-graph write --reachable --changed-paths`.

       git COMMIT-GRAPH PATH

   COMMIT-GRAPH is usually .git/objects/info/commit-graph. PATH is as `git
   ls-files` prints it, or a folder. The program prints the commits that may
   differ from their first parent in PATH. These include the commits without a
   filter, and those with too many changes for one. The format is described in
   man gitformat-commit-graph, but the size of a filter is in bytes, not in
   words of 64 bits. A damaged file is refused: it ends with its own SHA-1 or,
   in a repository with SHA-256, with its SHA-256.

   Compile it by: cc -I. examples/formats/git.c -o git
   After examples/formats/tests/git.sh,
   git build/graphs/graph docs/a    Prints:
       32551a78f1b339e63db2fe5f6c6bf04360599092
       492ef9d52228dc0c17f74f39e04c4066d22c59fb
       9100280c8711d3ffd3c6d42784237e14b72e9422
       9476d60b96b181ab75b6fc63aa52e1b5c3a638c8
       17 of 21 commits certainly did not change this path */
#define PROGRAM "git"
#include "bytes.h"
#include "sha.h"

static struct chunk { uint64_t at, size; } hashes, index_of, data;
static unsigned hash_size;              /* SHA1_SIZE or SHA256_SIZE */
static uint32_t version, probes;

/* ---- The file ------------------------------------------------------------ */

/* The table of chunks has a row for each: a name of 4 letters, and the offset
   of its first byte. It ends where the chunk of the next row begins. If there
   is no such chunk, the result has size 0. */
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

/* The last hash_size bytes of the file are the hash of those before. */
static bool has_its_checksum(void)
{
    unsigned char sum[SHA256_SIZE];
    size_t size = file.size - hash_size;
    if (file.size < hash_size)
        return false;
    sha(hash_size, file.at, size, sum);
    return memcmp(sum, file.at + size, hash_size) == 0;
}

static void read_graph(const char *name)
{
    read_file(name);
    file.big_endian = true;
    need(file.size >= 8 && memcmp(file.at, "CGPH\1", 5) == 0, name,
         "not a commit graph of git, version 1");
    need(file.at[5] == 1 || file.at[5] == 2, name,
         "its commits have an unknown kind of hash");
    hash_size = file.at[5] == 1 ? SHA1_SIZE : SHA256_SIZE;
    need(has_its_checksum(), name,
         "damaged or truncated: its checksum does not match");
    hashes = find_chunk("OIDL");
    index_of = find_chunk("BIDX");
    data = find_chunk("BDAT");
    need(data.size > 0, name, "has no filters; to make them, run "
         "git commit-graph write --reachable --changed-paths");
    need(index_of.size / 4 == hashes.size / hash_size && data.size >= 12, name,
         "damaged: commits and filters do not agree");
    version = (uint32_t)number_at(data.at, 4);
    probes = (uint32_t)number_at(data.at + 4, 4);
    need(version == 1 || version == 2, name,
         "has filters of an unknown version");
    need(probes >= 1 && probes <= 64, name,
         "damaged: the number of probes is not 1 to 64");
}

/* ---- A path -------------------------------------------------------------- */

static uint32_t rotate(uint32_t x, int by) { return x << by | x >> (32 - by); }

/* MurmurHash3_x86_32: four bytes at a time, then the tail of up to three bytes.
   Version 1 reads bytes as `char`, which has a sign on most machines. has_sign
   does the same: bytes above 127 are sign-extended, and then joined by or, in
   the tail by xor. */
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

/* Are the bits of the path set in the filter of `bits` bits that begins at
   `at`? This is double hashing with a constant step. */
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

/* The index has the end of each commit's filter, which is the beginning of the
   next one. A filter also contains the folders of each path, so these are
   looked up, too. The file does not tell whether `char` had a sign where
   version 1 was written. So both hashes are tried, and either may find the
   path. */
static bool may_have_changed(uint64_t commit, const char *path)
{
    uint64_t from = commit ? number_at(index_of.at + 4 * commit - 4, 4) : 0;
    uint64_t to = number_at(index_of.at + 4 * commit, 4);
    uint64_t bits = 8 * (to - from);
    size_t size, all = strlen(path);
    need(from <= to && to <= data.size - 12, file.name,
         "damaged: a filter lies outside of its chunk");
    for (size = 1; bits > 0 && size <= all; size++)
        if ((size == all || path[size] == '/')
            && !ask(data.at + 12 + from, bits, path, size, false)
            && (version > 1
                || !ask(data.at + 12 + from, bits, path, size, true)))
            return false;
    return true;
}

/* Refuses a//b, ./a and a/..: no filter contains such a path, so the answer
   would be a wrong "certainly not". */
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
    need(is_git_path(words[2]), words[2],
         "must be a path as git ls-files prints it");
    read_graph(words[1]);
    commits = hashes.size / hash_size;
    for (i = 0; i < commits; i++) {
        bool maybe = may_have_changed(i, words[2]);
        not_in += !maybe;
        for (j = 0; maybe && j < hash_size; j++)
            printf("%02x%s", file.at[hashes.at + i * hash_size + j],
                   j + 1 < hash_size ? "" : "\n");
    }
    printf("%lu of %lu commits certainly did not change this path\n",
           (unsigned long)not_in, (unsigned long)commits);
    need(fflush(stdout) == 0, "standard output", NULL);
    return 0;
}
