/* filter.c: filters of the three kinds */
#include "filter.h"
#include "disk.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { AT_ONCE = 256 };                 /* keys */
const char *const layouts[] = { "classic", "blocked", "counting" };

/* ---- Its parts ---------------------------------------------------------- */

unsigned parts_of(const filter *f)
{
    return f->chain ? bloom_chain_links(f->chain)
         : f->window ? bloom_window_plan_of(f->window).generations
         : f->fixed ? 1 : 0;
}

const bloom *part_of(const filter *f, unsigned i)
{
    return f->chain ? bloom_chain_link(f->chain, i)
         : f->window ? bloom_window_generation(f->window, i) : f->fixed;
}

size_t size_of(const filter *f)
{
    return f->chain ? bloom_chain_size(f->chain)
         : f->window ? bloom_window_size(f->window) : bloom_size(f->fixed);
}

bloom_error seal_of(const filter *f)
{
    return f->chain ? bloom_chain_verify(f->chain)
         : f->window ? bloom_window_verify(f->window) : bloom_verify(f->fixed);
}

void free_filter(filter *f)
{
    bloom_free(f->fixed);
    bloom_chain_free(f->chain);
    bloom_window_free(f->window);
}

void must_be_one(const filter *f, const char *name, const char *why)
{
    if (!f->fixed)
        die("%s: a filter that %s %s", name,
            f->chain ? "grows (made by uniq without --fixed)"
                     : "forgets (made by uniq --last or --for)", why);
}

/* ---- Lookups ------------------------------------------------------------ */

void hash_keys(const filter *f, const bloom_key *key, size_t count,
               bloom_hash *hash)
{
    const bloom *b = part_of(f, 0);
    size_t i;
    for (i = 0; i < count; i++)
        hash[i] = bloom_hash_key(b, key[i].data, key[i].size);
}

void look_up(const filter *f, const bloom_key *key, size_t count, bool *maybe)
{
    if (f->chain)
        bloom_chain_may_contain_many(f->chain, key, count, maybe);
    else if (f->window)
        bloom_window_may_contain_many(f->window, key, count, maybe);
    else
        bloom_may_contain_many(f->fixed, key, count, maybe);
}

void look_up_hashes(const filter *f, const bloom_hash *hash, size_t count,
                    bool *maybe)
{
    if (f->chain)
        bloom_chain_may_contain_many_hash(f->chain, hash, count, maybe);
    else if (f->window)
        bloom_window_may_contain_many_hash(f->window, hash, count, maybe);
    else
        bloom_may_contain_many_hash(f->fixed, hash, count, maybe);
}

/* ---- Forgetting --------------------------------------------------------- */
/* A line is added to a window when it is printed. It is not added again when a
   copy of it is dropped. Each call that adds lines first forgets those that are
   too old. */

static uint64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void start_clock(filter *f, uint64_t age)
{
    bloom_window_advance(f->window, milliseconds(), 1000 * age);
}

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

static bool is_empty(const bloom_window *w)
{
    unsigned i = bloom_window_plan_of(w).generations;
    while (i > 0 && bloom_ones(bloom_window_generation(w, i - 1)) == 0)
        i--;
    return i == 0;
}

#ifdef CLOCK_BOOTTIME
#define STEADY CLOCK_BOOTTIME           /* goes on while the machine sleeps */
#else
#define STEADY CLOCK_MONOTONIC
#endif

/* By how many milliseconds was the clock set ahead since the first call? */
static double clock_set_ahead(uint64_t now)
{
    static bool began;
    static double at_first;
    struct timespec steady;
    double offset;
    clock_gettime(STEADY, &steady);
    offset = (double)now - (double)steady.tv_sec * 1000
             - (double)steady.tv_nsec / 1e6;
    at_first = began ? at_first : offset;
    began = true;
    return offset - at_first;
}

/* Will the next call of bloom_window_advance forget lines by time? */
static bool will_forget(const bloom_window *w, uint64_t now)
{
    const uint64_t time = bloom_window_time(w);
    return now > time && now - time >= bloom_window_span(w) && !is_empty(w);
}

/* With a correct clock, the time of a window is at most g - 2 parts ahead. If
   it is more, the clock was set back, and lines would be known for too long. So
   the window begins anew, and its lines count as printed now. */
static void begin_anew(filter *f, uint64_t now, uint64_t age)
{
    const unsigned g = bloom_window_plan_of(f->window).generations;
    const uint64_t time = bloom_window_time(f->window);
    if (time <= now || (time - now - 1) / bloom_window_span(f->window) < g - 2)
        return;
    bloom_window_set_time(f->window, 0, 0);
    if (time - now > 1000 * age)
        warn_of(f, SET_BACK, age);
}

/* If the newest generation is full, lines may move. */
static bool advance(filter *f, uint64_t now, uint64_t span)
{
    const bool may_move = f->file > 0
        && bloom_window_keys(f->window) >= bloom_window_plan_of(f->window).room;
    bool early;
    if (may_move)
        lock_moves(f->file, F_WRLCK);
    early = bloom_window_advance(f->window, now, span);
    if (may_move)
        lock_moves(f->file, F_UNLCK);
    return early;
}

void forget_old(filter *f)
{
    bloom_window *w = f->window;
    const uint64_t age = w ? age_known(w) : 0;
    uint64_t now;
    bool jumped;
    if (age == 0)
        return;
    now = milliseconds();
    begin_anew(f, now, age);
    jumped = clock_set_ahead(now) > 500 * (double)age && will_forget(w, now);
    if (advance(f, now, 1000 * age))
        warn_of(f, EARLY, age);
    if (jumped && is_empty(w))          /* not because no line came */
        warn_of(f, SET_AHEAD, age);
}

/* Returns how many of `count` lines, at most AT_ONCE, the newest generation
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
    count = count < AT_ONCE ? count : AT_ONCE;
    return count < left ? count : (size_t)left;
}

/* ---- Adding ------------------------------------------------------------- */

/* Adds only unknown lines, so that a known line is forgotten on time although
   copies of it arrive. */
static size_t add_to_window(filter *f, const bloom_key *key, size_t count,
                            bool *is_new)
{
    bloom_hash hash[AT_ONCE], unknown[AT_ONCE];
    bool added[AT_ONCE];
    size_t sum = 0, some, new_ones, i;
    for (; count > 0; count -= some, key += some, is_new += some) {
        some = room_for(f, count);
        hash_keys(f, key, some, hash);
        look_up_hashes(f, hash, some, is_new);
        for (i = new_ones = 0; i < some; i++)
            if (!is_new[i])
                unknown[new_ones++] = hash[i];
        bloom_window_add_many_hash(f->window, unknown, new_ones, added);
        for (i = new_ones = 0; i < some; i++)
            sum += is_new[i] = !is_new[i] && added[new_ones++];
    }
    return sum;
}

size_t add_keys(filter *f, const bloom_key *key, size_t count, bool *is_new)
{
    const size_t added = f->window ? add_to_window(f, key, count, is_new)
        : f->chain ? bloom_chain_add_many(f->chain, key, count, is_new)
        : bloom_add_many(f->fixed, key, count, is_new);
    f->known += added;
    return added;
}

static size_t add_absent_to_window(filter *f, const bloom_hash *hash,
                                   size_t count)
{
    size_t sum = 0, some;
    for (; count > 0; count -= some, hash += some) {
        some = room_for(f, count);
        sum += bloom_window_add_many_hash(f->window, hash, some, NULL);
    }
    return sum;
}

size_t add_absent(filter *f, const bloom_hash *hash, size_t count)
{
    const size_t added = f->window ? add_absent_to_window(f, hash, count)
        : f->chain ? bloom_chain_add_absent_hash(f->chain, hash, count)
        : f->is_shared ? add_hashes_atomically(f->fixed, hash, count)
        : bloom_add_many_hash(f->fixed, hash, count, NULL);
    f->known += added;
    return added;
}

/* ---- Folding ------------------------------------------------------------ */

uint64_t least_cells(bloom_plan plan)
{
    return plan.layout == BLOOM_BLOCKED ? 256 : 64;
}

/* Can a filter of this plan be folded by `by`, and is its rate at most p then,
   if it holds n lines? */
static bool keeps(bloom_plan plan, uint64_t by, uint64_t n, double p)
{
    if (plan.cells % by != 0)
        return false;
    plan.cells /= by;
    return bloom_plan_size(plan) > 0 && bloom_plan_fpr(plan, n) <= p;
}

/* bloom_fold_by considers only the lines in the filter, and divisors up to
   65536. So its result is checked for n lines, and used repeatedly. */
bool fold_for(bloom *b, uint64_t n, double p)
{
    bool kept = false;
    uint64_t by;
    do {
        by = bloom_fold_by(b, p);
        while (by > 0 && !(keeps(bloom_plan_of(b), by, n, p)
                           && bloom_fold(b, by)))
            by--;
        kept = kept || by > 0;
    } while (by > 1);
    return kept;
}

/* ---- What the cells tell ------------------------------------------------ */

double rate_of(const filter *f)
{
    return f->chain ? bloom_chain_fpr(f->chain)
         : f->window ? bloom_window_fpr(f->window) : bloom_fpr(f->fixed);
}

uint64_t keys_in(const filter *f)
{
    return f->chain ? bloom_chain_estimate(f->chain)
         : f->window ? bloom_window_estimate(f->window)
         : bloom_estimate(f->fixed);
}

/* The rate of a window does not rise: it forgets lines instead. */
bool warn_if_full(const filter *f, const char *name, const char *fate)
{
    const double rate = f->window ? 0 : rate_of(f);
    char wanted[40] = "";
    if (f->p > 0 ? rate < 1.1 * f->p || (f->fixed && f->known <= f->n)
                 : rate < 0.25)
        return false;
    if (f->p > 0)
        snprintf(wanted, sizeof wanted, ", not %.3g%%", 100 * f->p);
    if (f->chain)
        say("%s: could not grow when it was full: %.3g%% of new lines %s%s",
            name, 100 * rate, fate, wanted);
    else if (f->n)
        say("%s: holds more than %" PRIu64 " lines: %.3g%% of new lines %s%s; "
            "make a larger filter, with -n or --bytes", name, f->n, 100 * rate,
            fate, wanted);
    else
        say("%s: %.3g%% of new lines %s%s; make a larger filter, with -n or "
            "--bytes", name, 100 * rate, fate, wanted);
    return true;
}
