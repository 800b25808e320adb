/* keys.c: the key of each line */
#include "keys.h"
#include "say.h"

#include <ctype.h>
#include <string.h>

/* Returns the position after `count` separators, or end + 1 if there are
   fewer. */
static const char *skip_fields(const char *from, const char *end,
                               char separator, uint64_t count)
{
    while (count-- > 0) {
        from = memchr(from, separator, (size_t)(end - from));
        if (!from)
            return end + 1;
        from++;
    }
    return from;
}

/* A field that is missing from the line counts as empty. */
static bloom_key select_fields(bloom_key line, const key_rules *rules)
{
    const char *from = line.data, *end = from + line.size;
    from = skip_fields(from, end, rules->separator, rules->first - 1);
    if (from > end)
        from = end;
    else if (rules->last)
        end = skip_fields(from, end, rules->separator,
                          rules->last - rules->first + 1) - 1;
    line.data = from;
    line.size = (size_t)(end - from);
    return line;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bloom_key key_of(bloom_key line, const key_rules *rules)
{
    const char *from = line.data;
    if (rules->crlf && line.size > 0 && from[line.size - 1] == '\r')
        line.size--;
    if (rules->first)
        line = select_fields(line, rules);
    from = line.data;
    if (rules->trim) {
        while (line.size > 0 && is_blank(from[line.size - 1]))
            line.size--;
        for (; line.size > 0 && is_blank(*from); from++)
            line.size--;
    }
    line.data = from;
    return line;
}

static void make_lower(char *to, const char *from, size_t size)
{
    size_t i;
    for (i = 0; i < size; i++)
        to[i] = (char)(from[i] >= 'A' && from[i] <= 'Z' ? from[i] + 32
                                                        : from[i]);
}

/* Makes copies, as the lines are printed unchanged. */
static void ignore_case(batch *b, size_t count)
{
    size_t i, size = 0;
    char *to;
    for (i = 0; i < count; i++)
        size += b->made[i].size;
    if (size > b->lower_room)
        b->lower = enlarge(b->lower, b->lower_room = 2 * size, "line");
    to = b->lower;
    for (i = 0; i < count; i++) {
        make_lower(to, b->made[i].data, b->made[i].size);
        b->made[i].data = to;
        to += b->made[i].size;
    }
}

size_t next_batch(batch *b, chunk *c, const key_rules *rules)
{
    size_t count = next_lines(c, b->line, BATCH), i;
    b->key = b->line;
    if (rules->crlf || rules->first || rules->trim || rules->ignore_case) {
        b->key = b->made;
        for (i = 0; i < count; i++)
            b->made[i] = key_of(b->line[i], rules);
    }
    if (rules->ignore_case)
        ignore_case(b, count);
    return count;
}

void keep_lines(chunk *c, size_t *kept, const batch *b, const bool *wanted,
                bool value, size_t count)
{
    size_t i = 0;
    while (i < count) {
        const char *from = b->line[i].data;
        size_t size = 0;
        for (; i < count && wanted[i] == value; i++)
            size += b->line[i].size + 1;
        if (size > 0 && from != c->text + *kept)
            memmove(c->text + *kept, from, size);
        *kept += size;
        while (i < count && wanted[i] != value)
            i++;
    }
}

/* ---- Lists of breached passwords ---------------------------------------- */
/* Their lines are HASH:COUNT. If whole lines were added, a lookup of a hash
   alone finds nothing. */

static size_t count_hex(bloom_key key)
{
    const char *from = key.data;
    size_t size = 0;
    while (size < key.size && isxdigit((unsigned char)from[size]))
        size++;
    return size;
}

bool looks_like_a_count(bloom_key key)
{
    const char *from = key.data;
    size_t at = count_hex(key);
    bool digits = false;
    if (at < 32 || at == key.size || from[at] != ':')
        return false;
    while (++at < key.size && isdigit((unsigned char)from[at]))
        digits = true;
    return digits && (at == key.size
                      || (at + 1 == key.size && from[at] == '\r'));
}

bool looks_like_a_hash(bloom_key key)
{
    size_t size = count_hex(key);
    return size == key.size && (size == 32 || size == 40 || size == 64);
}
