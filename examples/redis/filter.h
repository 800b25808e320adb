/* Operations on a chain: looking items up, adding them, and merging chains.
   Without them, a filter would stay empty. */
#include "redisbloom.h"

typedef struct hashes {
    bloom_hash of[KINDS];
} hashes;

static hashes hash(const chain *c, const void *key, size_t size)
{
    hashes h;
    int kind = OURS;
    h.of[OURS] = bloom_hash_key((const bloom *)smallest, key, size);
    while (++kind < KINDS)
        h.of[kind] = c->kinds >> kind & 1 ? their_hash(kind, key, size)
                                          : h.of[OURS];
    return h;
}

static bool may_contain(const chain *c, const hashes *h)
{
    size_t i = c->links;
    while (i-- > 0) {
        unsigned char *image = c->link[i].image;
        int k = kind(image);
        if (k == OURS ? bloom_may_contain_hash((bloom *)image, h->of[OURS])
                      : their_probes(image, h->of[k], false))
            return true;
    }
    return false;
}

/* Appends a link after `last`, which is full. */
static const char *grow(RedisModuleCtx *ctx, chain *c, const chain_link *last)
{
    double rate = last->rate < 2 * MOST_RATE ? last->rate / 2 : MOST_RATE;
    uint64_t most = MOST_ITEMS / c->expansion;
    uint64_t items = last->capacity < most ? last->capacity : most;
    return c->links < MOST_FILTERS || follows(ctx)
         ? append(ctx, c, items * c->expansion, rate)
         : NO_GROWTH ": a key has at most 1075 filters";
}

/* A NONSCALING filter takes no more items than its capacity. But if a command
   is repeated, RedisBloom may have taken its items, in a filter that has other
   false positives. Then some of the items that it did not count are counted
   here. */
static bool may_exceed(RedisModuleCtx *ctx, const chain *c,
                       const chain_link *full)
{
    return repeats(ctx) && kind(full->image) == OURS
        && c->beyond < spare(full->capacity, full->rate);
}

enum { OLD, NEW, FULL, FAILED };

/* Adds the item with these hashes. *error is the error message if the chain
   FAILED to grow. */
static int add(RedisModuleCtx *ctx, chain *c, const hashes *h,
               const char **error)
{
    chain_link *last = &c->link[c->links - 1];
    if (may_contain(c, h))
        return OLD;
    if (last->items < last->capacity) {
        last->items++;
    } else if (c->expansion == 0) {
        if (!may_exceed(ctx, c, last))
            return FULL;
        c->beyond++;
    } else {
        if ((*error = grow(ctx, c, last)) != NULL)
            return FAILED;
        last = &c->link[c->links - 1];
        last->items++;
    }
    if (kind(last->image) == OURS)
        bloom_add_hash((bloom *)last->image, h->of[OURS]);
    else
        their_probes(last->image, h->of[kind(last->image)], true);
    return NEW;
}

/* ---- Union --------------------------------------------------------------- */

/* Returns whether all bits of a are set in b. For filters with different items
   the first bytes already answer. */
static bool within(const unsigned char *a, const unsigned char *b, uint64_t n)
{
    uint64_t x, y;
    for (; n >= 8; n -= 8, a += 8, b += 8) {
        memcpy(&x, a, 8);
        memcpy(&y, b, 8);
        if (x & ~y)
            return false;
    }
    while (n > 0 && (a[n - 1] & ~b[n - 1]) == 0)
        n--;
    return n == 0;
}

/* Returns whether no bit is set. The number of items does not tell: if items
   are added while a dump is made, its head may say 0. */
static bool blank(const unsigned char *image)
{
    const unsigned char *cells = image + IMAGE_HEADER;
    return cells[0] == 0
        && memcmp(cells, cells + 1, (size_t)cell_bytes(image) - 1) == 0;
}

static void count(chain_link *l, uint64_t items)
{
    items = items < l->capacity ? items : l->capacity;
    l->items = items > l->items ? items : l->items;
}

/* If both images have the same plan and one has all bits of the other, the one
   with more bits finds the items of both, and is the union. Otherwise it
   returns false and changes nothing. */
static bool covers(chain_link *into, const chain_link *from)
{
    uint64_t size = cell_bytes(from->image);
    unsigned char *to = into->image + IMAGE_HEADER;
    const unsigned char *more = from->image + IMAGE_HEADER;
    if (memcmp(into->image, from->image, IMAGE_HEADER) != 0)
        return false;
    if (!within(more, to, size)) {
        if (!within(to, more, size))
            return false;
        memcpy(to, more, (size_t)size);
    }
    count(into, from->items);
    return true;
}

/* Merges a link into another one if this keeps the rate: because the capacity
   suffices for the items of both, or because they have many items in common.
   Otherwise it returns false and changes nothing. */
static bool unite(chain_link *into, const chain_link *from)
{
    unsigned char *both;
    double now;
    if (kind(into->image) != OURS || kind(from->image) != OURS)
        return false;
    now = bloom_fpr((bloom *)into->image);
    both = copy_image(NULL, into->image, cell_bytes(into->image));
    if (!both || !bloom_merge((bloom *)both, (bloom *)from->image)
        || (into->items + from->items > into->capacity
            && bloom_fpr((bloom *)both) > (now > into->rate ? now
                                                            : into->rate))) {
        RedisModule_Free(both);
        return false;
    }
    RedisModule_Free(into->image);
    into->image = both;
    count(into, bloom_estimate((bloom *)both));
    return true;
}

static bool alike(const chain *c, size_t i, const chain_link *l)
{
    return i < c->links && c->link[i].capacity == l->capacity
        && c->link[i].rate == l->rate;
}

/* Returns whether a link of the chain has taken the items of l. All links are
   compared, so merging the same items again adds nothing. A union of different
   items takes longer, so it is tried with two links only: the one at the place
   of l, and the last one of equal capacity and rate, which has the most room.
   */
static bool taken(chain *into, const chain_link *l, size_t place)
{
    size_t i, last = into->links;
    for (i = 0; i < into->links; i++)
        if (covers(&into->link[i], l))
            return true;
    while (last > 0 && !alike(into, last - 1, l))
        last--;
    return (alike(into, place, l) && unite(&into->link[place], l))
        || (last > 0 && last - 1 != place && unite(&into->link[last - 1], l));
}

/* Adds the items of a link: to a link that the chain has, or as a copy. */
static const char *absorb_link(RedisModuleCtx *ctx, chain *into, chain_link l,
                               size_t place)
{
    size_t at = into->links;
    const chain_link *x;
    if (taken(into, &l, place))
        return NULL;
    if (into->links > 0 && into->expansion == 0)
        return "ERR non scaling filter is full";
    l.image = copy_image(ctx, l.image, cell_bytes(l.image));
    if (!l.image)
        return NO_MEMORY;
    for (; at > 0; at--) {              /* by falling rate, then the link with
                                           the fewest items last */
        x = &into->link[at - 1];
        if (x->rate > l.rate || (x->rate == l.rate && x->items >= l.items))
            break;
    }
    insert_link(into, at, l);
    return NULL;
}

/* Adds all items of `from` to `into`. A chain without links becomes a copy of
   `from`. After an error `into` must be discarded. */
static const char *absorb(RedisModuleCtx *ctx, chain *into, const chain *from)
{
    const char *error = NULL;
    size_t i;
    if (into->links == 0)
        into->expansion = from->expansion;
    else if (!into->expansion != !from->expansion
             || into->link->rate != from->link->rate
             || (!into->expansion
                 && into->link->capacity != from->link->capacity))
        return "ERR cannot merge these filters: error rates must be equal; "
               "either none or all must be NONSCALING, then with the same "
               "capacity";
    for (i = 0; i < from->links && !error; i++)
        if (into->links == 0 || !blank(from->link[i].image))
            error = absorb_link(ctx, into, from->link[i], i);
    return error;
}
