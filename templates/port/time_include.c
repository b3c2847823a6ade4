// The port's part of the module `time`: current time and sleep, on the clock of mphalport.c.
// Upstream's extmod/modtime.c includes this file (MICROPY_PY_TIME_INCLUDEFILE).
#include <math.h>

#include "py/mphal.h"
#include "py/runtime.h"
#include "shared/timeutils/timeutils.h"

// The current time in UTC, the only time zone. Upstream's mp_time_localtime_get() returns an
// 8-tuple; in later releases it fills in a struct, its only argument. The macro selects one by the
// number of arguments.
static void gpusnek_localtime_into(timeutils_struct_time_t *now) {
    timeutils_seconds_since_epoch_to_struct_time(mp_hal_time_ns() / 1000000000, now);
}

static mp_obj_t gpusnek_localtime(void) {
    timeutils_struct_time_t now;
    gpusnek_localtime_into(&now);
    mp_obj_t items[8];
    items[0] = mp_obj_new_int(now.tm_year);
    items[1] = mp_obj_new_int(now.tm_mon);
    items[2] = mp_obj_new_int(now.tm_mday);
    items[3] = mp_obj_new_int(now.tm_hour);
    items[4] = mp_obj_new_int(now.tm_min);
    items[5] = mp_obj_new_int(now.tm_sec);
    items[6] = mp_obj_new_int(now.tm_wday);
    items[7] = mp_obj_new_int(now.tm_yday);
    return mp_obj_new_tuple(8, items);
}

#define GPUSNEK_THIRD(first, second, third, ...) third
#define mp_time_localtime_get(...) \
    GPUSNEK_THIRD(0, ##__VA_ARGS__, gpusnek_localtime_into, gpusnek_localtime)(__VA_ARGS__)

// Returns the seconds since 1970: a float if floats are doubles and upstream's gmtime accepts a
// float (releases with MICROPY_TIMESTAMP_IMPL); otherwise an int.
static mp_obj_t mp_time_time_get(void) {
    #if MICROPY_FLOAT_IMPL == MICROPY_FLOAT_IMPL_DOUBLE && defined(MICROPY_TIMESTAMP_IMPL)
    return mp_obj_new_float((mp_float_t)mp_hal_time_ns() / 1e9);
    #else
    return mp_obj_new_int_from_ull(mp_hal_time_ns() / 1000000000);
    #endif
}

// Implements time.sleep with CPython's errors. Upstream's function converts floats to integers that
// cannot represent them.
#define MICROPY_PY_TIME_CUSTOM_SLEEP
static void mp_time_sleep(mp_obj_t seconds_in) {
    #if MICROPY_PY_BUILTINS_FLOAT
    const mp_float_t seconds = mp_obj_get_float(seconds_in);
    if (isnan(seconds)) {
        mp_raise_ValueError(MP_ERROR_TEXT("Invalid value NaN (not a number)"));
    }
    if (seconds > 0 && isinf(seconds)) {
        mp_raise_msg(&mp_type_OverflowError, MP_ERROR_TEXT("timestamp out of range"));
    }
    const mp_float_t us = seconds * MICROPY_FLOAT_CONST(1000000.0);
    const bool countable = us < MICROPY_FLOAT_CONST(9e18);
    #else
    const mp_int_t seconds = mp_obj_get_int(seconds_in);
    const bool countable = seconds < INT64_MAX / 1000000;
    const mp_int_t us = countable ? seconds * 1000000 : 0;
    #endif
    if (seconds < 0) {
        mp_raise_ValueError(MP_ERROR_TEXT("sleep length must be non-negative"));
    }
    mp_hal_delay_us(countable ? (mp_uint_t)us : UINT64_MAX);
}
