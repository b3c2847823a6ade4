// Serialization of Python values in CPython's marshal format; the host reads it by marshal.loads.
#ifndef GPUSNEK_MARSHAL_H
#define GPUSNEK_MARSHAL_H

#include "py/obj.h"

// Appends `value` to `to`. A value of a type that the format lacks becomes a tuple whose first item
// is StopIteration, which no other value contains: (StopIteration, bytes) for a bytearray,
// (StopIteration, typecode, bytes) for an array, (StopIteration, repr) for other types. Then
// *wrapped is set. Raises RuntimeError if the value is nested too deeply, and MemoryError;
// propagates exceptions of a __repr__.
void gpusnek_marshal(vstr_t *to, mp_obj_t value, bool *wrapped);
// Appends a str of `length` bytes of UTF-8.
void gpusnek_marshal_str(vstr_t *to, const char *text, size_t length);
// Returns the native part of an instance whose class extends dict, tuple, list, set, frozenset, str,
// bytes or int (Counter, named tuples, IntEnum); returns any other value itself.
mp_obj_t gpusnek_native_part(mp_obj_t value);
// Appends the start of a tuple; the caller appends its `count` items.
void gpusnek_marshal_tuple(vstr_t *to, size_t count);

#endif
