/* levels: filters in a small store of sorted runs, as in an LSM-tree.

   An LSM-tree (as in RocksDB, LevelDB or Cassandra) writes keys in sorted runs,
   and never changes a run. A key may be in any run, so without filters a lookup
   reads one run after another, newest first. Here each run has a filter in
   front of it, and a lookup reads only the runs whose filter says "maybe".

       find /usr | levels load STORE 10000     adds runs of 10,000 lines
       levels get STORE KEY                    prints the value of a key
       levels scan STORE PREFIX                prints the keys with this prefix
       find /etc | levels ask STORE            looks up each line as a key and
                                               as a prefix; prints statistics
   A line is a key, or a key, a tab and its value. Adding a key again hides its
   old value. The exit status is 1 if `get` or `scan` finds nothing, and 2 after
   an error. It runs on POSIX. Without arguments, it tries 20 runs with 100,000
   keys in all.
   Prints:
       20 runs, 100000 keys; filters: 13.2 bits per key
                            asked    found  runs read  in vain
       keys, present       100000   100000     109616     9616 of 950000, 1.01%
         without filters   100000   100000    1050000   950000
       prefixes, present   100000   100000     119004    19004 of 1900000, 1.00%
         without filters   100000   100000    2000000  1900000
       keys, absent        100000        0      20152    20152 of 2000000, 1.01%
         without filters   100000        0    2000000  2000000
       prefixes, absent    100000        0      20296    20296 of 2000000, 1.01%
         without filters   100000        0    2000000  2000000
       right: none missed, and at most 1% + 4 sigma read in vain

   ONE KEY, MANY FILTERS. A hash depends on the key and the seed, not on the
   size of a filter. So `get` hashes the key once, by bloom_hash_key, and asks
   all filters by bloom_may_contain_hash.

   PREFIXES. A run's filter also has the first 8 and the first 16 bytes of each
   key (see `lengths`). Each length has a seed of its own, so that a prefix is
   not taken for a key, nor for a prefix of another length. `scan` asks for the
   longest of these that its PREFIX has. This does not help
     - if PREFIX is shorter than all lengths: `scan` then reads every run;
     - if the prefix is so common that most runs have it: "/usr/sha" is below
       /usr in nearly every run, and a filter rightly says so;
     - if what follows differs: runs that have the first 16 bytes of PREFIX, but
       not all of it, are read in vain, whatever the filters' rate is. This is
       usual where scans are correlated with keys, for example if they ask for
       the neighbours of keys that exist;
     - for ranges that are no prefix.
   Each length costs memory: as many filter entries as it has different
   prefixes.

   THE FILE has the runs, oldest first, each padded with zeros to a multiple of
   64 bytes, and a block of 64 bytes before and after them. Numbers are
   little-endian.
     the first   "LVL2", zeros
     the last    "END2", zeros (4), the number of runs (8), the size of the file
                 (8), the check of these 24 bytes (8), zeros
     a run       "RUN1", 4 lengths of prefixes (0: none), the number of entries
                 (8), the size of the filter (8), the size of the entries (8),
                 the check of these 32 bytes (8), zeros up to byte 64
                 the filter: blocked, sealed
                 where each entry begins, counted from the first one (8 each)
                 the entries, sorted by key: check of the rest of the entry (8),
                 its number (8), sizes of key and value (4 each), key, value
   The file is mapped, so that a filter is used where it lies. Each filter is
   verified when the store is opened, and each entry when it is read. Damage is
   an error, and never a wrong answer. `load` replaces the file by bloom_file.h:
   if anything fails, or the power does, the old store is unchanged. */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#define BLOOM_STATIC
#include "companions/bloom_file.h"
#define PROGRAM "levels"
#include "need.h"
#include <inttypes.h>

#define RATE 0.01                       /* p of each filter */
enum { HEAD = 64, ENTRY = 24, RUNS = 1000 };     /* bytes; at most 1000 */

/* A block of totals begins with this. */
static const unsigned char opening[HEAD] = { 'L', 'V', 'L', '2' };
static const unsigned char lengths[4] = { 8, 16, 0, 0 };    /* for new runs */

typedef struct text { const unsigned char *at; size_t size; } text;
typedef struct entry { text key, value; } entry;

typedef struct run {
    const unsigned char *head, *offsets, *entries;
    const bloom *filter;
    uint64_t count, size;               /* of the entries; size in bytes */
} run;

static run runs[RUNS];                  /* oldest first */
static unsigned run_count;
static const char *store;               /* its name, for messages */
static const unsigned char *map;
static size_t map_size, runs_end;       /* where the last block begins */

/* ---- Bytes and hashes ---------------------------------------------------- */

static uint64_t number_at(const unsigned char *at, unsigned size)
{
    uint64_t x = 0;
    while (size-- > 0)
        x = x << 8 | at[size];
    return x;
}

static void put_number(unsigned char *to, uint64_t x, unsigned size)
{
    for (; size-- > 0; x >>= 8)
        *to++ = (unsigned char)(x & 255);
}

static text text_of(const char *string)
{
    text t;
    t.at = (const unsigned char *)string;
    t.size = strlen(string);
    return t;
}

static int compare(text a, text b)
{
    const int order = memcmp(a.at, b.at, a.size < b.size ? a.size : b.size);
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static bool begins_with(text t, text prefix)
{
    return t.size >= prefix.size && memcmp(t.at, prefix.at, prefix.size) == 0;
}

/* The hash of bytes under a seed. Only a filter has a seed, so this makes an
   empty one of the smallest size. Seed 0 is for keys, and seed n for prefixes
   of n bytes. */
static bloom_hash hash_of(text t, unsigned seed)
{
    unsigned char memory[40];
    bloom_plan plan = { 64, 0, 1, BLOOM_CLASSIC, 64 };
    plan.seed = seed;
    return bloom_hash_key(bloom_init(memory, sizeof memory, plan), t.at,
                          t.size);
}

/* A checksum, under a seed that no prefix has */
static uint64_t check_of(const unsigned char *at, size_t size)
{
    text t;
    t.at = at;
    t.size = size;
    return hash_of(t, 1000).h1;
}

/* ---- Opening a store ----------------------------------------------------- */

static void need_sound(bool right, unsigned run_number, const char *why)
{
    char message[80];
    snprintf(message, sizeof message, "run %u %s", run_number, why);
    need(right, store, message);
}

static uint64_t padded(uint64_t size)
{
    return (size + 63) / 64 * 64;
}

/* Uses the bytes from `at` on as the next run. Returns where the one after it
   begins. */
static size_t open_run(size_t at)
{
    const unsigned n = run_count;
    const size_t left = at < runs_end ? runs_end - at : 0;
    const unsigned char *head = map + at;
    uint64_t filter, rest;
    run *r = &runs[n];
    need_sound(left >= HEAD && memcmp(head, "RUN1", 4) == 0
               && number_at(head + 32, 8) == check_of(head, 32), n,
               "has a damaged header");
    r->head = head;
    r->count = number_at(head + 8, 8);
    filter = number_at(head + 16, 8);
    r->size = number_at(head + 24, 8);
    rest = left - HEAD;
    need_sound(filter <= rest && r->count <= (rest - filter) / 8
               && r->size <= rest - filter - 8 * r->count, n,
               "has a damaged header");
    r->filter = bloom_view(head + HEAD, (size_t)filter, NULL);
    need_sound(r->filter && bloom_verify(r->filter) == BLOOM_OK
               && bloom_plan_of(r->filter).hash_bits == 64
               && bloom_plan_of(r->filter).seed == 0, n,
               "has a damaged filter");
    r->offsets = head + HEAD + filter;
    r->entries = r->offsets + 8 * r->count;
    run_count++;
    return at + (size_t)padded(HEAD + filter + 8 * r->count + r->size);
}

static void open_runs(void)
{
    const unsigned char *last;
    size_t at = HEAD;
    uint64_t count;
    need(map_size < HEAD || memcmp(map, opening, HEAD) == 0, store,
         "is not a store of levels");
    last = map_size < 2 * HEAD ? opening : map + map_size - HEAD;
    need(memcmp(last, "END2", 4) == 0, store, "is truncated");
    need(number_at(last + 16, 8) == map_size
         && number_at(last + 24, 8) == check_of(last, 24), store,
         "is damaged at its end");
    count = number_at(last + 8, 8);
    need(count < RUNS, store, "has too many runs");
    runs_end = map_size - HEAD;
    while (run_count < count)
        at = open_run(at);
    need(at == runs_end, store, "is damaged at its end");
}

/* Maps a store. If it does not exist and `may_be_new`, it has no runs. */
static void open_store(const char *name, bool may_be_new)
{
    store = name;
    map = (const unsigned char *)bloom_file_map(name, &map_size);
    if (!map && errno == ENOENT && may_be_new)
        return;
    need(map != NULL, name, NULL);
    open_runs();
}

/* ---- Reading a run: what the filters are to save ------------------------- */

static entry read_entry(const run *r, uint64_t i)
{
    const unsigned n = (unsigned)(r - runs);
    const uint64_t at = number_at(r->offsets + 8 * i, 8);
    const unsigned char *bytes = r->entries + at;
    uint64_t left;
    entry e;
    need_sound(r->size >= ENTRY && at <= r->size - ENTRY, n, "is damaged");
    left = r->size - at - ENTRY;
    e.key.size = (size_t)number_at(bytes + 16, 4);
    e.value.size = (size_t)number_at(bytes + 20, 4);
    need_sound(e.key.size <= left && e.value.size <= left - e.key.size, n,
               "is damaged");
    e.key.at = bytes + ENTRY;
    e.value.at = e.key.at + e.key.size;
    need_sound(number_at(bytes + 8, 8) == i && number_at(bytes, 8)
               == check_of(bytes + 8, ENTRY - 8 + e.key.size + e.value.size),
               n, "is damaged");
    return e;
}

/* The number of the first entry whose key is not less than this one */
static uint64_t find(const run *r, text key)
{
    uint64_t low = 0, high = r->count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (compare(read_entry(r, middle).key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- get, scan ----------------------------------------------------------- */

/* What was asked, and what it cost. Without filters, each run that is asked
   would be read. */
typedef struct tally { uint64_t asked, found, runs_asked, read, vain; } tally;

static bool get(text key, text *value, tally *t)
{
    const bloom_hash h = hash_of(key, 0);
    unsigned i = run_count;
    t->asked++;
    while (i-- > 0) {
        const run *r = &runs[i];
        uint64_t at;
        t->runs_asked++;
        if (!bloom_may_contain_hash(r->filter, h))
            continue;
        t->read++;
        at = find(r, key);
        if (at < r->count) {
            const entry e = read_entry(r, at);
            if (compare(e.key, key) == 0) {
                *value = e.value;
                t->found++;
                return true;
            }
        }
        t->vain++;
    }
    return false;
}

/* May this run have keys with the prefix? Asks for the longest part of it that
   was added. */
static bool may_have(const run *r, text prefix)
{
    size_t longest = 0, i;
    for (i = 4; i < 8; i++)
        if (r->head[i] <= prefix.size && r->head[i] > longest)
            longest = r->head[i];
    if (longest == 0)
        return true;
    prefix.size = longest;
    return bloom_may_contain_hash(r->filter, hash_of(prefix,
                                                     (unsigned)longest));
}

/* Writes the numbers of the first entries with the prefix to from[], or a run's
   count if there is none. Returns whether a run has one. */
static bool begin_scan(text prefix, uint64_t from[RUNS], tally *t)
{
    bool any = false;
    unsigned i;
    t->asked++;
    for (i = 0; i < run_count; i++) {
        const run *r = &runs[i];
        t->runs_asked++;
        from[i] = r->count;
        if (!may_have(r, prefix))
            continue;
        t->read++;
        from[i] = find(r, prefix);
        if (from[i] == r->count
            || !begins_with(read_entry(r, from[i]).key, prefix)) {
            from[i] = r->count;
            t->vain++;
        }
        any |= from[i] < r->count;
    }
    t->found += any;
    return any;
}

/* Returns the next key of a scan with its newest value: the least of the keys
   that come next in the runs. false: there are no more. */
static bool next_of_scan(text prefix, uint64_t from[RUNS], entry *next)
{
    bool any = false;
    unsigned i;
    for (i = 0; i < run_count; i++) {           /* newer runs come later */
        if (from[i] < runs[i].count) {
            const entry e = read_entry(&runs[i], from[i]);
            if (!begins_with(e.key, prefix))
                from[i] = runs[i].count;
            else if (!any || compare(e.key, next->key) <= 0)
                *next = e, any = true;
        }
    }
    for (i = 0; any && i < run_count; i++)
        from[i] += from[i] < runs[i].count
            && compare(read_entry(&runs[i], from[i]).key, next->key) == 0;
    return any;
}

/* ---- load ---------------------------------------------------------------- */

/* A line that waits to be written. `order` counts the lines. */
typedef struct line { unsigned char *bytes; size_t key, size; uint64_t order; }
    line;

static bloom_file coming;               /* the new file, while it is written */
static bool is_coming;
static uint64_t runs_written;

static void remove_coming(void)
{
    if (is_coming)
        bloom_file_cancel(&coming);
}

/* Does nothing if why, which is 0 or an errno, is 0. */
static void need_done(int why)
{
    need(why == 0, store, why ? strerror(why) : NULL);
}

static text key_of(const line *l)
{
    text t;
    t.at = l->bytes;
    t.size = l->key;
    return t;
}

static text value_of(const line *l)
{
    text t;
    t.at = l->bytes + l->key;
    t.size = l->size - l->key;
    return t;
}

/* Sorts by key; of equal keys, the newest is first. */
static int by_key(const void *a, const void *b)
{
    const line *x = a, *y = b;
    const int order = compare(key_of(x), key_of(y));
    return order ? order : (x->order < y->order) - (x->order > y->order);
}

/* Does this line, which has a prefix of n bytes, bring a new one? */
static bool new_prefix(const line *lines, size_t i, size_t n)
{
    return lines[i].key >= n
        && (i == 0 || lines[i - 1].key < n
            || memcmp(lines[i].bytes, lines[i - 1].bytes, n) != 0);
}

/* Returns a sealed filter of the keys, which are sorted, and their prefixes. */
static bloom *make_filter(const line *lines, size_t count)
{
    size_t n = count, i, j;
    text prefix;
    bloom *b;
    for (i = 0; i < count; i++)
        for (j = 0; j < sizeof lengths; j++)
            n += lengths[j] > 0 && new_prefix(lines, i, lengths[j]);
    b = bloom_create(bloom_plan_layout(n, RATE, BLOOM_BLOCKED));
    need(b != NULL, "filter", "not enough memory");
    for (i = 0; i < count; i++) {
        bloom_add_hash(b, hash_of(key_of(&lines[i]), 0));
        for (j = 0; j < sizeof lengths; j++)
            if (lengths[j] > 0 && new_prefix(lines, i, lengths[j])) {
                prefix.at = lines[i].bytes;
                prefix.size = lengths[j];
                bloom_add_hash(b, hash_of(prefix, lengths[j]));
            }
    }
    bloom_seal(b);
    return b;
}

/* Writes entry `number` of a run to `bytes`, and returns its end. */
static unsigned char *put_entry(unsigned char *bytes, const line *l,
                                uint64_t number)
{
    put_number(bytes + 8, number, 8);
    put_number(bytes + 16, l->key, 4);
    put_number(bytes + 20, l->size - l->key, 4);
    memcpy(bytes + ENTRY, l->bytes, l->size);
    put_number(bytes, check_of(bytes + 8, ENTRY - 8 + l->size), 8);
    return bytes + ENTRY + l->size;
}

/* Sorts the lines, and keeps the newest of those that have one key. Returns how
   many are left. */
static size_t sort(line *lines, size_t count)
{
    size_t i, kept = 0;
    qsort(lines, count, sizeof *lines, by_key);
    for (i = 0; i < count; i++) {
        if (kept > 0 && compare(key_of(&lines[i]),
                                key_of(&lines[kept - 1])) == 0)
            free(lines[i].bytes);
        else
            lines[kept++] = lines[i];
    }
    return kept;
}

/* Writes the lines as a run, and frees their bytes. */
static void write_run(line *lines, size_t count)
{
    unsigned char *image, *offset, *end;
    size_t i, size = 0, filter;
    uint64_t whole;
    bloom *b;
    count = sort(lines, count);
    b = make_filter(lines, count);
    filter = bloom_size(b);
    for (i = 0; i < count; i++)
        size += ENTRY + lines[i].size;
    whole = padded((uint64_t)HEAD + filter + 8 * (uint64_t)count + size);
    image = whole <= SIZE_MAX ? calloc(1, (size_t)whole) : NULL;
    need(image != NULL, "run", "not enough memory");
    memcpy(image, "RUN1", 4);
    memcpy(image + 4, lengths, sizeof lengths);
    put_number(image + 8, count, 8);
    put_number(image + 16, filter, 8);
    put_number(image + 24, size, 8);
    put_number(image + 32, check_of(image, 32), 8);
    memcpy(image + HEAD, b, filter);
    offset = image + HEAD + filter;
    end = offset + 8 * count;
    for (i = 0, size = 0; i < count; i++) {
        put_number(offset + 8 * i, size, 8);
        end = put_entry(end, &lines[i], i);
        size += ENTRY + lines[i].size;
        free(lines[i].bytes);
    }
    need_done(bloom_file_put(&coming, image, (size_t)whole));
    free(image);
    bloom_free(b);
    need(++runs_written < RUNS, store,
         "would have too many runs; give more keys per run");
}

/* Begins the new file with the runs of the old one. */
static void begin_load(const char *name)
{
    const int why = bloom_file_begin(&coming, name, ".new");
    store = name;
    need(why != EEXIST, name, "another load is running, or was killed and "
         "left a file with .new at its end; then remove this file");
    need_done(why);
    is_coming = true;
    atexit(remove_coming);
    runs_written = run_count;
    need_done(map ? bloom_file_put(&coming, map, runs_end)
                  : bloom_file_put(&coming, opening, HEAD));
}

/* Writes the last block, and replaces the store. */
static void end_load(void)
{
    unsigned char last[HEAD] = { 'E', 'N', 'D', '2' };
    put_number(last + 8, runs_written, 8);
    put_number(last + 16, coming.size + HEAD, 8);
    put_number(last + 24, check_of(last, 24), 8);
    need_done(bloom_file_put(&coming, last, HEAD));
    is_coming = false;
    need_done(bloom_file_finish(&coming));
}

/* Reads a line, or returns false at the end. */
static bool next_line(FILE *in, line *l)
{
    static char *bytes;
    static size_t room;
    const char *tab;
    const ssize_t got = getline(&bytes, &room, in);
    if (got < 0) {
        need(!ferror(in), "standard input", NULL);
        return false;
    }
    l->size = (size_t)got - (bytes[got - 1] == '\n');
    tab = memchr(bytes, '\t', l->size);
    l->key = tab ? (size_t)(tab - bytes) : l->size;
    need(l->size <= UINT32_MAX, "standard input", "has too long a line");
    need(l->key > 0, "standard input", "has a line without a key");
    l->bytes = malloc(l->size);
    need(l->bytes != NULL, "line", NULL);
    l->size -= tab != NULL;             /* the tab is not kept */
    memcpy(l->bytes, bytes, l->key);
    if (tab)
        memcpy(l->bytes + l->key, tab + 1, l->size - l->key);
    return true;
}

static void load(const char *name, size_t most, FILE *in)
{
    line *lines = malloc(most * sizeof *lines);
    uint64_t order = 0;
    size_t count = 0;
    need(most <= SIZE_MAX / sizeof *lines && lines, "run",
         "not enough memory");
    open_store(name, true);
    begin_load(name);
    while (next_line(in, &lines[count])) {
        lines[count++].order = order++;
        if (count == most) {
            write_run(lines, count);
            count = 0;
        }
    }
    need(order > 0, "standard input", "has no keys");
    if (count > 0)
        write_run(lines, count);
    end_load();
    free(lines);
}

/* ---- Statistics ---------------------------------------------------------- */

static void print_store(void)
{
    uint64_t keys = 0, bytes = 0;
    unsigned i;
    for (i = 0; i < run_count; i++) {
        keys += runs[i].count;
        bytes += bloom_size(runs[i].filter);
    }
    printf("%u runs, %" PRIu64 " keys; filters: %.1f bits per key\n",
           run_count, keys, 8 * (double)bytes / (double)keys);
    puts("                     asked    found  runs read  in vain");
}

/* Of the runs that were asked, so many did not have what was asked for. At the
   filters' rate, these are read in vain. */
static uint64_t lacking(const tally *t)
{
    return t->runs_asked - (t->read - t->vain);
}

static void print_tally(const char *what, const tally *t)
{
    const uint64_t lack = lacking(t);
    printf("%-17s %8" PRIu64 " %8" PRIu64 " %10" PRIu64 " %8" PRIu64 " of %"
           PRIu64 ", %.2f%%\n", what, t->asked, t->found, t->read, t->vain,
           lack, lack ? 100 * (double)t->vain / (double)lack : 0);
    printf("  without filters %8" PRIu64 " %8" PRIu64 " %10" PRIu64 " %8"
           PRIu64 "\n", t->asked, t->found, t->runs_asked, lack);
}

/* Asks for each line's key, and for keys that begin with it. Returns how many
   keys have another value than the line. */
static uint64_t ask(FILE *in, tally t[2])
{
    static uint64_t from[RUNS];
    uint64_t others = 0;
    text value;
    line l;
    while (next_line(in, &l)) {
        others += get(key_of(&l), &value, &t[0])
                  && compare(value, value_of(&l)) != 0;
        begin_scan(key_of(&l), from, &t[1]);
        free(l.bytes);
    }
    return others;
}

/* ---- A demonstration ----------------------------------------------------- */

/* Different numbers give different results, in no apparent order. */
static uint32_t scatter(uint32_t i)
{
    i = (i ^ i >> 16) * 0x85EBCA6BU;
    i = (i ^ i >> 13) * 0xC2B2AE35U;
    return i ^ i >> 16;
}

/* A file of made-up lines, with the numbers from `first` on as values. A user
   has four keys: "1d2c3b4a/0" .. "1d2c3b4a/3". */
static FILE *made_up(uint32_t first)
{
    FILE *lines = tmpfile();
    uint32_t i;
    need(lines != NULL, "temporary file", NULL);
    for (i = first; i < first + 100000; i++)
        fprintf(lines, "%08" PRIx32 "/%" PRIu32 "\t%" PRIu32 "\n",
                scatter(i / 4), i % 4, i);
    rewind(lines);
    return lines;
}

/* Is the rate at most RATE, within 4 sigma? */
static bool keeps_rate(const tally *t)
{
    const double lack = (double)lacking(t);
    const double over = (double)t->vain - RATE * lack;
    return over <= 0 || over * over <= 16 * RATE * (1 - RATE) * lack;
}

/* Asks for the lines. If they are `present`, all are there, otherwise none.
   Are the answers right? */
static bool ask_made_up(FILE *lines, bool present)
{
    static const char *const what[2][2] = { { "keys, absent",
                                              "prefixes, absent" },
                                            { "keys, present",
                                              "prefixes, present" } };
    tally t[2] = { { 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0 } };
    bool right = ask(lines, t) == 0;
    unsigned i;
    for (i = 0; i < 2; i++) {
        print_tally(what[present][i], &t[i]);
        right &= t[i].found == (present ? t[i].asked : 0) && keeps_rate(&t[i]);
    }
    return right;
}

static int demonstrate(void)
{
    const char *tmp = getenv("TMPDIR");
    static char folder[4000], name[4096];
    FILE *present = made_up(0), *absent = made_up(100000);
    bool right;
    need(snprintf(folder, sizeof folder, "%s/levels.XXXXXX", tmp ? tmp : "/tmp")
         < (int)sizeof folder, "TMPDIR", "is too long");
    need(mkdtemp(folder) != NULL, folder, NULL);
    sprintf(name, "%s/store", folder);
    load(name, 5000, present);
    open_store(name, false);
    rewind(present);
    print_store();
    right = ask_made_up(present, true);
    right &= ask_made_up(absent, false);
    puts(right ? "right: none missed, and at most 1% + 4 sigma read in vain"
               : "WRONG");
    remove(name);
    rmdir(folder);
    return !right;
}

/* ---- The command --------------------------------------------------------- */

static uint64_t number_of(const char *word, uint64_t most)
{
    char *end;
    uint64_t n;
    errno = 0;
    n = strtoull(word, &end, 10);
    need(*word >= '0' && *word <= '9' && *end == '\0' && errno == 0 && n > 0
         && n <= most, word, "is not a possible number");
    return n;
}

static int print_value(const char *key)
{
    tally t = { 0, 0, 0, 0, 0 };
    text value;
    if (!get(text_of(key), &value, &t))
        return 1;
    fwrite(value.at, 1, value.size, stdout);
    putchar('\n');
    return 0;
}

static int print_scan(const char *prefix)
{
    static uint64_t from[RUNS];
    const text t = text_of(prefix);
    tally counts = { 0, 0, 0, 0, 0 };
    entry e;
    bool any = begin_scan(t, from, &counts);
    while (any && next_of_scan(t, from, &e)) {
        fwrite(e.key.at, 1, e.key.size, stdout);
        if (e.value.size > 0) {
            putchar('\t');
            fwrite(e.value.at, 1, e.value.size, stdout);
        }
        putchar('\n');
    }
    return any ? 0 : 1;
}

static int run_command(int count, char **word)
{
    const char *verb = word[1];
    tally t[2] = { { 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0 } };
    if (count == 1)
        return demonstrate();
    if (count == 4 && strcmp(verb, "load") == 0) {
        load(word[2], (size_t)number_of(word[3], SIZE_MAX / 64), stdin);
        return 0;
    }
    need((count == 4 && (strcmp(verb, "get") == 0 || strcmp(verb, "scan") == 0))
         || (count == 3 && strcmp(verb, "ask") == 0), verb,
         "usage: levels load STORE KEYS_PER_RUN | get STORE KEY | scan STORE "
         "PREFIX | ask STORE");
    open_store(word[2], false);
    if (strcmp(verb, "get") == 0)
        return print_value(word[3]);
    if (strcmp(verb, "scan") == 0)
        return print_scan(word[3]);
    ask(stdin, t);
    print_store();
    print_tally("keys", &t[0]);
    print_tally("prefixes", &t[1]);
    return 0;
}

int main(int count, char **word)
{
    const int status = run_command(count, word);
    end_output();
    return status;
}
