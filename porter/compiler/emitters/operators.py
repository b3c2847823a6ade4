"""Emit unary and binary operators, specialized by the representations of their operands.

Operators on integers go to integers.py. Operators on unknown types call upstream's code.
"""

from __future__ import annotations

from attrs import evolve

from porter.compiler.builder import BlockBuilder
from porter.compiler.emitters import integers
from porter.compiler.emitters.jumps import truth
from porter.compiler.ir.expressions import (
    COMPARISONS,
    FRAME_STATE,
    NULL_OBJECT,
    ZERO,
    AddressOf,
    Arithmetic,
    Cast,
    Compare,
    Expression,
    Literal,
    Not,
    Symbol,
    Unary,
    call,
)
from porter.compiler.ir.operations import Assign
from porter.compiler.mpy import BytecodeInstruction
from porter.compiler.representations import BOOL, FLOAT, INT, OBJECT
from porter.compiler.values import Value

_EQUALITY = ("EQUAL", "NOT_EQUAL")  # upstream's code for a bool operand takes steps
_SUMS = {"ADD": "+", "SUBTRACT": "-", "MULTIPLY": "*"}
_SPECIALIZED = {*COMPARISONS, *_SUMS, "TRUE_DIVIDE"}
_RANGE_TEST = ("DUP_TOP_TWO", "ROT_TWO", "BINARY_OP", "POP_JUMP_IF_TRUE")


def unary(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Replace the top of the stack by the result of a unary operator."""
    op = b.tables.unary[it.argument]
    if op == "NOT":
        b.state.stack[-1] = Value(BOOL, Not(truth(b, b.state.stack[-1])))
        return
    value = integers.from_bool(b.state.stack[-1])
    if value.kind == INT and op == "NEGATIVE":
        result = integers.negative(b, value)
    elif value.kind == INT and op == "INVERT":
        result = integers.inverse(b, value)
    elif value.kind in (INT, FLOAT) and op == "POSITIVE":
        result = evolve(value, clean=False)
    elif value.kind == FLOAT and op == "NEGATIVE":
        result = b.assign(FLOAT, Unary("-", value.expression))
    else:
        operator = Cast("mp_unary_op_t", Literal(it.argument))
        result = b.invoked(call("mp_unary_op", operator, b.state.stack[-1].boxed()))
    b.state.stack[-1] = result
    b.speculate_on_top("a result")


def binary(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Replace the two values on top of the stack by the result of a binary operator."""
    op = b.tables.binary[it.argument].removeprefix("INPLACE_")
    if op in _SPECIALIZED or op in integers.DIRECT:
        _speculate_on_range(b, op)
    lhs, rhs = b.state.stack[-2:]
    result = None
    if op == "IS":
        integers.settle_all(b)
        lhs, rhs = b.state.stack[-2:]
        result = Value(BOOL, Compare("EQUAL", lhs.boxed(), rhs.boxed()))
    elif b.may_speculate() and not (op in _EQUALITY and BOOL in (lhs.kind, rhs.kind)):
        result = _numbers(b, op, integers.from_bool(lhs), integers.from_bool(rhs))
    if result is None:
        _general(b, it, op)
        return
    del b.state.stack[-2:]
    b.state.stack.append(result)


def _speculate_on_range(b: BlockBuilder, op: str) -> None:
    """Speculate that an object is an integer where a loop over a range compares it with one."""
    if not b.may_speculate():
        return
    lhs, rhs = b.state.stack[-2:]
    test = tuple(it.name for it in b.context.block.code[-4:])
    if {lhs.kind, rhs.kind} == {OBJECT, INT} and op in COMPARISONS and test == _RANGE_TEST:
        value = lhs if lhs.kind == OBJECT else rhs
        b.require(value, INT, "the end of a range")


def _numbers(b: BlockBuilder, op: str, lhs: Value, rhs: Value) -> Value | None:
    kinds = {lhs.kind, rhs.kind}
    if kinds <= {INT, FLOAT}:
        if op in COMPARISONS:
            return _compared(b, op, lhs, rhs)
        if kinds == {INT}:
            return _integers(b, op, lhs, rhs)
        return _floats(b, op, _float(b, lhs), _float(b, rhs))
    if kinds == {FLOAT, OBJECT} and op in _SPECIALIZED:
        # A float and a number give a float. A guard exits to the interpreter for other operands.
        x, y = _as_float(b, lhs), _as_float(b, rhs)
        if op in COMPARISONS:
            return Value(BOOL, Compare(op, x, y))
        return _floats(b, op, x, y)
    return None


def _compared(b: BlockBuilder, op: str, lhs: Value, rhs: Value) -> Value:
    if lhs.kind == INT and rhs.kind == INT:
        test = Compare(op, lhs.expression, rhs.expression, integers=True)
        return Value(BOOL, test, test=(op, lhs, rhs))
    return Value(BOOL, Compare(op, _float(b, lhs), _float(b, rhs)))


def _float(b: BlockBuilder, value: Value) -> Expression:
    if value.kind != INT:
        return value.expression
    return Cast("double", integers.settle(b, value).expression)


def _as_float(b: BlockBuilder, value: Value) -> Expression:
    if value.kind != OBJECT:
        return _float(b, value)
    b.guard(Not(call("tier_is_number", value.expression)), "an operand is no number")
    return b.assign(FLOAT, call("tier_number", value.expression)).expression


def _integers(b: BlockBuilder, op: str, lhs: Value, rhs: Value) -> Value | None:
    if op in integers.DIRECT:
        return integers.operate(b, op, lhs, rhs)
    lhs, rhs = integers.settle(b, lhs), integers.settle(b, rhs)
    if op == "TRUE_DIVIDE":
        if rhs.range.low <= 0 <= rhs.range.high:
            _guard_divisor(b, rhs.expression)
        x, y = Cast("double", lhs.expression), Cast("double", rhs.expression)
        return b.assign(FLOAT, Arithmetic("/", x, y))
    if op == "POWER" and integers.constant(rhs) == 2:
        return integers.operate(b, "MULTIPLY", lhs, lhs)
    return None


def _floats(b: BlockBuilder, op: str, x: Expression, y: Expression) -> Value | None:
    if op in _SUMS:
        return b.assign(FLOAT, Arithmetic(_SUMS[op], x, y))
    if op == "TRUE_DIVIDE":
        _guard_divisor(b, y)
        return b.assign(FLOAT, Arithmetic("/", x, y))
    return None


def _guard_divisor(b: BlockBuilder, divisor: Expression) -> None:
    b.guard(Compare("EQUAL", divisor, ZERO), "a division is by 0")


def _general(b: BlockBuilder, it: BytecodeInstruction, op: str) -> None:
    """Emit an operator on operands of any type."""
    integers.settle_all(b)
    lhs, rhs = (value.boxed() for value in b.state.stack[-2:])
    result = b.temporary("mp_obj_t")
    number = Literal(it.argument)
    if op in COMPARISONS:
        quick, raised = "tier_comparison", "cs"
        slow = call("mp_binary_op", Cast("mp_binary_op_t", number), lhs, rhs)
    else:
        quick, raised = "tier_operator", "next"
        native, next_ = Symbol("native"), AddressOf(Symbol("next"))
        slow = call("operated", FRAME_STATE, number, lhs, rhs, native, next_)
    b.emit(Assign(result, call(quick, number, lhs, rhs)))
    fails = Compare("EQUAL", result, NULL_OBJECT)
    b.fast_path(fails, slow, 2, [Value(OBJECT, result)], target=result, raised=raised)
    b.speculate_on_top("a result")
