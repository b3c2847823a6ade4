"""Translate one block of bytecode to IR: execute it symbolically on values.

Data flow analysis (flow.py) and the construction of a function's IR (construction.py) share this
translation; the former drops the operations. Native code ends at an instruction that has no
emitter, or whose operands do not fit. A side exit stores all slots to the frame there, and the
interpreter runs the instruction.
"""

from __future__ import annotations

from porter.compiler.builder import BlockBuilder, BlockContext
from porter.compiler.emitters import EMITTERS
from porter.compiler.emitters.integers import settle_all
from porter.compiler.opcodes import Control, Trait, opcode, pops
from porter.compiler.values import BlockState


def translate_block(context: BlockContext, state: BlockState) -> BlockBuilder:
    """Translate a block.

    Args:
        context: The block, its function, and what an edge becomes.
        state: The slots at its start; updated.

    Returns:
        The builder with the block's operations.
    """
    b = BlockBuilder(context, state)
    for instruction in context.block.code:
        if instruction is b.done:
            continue
        b.here = instruction
        row = opcode(instruction.name)
        if not row.has(Trait.PURE):
            settle_all(b)
        needed = pops(instruction.name, instruction.argument, instruction.extra)
        if not row.emitter or len(b.state.stack) < needed:
            b.exit(instruction.at)
            return b
        EMITTERS[instruction.name](b, instruction)
        if b.ended or row.control is Control.STOP:
            return b
    last = context.block.last
    if last.name != "JUMP" and len(context.block.followers) == 1:
        settle_all(b)
        b.edge(context.block.followers[0])
    return b


def note_edge(b: BlockBuilder, to: int) -> None:
    """Note the slots with which control flow reaches a successor, for data flow analysis."""
    if b.leads(to):
        b.edges[to] = b.state.shape()
