/* forget.c: the sliding window of bloom uniq --last and --for, which has eight
   generations (bloom_window.h). A line is added when it is printed. It is not
   added again when a copy of it is dropped. */
#include "command.h"

enum { GENERATIONS = 8 };

bool window_wanted(void)
{
    return options.last_lines > 0 || options.age > 0;
}

static bloom_window_plan plan_window(uint64_t n, unsigned g, bloom_plan like)
{
    bloom_window_plan plan = bloom_window_plan_for(n, options.p, g,
                                                   (bloom_layout)like.layout);
    plan.filter = checked_plan(plan.filter, plan.room, options.p / g, like);
    if (bloom_plan_size(plan.filter) > SIZE_MAX / 2 / 16)       /* g <= 16 */
        die("%" PRIu64 " lines: too many for any memory; give fewer", n);
    return plan;
}

filter new_window(void)
{
    filter f = { 0 };
    uint64_t n = options.last_lines ? options.last_lines : options.n;
    bloom_window_plan plan = plan_window(n, GENERATIONS, given_plan());
    size_t size = bloom_window_plan_size(plan);
    f.window = bloom_window_init(need_memory(size, "window"), size, plan);
    if (options.age)                    /* starts the clock */
        bloom_window_advance(f.window, milliseconds(), 1000 * options.age);
    return f;
}

/* ---- What it remembers --------------------------------------------------- */

uint64_t lines_known(const bloom_window *w)
{
    const bloom_window_plan plan = bloom_window_plan_of(w);
    return plan.room * (plan.generations - 1);
}

/* The header has the milliseconds per generation: a seventh, rounded up. */
uint64_t age_known(const bloom_window *w)
{
    const unsigned parts = bloom_window_plan_of(w).generations - 1;
    const uint64_t span = bloom_window_span(w);
    return span / 1000 * parts + span % 1000 * parts / 1000;
}

/* Returns `text`, such as 24h. */
const char *print_age(char text[40], uint64_t age)
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

/* Has the clock been set ahead during this run, by most of `age`, and is there
   anything that the next call of bloom_window_advance may forget for this? If
   there is no such line because none came for so long, all is well. */
static bool is_set_ahead(const bloom_window *w, uint64_t age)
{
    return clock_set_ahead() > (double)age / 2000 && !is_empty(w);
}

/* With a correct clock, the time of a window is at most g - 2 parts ahead. If
   it is more, the clock was set back, and lines would be known for too long:
   their repetitions would be dropped although they should be printed. So the
   window begins anew, and its lines count as printed now. FILE is saved even if
   no line is new, as each run would begin anew otherwise. Returns true if the
   time was ahead by more than `age`. */
static bool begin_anew(filter *f, uint64_t now, uint64_t age)
{
    const unsigned g = bloom_window_plan_of(f->window).generations;
    const uint64_t time = bloom_window_time(f->window);
    const uint64_t part = bloom_window_span(f->window);
    if (time <= now || (time - now - 1) / part < g - 2)
        return false;
    bloom_window_set_time(f->window, 0, 0);
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
            "larger -n", time, lines_known(f->window));
}

void forget_old(filter *f)
{
    bloom_window *w = f->window;
    const uint64_t age = w ? age_known(w) : 0, now = milliseconds();
    bool forgets;
    if (age == 0)
        return;
    if (begin_anew(f, now, 1000 * age))
        warn_of(f, SET_BACK, age);
    forgets = is_set_ahead(w, 1000 * age);
    if (bloom_window_advance(w, now, 1000 * age))
        warn_of(f, EARLY, age);
    if (forgets && is_empty(w))
        warn_of(f, SET_AHEAD, age);
}

/* Returns how many of `count` lines, at most BATCH, the newest generation
   takes. Begins a new generation if that one is full. */
static size_t room_for(filter *f, size_t count)
{
    bloom_window *w = f->window;
    const uint64_t room = bloom_window_plan_of(w).room;
    uint64_t left;
    forget_old(f);
    if (bloom_window_keys(w) >= room)           /* not with --for */
        bloom_window_step(w);
    left = room - bloom_window_keys(w);
    count = count < BATCH ? count : BATCH;
    return count < left ? count : (size_t)left;
}

size_t add_to_window(filter *f, const bloom_hash *hash, size_t count)
{
    size_t sum = 0, some;
    for (; count > 0; count -= some, hash += some) {
        some = room_for(f, count);
        sum += bloom_window_add_many_hash(f->window, hash, some, NULL);
    }
    return sum;
}

/* Adds only unknown lines, so that a known line is forgotten on time although
   copies of it arrive. The number of lines per call makes no difference. */
size_t add_new_to_window(filter *f, const bloom_hash *hash, size_t count,
                         bool *is_new)
{
    bloom_hash unknown[BATCH];
    bool added[BATCH];
    size_t sum = 0, some, new_ones, i;
    for (; count > 0; count -= some, hash += some, is_new += some) {
        some = room_for(f, count);
        bloom_window_may_contain_many_hash(f->window, hash, some, is_new);
        for (i = new_ones = 0; i < some; i++)
            if (!is_new[i])
                unknown[new_ones++] = hash[i];
        bloom_window_add_many_hash(f->window, unknown, new_ones, added);
        for (i = new_ones = 0; i < some; i++)
            sum += is_new[i] = !is_new[i] && added[new_ones++];
    }
    return sum;
}

/* ---- The file of a window ------------------------------------------------ */

/* The file of a window does not record the rate. But that determines k and m,
   which it does record. */
static void agree_on_generation(const bloom_window *w, uint64_t n,
                                const char *name)
{
    const bloom_window_plan all = bloom_window_plan_of(w);
    const bloom_plan there = all.filter;
    const bloom_window_plan wanted = plan_window(n, all.generations, there);
    const bloom_plan given = wanted.filter;
    const char *option = age_known(w) ? "-n" : "--last";
    if (wanted.room != all.room)
        die("%s: made with %s %" PRIu64 ", not %s %" PRIu64 "; use another "
            "file or leave out %s", name, option, lines_known(w), option, n,
            option);
    if (options.p_given && (there.cells != given.cells
                            || there.hashes != given.hashes))
        die("%s: has k = %d and m = %" PRIu64 ", but -p %g means k = %d and "
            "m = %" PRIu64 "; use another file or leave out -p", name,
            there.hashes, there.cells, options.p, given.hashes, given.cells);
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

static void agree_on_window(const bloom_window *w, const char *name)
{
    const uint64_t there = age_known(w);
    const uint64_t n = options.last_lines ? options.last_lines
                     : options.n_given ? options.n : lines_known(w);
    char here[80], given[80];
    if (options.last_lines ? there > 0
                           : options.age > 0 && options.age != there)
        die("%s: made with %s, not %s; use another file or leave out --%s",
            name, print_kind(here, there, lines_known(w)),
            print_kind(given, options.age, n), options.age ? "for" : "last");
    if (options.last_lines || options.n_given || options.p_given)
        agree_on_generation(w, n, name);
}

void window_must_agree(const filter *f, const char *name)
{
    if (!f->window)
        die("%s: is %s, which never forgets; use another file or leave out "
            "--%s", name,
            f->chain ? "a filter that grows" : "a filter of fixed size",
            options.age ? "for" : "last");
    if (options.fixed)
        die("%s: is a filter that forgets; use another file or leave out "
            "--fixed", name);
    agree_on_window(f->window, name);
}
