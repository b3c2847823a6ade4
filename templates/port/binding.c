// Globals of __main__ that the host binds to arrays and scalars, and revocation of such memory.
//
// The runtime (templates/runtime/interpreter.h) calls gpusnek_bind() before a program runs and
// before the host frees or reuses memory.
//
// Invariant B1: after GPUSNEK_BIND_REVOKE no memoryview of the interpreter reaches the memory.
#include <string.h>

#include "hooks.h"
#include "port.h"
#include "py/binary.h"
#include "py/gc.h"
#include "py/mpstate.h"
#include "py/objarray.h"
#include "py/runtime.h"

typedef struct _binding_t {
    int kind; // GPUSNEK_BIND_*
    const char *name;
    const void *data;
    size_t count;
    char typecode;
} binding_t;

// Return whether `object` is a memoryview whose items start in [from, to), or at `from` itself for
// an empty range.
static bool is_over(mp_obj_t object, const char *from, const char *to) {
    if (!mp_obj_is_type(object, &mp_type_memoryview)) {
        return false;
    }
    const char *items = ((const mp_obj_array_t *)MP_OBJ_TO_PTR(object))->items;
    return (from <= items && items < to) || items == from;
}

// Set the length of every memoryview over the memory to 0, wherever the heap holds it (invariant
// B1). A slice stores the address of the whole view and an offset, so is_over() finds slices too.
static void revoke(const binding_t *binding) {
    const char *from = binding->data;
    const char *to = from + binding->count;
    for (byte *at = MP_STATE_MEM(area).gc_pool_start; at < MP_STATE_MEM(area).gc_pool_end;
        at += MICROPY_BYTES_PER_GC_BLOCK) {
        if (gc_nbytes(at) >= sizeof(mp_obj_array_t) && is_over(MP_OBJ_FROM_PTR(at), from, to)) {
            ((mp_obj_array_t *)at)->len = 0;
        }
    }
}

// Delete the global if it is a memoryview over the binding's memory.
static void forget(const binding_t *binding) {
    const char *from = binding->data;
    mp_obj_t globals = MP_OBJ_FROM_PTR(&MP_STATE_VM(dict_main));
    mp_obj_t key = MP_OBJ_NEW_QSTR(qstr_from_str(binding->name));
    mp_map_elem_t *found = mp_map_lookup(&MP_STATE_VM(dict_main).map, key, MP_MAP_LOOKUP);
    if (found != NULL && is_over(found->value, from, from + binding->count)) {
        mp_obj_dict_delete(globals, key);
    }
}

// Return a memoryview over the binding's memory. Raises ValueError for an unknown typecode or
// unaligned memory.
static mp_obj_t memory(const binding_t *binding) {
    size_t align;
    const size_t size =
        mp_binary_get_size('@', binding->typecode, &align); // may raise ValueError
    if ((uintptr_t)binding->data % align != 0) {
        mp_raise_ValueError(MP_ERROR_TEXT("unaligned memory"));
    }
    const int writable = binding->kind == GPUSNEK_BIND_MEMORY ? MP_OBJ_ARRAY_TYPECODE_FLAG_RW : 0;
    porter_keep(binding->data, binding->count * size, writable != 0);
    return mp_obj_new_memoryview(binding->typecode | writable, binding->count,
        (void *)binding->data);
}

// Return the Python object that a binding describes. Raises MemoryError, ValueError or
// UnicodeError.
static mp_obj_t object(const binding_t *binding) {
    uint64_t word = 0;
    double number;
    switch (binding->kind) {
        case GPUSNEK_BIND_MEMORY:
        case GPUSNEK_BIND_READ_ONLY:
            return memory(binding);
        case GPUSNEK_BIND_STR:
            return mp_obj_new_str(binding->data, binding->count);
        case GPUSNEK_BIND_BYTES:
            return mp_obj_new_bytes(binding->data, binding->count);
        case GPUSNEK_BIND_NONE:
            return mp_const_none;
        default:
            memcpy(&word, binding->data, sizeof(word));
            memcpy(&number, binding->data, sizeof(number));
    }
    switch (binding->kind) {
        case GPUSNEK_BIND_INT:
            return mp_obj_new_int_from_ll((int64_t)word);
        case GPUSNEK_BIND_UINT:
            return mp_obj_new_int_from_ull(word);
        case GPUSNEK_BIND_FLOAT:
            return mp_obj_new_float((mp_float_t)number);
        default:
            return mp_obj_new_bool(word != 0);
    }
}

int gpusnek_bind(int kind, const char *name, const void *data, size_t count, char typecode) {
    const binding_t binding = { kind, name, data, count, typecode };
    nlr_buf_t nlr;
    nlr_set_abort(&nlr);
    if (nlr_push(&nlr) == 0) {
        if (kind == GPUSNEK_BIND_REVOKE || kind == GPUSNEK_BIND_FORGET) {
            forget(&binding);
            if (kind == GPUSNEK_BIND_REVOKE) {
                revoke(&binding);
                porter_drop(data, count);
            }
        } else {
            mp_obj_dict_store(MP_OBJ_FROM_PTR(&MP_STATE_VM(dict_main)),
                MP_OBJ_NEW_QSTR(qstr_from_str(name)), object(&binding));
        }
        nlr_pop();
        nlr_set_abort(NULL);
        return GPUSNEK_OK;
    }
    nlr_set_abort(NULL);
    return gpusnek_report(nlr.ret_val, true);
}
