"""Emit instructions that reorder the stack; they become no code."""

from __future__ import annotations

from porter.compiler.builder import BlockBuilder
from porter.compiler.mpy import BytecodeInstruction


def duplicate(b: BlockBuilder, _: BytecodeInstruction) -> None:
    """Push the top of the stack again."""
    b.push(b.state.stack[-1])


def duplicate_two(b: BlockBuilder, _: BytecodeInstruction) -> None:
    """Push the two values on top of the stack again."""
    b.push(b.state.stack[-2])
    b.push(b.state.stack[-2])


def pop(b: BlockBuilder, _: BytecodeInstruction) -> None:
    """Drop the top of the stack."""
    b.state.stack.pop()


def rotate_two(b: BlockBuilder, _: BytecodeInstruction) -> None:
    """Swap the two values on top of the stack."""
    top, below = b.state.stack.pop(), b.state.stack.pop()
    b.push(top)
    b.push(below)


def rotate_three(b: BlockBuilder, _: BytecodeInstruction) -> None:
    """Move the top of the stack below the next two values."""
    top, below, lowest = (b.state.stack.pop() for _ in range(3))
    b.push(top)
    b.push(lowest)
    b.push(below)
