/* Fuzz target: the readers of the Redis module in examples/redis/, with any
   bytes as dumps for BF.LOADCHUNK and as values in RDB files, of the module
   itself and of RedisBloom. A value that is accepted must be safe to use: added
   keys are found, and saving it as a dump or as RDB, or copying it, gives the
   same value again. Only this tries inputs of which nobody has thought.
     fuzz: length=512
     fuzz: before=sh examples/redis/header.sh
     fuzz: flags=-isystem build
     fuzz: msan=no

   The first byte of the input chooses the reader: RedisBloom's RDB in encoding
   0 to 4, the module's RDB, chunks, or a window. The image of a window follows
   as it is. For the others follow the values to load: a number as 1 byte of
   length (up to 8) and its bytes, a string as 2 bytes of length and its bytes.
   */
#include "examples/redis/window.h"
#include "examples/redis/type.h"
#include <stdio.h>
#include <stdlib.h>

static void fail(const char *what, int line)
{
    fprintf(stderr, "fuzz_redis.c:%d: not true: %s\n", line, what);
    abort();
}

#define must(x) ((x) ? (void)0 : fail(#x, __LINE__))

/* ---- A server: memory, and RDB files in memory --------------------------- */

enum { MOST = 1 << 22 };

struct RedisModuleIO {
    const unsigned char *at, *end;      /* the fuzzer's bytes */
    unsigned char *own;                 /* or the bytes that were saved */
    size_t size, read;
    int error;
};

static void *try_alloc(size_t size)
{
    return size < MOST ? malloc(size ? size : 1) : NULL;
}

static void *alloc(size_t size)
{
    void *p = try_alloc(size);
    must(p);
    return p;
}

static void *zeros(size_t n, size_t size)
{
    return memset(alloc(n * size), 0, n * size);
}

static void *again(void *p, size_t size)
{
    must(size < MOST && (p = realloc(p, size)) != NULL);
    return p;
}

static int flags;

static int context_flags(RedisModuleCtx *ctx)
{
    (void)ctx;
    return flags;
}

static RedisModuleServerInfoData *server_info(RedisModuleCtx *ctx,
                                              const char *section)
{
    (void)ctx, (void)section;
    return NULL;
}

static void free_info(RedisModuleCtx *ctx, RedisModuleServerInfoData *data)
{
    (void)ctx, (void)data;
}

static unsigned long long info_field(RedisModuleServerInfoData *data,
                                     const char *field, int *error)
{
    (void)data, (void)error;
    return field[0] == 't' ? 1 << 30 : 0;       /* total_system_memory */
}

static const char *info_text(RedisModuleServerInfoData *data, const char *field)
{
    (void)data, (void)field;
    return NULL;
}

static size_t block(void *p)
{
    must(p);
    return 16;
}

static const unsigned char *take(RedisModuleIO *io, size_t size)
{
    const unsigned char *p = io->own ? io->own + io->read : io->at;
    if (io->error || size > (io->own ? io->size - io->read
                                     : (size_t)(io->end - io->at))) {
        io->error = 1;
        return NULL;
    }
    io->at = io->own ? NULL : io->at + size;
    io->read += size;
    return p;
}

static uint64_t load_number(RedisModuleIO *io)
{
    const unsigned char *p = take(io, 1);
    int size = p ? p[0] % 9 : 0;
    p = take(io, (size_t)size);
    return p ? load(p, size) : 0;
}

static double load_real(RedisModuleIO *io)
{
    const unsigned char *p = take(io, 8);
    return p ? load_double(p) : 0;
}

static char *load_string(RedisModuleIO *io, size_t *size)
{
    const unsigned char *p = take(io, io->own ? 4 : 2);
    *size = p ? (size_t)load(p, io->own ? 4 : 2) : 0;
    p = take(io, *size);
    return p ? memcpy(alloc(*size), p, *size) : NULL;
}

static void put_bytes(RedisModuleIO *io, const void *bytes, size_t size)
{
    io->own = realloc(io->own, io->size + size + 1);
    must(io->own);
    memcpy(io->own + io->size, bytes, size);
    io->size += size;
}

static void save_number(RedisModuleIO *io, uint64_t x)
{
    unsigned char bytes[9] = { 8 };
    store(bytes + 1, x, 8);
    put_bytes(io, bytes, 9);
}

static void save_real(RedisModuleIO *io, double x)
{
    unsigned char bytes[8];
    store(bytes, bits_of(x), 8);
    put_bytes(io, bytes, 8);
}

static void save_string(RedisModuleIO *io, const char *bytes, size_t size)
{
    unsigned char length[4];
    store(length, size, 4);
    put_bytes(io, length, 4);
    put_bytes(io, bytes, size);
}

static int io_error(RedisModuleIO *io)
{
    return io->error;
}

static void log_error(RedisModuleIO *io, const char *level, const char *text,
                      ...)
{
    (void)io, (void)level, (void)text;
}

static const RedisModuleString *key_name(RedisModuleIO *io)
{
    (void)io;
    return NULL;
}

static RedisModuleCtx *context_of(RedisModuleIO *io)
{
    return (RedisModuleCtx *)io;
}

static void serve(void)
{
    RedisModule_Alloc = alloc;
    RedisModule_TryAlloc = try_alloc;
    RedisModule_Calloc = zeros;
    RedisModule_Realloc = again;
    RedisModule_Free = free;
    RedisModule_GetContextFlags = context_flags;
    RedisModule_GetServerInfo = server_info;
    RedisModule_FreeServerInfo = free_info;
    RedisModule_ServerInfoGetFieldUnsigned = info_field;
    RedisModule_ServerInfoGetFieldC = info_text;
    RedisModule_MallocSize = block;
    RedisModule_LoadUnsigned = load_number;
    RedisModule_LoadDouble = load_real;
    RedisModule_LoadStringBuffer = load_string;
    RedisModule_SaveUnsigned = save_number;
    RedisModule_SaveDouble = save_real;
    RedisModule_SaveStringBuffer = save_string;
    RedisModule_IsIOError = io_error;
    RedisModule_LogIOError = log_error;
    RedisModule_GetKeyNameFromIO = key_name;
    RedisModule_GetContextFromIO = context_of;
}

/* ---- Checks -------------------------------------------------------------- */

/* Both must give the same dump, byte for byte. */
static void same(const chain *a, const chain *b)
{
    walk i = walk_from(a, 0), j = walk_from(b, 0);
    unsigned char *x, *y;
    size_t m, n;
    do {
        x = next_chunk(&i, &m);
        y = next_chunk(&j, &n);
        must(i.number == j.number && m == n && !x == !y);
        must(!x || memcmp(x, y, m) == 0);
        free(x);
        free(y);
    } while (i.number != 0);
    must(!a->pending == !b->pending && memory_usage(a) == memory_usage(b));
    must(!a->pending || (a->pending->missing == b->pending->missing
                         && a->pending->at.link == b->pending->at.link
                         && a->pending->at.inside == b->pending->at.inside));
}

/* Loads the dump of c. Every chunk of cells is loaded twice, which must change
   nothing. A dump can be continued from any chunk. */
static chain *from_dump(const chain *c)
{
    chain *made = NULL;
    walk w = walk_from(c, 0), from;
    unsigned char *chunk, *again;
    size_t size, n;
    while ((from = w, chunk = next_chunk(&w, &size)) != NULL) {
        if (!made)
            must(!load_head(NULL, chunk, size, &made));
        else
            must(!load_cells(NULL, made, w.number, chunk, size)
                 && !load_cells(NULL, made, w.number, chunk, size));
        from = walk_from(c, from.number);
        again = next_chunk(&from, &n);
        must(again && n == size && memcmp(again, chunk, n) == 0);
        free(again);
        free(chunk);
    }
    return made;
}

static bool dumped_as_it_is(const chain *c)
{
    size_t i;
    for (i = 0; c->theirs && i < c->links; i++)
        if (load(c->link[i].image + 8, 8)
            != 8 * load(c->link[i].image + 16, 8))
            return false;       /* possible in old encodings, not in dumps */
    return true;
}

static void ways_back(chain *c)
{
    RedisModuleIO io = { NULL, NULL, NULL, 0, 0, 0 };
    chain *made;
    (c->theirs ? save_theirs : rdb_save)(&io, c);
    made = c->theirs ? rdb_load_theirs(&io, 4) : rdb_load(&io, 2);
    must(made && io.read == io.size);
    same(c, made);
    free_chain(made);
    free(io.own);
    made = copy(NULL, NULL, c);
    must(made);
    same(c, made);
    free_chain(made);
    if (!dumped_as_it_is(c))
        return;
    made = from_dump(c);
    same(c, made);
    free_chain(made);
}

/* A union must find the keys of c. The same union again adds nothing. It is an
   error only if the first filter of the fuzzer's chain had not the highest
   rate. */
static void unions(const chain *c)
{
    chain *united = new_chain(0);
    size_t links;
    int i;
    if (!absorb(NULL, united, c)) {
        links = united->links;
        must(absorb(NULL, united, c) ? united->link->rate != c->link->rate
                                     : united->links == links);
        for (i = 0; i < 8; i++) {
            hashes h = hash(united, &i, sizeof i % (size_t)(i + 1));
            must(!may_contain(c, &h) || may_contain(united, &h));
        }
    }
    free_chain(united);
}

static void use(chain *c)
{
    int i;
    flags = REDISMODULE_CTX_FLAGS_LOADING;      /* no limit of memory */
    ways_back(c);
    for (i = 0; i < 8 && !c->pending && c->links < 64; i++) {
        hashes h = hash(c, &i, sizeof i % (size_t)(i + 1));
        const char *error = NULL;
        int done = add(NULL, c, &h, &error);
        must(may_contain(c, &h) == (done == OLD || done == NEW));
        if (done == NEW)
            c->theirs = 0;
    }
    if (!c->pending) {
        ways_back(c);
        unions(c);
    }
    free_chain(c);
}

/* Loads chunks of the fuzzer's bytes. For our own format their checksums are
   made valid. Their numbers are right, unless a first byte asks for a wrong
   one. */
static chain *from_chunks(RedisModuleIO *io, bool ours)
{
    chain *c = NULL;
    uint64_t number = 1, next;
    size_t size;
    char *bytes;
    int i;
    for (i = 0; i < 8 && (bytes = load_string(io, &size)) != NULL; i++) {
        next = i == 0 ? 1 : c && c->pending ? c->pending->loaded + 1 + size
                      : number + size;
        number = next + (size > 1 && bytes[0] == 77);
        if (i > 0 && size > 1 && bytes[0] == 78)
            number = 1 + size;          /* a chunk that came already */
        if (ours) {
            bytes = again(bytes, size + CHECKSUM);
            store((unsigned char *)bytes + size,
                  checksum(bytes, size, number), CHECKSUM);
            size += CHECKSUM;
        }
        if (number == 1 && !c)
            load_head((RedisModuleCtx *)io, (unsigned char *)bytes, size, &c);
        else if (c)
            load_cells((RedisModuleCtx *)io, c, number,
                       (unsigned char *)bytes, size);
        free(bytes);
        if (!c)
            break;
    }
    return c;
}

/* A lookup as of a time must be what it is after bloom_window_advance. */
static void use_window(bloom_window *w, uint64_t now)
{
    RedisModuleIO saved = { NULL, NULL, NULL, 0, 0, 0 };
    bloom_window *made;
    bool there[8];
    int i;
    save_window(&saved, w);
    made = load_window(&saved, 1);
    must(made && saved.read == saved.size
         && memcmp(made, w, window_bytes(w)) == 0);
    free(made);
    free(saved.own);
    made = copy_window(NULL, NULL, w);
    must(made && memcmp(made, w, window_bytes(w)) == 0);
    for (i = 0; i < 8; i++)
        there[i] = window_has(w, now, window_hash(w, &i, sizeof i));
    must(memcmp(made, w, window_bytes(w)) == 0);
    free(made);
    /* If the newest generation is full, or if a part has not the length that
       the span asks for, bloom_window_advance does more than to end
       generations. */
    if (bloom_window_keys(w) < bloom_window_plan_of(w).room
        && (bloom_window_span(w) == 0
            || bloom_window_span(w) == number(w, SPAN)
                / (bloom_window_plan_of(w).generations - 1) + 1)) {
        must(!window_advance(w, now));
        for (i = 0; i < 8; i++)
            must(bloom_window_may_contain(w, &i, sizeof i) == there[i]);
    } else {
        window_advance(w, now);
    }
    for (i = 0; i < 8; i++) {
        window_advance(w, now);
        bloom_window_add(w, &i, sizeof i);
        must(window_has(w, now, window_hash(w, &i, sizeof i)));
    }
    free(w);
}

/* Loads the fuzzer's bytes as a window, after making its checks valid. The
   bytes in place of the last check are the time of a lookup. */
static void from_window(RedisModuleIO *io)
{
    const size_t size = (size_t)(io->end - io->at);
    unsigned char *bytes = alloc(size + 8);
    bloom_window *w;
    RedisModuleIO own = { NULL, NULL, NULL, 0, 0, 0 };
    bloom_error error;
    memcpy(bytes, io->at, size);
    if (size > 96 + 8 * NUMBERS) {
        const bloom *first = bloom_view(bytes + 64, size - 64, &error);
        if (first)
            store(bytes + 40, bloom_hash_key(first, bytes, 40).h1, 8);
        store(bytes + size - 8, checksum(bytes, size - 8, 1), 8);
    }
    save_string(&own, (char *)bytes, size);
    free(bytes);
    w = load_window(&own, 1);
    free(own.own);
    if (w)
        use_window(w, load(io->end - 8, 8) >> 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    RedisModuleIO io = { data + 1, data + size, NULL, 0, 0, 0 };
    chain *c;
    if (size == 0)
        return 0;
    serve();
    flags = data[0] & 16 ? REDISMODULE_CTX_FLAGS_LOADING : 0;
    if (data[0] & 32) {
        from_window(&io);
        return 0;
    }
    c = data[0] % 8 < 5 ? rdb_load_theirs(&io, data[0] % 8)
      : data[0] % 8 == 5 ? rdb_load(&io, 2)
      : from_chunks(&io, data[0] % 8 == 6);
    if (c)
        use(c);
    return 0;
}

#include "tests/fuzz/main.h"
