/* show.c: bloom info and dump */
#include "command.h"

/* ---- info --------------------------------------------------------------- */

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
    char age[40];
    if (f->chain)
        row("planned for:", "%" PRIu64 " lines at first, rate %.10g\n", f->n,
            f->p);
    else if (f->window && age_known(f->window))
        row("remembers:", "lines of the last %s, up to %" PRIu64 " lines\n",
            print_age(age, age_known(f->window)), lines_known(f->window));
    else if (f->window)
        row("remembers:", "the last %" PRIu64 " lines\n",
            lines_known(f->window));
}

static void print_size(const filter *f, bloom_plan plan)
{
    if (f->one) {
        row("k:", "%d\n", plan.hashes);
        row("m:", "%" PRIu64 "\n", plan.cells);
    }
    row("seed:", "%" PRIu64 "\n", plan.seed);
    row("bytes:", "%" PRIu64 "\n", (uint64_t)size_of(f));
    if (f->one)
        row("ones:", "%" PRIu64 " (%.2f%%)\n", bloom_ones(f->one),
            percent_of_ones(f->one));
}

static void print_links(const filter *f)
{
    const char *link = f->chain ? "link" : "generation";
    char name[24];
    unsigned i;
    if (f->chain)
        row("links:", "%u; it grows as lines are added\n", links_of(f));
    else
        row("generations:", "%u, newest first; the oldest is forgotten next\n",
            links_of(f));
    for (i = 0; i < links_of(f); i++) {
        const bloom *b = link_of(f, i);
        const bloom_plan plan = bloom_plan_of(b);
        snprintf(name, sizeof name, "%s %u:", link, i);
        row(name, "k %d, m %" PRIu64 ", %.2f%% ones, %s, rate %.3g\n",
            plan.hashes, plan.cells, percent_of_ones(b),
            about_keys(bloom_estimate(b)), bloom_fpr(b));
    }
}

static void print_table(const filter *f, const char *name, bloom_error seal)
{
    const bloom_plan plan = bloom_plan_of(link_of(f, 0));
    const uint64_t known = keys_in(f);
    row("file:", "%s\n", name);
    row("layout:", "%s\n", layouts[plan.layout]);
    row("hash width:", "%d\n", plan.hash_bits);
    print_purpose(f);
    print_size(f, plan);
    if (known == UINT64_MAX)
        row("keys:", "unknown: every cell is set\n");
    else
        row("keys:", "about %" PRIu64 "\n", known);
    print_rate(rate_of(f));
    if (f->one) {
        print_capacity("keys until 1%:", plan, 0.01, known);
        print_capacity("keys until 0.1%:", plan, 0.001, known);
    } else
        print_links(f);
    row("seal:", "%s\n", seal == BLOOM_OK ? "sealed and intact"
                       : seal == BLOOM_UNSEALED && f->one ? "not sealed"
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
    if (f->chain) {
        json_number("planned_lines", f->n);
        printf(",\n  \"planned_rate\": %.10g", f->p);
    } else if (f->window) {
        json_number("last_lines", lines_known(f->window));
        json_number("last_seconds", age_known(f->window));
    } else {
        json_number("keys_until_1_percent",
                    bloom_plan_capacity(bloom_plan_of(f->one), 0.01));
        json_number("keys_until_0.1_percent",
                    bloom_plan_capacity(bloom_plan_of(f->one), 0.001));
    }
}

static void print_json(const filter *f, bloom_error seal)
{
    const bloom_plan plan = bloom_plan_of(link_of(f, 0));
    unsigned i;
    printf("{\n  \"kind\": \"%s\",\n  \"layout\": \"%s\"",
           f->one ? "fixed" : f->chain ? "grows" : "forgets",
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
           : seal == BLOOM_UNSEALED && f->one ? "missing" : "damaged");
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

int show_info(char **operands)
{
    const char *name = *operands;
    filter f = read_filter(name);
    const bloom_error seal = seal_of(&f);   /* before anything is forgotten */
    forget_old(&f);
    if (options.json)
        print_json(&f, seal);
    else
        print_table(&f, name, seal);
    close_output();
    refuse_damage(&f, seal, name);
    free_filter(&f);
    return 0;
}

/* ---- dump --------------------------------------------------------------- */

/* Is this name a keyword of C or C++, a macro of common compilers, or one of
   bloom.h's names? */
static bool is_taken(const char *name)
{
    static const char words[] = " alignas alignof and and_eq asm auto bitand "
        "bitor bool break case catch char char16_t char32_t char8_t class "
        "co_await co_return co_yield compl concept const const_cast consteval "
        "constexpr constinit continue decltype default delete do double "
        "dynamic_cast else enum explicit export extern false float for friend "
        "goto if inline int linux long mutable namespace new noexcept not "
        "not_eq nullptr operator or or_eq private protected public register "
        "reinterpret_cast requires restrict return short signed sizeof static "
        "static_assert static_cast struct switch template this thread_local "
        "throw true try typedef typeid typename typeof typeof_unqual union "
        "unix unsigned using virtual void volatile wchar_t while xor xor_eq ";
    const char *at = strstr(words, name);
    while (at && !(at[-1] == ' ' && at[strlen(name)] == ' '))
        at = strstr(at + 1, name);
    return at || strcmp(name, "bloom") == 0 || strncmp(name, "bloom_", 6) == 0
           || strncmp(name, "BLOOM_", 6) == 0;
}

/* Makes a C name of the file's name, without its folders. */
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

static void print_array(const char *name, const bloom *b)
{
    const unsigned char *bytes = (const unsigned char *)b;
    size_t size = bloom_size(b), i;
    printf("extern const unsigned char %s[%" PRIu64 "];\n"
           "const unsigned char %s[%" PRIu64 "] BLOOM_ROM = {",
           name, (uint64_t)size, name, (uint64_t)size);
    for (i = 0; i < size; i++)
        printf("%s0x%02x%s", i % 12 ? " " : "\n    ", bytes[i],
               i + 1 < size ? "," : "\n};\n");
}

/* BLOOM_TINY, the option for firmware, reads one kind of filter only. */
static void print_head(const filter *f, const char *name)
{
    bloom_plan plan = bloom_plan_of(link_of(f, 0));
    bool tiny = plan.layout == BLOOM_CLASSIC && plan.hash_bits == 32;
    printf("/* A Bloom filter for bloom_view(%s%s, sizeof %s%s, NULL):\n"
           "   %s, hash width %d, k %d, m %" PRIu64 ", seed %" PRIu64
           ", %s", name, f->one ? "" : "_0", name,
           f->one ? "" : "_0", layouts[plan.layout], plan.hash_bits,
           plan.hashes, plan.cells, plan.seed, about_keys(keys_in(f)));
    if (!f->one)
        printf(".\n   %s: a key may be in if any of %s_0 to %s_%u contains it",
               f->chain ? "It has grown" : "It forgets", name, name,
               links_of(f) - 1);
    if (!tiny)
        printf(".\n   BLOOM_TINY cannot read it; for BLOOM_TINY, build it with "
               "-l classic -w 32");
    puts(" */\n");
    if (!tiny)
        puts("#ifdef BLOOM_TINY\n#error \"BLOOM_TINY reads classic filters of "
             "hash width 32 only\"\n#endif\n");
    puts("#ifndef BLOOM_ROM\n#define BLOOM_ROM /* AVR: PROGMEM */\n#endif\n");
}

int dump_filter(char **operands)
{
    filter f = read_sound_filter(*operands);
    char *name = c_name_of(*operands);
    size_t room = strlen(name) + 16;
    char *link = enlarge(NULL, room, name);
    unsigned i;
    if (f.one && is_taken(name))
        die("%s: its array would be named %s, which C, C++ or bloom.h uses; "
            "rename the file", *operands, name);
    forget_old(&f);
    print_head(&f, name);
    for (i = 0; i < links_of(&f); i++) {
        snprintf(link, room, f.one ? "%s" : "%s_%u", name, i);
        print_array(link, link_of(&f, i));
    }
    close_output();
    free(link);
    free(name);
    free_filter(&f);
    return 0;
}
