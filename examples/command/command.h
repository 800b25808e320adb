/* command.h: declarations shared by the files of the bloom command

   main.c      the list of verbs         plan.c     new filters from options
   options.c   the command line          filter.c   filters in memory
   help.c      help, from the tables     save.c     files of filters, locks
   uniq.c      bloom uniq                keys.c     the key of each line
   waiting.c   lines not yet printed     jobs.c     threads, the state of a run
   build.c     bloom build, add, merge   input.h    messages, lines of files
   check.c     bloom check               library.c  bloom.h, compiled once
   show.c      bloom info, dump          atomic.c   bloom.h for many threads
   fold.c      bloom fold                system.c   what ISO C does not offer
   forget.c    sliding windows           full.c     more lines than planned */

#ifndef COMMAND_H
#define COMMAND_H

#include "input.h"
#include "../companions/bloom_chain.h"
#include "../companions/bloom_window.h"

#include <limits.h>

/* ---- Options ------------------------------------------------------------ */

typedef struct options {
    uint64_t n, seed, save;         /* save: seconds */
    uint64_t last_lines, age, by;   /* --last, --for (in seconds), --by;
                                       0: not given */
    double p;
    int layout, width;              /* indexes into layouts, widths; -1: not
                                       given */
    const char *file;
    uint64_t first, last;           /* fields of -k; first 0: no -k; last 0:
                                       to the end of the line */
    unsigned jobs;
    char separator, end;
    bool n_given, p_given, seed_given, save_given, separator_given;
    bool fold, foldable, fixed, no_wait, inverted, quiet, counts, repeated;
    bool ignore_case, crlf, trim, json;
} options_t;

extern options_t options;
extern const char *const layouts[], *const widths[];

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

typedef struct verb {
    const char *name, *letters;     /* letters: of its options */
    int least, most;                /* number of operands */
    int (*run)(char **operands);    /* returns the exit status */
    const char *operands, *brief, *help;        /* brief: for bloom --help */
} verb;

extern const verb verbs[];          /* ends with a NULL name */

const verb *find_verb(const char *name);
char **parse_options(const verb *v, int count, char **words);
int help(const char *name);         /* of one verb; NULL: of all */

int uniq_lines(char **operands);
int build_filter(char **operands);
int add_to_filter(char **operands);
int check_lines(char **operands);
int show_info(char **operands);
int merge_filters(char **operands);
int dump_filter(char **operands);
int fold_filter(char **operands);

/* ---- Filters ------------------------------------------------------------ */

/* Exactly one of the three pointers is set: `one`, a single filter of fixed
   size; `chain`, a scalable Bloom filter, which grows; or `window`, a sliding
   window, which forgets. Only the file of a chain records n and p. */
typedef struct filter {
    bloom *one;
    bloom_chain *chain;
    bloom_window *window;
    double p;                       /* planned rate; 0: unknown */
    uint64_t n;                     /* planned number of lines, of a chain: of
                                       its first link; 0: unknown */
    uint64_t known;                 /* `one` holds at least this many */
    bool warns;                     /* if the window forgets all, too early or
                                       too late */
    bool changed, sealed;           /* since its file was read or written;
                                       whether that has a seal */
} filter;

filter new_filter(uint64_t n);      /* by the options */
size_t size_planned(uint64_t n);    /* of such a filter */
filter new_hasher(void);
filter new_chain(uint64_t first_n);
bloom_plan given_plan(void);        /* by the options, without m and k */
bloom_plan checked_plan(bloom_plan plan, uint64_t n, double p, bloom_plan like);
void must_agree(filter *f, const char *name);   /* with the options; or exits */

void *need_memory(size_t size, const char *name);
filter read_filter(const char *name);
filter read_sound_filter(const char *name);     /* exits if it is damaged */
void free_filter(filter *f);
void must_be_one(const filter *f, const char *name, const char *why);
void refuse_damage(const filter *f, bloom_error seal, const char *name);

unsigned links_of(const filter *f);
const bloom *link_of(const filter *f, unsigned i);
double rate_of(const filter *f);
uint64_t keys_in(const filter *f);
size_t size_of(const filter *f);
bloom_error seal_of(const filter *f);

size_t add_lines(filter *f, const bloom_key *key, size_t count, bool *is_new);
size_t add_hashes(filter *f, const bloom_hash *hash, size_t count);
/* Returns `hash`. */
const bloom_hash *hash_lines(const filter *f, const bloom_key *key,
                             size_t count, bloom_hash *hash);
void look_up(const filter *f, const bloom_key *key, size_t count, bool *maybe);
void look_up_hashes(const filter *f, const bloom_hash *hash, size_t count,
                    bool *maybe);

/* Prints a warning and returns true if the filter has exceeded its planned
   false-positive rate, or 25% if that rate is unknown. Reads all cells. */
bool warn_if_full(const filter *f, const char *name, const char *fate);
enum { EXCEEDED = 3 };              /* exit status of the command then */

/* Estimates how many new lines were taken for known ones since look_at_start.
   `late`: how many lines, on average, were looked up but not yet added when a
   line was looked up. Negative: unknown, as every cell of a filter is set. */
void look_at_start(const filter *f);
double lost_since_start(const filter *f, double late);

/* Windows. Each call that adds lines first forgets those that are too old. */
filter new_window(void);            /* by the options */
bool window_wanted(void);
void window_must_agree(const filter *f, const char *name);
void forget_old(filter *f);         /* for a window of --for; of any other
                                       filter, it changes nothing */
size_t add_to_window(filter *f, const bloom_hash *hash, size_t count);
size_t add_new_to_window(filter *f, const bloom_hash *hash, size_t count,
                         bool *is_new);
uint64_t lines_known(const bloom_window *w);    /* N of --last and --for */
uint64_t age_known(const bloom_window *w);      /* seconds; 0: --last */
const char *print_age(char text[40], uint64_t age);

/* Folds a single filter to the smallest size that keeps the rate p with n
   lines. Returns false, without changing it, if no size does. */
bool fold_for(filter *f, uint64_t n, double p);
bloom_plan make_foldable(bloom_plan plan);
size_t size_folded(const filter *f);

/* Several threads may add to one filter at the same time. */
size_t add_atomically(bloom *b, const bloom_key *key, size_t count);

/* ---- Files that are written --------------------------------------------- */

/* Each run writes at most one file. Symbolic links are followed. */
bool take_output(const char *path); /* locks it, or exits; returns whether it
                                       exists and is not empty */
bool reserve(size_t size);          /* disk space for the next save; false, with
                                       errno set: there is not enough */
void *filter_memory(size_t size);   /* for a new filter; NULL also if disk space
                                       is being reserved, and is short */
int disk_is_full(void);             /* errno if that has happened, else 0 */
bool try_to_save(const char *path, filter *f);  /* false: after a message, that
                                       it is elsewhere, or nowhere */
void save_filter(const char *path, filter *f);  /* or exits */
void save_changes(const char *path, filter *f); /* if there are any */
bool is_replaced(void);             /* by another program, or removed, and the
                                       user was not told yet */
void let_go(void);                  /* releases the lock */
void remove_leftovers(void);        /* signal handlers may call it */

/* ---- Lines -------------------------------------------------------------- */

enum { BATCH = 256 };

/* The filter gets many keys per call. A large filter is not in the processor's
   caches, and the memory accesses of one call overlap. */
typedef struct batch {
    bloom_key line[BATCH], made[BATCH];
    const bloom_key *key;           /* `line`, or `made` if keys are not whole
                                       lines */
    char *lower;                    /* buffer for keys in lower case */
    size_t lower_room;
} batch;

size_t next_batch(batch *b, chunk *c);
bool looks_like_a_count(bloom_key key);     /* HASH:COUNT */
bool looks_like_a_hash(bloom_key key);
enum { MANY_HASHES = 100 };         /* so many lines may give a hint */

typedef struct tally { uint64_t lines, found; } tally;      /* found: new lines,
                                                               for example */

/* Several threads call `run`, each with a chunk of lines; `slot` is the number
   of the thread. It leaves in c what is to be printed, and counts the lines in
   *sum. Chunks are printed in the order of the input. */
typedef struct job {
    void (*run)(struct job *, unsigned slot, chunk *c, tally *sum);
    void *with;
    bool prints;
    /* for the state of the run: */
    const char *doing, *found;      /* "read"; what sum->found counts, or
                                       NULL */
    bool at_most;                   /* sum->found may be too large */
    double (*rate)(const struct job *, uint64_t found); /* now; or NULL */
} job;

tally do_lines(reader *in, job *j, unsigned threads);
void tell_state(void);              /* if SIGUSR1 came, or it is due */
double state_due(void);             /* a time */
void keep_lines(chunk *c, size_t *kept, const batch *b, const bool *wanted,
                bool value, size_t count);
void close_output(void);

/* ---- Lines that are printed before their keys are added ------------------ */

enum { MOST_WAITING = 1 << 16 };

bool is_waiting(bloom_hash hash);
void let_wait(bloom_hash hash, uint64_t end);   /* end: bytes of output up to
                                                   the end of its line */
size_t count_waiting(void);         /* at most MOST_WAITING */
void add_printed(filter *f, uint64_t bytes);    /* lines that end within the
                                                   first `bytes` of output */

/* ---- System ------------------------------------------------------------- */

void prepare_system(void);
unsigned count_cores(void);
void *image_memory(size_t size);    /* huge pages for large sizes; free() it */
bool is_mount_point(const char *path, int beside);  /* beside: an open file in
                                                       the same folder */
double seconds(void);               /* of a clock that never goes back */
uint64_t milliseconds(void);        /* since 1970, by the system's clock */
double clock_set_ahead(void);       /* seconds, since the program began */

/* Signals that end a program. With may_wait, they are only recorded, and the
   command saves and ends when it sees stop_signal(). Otherwise the first one
   ends the command at once. */
void watch_signals(bool may_wait);
void hold_signals(bool held);
void watch_questions(bool at_work); /* records SIGUSR1. If it is at work, that
                                       also interrupts what waits */
bool was_asked(void);               /* has SIGUSR1 come since the last call? */
int stop_signal(void);              /* the first signal; 0: none has come */
bool stop_now(void);                /* has a second signal come? */
void end_by_signal(int number);
#define NEVER 1e300                 /* later than any time */
bool wait_for_input(int fd, double until);  /* false: a signal came, or the
                                               time did */

/* Standard output: how many bytes it takes without blocking (0: a signal or the
   time came first), and how many bytes in a pipe were not read yet. */
size_t room_in_output(double until);
size_t unread_output(void);
bool reader_exits(double until);    /* of a pipe; false: a signal or the time
                                       came first */

#endif
