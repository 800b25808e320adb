/* Tests BLOOM_ATOMIC in every possible order of two threads (`make threads`).
   Each thread runs three operations of bloom.h on one word of cells: setting
   bits, counting up and down, and merging. `interleave all` tries each pair of
   threads, `interleave` one of seven. The two may alternate before each
   atomic operation, and one weak exchange per run may fail for no reason. In
   every order, no bit or count may be lost, and the results must be as bloom.h
   promises. As a control, the atomic operations are then torn in two parts, and
   a wrong order must be found. The exit status is 1 if an order is wrong, or if
   the control finds none.

   A run is a list of choices: which thread goes on, and what fails. The next
   run changes the last "no" of the list to "yes". The threads are coroutines.
   As all CPUs agree on the order of changes to one word, the result holds for
   CPUs with relaxed memory, too. Accesses that are not atomic at all are not
   found here, but by ThreadSanitizer in threads.c. */

#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

static void point(const void *at);
static bool chance(void);
static bool torn;                       /* atomic operations have two parts */

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
#include "../inside.h"

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "interleave.c needs x86-64 or AArch64, for which bloom.h has SIMD"
#endif

/* ---- Choices ------------------------------------------------------------- */

enum { MOST = 1000, STACK = 1 << 16 };

static bool choices[MOST];
static unsigned made, known;            /* in this run; prescribed for it */

static unsigned choose(void)
{
    if (made == known && known < MOST)
        choices[known++] = false;
    return choices[made++];
}

/* Prepares the next list of choices. Returns false if there is none. */
static bool choose_anew(void)
{
    while (known > 0 && choices[known - 1])
        known--;
    if (known > 0)
        choices[known - 1] = true;
    return known > 0;
}

static unsigned failures;               /* how many may still come */

static bool chance(void)
{
    return failures > 0 && choose() && failures-- > 0;
}

/* ---- Operations ---------------------------------------------------------- */

enum kind { COUNTERS, SUMS, BITS, WORD, UNIONS };

/* What a thread does, its result, and its first and last step */
typedef struct operation {
    unsigned what, begin, end;
    uint64_t got;
} operation;

static uint64_t word_of_cells;
static unsigned char *const cells = (unsigned char *)&word_of_cells;
static const unsigned char other_cells[8] = { 0x46 };   /* to be merged in */
static operation all[2][3];
static enum kind kind;

/* The operations 0, 1 and 2 of each kind:
     COUNTERS   count cell 0 up, count cell 1 up, count cell 0 down
     SUMS       count cell 0 up, count it down, merge a word of counters
     BITS       set bit 0, 1, 2
     WORD       set the bits of the mask 1, 2 or 3 at once
     UNIONS     set bit 0, set bit 1, merge a word of bits */
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

/* Runs an operation. Returns the old count, or the bits that were new; 0 for a
   merge. */
static uint64_t do_it(unsigned what)
{
    if (is_merge(what)) {
        inside_combine_words(cells, other_cells, 8, kind == SUMS, false);
        return 0;
    }
    return kind <= SUMS ? inside_count(cells, counted_cell(what),
                                       is_up(what) ? 1 : -1)
         : kind == WORD ? inside_set_word(cells, bits_of(what))
                        : (~inside_probe_bit(cells, what, true) & 1ULL) << what;
}

/* ---- Threads -------------------------------------------------------------
   They live for all runs, as making a stack is slow, and jumping is not. */

static jmp_buf scheduler, contexts[2];
static unsigned running, step;
static bool ended[2];

/* Before an atomic operation: lets the scheduler choose who goes on. Only
   accesses to the first byte of the word matter, as only that byte changes. */
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
        puts("FAILED: an operation does not end");
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

/* One run: both threads come to their first point, then go on step by step. */
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

/* ---- Correct results ----------------------------------------------------- */

/* The word after an operation; *count is the result that it should have. */
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

/* Counters are linearizable: each operation behaves as if done at one moment
   between its first and its last step. This looks for an order of the
   operations that explains their results and the final word. done[t] operations
   of thread t are in the order already. */
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

/* Bits: none is lost. A bit is reported as new only if it was absent; at least
   one thread reports it, unless it was merged in; and no operation reports it
   that began after another one had set it. */
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

/* ---- All programs -------------------------------------------------------- */

static unsigned every = 7;              /* one pair of so many is tried */

/* Tries pairs of threads, each once and in all orders, until one is wrong. There
   are 27 threads of three operations. */
static bool explore(enum kind which, const char *name, unsigned start)
{
    unsigned long runs = 0;
    unsigned program, i, x, y, none[2] = { 0, 0 };
    bool right = true;
    kind = which;
    for (program = 0; program < 27 * 27 && right; program += every) {
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
           right ? "all correct" : torn ? "torn: one is wrong, as expected"
                                        : "one is WRONG");
    return right != torn;
}

int main(int count, char **words)
{
    bool right = true;
    if (count > 1 && strcmp(words[1], "all") == 0)
        every = 1;
    do {
        right &= explore(COUNTERS, "count up and down", 0);
        right &= explore(COUNTERS, "count up and down", 14);
        right &= explore(COUNTERS, "count up and down", 15);
        right &= explore(SUMS, "count and merge counters", 0);
        right &= explore(SUMS, "count and merge counters", 0xCA);
        right &= explore(BITS, "set single bits", 0);
        right &= explore(BITS, "set single bits", 2);
        right &= explore(WORD, "set bits of a word", 0);
        right &= explore(WORD, "set bits of a word", 4);
        right &= explore(UNIONS, "set and merge bits", 0);
        right &= explore(UNIONS, "set and merge bits", 4);
        torn = !torn;
    } while (torn);
    return !right;
}
