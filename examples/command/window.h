/* window.h: filters that forget: sliding windows, for bloom uniq --last and
   --for */

#ifndef WINDOW_H
#define WINDOW_H

#include "kind.h"

extern const kind window_kind;

#endif
