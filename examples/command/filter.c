/* filter.c: filters of any kind. kind.h says what each kind answers. */
#include "filter.h"
#include "chain.h"
#include "fixed.h"
#include "image.h"
#include "input.h"
#include "say.h"
#include "window.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* A new filter is of the first kind that the wish is for; or else, the last. */
enum { KINDS = 3 };
static const kind *const kinds[KINDS] = { &window_kind, &fixed_kind,
                                          &chain_kind };

/* ---- Making and reading ------------------------------------------------- */

filter new_filter(const wish *w)
{
    unsigned i = 0;
    while (i + 1 < KINDS && !kinds[i]->is_wanted(w))
        i++;
    return kinds[i]->make(w);
}

/* Reports a file that is shorter than a header: as truncated if it begins like
   a filter, and as no filter otherwise. */
static void refuse_short(const void *image, size_t have, const char *name)
{
    if (have == 0)
        die_of("is empty; make a filter with bloom build or bloom uniq -f",
               name);
    die_of(bloom_error_text(begins_as("MCW", image, have)
                            ? BLOOM_TRUNCATED : BLOOM_NOT_A_FILTER), name);
}

/* What begins like no filter is judged as one of fixed size. */
static const kind *kind_of(const unsigned char *head)
{
    unsigned i = 0;
    while (i < KINDS && memcmp(kinds[i]->magic, head, 3) != 0)
        i++;
    return i < KINDS ? kinds[i] : &fixed_kind;
}

filter read_filter(const char *name)
{
    filter f;
    unsigned char head[HEADER];
    size_t have;
    int fd;
    if (strcmp(name, "-") == 0)
        die("-: is not the name of a filter; to read one from a pipe, give "
            "/dev/stdin");
    fd = open_input(name);
    have = read_whole(fd, name, head, HEADER);
    if (have < HEADER)
        refuse_short(head, have, name);
    f = kind_of(head)->read(fd, name, head);
    if (read_some(fd, name, head, 1) > 0)
        die_of("extra bytes follow the filter; use an intact copy, and join "
               "filters with bloom merge", name);
    if (fstat(fd, &f.file) != 0)
        die_of(strerror(errno), name);
    close(fd);
    return f;
}

void free_filter(filter *f)
{
    f->kind->free(f);
}

void must_agree(filter *f, const wish *w, const char *name)
{
    f->kind->agree(f, w, name);
}

void must_be_one(const filter *f, const char *name, const char *why)
{
    if (!is_fixed(f))
        die("%s: a filter that %s %s", name, f->kind->about, why);
}

bloom_error seal_of(const filter *f)
{
    return f->kind->verify(f);
}

/* The command seals every file that it writes. A single filter may come from a
   program that does not, but a chain or a window without a seal is damaged. */
void refuse_damage(const filter *f, bloom_error seal, const char *name)
{
    if (seal == BLOOM_CORRUPT)
        die_of(bloom_error_text(seal), name);
    if (seal == BLOOM_UNSEALED && !is_fixed(f))
        die("%s: corrupt: a filter that %s has a seal, but here it is missing",
            name, f->kind->about);
    if (seal == BLOOM_UNSEALED)
        say("%s: has no seal, so damage to it cannot be detected", name);
}

filter read_sound_filter(const char *name)
{
    filter f = read_filter(name);
    const bloom_error seal = seal_of(&f);
    refuse_damage(&f, seal, name);
    f.sealed = seal == BLOOM_OK;
    return f;
}

/* ---- Its parts ---------------------------------------------------------- */

unsigned links_of(const filter *f)
{
    return f->kind->count(f);
}

const bloom *link_of(const filter *f, unsigned i)
{
    return f->kind->one(f, i);
}

size_t size_of(const filter *f)
{
    return f->kind->size(f);
}

const void *file_piece(const filter *f, unsigned i, size_t *size)
{
    return f->kind->piece(f, i, size);
}

void seal_filter(filter *f)
{
    f->kind->seal(f);
}

/* ---- Keys --------------------------------------------------------------- */

const bloom_hash *hash_lines(const filter *f, const bloom_key *key,
                             size_t count, bloom_hash *hash)
{
    const bloom *b = link_of(f, 0);
    size_t i;
    for (i = 0; i < count; i++)
        hash[i] = bloom_hash_key(b, key[i].data, key[i].size);
    return hash;
}

void look_up(const filter *f, const bloom_key *key, size_t count, bool *maybe)
{
    f->kind->look_up(f, key, count, maybe);
}

void look_up_hashes(const filter *f, const bloom_hash *hash, size_t count,
                    bool *maybe)
{
    f->kind->look_up_hashes(f, hash, count, maybe);
}

static size_t note_added(filter *f, size_t added)
{
    f->known += added;
    f->changed |= added > 0;
    return added;
}

size_t add_lines(filter *f, const bloom_key *key, size_t count, bool *is_new)
{
    return note_added(f, f->kind->add(f, key, count, is_new));
}

size_t add_hashes(filter *f, const bloom_hash *hash, size_t count)
{
    return note_added(f, f->kind->add_absent(f, hash, count));
}

void forget_old(filter *f)
{
    if (f->kind->forget)
        f->kind->forget(f);
}

/* ---- What the cells tell ------------------------------------------------ */

double rate_of(const filter *f)
{
    return f->kind->rate(f);
}

uint64_t keys_in(const filter *f)
{
    return f->kind->keys(f);
}

bool warn_if_full(const filter *f, const char *name, const char *fate)
{
    return f->kind->warn(f, name, fate);
}
