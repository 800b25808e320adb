/* The library as an object of its own, for `make size`. */
#ifdef SIZE_OBJECT
#define BLOOM_IMPLEMENTATION
#endif
#include "bloom.h"
