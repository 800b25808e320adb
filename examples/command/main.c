/* main.c: bloom, a command that remembers lines in Bloom filters

       bloom uniq [-f FILE] [IN...]        drop lines that were seen before
       bloom build OUT [IN...]             make a filter of the lines of IN
       bloom check FILE [IN...]            print the lines that may be in FILE
       bloom --help                        show all verbs and options

   cc -std=c99 -O2 -I. examples/command/[a-z]*.c -pthread -o bloom */
#include "build.h"
#include "check.h"
#include "dump.h"
#include "fold.h"
#include "help.h"
#include "info.h"
#include "options.h"
#include "say.h"
#include "system.h"
#include "uniq.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const verb verbs[] = {
    { "uniq", "fnMplwsFNASWdczktiCT", 0, INT_MAX, uniq_lines,
      "[-f FILE] [IN...]", "print each line the first time it is seen",
      "Prints each line the first time it is seen, in order and at once.\n"
      "On average, it loses at most a share P of the new lines. The\n"
      "filter grows as needed; with --last or --for it forgets old lines\n"
      "instead.\n"
      "\n"
      "FILE keeps the filter between runs. It records every line that was\n"
      "printed, unless SIGKILL or a crash ends the command. A line that\n"
      "the reader of a pipe left unread is not recorded. At the end, uniq\n"
      "waits for the reader, for at most the time of --save. FILE also\n"
      "records the filter options, so later runs may leave them out.\n"
      "\n"
      "The exit status is 3 if the rate has become too high, so that uniq\n"
      "may have lost more new lines than P allows. A message estimates\n"
      "how many.\n" },
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

int main(int count, char **words)
{
    const char *name = words[1];
    const verb *v;
    options o;
    char **operands;
    prepare_system();
    if (count < 2)
        misused("no verb given, such as uniq or build; bloom help lists them");
    if (strcmp(name, "--version") == 0)
        return version();
    if (is_help(name) || strcmp(name, "help") == 0)
        return help(verbs, count > 2 && !is_help(words[2]) ? words[2]
                                                         : NULL);
    v = find_verb(verbs, name);
    if (count > 2 && is_help(words[2]))
        return help(verbs, name);
    operands = parse_options(v, count - 1, words + 1, &o);
    return v->run(&o, operands);
}
