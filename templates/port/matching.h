// Comparison of a program's result with a pattern: the expected value, serialized by the host.
//
// porter/evaluation/patterns.py writes patterns and documents their layout: the marshal format,
// with a sorted index of hashes in front of the entries of a dict or set. judge.c calls
// gpusnek_matches_at(). The comparison allocates nothing and runs no code of the program. Its time
// is O(n log k) for a pattern of n bytes with k keys.
#ifndef GPUSNEK_MATCHING_H
#define GPUSNEK_MATCHING_H

#include "interp.h"
#include "py/obj.h"

// A real number in a common representation: digits of 15 bits, the least significant first, for
// integral numbers; only `value` for other floats. The magnitude has one of three sources:
// `marshalled` if it is not NULL, else `big` if it is not NULL, else `word` and `shift`.
typedef struct _gpusnek_number_t {
    bool is_float;
    bool negative;
    double value; // of a float
    uint64_t word; // the magnitude is word << shift
    uint32_t shift; // bits; of `big`: the number of its digits
    const byte *marshalled; // an int of a pattern, digits of 15 bits
    const uint32_t *big; // digits of an mpz, 32 bits each
    uint32_t count; // digits of 15 bits without leading zeros
    bool whole; // whether the number is integral; false: the digits are not valid
} gpusnek_number_t;

// Convert an int, bool or float: `value` of the result, or the value of a pattern at `at`. Return
// false for other types.
bool gpusnek_number_of(mp_obj_t value, gpusnek_number_t *number);
bool gpusnek_number_at(const byte *at, gpusnek_number_t *number);
// Converts item `index` of an array with this typecode; returns false if the typecode is not
// numeric.
bool gpusnek_number_in(char typecode, const void *items, size_t index, gpusnek_number_t *number);
void gpusnek_number_of_double(double value, gpusnek_number_t *number);

// Converts a number to its real part, parts[0], and its imaginary part, parts[1]. Returns false for
// other types.
bool gpusnek_parts_of(mp_obj_t value, gpusnek_number_t *parts);

// Returns whether two numbers are equal as by Python's ==, except that NaN equals NaN. With a
// tolerance, numbers also match as by math.isclose, if at least one is a float.
bool gpusnek_numbers_match(const gpusnek_number_t *a, const gpusnek_number_t *b,
    const gpusnek_tolerance_t *tolerance);

// Compute the hash of a number, as an index of keys contains it. *units: the size budget of the
// keys that are left (matching_keys.c); the number's size is subtracted. Return false if the budget
// does not suffice.
bool gpusnek_number_hash(const gpusnek_number_t *number, uint64_t *units, uint64_t *hash);
bool gpusnek_complex_hash(const gpusnek_number_t *parts, uint64_t *units, uint64_t *hash);
// Computes the hash of any key. Returns false if the budget does not suffice, or for a key of a
// type that no pattern contains.
bool gpusnek_key_hash(mp_obj_t key, uint64_t *units, uint64_t *hash);

// Returns the hash `state`, initially 0, extended by `word`.
static inline uint64_t gpusnek_hash_mix(uint64_t state, uint64_t word) {
    state = (state ^ word) * UINT64_C(0xff51afd7ed558ccd);
    return state ^ state >> 32;
}

// The first word of each hash. Types whose values can be equal share a tag. The order is that of
// patterns.py.
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

// Returns whether `value` is a tuple or of a class like a namedtuple.
bool gpusnek_is_tuple(mp_obj_t value);

// Returns whether `value` equals the pattern at `at`. tolerance: for floats; NULL: exact.
bool gpusnek_matches_at(mp_obj_t value, const byte *at, const gpusnek_tolerance_t *tolerance);

#endif
