"""Emit branches and interrupt polls.

The C++ variable `left` counts the branches until the next interrupt poll. Each branch decrements
it, so native code polls as often as the interpreter.
"""

from __future__ import annotations

from attrs import evolve

from porter.compiler.builder import BlockBuilder
from porter.compiler.ir.expressions import ZERO, Compare, Expression, call
from porter.compiler.ir.operations import Assign, Branch, CountBranch, SafepointPoll
from porter.compiler.mpy import BytecodeInstruction
from porter.compiler.representations import BOOL, FLOAT, INT, Range
from porter.compiler.values import BlockState, Value

_INVERSE = {
    "LESS": "MORE_EQUAL",
    "MORE": "LESS_EQUAL",
    "EQUAL": "NOT_EQUAL",
    "LESS_EQUAL": "MORE",
    "MORE_EQUAL": "LESS",
    "NOT_EQUAL": "EQUAL",
}
_SWAPPED = {"LESS": "MORE", "MORE": "LESS", "LESS_EQUAL": "MORE_EQUAL", "MORE_EQUAL": "LESS_EQUAL"}


def truth(b: BlockBuilder, value: Value) -> Expression:
    """Return the condition for the truth of a value."""
    if value.kind == BOOL:
        return value.expression
    if value.kind in (INT, FLOAT):
        return Compare("NOT_EQUAL", value.expression, ZERO)
    known = b.temporary("int", "b")
    b.emit(Assign(known, call("tier_truth", value.expression)))
    b.exit_if(Compare("LESS", known, ZERO))  # the truth test may run any code
    return Compare("NOT_EQUAL", known, ZERO)


def _count(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Emit an interrupt poll and the count of a branch.

    The interpreter polls after the jump and native code before it, both equally often.
    """
    number = b.number()
    b.emit(SafepointPoll(number, it.at, b.stores(frame=False), b.side_exit(it.at)))
    b.emit(CountBranch())


def jump(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Jump."""
    _count(b, it)
    b.edge(it.argument)


def pop_jump_if_true(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Pop a value, and jump if it is true."""
    _pop_jump(b, it, True)


def pop_jump_if_false(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Pop a value, and jump if it is false."""
    _pop_jump(b, it, False)


def _pop_jump(b: BlockBuilder, it: BytecodeInstruction, sense: bool) -> None:
    value = b.state.stack[-1]
    condition = truth(b, value)
    _count(b, it)
    b.state.stack.pop()
    before = b.state
    with b.nested() as taken:
        b.state = _learned(before.copy(), value, sense)
        b.edge(it.argument)
    b.emit(Branch(condition, sense, tuple(taken)))
    b.state = _learned(before, value, not sense)
    b.edge(it.next)


def jump_if_true_or_pop(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Jump with a value that is true, or pop it."""
    _jump_or_pop(b, it, True)


def jump_if_false_or_pop(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Jump with a value that is false, or pop it."""
    _jump_or_pop(b, it, False)


def _jump_or_pop(b: BlockBuilder, it: BytecodeInstruction, sense: bool) -> None:
    condition = truth(b, b.state.stack[-1])
    _count(b, it)
    with b.nested() as taken:
        b.edge(it.argument)
    b.emit(Branch(condition, sense, tuple(taken)))
    b.state.stack.pop()
    b.edge(it.next)


def _learned(state: BlockState, value: Value, holds: bool) -> BlockState:
    """Narrow the ranges of a comparison's operands, given whether the comparison holds."""
    if value.test is None:
        return state
    op, lhs, rhs = value.test
    op = op if holds else _INVERSE[op]
    for one, other, how in ((lhs, rhs, op), (rhs, lhs, _SWAPPED.get(op, op))):
        range_ = _limited(one.range, how, other.range)
        if range_ is not None and range_ != one.range:
            state.narrow(one, evolve(one, range=range_))
    return state


def _limited(one: Range, op: str, other: Range) -> Range | None:
    """Return the range of `one` if `one op other` holds, or None if that range is empty."""
    low, high = one.low, one.high
    if op == "LESS":
        high = min(high, other.high - 1)
    elif op == "LESS_EQUAL":
        high = min(high, other.high)
    elif op == "MORE":
        low = max(low, other.low + 1)
    elif op == "MORE_EQUAL":
        low = max(low, other.low)
    elif op == "EQUAL":
        low, high = max(low, other.low), min(high, other.high)
    return Range(low, high) if low <= high else None
