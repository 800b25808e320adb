/* bloom: a command that remembers lines in a few bits each, with bloom.h

       bloom uniq [-n N] [-p P] [-f FILE] < IN        drop lines seen before
       bloom build [-n N] [-p P] [-w 64|32] [-l LAYOUT] [-s SEED] OUT [IN...]
       bloom check [-v] FILE [IN...]                  print lines that are in
       bloom info FILE                                bloom dump FILE
       bloom merge OUT A B...                         bloom --help

   cc -std=c99 -O2 -I. examples/bloom.c -o bloom */

#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#define BLOOM_IMPLEMENTATION
#include "bloom.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- What ISO C does not have ------------------------------------------- */

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>                 /* open, read, lseek, isatty, getopt... */

#ifdef _WIN32
#include <io.h>
#define SIGHUP SIGTERM
#define lstat stat
#define fsync _commit
#define fchmod(fd, mode) 0
#define rename(from, to) (remove(to), rename(from, to))
#define prepare_system() (_setmode(0, O_BINARY), _setmode(1, O_BINARY))
#else
#define O_BINARY 0
#define prepare_system() signal(SIGXFSZ, SIG_IGN)   /* is an error of write */
#endif

/* ---- Progress and errors ------------------------------------------------ */

static struct progress {
    bool wanted, shown;
    time_t next;
} progress;

static void show_progress(const char *done, uint64_t lines)
{
    time_t now = time(NULL);
    if (progress.wanted && now >= progress.next) {
        progress.next = now + 1;
        progress.shown = true;
        fprintf(stderr, "\rbloom: %" PRIu64 " lines %s", lines, done);
    }
}

static void erase_progress(void)
{
    if (progress.shown)
        fprintf(stderr, "\r%45s\r", "");
    progress.shown = false;
}

static void say(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    erase_progress();
    fputs("bloom: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
}

static const char *usage = "uniq|build|check|info|merge|dump ... | --help";

#define die(...) (say(__VA_ARGS__), exit(2))
#define die_of(why, name) die("%s: %s", name, why)
#define misused(...) \
    (say(__VA_ARGS__), fprintf(stderr, "usage: bloom %s\n", usage), exit(2))

static void *enlarge(void *memory, size_t size, const char *name)
{
    void *larger = realloc(memory, size);
    if (!larger)
        die("%s: not enough memory for %" PRIu64 " bytes", name,
            (uint64_t)size);
    return larger;
}

/* ---- Filters ------------------------------------------------------------ */
/* Each begins a block of malloc, whether it was made or read. */

static const char *const layouts[] = { "classic", "blocked", "counting" };
static const char *const widths[] = { "64", "32" };

static struct options {
    uint64_t n, seed;
    double p;
    int layout, width;              /* positions in these lists; -1: none */
    const char *file;
    bool n_given, p_given, inverted;
} options = { 1000000, 0, 0.001, -1, 0, NULL, false, false, false };

static bloom *new_filter(uint64_t n)
{
    int layout = options.layout < 0 ? BLOOM_CLASSIC : options.layout;
    bloom_plan plan = bloom_plan_layout(n, options.p, (bloom_layout)layout);
    size_t size;
    plan.seed = options.seed;
    plan.hash_bits = options.width ? 32 : 64;
    if (options.width && bloom_plan_fpr(plan, n) > 1.01 * options.p)
        die("-w 32: too narrow for %" PRIu64 " lines with a rate of %g",
            n, options.p);
    size = bloom_plan_size(plan);
    if (size == 0)
        die("-n %" PRIu64 " -p %g: more than fits into any memory",
            n, options.p);
    return bloom_init(enlarge(NULL, size, "filter"), size, plan);
}

static const char *shown(const char *name)
{
    return strcmp(name, "-") == 0 ? "standard input" : name;
}

static int open_input(const char *name)
{
    int fd = strcmp(name, "-") == 0 ? 0 : open(name, O_RDONLY | O_BINARY);
    if (fd < 0)
        die_of(strerror(errno), name);
    return fd;
}

/* What has arrived by now, or the next to arrive. 0: the end. */
static size_t read_some(int fd, const char *name, void *to, size_t most)
{
    const size_t limit = 1 << 20;   /* some systems do not take 2 GB at once */
    ssize_t got = read(fd, to, most < limit ? most : limit);
    if (got < 0)
        die_of(strerror(errno), shown(name));
    return (size_t)got;
}

/* By its header alone. */
static size_t size_of_image(const void *header, const char *name)
{
    bloom_error error;
    const bloom *b = bloom_view(header, SIZE_MAX, &error);
    if (error == BLOOM_TRUNCATED)
        die_of("too large for the memory of this machine", name);
    if (!b)
        die_of(bloom_error_text(error), name);
    return bloom_size(b);
}

/* Memory grows with what arrives, not with what a header claims. */
static bloom *read_filter(const char *name)
{
    const size_t header = 32;
    size_t have = 0, room = 1 << 16, size = header, got = 1;
    unsigned char *image = enlarge(NULL, room, name);
    int fd = open_input(name);
    while (have < size && got > 0) {
        if (have == room) {
            room = room < size / 2 ? room * 2 : size;
            image = enlarge(image, room, shown(name));
        }
        got = read_some(fd, name, image + have, room - have);
        have += got;
        if (size == header && have >= header)
            size = size_of_image(image, shown(name));
    }
    if (have < size)
        die_of(bloom_error_text(BLOOM_TRUNCATED), shown(name));
    close(fd);
    return bloom_open(image, size, NULL);
}

static bloom *read_sound_filter(const char *name)
{
    bloom *b = read_filter(name);
    if (bloom_verify(b) == BLOOM_CORRUPT) {
        free(b);
        die_of(bloom_error_text(BLOOM_CORRUPT), shown(name));
    }
    return b;
}

/* ---- Output ------------------------------------------------------------- */

/* Progress and lines do not mix on one terminal. */
static void open_output(void)
{
    static char buffer[1 << 16];
    if (isatty(1))
        progress.wanted = false;
    else
        setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
}

static void flush_output(void)
{
    if (ferror(stdout) || fflush(stdout) != 0)
        die_of(strerror(errno), "standard output");
}

/* Called before anything says that all went well. */
static void close_output(void)
{
    flush_output();
    if (fclose(stdout) != 0)
        die_of(strerror(errno), "standard output");
}

/* ---- Lines -------------------------------------------------------------- */
/* Lines are handed out some at a time, for bloom_add_many and _may_contain_many:
   a large filter is not in the processor's caches. */

enum { BATCH = 256 };

/* The lines of some files, one file after the other. What was read and not yet
   split into lines is buffer[start..end). */
typedef struct lines {
    char **names;                   /* files to come; NULL ends them */
    bool again;                     /* they are read once more, */
    off_t origin;                   /* from here */
    const char *name;               /* of the open file */
    int fd;                         /* -1: none is open */
    bool drained;                   /* the last read gave less than wanted */
    char *buffer;
    size_t room, start, end;
    size_t searched;                /* bytes from start without a '\n' */
    bloom_key line[BATCH];           /* in the buffer, a '\n' behind each */
    uint64_t count;
} lines;

static lines lines_of(char **names, bool again)
{
    static char dash[] = "-", *alone[] = { dash, NULL };
    lines in = { 0 };
    in.names = *names ? names : alone;
    in.again = again;
    in.fd = -1;
    in.room = 1 << 17;
    in.buffer = enlarge(NULL, in.room, "line");
    return in;
}

static bool open_next(lines *in)
{
    if (*in->names == NULL)
        return false;
    in->name = *in->names++;
    in->fd = open_input(in->name);
    in->origin = isatty(in->fd) ? -1 : lseek(in->fd, 0, SEEK_CUR);
    if (in->again && in->origin < 0)
        die("%s: can be read only once, so its lines cannot be counted "
            "beforehand; give -n N", shown(in->name));
    return true;
}

static void close_input(lines *in)
{
    if (in->again)
        lseek(in->fd, in->origin, SEEK_SET);
    if (in->fd != 0)
        close(in->fd);
    in->fd = -1;
}

/* Puts the beginning of a line that waits in front, and reads on behind it,
   where half the buffer is free at least: also for the '\n' that the last line
   of a file may lack. If we have to wait, what was printed should not. */
static bool refill(lines *in)
{
    size_t waiting = in->end - in->start, room, got;
    if (in->fd < 0)
        return false;
    if (in->start > 0)
        memmove(in->buffer, in->buffer + in->start, waiting);
    if (waiting > in->room / 2)
        in->buffer = enlarge(in->buffer, in->room *= 2, shown(in->name));
    if (in->drained)
        flush_output();
    room = in->room - waiting;
    got = read_some(in->fd, in->name, in->buffer + waiting, room);
    in->drained = got < room;
    in->start = 0;
    in->end = waiting + got;
    if (got == 0)
        close_input(in);
    if (got == 0 && waiting > 0)
        in->buffer[in->end++] = '\n';
    return in->end > 0;
}

static bool split(lines *in, bloom_key *line)
{
    const char *from = in->buffer + in->start;
    size_t waiting = in->end - in->start;
    const char *end = memchr(from + in->searched, '\n',
                             waiting - in->searched);
    in->searched = end ? 0 : waiting;
    if (!end)
        return false;
    line->data = from;
    line->size = (size_t)(end - from);
    in->start += line->size + 1;
    return true;
}

/* How many lines there are in in->line now: none at the end. They are good
   until more are asked for. */
static size_t next_lines(lines *in)
{
    size_t some = 0;
    do {
        while (some < BATCH && split(in, &in->line[some]))
            some++;
    } while (some == 0 && (refill(in) || open_next(in)));
    if (some == 0) {
        erase_progress();
        free(in->buffer);
    }
    if ((in->count + some) >> 16 != in->count >> 16)
        show_progress(in->again ? "counted" : "read", in->count + some);
    in->count += some;
    return some;
}

static uint64_t count_lines(char **names)
{
    lines in = lines_of(names, true);
    while (next_lines(&in) > 0)
        continue;
    return in.count;
}

static void print_line(bloom_key line)
{
    if (fwrite(line.data, 1, line.size + 1, stdout) != line.size + 1)
        die_of(strerror(errno), "standard output");
}

/* ---- Saving ------------------------------------------------------------- */
/* A filter is written to a file beside its own, which then takes its place:
   whatever happens, there is the old one or the new one. */

static char *beside;                /* the name of that file */

static void give_up(int signal_number)
{
    remove(beside);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void remove_if_interrupted(void)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    unsigned i;
    for (i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signal(signals[i], give_up) == SIG_IGN)
            signal(signals[i], SIG_IGN);
}

static FILE *create_beside(const char *path)
{
    size_t room = strlen(path) + 40;
    long number = (long)getpid(), end = number + 100;
    FILE *file = NULL;
    int fd;
    beside = enlarge(beside, room, path);
    do {
        snprintf(beside, room, "%s.tmp.%ld", path, number);
        fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_BINARY, 0666);
    } while (fd < 0 && errno == EEXIST && ++number < end);
    if (fd >= 0)
        file = fdopen(fd, "wb");
    if (!file)
        die_of(strerror(errno), path);
    return file;
}

/* Users who forget OUT must not lose their first IN. */
static void spare_other_files(const char *path)
{
    char magic[3];
    int fd = open_input(path);
    size_t got = read_some(fd, path, magic, sizeof magic);
    close(fd);
    if (got > 0 && (got < sizeof magic || memcmp(magic, "BLM", 3) != 0))
        die_of("is not a Bloom filter, so it is not replaced", path);
}

/* Says whether there is a file to replace. What would prevent that is said
   now, not after an hour's work. */
static bool look_at_output(const char *path)
{
    struct stat file;
    bool exists = lstat(path, &file) == 0;
    if (exists && !S_ISREG(file.st_mode))
        die_of("is a directory, a link or a device, not a plain file", path);
    if (exists ? access(path, W_OK) != 0 : errno != ENOENT)
        die_of(strerror(errno), path);
    if (exists)
        spare_other_files(path);
    fclose(create_beside(path));
    remove(beside);
    return exists;
}

static void save(const char *path, bloom *b)
{
    struct stat old;
    bool exists = stat(path, &old) == 0;
    FILE *file = create_beside(path);
    size_t size = bloom_size(b);
    const char *why;
    remove_if_interrupted();
    bloom_seal(b);
    if (fwrite(b, 1, size, file) == size && fflush(file) == 0
        && (!exists || fchmod(fileno(file), old.st_mode & 0777) == 0)
        && fsync(fileno(file)) == 0 && fclose(file) == 0
        && rename(beside, path) == 0)
        return;
    why = strerror(errno);
    remove(beside);
    die_of(why, path);
}

/* ---- Verbs -------------------------------------------------------------- */

static void warn_of_rate(const char *name, uint64_t n, const bloom *b,
                         const char *fate)
{
    double rate = bloom_fpr(b);
    say("%s: past %" PRIu64 " lines; 1 new line in %.*f %s (rate %.3g), and "
        "more with each; make a larger filter with -n",
        name, n, rate > 0.1, 1 / rate, fate, rate);
}

/* How many lines a filter was made for is not in it, but one of least memory
   was made for about as many as set half of its cells. */
static uint64_t made_for(bloom_plan plan)
{
    double rate = 1;
    unsigned i;
    for (i = 0; i < plan.hashes; i++)
        rate /= 2;
    return bloom_plan_capacity(plan, rate);
}

static bloom *recall(const char *path)
{
    if (options.n_given || options.p_given)
        misused("%s: is there already; -n and -p are for a new file", path);
    return read_sound_filter(path);
}

static int uniq(char **operands)
{
    static const char lost[] = "is now lost";
    const char *path = options.file, *name = path ? path : "standard input";
    bool exists = path && look_at_output(path);
    if (!path && options.layout < 0 && options.p >= 0.001)
        options.layout = BLOOM_BLOCKED;     /* nobody sees it: the fastest, */
                                            /* where it is hardly larger */
    bloom *seen = exists ? recall(path) : new_filter(options.n);
    uint64_t n = exists ? made_for(bloom_plan_of(seen)) : options.n;
    uint64_t known = bloom_estimate(seen);
    lines in = lines_of(operands, false);
    bool is_new[BATCH];
    size_t some, i;
    if (known > n)
        warn_of_rate(name, n, seen, lost);
    open_output();
    while ((some = next_lines(&in)) > 0) {
        bloom_add_many(seen, in.line, some, is_new);
        for (i = 0; i < some; i++) {
            if (is_new[i]) {
                print_line(in.line[i]);
                if (known++ == n)
                    warn_of_rate(name, n, seen, lost);
            }
        }
    }
    close_output();
    if (path)
        save(path, seen);
    free(seen);
    return 0;
}

static int build(char **operands)
{
    const char *path = *operands++;
    uint64_t n, known = 0;
    size_t some;
    lines in;
    bloom *b;
    look_at_output(path);
    n = options.n_given ? options.n : count_lines(operands);
    b = new_filter(n);
    in = lines_of(operands, false);
    while ((some = next_lines(&in)) > 0)
        known += bloom_add_many(b, in.line, some, NULL);
    if (known > n)
        warn_of_rate(path, n, b, "now passes for known");
    save(path, b);
    free(b);
    return 0;
}

static int check(char **operands)
{
    bloom *b = read_sound_filter(*operands);
    lines in = lines_of(operands + 1, false);
    bool maybe[BATCH];
    size_t some, i;
    int status = 1;
    open_output();
    while ((some = next_lines(&in)) > 0) {
        bloom_may_contain_many(b, in.line, some, maybe);
        for (i = 0; i < some; i++) {
            if (maybe[i] != options.inverted) {
                print_line(in.line[i]);
                status = 0;
            }
        }
    }
    close_output();
    free(b);
    return status;
}

#define row(name, ...) (printf("%-17s", name), printf(__VA_ARGS__))

static void print_capacity(const char *name, bloom_plan plan, double p,
                           uint64_t known)
{
    uint64_t all = bloom_plan_capacity(plan, p);
    row(name, "%" PRIu64 " (%" PRIu64 " more)\n", all,
        all > known ? all - known : 0);
}

static void print_contents(const bloom *b)
{
    bloom_plan plan = bloom_plan_of(b);
    uint64_t ones = bloom_ones(b), known = bloom_estimate(b);
    double rate = bloom_fpr(b);
    double fill = 100 * (double)ones / (double)plan.cells;
    row("ones:", "%" PRIu64 " (%.2f%%)\n", ones, fill);
    if (known == UINT64_MAX)
        row("keys:", "more than can be told: every cell is set\n");
    else
        row("keys:", "about %" PRIu64 "\n", known);
    if (rate > 0)
        row("rate now:", "%.3g (1 in %.*f)\n", rate, rate > 0.1, 1 / rate);
    else
        row("rate now:", "0\n");
    print_capacity("keys until 1%:", plan, 0.01, known);
    print_capacity("keys until 0.1%:", plan, 0.001, known);
}

static int info(char **operands)
{
    const char *name = shown(*operands);
    bloom *b = read_filter(*operands);
    bloom_plan plan = bloom_plan_of(b);
    bloom_error seal = bloom_verify(b);
    row("file:", "%s\n", name);
    row("layout:", "%s\n", layouts[plan.layout]);
    row("hash width:", "%d\n", plan.hash_bits);
    row("k:", "%d\n", plan.hashes);
    row("m:", "%" PRIu64 "\n", plan.cells);
    row("seed:", "%" PRIu64 "\n", plan.seed);
    row("bytes:", "%" PRIu64 "\n", (uint64_t)bloom_size(b));
    print_contents(b);
    row("seal:", "%s\n", seal == BLOOM_OK ? "sealed and right"
                       : seal == BLOOM_UNSEALED ? "not sealed" : "DAMAGED");
    close_output();
    free(b);
    if (seal == BLOOM_CORRUPT)
        die_of(bloom_error_text(seal), name);
    return 0;
}

static void compare(const char *name, const char *first, const char *field,
                    uint64_t here, uint64_t there)
{
    if (here != there)
        die("%s: %s %" PRIu64 " differs from %" PRIu64 " in %s",
            shown(name), field, here, there, shown(first));
}

static void tell_difference(const char *name, const char *first,
                            bloom_plan here, bloom_plan there)
{
    if (here.layout != there.layout)
        die("%s: layout %s differs from %s in %s", shown(name),
            layouts[here.layout], layouts[there.layout], shown(first));
    compare(name, first, "hash width", here.hash_bits, there.hash_bits);
    compare(name, first, "k", here.hashes, there.hashes);
    compare(name, first, "m", here.cells, there.cells);
    compare(name, first, "seed", here.seed, there.seed);
}

static void merge_one(bloom *b, const char *first, const char *name)
{
    bloom *next = read_sound_filter(name);
    bloom_plan plan = bloom_plan_of(next);
    bool merged = bloom_merge(b, next);
    free(next);
    if (!merged)
        tell_difference(name, first, plan, bloom_plan_of(b));
}

static int merge(char **operands)
{
    const char *path = *operands++, *first = *operands++;
    bloom *b;
    look_at_output(path);
    b = read_sound_filter(first);
    while (*operands)
        merge_one(b, first, *operands++);
    save(path, b);
    free(b);
    return 0;
}

/* The file's name without its folders, as a C name. */
static char *c_name_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char *name = enlarge(NULL, strlen(base) + 2, path), *end = name;
    if (isdigit((unsigned char)*base))
        *end++ = '_';
    for (; *base; base++)
        *end++ = isalnum((unsigned char)*base) ? *base : '_';
    *end = '\0';
    return name;
}

static void print_array(const char *name, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    size_t i;
    printf("#ifndef BLOOM_ROM\n#define BLOOM_ROM /* AVR: PROGMEM */\n#endif\n\n"
           "extern const unsigned char %s[%" PRIu64 "];\n"
           "const unsigned char %s[%" PRIu64 "] BLOOM_ROM = {",
           name, (uint64_t)size, name, (uint64_t)size);
    for (i = 0; i < size; i++)
        printf("%s0x%02x%s", i % 12 ? " " : "\n    ", bytes[i],
               i + 1 < size ? "," : "\n};\n");
}

static int dump(char **operands)
{
    bloom *b = read_sound_filter(*operands);
    bloom_plan plan = bloom_plan_of(b);
    char *name = c_name_of(*operands);
    open_output();
    printf("/* A Bloom filter for bloom_view(%s, sizeof %s, NULL):\n"
           "   %s, hash width %d, k %d, m %" PRIu64 ", seed %" PRIu64
           ", about %" PRIu64 " keys */\n\n",
           name, name, layouts[plan.layout], plan.hash_bits,
           plan.hashes, plan.cells, plan.seed, bloom_estimate(b));
    print_array(name, b, bloom_size(b));
    close_output();
    free(name);
    free(b);
    return 0;
}

/* ---- The command line --------------------------------------------------- */

static const struct verb {
    const char *name, *flags;       /* flags as getopt wants them */
    int least, most;                /* operands */
    int (*run)(char **operands);    /* returns the exit status */
    const char *usage, *help;
} verbs[] = {
    { "uniq", ":n:p:f:", 0, 0, uniq, "uniq [-n N] [-p P] [-f FILE] < IN",
      "copies each line the first time it is seen; FILE keeps the memory\n"
      "    from run to run: it is written when IN has ended" },
    { "build", ":n:p:w:l:s:", 1, INT_MAX, build,
      "build [-n N] [-p P] [-w 64|32] [-l LAYOUT] [-s SEED] OUT [IN...]",
      "makes a filter of lines" },
    { "check", ":v", 1, INT_MAX, check, "check [-v] FILE [IN...]",
      "prints the lines that may be in; with -v, that are certainly not in" },
    { "info", ":", 1, 1, info, "info FILE",
      "tells layout, size, fill, rate, room left, and whether it is sound" },
    { "merge", ":", 3, INT_MAX, merge, "merge OUT A B...",
      "makes the union of filters with equal plans; OUT is replaced, and may\n"
      "    be one of them" },
    { "dump", ":", 1, 1, dump, "dump FILE",
      "prints the filter as a C array for ROM" },
};

static int help(void)
{
    size_t i;
    puts("bloom remembers lines in a few bits each, whatever their length.\n");
    for (i = 0; i < sizeof verbs / sizeof *verbs; i++)
        printf("bloom %s\n    %s\n", verbs[i].usage, verbs[i].help);
    puts("\n"
         "N       different lines to be remembered: 1000000, or 1e6\n"
         "        (uniq: 1e6 if not given; build: the lines are counted)\n"
         "P       share of new lines that may be taken for known ones when N\n"
         "        are in: 0.001, or 0.1%, if not given\n"
         "LAYOUT  classic (if not given); blocked, fastest in large filters,\n"
         "        8 to 18% larger; counting, 4 times as large\n"
         "SEED    another seed makes other mistakes\n"
         "IN      standard input if it is - or not given\n"
         "\n"
         "A line is its bytes without the newline. A known line is never\n"
         "taken for new. Exit status: 0; 1 if check prints no line; 2 if\n"
         "anything is wrong, and then OUT or FILE is left as it was.");
    close_output();
    return 0;
}

static uint64_t parse_count(const char *text)
{
    char *end;
    double n = strtod(text, &end);
    if (strspn(text, "0123456789.eE+") != strlen(text) || *end != '\0'
        || !(n >= 1 && n <= 1e18) || (double)(uint64_t)n < n)
        misused("-n %s: not a whole number from 1 to 1e18", text);
    return (uint64_t)n;
}

static double parse_rate(const char *text)
{
    char *end;
    double p = strtod(text, &end);
    if (*end == '%') {
        p /= 100;
        end++;
    }
    if (*end != '\0' || !(p > 0 && p < 1))
        misused("-p %s: the rate must be between 0 and 1; "
                "for one percent write 0.01 or 1%%", text);
    return p;
}

static uint64_t parse_seed(const char *text)
{
    char *end;
    unsigned long long seed;
    errno = 0;
    seed = strtoull(text, &end, 0);
    if (!isdigit((unsigned char)*text) || *end != '\0' || errno != 0)
        misused("-s %s: not a whole number below 2^64", text);
    return seed;
}

static int parse_choice(int letter, const char *text,
                        const char *const *words, int count)
{
    int i = 0;
    while (i < count && strcmp(words[i], text) != 0)
        i++;
    if (i == count)
        misused("-%c %s: not known; %s is", letter, text, words[0]);
    return i;
}

static void set_option(int letter)
{
    switch (letter) {
    case 'n': options.n = parse_count(optarg); options.n_given = true; break;
    case 'p': options.p = parse_rate(optarg); options.p_given = true; break;
    case 'w': options.width = parse_choice('w', optarg, widths, 2); break;
    case 'l': options.layout = parse_choice('l', optarg, layouts, 3); break;
    case 's': options.seed = parse_seed(optarg); break;
    case 'f': options.file = optarg; break;
    case 'v': options.inverted = true; break;
    case ':': misused("-%c: needs a value", optopt); break;
    default: misused("-%c: no such option", optopt);
    }
}

static int run(const struct verb *verb, int count, char **words)
{
    int letter, operands;
    usage = verb->usage;
    while ((letter = getopt(count, words, verb->flags)) != -1)
        set_option(letter);
    operands = count - optind;
    if (operands < verb->least)
        misused("%s: needs %d file%s at least", verb->name, verb->least,
                verb->least > 1 ? "s" : "");
    if (operands > verb->most)
        misused("%s: one word too many", words[optind + verb->most]);
    return verb->run(words + optind);
}

static bool is_help(const char *word)
{
    return word && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0);
}

int main(int count, char **words)
{
    const char *name = count > 1 ? words[1] : "no verb";
    size_t i;
    prepare_system();
    progress.wanted = isatty(2);
    progress.next = time(NULL) + 2;
    opterr = 0;
    if (is_help(name) || strcmp(name, "help") == 0
        || (count > 2 && is_help(words[2])))
        return help();
    if (strcmp(name, "--version") == 0)
        return printf("bloom %d.%d.%d\n", BLOOM_VERSION / 10000,
                      BLOOM_VERSION / 100 % 100, BLOOM_VERSION % 100) < 0;
    for (i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(name, verbs[i].name) == 0)
            return run(&verbs[i], count - 1, words + 1);
    misused("%s: not one of the verbs", name);
    return 2;
}
