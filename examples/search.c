/* search: which of many text files contain all words of a query? Each file has
   a Bloom filter of its words, and slices (bloom_slices.h) ask all filters at
   once. Only the files that may contain all words are read. It also finds the
   files that are most like a given one; no file is read for that.

       find /usr/share/doc -type f | search index INDEX [P]
                                     makes an index of these files, with the
                                     false-positive rate P, 0.01 by default
       search all INDEX WORDS...     prints the files that contain all WORDS,
                                     and to stderr, how many files were read
       search like INDEX FILE        prints the ten files most like FILE, with
                                     the share of its words that each has
   A word consists of letters, digits and bytes above 127. Upper case is taken
   for lower case, and only the first 63 bytes count. Three words in a row are
   a key, too. So "three words long" as one of the WORDS must stand in a file
   like this. Files with a NUL byte are left out. The exit status is 1 if
   nothing is found, and 2 after an error. It runs on POSIX.

   GROUPS. All filters of slices have one size, that of the file with the most
   keys. Files differ much in size. So they are sorted by their number of keys,
   and each 64 files have slices of their own, planned for the largest of them.
   (COBS calls this a compact index.) A query asks one group after another.

   RATES. A file is read in vain if its filter seems to contain all words of the
   query, and the file does not. For one word this happens with the rate P or a
   lower one, as most files have fewer keys than the largest of their group. For
   several words it is rarer.

   THE INDEX is one block of memory, and a file of the same bytes: the slices,
   sealed, one after another. Then come the names of the files in the order of
   the filters, each with a newline. */
#define _POSIX_C_SOURCE 200809L         /* fmemopen, a faster next_byte */
#define BLOOM_IMPLEMENTATION
#include "companions/bloom_file.h"      /* first, see there */
#include "companions/bloom_slices.h"
#define PROGRAM "search"
#include "need.h"

enum { GROUP = 64, WORD = 63 };

/* Returns the block of `size` * `count` bytes at `old`, with room for at least
   one more. It is full if count is a power of 2. */
static void *grow(void *old, size_t count, size_t size)
{
    if ((count & (count - 1)) != 0)
        return old;
    old = realloc(old, (count ? 2 * count : 1) * size);
    need(old != NULL, "memory", NULL);
    return old;
}

/* ---- The keys of a file -------------------------------------------------- */

typedef struct keys {
    bloom_hash *at;
    size_t count;
} keys;

static void append(keys *list, bloom_hash h)
{
    list->at = grow(list->at, list->count, sizeof h);
    list->at[list->count++] = h;
}

/* Reads and closes a file. Appends the hash of each word, and of each three
   words in a row. Hashes depend on hash_bits and the seed only, which all
   filters share. Returns false if this is not a text, or cannot be read. */
static bool read_keys(FILE *in, keys *list)
{
    static unsigned char memory[40];    /* a filter that only hashes */
    const bloom_plan plan = { 64, 0, 1, BLOOM_CLASSIC, 64 };
    const bloom *b = bloom_init(memory, sizeof memory, plan);
    const uint64_t factor = 0x9E3779B97F4A7C15;
    uint64_t first = 0, second = 0, words = 0;
    size_t size = 0;
    char word[WORD];
    bool good;
    int c;
    if (!in)
        return false;
    do {
        c = next_byte(in);
        if (letter(c) && size < WORD)
            word[size++] = (char)letter(c);
        if (letter(c) || size == 0)
            continue;
        const bloom_hash third = bloom_hash_key(b, word, size);
        append(list, third);
        if (++words >= 3)
            append(list, bloom_hash_u64(b, third.h1 + factor
                                           * (second + factor * first)));
        first = second, second = third.h1;
        size = 0;
    } while (c != EOF && c != '\0');
    good = c == EOF && !ferror(in);
    fclose(in);
    return good;
}

static int by_hash(const void *a, const void *b)
{
    const bloom_hash *x = a, *y = b;
    return x->h1 != y->h1 ? (x->h1 < y->h1 ? -1 : 1)
         : x->h2 != y->h2 ? (x->h2 < y->h2 ? -1 : 1) : 0;
}

/* Reads the keys of a file, each once. */
static bool read_set(const char *name, keys *set)
{
    size_t i, all;
    set->count = 0;
    if (!read_keys(fopen(name, "rb"), set))
        return false;
    all = set->count;
    if (all > 0)
        qsort(set->at, all, sizeof *set->at, by_hash);
    for (i = set->count = 0; i < all; i++)
        if (i == 0 || by_hash(set->at + i, set->at + set->count - 1) != 0)
            set->at[set->count++] = set->at[i];
    return true;
}

/* ---- The index ----------------------------------------------------------- */

typedef struct document {
    char *name;
    size_t keys;
    uint32_t score;
} document;

static document *documents;             /* in the order of the filters */
static size_t document_count;
static bloom_slices **groups;           /* of GROUP filters, but the last */
static size_t group_count;

static void take_document(char *name, size_t count)
{
    const document d = { name, count, 0 };
    documents = grow(documents, document_count, sizeof d);
    documents[document_count++] = d;
}

static void take_group(bloom_slices *s)
{
    groups = grow(groups, group_count, sizeof s);
    groups[group_count++] = s;
}

static int by_keys(const void *a, const void *b)
{
    const document *x = a, *y = b;
    return x->keys != y->keys ? (x->keys < y->keys ? -1 : 1)
                              : strcmp(x->name, y->name);
}

/* Reads all files to count their keys, and once more to add these. A file that
   has changed meanwhile may have more keys than were planned. */
static void build(double p)
{
    static keys set;
    char line[4096];
    size_t i, j;
    while (read_text(stdin, "standard input", line, sizeof line))
        if (read_set(line, &set)) {
            char *name = malloc(strlen(line) + 1);
            need(name != NULL, "memory", NULL);
            take_document(strcpy(name, line), set.count);
        } else {
            fprintf(stderr, "search: %s: left out: not a text file\n", line);
        }
    need(document_count > 0, "standard input", "names no text file");
    qsort(documents, document_count, sizeof *documents, by_keys);
    for (i = 0; i < document_count; i++) {
        if (i % GROUP == 0) {
            const size_t left = document_count - i;
            const size_t filters = left < GROUP ? left : GROUP;
            take_group(bloom_slices_new(documents[i + filters - 1].keys, p,
                                        filters));
            need(groups[i / GROUP] != NULL, "memory", "not enough");
        }
        need(read_set(documents[i].name, &set), documents[i].name,
             "cannot be read again");
        for (j = 0; j < set.count; j++)
            bloom_slices_add_hash(groups[i / GROUP], i % GROUP, set.at[j]);
    }
}

/* Copies bytes, and returns where the next ones go. */
static char *copied(char *to, const void *bytes, size_t size)
{
    return (char *)memcpy(to, bytes, size) + size;
}

static void save(const char *name)
{
    char *image, *to;
    size_t size = 0, i;
    int why;
    for (i = 0; i < group_count; i++)
        size += bloom_slices_size(groups[i]);
    for (i = 0; i < document_count; i++)
        size += strlen(documents[i].name) + 1;
    to = image = malloc(size + 1);       /* never 0 bytes */
    need(image != NULL, "memory", NULL);
    for (i = 0; i < group_count; i++) {
        bloom_slices_seal(groups[i]);
        to = copied(to, groups[i], bloom_slices_size(groups[i]));
    }
    for (i = 0; i < document_count; i++) {
        to = copied(to, documents[i].name, strlen(documents[i].name));
        *to++ = '\n';
    }
    why = bloom_file_save(name, image, size);
    need(why == 0, name, strerror(why));
    free(image);
}

static void load(const char *name)
{
    size_t size, filters = 0;
    char *at = bloom_file_load(name, SIZE_MAX, &size), *end;
    need(at != NULL, name, NULL);
    end = at + size;
    while (end - at >= 3 && memcmp(at, "BLS", 3) == 0) {
        bloom_error error;
        bloom_slices *s = bloom_slices_open(at, (size_t)(end - at), &error);
        if (s)
            error = bloom_slices_verify(s);
        need(error == BLOOM_OK, name, bloom_error_text(error));
        need(filters % GROUP == 0 && bloom_slices_filters(s) <= GROUP, name,
             "has groups of another size");
        filters += (size_t)bloom_slices_filters(s);
        at += bloom_slices_size(s);
        take_group(s);
    }
    need(group_count > 0, name, "is not an index");
    while (at < end) {
        char *newline = memchr(at, '\n', (size_t)(end - at));
        need(newline != NULL, name, "is not a whole index");
        *newline = '\0';
        take_document(at, 0);
        at = newline + 1;
    }
    need(document_count == filters, name,
         "does not have a name for each filter");
}

/* ---- Which files contain all words? -------------------------------------- */

static bool contains_all(const char *name, const keys *query)
{
    static keys words;
    size_t i, j;
    words.count = 0;
    if (!read_keys(fopen(name, "rb"), &words))
        return false;
    for (i = 0; i < query->count; i++) {
        for (j = 0; j < words.count; j++)
            if (by_hash(words.at + j, query->at + i) == 0)
                break;
        if (j == words.count)
            return false;
    }
    return true;
}

static int find_words(char **words)
{
    keys query = { NULL, 0 };
    size_t read = 0, found = 0, i;
    uint64_t who = 0;                   /* one word, as GROUP is 64 */
    for (; *words; words++) {
        const size_t count = query.count;
        need(**words && read_keys(fmemopen(*words, strlen(*words), "r"), &query)
             && query.count > count, "WORDS", "an argument has no word");
    }
    for (i = 0; i < document_count; i++) {
        if (i % GROUP == 0)
            bloom_slices_find_all(groups[i / GROUP], query.at, query.count,
                                  &who);
        if (!(who >> i % GROUP & 1))
            continue;
        read++;
        if (contains_all(documents[i].name, &query))
            found++, puts(documents[i].name);
    }
    end_output();
    fprintf(stderr, "%lu of %lu files were not read; of %lu that were read, "
            "%lu were in vain\n", (unsigned long)(document_count - read),
            (unsigned long)document_count, (unsigned long)read,
            (unsigned long)(read - found));
    return found == 0;
}

/* ---- Which files are most like this one? --------------------------------- */

static int by_score(const void *a, const void *b)
{
    const document *x = a, *y = b;
    return x->score != y->score ? (x->score > y->score ? -1 : 1)
                                : strcmp(x->name, y->name);
}

static int find_like(const char *name)
{
    keys set = { NULL, 0 };
    uint32_t scores[GROUP];
    size_t i;
    need(read_set(name, &set) && set.count > 0, name, "is not a text file");
    for (i = 0; i < document_count; i++) {
        if (i % GROUP == 0)
            bloom_slices_count(groups[i / GROUP], set.at, set.count, scores);
        documents[i].score = scores[i % GROUP];
    }
    qsort(documents, document_count, sizeof *documents, by_score);
    for (i = 0; i < document_count && i < 10; i++)
        printf("%.2f  %s\n", documents[i].score / (double)set.count,
               documents[i].name);
    end_output();
    return 0;
}

int main(int count, char **word)
{
    const char *what = count > 2 ? word[1] : "";
    char *end = NULL;
    const double p = count == 4 ? strtod(word[3], &end) : 0.01;
    if (strcmp(what, "all") == 0 && count > 3) {
        load(word[2]);
        return find_words(word + 3);
    }
    if (strcmp(what, "like") == 0 && count == 4) {
        load(word[2]);
        return find_like(word[3]);
    }
    need(strcmp(what, "index") == 0 && count <= 4, "usage",
         "search index INDEX [P] <NAMES,\n"
         "  search all INDEX WORDS..., or search like INDEX FILE");
    need(count == 3 || (*end == '\0' && p > 0 && p < 1), word[3],
         "is not a rate between 0 and 1");
    build(p);
    save(word[2]);
    return 0;
}
