/* Run by `make test`: tests the code of "A filter that is published, and its
   updates" in examples/companions/README.md, which examples/rules.mk copies to
   build/publish.h. A server publishes 1,000 updates. On the way to each of
   eight clients, some are lost, repeated, late or damaged. A client that says
   that it is current must have the server's bytes. It works in the folder
   build/. */
#define BLOOM_STATIC
#include "examples/companions/bloom_file.h"
#include "tests/random.h"
#include "tests/unit/check.h"
#include "build/publish.h"

#define RUN(call) RUN_TEST(call, (void)0)

enum { UPDATES = 1000, MOST_KEYS = 8, CLIENTS = 8, WHOLE_EACH = 100,
       ROOM = UPDATE_HEAD + UPDATE_KEY * MOST_KEYS };
typedef struct update { size_t size; unsigned char bytes[ROOM]; } update;

static const char whole[] = "build/publish.bloom";
static update sent[UPDATES];

static bloom *new_filter(bloom_layout layout, uint64_t generation)
{
    bloom_plan plan = bloom_plan_layout(5000, 0.01, layout);
    bloom *b;
    plan.seed = generation;
    b = bloom_create(plan);
    if (!b)
        exit(1);
    return b;
}

/* Adds 1 .. MOST_KEYS new keys to the server's filter. Writes the update. */
static void publish(bloom *server, uint64_t number, update *u)
{
    static uint64_t key;
    bloom_hash keys[MOST_KEYS];
    size_t count = 1 + below(MOST_KEYS), i;
    for (i = 0; i < count; i++)
        keys[i] = bloom_hash_u64(server, ++key);
    u->size = UPDATE_HEAD + UPDATE_KEY * count;
    make_update(u->bytes, server, number, keys, count);
}

static bool same(const bloom *a, const bloom *b)
{
    return bloom_size(a) == bloom_size(b) && memcmp(a, b, bloom_size(a)) == 0;
}

static bool take(bloom *b, const update *u)
{
    return take_update(b, u->bytes, u->size);
}

static void flip(update *u, size_t bit)
{
    u->bytes[bit / 8] = (unsigned char)(u->bytes[bit / 8] ^ 1 << bit % 8);
}

/* ---- A thousand updates -------------------------------------------------- */

typedef struct client {
    bloom *b;
    update late;                        /* size 0: none is on the way */
    unsigned known;                     /* updates that it has asked for */
} client;

static unsigned lost, repeated, reordered, flipped, current, behind, repaired,
    fetched;

static void send_to(client *c, const update *u)
{
    update copy = *u;
    switch (below(50)) {
    case 0:
        lost++;
        return;
    case 1: case 2:
        repeated++;
        take(c->b, u);
        break;
    case 3:
        flipped++;
        flip(&copy, below(u->size * 8));
        break;
    case 4: case 5:                     /* arrives after the next one */
        reordered++;
        if (c->late.size > 0)
            take(c->b, &c->late);
        c->late = copy;
        return;
    default:
        break;
    }
    take(c->b, &copy);
    if (c->late.size > 0 && below(2)) {
        take(c->b, &c->late);
        c->late.size = 0;
    }
}

/* The whole filter, which lacks the latest updates, and then these */
static void fetch_whole(client *c, unsigned number)
{
    unsigned i;
    bloom_free(c->b);
    c->b = bloom_load(whole, SIZE_MAX, NULL);
    if (!c->b)
        exit(1);
    for (i = number / WHOLE_EACH * WHOLE_EACH; i < number; i++)
        take(c->b, &sent[i]);
    fetched++;
}

/* A client asks for the newest update without its keys. What it then says is
   true. If it is not current, it takes all updates since the last time; if that
   does not help, the whole. */
static void ask(client *c, const bloom *server, unsigned number)
{
    const unsigned char *newest = sent[number - 1].bytes;
    const bool says = is_current(c->b, newest);
    CHECK(says == same(c->b, server));
    CHECK(get64(newest + BLOOM_HEADER_SIZE) == number);
    current += says;
    behind += !says;
    if (!says) {
        for (; c->known < number; c->known++)
            take(c->b, &sent[c->known]);
        if (is_current(c->b, newest))
            repaired++;
        else
            fetch_whole(c, number);
        CHECK(is_current(c->b, newest));
    }
    CHECK(same(c->b, server));
    c->known = number;
}

static void many_updates(bloom_layout layout)
{
    bloom *server = new_filter(layout, 7);
    client clients[CLIENTS];
    unsigned number, i;
    lost = repeated = reordered = flipped = 0;
    current = behind = repaired = fetched = 0;
    CHECK(bloom_save(server, whole) == 0);
    for (i = 0; i < CLIENTS; i++) {
        clients[i].b = bloom_load(whole, SIZE_MAX, NULL);
        clients[i].late.size = clients[i].known = 0;
        if (!clients[i].b)
            exit(1);
    }
    for (number = 1; number <= UPDATES; number++) {
        publish(server, number, &sent[number - 1]);
        if (number % WHOLE_EACH == 0)
            CHECK(bloom_save(server, whole) == 0);
        for (i = 0; i < CLIENTS; i++) {
            send_to(&clients[i], &sent[number - 1]);
            if (number == UPDATES || below(20) == 0)
                ask(&clients[i], server, number);
        }
    }
    /* each case did happen */
    CHECK(lost > 100 && repeated > 200 && reordered > 200 && flipped > 100);
    CHECK(current > 50 && behind > 50 && repaired > 20 && fetched > 20);
    for (i = 0; i < CLIENTS; i++)
        bloom_free(clients[i].b);
    bloom_free(server);
    remove(whole);
}

/* ---- One update ---------------------------------------------------------- */

/* The bytes are the same on every machine. */
static void fixed_bytes(void)
{
    static const unsigned char tail[] = {
        0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01,
        0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11,
        0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21 };
    const bloom_hash key = { 0x1112131415161718, 0x2122232425262728 };
    bloom *server = new_filter(BLOOM_CLASSIC, 3);
    bloom *c = bloom_copy(server);
    update u = { UPDATE_HEAD + UPDATE_KEY, { 0 } };
    make_update(u.bytes, server, 0x0102030405060708, &key, 1);
    CHECK(bloom_verify(server) == BLOOM_OK && u.bytes[16] == 3);
    CHECK(memcmp(u.bytes, server, BLOOM_HEADER_SIZE) == 0);
    CHECK(memcmp(u.bytes + BLOOM_HEADER_SIZE, tail, sizeof tail) == 0);
    CHECK(u.size == BLOOM_HEADER_SIZE + sizeof tail);
    CHECK(c && take(c, &u) && bloom_may_contain_hash(c, key) && same(c, c));
    CHECK(c && is_current(c, u.bytes) && same(c, server));
    bloom_free(server);
    bloom_free(c);
}

/* An update with one wrong bit, or of another size: a client that says that it
   is current has the server's bytes. (It may have them after a wrong bit, as
   the lowest bits of h1 and h2 are too small to change a cell here.) */
static void damaged_update(bloom_layout layout)
{
    bloom *server = new_filter(layout, 7);
    bloom *before = bloom_copy(server);
    update u, bad;
    size_t i, noticed = 0;
    publish(server, 1, &u);
    for (i = 0; i < u.size * 8; i++) {
        bloom *c = bloom_copy(before);
        if (!c)
            exit(1);
        flip((bad = u, &bad), i);
        CHECK(take(c, &bad) == (i / 8 >= SEAL_AT));
        CHECK(is_current(c, u.bytes) == same(c, server));
        CHECK(!is_current(c, bad.bytes) || i / 8 >= BLOOM_HEADER_SIZE);
        noticed += i / 8 >= UPDATE_HEAD && !is_current(c, u.bytes);
        bloom_free(c);
    }
    CHECK(noticed > 8 * (u.size - UPDATE_HEAD) / 5);
    for (i = 0; i < u.size; i++) {
        bad.size = i;
        memcpy(bad.bytes, u.bytes, u.size);
        if (take(before, &bad))
            CHECK(i >= UPDATE_HEAD && (i - UPDATE_HEAD) % UPDATE_KEY == 0
                  && !is_current(before, u.bytes));
    }
    bloom_free(before);
    bloom_free(server);
}

/* Updates of more keys than one call adds, and none; and another generation */
static void large_update(void)
{
    enum { KEYS = 300 };
    static unsigned char bytes[UPDATE_HEAD + UPDATE_KEY * KEYS];
    bloom *server = new_filter(BLOOM_BLOCKED, 1), *c = bloom_copy(server);
    bloom *next = new_filter(BLOOM_BLOCKED, 2), *empty = bloom_copy(next);
    bloom_hash keys[KEYS];
    size_t count, i;
    make_update(bytes, server, 0, NULL, 0);
    CHECK(c && is_current(c, bytes) && same(c, server));
    for (count = 0; count <= KEYS; count += count < 70 ? 1 : 23) {
        for (i = 0; i < count; i++)
            keys[i] = bloom_hash_u64(server, count << 32 | i);
        make_update(bytes, server, count, keys, count);
        CHECK(c && take_update(c, bytes, UPDATE_HEAD + UPDATE_KEY * count));
        CHECK(c && is_current(c, bytes) && same(c, server));
    }
    CHECK(!take_update(next, bytes, sizeof bytes) && same(next, empty));
    CHECK(!is_current(next, bytes));
    bloom_free(server);
    bloom_free(c);
    bloom_free(next);
    bloom_free(empty);
}

int main(void)
{
    RUN(fixed_bytes());
    RUN(damaged_update(BLOOM_CLASSIC));
    RUN(damaged_update(BLOOM_BLOCKED));
    RUN(large_update());
    RUN(many_updates(BLOOM_CLASSIC));
    RUN(many_updates(BLOOM_BLOCKED));
    printf("%u updates for %d clients: %u lost, %u repeated, %u late, %u "
           "damaged;\nasked %u times: %u current, %u repaired by updates, %u "
           "by the whole\n", UPDATES, CLIENTS, lost, repeated, reordered,
           flipped, current + behind, current, repaired, fetched);
    return end_tests();
}
