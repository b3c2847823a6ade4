// Calls that machine code makes itself: what runs, and its frame (porter/compiler/frames.py).
#ifndef GPUSNEK_NATIVE_CALLS_H
#define GPUSNEK_NATIVE_CALLS_H

#include "native.h"
#include "py/objfun.h"
#include "py/objtype.h"

#define TIER_BEFORE (4) // an object and variables that its __init__ shares

// What a call of anything but a plain function runs. before: `count` arguments that come before the
// caller's: variables that a closure shares, and the new object. type: of a class, whose __init__
// runs with a new object; function is NULL where it has none. steps: that finding the function takes.
// value: of the call. The interpreter makes such calls through upstream's C, not in its own loop. So
// a return takes no step, and where the interpreter must end the function, it does so inside the call.
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

// What a call of a closure or class runs, or an operator on an object of a class; false where the
// interpreter must find out. *op becomes the operator whose method that is: `a += b` may be `a + b`.
bool tier_target(mp_obj_t o, tier_call_t *call);
bool tier_operator_target(unsigned int *op, mp_obj_t lhs, tier_call_t *call);

// Takes call->steps; false where the interpreter must look at interrupts in them.
bool tier_may_take_steps(tier_call_t *call);

// The object of a class's call. It raises where there is no memory for it.
void tier_new_object(tier_call_t *call);

// The frame of any function and arguments, as tier_frame() has them; NULL where the interpreter must
// make it. It raises where the arguments are wrong. Whoever calls takes the step.
mp_code_state_t *tier_any_frame(mp_code_state_t *caller, mp_obj_fun_bc_t *function,
    tier_call_t *call, const mp_obj_t *arguments, size_t count, size_t keywords);

// The value of a call's frame `first`, which the interpreter ends from the frame `next` on. It raises
// what that raises.
mp_obj_t tier_finish(mp_code_state_t *first, mp_code_state_t *next);

// Raises because __init__ returned `value`.
void tier_not_none(mp_obj_t value);

// lhs op rhs, of which the method that tier_operator_target() found gave NotImplemented.
mp_obj_t tier_other_operator(unsigned int op, mp_obj_t lhs, mp_obj_t rhs);

extern const mp_obj_type_t mp_type_closure; // py/objclosure.c; no header has it

// Patch `closure-parts`: what a closure shares, its function and how many variables.
const mp_obj_t *gpusnek_closure(mp_obj_t closure, mp_obj_t *function, size_t *count);

#endif
