"""Emit unary and binary operators, specialized by the representations of their operands.

Operators on integers go to integers.py. Operators on unknown types call upstream's code.
"""

from __future__ import annotations

from attrs import evolve

from porter.compiler import integers
from porter.compiler.calling import CallEmitter
from porter.compiler.mpy import BytecodeInstruction
from porter.compiler.values import BOOL, FLOAT, INT, OBJECT, Range, Value

COMPARISONS = {
    "LESS": "<",
    "MORE": ">",
    "EQUAL": "==",
    "LESS_EQUAL": "<=",
    "MORE_EQUAL": ">=",
    "NOT_EQUAL": "!=",
}
_EQUALITY = ("EQUAL", "NOT_EQUAL")  # upstream's code for a bool operand takes steps
_SUMS = {"ADD": "+", "SUBTRACT": "-", "MULTIPLY": "*"}
_QUICK = {*COMPARISONS, *_SUMS, "TRUE_DIVIDE"}
_NUMBERS = (INT, FLOAT)


def unary(w: CallEmitter, it: BytecodeInstruction) -> None:
    """Emit a unary operator other than `not`."""
    op = w.tables.unary[it.argument]
    value = _integer(w.state.stack[-1])
    if value.kind == INT and op == "NEGATIVE":
        result = integers.negative(w, value)
    elif value.kind == INT and op == "INVERT":
        result = integers.inverse(w, value)
    elif value.kind in _NUMBERS and op == "POSITIVE":
        result = evolve(value, clean=False)
    elif value.kind == FLOAT and op == "NEGATIVE":
        result = w.new(FLOAT, f"-{value.text}")
    else:
        value = w.state.stack[-1]
        result = w.called(OBJECT, f"mp_unary_op((mp_unary_op_t){it.argument}, {value.boxed()})")
    w.state.stack[-1] = result
    w.guess_top("a result")


def binary(w: CallEmitter, it: BytecodeInstruction) -> None:
    """Emit a binary operator."""
    op = w.tables.binary[it.argument].removeprefix("INPLACE_")
    if op in _QUICK or op in integers.DIRECT:
        _guess_operands(w, op)
    lhs, rhs = w.state.stack[-2:]
    result = None
    if op == "IS":
        integers.settle_all(w)
        lhs, rhs = w.state.stack[-2:]
        result = Value(BOOL, f"({lhs.boxed()} == {rhs.boxed()})")
    elif w.may_guess() and not (op in _EQUALITY and BOOL in (lhs.kind, rhs.kind)):
        result = _numbers(w, op, _integer(lhs), _integer(rhs))
    if result is None:
        _any(w, it, op)
        return
    del w.state.stack[-2:]
    w.state.stack.append(result)


def _guess_operands(w: CallEmitter, op: str) -> None:
    """Speculate that an object is an integer where a loop over a range compares it with one."""
    if not w.may_guess():
        return
    lhs, rhs = w.state.stack[-2:]
    if {lhs.kind, rhs.kind} == {OBJECT, INT} and op in COMPARISONS and _counts(w):
        value = lhs if lhs.kind == OBJECT else rhs
        w.require(value, INT, "the end of a range")


def _counts(w: CallEmitter) -> bool:
    """Return whether the block ends with the counter test of a loop over a range."""
    return [it.name for it in w.block.code[-4:]] == [
        "DUP_TOP_TWO",
        "ROT_TWO",
        "BINARY_OP",
        "POP_JUMP_IF_TRUE",
    ]


def _numbers(w: CallEmitter, op: str, lhs: Value, rhs: Value) -> Value | None:
    kinds = {lhs.kind, rhs.kind}
    if kinds <= {INT, FLOAT}:
        if op in COMPARISONS:
            return _compared(w, op, lhs, rhs)
        if kinds == {INT}:
            return _integers(w, op, lhs, rhs)
        return _floats(w, op, _float(w, lhs), _float(w, rhs))
    if kinds == {FLOAT, OBJECT} and op in _QUICK:
        # A float and a number give a float. A guard exits to the interpreter for other operands.
        a, b = _as_float(w, lhs), _as_float(w, rhs)
        if op in COMPARISONS:
            return Value(BOOL, f"({a} {COMPARISONS[op]} {b})")
        return _floats(w, op, a, b)
    return None


def _integer(value: Value) -> Value:
    """Return a bool as the integer 0 or 1, and other values unchanged."""
    if value.kind != BOOL:
        return value
    return Value(INT, f"(int64_t){value.text}", range=Range(0, 1))


def _compared(w: CallEmitter, op: str, lhs: Value, rhs: Value) -> Value:
    if lhs.kind == INT and rhs.kind == INT:
        text = f"({lhs.text} {COMPARISONS[op]} {rhs.text})"
        return Value(BOOL, text, test=(op, lhs, rhs))
    return Value(BOOL, f"({_float(w, lhs)} {COMPARISONS[op]} {_float(w, rhs)})")


def _float(w: CallEmitter, value: Value) -> str:
    if value.kind != INT:
        return value.text
    return f"(double){integers.settle(w, value).text}"


def _as_float(w: CallEmitter, value: Value) -> str:
    if value.kind != OBJECT:
        return _float(w, value)
    w.guard(f"!tier_is_number({value.text})", "an operand is no number")
    return w.new(FLOAT, f"tier_number({value.text})").text


def _integers(w: CallEmitter, op: str, a: Value, b: Value) -> Value | None:
    if op in integers.DIRECT:
        return integers.operate(w, op, a, b)
    a, b = integers.settle(w, a), integers.settle(w, b)
    if op == "TRUE_DIVIDE":
        if b.range.low <= 0 <= b.range.high:
            w.guard(f"{b.text} == 0", "a division is by 0")
        return w.new(FLOAT, f"(double){a.text} / (double){b.text}")
    if op == "POWER" and integers.constant(b) == 2:
        return integers.operate(w, "MULTIPLY", a, a)
    return None


def _floats(w: CallEmitter, op: str, a: str, b: str) -> Value | None:
    if op in _SUMS:
        return w.new(FLOAT, f"{a} {_SUMS[op]} {b}")
    if op == "TRUE_DIVIDE":
        w.guard(f"{b} == 0", "a division is by 0")
        return w.new(FLOAT, f"{a} / {b}")
    return None


def _any(w: CallEmitter, it: BytecodeInstruction, op: str) -> None:
    integers.settle_all(w)
    lhs, rhs = w.state.stack[-2:]
    a, b = lhs.boxed(), rhs.boxed()
    result = w.variable("mp_obj_t")
    if op in COMPARISONS:
        quick, raised = "tier_comparison", "cs"
        slow = f"mp_binary_op((mp_binary_op_t){it.argument}, {a}, {b})"
    else:
        quick, raised = "tier_operator", "next"
        slow = f"operated(cs, {it.argument}, {a}, {b}, native, &next)"
    w.say(f"{result} = {quick}({it.argument}, {a}, {b});")
    pushed = [Value(OBJECT, result)]
    fails = f"{result} == MP_OBJ_NULL"
    w.quickly(fails, slow, 2, pushed, assigned=f"{result} = ", raised=raised)
    w.guess_top("a result")
