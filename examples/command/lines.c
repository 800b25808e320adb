/* lines.c: reads the lines of files, and finds the key of each line */
#include "lines.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* ---- Files -------------------------------------------------------------- */

const char *shown(const char *name)
{
    return strcmp(name, "-") == 0 ? "standard input" : name;
}

bool look_at_input(const char *name, struct stat *file)
{
    return (strcmp(name, "-") == 0 ? fstat(0, file) : stat(name, file)) == 0;
}

reader reader_of(char **names, const key_rules *rules)
{
    static char dash[] = "-";
    static char *alone[] = { dash, NULL };
    reader in = { 0 };
    in.names = *names ? names : alone;
    in.fd = -1;
    in.end = rules->end;
    return in;
}

/* Opening a FIFO waits for a writer. A signal interrupts the wait, so that
   before_read can act on it. */
static bool open_next(reader *in)
{
    if (*in->names == NULL)
        return false;
    in->name = *in->names++;
    do {
        if (in->before_read)
            in->before_read(in);
        in->fd = strcmp(in->name, "-") == 0 ? 0 : open(in->name, O_RDONLY);
    } while (in->fd < 0 && errno == EINTR);
    if (in->fd < 0)
        die_of(strerror(errno), in->name);
    in->origin = isatty(in->fd) ? -1 : lseek(in->fd, 0, SEEK_CUR);
    if (in->again && in->origin < 0)
        die("%s: can be read only once, so its lines cannot be counted "
            "first; give -n N", shown(in->name));
    in->fresh = true;
    return true;
}

static void close_input(reader *in)
{
    if (in->again)
        lseek(in->fd, in->origin, SEEK_SET);
    if (in->fd != 0)
        close(in->fd);
    in->fd = -1;
}

/* Makes c at least twice as large as `have` bytes. */
static void make_room(chunk *c, size_t have)
{
    size_t room = c->room ? c->room : CHUNK_ROOM;
    while (room / 2 < have)
        room *= 2;
    if (room > c->room)
        c->text = enlarge(c->text, c->room = room);
}

/* In a text, a tab or the end of a line may follow the three letters. */
bool begins_like_a_filter(const void *bytes, size_t size)
{
    const char *b = bytes;
    return size >= 4 && memcmp(b, "BL", 2) == 0 && b[2] != '\0'
           && strchr("MCWS", b[2]) && b[3] > 0 && b[3] < 32
           && !isspace((unsigned char)b[3]);
}

/* Exits if a filter is given as lines, as in "bloom build all part1 part2". Its
   bytes may still be lines if they come from standard input or a pipe. */
static void refuse_filter(const reader *in, const char *bytes, size_t size)
{
    struct stat file;
    if (in->fd != 0 && begins_like_a_filter(bytes, size)
        && fstat(in->fd, &file) == 0 && S_ISREG(file.st_mode))
        die_of("is a filter; did you mean merge?", in->name);
}

/* Reads more bytes after the first `have`, and closes the file at its end.
   Leaves space for the end character that the last line may lack. */
static size_t read_more(reader *in, chunk *c, size_t have)
{
    ssize_t got;
    make_room(c, have);
    if (in->before_read)
        in->before_read(in);
    do
        got = read(in->fd, c->text + have, c->room - have - 1);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        die_of(strerror(errno), shown(in->name));
    if (in->fresh)
        refuse_filter(in, c->text + have, (size_t)got);
    in->fresh = false;
    if (got == 0)
        close_input(in);
    return (size_t)got;
}

/* Returns how many of `have` bytes are whole lines. The first `old` bytes
   contain no end character. */
static size_t whole_lines(const chunk *c, size_t old, size_t have)
{
    while (have > old && c->text[have - 1] != c->end)
        have--;
    return have > old ? have : 0;
}

static void keep_rest(reader *in, const char *from, size_t size)
{
    if (size > in->rest_room)
        in->rest = enlarge(in->rest, in->rest_room = 2 * size);
    if (size > 0)
        memcpy(in->rest, from, size);
    in->rest_size = size;
}

bool next_chunk(reader *in, chunk *c)
{
    size_t have = 0, got;
    c->size = c->next = 0;
    c->end = in->end;
    while (c->size == 0) {
        if (in->fd < 0 && !open_next(in)) {
            free(c->text);
            free(in->rest);
            c->text = in->rest = NULL;
            c->room = in->rest_room = 0;
            return false;
        }
        if (in->rest_size > 0) {
            have = in->rest_size;
            make_room(c, have);
            memcpy(c->text, in->rest, have);
            in->rest_size = 0;
        }
        got = read_more(in, c, have);
        if (got == 0 && have > 0)
            c->text[have++] = c->end;
        c->size = got > 0 ? whole_lines(c, have, have + got) : have;
        have += got;
    }
    keep_rest(in, c->text + c->size, have - c->size);
    return true;
}

static size_t next_lines(chunk *c, bloom_key *line, size_t most)
{
    size_t some = 0;
    while (some < most && c->next < c->size) {
        const char *from = c->text + c->next;
        const char *end = memchr(from, c->end, c->size - c->next);
        line[some].data = from;
        line[some].size = (size_t)(end - from);
        c->next += line[some].size + 1;
        some++;
    }
    return some;
}

/* Lines that lie one right after the other are moved in one piece. */
void keep_lines(chunk *c, size_t *kept, const batch *b, const bool *wanted,
                bool value, size_t count)
{
    size_t i = 0;
    while (i < count) {
        const char *from = b->line[i].data;
        size_t size = 0;
        for (; i < count && wanted[i] == value
               && b->line[i].data == from + size; i++)
            size += b->line[i].size + 1;
        if (size > 0 && from != c->text + *kept)
            memmove(c->text + *kept, from, size);
        *kept += size;
        while (i < count && wanted[i] != value)
            i++;
    }
}

/* ---- Keys --------------------------------------------------------------- */

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
        b->lower = enlarge(b->lower, b->lower_room = 2 * size);
    to = b->lower;
    for (i = 0; i < count; i++) {
        make_lower(to, b->made[i].data, b->made[i].size);
        b->made[i].data = to;
        to += b->made[i].size;
    }
}

size_t next_batch(batch *b, chunk *c, const key_rules *rules, size_t most)
{
    size_t count = next_lines(c, b->line, most < BATCH ? most : BATCH), i;
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
