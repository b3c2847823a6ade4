"""Emit integer arithmetic, with a range analysis of the results.

A result that may exceed a small integer (47 bits) stays a 64-bit integer until an instruction needs
it as an object. Hence `a * b & mask` and `a * b % m` never allocate a large integer. If the integer
does exceed 47 bits at that point, native code deoptimizes to the instruction that produced the
first such value (`Origin`). Only instructions without side effects lie in between.
"""

from __future__ import annotations

from porter.compiler.builder import BlockBuilder
from porter.compiler.ir.expressions import (
    ZERO,
    AddressOf,
    Arithmetic,
    Cast,
    Compare,
    Conditional,
    Expression,
    Integer,
    Literal,
    Not,
    Unary,
    call,
)
from porter.compiler.representations import BOOL, INT, SMALL, Range
from porter.compiler.values import Origin, Value, resumption

_WIDE = Range(-(1 << 63), (1 << 63) - 1)
_SUMS = {"ADD": "+", "SUBTRACT": "-"}
_BITS = {"OR": "|", "XOR": "^", "AND": "&"}
_BIG = "the integer has more than 47 bits"
DIRECT = frozenset([*_SUMS, *_BITS, "MULTIPLY", "LSHIFT", "RSHIFT", "FLOOR_DIVIDE", "MODULO"])


def constant(value: Value) -> int | None:
    """Return the only integer in a value's range; None if the range has several."""
    return value.range.low if value.range.low == value.range.high else None


def from_bool(value: Value) -> Value:
    """Return a bool as the integer 0 or 1, and other values unchanged."""
    if value.kind != BOOL:
        return value
    return Value(INT, Cast("int64_t", value.expression), range=Range(0, 1))


def settle(b: BlockBuilder, value: Value) -> Value:
    """Return the value as a small integer; emit a guard unless its range proves that it is one."""
    if value.origin is None:
        return value
    new = Value(INT, value.expression, range=_cut(value.range, SMALL))
    if not value.range.small:
        fails = Not(call("tier_fits", value.expression))
        b.emit(b.guard_at(fails, _BIG, value.origin.at, value.origin.state))
    return new


def settle_all(b: BlockBuilder) -> None:
    """Replace each value on the stack by a small integer, with a guard as `settle` emits it."""
    b.state.stack[:] = [settle(b, value) for value in b.state.stack]


def operate(b: BlockBuilder, op: str, lhs: Value, rhs: Value) -> Value:
    """Emit `lhs op rhs` for one of the operators in DIRECT, and return the result."""
    if op in _SUMS or op == "MULTIPLY":
        return _ring(b, op, lhs, rhs)
    if op in _BITS:
        return _bits(b, op, lhs, rhs)
    if op == "LSHIFT":
        return _shift_left(b, settle(b, lhs), settle(b, rhs))
    if op == "RSHIFT":
        return _shift_right(b, lhs, settle(b, rhs))
    return _divide(b, op, lhs, settle(b, rhs))


def negative(b: BlockBuilder, value: Value) -> Value:
    """Emit `-value`, and return the result."""
    value = settle(b, value)
    range_ = Range(-value.range.high, -value.range.low)
    return _result(b, Unary("-", value.expression), range_)


def inverse(b: BlockBuilder, value: Value) -> Value:
    """Emit `~value`, and return the result."""
    value = settle(b, value)
    range_ = Range(~value.range.high, ~value.range.low)
    return _result(b, Unary("~", value.expression), range_)


def _cut(range_: Range, limits: Range) -> Range:
    return Range(max(range_.low, limits.low), min(range_.high, limits.high))


def _origin(b: BlockBuilder) -> Origin:
    return Origin(*resumption(b.here.at, b.state.copy()))


def _result(b: BlockBuilder, expression: Expression, range_: Range) -> Value:
    """Return a new value; if it may exceed a small integer, with its deoptimization state."""
    value = b.assign(INT, expression, range_)
    if range_.small:
        return value
    return Value(INT, value.expression, range=range_, origin=_origin(b))


def _corners(op: str, a: Range, b: Range) -> Range:
    if op == "ADD":
        return Range(a.low + b.low, a.high + b.high)
    if op == "SUBTRACT":
        return Range(a.low - b.high, a.high - b.low)
    every = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return Range(min(every), max(every))


def _ring(b: BlockBuilder, op: str, lhs: Value, rhs: Value) -> Value:
    range_ = _corners(op, lhs.range, rhs.range)
    if not range_.within(_WIDE.low, _WIDE.high):
        lhs, rhs = settle(b, lhs), settle(b, rhs)
        range_ = _corners(op, lhs.range, rhs.range)
    if not range_.within(_WIDE.low, _WIDE.high):
        result = b.temporary("int64_t")
        product = call("tier_multiply", lhs.expression, rhs.expression, AddressOf(result))
        b.guard(product, _BIG)
        return Value(INT, result, range=_WIDE, origin=_origin(b))
    symbol = _SUMS.get(op, "*")
    return _result(b, Arithmetic(symbol, lhs.expression, rhs.expression), range_)


def _bits(b: BlockBuilder, op: str, lhs: Value, rhs: Value) -> Value:
    range_ = _bit_range(op, lhs.range, rhs.range)
    return _result(b, Arithmetic(_BITS[op], lhs.expression, rhs.expression), range_)


def _bit_range(op: str, a: Range, b: Range) -> Range:
    if op == "AND":
        tops = [r.high for r in (a, b) if r.low >= 0]
        if tops:
            return Range(0, min(tops))
    bits = max(n.bit_length() for n in (a.low, a.high, b.low, b.high))
    low = 0 if a.low >= 0 and b.low >= 0 else -(1 << bits)
    return Range(low, (1 << bits) - 1)


def _shift_left(b: BlockBuilder, lhs: Value, rhs: Value) -> Value:
    if rhs.range.within(0, 62):
        factors = Range(1 << rhs.range.low, 1 << rhs.range.high)
        range_ = _corners("MULTIPLY", lhs.range, factors)
        if range_.within(_WIDE.low, _WIDE.high):
            shifted = Arithmetic("<<", Cast("uint64_t", lhs.expression), rhs.expression)
            return _result(b, Cast("int64_t", shifted), range_)
    result = b.temporary("int64_t")
    b.guard(call("tier_shift", lhs.expression, rhs.expression, AddressOf(result)), _BIG)
    return Value(INT, result)


def _shift_right(b: BlockBuilder, lhs: Value, rhs: Value) -> Value:
    count = rhs.expression
    if rhs.range.low < 0:
        b.guard(Compare("LESS", count, ZERO), "a shift is by less than 0")
    low, high = max(rhs.range.low, 0), min(max(rhs.range.high, 0), 63)
    low = min(low, 63)
    if rhs.range.high > 63:
        count = Conditional(Compare("MORE", count, Literal(63)), Literal(63), count)
    every = [x >> y for x in (lhs.range.low, lhs.range.high) for y in (low, high)]
    return _result(b, Arithmetic(">>", lhs.expression, count), Range(min(every), max(every)))


def _divide(b: BlockBuilder, op: str, lhs: Value, rhs: Value) -> Value:
    if lhs.range.low < -(1 << 62):
        lhs = settle(b, lhs)
    if rhs.range.low <= 0 <= rhs.range.high:
        b.guard(Compare("EQUAL", rhs.expression, ZERO), "a division is by 0")
    if op == "MODULO":
        range_ = Range(min(rhs.range.low + 1, 0), max(rhs.range.high - 1, 0))
        if rhs.range.low > 0 and lhs.range.low >= 0:
            range_ = Range(0, min(range_.high, lhs.range.high))
    else:
        largest = max(abs(lhs.range.low), abs(lhs.range.high))
        range_ = Range(-largest, largest)
        if lhs.range.low >= 0 and rhs.range.low >= 0:
            range_ = Range(0, lhs.range.high)
        elif rhs.range.low >= 0:
            range_ = Range(min(lhs.range.low, 0), max(lhs.range.high, 0))
    return _result(b, _division(op, lhs, rhs), range_)


def _division(op: str, lhs: Value, rhs: Value) -> Expression:
    divisor = constant(rhs)
    sign = "/" if op == "FLOOR_DIVIDE" else "%"
    if divisor is not None and divisor > 0 and divisor & (divisor - 1) == 0:
        # Shift and mask round down, as // and % do in Python.
        if sign == "/":
            return Arithmetic(">>", lhs.expression, Literal(divisor.bit_length() - 1))
        return Arithmetic("&", lhs.expression, Integer(divisor - 1))
    if lhs.range.low >= 0 and rhs.range.low >= 0:
        largest = max(lhs.range.high, rhs.range.high)
        type_ = "uint32_t" if largest < 1 << 32 else "uint64_t"
        x, y = Cast(type_, lhs.expression), Cast(type_, rhs.expression)
        return Cast("int64_t", Arithmetic(sign, x, y))
    return call(f"tier_{op.lower()}", lhs.expression, rhs.expression)
