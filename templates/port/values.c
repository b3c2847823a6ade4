// The value of the last expression, for the host: gpusnek_value() and gpusnek_value_data() of
// interp.h.
//
// Numbers are returned directly. Other values are announced by their size in bytes, and fetched
// when the host has allocated memory for them. A conversion runs under the program's limits,
// because a __repr__ is Python code.
#include <string.h>

#include "hooks.h"
#include "marshal.h"
#include "port.h"
#include "py/objint.h"
#include "py/runtime.h"

// The announced bytes until they are fetched: a str or bytes object, or MP_OBJ_NULL.
MP_REGISTER_ROOT_POINTER(mp_obj_t gpusnek_data);

// Stores serialized bytes for gpusnek_value_data(). Returns their number.
static uint64_t keep(vstr_t *data) {
    const uint64_t length = data->len;
    MP_STATE_VM(gpusnek_data) = mp_obj_new_bytes_from_vstr(data);
    return length;
}

// Converts an int to 64 bits; returns false for other types and larger ints.
static bool int64_of(mp_obj_t value, int64_t *number) {
    if (mp_obj_is_small_int(value)) {
        *number = MP_OBJ_SMALL_INT_VALUE(value);
        return true;
    }
    if (!mp_obj_is_int(value)) {
        return false;
    }
    const mpz_t *big = &((const mp_obj_int_t *)MP_OBJ_TO_PTR(value))->mpz;
    uint64_t magnitude = 0;
    for (size_t i = big->len; i-- > 0;) {
        if (magnitude >> (64 - MPZ_DIG_SIZE)) {
            return false;
        }
        magnitude = magnitude << MPZ_DIG_SIZE | big->dig[i];
    }
    if (magnitude > (uint64_t)INT64_MAX + big->neg) {
        return false;
    }
    *number = (int64_t)(big->neg ? -magnitude : magnitude);
    return true;
}

// Converts a result; returns its type (GPUSNEK_VALUE_*) and sets *value. Raises MemoryError;
// propagates exceptions of a __repr__.
static int result_of(mp_obj_t result, uint64_t *value) {
    int64_t integer;
    if (mp_obj_is_bool(result)) {
        *value = result == mp_const_true;
        return GPUSNEK_VALUE_BOOL;
    }
    if (int64_of(result, &integer)) {
        *value = (uint64_t)integer;
        return GPUSNEK_VALUE_INT;
    }
    if (mp_obj_is_float(result)) {
        const double number = (double)mp_obj_float_get(result);
        memcpy(value, &number, sizeof(number));
        return GPUSNEK_VALUE_FLOAT;
    }
    if (mp_obj_is_str(result) || mp_obj_is_type(result, &mp_type_bytes)) {
        size_t length;
        mp_obj_str_get_data(result, &length);
        *value = length;
        MP_STATE_VM(gpusnek_data) = result; // not copied: a copy might not fit into the heap
        return mp_obj_is_str(result) ? GPUSNEK_VALUE_STR : GPUSNEK_VALUE_BYTES;
    }
    vstr_t data;
    bool wrapped = false;
    vstr_init(&data, 32);
    gpusnek_marshal(&data, result, &wrapped);
    *value = keep(&data);
    return wrapped ? GPUSNEK_VALUE_WRAPPED : GPUSNEK_VALUE_DATA;
}

// Calls result_of(). After an exception or hard stop returns GPUSNEK_VALUE_NONE and sets *status.
static int protect(mp_obj_t result, uint64_t *value, int *status) {
    int kind = GPUSNEK_VALUE_NONE;
    nlr_buf_t nlr;
    nlr_set_abort(&nlr);
    if (nlr_push(&nlr) == 0) {
        kind = result_of(result, value);
        nlr_pop();
        nlr_set_abort(NULL);
    } else {
        nlr_set_abort(NULL);
        mp_handle_pending(false);
        *status = gpusnek_report(nlr.ret_val, true);
    }
    return kind;
}

int gpusnek_value(int *status, uint64_t *value) {
    int kind = GPUSNEK_VALUE_NONE;
    *value = 0;
    MP_STATE_VM(gpusnek_data) = MP_OBJ_NULL;
    if (MP_STATE_VM(gpusnek_result) != MP_OBJ_NULL) {
        kind = protect(MP_STATE_VM(gpusnek_result), value, status);
        MP_STATE_VM(gpusnek_result) = MP_OBJ_NULL;
    }
    if (gpusnek_limit() != GPUSNEK_OK) {
        *status = gpusnek_limit();
        kind = GPUSNEK_VALUE_NONE;
    }
    return kind;
}

void gpusnek_value_data(char *to) {
    if (MP_STATE_VM(gpusnek_data) != MP_OBJ_NULL) {
        size_t length;
        const char *data = mp_obj_str_get_data(MP_STATE_VM(gpusnek_data), &length);
        porter_lend(to, length, true);
        memcpy(to, data, length);
        MP_STATE_VM(gpusnek_data) = MP_OBJ_NULL;
    }
}
