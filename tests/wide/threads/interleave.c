/* Two threads of three operations each in one word of cells, in every order
   that there is: what changes cells under BLOOM_ATOMIC, run as it stands in
   bloom.h. Before each atomic operation the other thread may go on, and a weak
   exchange may fail for no reason, once in a run. Shown is that all orders are
   right, and that one is not if atomic operations are torn in two.

   A run is a list of choices, who goes on and what fails; after each run the
   last one that was "no" becomes "yes". The threads are coroutines. One word
   has one order of changes on any CPU: what is right here is right for relaxed
   memory too. What is not atomic at all is seen by ThreadSanitizer only. */

#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

static void point(const void *at);
static bool chance(void);
static bool torn;                       /* atomic operations are in two parts */

#define __atomic_load_n(p, order) (point(p), *(p))
#define __atomic_fetch_or(p, x, order) __extension__ ({ \
    __typeof__(*(p)) old_; point(p); old_ = *(p); if (torn) point(p); \
    *(p) = (__typeof__(*(p)))(old_ | (x)); old_; })
#define __atomic_compare_exchange_n(p, was, now, weak, yes, no) \
    __extension__ ({ bool same_; point(p); \
    same_ = *(p) == *(was) && !((weak) && chance()); if (torn) point(p); \
    *(same_ ? (p) : (was)) = same_ ? (now) : *(p); same_; })

#define BLOOM_STATIC
#define BLOOM_ATOMIC
#include "bloom.h"

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "interleave.c: bloom_set_word_ is for CPUs with SIMD"
#endif

/* ---- Choices of two ------------------------------------------------------ */

enum { MOST = 1000, STACK = 1 << 16 };

static bool choices[MOST];
static unsigned made, known;            /* in this run, and from the last one */

static unsigned choose(void)
{
    if (made == known && known < MOST)
        choices[known++] = false;
    return choices[made++];
}

/* false: all have been made. */
static bool choose_anew(void)
{
    while (known > 0 && choices[known - 1])
        known--;
    if (known > 0)
        choices[known - 1] = true;
    return known > 0;
}

static unsigned failures;               /* that may still come */

static bool chance(void)
{
    return failures > 0 && choose() && failures-- > 0;
}

/* ---- Operations ---------------------------------------------------------- */

enum kind { COUNTERS, SUMS, BITS, WORD, UNIONS };

/* What a thread does, what it got, and from which step to which that took */
typedef struct operation {
    unsigned what, begin, end;
    uint64_t got;
} operation;

static uint64_t word_of_cells;
static unsigned char *const cells = (unsigned char *)&word_of_cells;
static const unsigned char other_cells[8] = { 0x46 };   /* what is merged in */
static operation all[2][3];
static enum kind kind;

/* COUNTERS: 0 and 1 count that cell up, 2 counts cell 0 down.
   SUMS: 0 counts cell 0 up, 1 counts it down, 2 merges a word in.
   BITS, WORD and UNIONS set bits, and 2 of UNIONS merges a word in. */
static bool is_merge(unsigned what)
{
    return what == 2 && (kind == SUMS || kind == UNIONS);
}

static unsigned counted_cell(unsigned what)
{
    return kind == COUNTERS ? what % 2 : 0;
}

static bool is_up(unsigned what)
{
    return kind == COUNTERS ? what < 2 : what == 0;
}

static uint64_t bits_of(unsigned what)
{
    return is_merge(what) ? other_cells[0]
         : kind == WORD ? what + 1 : 1ULL << what;
}

/* Returns the count there was, or which bits are new; of a merge, 0. */
static uint64_t do_it(unsigned what)
{
    if (is_merge(what)) {
        bloom_combine_words_(cells, other_cells, 8, kind == SUMS, false);
        return 0;
    }
    return kind <= SUMS ? bloom_count_(cells, counted_cell(what),
                                       is_up(what) ? 1 : -1)
         : kind == WORD ? bloom_set_word_(cells, bits_of(what))
                        : (~bloom_set_bit_(cells, what) & 1ULL) << what;
}

/* ---- Threads -------------------------------------------------------------
   They live for all runs: what begins a stack is slow, and jumps are not. */

static jmp_buf scheduler, contexts[2];
static unsigned running, step;
static bool ended[2];

/* The other word, and the bytes of this one that none changes, do not count. */
static void point(const void *at)
{
    if (at == cells && _setjmp(contexts[running]) == 0)
        _longjmp(scheduler, 1);
}

static void thread(int number)
{
    unsigned i;
    for (;; point(cells))
        for (i = 0, ended[number] = false; i < 3; ended[number] = ++i == 3) {
            operation *o = &all[number][i];
            o->begin = step + 1;
            o->got = do_it(o->what);
            o->end = step;
        }
}

static void go_on(unsigned number)
{
    static unsigned char stacks[2][STACK];
    static ucontext_t born[2];
    running = number;
    if (++step == MOST) {
        puts("no end: an operation waits for ever");
        exit(1);
    }
    if (_setjmp(scheduler) != 0)
        return;
    if (born[running].uc_stack.ss_sp)
        _longjmp(contexts[running], 1);
    getcontext(&born[running]);
    born[running].uc_stack.ss_sp = stacks[running];
    born[running].uc_stack.ss_size = STACK;
    makecontext(&born[running], (void (*)(void))thread, 1, (int)running);
    setcontext(&born[running]);
}

/* Both come to their first point, then one step after the other. */
static void run(uint64_t start)
{
    word_of_cells = start;
    failures = 1;
    step = made = 0;
    go_on(0);
    go_on(1);
    while (!ended[0] || !ended[1])
        go_on(ended[0] ? 1 : ended[1] ? 0 : choose());
}

/* ---- What is right ------------------------------------------------------- */

/* The word after an operation, and in *count what it should get */
static uint64_t word_after(uint64_t word, unsigned what, unsigned *count)
{
    const unsigned shift = counted_cell(what) * 4, merged = other_cells[0];
    const unsigned low = (word & 15) + (merged & 15);
    const unsigned high = (unsigned)(word >> 4) + (merged >> 4);
    *count = is_merge(what) ? 0 : word >> shift & 15;
    if (is_merge(what))
        return (high < 15 ? high : 15) << 4 | (low < 15 ? low : 15);
    if (*count == 15 || (*count == 0 && !is_up(what)))
        return word;
    return is_up(what) ? word + (1U << shift) : word - (1U << shift);
}

/* Counters behave as if each operation was done at once, at some moment while
   it took: there is an order of the operations, done[] of each thread before,
   that gives what they got, and the word. */
static bool in_some_order(unsigned done[2], uint64_t word)
{
    bool right = done[0] == 3 && done[1] == 3 && word == word_of_cells;
    unsigned t, count;
    for (t = 0; t < 2 && !right; t++) {
        const operation *o = &all[t][done[t]], *other = &all[!t][done[!t]];
        uint64_t now;
        if (done[t] == 3 || (done[!t] < 3 && other->end < o->begin))
            continue;
        now = word_after(word, o->what, &count);
        if (o->got != count)
            continue;
        done[t]++;
        right = in_some_order(done, now);
        done[t]--;
    }
    return right;
}

/* No bit is lost; "new" is said of absent bits only, by one thread at least
   unless it was merged in, and not by who began when the bit had been set. */
static bool bits_are_right(uint64_t start)
{
    uint64_t set = start, new_to = 0, stale = 0, merged = 0, fresh;
    unsigned i, j;
    for (i = 0; i < 6; i++) {
        const operation *o = &all[i / 3][i % 3], *p;
        set |= bits_of(o->what);
        merged |= is_merge(o->what) ? bits_of(o->what) : 0;
        new_to |= o->got;
        for (j = 0; j < 6; j++) {
            p = &all[j / 3][j % 3];
            if (o->end < p->begin)
                stale |= bits_of(o->what) & p->got;
        }
    }
    fresh = set & ~start;
    return word_of_cells == set && (new_to | (merged & fresh)) == fresh
        && stale == 0;
}

/* ---- All of them --------------------------------------------------------- */

/* Of the 27 times 27 programs those that are not the same with the threads
   exchanged, until an order is wrong */
static bool explore(enum kind which, const char *name, unsigned start)
{
    unsigned long runs = 0;
    unsigned program, i, x, y, none[2] = { 0, 0 };
    bool right = true;
    kind = which;
    for (program = 0; program < 27 * 27 && right; program++) {
        x = program % 27;
        y = program / 27;
        for (i = 0; i < 3; i++, x /= 3, y /= 3) {
            all[0][i].what = x % 3;
            all[1][i].what = y % 3;
        }
        known = 0;
        if (program % 27 >= program / 27)
            do {
                run(start);
                runs++;
                right = kind <= SUMS ? in_some_order(none, start)
                                     : bits_are_right(start);
            } while (right && choose_anew());
    }
    printf("%-26s from %3u: %8lu orders, %s\n", name, start, runs,
           right ? "all right" : torn ? "one wrong, as torn" : "one WRONG");
    return right != torn;
}

int main(void)
{
    bool right = true;
    do {
        right &= explore(COUNTERS, "bloom_count_", 0);
        right &= explore(COUNTERS, "bloom_count_", 14);
        right &= explore(COUNTERS, "bloom_count_", 15);
        right &= explore(SUMS, "bloom_combine_words_, count", 0);
        right &= explore(SUMS, "bloom_combine_words_, count", 0xCA);
        right &= explore(BITS, "bloom_set_bit_", 0);
        right &= explore(BITS, "bloom_set_bit_", 2);
        right &= explore(WORD, "bloom_set_word_", 0);
        right &= explore(WORD, "bloom_set_word_", 4);
        right &= explore(UNIONS, "bloom_combine_words_, bits", 0);
        right &= explore(UNIONS, "bloom_combine_words_, bits", 4);
        torn = !torn;
    } while (torn);
    return !right;
}
