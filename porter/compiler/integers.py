"""Emit integer arithmetic, with a range analysis of the results.

A result that may exceed a small integer (47 bits) stays a 64-bit integer until an instruction needs
it as an object. Hence `a * b & mask` and `a * b % m` never allocate a large integer. If the integer
does exceed 47 bits at that point, native code deoptimizes to the instruction that produced the
first such value (`Origin`). Only instructions without side effects lie in between.
"""

from __future__ import annotations

from porter.compiler.emitter import Emitter, begun
from porter.compiler.values import INT, SMALL, Origin, Range, Value

_WIDE = Range(-(1 << 63), (1 << 63) - 1)
_SUMS = {"ADD": "+", "SUBTRACT": "-"}
_BITS = {"OR": "|", "XOR": "^", "AND": "&"}
_BIG = "the integer has more than 47 bits"
DIRECT = frozenset([*_SUMS, *_BITS, "MULTIPLY", "LSHIFT", "RSHIFT", "FLOOR_DIVIDE", "MODULO"])


def constant(value: Value) -> int | None:
    """Return the only integer in a value's range; None if the range has several."""
    return value.range.low if value.range.low == value.range.high else None


def settle(w: Emitter, value: Value) -> Value:
    """Return the value as a small integer; emit a guard unless its range proves that it is one."""
    if value.origin is None:
        return value
    new = Value(INT, value.text, range=_cut(value.range, SMALL))
    if not value.range.small:
        w.say(w.guarded(f"!tier_fits({value.text})", _BIG, value.origin.at, value.origin.state))
    return new


def operate(w: Emitter, op: str, a: Value, b: Value) -> Value:
    """Emit `a op b` for one of the operators in DIRECT, and return the result."""
    if op in _SUMS or op == "MULTIPLY":
        return _ring(w, op, a, b)
    if op in _BITS:
        return _bits(w, op, a, b)
    if op == "LSHIFT":
        return _shift_left(w, settle(w, a), settle(w, b))
    if op == "RSHIFT":
        return _shift_right(w, a, settle(w, b))
    return _divide(w, op, a, settle(w, b))


def settle_all(w: Emitter) -> None:
    """Settle each value on the stack."""
    w.state.stack[:] = [settle(w, value) for value in w.state.stack]


def negative(w: Emitter, a: Value) -> Value:
    """Emit `-a`, and return the result."""
    a = settle(w, a)
    return _made(w, f"-{a.text}", Range(-a.range.high, -a.range.low))


def inverse(w: Emitter, a: Value) -> Value:
    """Emit `~a`, and return the result."""
    a = settle(w, a)
    return _made(w, f"~{a.text}", Range(~a.range.high, ~a.range.low))


def _cut(range_: Range, limits: Range) -> Range:
    return Range(max(range_.low, limits.low), min(range_.high, limits.high))


def _made(w: Emitter, text: str, range_: Range) -> Value:
    """Return a new value; if it may exceed a small integer, with its deoptimization state."""
    value = w.new(INT, text, range_)
    if range_.small:
        return value
    return Value(INT, value.text, range=range_, origin=Origin(*begun(w.here.at, w.state.copy())))


def _corners(op: str, a: Range, b: Range) -> Range:
    if op == "ADD":
        return Range(a.low + b.low, a.high + b.high)
    if op == "SUBTRACT":
        return Range(a.low - b.high, a.high - b.low)
    every = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return Range(min(every), max(every))


def _ring(w: Emitter, op: str, a: Value, b: Value) -> Value:
    range_ = _corners(op, a.range, b.range)
    if not range_.within(_WIDE.low, _WIDE.high):
        a, b = settle(w, a), settle(w, b)
        range_ = _corners(op, a.range, b.range)
    if not range_.within(_WIDE.low, _WIDE.high):
        result = w.variable("int64_t")
        w.guard(f"tier_multiply({a.text}, {b.text}, &{result})", _BIG)
        return Value(INT, result, range=_WIDE, origin=Origin(*begun(w.here.at, w.state.copy())))
    return _made(w, f"{a.text} {_SUMS.get(op, '*')} {b.text}", range_)


def _bits(w: Emitter, op: str, a: Value, b: Value) -> Value:
    range_ = _bit_range(op, a.range, b.range)
    return _made(w, f"{a.text} {_BITS[op]} {b.text}", range_)


def _bit_range(op: str, a: Range, b: Range) -> Range:
    if op == "AND":
        tops = [r.high for r in (a, b) if r.low >= 0]
        if tops:
            return Range(0, min(tops))
    bits = max(n.bit_length() for n in (a.low, a.high, b.low, b.high))
    low = 0 if a.low >= 0 and b.low >= 0 else -(1 << bits)
    return Range(low, (1 << bits) - 1)


def _shift_left(w: Emitter, a: Value, b: Value) -> Value:
    if b.range.within(0, 62):
        factors = Range(1 << b.range.low, 1 << b.range.high)
        range_ = _corners("MULTIPLY", a.range, factors)
        if range_.within(_WIDE.low, _WIDE.high):
            return _made(w, f"(int64_t)((uint64_t){a.text} << {b.text})", range_)
    result = w.variable("int64_t")
    w.guard(f"tier_shift({a.text}, {b.text}, &{result})", _BIG)
    return Value(INT, result)


def _shift_right(w: Emitter, a: Value, b: Value) -> Value:
    if b.range.low < 0:
        w.guard(f"{b.text} < 0", "a shift is by less than 0")
    low, high = max(b.range.low, 0), min(max(b.range.high, 0), 63)
    low = min(low, 63)
    count = b.text if b.range.high <= 63 else f"({b.text} > 63 ? 63 : {b.text})"
    every = [x >> y for x in (a.range.low, a.range.high) for y in (low, high)]
    return _made(w, f"{a.text} >> {count}", Range(min(every), max(every)))


def _divide(w: Emitter, op: str, a: Value, b: Value) -> Value:
    if a.range.low < -(1 << 62):
        a = settle(w, a)
    if b.range.low <= 0 <= b.range.high:
        w.guard(f"{b.text} == 0", "a division is by 0")
    if op == "MODULO":
        range_ = Range(min(b.range.low + 1, 0), max(b.range.high - 1, 0))
        if b.range.low > 0 and a.range.low >= 0:
            range_ = Range(0, min(range_.high, a.range.high))
    else:
        most = max(abs(a.range.low), abs(a.range.high))
        range_ = Range(-most, most)
        if a.range.low >= 0 and b.range.low >= 0:
            range_ = Range(0, a.range.high)
        elif b.range.low >= 0:
            range_ = Range(min(a.range.low, 0), max(a.range.high, 0))
    return _made(w, _division(op, a, b), range_)


def _division(op: str, a: Value, b: Value) -> str:
    divisor = constant(b)
    sign = "/" if op == "FLOOR_DIVIDE" else "%"
    if divisor is not None and divisor > 0 and divisor & (divisor - 1) == 0:
        # Shift and mask round down, as // and % do in Python.
        if sign == "/":
            return f"{a.text} >> {divisor.bit_length() - 1}"
        return f"{a.text} & INT64_C({divisor - 1})"
    if a.range.low >= 0 and b.range.low >= 0:
        if max(a.range.high, b.range.high) < 1 << 32:
            return f"(int64_t)((uint32_t){a.text} {sign} (uint32_t){b.text})"
        return f"(int64_t)((uint64_t){a.text} {sign} (uint64_t){b.text})"
    return f"tier_{op.lower()}({a.text}, {b.text})"
