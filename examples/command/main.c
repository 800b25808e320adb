/* main.c: bloom, a command that remembers lines in Bloom filters

       bloom uniq [-f FILE] [IN...]        drop lines that were seen before
       bloom build OUT [IN...]             make a filter of the lines of IN
       bloom check FILE [IN...]            print the lines that may be in FILE
       bloom --help                        show all verbs and options

   cc -std=c99 -O2 -I. examples/command/[a-z]*.c -pthread -o bloom

   This file has the table of the verbs, and their help. */
#include "jobs.h"
#include "options.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const verb verbs[] = {
    { "uniq", "fnMplwsFNASWdczktiCT", 0, INT_MAX, uniq_lines,
      "[-f FILE] [IN...]", "print each line the first time it is seen",
      "Prints each line the first time it is seen, in order and at once.\n"
      "On average, it loses at most a share P of the new lines. The\n"
      "filter grows as needed; with --last or --for it forgets old lines\n"
      "instead.\n"
      "\n"
      "FILE keeps the filter between runs. Each line is recorded there\n"
      "right after it was printed, and stays if the command is killed. A\n"
      "line that the reader of a pipe left unread is not recorded. FILE\n"
      "also records the filter options, so later runs may leave them out.\n"
      "\n"
      "The exit status is 3 if the rate has become too high, so that uniq\n"
      "may have lost more new lines than P allows.\n" },
    { "build", "nMplwsOEWzktiCTj", 1, INT_MAX, build_filter,
      "OUT [IN...]", "make a filter from lines",
      "Makes a filter from the lines of IN, and writes it to OUT. Without\n"
      "-n, it counts the lines: it reads files twice, or if there is a\n"
      "pipe, keeps 16 bytes per line in memory until the end. The exit\n"
      "status is 3 if OUT holds more lines than N, so that its rate has\n"
      "become too high.\n" },
    { "add", "WzktiCT", 1, INT_MAX, add_to_filter,
      "FILE [IN...]", "add lines to a filter",
      "Adds lines to an existing filter. The exit status is 3 if its rate\n"
      "is now above 25%.\n" },
    { "check", "vcqzktiCTj", 1, INT_MAX, check_lines,
      "[-v] FILE [IN...]", "print lines that may be in it; -v: the others",
      "Prints the lines that may be in the filter; with -v, those that\n"
      "are certainly not in it. The exit status is 1 if there is no line\n"
      "to print.\n" },
    { "info", "J", 1, 1, show_info,
      "FILE", "show its size, keys, rate, and if it is intact",
      "Shows the layout, size, contents, false-positive rate and capacity\n"
      "of a filter, and whether it is intact.\n" },
    { "merge", "pOW", 2, INT_MAX, merge_filters,
      "OUT A B...", "write the union of filters to OUT",
      "Writes the union of two or more filters to OUT. They must be built\n"
      "with the same options. OUT is replaced, and must not be one of\n"
      "them. The exit status is 3 if the rate of OUT is too high: above\n"
      "P, or without --fold, above 25%.\n" },
    { "fold", "npBW", 1, 1, fold_filter,
      "-p P|--by D FILE", "shrink a filter to the size its lines need",
      "Shrinks a filter to the smallest possible size that keeps the rate\n"
      "P for the lines in it (for N lines, if N is larger), or divides\n"
      "its size by D. The divisor must be a whole number; filters that\n"
      "were built with --foldable or --fold have many.\n" },
    { "dump", "", 1, 1, dump_filter,
      "FILE", "print a C array, ready for ROM",
      "Prints a filter as a C array for ROM; a filter that grows or\n"
      "forgets becomes several arrays. The file's name becomes the\n"
      "array's name.\n" },
    { NULL, NULL, 0, 0, NULL, NULL, NULL, NULL }
};

/* ---- Help: bloom.bash reads it, too ------------------------------------- */

/* Prints the text, and indents all lines but the first. */
static void print_indented(const char *text, int width)
{
    for (; *text; text++) {
        putchar(*text);
        if (*text == '\n')
            printf("%*s", width, "");
    }
    putchar('\n');
}

static void print_option(const option_line *o)
{
    char name[40];
    int letter = isupper(o->letter) ? 0 : o->letter;
    snprintf(name, sizeof name, "%s%.*s%s%s%s", letter ? "-" : "--",
             letter ? 1 : 0, (const char[]){ (char)letter, 0 },
             letter ? "" : o->word, o->value ? " " : "",
             o->value ? o->value : "");
    printf("  %-15s ", name);
    print_indented(o->help, 18);
}

/* Returns the first entry of an option for this verb, or else for any verb. */
static const option_line *line_for(int letter, const char *name)
{
    const option_line *o = option_list;
    while (o->letter != letter || (o->verb && strcmp(o->verb, name) != 0))
        o++;
    return o;
}

static void print_options(const verb *v)
{
    const option_line *o;
    puts("\nOptions:");
    for (o = option_list; o->letter; o++)
        if (strchr(v->letters, o->letter)
            && o == line_for(o->letter, v->name))
            print_option(o);
}

static const char examples[] =
    "Examples:\n"
    "  bloom uniq <urls >new              like sort -u, but in input order\n"
    "  tail -F log | bloom uniq -f seen   each line once, over all runs\n"
    "  bloom build known list             make a filter of the lines of list\n"
    "  bloom check -v known new           the lines of new not in list\n"
    "\n"
    "A known line is never taken for a new one. A new line may be taken for a\n"
    "known one, at the rate P, by default 0.001 (-p P).\n"
    "bloom VERB --help has the options of a verb, `man bloom` the rest.\n";

static const char lines[] =
    "\n"
    "IN is a file; without IN, or if it is -, the input is standard input.\n"
    "No filter records the options -z, -k, -t, -i, --crlf and --trim. Give\n"
    "the same ones to build, add, check, and every run of uniq -f FILE.\n";

static int help_all(void)
{
    const verb *v;
    puts("bloom remembers lines in a Bloom filter, in a few bits each.\n");
    for (v = verbs; v->name; v++)
        printf("  bloom %-5s %-17s  %s\n", v->name, v->operands, v->brief);
    printf("\n%s", examples);
    close_output();
    return 0;
}

static int help(const char *name)
{
    const verb *v;
    if (!name)
        return help_all();
    v = find_verb(verbs, name);
    printf("usage: bloom %s %s%s\n\n%s", v->name,
           *v->letters ? "[OPTION...] " : "", v->operands, v->help);
    if (*v->letters)
        print_options(v);
    if (strchr(v->letters, 'z'))
        fputs(lines, stdout);
    puts("\nThe exit status is 2 on any error. Otherwise it is 0, unless said "
         "above.");
    close_output();
    return 0;
}

/* ---- The command --------------------------------------------------------- */

static bool is_help(const char *word)
{
    return word && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0);
}

static int version(void)
{
    printf("bloom %d.%d.%d\n", BLOOM_VERSION / 10000,
           BLOOM_VERSION / 100 % 100, BLOOM_VERSION % 100);
    close_output();
    return 0;
}

/* If a standard stream is closed, the next file to be opened would take its
   number. This opens /dev/null in its place, in the wrong mode, so that reading
   or writing the stream fails. */
static void prepare(void)
{
    int fd;
    signal(SIGXFSZ, SIG_IGN);           /* write then fails with EFBIG */
    watch_questions(false);
    for (fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

int main(int count, char **words)
{
    const char *name = words[1];
    const verb *v;
    options o;
    char **operands;
    prepare();
    if (count < 2)
        misused("no verb given, such as uniq or build; bloom help lists them");
    if (strcmp(name, "--version") == 0)
        return version();
    if (is_help(name) || strcmp(name, "help") == 0)
        return help(count > 2 && !is_help(words[2]) ? words[2] : NULL);
    v = find_verb(verbs, name);
    if (count > 2 && is_help(words[2]))
        return help(name);
    operands = parse_options(v, count - 1, words + 1, &o);
    return v->run(&o, operands);
}
