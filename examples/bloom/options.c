/* options.c: what may stand on the command line, and what it means */
#include "command.h"
#include <getopt.h>

const char *const layouts[] = { "classic", "blocked", "counting" };
const char *const widths[] = { "64", "32" };
static const char *verb_name;       /* NULL: not known yet */

options_t options = {
    .n = 1000000, .p = 0.001, .layout = -1, .width = -1, .save = 60,
    .separator = '\t', .end = '\n'
};

const option_line option_list[] = {
    { 'f', NULL, "FILE", "keep the memory in FILE from run to run", NULL },
    { 'n', NULL, "N", "room for so many different lines at first, such as 1e6",
      "uniq" },
    { 'n', NULL, "N", "leave room for so many lines, if fewer are in it",
      "fold" },
    { 'n', NULL, "N", "room for so many different lines, such as 1e6", NULL },
    { 'p', NULL, "P", "with --fold: the rate that the union is to keep, as "
      "0.01\nor 1%", "merge" },
    { 'p', NULL, "P", "the rate that is to be kept, as 0.01 or 1%; FILE does "
      "not\ntell it", "fold" },
    { 'p', NULL, "P", "share of new lines that may be taken for known ones:\n"
      "0.001, or 0.1%, if not given", NULL },
    { 'l', NULL, "LAYOUT", "classic; blocked, faster in large filters, 10 to "
      "20%\nlarger; counting, 4 times as large", NULL },
    { 'w', NULL, "BITS", "64, or 32 for small chips: the width of the hash;\n"
      "blocked and filters that grow take 64 only", NULL },
    { 's', NULL, "SEED", "another seed makes other mistakes; 0 if not given;\n"
      "-w 32 takes its lower 32 bits", NULL },
    { 'F', "fixed", NULL, "one filter with room for N, which never grows: past "
      "N,\nmore and more lines are lost", NULL },
    { 'N', "last", "N", "forget what was printed before the last N lines, N being\n"
      "rounded up to a multiple of 7", NULL },
    { 'A', "for", "TIME", "forget what was printed longer ago, as 24h (s, m, "
      "h, d);\n-n N: the most lines in that time", NULL },
    { 'O', "fold", NULL, "make OUT as small as -p P allows for the lines in "
      "the union;\nA... were built with --foldable", "merge" },
    { 'O', "fold", NULL, "make it at the end as small as P allows for what is in"
      "\nit; needs -n N, the most lines that there may be", NULL },
    { 'E', "foldable", NULL, "a size that fold and merge --fold can divide",
      NULL },
    { 'B', "by", "D", "divide its size by D", NULL },
    { 'S', "save", "SECONDS", "write FILE that often while lines come; 60 if "
      "not given", NULL },
    { 'W', "no-wait", NULL, "give up if another process is writing the file",
      NULL },
    { 'v', NULL, NULL, "print the lines that are certainly not in", NULL },
    { 'd', NULL, NULL, "print only the lines that were seen before", NULL },
    { 'c', NULL, NULL, "count lines instead of printing them", NULL },
    { 'q', NULL, NULL, "print nothing: the exit status tells", NULL },
    { 'z', NULL, NULL, "lines end in NUL, not in a newline", NULL },
    { 'k', NULL, "N[,M]", "fields N to M of a line are what counts; without M, "
      "all\nfrom N on", NULL },
    { 't', NULL, "SEP", "fields are separated by this character; by a tab if "
      "not\ngiven", NULL },
    { 'i', NULL, NULL, "A to Z count as a to z", NULL },
    { 'C', "crlf", NULL, "a CR at the end of a line does not count", NULL },
    { 'T', "trim", NULL, "blanks and tabs at both ends do not count", NULL },
    { 'j', NULL, "N", "threads; as many as there are cores, 4 at most, if not\n"
      "given", NULL },
    { 0, NULL, NULL, NULL, NULL }
};

void name_help(void)
{
    fprintf(stderr, "Try: bloom help%s%s\n", verb_name ? " " : "",
            verb_name ? verb_name : "");
}

/* ---- Values ------------------------------------------------------------- */

static uint64_t parse_count(const char *name, const char *text)
{
    char *end;
    double n = strtod(text, &end);
    if (strspn(text, "0123456789.eE+") != strlen(text) || *end != '\0'
        || !(n >= 1 && n <= 1e18) || (double)(uint64_t)n < n)
        misused("%s %s: not a whole number from 1 to 1e18", name, text);
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
        misused("-p %s: the rate must be between 0 and 1; "
                "for one percent write 0.01 or 1%%", text);
    if (bloom_plan_size(bloom_plan_for(1, p)) == 0)
        misused("-p %s: so low a rate no filter can keep", text);
    return p;
}

/* Decimal, or hexadecimal behind 0x */
static uint64_t parse_seed(const char *text)
{
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char *end;
    unsigned long long seed;
    errno = 0;
    seed = strtoull(text, &end, hex ? 16 : 10);
    if (!isdigit((unsigned char)*text) || *end != '\0' || errno != 0)
        misused("-s %s: not a whole number below 2^64", text);
    return seed;
}

/* A whole number from 1 to most; *end is where it ends. 0: it is none. */
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
        misused("%s %s: not a whole number from 1 to %" PRIu64, name, text,
                most);
    return number;
}

/* In seconds */
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
        misused("--for %s: not a time from 1s to %" PRIu64 "d, such as 90s, "
                "45m, 24h or 7d", text, most);
    return number * seconds_of[unit - units];
}

static void parse_fields(const char *text)
{
    const uint64_t most = 1000000000;
    char *end;
    options.first = parse_small(text, most, &end);
    options.last = 0;
    if (options.first > 0 && *end == ',') {
        options.last = parse_small(end + 1, most, &end);
        if (options.last < options.first)
            options.first = 0;
    }
    if (options.first == 0 || *end != '\0')
        misused("-k %s: not N or N,M with 1 <= N <= M", text);
}

static char parse_separator(const char *text)
{
    if (strcmp(text, "\\t") == 0)
        return '\t';
    if (strlen(text) != 1)
        misused("-t %s: must be one character of one byte", text);
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

static void set_option(int letter)
{
    switch (letter) {
    case 'n': options.n = parse_count("-n", optarg);
              options.n_given = true; break;
    case 'p': options.p = parse_rate(optarg); options.p_given = true; break;
    case 'w': options.width = parse_choice('w', optarg, widths, 2); break;
    case 'l': options.layout = parse_choice('l', optarg, layouts, 3); break;
    case 's': options.seed = parse_seed(optarg);
              options.seed_given = true; break;
    case 'f': options.file = optarg; break;
    case 'F': options.fixed = true; break;
    case 'N': options.last_lines = parse_count("--last", optarg); break;
    case 'A': options.age = parse_age(optarg); break;
    case 'O': options.fold = true; break;
    case 'E': options.foldable = true; break;
    case 'B': options.by = parse_count("--by", optarg); break;
    case 'S': options.save = parse_limited("--save", optarg, 1000000000);
              options.save_given = true; break;
    case 'W': options.no_wait = true; break;
    case 'v': options.inverted = true; break;
    case 'd': options.repeated = true; break;
    case 'c': options.counts = true; break;
    case 'q': options.quiet = true; break;
    case 'z': options.end = '\0'; break;
    case 'k': parse_fields(optarg); break;
    case 't': options.separator = parse_separator(optarg);
              options.separator_given = true; break;
    case 'i': options.ignore_case = true; break;
    case 'C': options.crlf = true; break;
    case 'T': options.trim = true; break;
    case 'j': options.jobs = (unsigned)parse_limited("-j", optarg, 64); break;
    default: break;
    }
}

/* What getopt_long wants to know. Each list has room for all. */
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
            words->val = o->letter;
            words++;
            continue;
        }
        *flags++ = (char)o->letter;
        if (o->value)
            *flags++ = ':';
    }
    *flags = '\0';
}

static void refuse_option(int letter, const char *word)
{
    const char *why = letter == ':' ? "needs a value" : "no such option";
    if (strncmp(word, "--", 2) == 0)
        misused("%s: %s", word, why);
    misused("-%c: %s", optopt, why);
}

static void check_window(void)
{
    const char *name = options.age ? "--for" : "--last";
    if (options.last_lines && options.age)
        misused("--last, --for: only one of them can be given");
    if (options.last_lines && options.n_given)
        misused("-n: --last tells how many lines");
    if (options.fixed)
        misused("--fixed: what forgets, by %s, does not grow", name);
    if (options.layout == BLOOM_COUNTING)
        misused("-l counting: is not for what forgets, by %s", name);
}

static void check_folding(void)
{
    const bool folds = strcmp(verb_name, "fold") == 0;
    if (folds && options.by && (options.n_given || options.p_given))
        misused("--by: says all; leave out -n and -p");
    if (folds && !options.by && !options.p_given)
        misused("fold: give -p P, the rate to be kept, or --by D");
    if (options.fold && !options.n_given && strcmp(verb_name, "build") == 0)
        misused("--fold: give -n N, the most lines that there may be");
    if (strcmp(verb_name, "merge") == 0 && options.fold != options.p_given)
        misused(options.fold ? "--fold: give -p P, the rate to be kept"
                             : "-p: is for --fold");
}

static void check_options(const verb *v)
{
    if (window_wanted())
        check_window();
    check_folding();
    if (options.layout == BLOOM_BLOCKED && options.width > 0)
        misused("-l blocked: has hashes of 64 bits only; leave out -w 32");
    if (options.save_given && !options.file)
        misused("--save: there is no FILE; give -f FILE");
    if (options.separator_given && options.first == 0)
        misused("-t: there are no fields; give -k N");
    if (options.layout == BLOOM_COUNTING && !options.n_given
        && strcmp(v->name, "uniq") == 0)
        misused("-l counting: cannot grow; give -n N");
}

/* getopt_long takes --f for --fixed, which is not what everyone meant. */
static void must_be_whole(int letter, char *const *words)
{
    const option_line *o = option_list;
    const char *word = words[optind - 1];
    while (o->letter && o->letter != letter)
        o++;
    if (o->word && word == optarg)
        word = words[optind - 2];
    if (o->word && (strncmp(word + 2, o->word, strlen(o->word)) != 0
                    || !strchr("=", word[2 + strlen(o->word)])))
        misused("%s: no such option", word);
}

/* Sets the options; returns the operands. */
char **parse_options(const verb *v, int count, char **words)
{
    char flags[64];
    struct option long_words[16] = { { 0 } };
    int c, operands;
    verb_name = v->name;
    options.jobs = count_cores() < 4 ? count_cores() : 4;
    describe(v->letters, flags, long_words);
    opterr = 0;
    while ((c = getopt_long(count, words, flags, long_words, NULL)) != -1) {
        if (c == ':' || c == '?')
            refuse_option(c, words[optind - 1]);
        must_be_whole(c, words);
        set_option(c);
    }
    operands = count - optind;
    if (operands < v->least)
        misused("%s: needs %d file%s at least", v->name, v->least,
                v->least > 1 ? "s" : "");
    if (operands > v->most)
        misused("%s: one word too many", words[optind + v->most]);
    check_options(v);
    return words + optind;
}
