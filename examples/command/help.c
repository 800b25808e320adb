/* help.c: bloom --help and bloom VERB --help, from the table of verbs and that
   of options. bloom.bash reads both texts. */
#include "help.h"
#include "say.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

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

static int help_all(const verb *verbs)
{
    const verb *v;
    puts("bloom remembers lines in a Bloom filter, in a few bits each.\n");
    for (v = verbs; v->name; v++)
        printf("  bloom %-5s %-17s  %s\n", v->name, v->operands, v->brief);
    printf("\n%s", examples);
    close_output();
    return 0;
}

int help(const verb *verbs, const char *name)
{
    const verb *v;
    if (!name)
        return help_all(verbs);
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
