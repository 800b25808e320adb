/* help.c: bloom help */
#include "command.h"

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
    while (o->letter != letter
           || (o->verb && (!name || strcmp(o->verb, name) != 0)))
        o++;
    return o;
}

/* name: of the verb; NULL: general texts only */
static void print_options(const char *letters, const char *name)
{
    const option_line *o;
    for (o = option_list; o->letter; o++)
        if (strchr(letters, o->letter) && o == line_for(o->letter, name))
            print_option(o);
}

static const char about[] =
    "IN is a file; without IN, or if it is -, the input is standard input.\n"
    "N is a number such as 1000000 or 1e6. Without -n, build counts the lines\n"
    "first, and uniq begins with a filter for 1e6 lines (without FILE, 2e6).\n"
    "\n"
    "A line is its bytes without the newline. A known line is never taken for\n"
    "a new one; a new line may be taken for a known one, at the rate P.\n"
    "\n"
    "FILE of uniq records the filter options, so later runs may leave them out.\n"
    "No filter records the key options (-z, -k, -t, -i, --crlf, --trim). Give\n"
    "the same ones to build, add, check, and every run of uniq -f FILE.\n"
    "\n"
    "Exit status: 0; 1 if check has no line to print; 2 on any error; 3 if the\n"
    "false-positive rate of uniq has become too high, so that it may have lost\n"
    "more new lines than P allows; a message estimates how many. On an error,\n"
    "OUT is left as it was, and uniq saves FILE with the lines it has printed.\n";

static const char examples[] =
    "Examples:\n"
    "  bloom uniq <urls >new               like sort -u, but in input order\n"
    "  tail -F log | bloom uniq -f seen    each line once, over all runs\n"
    "  bloom uniq -k 1,1 -t , a.csv b.csv  one line for each first field\n"
    "  bloom build known list; bloom check -v known new\n"
    "                                      the lines of new not in list\n"
    "  bloom build -t : -k 1,1 leaked pwned.txt\n"
    "  echo \"$hash\" | bloom check -q -t : -k 1,1 leaked\n"
    "                                      was this password breached?\n"
    "  bloom build -n 1e9 part1 a; bloom build -n 1e9 part2 b\n"
    "  bloom merge all part1 part2         one filter from two machines\n"
    "  tail -F log | bloom uniq -f day --for 24h   each line once a day\n";

static int help_all(void)
{
    const verb *v;
    puts("bloom remembers lines in a Bloom filter, in a few bits each.\n");
    for (v = verbs; v->name; v++) {
        printf("bloom %s\n    ", v->usage);
        print_indented(v->help, 4);
    }
    puts("bloom help [VERB] | --help | --version");
    puts("\nOptions (bloom help VERB lists those of one verb):\n");
    print_options("fnplwsFNAOEBSWvdcqzktiCTj", NULL);
    printf("\n%s\n%s", about, examples);
    close_output();
    return 0;
}

int help(const char *name)
{
    const verb *v;
    if (!name)
        return help_all();
    v = find_verb(name);
    printf("usage: bloom %s\n\nbloom %s ", v->usage, v->name);
    print_indented(v->help, 0);
    if (*v->letters) {
        putchar('\n');
        print_options(v->letters, v->name);
    }
    close_output();
    return 0;
}
