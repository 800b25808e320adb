/* options.c: parses the options and operands of a verb */
#include "options.h"
#include "jobs.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *verb_name;       /* NULL: not parsed yet */

static const options defaults = {
    .filter = { .n = 1000000, .p = 0.001, .layout = -1, .width = -1 },
    .keys = { .separator = '\t', .end = '\n' }
};

const option_line option_list[] = {
    { 'f', NULL, "FILE",
      "keep the filter in FILE between runs", NULL },
    { 'n', NULL, "N",
      "expected number of different lines, such as 1e6; the filter\n"
      "grows beyond it; default 2e6 (with --fixed or --for 1e6)", "uniq" },
    { 'n', NULL, "N",
      "keep the rate P for at least N lines", "fold" },
    { 'n', NULL, "N",
      "number of different lines, such as 1000000 or 1e6", NULL },
    { 'M', "bytes", "SIZE",
      "in place of -n: one filter of at most SIZE bytes, such as 64M;\n"
      "a message says how many lines it has room for", NULL },
    { 'p', NULL, "P",
      "with --fold: false-positive rate of the union, such as 0.01\n"
      "or 1%", "merge" },
    { 'p', NULL, "P",
      "false-positive rate of the result, such as 0.01 or 1%; FILE\n"
      "does not record it", "fold" },
    { 'p', NULL, "P",
      "false-positive rate: the share of new lines that may be\n"
      "taken for known ones; default 0.001, which is 0.1%", NULL },
    { 'l', NULL, "LAYOUT",
      "blocked, the default without -w 32: the fastest; classic: 10\n"
      "to 20% smaller (P above 0.07: more); counting: 4 times as\n"
      "large as classic", "uniq" },
    { 'l', NULL, "LAYOUT",
      "classic, the default: the smallest; blocked: faster in large\n"
      "filters, 10 to 20% larger (P above 0.07: more); counting: 4\n"
      "times as large as classic", NULL },
    { 'w', NULL, "BITS",
      "hash width: 64, or 32 for small chips; blocked filters and\n"
      "filters that grow always have 64", NULL },
    { 's', NULL, "SEED",
      "seed of the hash; with another seed, other lines are false\n"
      "positives; default 0; -w 32 uses its lower 32 bits only",
      NULL },
    { 'F', "fixed", NULL,
      "one filter for N lines, which never grows; beyond N lines,\n"
      "it loses more and more new lines", NULL },
    { 'N', "last", "N",
      "remember the last N printed lines, and forget older ones;\n"
      "N is rounded up to a multiple of 7", NULL },
    { 'A', "for", "TIME",
      "remember printed lines for TIME, such as 24h (s, m, h or d);\n"
      "-n N is the largest number of new lines in twice TIME", NULL },
    { 'O', "fold", NULL,
      "shrink OUT to the smallest possible size that keeps the\n"
      "rate P; build the inputs with --foldable", "merge" },
    { 'O', "fold", NULL,
      "at the end, shrink the filter to the smallest possible size\n"
      "that keeps the rate P; -n N is then the most lines expected",
      NULL },
    { 'E', "foldable", NULL,
      "round the size up so that fold and merge --fold can divide\n"
      "it by many numbers", NULL },
    { 'B', "by", "D",
      "divide the number of cells, m in info, by D; the result\n"
      "must be a multiple of 64 (blocked: 256)", NULL },
    { 'S', "save", "SECONDS",
      "accepted, and does nothing: FILE is always up to date", NULL },
    { 'W', "no-wait", NULL,
      "fail, instead of waiting, if another process is writing the\n"
      "file", NULL },
    { 'v', NULL, NULL,
      "print the lines that are certainly not in the filter", NULL },
    { 'd', NULL, NULL,
      "print only the lines that were seen before", NULL },
    { 'c', NULL, NULL,
      "print counts instead of lines", NULL },
    { 'q', NULL, NULL,
      "print nothing; the exit status is the answer", NULL },
    { 'z', NULL, NULL,
      "lines end in NUL instead of newline", NULL },
    { 'k', NULL, "N[,M]",
      "the key is fields N to M of a line; without M, fields N to\n"
      "the last", NULL },
    { 't', NULL, "SEP",
      "the byte that separates fields; default: a tab", NULL },
    { 'i', NULL, NULL,
      "ignore the case of the letters A to Z", NULL },
    { 'C', "crlf", NULL,
      "ignore a CR at the end of a line", NULL },
    { 'T', "trim", NULL,
      "ignore blanks and tabs at both ends of the key", NULL },
    { 'J', "json", NULL,
      "print one JSON object instead of a table", NULL },
    { 'j', NULL, "N",
      "number of threads; default: one per core, at most 4", NULL },
    { 0, NULL, NULL, NULL, NULL }
};

void name_help(void)
{
    fprintf(stderr, "Try: bloom help%s%s\n", verb_name ? " " : "",
            verb_name ? verb_name : "");
}

const verb *find_verb(const verb *verbs, const char *name)
{
    const verb *v = verbs;
    while (v->name && strcmp(name, v->name) != 0)
        v++;
    if (!v->name)
        misused("%s: no such verb; bloom help lists them", name);
    return v;
}

/* ---- Values ------------------------------------------------------------- */

static uint64_t parse_count(const char *name, const char *text)
{
    char *end;
    double n = strtod(text, &end);
    if (strspn(text, "0123456789.eE+") != strlen(text) || *end != '\0'
        || !(n >= 1 && n <= 1e18) || (double)(uint64_t)n < n)
        misused("%s %s: must be a whole number from 1 to 1e18", name, text);
    return (uint64_t)n;
}

static double parse_rate(const char *text)
{
    char *end;
    double p = strtod(text, &end);
    if (*end == '%') {
        p /= 100;
        end++;
    }
    if (*end != '\0' || !(p > 0 && p < 1))
        misused("-p %s: must be between 0 and 1; "
                "for one percent write 0.01 or 1%%", text);
    if (bloom_plan_size(bloom_plan_for(1, p)) == 0)
        misused("-p %s: too low for any filter; give a larger rate", text);
    return p;
}

/* Decimal, or hexadecimal after 0x */
static uint64_t parse_seed(const char *text)
{
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char *end;
    unsigned long long seed;
    errno = 0;
    seed = strtoull(text, &end, hex ? 16 : 10);
    if (!isdigit((unsigned char)*text) || *end != '\0' || errno != 0)
        misused("-s %s: must be a whole number below 2^64, decimal or "
                "hexadecimal such as 0x7f", text);
    return seed;
}

/* Returns a whole number from 1 to `most`, or 0 if the text does not begin with
   one. *end: the first character after it. */
static uint64_t parse_small(const char *text, uint64_t most, char **end)
{
    unsigned long long number;
    errno = 0;
    number = strtoull(text, end, 10);
    return isdigit((unsigned char)*text) && errno == 0 && number <= most
           ? number : 0;
}

static uint64_t parse_limited(const char *name, const char *text, uint64_t most)
{
    char *end;
    uint64_t number = parse_small(text, most, &end);
    if (number == 0 || *end != '\0')
        misused("%s %s: must be a whole number from 1 to %" PRIu64, name,
                text, most);
    return number;
}

/* Bytes, or with K, M, G or T, units of 1024, 1024^2 and so on */
static uint64_t parse_size(const char *text)
{
    static const char units[] = "KMGT";
    char *end;
    uint64_t number = parse_small(text, (uint64_t)1 << 50, &end);
    const char *unit = *end ? strchr(units, *end) : NULL;
    const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (number == 0 || (*end && (!unit || end[1] != '\0'))
        || number > SIZE_MAX / 2 >> shift)
        misused("--bytes %s: must be a number of bytes, such as 2000000, 512K, "
                "64M or 1G", text);
    return number << shift;
}

/* Returns seconds. */
static uint64_t parse_age(const char *text)
{
    static const char units[] = "smhd";
    static const uint64_t seconds_of[] = { 1, 60, 3600, 86400 };
    const uint64_t most = 36500, longest = most * 86400;
    char *end;
    uint64_t number = parse_small(text, longest, &end);
    const char *unit = *end ? strchr(units, *end) : NULL;
    if (number == 0 || !unit || end[1] != '\0'
        || number > longest / seconds_of[unit - units])
        misused("--for %s: must be a time from 1s to %" PRIu64 "d, such as "
                "90s, 45m, 24h or 7d", text, most);
    return number * seconds_of[unit - units];
}

static void parse_fields(key_rules *keys, const char *text)
{
    const uint64_t most = 1000000000;
    char *end;
    keys->first = parse_small(text, most, &end);
    keys->last = 0;
    if (keys->first > 0 && *end == ',') {
        keys->last = parse_small(end + 1, most, &end);
        if (keys->last < keys->first)
            keys->first = 0;
    }
    if (keys->first == 0 || *end != '\0')
        misused("-k %s: must be N or N,M, with 1 <= N <= M", text);
}

static char parse_separator(const char *text)
{
    if (strcmp(text, "\\t") == 0)
        return '\t';
    if (strlen(text) != 1)
        misused("-t %s: must be one byte, or \\t for a tab", text);
    return *text;
}

static int parse_choice(int letter, const char *text,
                        const char *const *words, int count)
{
    char all[80] = "";
    int i = 0, size = 0;
    while (i < count && strcmp(words[i], text) != 0)
        i++;
    if (i < count)
        return i;
    for (i = 0; i < count; i++)
        size += snprintf(all + size, sizeof all - (size_t)size, "%s%s",
                         i == 0 ? "" : i < count - 1 ? ", " : " or ",
                         words[i]);
    misused("-%c %s: must be %s", letter, text, all);
    return 0;
}

/* ---- Options ------------------------------------------------------------ */

/* Of most options, the last one counts. But of these, the user wants both. */
static void only_once(int letter, bool given)
{
    if (given)
        misused("-%c: given twice; give only one of them", letter);
}

static void set_filter_option(wish *w, int letter)
{
    switch (letter) {
    case 'n': w->n = parse_count("-n", optarg); w->n_given = true; break;
    case 'p': w->p = parse_rate(optarg); w->p_given = true; break;
    case 'w': w->width = parse_choice('w', optarg, widths, 2); break;
    case 'l': w->layout = parse_choice('l', optarg, layouts, 3); break;
    case 's': w->seed = parse_seed(optarg); w->seed_given = true; break;
    case 'M': w->bytes = parse_size(optarg); break;
    case 'F': w->fixed = true; break;
    case 'N': w->last_lines = parse_count("--last", optarg); break;
    case 'A': w->age = parse_age(optarg); break;
    case 'O': case 'E': w->foldable = true; break;
    default: break;
    }
}

static void set_key_option(key_rules *keys, int letter)
{
    switch (letter) {
    case 'z': keys->end = '\0'; break;
    case 'k': only_once('k', keys->first > 0);
              parse_fields(keys, optarg); break;
    case 't': keys->separator = parse_separator(optarg); break;
    case 'i': keys->ignore_case = true; break;
    case 'C': keys->crlf = true; break;
    case 'T': keys->trim = true; break;
    default: break;
    }
}

static void set_option(options *o, int letter)
{
    set_filter_option(&o->filter, letter);
    set_key_option(&o->keys, letter);
    switch (letter) {
    case 'f': only_once('f', o->file != NULL); o->file = optarg; break;
    case 'O': o->fold = true; break;
    case 'B': o->by = parse_count("--by", optarg); break;
    case 'W': o->no_wait = true; break;
    case 'v': o->inverted = true; break;
    case 'd': o->repeated = true; break;
    case 'c': o->counts = true; break;
    case 'q': o->quiet = true; break;
    case 't': o->separator_given = true; break;
    case 'J': o->json = true; break;
    case 'j': o->jobs = (unsigned)parse_limited("-j", optarg, SLOTS); break;
    default: break;
    }
}

/* getopt_long returns LONG + letter for a long option, so that -F is not
   --fixed. */
enum { LONG = 256 };

/* Fills the tables of getopt_long, which are large enough for all options. */
static void describe(const char *letters, char *flags, struct option *words)
{
    const option_line *o;
    *flags++ = ':';
    for (o = option_list; o->letter; o++) {
        if (o->verb || !strchr(letters, o->letter))
            continue;
        if (o->word) {
            words->name = o->word;
            words->has_arg = o->value ? required_argument : no_argument;
            words->val = LONG + o->letter;
            words++;
            continue;
        }
        *flags++ = (char)o->letter;
        if (o->value)
            *flags++ = ':';
    }
    *flags = '\0';
}

static const char *long_name(int letter)
{
    const option_line *o = option_list;
    while (o->letter != letter)
        o++;
    return o->word;
}

/* getopt_long has returned `c` and set optopt: to the option, or to 0 if `word`
   is an unknown long one. `word` means nothing otherwise: where the value is
   missing, musl leaves optind behind the end of the command line. */
static void refuse_option(int c, const char *word)
{
    const char *why = c == ':' ? "needs a value"
                    : optopt >= LONG ? "takes no value" : "no such option";
    if (optopt >= LONG)
        misused("--%s: %s", long_name(optopt - LONG), why);
    if (optopt > 0)
        misused("-%c: %s", optopt, why);
    misused("%s: %s", word, why);
}

static void check_window(const wish *w)
{
    const char *name = w->age ? "--for" : "--last";
    if (w->last_lines && w->age)
        misused("--last and --for: give only one of them");
    if (w->last_lines && w->n_given)
        misused("-n: --last gives the number of lines already; leave out -n");
    if (w->fixed)
        misused("--fixed: %s never grows anyway; leave out --fixed", name);
    if (w->bytes)
        misused("--bytes: does not work with %s, whose size is that of N "
                "lines", name);
    if (w->layout == BLOOM_COUNTING)
        misused("-l counting: does not work with %s; give classic or blocked",
                name);
}

static void check_folding(const options *o)
{
    const wish *w = &o->filter;
    const bool folds = strcmp(verb_name, "fold") == 0;
    if (folds && o->by && (w->n_given || w->p_given))
        misused("--by: determines the size alone; leave out -n and -p");
    if (folds && !o->by && !w->p_given)
        misused("fold: needs -p P, the false-positive rate, or --by D");
    if (strcmp(verb_name, "merge") == 0 && o->fold != w->p_given)
        misused(o->fold ? "--fold: needs -p P, the false-positive rate"
                        : "-p: needs --fold; add it, or leave out -p");
}

static void check_options(const options *o)
{
    const wish *w = &o->filter;
    if (w->bytes && w->n_given)
        misused("-n and --bytes: give only one of them");
    if (w->bytes && w->foldable)
        misused("--bytes: determines the size alone; leave out --fold and "
                "--foldable");
    if (must_forget(w))
        check_window(w);
    check_folding(o);
    if (w->layout == BLOOM_BLOCKED && w->width > 0)
        misused("-l blocked: needs 64-bit hashes; leave out -w 32");
    if (o->counts && o->repeated)
        misused("-c and -d: give only one of them");
    if (o->separator_given && o->keys.first == 0)
        misused("-t: needs -k N, the fields that are the key");
    if (w->layout == BLOOM_COUNTING && !has_size(w) && !w->fixed
        && strcmp(verb_name, "uniq") == 0)
        misused("-l counting: cannot grow, so it needs -n N or --fixed");
}

/* getopt_long accepts abbreviations, such as --f for --fixed. Refuses them, as
   the user may have meant something else. `word` is that of the long option. */
static void must_be_whole(int letter, const char *word)
{
    const char *name = long_name(letter);
    const size_t size = strlen(name);
    if (strncmp(word + 2, name, size) != 0 || !strchr("=", word[2 + size]))
        misused("%s: no such option", word);
}

char **parse_options(const verb *v, int count, char **words, options *o)
{
    char flags[64];
    struct option long_words[16] = { { 0 } };
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int c, operands;
    verb_name = v->name;
    *o = defaults;
    o->jobs = cores < 1 ? 1 : cores > 4 ? 4 : (unsigned)cores;
    describe(v->letters, flags, long_words);
    opterr = 0;
    while ((c = getopt_long(count, words, flags, long_words, NULL)) != -1) {
        if (c == ':' || c == '?')
            refuse_option(c, words[optind - 1]);
        if (c >= LONG)
            must_be_whole(c - LONG, words[optind - 1 - (words[optind - 1]
                                                        == optarg)]);
        set_option(o, c % LONG);
    }
    operands = count - optind;
    if (operands < v->least)
        misused("%s: needs at least %d file%s", v->name, v->least,
                v->least > 1 ? "s" : "");
    if (operands > v->most)
        misused("%s: unexpected argument", words[optind + v->most]);
    check_options(o);
    return words + optind;
}
