/* overlap: which of many texts contain passages of a reference? For example, it
   finds passages of test sets in training texts, and copies of licences in a
   tree of files. A filter has all sequences of N words of the reference. Each
   text is read once, in little memory.

   usage: overlap [-j] N REFERENCE... -- FILE...
   For each FILE, it prints which share of its sequences may be in a REFERENCE,
   how many these are, and the name. No share is too low. At the end, stderr
   gets the rate at which other sequences are counted by mistake: a share below
   it means nothing. With -j, each line is a JSON object, with the rate.
   Words are of letters, digits and bytes above 127; A to Z are taken for a to
   z. All other bytes only separate words, so line breaks and punctuation do not
   matter. A FILE of fewer than N words has the share 0. N = 13 is usual. If a
   FILE cannot be read, the others still are, and the exit status is 2.

       overlap 8 examples/first.c -- README.md examples/need.h Prints:
       0.0... ... of ... README.md
       0.0000 0 of ... examples/need.h */
#define _POSIX_C_SOURCE 200809L         /* for a faster next_byte */
#define _FILE_OFFSET_BITS 64
#define BLOOM_IMPLEMENTATION
#include "bloom.h"
#define PROGRAM "overlap"
#include "need.h"

enum { MOST = 1000, BATCH = 1024 };     /* words of a sequence; keys per call */
static const uint64_t FACTOR = 0x9E3779B97F4A7C15;
static uint64_t power = 1;              /* FACTOR^N */
static size_t length, waiting;          /* N; how many keys are not used yet */
static uint64_t keys[BATCH];            /* of sequences */
static uint64_t sequences, found;       /* of the file that was read last */
static bloom *filter;                   /* NULL: the sequences are counted */
static bool complete;                   /* false: they are added */

static void use_keys(void)
{
    if (complete)
        found += bloom_may_contain_many_u64(filter, keys, waiting, NULL);
    else if (filter)
        bloom_add_many_u64(filter, keys, waiting, NULL);
    sequences += waiting;
    waiting = 0;
}

/* Takes the hash of word number `count`. The key of a sequence is the sum of
   word[i] * FACTOR^i, where word[0] is the last word. So it rolls: a new word
   is added, and the one N words before it is subtracted. */
static void take_word(uint64_t word, uint64_t count)
{
    static uint64_t ring[MOST], key;
    uint64_t *const oldest = ring + count % length;
    if (count == 0)
        memset(ring, 0, sizeof ring), key = 0;
    word = (word ^ word >> 32) * FACTOR;
    key = key * FACTOR + word - *oldest * power;
    *oldest = word;
    if (count + 1 >= length)
        keys[waiting++] = key;
    if (waiting == BATCH)
        use_keys();
}

/* Reads a file. If that fails, it prints why, and returns false. */
static bool read_file(const char *name)
{
    const uint64_t none = 0xCBF29CE484222325;   /* FNV-1a, the hash of a word */
    uint64_t word = none, count = 0;
    FILE *in = fopen(name, "rb");       /* a reference is read twice: no pipe */
    bool good = in && (complete || fseek(in, 0, SEEK_SET) == 0);
    int c = good ? 0 : EOF;
    for (sequences = found = 0; c != EOF; ) {
        c = next_byte(in);
        if (letter(c))
            word = (word ^ (uint64_t)letter(c)) * 0x100000001B3;
        else if (word != none)
            take_word(word, count++), word = none;
    }
    use_keys();
    good = good && !ferror(in);
    if (!good)
        fprintf(stderr, PROGRAM ": %s: %s\n", name, strerror(errno));
    if (in)
        fclose(in);
    return good;
}

/* Returns how many sequences the reference has. */
static uint64_t read_reference(char **name, char **end)
{
    uint64_t all = 0;
    for (; name < end; name++, all += sequences) {
        if (!read_file(*name))
            exit(2);
        need(sequences > 0, *name, "has fewer than N words");
    }
    return all;
}

static void print(const char *name, bool json, double rate)
{
    const double some = (double)found, all = (double)sequences;
    const double share = all > 0 ? some / all : 0;
    if (!json) {
        printf("%.4f %.0f of %.0f %s\n", share, some, all, name);
        return;
    }
    printf("{\"share\":%g,\"found\":%.0f,\"sequences\":%.0f,\"rate\":%g,"
           "\"file\":", share, some, all, rate);
    print_json_string(name);
    puts("}");
}

int main(int count, char **words)
{
    const bool json = count > 1 && strcmp(words[1], "-j") == 0;
    char **first = words + 2 + json, **last = words + count;
    char **name = first, *end;
    double rate;
    uint64_t n;
    int status = 0;
    while (name < last && strcmp(*name, "--") != 0)
        name++;
    need(name < last && name > first, "usage",
         "overlap [-j] N REFERENCE... -- FILE...");
    length = strtoul(first[-1], &end, 10);
    need(!*end && length > 0 && length <= MOST, "N", "must be 1 to 1000");
    for (n = 0; n < length; n++)
        power *= FACTOR;
    n = read_reference(first, name);
    filter = bloom_new_layout(n, 1e-6, BLOOM_BLOCKED);
    need(filter != NULL, "REFERENCE", "not enough memory");
    need(read_reference(first, name) == n, "REFERENCE",
         "is read twice, and has changed");
    rate = bloom_fpr(filter);
    for (complete = true; ++name < last; )
        if (read_file(*name))
            print(*name, json, rate);
        else
            status = 2;
    end_output();
    if (!json)
        fprintf(stderr, "rate %.2g: a share below it means nothing\n", rate);
    return status;
}
