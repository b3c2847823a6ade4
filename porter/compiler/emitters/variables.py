"""Emit accesses to local variables and closure cells."""

from __future__ import annotations

from attrs import evolve

from porter.compiler.builder import BlockBuilder
from porter.compiler.ir.expressions import NULL_OBJECT, Compare, call
from porter.compiler.ir.operations import Evaluate
from porter.compiler.mpy import BytecodeInstruction
from porter.compiler.representations import OBJECT


def load_fast(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Push a local variable; a side exit raises the exception for an unbound one."""
    value = b.state.locals[it.argument]
    if not value.bound:
        if value.kind == OBJECT:
            b.exit_if(Compare("EQUAL", value.expression, NULL_OBJECT))
        value = evolve(value, bound=True)
        b.state.locals[it.argument] = value
    kind = b.seen(it.next)
    if value.kind == OBJECT and kind is not None and b.may_speculate():
        value = b.require(value, kind, "a variable")
    b.push(value)


def store_fast(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Pop a value into a local variable."""
    b.state.locals[it.argument] = b.state.stack.pop().moved()
    b.state.views[it.argument] = False


def load_deref(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Push the value of a closure cell."""
    cell = b.state.locals[it.argument]
    value = b.assign(OBJECT, call("mp_obj_cell_get", cell.boxed()))
    b.exit_if(Compare("EQUAL", value.expression, NULL_OBJECT))
    b.state.stack.append(value)
    b.speculate_on_top("a variable of an outer function")


def store_deref(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Pop a value into a closure cell."""
    cell = b.state.locals[it.argument]
    value = b.state.stack.pop()
    b.emit(Evaluate(call("mp_obj_cell_set", cell.boxed(), value.boxed())))
