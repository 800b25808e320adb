/* dump.c: bloom dump, which prints C arrays */
#include "file.h"
#include "options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Makes a C name of the file's name, without its folders. */
static char *c_name_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char *name = enlarge(NULL, strlen(base) + 2), *end = name;
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
    const bloom_plan plan = bloom_plan_of(part_of(f, 0));
    const bool tiny = plan.layout == BLOOM_CLASSIC && plan.hash_bits == 32;
    const char *first = f->fixed ? "" : "_0";
    const uint64_t known = keys_in(f);
    printf("/* A Bloom filter for bloom_view(%s%s, sizeof %s%s, NULL):\n"
           "   %s, hash width %d, k %d, m %" PRIu64 ", seed %" PRIu64
           ", ", name, first, name, first, layouts[plan.layout],
           plan.hash_bits, plan.hashes, plan.cells, plan.seed);
    if (known == UINT64_MAX)
        printf("every cell is set");
    else
        printf("about %" PRIu64 " keys", known);
    if (!f->fixed)
        printf(".\n   %s: a key may be in if any of %s_0 to %s_%u contains it",
               f->chain ? "It has grown" : "It forgets", name, name,
               parts_of(f) - 1);
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
    filter f = read_file(*operands, NULL);
    char *name = c_name_of(*operands);
    size_t room = strlen(name) + 16;
    char *link = enlarge(NULL, room);
    unsigned i;
    (void)o;                            /* it has none */
    forget_old(&f);
    print_head(&f, name);
    for (i = 0; i < parts_of(&f); i++) {
        snprintf(link, room, f.fixed ? "%s" : "%s_%u", name, i);
        print_array(link, part_of(&f, i));
    }
    close_output();
    free(link);
    free(name);
    return 0;
}
