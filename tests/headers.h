/* bloom.h and its companions, but for bloom_file.h, which has to be the first
   file, and a system with files. The chain needs malloc and floating point. */
#include "bloom.h"
#if !defined TEST_SMALL && !defined TEST_FLASH      /* companions are in RAM */
#undef TEST_COMPANIONS
#define TEST_COMPANIONS
#include "../examples/companions/bloom_window.h"
#include "../examples/companions/bloom_slices.h"
#include "../examples/companions/bloom_keyed.h"
#if !defined BLOOM_NO_MALLOC && !defined BLOOM_NO_FLOAT
#undef TEST_CHAIN
#define TEST_CHAIN
#include "../examples/companions/bloom_chain.h"
#endif
#endif
