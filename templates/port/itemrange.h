// Ranges of the integers that arrays and structs store (itemrange.c).
#ifndef GPUSNEK_ITEMRANGE_H
#define GPUSNEK_ITEMRANGE_H

#include "py/binary.h"
#include "py/obj.h"

#define GPUSNEK_ALWAYS_FITS (127)

// Return -1 or 1 if an int is below or above the range of integers of `bits` bits, else 0.
int gpusnek_outside(mp_obj_t value, int bits, bool with_sign);

// Raise OverflowError, or ValueError for a bytearray, if an int does not fit an item of an array.
void gpusnek_check_array_item(char typecode, mp_obj_t value);

// Check an item and store it as mp_binary_set_val_array() does.
static inline void gpusnek_store_item(char typecode, void *items, size_t index, mp_obj_t value) {
    if (!mp_obj_is_small_int(value)
        || (mp_uint_t)MP_OBJ_SMALL_INT_VALUE(value) > GPUSNEK_ALWAYS_FITS) {
        gpusnek_check_array_item(typecode, value);
    }
    mp_binary_set_val_array(typecode, items, index, value);
}

#endif
