// Slow paths of calls from native code: callee resolution and frames (native_calls.h).
#include "native_calls.h"
#include "native_slow.h"
#include "hooks.h"
#include "messages.h"
#include "py/bc0.h"
#include "py/builtin.h"
#include "py/objfun.h"
#include "py/objtype.h"
#include "py/runtime.h"

// Native code exists for NaN boxing (representation D) only.
#if MICROPY_OBJ_REPR == MICROPY_OBJ_REPR_D && MICROPY_EMIT_BYTECODE_USES_QSTR_TABLE

#define VM_OWN(type, pointer) ((type *)porter_private(pointer))
#define VM_INLINE static inline __attribute__((always_inline))

#include "vm_machine.h"

#define JOINED (16) // arguments of a call, leading ones included, that are copied to one array

// Sets the callee if `function` is a Python function or a closure of one; returns whether it is.
static bool runs(tier_call_t *call, mp_obj_t function) {
    if (!mp_obj_is_obj(function)) {
        return false;
    }
    if (((const mp_obj_base_t *)MP_OBJ_TO_PTR(function))->type == &mp_type_closure) {
        #if GPUSNEK_PATCH_VM_FAST_PATH
        call->before = gpusnek_closure(function, &function, &call->count);
        if (!mp_obj_is_obj(function)) {
            return false;
        }
        #else
        return false;
        #endif
    }
    call->function = MP_OBJ_TO_PTR(function);
    return ((const mp_obj_base_t *)MP_OBJ_TO_PTR(function))->type == &mp_type_fun_bc;
}

static void begin(tier_call_t *call) {
    call->count = 0;
    call->steps = 0;
    call->type = NULL;
}

bool tier_target(mp_obj_t o, tier_call_t *call) {
    begin(call);
    const mp_obj_type_t *type = ((const mp_obj_base_t *)MP_OBJ_TO_PTR(o))->type;
    if (type == &mp_type_closure) {
        return runs(call, o);
    }
    type = MP_OBJ_TO_PTR(o);
    if (!tier_is_plain(type) || tier_class_entry(type, MP_QSTR___new__, &call->steps) != MP_OBJ_NULL) {
        return false;
    }
    const mp_obj_t found = tier_class_entry(type, MP_QSTR___init__, &call->steps);
    call->type = type;
    call->function = NULL;
    return found == MP_OBJ_NULL || (runs(call, found) && call->count < TIER_BEFORE);
}

// Return whether an object is an instance of a class of Python.
static bool is_instance(mp_obj_t o) {
    return mp_obj_is_obj(o)
        && mp_obj_is_instance_type(((const mp_obj_base_t *)MP_OBJ_TO_PTR(o))->type);
}

bool tier_operator_target(unsigned int *op, mp_obj_t lhs, mp_obj_t rhs, tier_call_t *call) {
    begin(call);
    if (*op < MP_BINARY_OP_INPLACE_OR || *op > MP_BINARY_OP_POWER || !mp_obj_is_obj(lhs)) {
        return false;
    }
    const mp_obj_type_t *type = ((const mp_obj_base_t *)MP_OBJ_TO_PTR(lhs))->type;
    if (!mp_obj_is_instance_type(type) || !tier_is_plain(type)) {
        return false;
    }
    if (is_instance(rhs) && mp_obj_get_type(rhs) != type) {
        return false; // its reflected method may come first
    }
    mp_obj_t found = tier_class_entry(type, mp_binary_op_method_name[*op], &call->steps);
    if (found == MP_OBJ_NULL && *op <= MP_BINARY_OP_INPLACE_POWER) {
        *op += MP_BINARY_OP_OR - MP_BINARY_OP_INPLACE_OR;
        call->steps++; // upstream restarts the operator, which takes a step
        found = tier_class_entry(type, mp_binary_op_method_name[*op], &call->steps);
    }
    return found != MP_OBJ_NULL && runs(call, found);
}

bool tier_may_take_steps(tier_call_t *call) {
    if (vm_polls() >= (int32_t)call->steps) {
        gpusnek_poll_budget -= call->steps;
        return true;
    }
    return tier_draw(call->steps);
}

void tier_new_object(tier_call_t *call) {
    const mp_obj_type_t *native_base = NULL;
    call->object = MP_OBJ_FROM_PTR(mp_obj_new_instance(call->type, &native_base));
    for (size_t i = 0; i < call->count; i++) {
        call->own[i] = call->before[i];
    }
    call->own[call->count++] = call->object;
    call->before = call->own;
}

mp_code_state_t *tier_any_frame(mp_code_state_t *caller, mp_obj_fun_bc_t *function,
    tier_call_t *call, const mp_obj_t *arguments, size_t count, size_t keywords) {
    mp_obj_t joined[JOINED];
    if (call != NULL) {
        const size_t given = count + 2 * keywords;
        if (call->count + 1 + given > JOINED || !tier_may_take_steps(call)) {
            return NULL;
        }
        if (call->type != NULL) {
            tier_new_object(call);
        }
        for (size_t i = 0; i < call->count; i++) {
            joined[i] = call->before[i];
        }
        for (size_t i = 0; i < given; i++) {
            joined[call->count + i] = arguments[i];
        }
        arguments = joined;
        count += call->count;
    }
    mp_code_state_t *const made = mp_obj_fun_bc_prepare_codestate(
        MP_OBJ_FROM_PTR(function), count, keywords, arguments);
    made->prev = caller;
    return made;
}

mp_obj_t tier_finish(mp_code_state_t *first, mp_code_state_t *next) {
    first->prev = NULL; // makes the interpreter return at the end of this frame
    gpusnek_poll_budget++; // the interpreter takes the first step of `next` again
    const mp_vm_return_kind_t kind = mp_execute_bytecode(next, MP_OBJ_NULL);
    const mp_obj_t value = kind == MP_VM_RETURN_NORMAL ? *first->sp : first->state[0];
    mp_globals_set(first->old_globals);
    mp_nonlocal_free(first, sizeof(mp_code_state_t));
    if (kind != MP_VM_RETURN_NORMAL) {
        nlr_raise(value);
    }
    return value;
}

void tier_not_none(mp_obj_t value) {
    mp_raise_msg_varg(&mp_type_TypeError,
        MP_ERROR_TEXT("__init__() should return None, not '%s'"), mp_obj_get_type_str(value));
}

mp_obj_t tier_other_operator(unsigned int op, mp_obj_t lhs, mp_obj_t rhs) {
    if (op <= MP_BINARY_OP_INPLACE_POWER) {
        op += MP_BINARY_OP_OR - MP_BINARY_OP_INPLACE_OR;
        return mp_binary_op((mp_binary_op_t)op, lhs, rhs);
    }
    if (mp_obj_get_type(lhs) == mp_obj_get_type(rhs)) {
        gpusnek_raise_binary((mp_binary_op_t)op, lhs, rhs);
    }
    op += MP_BINARY_OP_REVERSE_OR - MP_BINARY_OP_OR;
    return mp_binary_op((mp_binary_op_t)op, rhs, lhs);
}

#endif
