// Patterns of `match` statements: their description, which the compiler builds (statements.h), and
// the function that compares a subject with it (patterns.c).
#ifndef GPUSNEK_PATTERNS_H
#define GPUSNEK_PATTERNS_H

#include "py/obj.h"

// A pattern is a small integer or a tuple. A small integer from GPUSNEK_PATTERN_CAPTURE on is a
// capture: it minus this number is its slot. GPUSNEK_PATTERN_ANY is the wildcard. A tuple begins
// with one of the other numbers.
enum {
    GPUSNEK_PATTERN_ANY,
    GPUSNEK_PATTERN_VALUE, // value: compared by ==
    GPUSNEK_PATTERN_SAME, // value: compared by `is`
    GPUSNEK_PATTERN_OR, // patterns
    GPUSNEK_PATTERN_AS, // slot, pattern
    GPUSNEK_PATTERN_SEQUENCE, // position of the star or -1, patterns
    GPUSNEK_PATTERN_MAPPING, // capture of the rest or GPUSNEK_PATTERN_ANY, (key, pattern) ...
    GPUSNEK_PATTERN_CLASS, // class, number of positional patterns, these, (name, pattern) ...
    GPUSNEK_PATTERN_CAPTURE,
};

#define GPUSNEK_MOST_CAPTURES (64) // of a pattern

// The built-in functions that the compiler calls. Programs can call them by the names `_dot_match`
// and `_dot_type`.
MP_DECLARE_CONST_FUN_OBJ_3(gpusnek_match_obj);
MP_DECLARE_CONST_FUN_OBJ_2(gpusnek_type_alias_obj);

#endif
