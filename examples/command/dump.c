/* dump.c: bloom dump, which prints C arrays */
#include "dump.h"
#include "filter.h"
#include "fixed.h"
#include "say.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

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
    const bloom_plan plan = bloom_plan_of(link_of(f, 0));
    const bool tiny = plan.layout == BLOOM_CLASSIC && plan.hash_bits == 32;
    const char *first = is_fixed(f) ? "" : "_0";
    const uint64_t known = keys_in(f);
    printf("/* A Bloom filter for bloom_view(%s%s, sizeof %s%s, NULL):\n"
           "   %s, hash width %d, k %d, m %" PRIu64 ", seed %" PRIu64
           ", ", name, first, name, first, layouts[plan.layout],
           plan.hash_bits, plan.hashes, plan.cells, plan.seed);
    if (known == UINT64_MAX)
        printf("every cell is set");
    else
        printf("about %" PRIu64 " keys", known);
    if (!is_fixed(f))
        printf(".\n   %s: a key may be in if any of %s_0 to %s_%u contains it",
               f->kind->dumped, name, name, links_of(f) - 1);
    if (!tiny)
        printf(".\n   BLOOM_TINY cannot read it; for BLOOM_TINY, build it with "
               "-l classic -w 32");
    puts(" */\n");
    if (!tiny)
        puts("#ifdef BLOOM_TINY\n#error \"BLOOM_TINY reads classic filters of "
             "hash width 32 only\"\n#endif\n");
    puts("#ifndef BLOOM_ROM\n#define BLOOM_ROM /* AVR: PROGMEM */\n#endif\n");
}

int dump_filter(const options *o, char **operands)
{
    filter f = read_sound_filter(*operands);
    char *name = c_name_of(*operands);
    size_t room = strlen(name) + 16;
    char *link = enlarge(NULL, room, name);
    unsigned i;
    (void)o;                            /* it has none */
    if (is_fixed(&f) && is_taken(name))
        die("%s: its array would be named %s, which C, C++ or bloom.h uses; "
            "rename the file", *operands, name);
    forget_old(&f);
    print_head(&f, name);
    for (i = 0; i < links_of(&f); i++) {
        snprintf(link, room, is_fixed(&f) ? "%s" : "%s_%u", name, i);
        print_array(link, link_of(&f, i));
    }
    close_output();
    free(link);
    free(name);
    free_filter(&f);
    return 0;
}
