// Comparing a program's result with a pattern, the bytes of an expected value that the host wrote
// (porter/evaluation/patterns.py has the layout). Nothing is allocated, and no code of the program
// runs. The time is proportional to the pattern's size, times the logarithm of the number of keys.
#ifndef GPUSNEK_MATCHING_H
#define GPUSNEK_MATCHING_H

#include "interp.h"
#include "py/obj.h"

// A number: digits of 15 bits, the least first, or what a float is that has no such digits.
typedef struct _gpusnek_number_t {
    bool is_float;
    bool negative;
    double value; // of a float
    uint64_t word; // the magnitude is word << shift,
    uint32_t shift;
    const byte *marshalled; // or these digits,
    const uint32_t *big; // or these of 32 bits
    uint32_t count; // digits of 15 bits, without zeros in front
    bool whole; // whether it has digits: a float that is no integer has none
} gpusnek_number_t;

// Whether `value`, or the value at `at`, is an int, a bool or a float; and which.
bool gpusnek_number_of(mp_obj_t value, gpusnek_number_t *number);
bool gpusnek_number_at(const byte *at, gpusnek_number_t *number);
// Item `index` of array's `typecode`; false for a typecode that is not of numbers.
bool gpusnek_number_in(char typecode, const void *items, size_t index, gpusnek_number_t *number);
void gpusnek_number_of_double(double value, gpusnek_number_t *number);

// The real and the imaginary part of a complex number; of another number itself, and 0.
bool gpusnek_parts_of(mp_obj_t value, gpusnek_number_t *parts);

// As Python's ==, except that NaN equals NaN; with a tolerance as math.isclose where one of them is
// a float.
bool gpusnek_numbers_match(const gpusnek_number_t *a, const gpusnek_number_t *b,
    const gpusnek_tolerance_t *tolerance);

// The hash of a number that an index of keys has. *units: what is left of the size that keys may
// have, reduced by the number's; false if too little is left.
bool gpusnek_number_hash(const gpusnek_number_t *number, uint64_t *units, uint64_t *hash);
bool gpusnek_complex_hash(const gpusnek_number_t *parts, uint64_t *units, uint64_t *hash);
// The same of any key. False, too, for a key that no pattern contains.
bool gpusnek_key_hash(mp_obj_t key, uint64_t *units, uint64_t *hash);

// Adds `word` to a hash, which begins as 0.
static inline uint64_t gpusnek_hash_mix(uint64_t state, uint64_t word) {
    state = (state ^ word) * UINT64_C(0xff51afd7ed558ccd);
    return state ^ state >> 32;
}

// The first word of each hash: types whose values can be equal share one. Order as in patterns.py.
enum gpusnek_hash_tags {
    GPUSNEK_HASH_NONE = 1,
    GPUSNEK_HASH_ELLIPSIS,
    GPUSNEK_HASH_INTEGER,
    GPUSNEK_HASH_NEGATIVE,
    GPUSNEK_HASH_FLOAT,
    GPUSNEK_HASH_COMPLEX,
    GPUSNEK_HASH_TEXT,
    GPUSNEK_HASH_BYTES,
    GPUSNEK_HASH_TUPLE,
    GPUSNEK_HASH_SET,
    GPUSNEK_HASH_FINISH = 14,
};

// Whether `value` is a tuple, of whatever class.
bool gpusnek_is_tuple(mp_obj_t value);

// Whether `value` equals the value of the pattern `at`.
bool gpusnek_matches_at(mp_obj_t value, const byte *at, const gpusnek_tolerance_t *tolerance);

#endif
