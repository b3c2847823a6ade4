// Encodings of str and bytes (encodings.c), which the patch `encodings` calls in py/objstr.c.
#ifndef GPUSNEK_ENCODINGS_H
#define GPUSNEK_ENCODINGS_H

#include "py/obj.h"

// Encodes a str, args[0], to bytes, or decodes bytes to a str. args[1]: the encoding, args[2]: the
// error handler. Returns MP_OBJ_NULL if upstream's code does the same: UTF-8 without errors. Raises
// LookupError for unknown names, and UnicodeEncodeError or UnicodeDecodeError.
mp_obj_t gpusnek_encode(size_t n_args, const mp_obj_t *args);
mp_obj_t gpusnek_decode(size_t n_args, const mp_obj_t *args);

extern const mp_obj_type_t gpusnek_type_UnicodeDecodeError;
extern const mp_obj_type_t gpusnek_type_UnicodeEncodeError;

#endif
