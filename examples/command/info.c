/* info.c: bloom info, a table or JSON */
#include "info.h"
#include "filter.h"
#include "say.h"

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
    char text[120];
    const char *title = f->kind->purpose(f, text);
    if (title)
        row(title, "%s\n", text);
}

static void print_links(const filter *f)
{
    char name[24];
    unsigned i;
    row(f->kind->links, "%u; %s\n", links_of(f), f->kind->links_note);
    for (i = 0; i < links_of(f); i++) {
        const bloom *b = link_of(f, i);
        const bloom_plan plan = bloom_plan_of(b);
        snprintf(name, sizeof name, "%s %u:", f->kind->link, i);
        row(name, "k %d, m %" PRIu64 ", %.2f%% ones, %s, rate %.3g\n",
            plan.hashes, plan.cells, percent_of_ones(b),
            about_keys(bloom_estimate(b)), bloom_fpr(b));
    }
}

static void print_table(const filter *f, const char *name, bloom_error seal)
{
    const bloom *first = link_of(f, 0);
    const bloom_plan plan = bloom_plan_of(first);
    const uint64_t known = keys_in(f);
    const bool single = f->kind->link == NULL;
    row("file:", "%s\n", name);
    row("layout:", "%s\n", layouts[plan.layout]);
    row("hash width:", "%d\n", plan.hash_bits);
    print_purpose(f);
    if (single) {
        row("k:", "%d\n", plan.hashes);
        row("m:", "%" PRIu64 "\n", plan.cells);
    }
    row("seed:", "%" PRIu64 "\n", plan.seed);
    row("bytes:", "%" PRIu64 "\n", (uint64_t)size_of(f));
    if (single)
        row("ones:", "%" PRIu64 " (%.2f%%)\n", bloom_ones(first),
            percent_of_ones(first));
    if (known == UINT64_MAX)
        row("keys:", "unknown: every cell is set\n");
    else
        row("keys:", "about %" PRIu64 "\n", known);
    print_rate(rate_of(f));
    if (single) {
        print_capacity("keys until 1%:", plan, 0.01, known);
        print_capacity("keys until 0.1%:", plan, 0.001, known);
    } else
        print_links(f);
    row("seal:", "%s\n", seal == BLOOM_OK ? "sealed and intact"
                       : seal == BLOOM_UNSEALED && single ? "not sealed"
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
    fact list[3] = { { NULL, 0, 0 } };
    const fact *one;
    f->kind->facts(f, list);
    for (one = list; one->name; one++)
        if (one->rate > 0)
            printf(",\n  \"%s\": %.10g", one->name, one->rate);
        else
            json_number(one->name, one->number);
}

static void print_json(const filter *f, bloom_error seal)
{
    const bloom_plan plan = bloom_plan_of(link_of(f, 0));
    unsigned i;
    printf("{\n  \"kind\": \"%s\",\n  \"layout\": \"%s\"",
           f->kind->name, layouts[plan.layout]);
    json_number("hash_width", plan.hash_bits);
    json_number("seed", plan.seed);
    json_number("bytes", size_of(f));
    printf(",\n  ");
    json_keys(keys_in(f));
    printf(",\n  \"rate\": %.6g", rate_of(f));
    json_purpose(f);
    printf(",\n  \"seal\": \"%s\",\n  \"filters\": [",
           seal == BLOOM_OK ? "intact"
           : seal == BLOOM_UNSEALED && !f->kind->link ? "missing"
           : "damaged");
    for (i = 0; i < links_of(f); i++) {
        const bloom *b = link_of(f, i);
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
    filter f = read_filter(name);
    const bloom_error seal = seal_of(&f);   /* before anything is forgotten */
    forget_old(&f);
    if (o->json)
        print_json(&f, seal);
    else
        print_table(&f, name, seal);
    close_output();
    refuse_damage(&f, seal, name);
    free_filter(&f);
    return 0;
}
