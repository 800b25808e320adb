/* search: which of many text files contain all words of a query? Each file has
   a Bloom filter of its words, and slices (bloom_slices.h) ask all filters at
   once. Only the files that may contain all words are read. A second query
   counts: which files are most like a given one, by the share of its triples of
   words that each file may contain. No file is read for that.

       find /usr/share/doc -type f | search index INDEX [P]
                                     makes an index of these files, with the
                                     false-positive rate P, 0.01 by default
       search all INDEX WORD...      prints the files that contain all words,
                                     and to stderr, how many files were read
       search like INDEX FILE        prints the ten files most like FILE, with
                                     the share of its triples in each
       search try FILE...            makes an index in memory, asks it for
                                     random words of the files, and prints how
                                     many reads it saved
   A word consists of letters, digits and bytes above 127. Upper case is taken
   for lower case. Files with a NUL byte are left out. The exit status is 1 if
   nothing is found, and 2 after an error. It runs on POSIX.

       search try examples/[a-z]*.c tests/[a-z]*[a-z]/[a-z]*.[ch] Prints:
       ... files in ... groups, ... bits per key, rate 0.01
       words  queries  reads saved  in vain, of files without all words
           1      200  ...
           2      200  ...
           3      200  ...
       right: no file was missed, and at most 1% + 4 sigma were read in vain
       most like examples/cascade.c:
       1.00  examples/cascade.c
       ...
       ...

   GROUPS. All filters of slices have one size, that of the file with the most
   keys. Files differ much in size. So they are sorted by their number of keys,
   and each 64 files have slices of their own, planned for the largest of them.
   (COBS calls this a compact index.) A query asks one group after another.

   RATES. A file is read in vain if its filter seems to contain all words of the
   query, and the file does not. For one word this happens with the rate P or a
   lower one, as most files have fewer keys than the largest of their group. For
   several words it is rarer.

   THE FILE has the images of the slices, sealed, one after another. Then come
   the names of the files in the order of the filters, each with a newline. */
#define BLOOM_IMPLEMENTATION
#include "companions/bloom_file.h"      /* first, see there */
#include "companions/bloom_slices.h"
#define PROGRAM "search"
#include "need.h"

enum { GROUP = 64, WORD = 64 };

/* ---- The words of a file ------------------------------------------------- */

typedef struct hashes {                 /* a list that grows */
    bloom_hash *at;
    size_t count, room;
} hashes;

static void append(hashes *list, bloom_hash h)
{
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 1024;
        list->at = realloc(list->at, list->room * sizeof *list->at);
        need(list->at != NULL, "memory", NULL);
    }
    list->at[list->count++] = h;
}

/* Hashes depend on hash_bits and the seed only, which all filters share. */
static bloom_hash hash_of(const char *text, size_t size)
{
    static unsigned char memory[40];
    static const bloom_plan plan = { 64, 0, 1, BLOOM_CLASSIC, 64 };
    return bloom_hash_key(bloom_init(memory, sizeof memory, plan), text, size);
}

/* Reads the next word to `word`, at most WORD - 1 bytes of it. Returns its
   size, 0 at the end. *binary becomes true at a NUL byte. */
static size_t next_word(FILE *in, char word[WORD], bool *binary)
{
    size_t size = 0;
    int c;
    while ((c = getc(in)) != EOF) {
        const int l = letter(c);
        *binary = *binary || c == '\0';
        if (l && size < WORD - 1)
            word[size++] = (char)l;
        else if (!l && size > 0)
            break;
    }
    return size;
}

/* Appends the hash of each word, if words is not NULL, and of each three words
   in a row, joined by spaces, if triples is not NULL. false: the file has a NUL
   byte or cannot be read. */
static bool read_file(const char *name, hashes *words, hashes *triples)
{
    FILE *in = fopen(name, "rb");
    char text[3 * WORD];
    size_t size[3] = { 0, 0, 0 }, all = 0, count = 0;
    bool binary = false, good;
    if (!in)
        return false;
    for (;;) {
        char word[WORD];
        const size_t one = next_word(in, word, &binary);
        if (one == 0 || binary)
            break;
        if (words)
            append(words, hash_of(word, one));
        if (count++ >= 3) {             /* drop the oldest of three */
            memmove(text, text + size[0] + 1, all - size[0] - 1);
            all -= size[0] + 1;
        }
        size[0] = size[1], size[1] = size[2], size[2] = one;
        if (count > 1)
            text[all++] = ' ';
        memcpy(text + all, word, one);
        all += one;
        if (triples && count >= 3)
            append(triples, hash_of(text, all));
    }
    good = !binary && !ferror(in);
    fclose(in);
    return good;
}

static int by_hash(const void *a, const void *b)
{
    const bloom_hash *x = a, *y = b;
    return x->h1 != y->h1 ? (x->h1 < y->h1 ? -1 : 1)
         : x->h2 != y->h2 ? (x->h2 < y->h2 ? -1 : 1) : 0;
}

/* Sorts a list, and drops repeated hashes. */
static void make_set(hashes *list)
{
    size_t i, count = 0;
    if (list->count > 0)
        qsort(list->at, list->count, sizeof *list->at, by_hash);
    for (i = 0; i < list->count; i++)
        if (i == 0 || by_hash(list->at + count - 1, list->at + i) != 0)
            list->at[count++] = list->at[i];
    list->count = count;
}

/* ---- The index ----------------------------------------------------------- */

typedef struct document {
    char *name;
    size_t keys;
} document;

static document *documents;             /* in the order of the filters */
static size_t document_count, group_count;
static bloom_slices **groups;           /* of GROUP filters, but the last */

static size_t group_size(size_t g)
{
    return document_count - g * GROUP < GROUP ? document_count - g * GROUP
                                              : GROUP;
}

static int by_keys(const void *a, const void *b)
{
    const document *x = a, *y = b;
    return x->keys != y->keys ? (x->keys < y->keys ? -1 : 1)
                              : strcmp(x->name, y->name);
}

static void take_document(const char *name, size_t keys)
{
    const size_t size = strlen(name) + 1;
    document *d;
    if ((document_count & (document_count - 1)) == 0) {
        const size_t room = document_count ? 2 * document_count : 1;
        documents = realloc(documents, room * sizeof *documents);
        need(documents != NULL, "memory", NULL);
    }
    d = documents + document_count++;
    d->name = malloc(size);
    d->keys = keys;
    need(d->name != NULL, "memory", NULL);
    memcpy(d->name, name, size);
}

/* Reads a file for the first time, to count its keys. */
static void take_file(const char *name)
{
    static hashes keys;
    keys.count = 0;
    if (!read_file(name, &keys, &keys)) {
        fprintf(stderr, "search: %s: left out: not a text file\n", name);
        return;
    }
    make_set(&keys);
    take_document(name, keys.count);
}

static void make_groups(void)
{
    group_count = (document_count + GROUP - 1) / GROUP;
    groups = calloc(group_count ? group_count : 1, sizeof *groups);
    need(groups != NULL, "memory", NULL);
}

/* Makes the groups, and reads all files again to fill them. A file that has
   changed meanwhile may have more keys than were planned. */
static void build(double p)
{
    static hashes keys;
    size_t i, j;
    qsort(documents, document_count, sizeof *documents, by_keys);
    make_groups();
    for (i = 0; i < document_count; i++) {
        const size_t g = i / GROUP, last = g * GROUP + group_size(g) - 1;
        if (i % GROUP == 0)
            groups[g] = bloom_slices_new(documents[last].keys, p,
                                         group_size(g));
        need(groups[g] != NULL, "memory", "not enough, or a wrong rate");
        keys.count = 0;
        need(read_file(documents[i].name, &keys, &keys), documents[i].name,
             "cannot be read again");
        for (j = 0; j < keys.count; j++)
            bloom_slices_add_hash(groups[g], i % GROUP, keys.at[j]);
    }
    for (i = 0; i < group_count; i++)
        bloom_slices_seal(groups[i]);
}

static void save(const char *name)
{
    size_t size = 0, at = 0, i, some;
    unsigned char *image;
    int why;
    for (i = 0; i < group_count; i++)
        size += bloom_slices_size(groups[i]);
    for (i = 0; i < document_count; i++)
        size += strlen(documents[i].name) + 1;
    image = malloc(size ? size : 1);
    need(image != NULL, "memory", NULL);
    for (i = 0; i < group_count; i++, at += some) {
        some = bloom_slices_size(groups[i]);
        memcpy(image + at, groups[i], some);
    }
    for (i = 0; i < document_count; i++, at += some) {
        some = strlen(documents[i].name) + 1;
        memcpy(image + at, documents[i].name, some);
        image[at + some - 1] = '\n';
    }
    why = bloom_file_save(name, image, size);
    need(why == 0, name, strerror(why));
    free(image);
}

static void load(const char *name)
{
    size_t size, at = 0, end, sum = 0, g = 0;
    unsigned char *image = bloom_file_load(name, SIZE_MAX, &size);
    bloom_error error;
    need(image != NULL, name, NULL);
    need(size > 0 && image[size - 1] == '\n', name, "is not a whole index");
    while (size - at >= 3 && memcmp(image + at, "BLS", 3) == 0) {
        bloom_slices *s = bloom_slices_open(image + at, size - at, &error);
        need(s != NULL, name, bloom_error_text(error));
        error = bloom_slices_verify(s);
        need(error == BLOOM_OK, name, bloom_error_text(error));
        at += bloom_slices_size(s);
        sum += (size_t)bloom_slices_filters(s);
    }
    need(at > 0, name, "is not an index");
    for (end = at; end < size; at = ++end) {
        while (image[end] != '\n')
            end++;
        image[end] = '\0';
        take_document((char *)image + at, 0);
    }
    need(document_count == sum, name, "does not have a name for each filter");
    make_groups();
    for (at = 0; g < group_count; g++) {
        groups[g] = bloom_slices_open(image + at, size - at, NULL);
        need(groups[g] && bloom_slices_filters(groups[g]) == group_size(g),
             name, "has groups of another size");
        at += bloom_slices_size(groups[g]);
    }
}

/* ---- Which files contain all words? -------------------------------------- */

static bool contains_all(const char *name, const hashes *query)
{
    static hashes words;
    size_t i;
    words.count = 0;
    if (!read_file(name, &words, NULL))
        return false;
    make_set(&words);
    for (i = 0; i < query->count; i++)
        if (!words.count || !bsearch(query->at + i, words.at, words.count,
                                     sizeof *words.at, by_hash))
            return false;
    return true;
}

typedef struct answer { size_t read, found; bool expected; } answer;

/* Reads the files that may contain all words of a query. `print` their names.
   Is number `expected` among those that contain all? */
static answer ask(const hashes *query, bool print, size_t expected)
{
    answer a = { 0, 0, false };
    uint64_t who[GROUP / 64];
    size_t g, i;
    for (g = 0; g < group_count; g++) {
        if (bloom_slices_find_all(groups[g], query->at, query->count, who) == 0)
            continue;
        for (i = 0; i < group_size(g); i++) {
            const document *d = documents + g * GROUP + i;
            if (!(who[i / 64] >> i % 64 & 1))
                continue;
            a.read++;
            if (!contains_all(d->name, query))
                continue;
            a.found++;
            a.expected = a.expected || g * GROUP + i == expected;
            if (print)
                puts(d->name);
        }
    }
    return a;
}

static int find_words(char **word, int count)
{
    hashes query = { NULL, 0, 0 };
    answer a;
    for (; count > 0; count--, word++) {
        size_t size = 0, i;
        for (i = 0; (*word)[i]; i++)
            need(letter((unsigned char)(*word)[i]) != 0, *word,
                 "is not a word of letters and digits");
        for (; size < i && size < WORD - 1; size++)
            (*word)[size] = (char)letter((unsigned char)(*word)[size]);
        append(&query, hash_of(*word, size));
    }
    a = ask(&query, true, 0);
    end_output();
    fprintf(stderr, "%lu of %lu files were not read; of %lu that were read, "
            "%lu were in vain\n", (unsigned long)(document_count - a.read),
            (unsigned long)document_count, (unsigned long)a.read,
            (unsigned long)(a.read - a.found));
    return a.found == 0;
}

/* ---- Which files are most like this one? --------------------------------- */

static uint32_t *scores;                /* of each document */

static int by_score(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return scores[x] != scores[y] ? (scores[x] > scores[y] ? -1 : 1)
                                  : strcmp(documents[x].name,
                                           documents[y].name);
}

static int find_like(const char *name, size_t most)
{
    hashes triples = { NULL, 0, 0 };
    size_t *order = malloc(document_count * sizeof *order), i;
    scores = malloc(document_count * sizeof *scores);
    need(order && scores, "memory", NULL);
    need(read_file(name, NULL, &triples), name, "is not a text file");
    make_set(&triples);
    need(triples.count > 0, name, "has fewer than three words");
    for (i = 0; i < group_count; i++)
        bloom_slices_count(groups[i], triples.at, triples.count,
                           scores + i * GROUP);
    for (i = 0; i < document_count; i++)
        order[i] = i;
    qsort(order, document_count, sizeof *order, by_score);
    for (i = 0; i < document_count && i < most; i++)
        printf("%.2f  %s\n", scores[order[i]] / (double)triples.count,
               documents[order[i]].name);
    end_output();
    return 0;
}

/* ---- Trying an index ----------------------------------------------------- */

static size_t random_below(size_t n)
{
    static uint64_t state = 1;
    uint64_t x = state += 0x9E3779B97F4A7C15U;          /* splitmix64 */
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9U;
    x = (x ^ x >> 27) * 0x94D049BB133111EBU;
    return (size_t)((x ^ x >> 31) % n);
}

/* Queries of `count` words that some file contains. Returns whether that file
   was always found, and how many files were read in vain is as promised. */
static bool try_queries(size_t count, double p)
{
    enum { QUERIES = 200 };
    double files = 0, reads = 0, vain = 0, without;
    bool right = true;
    unsigned i;
    for (i = 0; i < QUERIES; ) {
        static hashes words, query;
        const size_t one = random_below(document_count);
        answer a;
        words.count = query.count = 0;
        read_file(documents[one].name, &words, NULL);
        if (words.count == 0)
            continue;
        while (query.count < count)
            append(&query, words.at[random_below(words.count)]);
        a = ask(&query, false, one);
        right = right && a.expected;
        files += (double)document_count;
        reads += (double)a.read;
        vain += (double)(a.read - a.found);
        i++;
    }
    without = files - reads + vain;
    printf("%5lu %8d  %10.1f%%  %.0f of %.0f, %.2f%%\n", (unsigned long)count,
           QUERIES, 100 - 100 * reads / files, vain, without,
           without > 0 ? 100 * vain / without : 0);
    /* 4 sigma, squared to do without sqrt */
    return right && (vain <= without * p
                     || (vain - without * p) * (vain - without * p)
                        <= 16 * without * p);
}

static int try_files(char **name, int count)
{
    const char *first = *name;
    const double p = 0.01;
    double keys = 0, bytes = 0;
    bool right = true;
    size_t i;
    for (; count > 0; count--, name++)
        take_file(*name);
    need(document_count > 0, "try", "there are no text files");
    build(p);
    for (i = 0; i < document_count; i++)
        keys += (double)documents[i].keys;
    for (i = 0; i < group_count; i++)
        bytes += (double)bloom_slices_size(groups[i]);
    printf("%lu files in %lu group%s, %.1f bits per key, rate %g\n",
           (unsigned long)document_count, (unsigned long)group_count,
           group_count == 1 ? "" : "s", bytes * 8 / keys, p);
    puts("words  queries  reads saved  in vain, of files without all words");
    for (i = 1; i <= 3; i++)
        right = try_queries(i, p) && right;
    puts(right ? "right: no file was missed, and at most 1% + 4 sigma were "
                 "read in vain" : "WRONG");
    printf("most like %s:\n", first);
    find_like(first, 3);
    return !right;
}

static int usage(void)
{
    fputs("usage: search index INDEX [P]      file names from stdin\n"
          "       search all INDEX WORD...\n"
          "       search like INDEX FILE\n"
          "       search try FILE...\n", stderr);
    return 2;
}

int main(int count, char **word)
{
    char line[4096];
    double p = 0.01;
    char *end = NULL;
    if (count >= 3 && strcmp(word[1], "try") == 0)
        return try_files(word + 2, count - 2);
    if (count >= 4 && strcmp(word[1], "all") == 0) {
        load(word[2]);
        return find_words(word + 3, count - 3);
    }
    if (count == 4 && strcmp(word[1], "like") == 0) {
        load(word[2]);
        return find_like(word[3], 10);
    }
    if ((count != 3 && count != 4) || strcmp(word[1], "index") != 0)
        return usage();
    if (count == 4)
        p = strtod(word[3], &end);
    need(count == 3 || (*end == '\0' && p > 0 && p < 1), word[count - 1],
         "is not a rate between 0 and 1");
    while (read_text(stdin, "standard input", line, sizeof line))
        take_file(line);
    need(document_count > 0, "standard input", "names no text file");
    build(p);
    save(word[2]);
    return 0;
}
