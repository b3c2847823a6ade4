"""Calls from machine code to machine code: C++ that makes the frames which the interpreter would.

A function of machine code gives back where its frame stands: NULL, at a RETURN_VALUE; its own, at
an instruction that the interpreter must run, or in an exception; another one, which it called and
which did not come to its end. Then whoever called gives back that frame too, up to the
interpreter, which goes on there and finds the callers' frames as it would have left them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from porter.compiler.emitter import WholeFunction

_KEYWORDS = 0x0A  # of a scope's flags: ** and defaults of arguments that have only a name
_ANY = 0x04  # *: arguments of any number
_GENERATOR = 0x01
PARAMETERS = "mp_code_state_t *const cs, unsigned int entry, const gpusnek_native_t *const native"
_CALL = """\
// Calls a function: NULL, and its value is on top of the caller's stack; `caller` itself where the
// interpreter must make the call; another frame as machine code gives it.
static PORTER_DEVICE void *called(mp_code_state_t *const caller, const mp_obj_t *arguments,
    const size_t count, const gpusnek_native_t *const native) {
    mp_obj_fun_bc_t *const of = tier_function(*caller->sp);
    mp_code_state_t *frame;
    void *next;
    if (!tier_may_call()) { return caller; }
    switch (tier_callee(of, native)) {
"""


def is_simple(unit: WholeFunction) -> bool:
    """Whether machine code can make a function's frame."""
    function = unit.graph.function
    taken = function.signature
    odd = taken.flags & (_KEYWORDS | _ANY | _GENERATOR)
    return not odd and not taken.keyword and not function.cells and 0 in unit.graph.entries


def calls_text(units: Mapping[int, WholeFunction], entries: Mapping[int, int]) -> str:
    """C++ that calls the simple ones of a module's functions.

    units: by number. entries: the number of the entry at a function's start, by the function's.
    """
    declared = [f"static PORTER_DEVICE void *f{number}({PARAMETERS});" for number in units]
    cases = _cases(units, entries)
    return "\n".join([*declared, _CALL + "\n".join([*cases, "    default: return caller;"])]) + (
        "\n    }\n    if (next != NULL) { return next; }\n"
        "    if (tier_must_return()) { return frame; }\n    tier_return(frame);\n    return NULL;\n}\n"
    )


def _cases(units: Mapping[int, WholeFunction], entries: Mapping[int, int]) -> Iterable[str]:
    for number, unit in units.items():
        if not is_simple(unit):
            continue
        function = unit.graph.function
        taken = function.signature
        sizes = f"{taken.state}, {taken.handlers}, {taken.positional}, {taken.defaults}"
        yield (
            f"    case {function.head}: // {unit.title}\n"
            f"        frame = tier_frame(caller, of, arguments, count, {sizes}, "
            f"tier_code(native) + {function.start});\n"
            "        if (frame == NULL) { return caller; }\n"
            f"        next = f{number}(frame, {entries[number]}, native);\n"
            "        break;"
        )
