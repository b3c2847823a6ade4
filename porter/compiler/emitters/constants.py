"""Emit loads of constants."""

from __future__ import annotations

import math

from porter.compiler.builder import BlockBuilder
from porter.compiler.ir.expressions import (
    FALSE,
    FRAME_STATE,
    NONE,
    NULL_OBJECT,
    TRUE,
    Expression,
    Integer,
    Literal,
    Real,
    call,
    name_of,
)
from porter.compiler.mpy import FLOAT_CONSTANT, INT_CONSTANT, BytecodeInstruction
from porter.compiler.representations import BOOL, FLOAT, INT, MAX_SMALL, MIN_SMALL, OBJECT, Range
from porter.compiler.values import Value

_DIGITS = 20  # an integer constant of that many characters is no small integer


def _push(b: BlockBuilder, kind: str, expression: Expression) -> None:
    b.push(Value(kind, expression))


def _push_integer(b: BlockBuilder, number: int) -> None:
    b.push(Value(INT, Integer(number), range=Range(number, number)))


def load_false(b: BlockBuilder, _: BytecodeInstruction) -> None:
    """Push False."""
    _push(b, BOOL, FALSE)


def load_true(b: BlockBuilder, _: BytecodeInstruction) -> None:
    """Push True."""
    _push(b, BOOL, TRUE)


def load_none(b: BlockBuilder, _: BytecodeInstruction) -> None:
    """Push None."""
    _push(b, OBJECT, NONE)


def load_null(b: BlockBuilder, _: BytecodeInstruction) -> None:
    """Push MP_OBJ_NULL, which means that there is no value."""
    _push(b, OBJECT, NULL_OBJECT)


def load_small_int(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Push a small integer."""
    _push_integer(b, it.argument)


def load_string(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Push a string that is a name."""
    b.push(b.assign(OBJECT, call("MP_OBJ_NEW_QSTR", name_of(it.argument))))


def load_object(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Push a constant object, unboxed if it is a finite float or a small integer."""
    constant = b.module.constants[it.argument]
    if constant.kind == FLOAT_CONSTANT:
        number = float(constant.text)
        if math.isfinite(number):
            _push(b, FLOAT, Real(number))
            return
    if constant.kind == INT_CONSTANT and len(constant.text) < _DIGITS:
        whole = int(constant.text)
        # Constant folding in the interpreter makes a large integer of the minimum.
        if MIN_SMALL < whole <= MAX_SMALL:
            _push_integer(b, whole)
            return
    b.push(b.assign(OBJECT, call("tier_constant", FRAME_STATE, Literal(it.argument))))
