/* command.h: what the files of the bloom command have in common

   main.c      the command line          plan.c     how a filter is made
   options.c   what may stand there      filter.c   a filter, or a chain of them
   help.c      what is said of it        save.c     the file it is kept in
   uniq.c      bloom uniq                keys.c     lines, and their keys
   waiting.c   its lines, until printed  jobs.c     threads, and what they print
   build.c     bloom build, add, merge   library.c  bloom.h itself, its memory
   check.c     bloom check               atomic.c   bloom.h again, for threads
   show.c      bloom info, dump          system.c   what ISO C does not have
   fold.c      bloom fold                forget.c   what knows lines of late
   lost.c      what uniq loses */

#ifndef COMMAND_H
#define COMMAND_H

#define PROGRAM "bloom"
void erase_progress(void);
#define BEFORE_MESSAGE erase_progress

#include "files.h"
#include "bloom.h"
#include "lines.h"
#include "../companions/bloom_chain.h"
#include "../companions/bloom_window.h"

#include <ctype.h>
#include <limits.h>

/* ---- Options ------------------------------------------------------------ */

typedef struct options {
    uint64_t n, seed, save;         /* save: seconds */
    uint64_t last_lines, age, by;   /* --last, --for: seconds, --by; 0: not
                                       given */
    double p;
    int layout, width;              /* positions in these lists; -1: neither */
    const char *file;
    uint64_t first, last;           /* fields; 0: none, to the end */
    unsigned jobs;
    char separator, end;
    bool n_given, p_given, seed_given, save_given, separator_given;
    bool fold, foldable, fixed, no_wait, inverted, quiet, counts, repeated;
    bool ignore_case, crlf, trim;
} options_t;

extern options_t options;
extern const char *const layouts[], *const widths[];

/* For what is wrong on the command line */
#define misused(...) (say(__VA_ARGS__), name_help(), exit(2))
void name_help(void);               /* where help is: bloom help VERB */

/* An option with a text of its own for one verb stands before the general
   one. */
typedef struct option_line {
    int letter;                     /* none if it is a capital */
    const char *word, *value, *help;
    const char *verb;               /* NULL: any */
} option_line;

extern const option_line option_list[];  /* ends with letter 0 */

typedef struct verb {
    const char *name, *letters;     /* of its options */
    int least, most;                /* operands */
    int (*run)(char **operands);    /* returns the exit status */
    const char *usage, *help;
} verb;

extern const verb verbs[];          /* ends with a NULL name */

const verb *find_verb(const char *name);
char **parse_options(const verb *v, int count, char **words);
int help(const char *name);         /* NULL: of all */

int uniq_lines(char **operands);
int build_filter(char **operands);
int add_to_filter(char **operands);
int check_lines(char **operands);
int show_info(char **operands);
#define row(name, ...) (printf("%-17s", name), printf(__VA_ARGS__))
void print_keys(uint64_t known);
void print_rate(double rate);
int merge_filters(char **operands);
int dump_filter(char **operands);
int fold_filter(char **operands);

/* ---- Filters ------------------------------------------------------------ */

/* One filter, which stays as large as it is, or a chain, which grows, or a
   window, which forgets. A chain's head tells what it was made for; the other
   files do not. */
typedef struct filter {
    bloom *one;                     /* two of these are NULL */
    bloom_chain *chain;
    bloom_window *window;
    double p;                       /* the rate it is to have; 0: unknown */
    uint64_t n;                     /* so many lines one, or the first link of
                                       a chain, is for; 0: unknown */
    uint64_t known;                 /* so many, at least, are in one */
    bool told;                      /* that a window forgets early */
} filter;

filter new_filter(uint64_t n);      /* as the options say */
filter new_chain(uint64_t first_n);
bloom_plan given_plan(void);        /* without m and k */
bloom_plan checked_plan(bloom_plan plan, uint64_t n, double p, bloom_plan like);
void must_agree(filter *f, const char *name);   /* with the options */

void *need_memory(size_t size, const char *name);
filter read_filter(const char *name);
filter read_sound_filter(const char *name);
void free_filter(filter *f);
bool begins_as_filter(const void *bytes, size_t size);
void must_be_one(const filter *f, const char *name, const char *why);

unsigned links_of(const filter *f);
const bloom *link_of(const filter *f, unsigned i);
double rate_of(const filter *f);
uint64_t keys_in(const filter *f);
size_t size_of(const filter *f);
bloom_error seal_of(const filter *f);

size_t add_lines(filter *f, const bloom_key *key, size_t count, bool *is_new);
size_t add_hashes(filter *f, const bloom_hash *hash, size_t count);
const bloom_hash *hash_lines(const filter *f, const bloom_key *key,
                             size_t count, bloom_hash *hash);   /* the last */
void look_up(const filter *f, const bloom_key *key, size_t count, bool *maybe);
void look_up_hashes(const filter *f, const bloom_hash *hash, size_t count,
                    bool *maybe);

/* Says so if the rate is above the one that was asked for, or if that is not
   known, above 25%; was it said? Reads the whole filter. */
bool warn_if_full(const filter *f, const char *name, const char *fate);

/* How many new lines were taken for known since look_at_start, about, if a line
   was added `late` lines after it was looked up; negative: cannot be told, as
   every cell of a filter is set */
void look_at_start(const filter *f);
double lost_since_start(const filter *f, double late);

/* Windows: their time is looked at whenever something is added. */
filter new_window(void);            /* as the options say */
bool window_wanted(void);
void window_must_agree(const filter *f, const char *name);
void forget_old(filter *f);         /* by the clock; of others nothing */
size_t add_to_window(filter *f, const bloom_hash *hash, size_t count);
size_t add_new_to_window(filter *f, const bloom_hash *hash, size_t count,
                         bool *is_new);
void print_window(const filter *f);

/* Folds it to the smallest size that has the rate p with n lines; false, and as
   it was, if it has no such size. */
bool fold_for(filter *f, uint64_t n, double p);
bloom_plan make_foldable(bloom_plan plan);

/* Adds while other threads do. */
size_t add_atomically(bloom *b, const bloom_key *key, size_t count);

/* ---- Files that are written --------------------------------------------- */

/* One for each run. A symbolic link is followed. */
bool take_output(const char *path); /* locks it; is anything in it? */
bool reserve(size_t size);          /* room on the disk for what is saved next;
                                       false, and errno: there is none */
void *filter_memory(size_t size);   /* that of a new filter; NULL also if room is
                                       reserved, and there is none for it */
int disk_is_full(void);             /* errno, if that happened; or 0 */
bool try_to_save(const char *path, filter *f);  /* false: why was said */
void save_filter(const char *path, filter *f);  /* or ends */
void let_go(void);                  /* unlocks it */
void remove_leftovers(void);        /* also from a signal handler */

/* ---- Lines -------------------------------------------------------------- */

enum { BATCH = 256 };

/* Keys are handed to the filter some at a time: a large one is not in the
   processor's caches, and so the waits for it overlap. */
typedef struct batch {
    bloom_key line[BATCH], made[BATCH];
    const bloom_key *key;           /* of the lines: they themselves, or made */
    char *lower;                    /* room for keys without capitals */
    size_t lower_room;
} batch;

size_t next_batch(batch *b, chunk *c);
bool looks_like_a_count(bloom_key key);     /* HASH:COUNT */
bool looks_like_a_hash(bloom_key key);

/* What is done with each chunk of lines, by several threads at once: `slot` is
   the thread's number. It leaves in c what is to be printed, and adds the lines
   that it saw to *lines. Printing is in the order of the chunks. */
typedef struct job {
    void (*run)(struct job *, unsigned slot, chunk *c, uint64_t *lines);
    void *with;
    bool prints;
    const char *doing;              /* for the progress line: "read" */
} job;

uint64_t do_lines(reader *in, job *j, unsigned threads);    /* how many lines */
void keep_lines(chunk *c, size_t *kept, const batch *b, const bool *wanted,
                bool value, size_t count);
void close_output(void);

/* ---- Lines that are printed before their keys are added ------------------ */

enum { MOST_WAITING = 1 << 16 };

bool is_waiting(bloom_hash hash);
void let_wait(bloom_hash hash, uint64_t end);   /* end: of its line, in all that
                                                   is printed, in bytes */
size_t count_waiting(void);         /* at most MOST_WAITING */
size_t add_printed(filter *f, uint64_t bytes);      /* those that end there */

/* ---- System ------------------------------------------------------------- */

void prepare_system(void);
unsigned count_cores(void);
void *image_memory(size_t size);    /* large ones in huge pages; free() */
bool allocate(int fd, size_t from, size_t size);    /* room of a file on the
                                       disk; false, and errno: there is none */
double seconds(void);               /* of a clock that never goes back */
uint64_t milliseconds(void);        /* since 1970, by the wall's clock */

/* Signals that end a program: at once if the command only reads and computes,
   when it is told so if it has to save before. */
void watch_signals(bool may_wait);
void hold_signals(bool held);
int stop_signal(void);              /* the first one; 0: none came */
bool stop_now(void);                /* a second one came */
void end_by_signal(int number);
bool wait_for_input(int fd, double until);  /* false: a signal, or the time */

/* Standard output: how many bytes it takes without waiting (0: a signal, or the
   time, came before it took any), and how many lie in a pipe, unread. */
size_t room_in_output(double until);
size_t unread_output(void);

#endif
