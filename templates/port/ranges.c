// Ranges in constant time, as in CPython: an int is an item if its distance from the start is a
// multiple of the step. Upstream compares it with each item.
#include "ranges.h"

#include "integers.h"
#include "py/runtime.h"

typedef enum { ABSENT, PRESENT, COMPARED } place_t;

// Looks up an int or bool in a range. Stores its index if it is PRESENT. Returns COMPARED for a value
// of another type.
static place_t find(
    mp_int_t start, mp_int_t stop, mp_int_t step, mp_obj_t value, mp_uint_t *index) {
    if (mp_obj_is_bool(value)) {
        value = MP_OBJ_NEW_SMALL_INT(value == mp_const_true);
    }
    const gpusnek_word_t word = gpusnek_word_of(value);
    if (!word.fits) {
        return mp_obj_is_exact_type(value, &mp_type_int) ? ABSENT : COMPARED;
    }
    const mp_uint_t most = ((mp_uint_t)1 << (8 * sizeof(mp_uint_t) - 1)) - !word.negative;
    if (word.magnitude > most) {
        return ABSENT;
    }
    const mp_int_t number =
        (mp_int_t)(word.negative ? -(mp_uint_t)word.magnitude : (mp_uint_t)word.magnitude);
    const bool up = step > 0;
    if (up ? number < start || number >= stop : number > start || number <= stop) {
        return ABSENT;
    }
    const mp_uint_t distance = up ? (mp_uint_t)number - start : (mp_uint_t)start - number;
    const mp_uint_t width = up ? (mp_uint_t)step : -(mp_uint_t)step;
    *index = distance / width;
    return distance % width == 0 ? PRESENT : ABSENT;
}

mp_obj_t gpusnek_range_contains(mp_int_t start, mp_int_t stop, mp_int_t step, mp_obj_t value) {
    mp_uint_t index;
    const place_t place = find(start, stop, step, value, &index);
    return place == COMPARED ? MP_OBJ_NULL : mp_obj_new_bool(place == PRESENT);
}

mp_obj_t gpusnek_range_len(mp_int_t start, mp_int_t stop, mp_int_t step) {
    const mp_uint_t length = gpusnek_range_length(start, stop, step);
    if ((mp_int_t)length < 0) {
        mp_raise_msg(&mp_type_OverflowError,
            MP_ERROR_TEXT("Python int too large to convert to C ssize_t"));
    }
    return mp_obj_new_int((mp_int_t)length);
}

// Looks up a value in a range object, as find() does. The layout of the object is upstream's own.
static place_t find_in(mp_obj_t range, mp_obj_t value, mp_uint_t *index) {
    const mp_int_t start = mp_obj_get_int(mp_load_attr(range, MP_QSTR_start));
    const mp_int_t stop = mp_obj_get_int(mp_load_attr(range, MP_QSTR_stop));
    const mp_int_t step = mp_obj_get_int(mp_load_attr(range, MP_QSTR_step));
    return find(start, stop, step, value, index);
}

mp_obj_t gpusnek_range_count(mp_obj_t range, mp_obj_t value) {
    mp_uint_t index;
    const place_t place = find_in(range, value, &index);
    if (place != COMPARED) {
        return MP_OBJ_NEW_SMALL_INT(place == PRESENT);
    }
    mp_obj_iter_buf_t buffer;
    const mp_obj_t items = mp_getiter(range, &buffer);
    mp_int_t count = 0;
    for (mp_obj_t item; (item = mp_iternext(items)) != MP_OBJ_STOP_ITERATION;) {
        count += mp_obj_equal(item, value);
    }
    return mp_obj_new_int(count);
}

mp_obj_t gpusnek_range_index(mp_obj_t range, mp_obj_t value) {
    mp_uint_t index;
    const place_t place = find_in(range, value, &index);
    if (place == PRESENT) {
        return mp_obj_new_int_from_uint(index);
    }
    if (place == ABSENT) {
        vstr_t text;
        mp_print_t print;
        vstr_init_print(&text, 16, &print);
        mp_obj_print_helper(&print, value, PRINT_REPR);
        vstr_add_str(&text, " is not in range");
        nlr_raise(mp_obj_new_exception_arg1(&mp_type_ValueError, mp_obj_new_str_from_vstr(&text)));
    }
    mp_obj_iter_buf_t buffer;
    const mp_obj_t items = mp_getiter(range, &buffer);
    mp_int_t at = 0;
    for (mp_obj_t item; (item = mp_iternext(items)) != MP_OBJ_STOP_ITERATION; at++) {
        if (mp_obj_equal(item, value)) {
            return mp_obj_new_int(at);
        }
    }
    mp_raise_ValueError(MP_ERROR_TEXT("sequence.index(x): x not in sequence"));
}
