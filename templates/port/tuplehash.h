// The hash of tuples, which depends on the order of the items, for py/objtuple.c (patch `hashes`)
// and probe.h.
#ifndef GPUSNEK_TUPLEHASH_H
#define GPUSNEK_TUPLEHASH_H

#include <stdint.h>

#include "py/mpconfig.h"

// Returns the hash of the items so far, extended by the hash of the next item: the upper 32 bits of
// a product. The result has 32 bits, because the 64-bit division of a table lookup is slow on a
// GPU.
static inline mp_int_t gpusnek_tuple_hash(mp_int_t hash, mp_int_t item) {
    return (mp_int_t)((((uint64_t)hash ^ (uint64_t)item) * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

#endif
