/* Fuzz target: filters and chains near the sizes at which bloom.h takes other
   paths or numbers overflow (see fuzz.h).

   Each input is a plan near such a size, and a header for it, of which one byte
   may be corrupted. Filters that fit are used in mapped memory, of which the
   system provides only the pages that are written to: 2.25 GB of addresses
   where size_t has 32 bits, else 129 GB. Most keys go to the first and last
   cells and only few elsewhere, as each new page takes time.

   In 32 bits, AddressSanitizer must not keep much of the memory that libFuzzer
   frees, or the address space is full after millions of runs. The memory that
   filters free is guarded by fuzz_memory.h.

   fuzz: length=96
   fuzz: bits=32
   fuzz: asan=quarantine_size_mb=16
   fuzz: msan=no */

#define FUZZ_SCARCE
#include "fuzz.h"
#include "fuzz_memory.h"
#include "examples/companions/bloom_chain.h"
#include <sys/mman.h>

enum { KEYS = 300, SLOTS = 1 << 16, MOST_CELLS = SLOTS / 2, PAGE = 4096,
    CLEARED = 1 << 16 };

static const uint64_t room = SIZE_MAX >> 31 >> 1 ? (uint64_t)129 << 30
                                                 : (uint64_t)9 << 28;
static unsigned char *memory;           /* zeros, `room` bytes of them */
static size_t asked;                    /* size in the last allocation */

static void *scarce_malloc(size_t size)
{
    asked = size;
    return size <= CLEARED ? take_memory(size) : NULL;
}

static void scarce_free(void *old)
{
    free_memory(old);
}

/* Maps the memory, followed by a page that cannot be accessed. */
static void set_up(void)
{
    void *at = mmap(NULL, (size_t)room + PAGE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    must(at != MAP_FAILED);
    memory = at;
    must(mprotect(memory + room, PAGE, PROT_NONE) == 0);
}

/* Returns the pages to the system after every 1024 inputs. */
static void give_back(void)
{
    static unsigned inputs;
    if (++inputs % 1024 == 0)
        must(madvise(memory, (size_t)room, MADV_DONTNEED) == 0);
}

/* ---- The cells that are not 0 -------------------------------------------- */

typedef struct slot { uint64_t cell; unsigned char count; bool used; } slot;

static slot slots[SLOTS];
static uint16_t used[SLOTS];
static unsigned slots_used;

QUIET slot *slot_of(uint64_t cell)
{
    size_t i = (size_t)(cell * 0x9E3779B97F4A7C15U >> 48);
    while (slots[i].used && slots[i].cell != cell)
        i = (i + 1) % SLOTS;
    if (!slots[i].used) {
        must(slots_used < MOST_CELLS);
        used[slots_used++] = (uint16_t)i;
        slots[i].used = true;
        slots[i].cell = cell;
        slots[i].count = 0;
    }
    return &slots[i];
}

typedef struct filter {
    bloom_plan plan;
    unsigned char *image;
    bloom *b;
} filter;

/* Is the key in the model? Adds it if `add`. */
QUIET bool model_has(const filter *f, bloom_hash h, bool add)
{
    const unsigned most = f->plan.layout == BLOOM_COUNTING ? 15 : 1;
    uint64_t index[64];
    bool in = true;
    unsigned i;
    model_probes(f->plan, h, index);
    for (i = 0; i < f->plan.hashes; i++)
        in = in && slot_of(index[i])->count > 0;
    for (i = 0; add && i < f->plan.hashes; i++) {
        slot *s = slot_of(index[i]);
        s->count = (unsigned char)(s->count + (s->count < most));
    }
    return in;
}

/* Compares each cell of the model, and the other cells of its byte, with the
   image. Then clears both. */
QUIET void compare_and_clear(const filter *f)
{
    const unsigned each = f->plan.layout == BLOOM_COUNTING ? 2 : 8;
    unsigned i, j, all = slots_used, ones = 0;
    for (i = 0; i < all; i++) {
        uint64_t first = slots[used[i]].cell / each * each;
        for (j = 0; j < each; j++) {
            size_t at = (size_t)((first + j) * 0x9E3779B97F4A7C15U >> 48);
            while (slots[at].used && slots[at].cell != first + j)
                at = (at + 1) % SLOTS;
            must(cell_in(f->image, first + j)
                 == (slots[at].used ? slots[at].count : 0U));
        }
    }
    for (i = 0; i < all; i++)
        ones += slots[used[i]].count > 0;
    must(bloom_size(f->b) > CLEARED || bloom_ones(f->b) == ones);
    for (i = 0; i < all; i++)
        f->image[32 + slots[used[i]].cell / each] = 0;
    while (slots_used > 0)
        slots[used[--slots_used]].used = false;
}

/* ---- Keys ---------------------------------------------------------------- */

static uint64_t integers[KEYS];
static bloom_hash hashes[KEYS];
static bloom_key strings[KEYS];

/* A hash whose walk begins at the first cells, the last ones, the middle, or at
   cell 2^32. Its step leads to at most 8 places. A few hashes lead anywhere,
   which takes many pages. */
static bloom_hash near_hash(bloom_plan plan, unsigned place, unsigned by)
{
    const uint64_t one = UINT64_MAX / plan.cells + 1;
    bloom_hash h;
    h.h1 = place % 4 == 0 ? 0 : place % 4 == 1 ? 0 - 64 * one
         : place % 4 == 2 ? (uint64_t)1 << 63 : ((uint64_t)1 << 32) * one;
    h.h1 += (by % 64) * one + (place & 64 ? 0 : by * 0x1234567U);
    h.h2 = (uint64_t)(place / 4 % 8) << 61;
    if (place == 255)
        h.h2 = h.h1 * 0x9E3779B97F4A7C15U;
    return h;
}

static bloom_hash make_key(const filter *f, unsigned i, unsigned kind,
                           unsigned place, unsigned by)
{
    static const char text[] = "the quick brown fox jumps over the lazy dog";
    if (kind == 2)
        return hashes[i] = near_hash(f->plan, place, by);
    integers[i] = by * (uint64_t)0x100000001 - place;
    strings[i].data = text + by % 16;
    strings[i].size = place % 24;
    return kind == 0 ? bloom_hash_u64(f->b, integers[i])
                     : bloom_hash_key(f->b, strings[i].data, strings[i].size);
}

static bool add_one(const filter *f, unsigned i, unsigned kind)
{
    return kind == 0 ? bloom_add_u64(f->b, integers[i])
         : kind == 1 ? bloom_add(f->b, strings[i].data, strings[i].size)
                     : bloom_add_hash(f->b, hashes[i]);
}

static bool look_for(const filter *f, unsigned i, unsigned kind)
{
    return kind == 0 ? bloom_may_contain_u64(f->b, integers[i])
         : kind == 1 ? bloom_may_contain(f->b, strings[i].data,
                                         strings[i].size)
                     : bloom_may_contain_hash(f->b, hashes[i]);
}

static size_t call_many(const filter *f, size_t count, unsigned kind, bool add,
                        bool *to)
{
    if (kind == 0)
        return add ? bloom_add_many_u64(f->b, integers, count, to)
                   : bloom_may_contain_many_u64(f->b, integers, count, to);
    if (kind == 1)
        return add ? bloom_add_many(f->b, strings, count, to)
                   : bloom_may_contain_many(f->b, strings, count, to);
    return add ? bloom_add_many_hash(f->b, hashes, count, to)
               : bloom_may_contain_many_hash(f->b, hashes, count, to);
}

/* Calls for many keys, of more than one batch: hashes at few places, or a few
   other keys, which are repeated. */
static void many(const filter *f, unsigned what, input *in)
{
    static bool results[KEYS], expected[KEYS];
    const unsigned kind = what % 3, few = 1 + byte_of(in) % 4;
    const unsigned place = byte_of(in), by = byte_of(in);
    const bool add = what & 16, quiet = what & 32;
    const unsigned some = byte_of(in);
    const unsigned count = f->plan.hashes > 16 || !(what & 64) ? some % 20
                         : some == 255 ? KEYS - 1 : 120 + some % 16;
    unsigned i;
    size_t trues = 0;
    for (i = 0; i < count; i++) {
        bloom_hash h = kind == 2
            ? make_key(f, i, kind, place == 255 ? i % 32 : place + i % 32,
                       by + i % 61)
            : make_key(f, i, kind, place + i % few, by);
        expected[i] = model_has(f, h, add) != add;
        trues += expected[i];
    }
    must(call_many(f, count, kind, add, quiet ? NULL : results) == trues);
    for (i = 0; !quiet && i < count; i++)
        must(results[i] == expected[i]);
}

static void use(const filter *f, input *in)
{
    unsigned calls, manys = 0;
    for (calls = 0; in->at < in->end && calls < 12; calls++) {
        unsigned what = byte_of(in), place, by, kind = what % 3;
        bloom_hash h;
        if (slots_used > MOST_CELLS / 4)
            return;
        if (what & 128) {
            if (manys++ < 2)
                many(f, what, in);
            continue;
        }
        place = byte_of(in);
        by = byte_of(in);
        h = make_key(f, 0, kind, place, by);
        must(look_for(f, 0, kind) == model_has(f, h, false));
        if (what & 64)
            must(add_one(f, 0, kind) != model_has(f, h, true));
        if (f->plan.layout != BLOOM_COUNTING)
            must(!bloom_remove_hash(f->b, h));
    }
}

/* ---- Sizes --------------------------------------------------------------- */

/* A number of cells near a limit: a power of two, a limit of size_t or of the
   mapped memory, or 0 */
static uint64_t any_cells(input *in, unsigned layout)
{
    static const unsigned shift[] = { 8, 24, 31, 32, 33, 34, 35, 40, 56, 61 };
    const uint64_t each = layout == BLOOM_COUNTING ? 2 : 8;
    const uint64_t granule = layout == BLOOM_BLOCKED ? 256 : 64;
    unsigned family = byte_of(in), by = byte_of(in);
    uint64_t border;
    switch (family % 16) {
    case 10: border = (room - 32) * each; break;
    case 11: border = ((uint64_t)SIZE_MAX - 32) * each; break;
    case 12: border = ((uint64_t)SIZE_MAX - 64) * each; break;
    case 13: border = 0; break;
    case 14: return any_number(in);
    case 15: border = number_of(in, 6) % ((room - 32) * each); break;
    default: border = (uint64_t)1 << shift[family % 16];
    }
    border = border / granule * granule + (by & 63) * granule;
    if (by & 64)
        border -= 32 * granule;
    return border + (by & 128 && family & 128 ? family / 16 % 8 : 0);
}

static bloom_plan any_plan(input *in)
{
    unsigned shape = byte_of(in), k = byte_of(in);
    bloom_plan plan;
    plan.layout = (uint8_t)(shape % 4 == 3 ? shape / 4 % 4 : shape % 4);
    plan.hash_bits = shape & 64 ? 32 : 64;
    plan.hashes = (uint8_t)(plan.layout == BLOOM_BLOCKED && !(shape & 32)
                            ? 8 + k % 8 * 8 : k % 72);
    plan.seed = shape & 16 ? number_of(in, 8) : 0;
    plan.cells = any_cells(in, plan.layout);
    if ((shape & 128) && k & 64)
        plan.hash_bits = (uint8_t)k;
    return plan;
}

/* A plan that is too large for size_t has size 0. bloom_create does not
   allocate if the size plus 32 bytes for the alignment does not fit into
   size_t. */
static void make(bloom_plan plan)
{
    size_t size = bloom_plan_size(plan);
    bloom *b;
    must(size == right_size(plan));
    must(!bloom_init(memory, size ? size - 1 : SIZE_MAX, plan));
    must(memory[0] == 0 && memory[4] == 0 && memory[24] == 0);
    asked = 0;
    b = bloom_create(plan);
    must(asked == (size > SIZE_MAX - 32 || size == 0 ? 0 : size + 32));
    must(!b || (bloom_size(b) == size && bloom_ones(b) == 0));
    bloom_free(b);
}

static void write_header(unsigned char *to, bloom_plan plan)
{
    unsigned i;
    memcpy(to, "BLM\2", 4);
    to[4] = plan.layout;
    to[5] = plan.hash_bits;
    to[6] = plan.hashes;
    to[7] = 0;
    for (i = 0; i < 8; i++) {
        to[8 + i] = (unsigned char)(plan.cells >> 8 * i & 255);
        to[16 + i] = (unsigned char)(plan.seed >> 8 * i & 255);
        to[24 + i] = 0;
    }
}

/* A size for bloom_open and bloom_view: the needed one, a few bytes more or
   less, any number, or nearly SIZE_MAX */
static size_t any_size(uint64_t needed, input *in)
{
    unsigned how = byte_of(in);
    uint64_t size = how % 4 == 0 ? needed
                  : how % 4 == 1 ? needed - 16 + how / 8
                  : how % 4 == 2 ? SIZE_MAX - how / 4 : any_number(in);
    return size > SIZE_MAX ? SIZE_MAX : (size_t)size;
}

/* Opens a header without cells. Whatever the given size, no byte after the
   header may be read. */
static void look_at_header(bloom_plan plan, input *in)
{
    static struct { unsigned char before[EDGE], at[32 + EDGE]; } head;
    unsigned bend = byte_of(in);
    bloom_error error, expected;
    uint64_t index[64], model[64];
    bloom_hash h;
    const bloom *b;
    size_t size;
    unsigned i;
    write_header(head.at, plan);
    if (bend & 128)
        head.at[bend % 16] ^= (unsigned char)byte_of(in);
    plan = plan_in(head.at);
    size = any_size(bytes_for(plan), in);
    ASAN_POISON_MEMORY_REGION(head.at + 32, EDGE);
    b = bloom_view(head.at, size, &error);
    expected = verdict(head.at, size);
    must(error == expected && (b != NULL) == (error == BLOOM_OK));
    must(bloom_open(head.at, size, NULL) == b);
    if (b) {
        must(bloom_size(b) == bytes_for(plan));
        h = near_hash(plan, bend, byte_of(in));
        must(bloom_probes(b, h, index) == plan.hashes);
        model_probes(plan, h, model);
        for (i = 0; i < plan.hashes; i++)
            must(index[i] == model[i] && index[i] < plan.cells);
    }
    ASAN_UNPOISON_MEMORY_REGION(head.at + 32, EDGE);
}

/* ---- Filters and chains that fit ----------------------------------------- */

/* Uses a filter at the beginning of the memory or at its very end. bloom_init
   makes the small ones. For large ones only the header is written, as the
   memory is zero already. */
static void use_image(bloom_plan plan, input *in)
{
    unsigned shift = byte_of(in);
    size_t size = bloom_plan_size(plan);
    bloom_error error;
    filter f;
    if (size == 0 || size > room - 2 * EDGE)
        return;
    f.plan = plan;
    f.image = shift & 16 ? memory + (size_t)room - size : memory + shift % 16;
    if (size <= CLEARED)
        must(bloom_init(f.image, size, plan) != NULL);
    else
        write_header(f.image, plan);
    f.b = bloom_open(f.image, size, &error);
    must(f.b && error == BLOOM_OK && bloom_size(f.b) == size);
    if (!(shift & 16))
        ASAN_POISON_MEMORY_REGION(f.image + size, EDGE);
    use(&f, in);
    if (!(shift & 16))
        ASAN_UNPOISON_MEMORY_REGION(f.image + size, EDGE);
    compare_and_clear(&f);
    memset(f.image, 0, 32);
}

/* Loads a chain of up to 69 links, one of which may have another size, and one
   a corrupted header byte; with a size as of any_size. */
static void use_chain(bloom_plan plan, input *in)
{
    static const unsigned char head[24] = "BLC\2\0\100\0\0\1\0\0\0\0\0\0\0"
                                          "\0\0\0\0\0\0\340\77";
    unsigned count = byte_of(in) % 70, odd = byte_of(in) % 72, i;
    uint64_t at[70], end = 32;
    bloom_error error;
    bloom_chain *c;
    size_t size;
    memcpy(memory, head, sizeof head);
    memory[4] = plan.layout;
    memory[5] = plan.hash_bits;
    for (i = 0; i < count && end + 64 < room; i++) {
        bloom_plan link = plan;
        if (i == odd % 8)
            link.cells = any_cells(in, plan.layout);
        at[i] = end;
        write_header(memory + end, link);
        if (i == odd)
            memory[end + byte_of(in) % 24] ^= (unsigned char)byte_of(in);
        link = plan_in(memory + end);
        end += bytes_for(link) < room ? bytes_for(link) : room;
    }
    size = any_size(end, in);
    size = size > room ? (size_t)room : size;
    memory[6] = (unsigned char)(i + (count > 68));
    memory[7] = check_of(memory);
    c = bloom_chain_load(memory, size, &error);
    must(error == chain_verdict(memory, size)
         || (error == BLOOM_NO_MEMORY
             && chain_verdict(memory, size) == BLOOM_OK));
    must(!c || (error == BLOOM_OK && bloom_chain_links(c) == i));
    must(!c || bloom_chain_size(c) <= size);
    bloom_chain_free(c);
    memset(memory, 0, 32);
    while (i-- > 0)
        memset(memory + at[i], 0, 32);
}

/* ---- Plans that fit into size_t or just do not --------------------------- */

static void plan_for(bloom_plan like, input *in)
{
    double p = 1 / (2 + (double)number_of(in, 2));
    uint64_t n = like.cells / (1 + byte_of(in) % 32);
    bloom_plan plan = bloom_plan_for(n, p), other;
    size_t size = bloom_plan_size(plan), bytes = any_size(like.cells, in);
    bloom_chain *c;
    bloom *b;
    must(size == right_size(plan));
    must(size == 0 || bloom_plan_fpr(plan, n ? n : 1) <= p);
    other = bloom_plan_layout(n, p, BLOOM_COUNTING);
    plan.layout = BLOOM_COUNTING;
    must(right_size(plan) == bloom_plan_size(other));
    must(other.cells == (bloom_plan_size(other) > 0 ? plan.cells : 0));
    b = bloom_new(n, p);
    must(!b || bloom_size(b) == size);
    bloom_free(b);
    plan = bloom_plan_bytes(n, bytes);
    size = bloom_plan_size(plan);
    must(bytes < 40 ? size == 0 : size >= 40 && size <= bytes);
    must(bytes < 40 || bytes - size < 8 || size > SIZE_MAX >> 5);
    c = bloom_chain_create(n, p, like);
    must(!c || (like.layout < BLOOM_COUNTING && bloom_chain_links(c) == 1));
    bloom_chain_free(c);
}

static void run_one(input in)
{
    unsigned what = byte_of(&in);
    bloom_plan plan = any_plan(&in);
    if (!memory)
        set_up();
    begin_memory();
    make(plan);
    look_at_header(plan, &in);
    switch (what % 8) {
    case 0: plan_for(plan, &in); break;
    case 1:
    case 2: use_chain(plan, &in); break;
    default: use_image(plan, &in);
    }
    give_back();
}
