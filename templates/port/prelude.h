// Preludes: a function's bytecode begins with its sizes, name, parameters and line numbers.
#ifndef GPUSNEK_PRELUDE_H
#define GPUSNEK_PRELUDE_H

#include "py/bc.h"
#include "py/obj.h"
#include "py/objfun.h"

// A decoded prelude. The pointers point into the bytecode.
typedef struct {
    const mp_obj_fun_bc_t *function;
    qstr name;
    qstr file;
    const byte *names; // of the parameters
    size_t positional; // parameters that an argument's position can select
    size_t keyword_only; // parameters after them
    size_t defaults; // positional parameters with a default
    size_t flags; // MP_SCOPE_FLAG_*
    const byte *lines; // line numbers, up to lines_end
    const byte *lines_end;
    const byte *first; // the first instruction
} gpusnek_prelude_t;

gpusnek_prelude_t gpusnek_prelude(const mp_obj_fun_bc_t *function);

// Returns a parameter's name. A positional-only parameter has a slash before its name.
qstr gpusnek_parameter(const gpusnek_prelude_t *prelude, size_t index);

// Returns the function with the bytecode of a function, generator function or closure, or NULL for
// other values. Stores the number of variables that a closure prepends to its arguments in *count.
const mp_obj_fun_bc_t *gpusnek_bytecode_function(mp_obj_t value, size_t *count);

extern const mp_obj_type_t mp_type_closure; // py/objclosure.c; not in a header

// Patch `vm-fast-path`: returns a closure's variables, and sets its function and their number.
const mp_obj_t *gpusnek_closure(mp_obj_t closure, mp_obj_t *function, size_t *count);

#endif
