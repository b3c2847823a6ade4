// Judging: call a program's function with arguments from outside, and compare its result
// (interp.h).
//
// templates/runtime/judging.h calls these functions for each row of an evaluation.
//
// Invariant J1: arguments, entry and expected value are read from memory that the program cannot
// reach.
#include "devicecalls.h"
#include "matching.h"
#include "port.h"
#include "py/mpstate.h"
#include "py/objlist.h"
#include "py/objtuple.h"
#include "py/runtime.h"
#include "unmarshal.h"

// The arguments that gpusnek_arguments() read: a tuple of a tuple and a dict.
MP_REGISTER_ROOT_POINTER(mp_obj_t gpusnek_called_with);

// Unmarshal the arguments. May raise.
static void read_arguments(const void *bytes) {
    const byte *at = bytes;
    MP_STATE_VM(gpusnek_called_with) = gpusnek_unmarshal(&at);
}

// Call the global `name` with the arguments, in the layout of mp_call_function_n_kw(): positional
// arguments, then keys and values. Keeps the result. May raise.
static void call(const void *name) {
    const mp_obj_tuple_t *both = MP_OBJ_TO_PTR(MP_STATE_VM(gpusnek_called_with));
    MP_STATE_VM(gpusnek_called_with) = MP_OBJ_NULL;
    const mp_obj_tuple_t *given = MP_OBJ_TO_PTR(both->items[0]);
    const mp_map_t *named = mp_obj_dict_get_map(both->items[1]);
    mp_obj_t key = MP_OBJ_NEW_QSTR(qstr_from_str(name));
    mp_obj_t function = mp_map_lookup(&MP_STATE_VM(dict_main).map, key, MP_MAP_LOOKUP)->value;
    mp_obj_t *items = m_new(mp_obj_t, given->len + 2 * named->used);
    size_t count = given->len;
    for (size_t i = 0; i < given->len; i++) {
        items[i] = given->items[i];
    }
    for (size_t i = 0; i < named->alloc; i++) {
        if (mp_map_slot_is_filled(named, i)) {
            items[count++] = mp_obj_str_intern(named->table[i].key);
            items[count++] = named->table[i].value;
        }
    }
    gpusnek_devices_idle();
    gpusnek_limits_begin(false);
    MP_STATE_VM(gpusnek_result) = mp_call_function_n_kw(function, given->len, named->used, items);
    mp_handle_pending(true);
}

// Store True as the result if the global `name` exists and is callable, else False.
static void find(const void *name) {
    mp_obj_t key = MP_OBJ_NEW_QSTR(qstr_from_str(name));
    const mp_map_elem_t *found = mp_map_lookup(&MP_STATE_VM(dict_main).map, key, MP_MAP_LOOKUP);
    MP_STATE_VM(gpusnek_result) =
        mp_obj_new_bool(found != NULL && mp_obj_is_callable(found->value));
}

enum steps_of_judging { READ_ARGUMENTS, FIND_ENTRY, CALL_ENTRY };

// Dispatch by number instead of a function pointer: the unwinding analysis assumes that a call
// through a pointer may raise whatever any function of that type raises.
static void act(enum steps_of_judging step, const void *argument) {
    switch (step) {
        case READ_ARGUMENTS:
            read_arguments(argument);
            break;
        case FIND_ENTRY:
            find(argument);
            break;
        default:
            call(argument);
            break;
    }
}

// Run one step in a protected call. Return a status; an exception's traceback is on stderr.
static int protect(enum steps_of_judging step, const void *argument) {
    int status = GPUSNEK_OK;
    nlr_buf_t nlr;
    nlr_set_abort(&nlr);
    if (nlr_push(&nlr) == 0) {
        act(step, argument);
        nlr_pop();
        nlr_set_abort(NULL);
    } else {
        nlr_set_abort(NULL);
        mp_handle_pending(false);
        status = gpusnek_report(nlr.ret_val, true);
    }
    return gpusnek_limit() != GPUSNEK_OK ? gpusnek_limit() : status;
}

// Clear the result and reset the globals.
static void forget(void) {
    MP_STATE_VM(gpusnek_result) = MP_OBJ_NULL;
    // A hard stop does not restore the globals of the stopped function's caller.
    mp_globals_set(&MP_STATE_VM(dict_main));
    mp_locals_set(&MP_STATE_VM(dict_main));
}

int gpusnek_arguments(const void *bytes) {
    gpusnek_lack_start();
    gpusnek_limits_begin(true);
    forget();
    return protect(READ_ARGUMENTS, bytes);
}

int gpusnek_call(const char *entry) {
    int status = protect(FIND_ENTRY, entry);
    if (status == GPUSNEK_OK && MP_STATE_VM(gpusnek_result) != mp_const_true) {
        status = GPUSNEK_NO_ENTRY;
    }
    MP_STATE_VM(gpusnek_result) = MP_OBJ_NULL;
    return status == GPUSNEK_OK ? protect(CALL_ENTRY, entry) : status;
}

int gpusnek_matches(const void *expected, const gpusnek_tolerance_t *tolerance, uint8_t *equal) {
    *equal = GPUSNEK_UNEQUAL;
    if (MP_STATE_VM(gpusnek_result) == MP_OBJ_NULL) {
        return GPUSNEK_OK;
    }
    nlr_buf_t nlr;
    gpusnek_limits_suspend(); // the comparison does not count against the program's limits
    nlr_set_abort(&nlr);
    if (nlr_push(&nlr) == 0) {
        if (gpusnek_matches_at(MP_STATE_VM(gpusnek_result), expected, tolerance)) {
            *equal = GPUSNEK_EQUAL;
        }
        nlr_pop();
    } else {
        *equal = GPUSNEK_NOT_COMPARED; // the C stack is too small for the pattern's depth
    }
    nlr_set_abort(NULL);
    return gpusnek_limit();
}

int gpusnek_result(uint64_t *value) {
    int status = GPUSNEK_OK;
    gpusnek_lack_start(); // a failed allocation of the call is not a failure of the encoding
    gpusnek_limits_begin(false);
    const int kind = gpusnek_value(&status, value);
    return status == GPUSNEK_OK ? kind : GPUSNEK_VALUE_NONE;
}

void gpusnek_output_to(char *out, char *err, gpusnek_exception_t *exception) {
    gpusnek_io.out.data = out;
    gpusnek_io.err.data = err;
    gpusnek_io.exception = exception;
    *gpusnek_io.out.length = 0;
    *gpusnek_io.err.length = 0;
}
