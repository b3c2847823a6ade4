// Preludes of functions (prelude.h).
#include "prelude.h"

// Return the name with the number that the bytecode has.
static qstr name_with(const mp_obj_fun_bc_t *function, size_t number) {
    #if MICROPY_EMIT_BYTECODE_USES_QSTR_TABLE
    return function->context->constants.qstr_table[number];
    #else
    (void)function;
    return (qstr)number;
    #endif
}

gpusnek_prelude_t gpusnek_prelude(const mp_obj_fun_bc_t *function) {
    gpusnek_prelude_t prelude;
    const byte *ip = function->bytecode;
    MP_BC_PRELUDE_SIG_DECODE(ip);
    MP_BC_PRELUDE_SIZE_DECODE(ip);
    (void)n_state;
    (void)n_exc_stack;
    prelude.function = function;
    prelude.lines_end = ip + n_info;
    prelude.first = ip + n_info + n_cell;
    prelude.name = name_with(function, mp_decode_uint(&ip));
    prelude.names = ip;
    for (size_t i = 0; i < n_pos_args + n_kwonly_args; i++) {
        ip = mp_decode_uint_skip(ip);
    }
    prelude.lines = ip;
    #if MICROPY_EMIT_BYTECODE_USES_QSTR_TABLE
    prelude.file = name_with(function, 0);
    #else
    prelude.file = function->context->constants.source_file;
    #endif
    prelude.positional = n_pos_args;
    prelude.keyword_only = n_kwonly_args;
    prelude.defaults = n_def_pos_args;
    prelude.flags = scope_flags;
    return prelude;
}

qstr gpusnek_parameter(const gpusnek_prelude_t *prelude, size_t index) {
    const byte *names = prelude->names;
    for (size_t i = 0; i < index; i++) {
        names = mp_decode_uint_skip(names);
    }
    return name_with(prelude->function, mp_decode_uint_value(names));
}

const mp_obj_fun_bc_t *gpusnek_bytecode_function(mp_obj_t value, size_t *count) {
    *count = 0;
    if (!mp_obj_is_obj(value)) {
        return NULL;
    }
    #if GPUSNEK_PATCH_VM_FAST_PATH
    if (mp_obj_get_type(value) == &mp_type_closure) {
        gpusnek_closure(value, &value, count);
    }
    #endif
    const mp_obj_type_t *const type = mp_obj_get_type(value);
    return type == &mp_type_fun_bc || type == &mp_type_gen_wrap ? MP_OBJ_TO_PTR(value) : NULL;
}
