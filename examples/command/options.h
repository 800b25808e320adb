/* options.h: the verbs, and the command line of one. Verbs get their options
   from here, and hand on to other files what these need. */

#ifndef OPTIONS_H
#define OPTIONS_H

#include "lines.h"
#include "wish.h"

typedef struct options {
    wish filter;                    /* which one is wanted */
    key_rules keys;
    const char *file;               /* of uniq; NULL: none */
    uint64_t by;                    /* --by; 0: not given */
    unsigned jobs;                  /* threads */
    bool separator_given, fold, no_wait, inverted, quiet, counts, repeated,
         json;
} options;

typedef struct verb {
    const char *name, *letters;     /* letters: of its options */
    int least, most;                /* number of operands */
    int (*run)(const options *o, char **operands);      /* returns the exit
                                                           status */
    const char *operands, *brief, *help;        /* brief: for bloom --help */
} verb;

/* Each verb is in the file of its name. */
int uniq_lines(const options *o, char **operands);
int build_filter(const options *o, char **operands);
int add_to_filter(const options *o, char **operands);
int check_lines(const options *o, char **operands);
int show_info(const options *o, char **operands);
int merge_filters(const options *o, char **operands);
int fold_filter(const options *o, char **operands);
int dump_filter(const options *o, char **operands);

/* In a table of verbs, which ends with a NULL name. Exits if it is missing. */
const verb *find_verb(const verb *verbs, const char *name);

/* Parses the words after the verb, and returns the operands. */
char **parse_options(const verb *v, int count, char **words, options *o);

/* Reports an error in the command line, and exits. */
#define misused(...) (say(__VA_ARGS__), name_help(), exit(2))
void name_help(void);               /* prints "Try: bloom help VERB" */

/* An option may have a help text for one verb only. That entry stands before
   the general one. */
typedef struct option_line {
    int letter;                     /* a capital: it has a long name only */
    const char *word, *value, *help;
    const char *verb;               /* NULL: every verb that has the letter */
} option_line;

extern const option_line option_list[];  /* ends with letter 0 */

#endif
