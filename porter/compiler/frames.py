"""Calls from native code to native code: C++ that creates the frames the interpreter would create.

A native function returns the frame in which execution stopped:

* NULL: the function executed RETURN_VALUE.
* Its own frame: it stopped at an instruction that the interpreter must run, or raised an exception.
* Another frame: a callee stopped there.

A native caller that receives a frame returns it to its own caller, up to the interpreter. The
interpreter resumes in that frame. The frames of the callers are as the interpreter leaves frames
at a call.

The interpreter calls closures, classes and operators through C. For these, native code has the
interpreter finish the callee inside the call. Only an exception returns another frame there.

cxx.py puts this C++ before the native functions of a module.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from porter.compiler.mpy import BytecodeFunction, BytecodeModule

_ODD = 0x0E  # flags of a scope: has *args, **kwargs, or defaults of keyword-only arguments
# Calls of plain functions with positional arguments have a path of their own, which saves few
# values on the C stack: on a GPU these are half of the cost of a call.
_CALL = """\
// Runs a function: NULL, and its value is in `call`, or on top of the caller's stack where it is a
// plain function, of which `call` is NULL; `caller` itself where the interpreter must make the
// call, or in an exception; another frame as machine code gives it.
static TIER_APART PORTER_DEVICE void *ran(mp_code_state_t *const caller,
    mp_obj_fun_bc_t *const of, tier_call_t *const call, const mp_obj_t *arguments,
    const size_t count, const size_t keywords, const gpusnek_native_t *const native) {
    mp_code_state_t *frame;
    void *next;
    switch (tier_callee(of, native)) {
"""
_RETURN = """\
    default: return caller;
    }
    if (call != NULL) {
        if (next != NULL && PORTER_UNWINDING) { return next; }
        call->value = next == NULL ? tier_return(frame)
            : tier_finish(frame, (mp_code_state_t *)next);
        return PORTER_UNWINDING ? caller : NULL;
    }
    if (next != NULL) { return next; }
    if (!tier_may_return()) { return frame; }
    *caller->sp = tier_return(frame);
    return NULL;
}

// The same of what is on top of the caller's stack and is no plain function. how: as of called().
static TIER_APART PORTER_DEVICE void *called_in_c(mp_code_state_t *const caller,
    const mp_obj_t *arguments, const size_t count, const size_t how,
    const gpusnek_native_t *const native) {
    const size_t keywords = how & 0xffff;
    if (!tier_is_called(*caller->sp)) {
        if (tier_is_interpreted(*caller->sp)) { return caller; }
        caller->ip -= how >> 16; // where an exception comes from
        const mp_obj_t value = mp_call_function_n_kw(*caller->sp, count, keywords, arguments);
        if (PORTER_UNWINDING) { return caller; }
        *caller->sp = value;
        return NULL;
    }
    tier_call_t call;
    if (!tier_target(*caller->sp, &call)) { return caller; }
    if (call.function == NULL) {
        if (count + keywords > 0 || !tier_may_take_steps(&call)) { return caller; }
        tier_new_object(&call);
        if (!PORTER_UNWINDING) { *caller->sp = call.object; }
        return PORTER_UNWINDING ? caller : NULL;
    }
    void *const next = ran(caller, call.function, &call, arguments, count, keywords, native);
    if (next != NULL) { return next; }
    if (call.type != NULL && call.value != mp_const_none) {
        tier_not_none(call.value);
        return caller;
    }
    *caller->sp = call.type != NULL ? call.object : call.value;
    return NULL;
}

// Calls what is on top of the caller's stack; what it gives is as of ran(). how: the number of
// keywords, and from bit 16 on the length of the instruction where not only functions, closures and
// classes of Python's are called so.
static TIER_FUNCTION PORTER_DEVICE void *called(mp_code_state_t *const caller,
    const mp_obj_t *arguments, const size_t count, const size_t how,
    const gpusnek_native_t *const native) {
    if (!tier_may_call()) { return caller; }
    mp_obj_fun_bc_t *const of = tier_function(*caller->sp);
    if (of == NULL) { return called_in_c(caller, arguments, count, how, native); }
    const size_t keywords = how & 0xffff;
    mp_code_state_t *frame;
    void *next;
    switch (keywords == 0 ? tier_callee(of, native) : (size_t)-1) {
"""
_OPERATE = """\
    default: return ran(caller, of, NULL, arguments, count, keywords, native);
    }
    if (next != NULL) { return next; }
    if (!tier_may_return()) { return frame; }
    *caller->sp = tier_return(frame);
    return NULL;
}

// lhs op rhs, by the method of an object's class where that is machine code. In an exception *next
// is the frame that it comes from.
static TIER_FUNCTION PORTER_DEVICE mp_obj_t operated(mp_code_state_t *const caller, unsigned int op,
    const mp_obj_t lhs, const mp_obj_t rhs, const gpusnek_native_t *const native, void **next) {
    tier_call_t call;
    unsigned int of = op;
    *next = caller;
    if (tier_may_call() && tier_operator_target(&of, lhs, rhs, &call)) {
        const mp_obj_t arguments[2] = {lhs, rhs};
        void *const after = ran(caller, call.function, &call, arguments, 2, 0, native);
        if (after == NULL) {
            return tier_is_not_implemented(call.value) ? tier_other_operator(of, lhs, rhs)
                : call.value;
        }
        *next = after;
    }
    if (PORTER_UNWINDING) { return MP_OBJ_NULL; }
    return mp_binary_op((mp_binary_op_t)op, lhs, rhs);
}
"""


def calls_text(module: BytecodeModule, declared: Sequence[str], starts: Mapping[int, str]) -> str:
    """Return the C++ that calls a module's functions, or creates frames for those in bytecode.

    Args:
        module: The module.
        declared: Declarations of the native functions.
        starts: C++ expressions that run a function in `frame` from its start, by number of the
            function. Functions that stay bytecode have none.
    """
    cases, plain = [], []
    for number, function in enumerate(module.functions):
        if number and not function.generator:
            run = starts.get(number, "")
            cases.append(_case(function, run))
            plain.append(_plain_case(function, run))
    texts = [_CALL, *cases, _RETURN, *plain, _OPERATE]
    return "\n".join([*declared, "".join(texts)])


def _sizes(function: BytecodeFunction) -> str:
    """Return the arguments of tier_frame() for positional calls; "" if upstream makes frames."""
    taken = function.signature
    if taken.flags & _ODD or taken.keyword or function.cells:
        return ""
    return (
        f"{taken.state}, {taken.handlers}, {taken.positional}, {taken.defaults}, "
        f"{taken.more + 1}, tier_code(native) + {function.start}"
    )


def _runs(run: str) -> str:
    return f"next = {run}; break;" if run else "next = frame; break;"


def _plain_case(function: BytecodeFunction, run: str) -> str:
    """Return the `case` of a plain function called with positional arguments."""
    sizes = _sizes(function)
    lines = [
        f"    case {function.head}:",
        f"        frame = tier_plain_frame(caller, of, arguments, count, {sizes});",
        "        if (frame == NULL) { return ran(caller, of, NULL, arguments, count, 0, native); }",
        f"        {_runs(run)}",
    ]
    return "\n".join([*lines, ""]) if sizes else ""


def _case(function: BytecodeFunction, run: str) -> str:
    """Return the `case` of a function. run: C++ that runs it; "": the interpreter does."""
    sizes, lines = _sizes(function), []
    if sizes:
        lines += [
            "        if (keywords == 0) {",
            f"            frame = tier_frame(caller, of, call, arguments, count, {sizes});",
            "            if (PORTER_UNWINDING || frame == NULL) { return caller; }",
            f"            {_runs(run)}",
            "        }",
        ]
    if run:
        lines += [
            "        frame = tier_any_frame(caller, of, call, arguments, count, keywords);",
            "        if (PORTER_UNWINDING || frame == NULL) { return caller; }",
            "        if (tier_step() || PORTER_UNWINDING) { next = frame; break; }",
            f"        {_runs(run)}",
        ]
    elif lines:
        lines.append("        return caller;")
    return "\n".join([f"    case {function.head}:", *lines, ""]) if lines else ""
