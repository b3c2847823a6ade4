"""Calls from machine code to machine code: C++ that makes the frames which the interpreter would.

A function of machine code gives back where its frame stands: NULL, at a RETURN_VALUE; its own, at
an instruction that the interpreter must run, or in an exception; another one, which it called and
which did not come to its end. Then whoever called gives back that frame too, up to the
interpreter, which goes on there and finds the callers' frames as it would have left them.
"""

from __future__ import annotations

from collections.abc import Mapping

from porter.compiler.emitter import WholeFunction
from porter.compiler.mpy import BytecodeFunction, BytecodeModule

_ODD = 0x0E  # of a scope's flags: *, ** and defaults of arguments that have only a name
PARAMETERS = "mp_code_state_t *const cs, unsigned int entry, const gpusnek_native_t *const native"
_CALL = """\
// Calls a function: NULL, and its value is on top of the caller's stack; `caller` itself where the
// interpreter must make the call, or in an exception; another frame as machine code gives it.
static PORTER_DEVICE void *called(mp_code_state_t *const caller, const mp_obj_t *arguments,
    const size_t count, const size_t keywords, const gpusnek_native_t *const native) {
    mp_obj_fun_bc_t *const of = tier_function(*caller->sp);
    mp_code_state_t *frame;
    void *next;
    if (!tier_may_call()) { return caller; }
    switch (tier_callee(of, native)) {
"""
_RETURN = """\
    default: return caller;
    }
    if (next != NULL) { return next; }
    if (tier_must_return()) { return frame; }
    tier_return(frame);
    return NULL;
}
"""


def calls_text(
    module: BytecodeModule, units: Mapping[int, WholeFunction], entries: Mapping[int, int]
) -> str:
    """C++ that calls a module's functions, or makes their frames where they stay bytecode.

    units: by number. entries: the number of the entry at a function's start, by the function's.
    """
    declared = [f"static PORTER_DEVICE void *f{number}({PARAMETERS});" for number in units]
    cases = []
    for number, function in enumerate(module.functions):
        if number and not function.generator:
            run = f"f{number}(frame, {entries[number]}, native)" if number in entries else ""
            cases.append(_case(function, run))
    return "\n".join([*declared, _CALL + "".join(cases) + _RETURN])


def _case(function: BytecodeFunction, run: str) -> str:
    """run: machine code of the function; none: the interpreter begins it."""
    taken = function.signature
    runs = f"next = {run}; break;" if run else "return frame;"
    lines = []
    if not (taken.flags & _ODD or taken.keyword or function.cells):
        sizes = f"{taken.state}, {taken.handlers}, {taken.positional}, {taken.defaults}"
        lines += [
            "        if (keywords == 0) {",
            f"            frame = tier_frame(caller, of, arguments, count, {sizes}, "
            f"{taken.more + 1}, tier_code(native) + {function.start});",
            "            if (frame == NULL) { return caller; }",
            f"            {runs}",
            "        }",
        ]
    if run:
        lines += [
            "        frame = tier_any_frame(caller, of, arguments, count, keywords);",
            "        if (PORTER_UNWINDING) { return caller; }",
            "        if (tier_step()) { return frame; }",
            f"        {runs}",
        ]
    elif lines:
        lines.append("        return caller;")
    return "\n".join([f"    case {function.head}:", *lines, ""]) if lines else ""
