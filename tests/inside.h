/* The private functions and constants of bloom.h that tests need, each under a
   name by which tests call it, and who does. If bloom.h renames one, only this
   file changes. All other tests use public names only (`make docs` checks
   that). */
#ifndef INSIDE_H
#define INSIDE_H

/* Called by bloom_window.h between stores whose order matters: unit/window.c */
#ifdef TEST_KILLS
static void between_stores(void);
#define BLOOM_WINDOW_ORDER_() between_stores()
#endif

/* Bytes and numbers: prove/, rates/exact.c, key_families.c */
#define inside_load32 bloom_load32_
#define inside_load64 bloom_load64_
#define inside_store64 bloom_store64_
#define inside_low_half bloom_low_half_
#define inside_popcount bloom_popcount_

/* The walk: prove/ (high_half), rates/ */
#define inside_high_half bloom_high_half_
#define inside_hash_from_h1 bloom_hash_of_h1_
#define INSIDE_GOLDEN BLOOM_GOLDEN_
#define INSIDE_FACTOR BLOOM_FACTOR_

/* Headers and sizes: prove/prove.c */
#define inside_check bloom_check_
#define inside_check_fields bloom_check_fields_
#define inside_cell_bytes bloom_cell_bytes_
#define inside_plan_size bloom_plan_size_

/* Where cells are: prove/prove.c, prove/fold_proof.c */
#define inside_probe_bit bloom_probe_bit_           /* threads/, too */
#define inside_nibble_shift bloom_nibble_shift_
#define inside_counter bloom_counter_
#define inside_block_offset bloom_block_offset_
#define inside_block_bit bloom_block_bit_

/* Atomic changes of cells: threads/interleave.c. quality/coverage.py has a
   reason why not all of these runs. */
#define inside_count bloom_change_counter_
#define inside_combine_words bloom_combine_words_
#define inside_set_word bloom_set_word_             /* threads/ only */
#define inside_remove_counted bloom_remove_counted_ /* the others: coverage */
#define inside_probe_block_simd bloom_probe_block_simd_
#define inside_allocate bloom_allocate_

/* For prove/: the declarations of bloom.h without its definitions. Contracts
   come next, then bloom.h once more, which defines the functions. */
#ifdef INSIDE_DECLARATIONS
#define BLOOM_STATIC
#define BLOOM_NO_SIMD
#define BLOOM_IMPLEMENTATION_DONE_
#include "bloom.h"
#undef BLOOM_IMPLEMENTATION_DONE_
#endif

#endif
