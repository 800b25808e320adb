/* input.c: reads the lines of files */
#include "input.h"
#include "say.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Reading ------------------------------------------------------------ */

const char *shown(const char *name)
{
    return strcmp(name, "-") == 0 ? "standard input" : name;
}

/* Returns -1 and sets errno if the file cannot be opened. */
static int try_input(const char *name)
{
    return strcmp(name, "-") == 0 ? 0 : open(name, O_RDONLY);
}

int open_input(const char *name)
{
    int fd = try_input(name);
    if (fd < 0)
        die_of(strerror(errno), name);
    return fd;
}

size_t read_some(int fd, const char *name, void *to, size_t most)
{
    const size_t limit = 1 << 24;   /* some systems refuse 2 GB at once */
    ssize_t got;
    do
        got = read(fd, to, most < limit ? most : limit);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        die_of(strerror(errno), shown(name));
    return (size_t)got;
}

/* ---- Lines -------------------------------------------------------------- */

reader reader_of(char **names, char end)
{
    static char dash[] = "-";
    static char *alone[] = { dash, NULL };
    reader in = { 0 };
    in.names = *names ? names : alone;
    in.fd = -1;
    in.end = end;
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
        in->fd = try_input(in->name);
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
static void make_room(chunk *c, size_t have, const char *name)
{
    size_t room = c->room ? c->room : CHUNK_ROOM;
    while (room / 2 < have)
        room *= 2;
    if (room > c->room)
        c->text = enlarge(c->text, c->room = room, shown(name));
}

/* In a text, a tab or the end of a line may follow. */
bool begins_as(const char *letters, const char *bytes,
                             size_t size)
{
    return size >= 4 && memcmp(bytes, "BL", 2) == 0 && bytes[2] != '\0'
           && strchr(letters, bytes[2]) && bytes[3] > 0 && bytes[3] < 32
           && !isspace((unsigned char)bytes[3]);
}

/* Exits if a filter is given as lines, as in "bloom build all part1 part2". Its
   bytes may still be lines if they come from standard input or a pipe. */
static void refuse_filter(const reader *in, const char *bytes,
                                 size_t size)
{
    struct stat file;
    if (in->fd != 0 && begins_as("MCWS", bytes, size)
        && fstat(in->fd, &file) == 0 && S_ISREG(file.st_mode))
        die_of("is a filter; did you mean merge?", in->name);
}

/* Reads more bytes after the first `have`, and closes the file at its end.
   Leaves space for the end character that the last line may lack. */
static size_t read_more(reader *in, chunk *c, size_t have)
{
    size_t got;
    make_room(c, have, in->name);
    if (in->before_read)
        in->before_read(in);
    got = read_some(in->fd, in->name, c->text + have, c->room - have - 1);
    if (in->fresh)
        refuse_filter(in, c->text + have, got);
    in->fresh = false;
    if (got == 0)
        close_input(in);
    return got;
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
    if (size > in->rest_room) {
        in->rest_room = 2 * size;
        in->rest = enlarge(in->rest, in->rest_room, shown(in->name));
    }
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
            make_room(c, have, in->name);
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

size_t next_lines(chunk *c, bloom_key *line, size_t most)
{
    size_t some = 0;
    while (some < most && c->next < c->size) {
        const char *from = c->text + c->next;
        const char *end = memchr(from, c->end,
                                               c->size - c->next);
        line[some].data = from;
        line[some].size = (size_t)(end - from);
        c->next += line[some].size + 1;
        some++;
    }
    return some;
}
