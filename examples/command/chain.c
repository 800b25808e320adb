/* chain.c: filters that grow (bloom_chain.h). Their files record n of the first
   link, and p. */
#include "chain.h"
#include "image.h"
#include "say.h"

#include <stdio.h>
#include <string.h>

/* ---- Making ------------------------------------------------------------- */

/* The first link gets half of the rate. Without -n, it is for two million
   lines. */
static filter make_chain(const wish *w)
{
    const uint64_t first_n = w->n_given ? w->n : 2 * w->n;
    filter f = { 0 };
    if (w->width > 0)
        die("-w 32: does not work with a filter that grows; add --fixed");
    f.kind = &chain_kind;
    f.as.chain = bloom_chain_create(first_n, w->p,
                                    plan_for(w, first_n, w->p / 2,
                                             given_plan(w)));
    if (!f.as.chain)
        die("new filter: not enough memory for %" PRIu64 " lines; give a "
            "smaller -n", first_n);
    f.n = first_n;
    f.p = w->p;
    return f;
}

static void free_chain(filter *f)
{
    bloom_chain_free(f->as.chain);
}

/* ---- Reading ------------------------------------------------------------ */

/* Reads a link of a chain into memory that bloom_free can free. Its size is not
   trusted unless so many bytes are in the file. */
static bloom *read_link(int fd, const char *name, const void *head)
{
    const size_t size = bloom_image_size(head, NULL);
    bloom *b, *read;
    if (size == 0 || size - HEADER > bytes_to_come(fd)) {
        read = read_one(fd, name, head);
        b = bloom_copy(read);
        free(read);
    } else {
        b = bloom_create(bloom_plan_of(bloom_view(head, size, NULL)));
        if (b) {
            memcpy(b, head, HEADER);
            if (read_whole(fd, name, (char *)b + HEADER, size - HEADER)
                < size - HEADER) {
                bloom_free(b);
                die_of(bloom_error_text(BLOOM_TRUNCATED), name);
            }
        }
    }
    if (!b)
        die("%s: not enough memory for %" PRIu64 " bytes", name,
            (uint64_t)size);
    return b;
}

/* Reads n of the first link from the head, as no function returns it. */
static uint64_t first_n_of(const unsigned char *head)
{
    uint64_t n = 0;
    unsigned i;
    for (i = 8; i-- > 0; )
        n = n << 8 | head[8 + i];
    return n;
}

/* Reads link by link, so that memory has the chain only once. */
static filter read_chain(int fd, const char *name, const unsigned char *head)
{
    unsigned char first[HEADER];
    bloom *link[64];
    bloom_error error;
    filter f = { 0 };
    unsigned i;
    for (i = 0; i < head[6] && i < 64; i++) {
        if (read_whole(fd, name, first, HEADER) < HEADER)
            die_of(bloom_error_text(BLOOM_TRUNCATED), name);
        link[i] = read_link(fd, name, first);
    }
    f.kind = &chain_kind;
    f.as.chain = bloom_chain_join(head, link, &error);
    if (!f.as.chain)
        die_of(error == BLOOM_OK ? "not enough memory for the filter"
                                 : bloom_error_text(error), name);
    f.n = first_n_of(head);
    f.p = bloom_chain_rate(f.as.chain);
    return f;
}

static void agree_on_chain(filter *f, const wish *w, const char *name)
{
    if (w->fixed || w->bytes)
        die("%s: is a filter that grows; use another file or leave out "
            "--%s", name, w->fixed ? "fixed" : "bytes");
    must_not_forget(w, name, "a filter that grows");
    agree_on_plan(w, bloom_plan_of(bloom_chain_link(f->as.chain, 0)), name);
    if (w->n_given)
        agree_on(name, "n", f->n, w->n);
    if (w->p_given)
        agree_on_rate(name, f->p, w->p);
}

/* ---- Its links ---------------------------------------------------------- */

static unsigned count_links(const filter *f)
{
    return bloom_chain_links(f->as.chain);
}

static const bloom *link_of_chain(const filter *f, unsigned i)
{
    return bloom_chain_link(f->as.chain, i);
}

static const void *piece_of_chain(const filter *f, unsigned i, size_t *size)
{
    static unsigned char head[HEADER];
    const bloom *link;
    *size = sizeof head;
    if (i == 0) {
        bloom_chain_head(f->as.chain, head);
        return head;
    }
    if (i > count_links(f))
        return NULL;
    link = link_of_chain(f, i - 1);
    *size = bloom_size(link);
    return link;
}

static size_t size_of_chain(const filter *f)
{
    return bloom_chain_size(f->as.chain);
}

static bloom_error verify_chain(const filter *f)
{
    return bloom_chain_verify(f->as.chain);
}

static void seal_chain(filter *f)
{
    bloom_chain_seal(f->as.chain);
}

/* ---- Keys --------------------------------------------------------------- */

static size_t add_to_chain(filter *f, const bloom_key *key, size_t count,
                           bool *is_new)
{
    return bloom_chain_add_many(f->as.chain, key, count, is_new);
}

static size_t add_absent_to_chain(filter *f, const bloom_hash *hash,
                                  size_t count)
{
    return bloom_chain_add_absent_hash(f->as.chain, hash, count);
}

static void look_up_in_chain(const filter *f, const bloom_key *key,
                             size_t count, bool *maybe)
{
    bloom_chain_may_contain_many(f->as.chain, key, count, maybe);
}

static void look_up_hashes_in_chain(const filter *f, const bloom_hash *hash,
                                    size_t count, bool *maybe)
{
    bloom_chain_may_contain_many_hash(f->as.chain, hash, count, maybe);
}

/* ---- What the cells tell ------------------------------------------------ */

static double rate_of_chain(const filter *f)
{
    return bloom_chain_fpr(f->as.chain);
}

static uint64_t keys_in_chain(const filter *f)
{
    return bloom_chain_estimate(f->as.chain);
}

static bool warn_of_chain(const filter *f, const char *name, const char *fate)
{
    const double rate = rate_of_chain(f);
    if (rate < 1.1 * f->p)
        return false;
    say("%s: could not grow when it was full: %.3g%% of new lines %s, not "
        "%.3g%%", name, 100 * rate, fate, 100 * f->p);
    return true;
}

static const char *purpose_of_chain(const filter *f, char text[120])
{
    snprintf(text, 120, "%" PRIu64 " lines at first, rate %.10g", f->n, f->p);
    return "planned for:";
}

static void facts_of_chain(const filter *f, fact list[3])
{
    list[0].name = "planned_lines";
    list[0].number = f->n;
    list[1].name = "planned_rate";
    list[1].rate = f->p;
}

const kind chain_kind = {
    "grows", "grows (made by uniq without --fixed)", "link",
    "links:", "it grows as lines are added", "It has grown", "BLC", false,
    NULL, make_chain, read_chain, agree_on_chain, free_chain,
    count_links, link_of_chain, piece_of_chain, size_of_chain, verify_chain,
    seal_chain,
    add_to_chain, add_absent_to_chain, look_up_in_chain,
    look_up_hashes_in_chain, NULL,
    rate_of_chain, keys_in_chain, warn_of_chain,
    purpose_of_chain, facts_of_chain
};
