"""Operators on values whose kinds are known, or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from porter.compiler.mpy import Instruction
from porter.compiler.values import BOOL, FLOAT, INT, OBJECT, Value

if TYPE_CHECKING:
    from porter.compiler.walker import Walker

_COMPARISONS = {
    "LESS": "<",
    "MORE": ">",
    "EQUAL": "==",
    "LESS_EQUAL": "<=",
    "MORE_EQUAL": ">=",
    "NOT_EQUAL": "!=",
}
_BITS = {"OR": "|", "XOR": "^", "AND": "&"}
_SUMS = {"ADD": "+", "SUBTRACT": "-"}
_QUICK = {*_COMPARISONS, *_SUMS, "MULTIPLY", "TRUE_DIVIDE"}
_NUMBERS = (INT, FLOAT)


def unary(w: Walker, it: Instruction) -> None:
    """A unary operator."""
    op = w.tables.unary[it.argument]
    value = w.state.stack[-1]
    if op == "NOT":
        truth = w.truth(value)
        result = w.new(BOOL, f"!{truth}")
    elif value.kind == INT and op == "NEGATIVE":
        result = w.new(INT, f"-{value.text}")
        w.leave_if(f"!tier_fits({result.text})")
    elif value.kind == INT and op == "INVERT":
        result = w.new(INT, f"~{value.text}")
    elif value.kind in _NUMBERS and op == "POSITIVE":
        result = value
    elif value.kind == FLOAT and op == "NEGATIVE":
        result = w.new(FLOAT, f"-{value.text}")
    else:
        result = w.call(f"mp_unary_op((mp_unary_op_t){it.argument}, {value.boxed()})")
    w.pop()
    w.push(result)


def binary(w: Walker, it: Instruction) -> None:
    """A binary operator."""
    op = w.tables.binary[it.argument].removeprefix("INPLACE_")
    lhs, rhs = w.state.stack[-2:]
    result = None
    if lhs.kind in _NUMBERS and rhs.kind in _NUMBERS:
        if op in _COMPARISONS:
            result = w.new(BOOL, f"{_number(lhs, rhs)} {_COMPARISONS[op]} {_number(rhs, lhs)}")
        elif lhs.kind == INT and rhs.kind == INT:
            result = _integers(w, op, lhs.text, rhs.text)
        else:
            result = _floats(w, op, _float(lhs), _float(rhs))
    elif FLOAT in (lhs.kind, rhs.kind) and OBJECT in (lhs.kind, rhs.kind) and op in _QUICK:
        # A float and a number make a float: what is none leaves it to the interpreter.
        a, b = _as_float(w, lhs), _as_float(w, rhs)
        if op in _COMPARISONS:
            result = w.new(BOOL, f"{a} {_COMPARISONS[op]} {b}")
        else:
            result = _floats(w, op, a, b)
    if result is None:
        result = _any(w, it, op, lhs, rhs)
    del w.state.stack[-2:]
    w.push(result)


def _number(value: Value, other: Value) -> str:
    return _float(value) if other.kind == FLOAT else value.text


def _float(value: Value) -> str:
    return f"(double){value.text}" if value.kind == INT else value.text


def _as_float(w: Walker, value: Value) -> str:
    if value.kind != OBJECT:
        return _float(value)
    w.leave_if(f"!tier_is_number({value.text})")
    return w.new(FLOAT, f"tier_number({value.text})").text


def _integers(w: Walker, op: str, a: str, b: str) -> Value | None:
    if op in _SUMS:
        result = w.new(INT, f"{a} {_SUMS[op]} {b}")
        w.leave_if(f"!tier_fits({result.text})")
    elif op in _BITS:
        result = w.new(INT, f"{a} {_BITS[op]} {b}")
    elif op == "MULTIPLY":
        w.leave_if(f"(int32_t){a} != {a} || (int32_t){b} != {b}")
        result = w.new(INT, f"{a} * {b}")
        w.leave_if(f"!tier_fits({result.text})")
    elif op == "LSHIFT":
        w.leave_if(f"(uint64_t){b} > 15 || (int32_t){a} != {a}")
        result = w.new(INT, f"{a} * ((int64_t)1 << {b})")
    elif op == "RSHIFT":
        w.leave_if(f"{b} < 0")
        result = w.new(INT, f"{a} >> ({b} > 62 ? 62 : {b})")
    elif op in ("FLOOR_DIVIDE", "MODULO"):
        w.leave_if(f"{b} == 0")
        result = w.new(INT, f"tier_{op.lower()}({a}, {b})")
        if op == "FLOOR_DIVIDE":
            w.leave_if(f"!tier_fits({result.text})")
    elif op == "TRUE_DIVIDE":
        w.leave_if(f"{b} == 0")
        result = w.new(FLOAT, f"(double){a} / (double){b}")
    else:
        return None
    return result


def _floats(w: Walker, op: str, a: str, b: str) -> Value | None:
    if op in _SUMS:
        return w.new(FLOAT, f"{a} {_SUMS[op]} {b}")
    if op == "MULTIPLY":
        return w.new(FLOAT, f"{a} * {b}")
    if op == "TRUE_DIVIDE":
        w.leave_if(f"{b} == 0")
        return w.new(FLOAT, f"{a} / {b}")
    return None


def _any(w: Walker, it: Instruction, op: str, lhs: Value, rhs: Value) -> Value:
    a, b = lhs.boxed(), rhs.boxed()
    name = f"r{it.at}"
    if op in _COMPARISONS:
        w.say(f"int {name} = tier_comparison({it.argument}, {a}, {b});")
        w.say(f"mp_obj_t {name}o = tier_from_bool({name} > 0);")
        w.say(f"if ({name} < 0) {{")
    else:
        w.say(f"mp_obj_t {name}o = tier_operator({it.argument}, {a}, {b});")
        w.say(f"if ({name}o == MP_OBJ_NULL) {{")
    found = w.call(f"mp_binary_op((mp_binary_op_t){it.argument}, {a}, {b})")
    w.say(f"{name}o = {found.text}; }}")
    return Value(OBJECT, f"{name}o")
