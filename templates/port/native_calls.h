// Calls that native code makes itself: resolving the callee and creating its frame. Native code
// calls these functions (porter/compiler/frames.py); native_prelude.c has the inline part.
#ifndef GPUSNEK_NATIVE_CALLS_H
#define GPUSNEK_NATIVE_CALLS_H

#include "native.h"
#include "prelude.h"
#include "py/objfun.h"
#include "py/objtype.h"

#define TIER_BEFORE (4) // leading arguments: a new object and closed-over variables of its __init__

// A resolved call of a closure, a class or an operator's method. before: `count` arguments in front
// of the caller's: closed-over variables, and the new object. type: the class, if a new object is
// created; `function` is its __init__, or NULL if it has none. steps: the steps of resolving the
// call. object: the new object. value: the result.
//
// The interpreter makes such calls through upstream's C code, not in its own loop. So the return
// takes no step. If the interpreter must complete the callee, it does so inside the call
// (tier_finish()).
typedef struct {
    mp_obj_fun_bc_t *function;
    const mp_obj_t *before;
    size_t count;
    uint32_t steps;
    const mp_obj_type_t *type;
    mp_obj_t object;
    mp_obj_t value;
    mp_obj_t own[TIER_BEFORE];
} tier_call_t;

// Resolve a call of a closure or class, or of an operator's method on an instance of a Python
// class. Return false if the interpreter must resolve the call. *op becomes the operator whose
// method was found: `a += b` may call __add__. The right operand is no instance of another class of
// Python, whose reflected method may come first.
bool tier_target(mp_obj_t o, tier_call_t *call);
bool tier_operator_target(unsigned int *op, mp_obj_t lhs, mp_obj_t rhs, tier_call_t *call);

// Takes call->steps; returns false, and takes none, if the interpreter must poll.
bool tier_may_take_steps(tier_call_t *call);

// Creates the instance for a call of a class and adds it to the leading arguments. Raises
// MemoryError.
void tier_new_object(tier_call_t *call);

// Creates a frame for any function and arguments; tier_frame() handles the frequent cases. Returns
// NULL if the interpreter must make the call. Raises TypeError for wrong arguments, and
// RuntimeError if the pystack is full. The caller takes the call's step.
mp_code_state_t *tier_any_frame(mp_code_state_t *caller, mp_obj_fun_bc_t *function,
    tier_call_t *call, const mp_obj_t *arguments, size_t count, size_t keywords);

// Lets the interpreter complete a call in C: from the frame `next`, in which native code stopped,
// to the end of the call's frame `first`. Returns the call's value. Propagates exceptions of the
// callee.
mp_obj_t tier_finish(mp_code_state_t *first, mp_code_state_t *next);

// Raises TypeError because __init__ returned `value` instead of None.
void tier_not_none(mp_obj_t value);

// Returns lhs op rhs after the method that tier_operator_target() found returned NotImplemented:
// tries the binary operator, or the reflected method. Raises TypeError for operands of one class, which
// have no reflected method, and what the methods raise.
mp_obj_t tier_other_operator(unsigned int op, mp_obj_t lhs, mp_obj_t rhs);

#endif
