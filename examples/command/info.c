/* info.c: bloom info, a table or JSON */
#include "file.h"
#include "options.h"

#include <stdio.h>

#define row(name, ...) (printf("%-17s", name), printf(__VA_ARGS__))

static void print_rate(double rate)
{
    if (rate > 0)
        row("rate now:", "%.3g (1 in %.*f)\n", rate, rate > 0.1, 1 / rate);
    else
        row("rate now:", "0\n");
}

/* The result is valid until the next call. */
static const char *about_keys(uint64_t known)
{
    static char text[40];
    if (known == UINT64_MAX)
        return "every cell is set";
    snprintf(text, sizeof text, "about %" PRIu64 " keys", known);
    return text;
}

static void print_capacity(const char *name, bloom_plan plan, double p,
                           uint64_t known)
{
    uint64_t all = bloom_plan_capacity(plan, p);
    row(name, "%" PRIu64 " (%" PRIu64 " more)\n", all,
        all > known ? all - known : 0);
}

static double percent_of_ones(const bloom *b)
{
    return 100 * (double)bloom_ones(b) / (double)bloom_plan_of(b).cells;
}

static void print_purpose(const filter *f)
{
    const uint64_t age = f->window ? age_known(f->window) : 0;
    char time[40];
    if (f->chain)
        row("planned for:", "%" PRIu64 " lines at first, rate %.10g\n", f->n,
            f->p);
    else if (age)
        row("remembers:", "lines of the last %s, up to %" PRIu64 " lines\n",
            print_age(time, age), lines_known(f->window));
    else if (f->window)
        row("remembers:", "the last %" PRIu64 " lines\n",
            lines_known(f->window));
}

static void print_parts(const filter *f)
{
    char name[24];
    unsigned i;
    row(f->chain ? "links:" : "generations:", "%u; %s\n", parts_of(f),
        f->chain ? "it grows as lines are added"
                 : "newest first; the oldest is forgotten next");
    for (i = 0; i < parts_of(f); i++) {
        const bloom *b = part_of(f, i);
        const bloom_plan plan = bloom_plan_of(b);
        snprintf(name, sizeof name, "%s %u:", f->chain ? "link" : "generation",
                 i);
        row(name, "k %d, m %" PRIu64 ", %.2f%% ones, %s, rate %.3g\n",
            plan.hashes, plan.cells, percent_of_ones(b),
            about_keys(bloom_estimate(b)), bloom_fpr(b));
    }
}

static void print_table(const filter *f, const char *name, bloom_error seal)
{
    const bloom *first = part_of(f, 0);
    const bloom_plan plan = bloom_plan_of(first);
    const uint64_t known = keys_in(f);
    row("file:", "%s\n", name);
    row("layout:", "%s\n", layouts[plan.layout]);
    row("hash width:", "%d\n", plan.hash_bits);
    print_purpose(f);
    if (f->fixed) {
        row("k:", "%d\n", plan.hashes);
        row("m:", "%" PRIu64 "\n", plan.cells);
    }
    row("seed:", "%" PRIu64 "\n", plan.seed);
    row("bytes:", "%" PRIu64 "\n", (uint64_t)size_of(f));
    if (f->fixed)
        row("ones:", "%" PRIu64 " (%.2f%%)\n", bloom_ones(first),
            percent_of_ones(first));
    if (known == UINT64_MAX)
        row("keys:", "unknown: every cell is set\n");
    else
        row("keys:", "about %" PRIu64 "\n", known);
    print_rate(rate_of(f));
    if (f->fixed) {
        print_capacity("keys until 1%:", plan, 0.01, known);
        print_capacity("keys until 0.1%:", plan, 0.001, known);
    } else
        print_parts(f);
    row("seal:", "%s\n", seal == BLOOM_OK ? "sealed and intact"
        : seal == BLOOM_UNSEALED ? "not sealed: in use, or a run was killed"
        : "DAMAGED");
}

/* ---- info --json -------------------------------------------------------- */
/* No string in it needs a backslash, as the name of the file is left out. */

static void json_number(const char *name, uint64_t number)
{
    printf(",\n  \"%s\": %" PRIu64, name, number);
}

static void json_keys(uint64_t known)
{
    if (known == UINT64_MAX)
        printf("\"keys\": null");
    else
        printf("\"keys\": %" PRIu64, known);
}

static void json_purpose(const filter *f)
{
    const bloom_plan plan = bloom_plan_of(part_of(f, 0));
    if (f->chain) {
        json_number("planned_lines", f->n);
        printf(",\n  \"planned_rate\": %.10g", f->p);
    } else if (f->window) {
        json_number("last_lines", lines_known(f->window));
        json_number("last_seconds", age_known(f->window));
    } else {
        json_number("keys_until_1_percent", bloom_plan_capacity(plan, 0.01));
        json_number("keys_until_0.1_percent", bloom_plan_capacity(plan, 0.001));
    }
}

static void print_json(const filter *f, bloom_error seal)
{
    const bloom_plan plan = bloom_plan_of(part_of(f, 0));
    unsigned i;
    printf("{\n  \"kind\": \"%s\",\n  \"layout\": \"%s\"",
           f->chain ? "grows" : f->window ? "forgets" : "fixed",
           layouts[plan.layout]);
    json_number("hash_width", plan.hash_bits);
    json_number("seed", plan.seed);
    json_number("bytes", size_of(f));
    printf(",\n  ");
    json_keys(keys_in(f));
    printf(",\n  \"rate\": %.6g", rate_of(f));
    json_purpose(f);
    printf(",\n  \"seal\": \"%s\",\n  \"filters\": [",
           seal == BLOOM_OK ? "intact"
           : seal == BLOOM_UNSEALED ? "missing" : "damaged");
    for (i = 0; i < parts_of(f); i++) {
        const bloom *b = part_of(f, i);
        printf("%s\n    { \"k\": %d, \"m\": %" PRIu64 ", \"ones\": %" PRIu64
               ", ", i > 0 ? "," : "", bloom_plan_of(b).hashes,
               bloom_plan_of(b).cells, bloom_ones(b));
        json_keys(bloom_estimate(b));
        printf(", \"rate\": %.6g }", bloom_fpr(b));
    }
    puts("\n  ]\n}");
}

int show_info(const options *o, char **operands)
{
    const char *name = *operands;
    bloom_error seal;
    filter f = read_file(name, &seal);
    forget_old(&f);
    if (o->json)
        print_json(&f, seal);
    else
        print_table(&f, name, seal);
    close_output();
    if (seal == BLOOM_CORRUPT)
        die_of(bloom_error_text(seal), name);
    return 0;
}
