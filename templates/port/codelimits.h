// Limits of the compiler: its structures and bytecode hold some counts in 8 or 16 bits. Each check
// raises NotImplementedError before a count exceeds its field, so `evaluate` answers UNSUPPORTED.
#ifndef GPUSNEK_CODELIMITS_H
#define GPUSNEK_CODELIMITS_H

#include "py/emit.h"
#include "py/runtime.h"
#include "py/scope.h"

// Of scope_t, mp_raw_code_t and mp_code_state_t. The reserve is what one construct adds at most.
#define GPUSNEK_MAX_FIELD (UINT16_MAX - 256)

static inline void gpusnek_check_names(const scope_t *scope) {
    if (scope->id_info_len >= GPUSNEK_MAX_FIELD) {
        mp_raise_NotImplementedError(MP_ERROR_TEXT("too many names in a scope"));
    }
}

// A frame has `scope->num_locals` variables and a stack of `size` values.
static inline void gpusnek_check_frame(const scope_t *scope, mp_int_t size) {
    if (scope->num_locals + size >= GPUSNEK_MAX_FIELD) {
        mp_raise_NotImplementedError(MP_ERROR_TEXT("too many values in a frame"));
    }
}

// The prelude has one byte for the number of a variable that a closure uses.
static inline void gpusnek_check_cells(const scope_t *scope) {
    for (size_t i = 0; i < scope->id_info_len; i++) {
        if (scope->id_info[i].kind == ID_INFO_KIND_CELL && scope->id_info[i].local_num > UINT8_MAX) {
            mp_raise_NotImplementedError(MP_ERROR_TEXT("too many variables before one of a closure"));
        }
    }
}

static inline void gpusnek_check_functions(size_t count) {
    if (count >= GPUSNEK_MAX_FIELD) {
        mp_raise_NotImplementedError(MP_ERROR_TEXT("too many functions in a scope"));
    }
}

// Bytecode, function objects and types refer to names by qstr_short_t.
static inline void gpusnek_check_qstr(qstr name) {
    if (name > UINT16_MAX) {
        mp_raise_NotImplementedError(MP_ERROR_TEXT("too many names in a program"));
    }
}

// The labels of a loop have 15 bits: the highest bit is MP_EMIT_BREAK_FROM_FOR.
static inline void gpusnek_check_label(size_t label) {
    if (label >= MP_EMIT_BREAK_FROM_FOR - 256) {
        mp_raise_NotImplementedError(MP_ERROR_TEXT("too many jumps in a scope"));
    }
}

#endif
