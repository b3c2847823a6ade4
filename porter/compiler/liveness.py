"""Liveness analysis: find the variables whose values will still be read.

flow.py infers no representation for dead variables. For globals the result is only a heuristic,
since other functions may read them at any time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from porter.compiler.graph import Graph, targets
from porter.compiler.mpy import BytecodeInstruction
from porter.compiler.opcodes import GLOBALS, HANDLERS, STORED_GLOBALS, VARIABLES

_WRITES = STORED_GLOBALS | {"STORE_FAST"}
_USES = VARIABLES | GLOBALS

Slot = tuple[bool, int]  # whether it is a global; its number


def live(graph: Graph) -> dict[int, frozenset[Slot]]:
    """Return the live slots before each instruction, by the instruction's position."""
    code = graph.function.code
    at_handlers = [it.argument for it in code if it.name in HANDLERS]
    unwound = [it.argument for it in code if it.name == "UNWIND_JUMP"]
    before: dict[int, frozenset[Slot]] = {it.at: frozenset() for it in code}
    changed = True
    while changed:
        changed = False
        # Any instruction may raise, so slots that a handler reads are live everywhere.
        caught = _all(before, at_handlers)
        for it in reversed(code):
            after = _all(before, (to for to, _ in targets(it, 0)))
            if it.name == "END_FINALLY":  # a pending UNWIND_JUMP continues at its target
                after |= _all(before, unwound)
            new = _before(it, after | caught)
            if new != before[it.at]:
                before[it.at] = new
                changed = True
    return before


def _all(before: Mapping[int, frozenset[Slot]], places: Iterable[int]) -> frozenset[Slot]:
    return frozenset().union(*(before.get(at, frozenset()) for at in places))


def _before(it: BytecodeInstruction, after: frozenset[Slot]) -> frozenset[Slot]:
    if it.name not in _USES:
        return after
    slot = (it.name in GLOBALS, it.argument)
    return after - {slot} if it.name in _WRITES else after | {slot}
