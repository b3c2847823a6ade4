// Checks of the integers that arrays store, with CPython's exceptions. The patch `ranges` makes
// upstream's functions call this file, and modstruct.c calls it.
#include "itemrange.h"

#include <string.h>

#include "methods_number.h"
#include "py/binary.h"
#include "py/objint.h"
#include "py/runtime.h"

int gpusnek_outside(mp_obj_t value, int bits, bool with_sign) {
    const int sign = mp_obj_int_sign(value);
    if (sign < 0 && !with_sign) {
        return -1;
    }
    const int most = with_sign ? bits - 1 : bits;
    if (mp_obj_is_small_int(value)) {
        const int64_t number = MP_OBJ_SMALL_INT_VALUE(value);
        if (most >= 63) {
            return 0;
        }
        const int64_t limit = (int64_t)1 << most;
        return number >= limit ? 1 : number < -limit ? -1 : 0;
    }
    // |value| needs `most` bits at most, or is the power of two with one bit more.
    const size_t used = gpusnek_bit_length(value);
    const bool least
        = sign < 0 && used == (size_t)most + 1 && gpusnek_is_power_of_two(value);
    return used <= (size_t)most || least ? 0 : sign;
}

static bool is_integer_code(char typecode) {
    return typecode == BYTEARRAY_TYPECODE || strchr("bBhHiIlLqQ", typecode) != NULL;
}

void gpusnek_check_array_item(char typecode, mp_obj_t value) {
    if (typecode == 0 || !is_integer_code(typecode)
        || !(mp_obj_is_small_int(value) || mp_obj_is_exact_type(value, &mp_type_int))) {
        return;
    }
    const bool with_sign = typecode >= 'a';
    size_t align;
    const int side = gpusnek_outside(value, 8 * (int)mp_binary_get_size('@', typecode, &align), with_sign);
    if (side == 0) {
        return;
    }
    const char *text;
    switch (typecode) {
        case BYTEARRAY_TYPECODE:
            mp_raise_ValueError(MP_ERROR_TEXT("byte must be in range(0, 256)"));
        case 'b':
            text = "signed char";
            break;
        case 'B':
            text = "unsigned byte integer";
            break;
        case 'h':
            text = "signed short integer";
            break;
        case 'H':
            text = "unsigned short";
            break;
        case 'i':
            text = "signed integer";
            break;
        case 'I':
            if (side < 0) {
                mp_raise_msg(&mp_type_OverflowError,
                    MP_ERROR_TEXT("can't convert negative value to unsigned int"));
            }
            text = "unsigned int";
            break;
        default:
            mp_raise_msg(&mp_type_OverflowError,
                side < 0 && !with_sign ? MP_ERROR_TEXT("can't convert negative int to unsigned")
                                       : MP_ERROR_TEXT("int too big to convert"));
    }
    mp_raise_msg_varg(&mp_type_OverflowError, MP_ERROR_TEXT("%s is %s"), text,
        side < 0 ? "less than minimum" : "greater than maximum");
}
