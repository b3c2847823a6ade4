// Comparing a program's result with bytes that the host wrote (unmarshal.h): nothing is allocated,
// and no code of the program runs.
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

// As Python's ==, except that NaN equals NaN; with a tolerance as math.isclose where one of them is
// a float.
bool gpusnek_numbers_match(const gpusnek_number_t *a, const gpusnek_number_t *b,
    const gpusnek_tolerance_t *tolerance);

// Whether `value` equals the value at `at`.
bool gpusnek_matches_at(mp_obj_t value, const byte *at, const gpusnek_tolerance_t *tolerance);

#endif
