/* chain.h: filters that grow: scalable Bloom filters, or chains */

#ifndef CHAIN_H
#define CHAIN_H

#include "kind.h"

extern const kind chain_kind;

#endif
