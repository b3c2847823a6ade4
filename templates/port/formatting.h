// str.format, format(), f-strings and the operator % of str and bytes (formatting.c).
#ifndef GPUSNEK_FORMATTING_H
#define GPUSNEK_FORMATTING_H

#include "py/obj.h"

// Print `value` as format(value, spec). Raises ValueError or TypeError for a wrong specification.
void gpusnek_print_formatted(
    const mp_print_t *print, mp_obj_t value, const char *spec, size_t length);

// Return the text of [text, top) with its replacement fields filled in. args[0] is not an
// argument of the format; *next is the number of the next automatic field, -1 after a numbered one.
vstr_t gpusnek_format_text(const char *text, const char *top, int *next, size_t n_args,
    const mp_obj_t *args, mp_map_t *kwargs);

// Return pattern % args; `mapping` is MP_OBJ_NULL or the operand that keys are looked up in.
mp_obj_t gpusnek_modulo_format(
    mp_obj_t pattern, size_t n_args, const mp_obj_t *args, mp_obj_t mapping);

// Return str(value) of a str or a small int; MP_OBJ_NULL for other objects.
mp_obj_t gpusnek_plain_text(mp_obj_t value);

// The built-in function format(value, spec='').
extern const struct _mp_obj_fun_builtin_var_t gpusnek_format_obj;

#endif
