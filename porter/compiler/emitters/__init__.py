"""Emitters: one function for each bytecode instruction, which appends IR to a `BlockBuilder`.

An emitter takes values from `b.state.stack`, emits operations, and pushes values. The opcode table
names the emitter of each instruction. A call that may raise goes through `BlockBuilder.invoke`. A
speculation goes through `BlockBuilder.guard`, which restores the frame to its state before the
instruction.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from porter.compiler.builder import BlockBuilder
from porter.compiler.mpy import BytecodeInstruction
from porter.compiler.opcodes import OPCODES

Emitter = Callable[[BlockBuilder, BytecodeInstruction], None]


def _emitter(path: str) -> Emitter:
    module, name = path.split(".")
    found: Emitter = getattr(import_module(f"{__name__}.{module}"), name)
    return found


EMITTERS = {name: _emitter(row.emitter) for name, row in OPCODES.items() if row.emitter}
