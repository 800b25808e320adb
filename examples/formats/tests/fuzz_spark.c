/* Fuzz target: examples/formats/spark.c; see fuzz_jvm.h.

   fuzz: length=128
   fuzz: libraries=-lm
   fuzz: package=libc6-dev
   fuzz: compare=yes */
#define FUZZ_TOOL "examples/formats/spark.c"
#include "fuzz_jvm.h"
