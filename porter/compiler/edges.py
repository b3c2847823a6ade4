"""Emit control flow edges and entries: load each slot into the C++ variable that a block expects.

writer.py calls `write_edge` at the end of each block, and `entry_checks` for each entry from the
interpreter.
"""

from __future__ import annotations

import re

from attrs import frozen

from porter.compiler.values import (
    DEAD,
    INT,
    NOWHERE,
    OBJECT,
    SMALL,
    UNBOX,
    A,
    Known,
    Shape,
    Value,
    slot_name,
    state_of,
)
from porter.compiler.walker import Walker

_WORD = re.compile(r"\w+")


@frozen
class _Move:
    """An assignment of a value to a C++ variable.

    Attributes:
        name: Name of the C++ variable.
        kind: Representation of the C++ variable.
        value: The value assigned.
        what: Description of the slot, for the reason of a guard.
    """

    name: str
    kind: str
    value: Value
    what: str


def write_edge(w: Walker, to: int, shape: Shape | None, used: dict[str, str]) -> None:
    """Emit the edge from the current position of `w` to the block at `to`.

    Args:
        w: Walker at the end of the source block.
        to: Position of the target block.
        shape: What the target block expects; None emits a side exit to the interpreter.
        used: Representations of C++ variables by name. The edge's variables are added.
    """
    if shape is None or not w.leads(to):
        w.say(w.way_out(to))
        return
    moves = _moves(w, to, shape)
    for move in moves:
        if move.kind in UNBOX and move.value.kind == OBJECT:
            test = UNBOX[move.kind][0]
            w.guard(f"!{test}({move.value.text})", f"{move.what} is {A[move.kind]}", to)
    for slot, (held, known) in enumerate(zip(w.state.names, shape.names, strict=True)):
        if known is None and held is not None and not held.clean:
            w.say(f"*p{slot} = {held.boxed()};")
    _give_up_dead(w, shape)
    _assign(w, moves, used)
    there = state_of(shape)
    for at, wanted in enumerate(shape.views):
        if wanted and not w.state.views[at]:
            before, w.state = w.state, there
            w.say(w.viewed(at))
            w.state = before
    w.say(f"goto L{to};")


def _give_up_dead(w: Walker, shape: Shape) -> None:
    """Overwrite dead variables in the frame, which would keep their previous objects alive.

    A number in a loop is not stored, since a store in each iteration would cost too much.
    """
    last = w.graph.function.state - 1
    for number, (value, known) in enumerate(zip(w.state.locals, shape.locals, strict=True)):
        if known.kind != DEAD or value.clean or value.kind in NOWHERE:
            continue
        if value.kind == OBJECT or not w.hot:
            word = value.text if value.kind == OBJECT else "mp_const_none"
            w.say(f"frame[{last - number}] = {word};")


def _moves(w: Walker, to: int, shape: Shape) -> list[_Move]:
    found = []
    for prefix, values, known in (
        ("s", w.state.stack, shape.stack),
        ("v", w.state.locals, shape.locals),
    ):
        for number, (value, wanted) in enumerate(zip(values, known, strict=True)):
            if wanted.kind not in NOWHERE:
                name = slot_name(prefix, number, wanted.kind)
                found.append(_Move(name, wanted.kind, value, "a variable"))
    for slot, wanted_name in enumerate(shape.names):
        if wanted_name is None:
            continue
        held = w.state.names[slot]
        if held is None:
            held = w.fetched(slot, to)
        name = slot_name("g", slot, wanted_name.kind)
        found.append(_Move(name, wanted_name.kind, held, w.name(w.graph.names[slot])))
    return found


def _text(move: _Move) -> str:
    if move.kind == move.value.kind:
        return move.value.text
    if move.kind == OBJECT:
        return move.value.boxed()
    return f"{UNBOX[move.kind][1]}({move.value.text})"


def _assign(w: Walker, moves: list[_Move], used: dict[str, str]) -> None:
    """Emit the moves as a parallel assignment: the target of one may be the source of another."""
    needed = [move for move in moves if _text(move) != move.name]
    for move in moves:
        used[move.name] = move.kind
    targets = {move.name for move in needed}
    later = []
    for move in needed:
        text = _text(move)
        if targets & set(_WORD.findall(text)):
            held = w.new(move.kind, text)
            later.append(f"{move.name} = {held.text};")
        else:
            later.append(f"{move.name} = {text};")
    for line in later:
        w.say(line)


def entry_checks(slots: list[tuple[str, Known, str]], used: dict[str, str]) -> list[str]:
    """Return the lines that load and check slots where the interpreter enters native code.

    Args:
        slots: For each slot the name of its C++ variable, what the entered block expects of it, and
            the C++ expression of the object in the frame or dict.
        used: Representations of C++ variables by name. The slots' variables are added.
    """
    out = []
    for name, known, word in slots:
        used[name] = known.kind
        if known.kind == OBJECT:
            out.append(f"{name} = {word};")
            if known.bound and name.startswith("v"):
                out.append(f"if ({name} == MP_OBJ_NULL) {{ return cs; }}")
            continue
        test, take = UNBOX[known.kind]
        out.append(f"if (!{test}({word})) {{ return cs; }}")
        out.append(f"{name} = {take}({word});")
        if known.kind == INT and known.range != SMALL:
            low, high = known.range.low, known.range.high
            out.append(f"if ({name} < INT64_C({low}) || {name} > INT64_C({high})) {{ return cs; }}")
    return out
