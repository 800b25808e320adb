/* help.c: the help texts of the command */
#include "command.h"

/* The text, with its lines after the first indented. */
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

/* The first line of an option that is for this verb, or for any */
static const option_line *line_for(int letter, const char *name)
{
    const option_line *o = option_list;
    while (o->letter != letter
           || (o->verb && (!name || strcmp(o->verb, name) != 0)))
        o++;
    return o;
}

/* name: of the verb; NULL: of none */
static void print_options(const char *letters, const char *name)
{
    const option_line *o;
    for (o = option_list; o->letter; o++)
        if (strchr(letters, o->letter) && o == line_for(o->letter, name))
            print_option(o);
}

static const char about[] =
    "IN      standard input if it is - or not given\n"
    "N       such as 1e6. Without it build counts the lines, and uniq begins\n"
    "        with room for a million (without FILE, for two)\n"
    "\n"
    "A line is its bytes without the newline. A known line is never taken for\n"
    "new. Exit status: 0; 1 if check prints no line; 2 if anything is wrong,\n"
    "then OUT is left as it was, and FILE of uniq records every line that\n"
    "was printed; 3 if the filter of uniq takes more new lines for known\n"
    "than P.\n";

static const char examples[] =
    "Examples:\n"
    "  bloom uniq <urls >new               like sort -u, but in order, at once\n"
    "  tail -F log | bloom uniq -f seen    each line once, over all runs\n"
    "  bloom uniq -k 1,1 -t , a.csv b.csv  one line for each first field\n"
    "  bloom build known list; bloom check -v known new\n"
    "  bloom build -t : -k 1,1 leaked pwned.txt; bloom check -q leaked <hash\n"
    "  bloom build -n 1e9 part1 a; bloom build -n 1e9 part2 b\n"
    "  bloom merge all part1 part2\n"
    "  tail -F log | bloom uniq -f day --for 24h   each line once a day\n";

static int help_all(void)
{
    const verb *v;
    puts("bloom remembers lines in a few bits each, whatever their length.\n");
    for (v = verbs; v->name; v++) {
        printf("bloom %s\n    ", v->usage);
        print_indented(v->help, 4);
    }
    puts("bloom help [VERB] | --help | --version");
    puts("\nOptions (bloom help VERB tells which a verb has):\n");
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
