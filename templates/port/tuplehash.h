// The hash of tuples: CPython's, which is a variant of xxHash with 64 bits. It depends on the order
// of the items. py/objtuple.c (patch `hashes`), keys.c and numberhash.h use it.
#ifndef GPUSNEK_TUPLEHASH_H
#define GPUSNEK_TUPLEHASH_H

#include <stddef.h>
#include <stdint.h>

#include "py/mpconfig.h"

// The primes of xxHash.
#define GPUSNEK_HASH_PRIME_1 (UINT64_C(11400714785074694791))
#define GPUSNEK_HASH_PRIME_2 (UINT64_C(14029467366897019727))
#define GPUSNEK_HASH_PRIME_5 (UINT64_C(2870177450012600261))

#define GPUSNEK_TUPLE_HASH_START GPUSNEK_HASH_PRIME_5

// Returns the hash of the items so far, extended by the hash of the next item.
static inline uint64_t gpusnek_tuple_hash(uint64_t hash, mp_int_t item) {
    hash += (uint64_t)item * GPUSNEK_HASH_PRIME_2;
    return (hash << 31 | hash >> 33) * GPUSNEK_HASH_PRIME_1;
}

// Returns the hash of a tuple with `length` items from that of its items. It is not -1.
static inline mp_int_t gpusnek_tuple_hash_end(uint64_t hash, size_t length) {
    hash += length ^ (GPUSNEK_HASH_PRIME_5 ^ 3527539);
    return hash == UINT64_MAX ? 1546275796 : (mp_int_t)hash;
}

// Returns the hash of a number as CPython has it: -2 in place of -1.
static inline mp_int_t gpusnek_hash_not_error(mp_int_t hash) {
    return hash == -1 ? -2 : hash;
}

#endif
