/* The layouts of bloom.h in the order of the enum, for the tests that walk
   through all of them: unit/, rates/, fuzz/fuzz_state.c, speed/ours.c. A new
   layout is added here, and the tests of what is special about it to unit/. */
#define LAYOUT_NAMES "classic", "blocked", "counting"
#define LAYOUT_COUNT 3
