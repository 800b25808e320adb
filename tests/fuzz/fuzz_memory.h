/* A small and fast allocator for targets that replace malloc. It takes blocks
   from one arena. AddressSanitizer guards the bytes between them, and those of
   freed blocks until the input is done. (The sanitizer's own malloc takes new
   pages for each larger block, which would cost half of the time.) Include
   fuzz.h first. */

#ifndef FUZZ_MEMORY_H
#define FUZZ_MEMORY_H

enum { ARENA = 1 << 24, GAP = 32, BLOCKS = 4096, JUNK = 1024 };

typedef struct block { unsigned char *at; size_t size; bool free; } block;

static struct { uint64_t aligned; unsigned char bytes[ARENA]; } arena;
static block blocks[BLOCKS];
static size_t blocks_taken, arena_used;
static unsigned blocks_in_use;

/* Begins a new input: all blocks are freed, and the whole arena is guarded. */
static void begin_memory(void)
{
    size_t unguarded = arena_used > 0 ? arena_used : (size_t)ARENA;
    ASAN_POISON_MEMORY_REGION(arena.bytes, unguarded);
    (void)unguarded;
    blocks_taken = blocks_in_use = 0;
    arena_used = GAP;
}

/* A block, of which at least the first JUNK bytes are filled with junk; NULL if
   the arena is full */
static void *take_memory(size_t size)
{
    unsigned char *at = arena.bytes + arena_used;
    if (blocks_taken == BLOCKS || size > ARENA - GAP - 16 - arena_used)
        return NULL;
    arena_used += (size + 15) / 16 * 16 + GAP;
    ASAN_UNPOISON_MEMORY_REGION(at, size);
    memset(at, 0xA5, size < JUNK ? size : JUNK);
    blocks[blocks_taken].at = at;
    blocks[blocks_taken].size = size;
    blocks[blocks_taken++].free = false;
    blocks_in_use++;
    return at;
}

static block *block_at(const void *at)
{
    size_t i = blocks_taken;
    while (i > 0 && blocks[i - 1].at != at)
        i--;
    must(i > 0 && !blocks[i - 1].free);
    return &blocks[i - 1];
}

static void free_memory(void *at)
{
    block *old;
    if (!at)
        return;
    old = block_at(at);
    ASAN_POISON_MEMORY_REGION(old->at, old->size);
    old->free = true;
    blocks_in_use--;
}

#endif
