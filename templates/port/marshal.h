// Python values as bytes of CPython's marshal format, which the host's marshal.loads reads.
#ifndef GPUSNEK_MARSHAL_H
#define GPUSNEK_MARSHAL_H

#include "py/obj.h"

// Appends `value` to `to`. What the format has no code for becomes a tuple that starts with
// StopIteration, which no Python value is marshalled to: (StopIteration, bytes) for a bytearray,
// (StopIteration, typecode, bytes) for an array, (StopIteration, repr) for anything else; then
// *wrapped is set. Raises where the value is nested too deep, or as its __repr__ does.
void gpusnek_marshal(vstr_t *to, mp_obj_t value, bool *wrapped);
void gpusnek_marshal_str(vstr_t *to, const char *text, size_t length);
// The start of a tuple whose `count` elements come next.
void gpusnek_marshal_tuple(vstr_t *to, size_t count);

#endif
