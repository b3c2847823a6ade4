// Deserialization of values that the host wrote in CPython's marshal format, with the extension of
// marshal.h. judge.c reads arguments by it, matching.c walks patterns. The bytes are the host's, so
// they are trusted and not validated.
#ifndef GPUSNEK_UNMARSHAL_H
#define GPUSNEK_UNMARSHAL_H

#include "py/obj.h"

// Returns the value at *at and advances *at to its end. Raises MemoryError.
mp_obj_t gpusnek_unmarshal(const byte **at);
// Returns the end of the value at `at`, which must not be a container.
const byte *gpusnek_marshal_skip(const byte *at);

// Returns the 32-bit number after a code: a length, a count, an int, or the signed number of digits
// of a long.
static inline int32_t gpusnek_marshal_i32(const byte *at) {
    return (int32_t)((uint32_t)at[1] | (uint32_t)at[2] << 8 | (uint32_t)at[3] << 16
        | (uint32_t)at[4] << 24);
}

// Returns the number of digits of a long. In the format it has the sign of the long.
static inline uint32_t gpusnek_marshal_digits(const byte *at) {
    const int32_t count = gpusnek_marshal_i32(at);
    return (uint32_t)(count < 0 ? -count : count);
}

// Returns digit i of a long, 15 bits; digit 0 is the least significant.
static inline uint32_t gpusnek_marshal_digit(const byte *at, uint32_t i) {
    return (uint32_t)at[5 + 2 * i] | (uint32_t)at[6 + 2 * i] << 8;
}

#endif
