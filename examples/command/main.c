/* main.c: bloom, a command that remembers lines in Bloom filters

       bloom uniq [-f FILE] [IN...]        drop lines that were seen before
       bloom build OUT [IN...]             make a filter of the lines of IN
       bloom check FILE [IN...]            print the lines that may be in FILE
       bloom --help                        show all verbs and options

   cc -std=c99 -O2 -I. examples/command/[a-z]*.c -pthread -o bloom */
#include "command.h"

#define PLAN "[-n N] [-p P] [-l LAYOUT] [-w 64|32] [-s SEED]"
#define KEY "[-z] [-k N[,M]] [-t SEP] [-i] [--crlf] [--trim]"

const verb verbs[] = {
    { "uniq", "fnplwsFNASWdczktiCT", 0, INT_MAX, uniq_lines,
      "uniq [-f FILE] [--save SECONDS] [--no-wait] [-d] [-c]\n"
      "    " PLAN "\n    [--fixed | --last N | --for TIME]\n"
      "    " KEY " [IN...]",
      "prints each line the first time it is seen, in order and at once. On\n"
      "average, it loses at most a share P of the new lines. The filter grows\n"
      "as needed; with --last or --for it forgets old lines instead.\n"
      "FILE keeps the filter between runs. It records every line that was\n"
      "printed, unless SIGKILL or a crash ends the command. It also records the\n"
      "filter options, but not the key options (-z, -k, -t, -i, --crlf, --trim):\n"
      "give these in every run." },
    { "build", "nplwsOEWzktiCTj", 1, INT_MAX, build_filter,
      "build " PLAN "\n    [--fold | --foldable] [--no-wait] [-j N]\n"
      "    " KEY " OUT [IN...]",
      "makes a filter from the lines of IN, and writes it to OUT." },
    { "add", "WzktiCT", 1, INT_MAX, add_to_filter,
      "add [--no-wait]\n    " KEY " FILE [IN...]",
      "adds lines to an existing filter." },
    { "check", "vcqzktiCTj", 1, INT_MAX, check_lines,
      "check [-v] [-c] [-q] [-j N]\n    " KEY " FILE [IN...]",
      "prints the lines that may be in the filter; with -v, those that are\n"
      "certainly not in it." },
    { "info", "", 1, 1, show_info, "info FILE",
      "shows the layout, size, contents, false-positive rate and capacity of\n"
      "a filter, and whether it is intact." },
    { "merge", "pOW", 2, INT_MAX, merge_filters,
      "merge [--fold -p P] [--no-wait] OUT A...",
      "writes the union of filters to OUT; they must be built with the same\n"
      "options. OUT is replaced, and may be one of them." },
    { "fold", "npBW", 1, 1, fold_filter,
      "fold [-p P] [-n N] [--by D] [--no-wait] FILE",
      "shrinks a filter to the smallest possible size that keeps the rate P\n"
      "for the lines in it (for N lines, if N is larger), or divides its size\n"
      "by D. The divisor must be a whole number; filters that were built with\n"
      "--foldable or --fold have many." },
    { "dump", "", 1, 1, dump_filter, "dump FILE",
      "prints a filter as a C array for ROM; a filter that grows or forgets\n"
      "becomes several arrays." },
    { NULL, NULL, 0, 0, NULL, NULL, NULL }
};

const verb *find_verb(const char *name)
{
    const verb *v = verbs;
    while (v->name && strcmp(name, v->name) != 0)
        v++;
    if (!v->name)
        misused("%s: no such verb; bloom help lists them", name);
    return v;
}

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
    prepare_system();
    if (count < 2)
        misused("no verb given, such as uniq or build; bloom help lists them");
    if (strcmp(name, "--version") == 0)
        return version();
    if (is_help(name) || strcmp(name, "help") == 0)
        return help(count > 2 && !is_help(words[2]) ? words[2] : NULL);
    v = find_verb(name);
    if (count > 2 && is_help(words[2]))
        return help(name);
    return v->run(parse_options(v, count - 1, words + 1));
}
