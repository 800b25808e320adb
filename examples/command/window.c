/* window.c: filters that forget (bloom_window.h), with eight generations. A
   line is added when it is printed. It is not added again when a copy of it is
   dropped. Each call that adds lines first forgets those that are too old. */
#include "window.h"
#include "image.h"
#include "memory.h"
#include "say.h"
#include "system.h"

#include <stdio.h>
#include <string.h>

enum { GENERATIONS = 8, AT_ONCE = 256 };        /* keys at once */

/* ---- Making ------------------------------------------------------------- */

static bloom_window_plan plan_window(const wish *w, uint64_t n, unsigned g,
                                     bloom_plan like)
{
    bloom_window_plan plan = bloom_window_plan_for(n, w->p, g,
                                                   (bloom_layout)like.layout);
    plan.filter = checked_plan(w, plan.filter, plan.room, w->p / g, like);
    if (bloom_plan_size(plan.filter) > SIZE_MAX / 2 / 16)       /* g <= 16 */
        die("%" PRIu64 " lines: too many for any memory; give fewer", n);
    return plan;
}

static filter make_window(const wish *w)
{
    const uint64_t n = w->last_lines ? w->last_lines : w->n;
    const bloom_window_plan plan = plan_window(w, n, GENERATIONS,
                                               given_plan(w));
    const size_t size = bloom_window_plan_size(plan);
    filter f = { 0 };
    f.kind = &window_kind;
    f.as.window = bloom_window_init(need_memory(size, "window"), size, plan);
    if (w->age)                         /* starts the clock */
        bloom_window_advance(f.as.window, milliseconds(), 1000 * w->age);
    return f;
}

static void free_window(filter *f)
{
    free(f->as.window);
}

/* ---- Reading ------------------------------------------------------------ */

/* The size of a window, by its header and that of its first generation. If they
   are damaged, what there is suffices for bloom_window_open to say so. */
static size_t size_of_image(const unsigned char *head, size_t have)
{
    const size_t first = BLOOM_WINDOW_HEADER_SIZE;
    size_t each = have < first + HEADER ? 0
                  : bloom_image_size(head + first, NULL);
    if (each == 0 || each > SIZE_MAX / 2 / 16 || head[4] < 2 || head[4] > 16)
        return have;
    return first + head[4] * each;
}

static filter read_window(int fd, const char *name, const unsigned char *start)
{
    unsigned char head[BLOOM_WINDOW_HEADER_SIZE + HEADER], *image;
    size_t have = HEADER;
    bloom_error error;
    filter f = { 0 };
    memcpy(head, start, HEADER);
    have += read_whole(fd, name, head + HEADER, sizeof head - HEADER);
    image = read_rest(fd, name, head, &have, size_of_image(head, have));
    f.kind = &window_kind;
    f.as.window = bloom_window_open(image, have, &error);
    if (!f.as.window) {
        free(image);
        die_of(bloom_error_text(error), name);
    }
    return f;
}

/* ---- Its generations ---------------------------------------------------- */

static unsigned count_generations(const filter *f)
{
    return bloom_window_plan_of(f->as.window).generations;
}

static const bloom *generation(const filter *f, unsigned i)
{
    return bloom_window_generation(f->as.window, i);
}

static size_t size_of_window(const filter *f)
{
    return bloom_window_size(f->as.window);
}

static const void *piece_of_window(const filter *f, unsigned i, size_t *size)
{
    *size = size_of_window(f);
    return i == 0 ? f->as.window : NULL;
}

static bloom_error verify_window(const filter *f)
{
    return bloom_window_verify(f->as.window);
}

static void seal_window(filter *f)
{
    bloom_window_seal(f->as.window);
}

/* ---- What it remembers --------------------------------------------------- */

static uint64_t lines_known(const bloom_window *w)
{
    const bloom_window_plan plan = bloom_window_plan_of(w);
    return plan.room * (plan.generations - 1);
}

/* The header has the milliseconds per generation: a seventh, rounded up. */
static uint64_t age_known(const bloom_window *w)
{
    const unsigned parts = bloom_window_plan_of(w).generations - 1;
    const uint64_t span = bloom_window_span(w);
    return span / 1000 * parts + span % 1000 * parts / 1000;
}

/* Returns `text`, such as 24h. */
static const char *print_age(char text[40], uint64_t age)
{
    static const struct { uint64_t seconds; char unit; } units[] = {
        { 86400, 'd' }, { 3600, 'h' }, { 60, 'm' }, { 1, 's' } };
    unsigned i = 0;
    while (i < 3 && age % units[i].seconds != 0)
        i++;
    snprintf(text, 40, "%" PRIu64 "%c", age / units[i].seconds, units[i].unit);
    return text;
}

/* ---- Lines -------------------------------------------------------------- */

static bool is_empty(const bloom_window *w)
{
    unsigned i = bloom_window_plan_of(w).generations;
    while (i > 0 && bloom_ones(bloom_window_generation(w, i - 1)) == 0)
        i--;
    return i == 0;
}

/* Does the next call of bloom_window_advance forget by time, and is there
   anything to forget? */
static bool will_forget(const bloom_window *w, uint64_t now)
{
    const uint64_t time = bloom_window_time(w);
    return now > time && now - time >= bloom_window_span(w) && !is_empty(w);
}

/* With a correct clock, the time of a window is at most g - 2 parts ahead. If
   it is more, the clock was set back, and lines would be known for too long:
   their repetitions would be dropped although they should be printed. So the
   window begins anew, and its lines count as printed now. FILE is saved even if
   no line is new, as each run would begin anew otherwise. Returns true if the
   time was ahead by more than `age`. */
static bool begin_anew(filter *f, uint64_t now, uint64_t age)
{
    const unsigned g = bloom_window_plan_of(f->as.window).generations;
    const uint64_t time = bloom_window_time(f->as.window);
    const uint64_t part = bloom_window_span(f->as.window);
    if (time <= now || (time - now - 1) / part < g - 2)
        return false;
    bloom_window_set_time(f->as.window, 0, 0);
    f->changed = true;
    return time - now > age;
}

enum { SET_BACK, SET_AHEAD, EARLY, WARNINGS };

/* Prints each warning once at most. */
static void warn_of(const filter *f, unsigned what, uint64_t age)
{
    static bool said[WARNINGS];
    char time[40];
    if (!f->warns || said[what])
        return;
    said[what] = true;
    print_age(time, age);
    if (what == SET_BACK)
        say("--for %s: the clock is more than that time behind the lines that "
            "are known, so they count as printed now", time);
    else if (what == SET_AHEAD)
        say("--for %s: the clock was set ahead, so all lines are forgotten",
            time);
    else
        say("--for %s: more than %" PRIu64 " new lines came within twice that "
            "time, so some are forgotten earlier; start a new filter with a "
            "larger -n", time, lines_known(f->as.window));
}

static void forget_old_lines(filter *f)
{
    bloom_window *w = f->as.window;
    const uint64_t age = age_known(w), now = milliseconds();
    bool forgets;
    if (age == 0)
        return;
    if (begin_anew(f, now, 1000 * age))
        warn_of(f, SET_BACK, age);
    forgets = clock_set_ahead() > (double)age / 2 && will_forget(w, now);
    if (bloom_window_advance(w, now, 1000 * age))
        warn_of(f, EARLY, age);
    if (forgets && is_empty(w))         /* not because no line came */
        warn_of(f, SET_AHEAD, age);
}

/* Returns how many of `count` lines, at most AT_ONCE, the newest generation
   takes. Begins a new generation if that one is full. */
static size_t room_for(filter *f, size_t count)
{
    bloom_window *w = f->as.window;
    const uint64_t room = bloom_window_plan_of(w).room;
    uint64_t left;
    forget_old_lines(f);
    if (bloom_window_keys(w) >= room)           /* not with --for */
        bloom_window_step(w);
    left = room - bloom_window_keys(w);
    count = count < AT_ONCE ? count : AT_ONCE;
    return count < left ? count : (size_t)left;
}

static size_t add_absent_to_window(filter *f, const bloom_hash *hash,
                                   size_t count)
{
    size_t sum = 0, some;
    for (; count > 0; count -= some, hash += some) {
        some = room_for(f, count);
        sum += bloom_window_add_many_hash(f->as.window, hash, some, NULL);
    }
    return sum;
}

/* Adds only unknown lines, so that a known line is forgotten on time although
   copies of it arrive. The number of lines per call makes no difference. */
static size_t add_to_window(filter *f, const bloom_key *key, size_t count,
                            bool *is_new)
{
    bloom_hash hash[AT_ONCE], unknown[AT_ONCE];
    bool added[AT_ONCE];
    size_t sum = 0, some, new_ones, i;
    for (; count > 0; count -= some, key += some, is_new += some) {
        some = room_for(f, count);
        for (i = 0; i < some; i++)
            hash[i] = bloom_hash_key(generation(f, 0), key[i].data,
                                     key[i].size);
        bloom_window_may_contain_many_hash(f->as.window, hash, some, is_new);
        for (i = new_ones = 0; i < some; i++)
            if (!is_new[i])
                unknown[new_ones++] = hash[i];
        bloom_window_add_many_hash(f->as.window, unknown, new_ones, added);
        for (i = new_ones = 0; i < some; i++)
            sum += is_new[i] = !is_new[i] && added[new_ones++];
    }
    return sum;
}

/* ---- Lookups ------------------------------------------------------------ */

static void look_up_hashes_in_window(const filter *f, const bloom_hash *hash,
                                     size_t count, bool *maybe)
{
    bloom_window_may_contain_many_hash(f->as.window, hash, count, maybe);
}

static void look_up_in_window(const filter *f, const bloom_key *key,
                              size_t count, bool *maybe)
{
    bloom_hash hash[AT_ONCE];
    size_t some, i;
    for (; count > 0; count -= some, key += some, maybe += some) {
        some = count < AT_ONCE ? count : AT_ONCE;
        for (i = 0; i < some; i++)
            hash[i] = bloom_hash_key(generation(f, 0), key[i].data,
                                     key[i].size);
        look_up_hashes_in_window(f, hash, some, maybe);
    }
}

/* ---- Same options ------------------------------------------------------- */

/* The file of a window does not record the rate. But that determines k and m,
   which it does record. */
static void agree_on_generation(const bloom_window *window, const wish *w,
                                uint64_t n, const char *name)
{
    const bloom_window_plan all = bloom_window_plan_of(window);
    const bloom_plan there = all.filter;
    const bloom_window_plan wanted = plan_window(w, n, all.generations, there);
    const bloom_plan given = wanted.filter;
    const char *option = age_known(window) ? "-n" : "--last";
    if (wanted.room != all.room)
        die("%s: made with %s %" PRIu64 ", not %s %" PRIu64 "; use another "
            "file or leave out %s", name, option, lines_known(window), option,
            n, option);
    if (w->p_given && (there.cells != given.cells
                       || there.hashes != given.hashes))
        die("%s: has k = %d and m = %" PRIu64 ", but -p %g means k = %d and "
            "m = %" PRIu64 "; use another file or leave out -p", name,
            there.hashes, there.cells, w->p, given.hashes, given.cells);
}

/* Writes --for TIME, or --last N if the age is 0. */
static const char *print_kind(char text[80], uint64_t age, uint64_t n)
{
    char time[40];
    if (age)
        snprintf(text, 80, "--for %s", print_age(time, age));
    else
        snprintf(text, 80, "--last %" PRIu64, n);
    return text;
}

static void agree_on_window(filter *f, const wish *w, const char *name)
{
    const bloom_window *window = f->as.window;
    const uint64_t there = age_known(window), lines = lines_known(window);
    const uint64_t n = w->last_lines ? w->last_lines
                     : w->n_given ? w->n : lines;
    char here[80], given[80];
    if (w->fixed || w->bytes)
        die("%s: is a filter that forgets; use another file or leave out "
            "--%s", name, w->fixed ? "fixed" : "bytes");
    if (w->last_lines ? there > 0 : w->age > 0 && w->age != there)
        die("%s: made with %s, not %s; use another file or leave out --%s",
            name, print_kind(here, there, lines),
            print_kind(given, w->age, n), w->age ? "for" : "last");
    if (w->last_lines || w->n_given || w->p_given)
        agree_on_generation(window, w, n, name);
    agree_on_plan(w, bloom_plan_of(generation(f, 0)), name);
}

/* ---- What the cells tell ------------------------------------------------ */

static double rate_of_window(const filter *f)
{
    return bloom_window_fpr(f->as.window);
}

static uint64_t keys_in_window(const filter *f)
{
    uint64_t sum = 0, keys;
    unsigned i;
    for (i = 0; i < count_generations(f); i++) {
        keys = bloom_estimate(generation(f, i));
        sum = keys < UINT64_MAX - sum ? sum + keys : UINT64_MAX;
    }
    return sum;
}

/* Its rate does not rise: it forgets lines instead. */
static bool warn_of_window(const filter *f, const char *name, const char *fate)
{
    (void)f;
    (void)name;
    (void)fate;
    return false;
}

static const char *purpose_of_window(const filter *f, char text[120])
{
    const uint64_t age = age_known(f->as.window);
    const uint64_t lines = lines_known(f->as.window);
    char time[40];
    if (age)
        snprintf(text, 120, "lines of the last %s, up to %" PRIu64 " lines",
                 print_age(time, age), lines);
    else
        snprintf(text, 120, "the last %" PRIu64 " lines", lines);
    return "remembers:";
}

static void facts_of_window(const filter *f, fact list[3])
{
    list[0].name = "last_lines";
    list[0].number = lines_known(f->as.window);
    list[1].name = "last_seconds";
    list[1].number = age_known(f->as.window);
}

const kind window_kind = {
    "forgets", "forgets (made by uniq --last or --for)", "generation",
    "generations:", "newest first; the oldest is forgotten next", "It forgets",
    "BLW", false,
    must_forget, make_window, read_window, agree_on_window, free_window,
    count_generations, generation, piece_of_window, size_of_window,
    verify_window, seal_window,
    add_to_window, add_absent_to_window, look_up_in_window,
    look_up_hashes_in_window, forget_old_lines,
    rate_of_window, keys_in_window, warn_of_window,
    purpose_of_window, facts_of_window
};
