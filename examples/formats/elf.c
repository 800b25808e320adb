/* elf: reads the Bloom filter that everyone owns. Except on MIPS, a shared
   library has a filter of the names that it exports, in its section .gnu.hash.
   To find a name, the loader searches library after library. Most of their
   filters answer "certainly not" after one word is read. This program looks up
   names as the loader does, in ELF files of 32 and 64 bits and of both byte
   orders.

       elf LIBRARY NAME...    prints which names may be exported
       elf LIBRARY            looks up 100000 made-up names, and prints for how
                              many the answer is "certainly not"

   Compile it by: cc -I. examples/formats/elf.c -o elf. After make libbloom,
   elf build/libbloom.so bloom_add nosuch    Prints:
       bloom_add: maybe
       nosuch: certainly not */
#define PROGRAM "elf"
#include "bytes.h"

#define ASKED 100000

/* The filter is an array of words of C bits. A name sets two bits of one word:
   it is a blocked filter with k = 2 whose blocks are words. */
static struct filter {
    uint64_t at;                        /* where its words begin in the file */
    uint64_t words;                     /* how many there are */
    unsigned bits, shift;               /* C, 32 or 64; the hash is shifted
                                           by `shift` for the second bit */
} f;

/* Daniel J. Bernstein's hash of 32 bits, with unsigned bytes */
static uint32_t hash_of(const char *name)
{
    uint32_t h = 5381;
    for (; *name; name++)
        h = h * 33 + (unsigned char)*name;
    return h;
}

static uint64_t word_at(uint64_t i)
{
    return number_at(f.at + i * (f.bits / 8), f.bits / 8);
}

static bool has_hash(uint32_t h)
{
    uint64_t word = word_at(h / f.bits % f.words);
    return word >> h % f.bits & word >> (h >> f.shift) % f.bits & 1;
}

static bool may_export(const char *name)
{
    return has_hash(hash_of(name));
}

/* ---- The file ------------------------------------------------------------ */

/* The section begins with four numbers of 4 bytes: the number of buckets, the
   index of the first name, the number of words, and the shift. Then come the
   words of the filter, and then a hash table for names that pass the filter: a
   number of 4 bytes for each bucket, and the hash of each name. Bit 0 of a hash
   says where a bucket ends. An ELF file has no checksum, but its filter must
   contain all of these hashes. */
static void check_words(uint64_t at, uint64_t end)
{
    for (; at + 4 <= end; at += 4) {
        uint32_t h = (uint32_t)number_at(at, 4);
        need(has_hash(h) || has_hash(h ^ 1), file.name,
             "its .gnu.hash is damaged: the filter lacks a name");
    }
}

static void find_words(uint64_t at, uint64_t size)
{
    bytes_at(at, size);
    f.words = number_at(at + 8, 4);
    f.shift = (unsigned)number_at(at + 12, 4);
    f.at = at + 16;
    need(f.words > 0 && f.shift < 32
         && size >= 16 && f.words <= (size - 16) / (f.bits / 8), file.name,
         "its .gnu.hash is damaged");
    check_words(f.at + f.words * (f.bits / 8) + 4 * number_at(at, 4),
                at + size);
}

enum { TYPE_GNU_HASH = 0x6FFFFFF6 };

/* The file's header gives the place of the table of section headers. Finds the
   section .gnu.hash there. */
static void find_filter(void)
{
    bool wide;
    unsigned word, each, count;
    uint64_t header;
    need(file.size >= 20 && memcmp(file.at, "\177ELF", 4) == 0, file.name,
         "not an ELF file");
    need((file.at[4] == 1 || file.at[4] == 2)
         && (file.at[5] == 1 || file.at[5] == 2), file.name,
         "an ELF file of an unknown class or byte order");
    wide = file.at[4] == 2;
    file.big_endian = file.at[5] == 2;
    word = wide ? 8 : 4;
    f.bits = 8 * word;
    header = number_at(wide ? 40 : 32, word);
    each = (unsigned)number_at(wide ? 58 : 46, 2);
    count = (unsigned)number_at(wide ? 60 : 48, 2);
    for (; count > 0; count--, header += each)
        if (number_at(header + 4, 4) == TYPE_GNU_HASH) {
            find_words(number_at(header + 8 + 2 * word, word),
                       number_at(header + 8 + 3 * word, word));
            return;
        }
    need(false, file.name, "has no section .gnu.hash, so it has no filter");
}

/* ---- Made-up names ------------------------------------------------------- */

/* Makes name number i: 16 pseudo-random letters. */
static void make_up(char name[17], uint64_t i)
{
    int letter;
    i = (i + 1) * 0x9E3779B97F4A7C15U;
    i = (i ^ i >> 32) * 0xD6E8FEB86659FD93U;
    i ^= i >> 32;
    for (letter = 0; letter < 16; letter++, i >>= 4)
        name[letter] = (char)("abcdefghijklmnop"[i & 15]);
    name[16] = '\0';
}

/* The expected false-positive rate. Each word gets the same share of the names.
   A word with s of its C bits set answers "maybe" for (s / C)^2 of them. */
static double theory(void)
{
    double sum = 0;
    uint64_t i, word;
    for (i = 0; i < f.words; i++) {
        unsigned set = 0;
        for (word = word_at(i); word; word &= word - 1)
            set++;
        sum += (double)set * set / (f.bits * f.bits);
    }
    return sum / (double)f.words;
}

static void ask_made_up(void)
{
    char name[17];
    unsigned i, away = 0;
    for (i = 0; i < ASKED; i++) {
        make_up(name, i);
        away += !may_export(name);
    }
    printf("%lu words of %u bits: of %d made-up names %u are certainly not in, "
           "%.2f%%; expected: %.2f%%\n", (unsigned long)f.words, f.bits, ASKED,
           away, 100.0 * away / ASKED, 100 * (1 - theory()));
}

int main(int count, char **words)
{
    int i;
    need(count >= 2, "usage", "elf LIBRARY [NAME...]");
    read_file(words[1]);
    find_filter();
    for (i = 2; i < count; i++)
        printf("%s: %s\n", words[i],
               may_export(words[i]) ? "maybe" : "certainly not");
    if (count == 2)
        ask_made_up();
    need(fflush(stdout) == 0, "standard output", NULL);
    return 0;
}
