// The hash of tuples, for py/objtuple.c (patch `hashes`).
#ifndef GPUSNEK_TUPLEHASH_H
#define GPUSNEK_TUPLEHASH_H

#include <stdint.h>

#include "py/mpconfig.h"

// The hash of a tuple from that of its items so far and that of the next one: 32 bits of a product,
// for a remainder of 64 bits takes long on a GPU.
static inline mp_int_t gpusnek_tuple_hash(mp_int_t hash, mp_int_t item) {
    return (mp_int_t)((((uint64_t)hash ^ (uint64_t)item) * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

#endif
