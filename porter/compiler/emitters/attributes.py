"""Emit accesses to attributes and methods."""

from __future__ import annotations

from porter.compiler.builder import BlockBuilder
from porter.compiler.ir.expressions import (
    FRAME_STATE,
    NULL_OBJECT,
    AddressOf,
    Compare,
    FrameSlot,
    Item,
    Literal,
    Not,
    call,
    name_of,
)
from porter.compiler.ir.operations import Assign
from porter.compiler.mpy import BytecodeInstruction
from porter.compiler.representations import OBJECT
from porter.compiler.values import Value


def load_attribute(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Replace the top of the stack by one of its attributes."""
    holder = b.state.stack[-1].boxed()
    found = b.temporary("mp_obj_t")
    b.emit(Assign(found, call("tier_member", FRAME_STATE, holder, Literal(it.argument))))
    b.fast_path(
        Compare("EQUAL", found, NULL_OBJECT),
        call("mp_load_attr", holder, name_of(it.argument)),
        1,
        [Value(OBJECT, found)],
        target=found,
    )
    b.speculate_on_top(f"attribute {b.name(it.argument)}")


def store_attribute(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Pop an object and a value, and store the value to an attribute."""
    holder, value = b.state.stack[-1].boxed(), b.state.stack[-2].boxed()
    if b.state.stack[-2].kind == OBJECT:
        b.exit_if(Compare("EQUAL", value, NULL_OBJECT))  # MP_OBJ_NULL means `del`
    b.fast_path(
        Not(call("tier_store_member", FRAME_STATE, holder, Literal(it.argument), value)),
        call("mp_store_attr", holder, name_of(it.argument), value),
        2,
    )


def load_method(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Replace the top of the stack by a method and its first argument, or no value."""
    holder = b.state.stack[-1].boxed()
    found = b.array(2)
    b.fast_path(
        Not(call("tier_method", FRAME_STATE, holder, Literal(it.argument), found)),
        call("mp_load_method", holder, name_of(it.argument), found),
        1,
        [Value(OBJECT, Item(found, 0)), Value(OBJECT, Item(found, 1))],
    )
    b.state.stack[-2:] = [b.assign(OBJECT, v.expression) for v in b.state.stack[-2:]]


def load_super_method(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Replace the arguments of super() by a method and its first argument."""
    at = len(b.state.stack) - 3
    b.flush(at)
    b.invoke(call("mp_load_super_method", name_of(it.argument), AddressOf(FrameSlot(at))))
    del b.state.stack[at:]
    b.state.stack.extend(b.assign(OBJECT, FrameSlot(at + k)).saved() for k in range(2))
