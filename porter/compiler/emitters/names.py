"""Emit accesses to globals, each in a C++ variable from its first use to the next unknown call."""

from __future__ import annotations

from porter.compiler.builder import BlockBuilder
from porter.compiler.mpy import BytecodeInstruction


def load_global(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Push a global."""
    slot = b.graph.slots[it.argument]
    value = b.state.names[slot]
    if value is None:
        value = b.load_global(slot)
        b.state.names[slot] = value.saved()
    b.push(value)
    b.speculate_on_top(b.name(it.argument))


def store_global(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Pop a value into a global."""
    slot = b.graph.slots[it.argument]
    if b.state.names[slot] is None:
        b.load_address(slot)
    b.state.names[slot] = b.state.stack.pop().moved()
    b.state.views[b.graph.variables + slot] = False
