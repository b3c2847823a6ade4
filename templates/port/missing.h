// Missing features (missing.c): what the core of the interpreter lacked when it raised an
// exception. The patch `missing` calls these functions. Nothing here raises.
#ifndef GPUSNEK_MISSING_H
#define GPUSNEK_MISSING_H

#include "interp.h"
#include "py/obj.h"
#include "py/objexcept.h"
#include "py/runtime.h"

// py/ calls one of these functions before it raises the exception that says the same in words.
void gpusnek_missing_global(qstr name);
void gpusnek_missing_module(qstr name);
void gpusnek_missing_attribute(mp_obj_t base, qstr name); // also a name that an import asks for
void gpusnek_missing_keyword(const mp_map_t *given, const mp_arg_t *allowed, size_t count);
void gpusnek_missing_keywords(void); // the function takes none
void gpusnek_missing_operation(void); // the core raises NotImplementedError
// py/objexcept.c calls this with each exception object that it makes.
void gpusnek_missing_made(const mp_obj_exception_t *exception);
// Forget everything: a program or a call begins.
void gpusnek_missing_start(void);
// A program or a call ended with `exception`: gpusnek_missed() tells whether the core lacked
// something.
void gpusnek_missing_of(const mp_obj_exception_t *exception);
// Return GPUSNEK_MISSING_*, and the names of what was missing; a name that is not known is
// MP_QSTRnull.
int gpusnek_missing_found(qstr *owner, qstr *name);

#endif
