/* main.c: bloom, a command that remembers lines in a few bits each

       bloom uniq [-f FILE] [IN...]        drop lines seen before
       bloom build OUT [IN...]             a filter of lines
       bloom check FILE [IN...]            print the lines that are in
       bloom --help                        more

   cc -std=c99 -O2 -I. examples/bloom/[a-z]*.c -pthread -o bloom */
#include "command.h"

#define PLAN "[-n N] [-p P] [-l LAYOUT] [-w 64|32] [-s SEED]"
#define KEY "[-z] [-k N[,M]] [-t SEP] [-i] [--crlf] [--trim]"

const verb verbs[] = {
    { "uniq", "fnplwsFNASWdczktiCT", 0, INT_MAX, uniq_lines,
      "uniq [-f FILE] [--save SECONDS] [--no-wait] [-d] [-c]\n"
      "    " PLAN "\n    [--fixed | --last N | --for TIME]\n"
      "    " KEY " [IN...]",
      "copies each line the first time it is seen; grows as lines come, and\n"
      "takes at most the share P of the new ones for known. FILE keeps the\n"
      "memory from run to run: what was printed is in it, unless SIGKILL ends\n"
      "the command. "
      "With --last or --for it forgets, and never grows" },
    { "build", "nplwsOEWzktiCTj", 1, INT_MAX, build_filter,
      "build " PLAN " [--fold | --foldable]\n    " KEY "\n"
      "    [--no-wait] [-j N] OUT [IN...]",
      "makes a filter of lines" },
    { "add", "WzktiCT", 1, INT_MAX, add_to_filter,
      "add [--no-wait] " KEY "\n    FILE [IN...]",
      "adds lines to a filter that is there" },
    { "check", "vcqzktiCTj", 1, INT_MAX, check_lines,
      "check [-v] [-c] [-q] " KEY "\n    [-j N] FILE [IN...]",
      "prints the lines that may be in; with -v, that are certainly not in" },
    { "info", "", 1, 1, show_info, "info FILE",
      "tells layout, size, fill, rate, room left, and whether it is sound" },
    { "merge", "pOW", 2, INT_MAX, merge_filters,
      "merge [--fold -p P] [--no-wait] OUT A...",
      "makes the union of filters with equal plans; OUT is replaced, and may\n"
      "be one of them" },
    { "fold", "npBW", 1, 1, fold_filter,
      "fold [-p P] [-n N] [--by D] [--no-wait] FILE",
      "makes a filter as small as P allows for the lines in it, or for N if\n"
      "these are more; or D times smaller" },
    { "dump", "", 1, 1, dump_filter, "dump FILE",
      "prints the filter as a C array for ROM; one that can grow as several" },
    { NULL, NULL, 0, 0, NULL, NULL, NULL }
};

const verb *find_verb(const char *name)
{
    const verb *v = verbs;
    while (v->name && strcmp(name, v->name) != 0)
        v++;
    if (!v->name)
        misused("%s: not one of the verbs", name);
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
        misused("no verb is given; bloom help tells what each does");
    if (strcmp(name, "--version") == 0)
        return version();
    if (is_help(name) || strcmp(name, "help") == 0)
        return help(count > 2 && !is_help(words[2]) ? words[2] : NULL);
    v = find_verb(name);
    if (count > 2 && is_help(words[2]))
        return help(name);
    return v->run(parse_options(v, count - 1, words + 1));
}
