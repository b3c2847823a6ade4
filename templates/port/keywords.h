// Keyword arguments of built-in functions (keywords.c). The patch `keywords` calls this function in
// py/objfun.c and py/objtype.c before upstream counts the arguments.
#ifndef GPUSNEK_KEYWORDS_H
#define GPUSNEK_KEYWORDS_H

#include "py/obj.h"

// Calls a built-in function, method or type with arguments that upstream does not accept. `args`
// has the positional arguments, then names and values of keyword arguments. Returns the result, or
// MP_OBJ_NULL if upstream must perform the call. Raises TypeError for arguments that CPython refuses
// too.
mp_obj_t gpusnek_call_keywords(mp_obj_t function, size_t n_args, size_t n_kw, const mp_obj_t *args);

#endif
