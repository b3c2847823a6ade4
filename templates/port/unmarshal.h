// Reading bytes that the host wrote in CPython's marshal format (marshal.h says what stands for
// values that the format lacks). They are the host's own, so nothing is checked.
#ifndef GPUSNEK_UNMARSHAL_H
#define GPUSNEK_UNMARSHAL_H

#include "py/obj.h"

// The value at *at, which moves on behind it. Raises MemoryError.
mp_obj_t gpusnek_unmarshal(const byte **at);
// Behind the value at `at`, which is no container.
const byte *gpusnek_marshal_skip(const byte *at);

// The number behind a code: a length, a count, an int, the digits of a long.
static inline int32_t gpusnek_marshal_i32(const byte *at) {
    return (int32_t)((uint32_t)at[1] | (uint32_t)at[2] << 8 | (uint32_t)at[3] << 16
        | (uint32_t)at[4] << 24);
}

// Digits of a long: its number, which is negative for a negative one, without its sign.
static inline uint32_t gpusnek_marshal_digits(const byte *at) {
    const int32_t count = gpusnek_marshal_i32(at);
    return (uint32_t)(count < 0 ? -count : count);
}

static inline uint32_t gpusnek_marshal_digit(const byte *at, uint32_t i) {
    return (uint32_t)at[5 + 2 * i] | (uint32_t)at[6 + 2 * i] << 8;
}

#endif
