"""Translate one block of bytecode: execute it symbolically on values, and emit C++.

Data flow analysis (flow.py) and the writer (writer.py) share this walk; the former drops the C++.
Native code ends at an instruction that the walk does not support, or whose operands do not fit. A
side exit stores all slots to the frame there, and the interpreter runs the instruction.
"""

from __future__ import annotations

import math

from attrs import evolve

from porter.compiler import arithmetic
from porter.compiler.containers import ContainerEmitter
from porter.compiler.effects import CALLS, KNOWN, needs
from porter.compiler.emitter import Sink, WholeFunction
from porter.compiler.graph import CodeBlock
from porter.compiler.integers import settle_all
from porter.compiler.jumps import JumpEmitter
from porter.compiler.mpy import BytecodeInstruction, Constant
from porter.compiler.names import NameEmitter
from porter.compiler.values import (
    BOOL,
    FLOAT,
    INT,
    LEAST,
    MOST,
    OBJECT,
    BlockState,
    Range,
    Shape,
    Value,
)

_INT_CONSTANT, _FLOAT_CONSTANT = 7, 8
_DIGITS = 20  # an integer constant of that many characters is no small integer
# Instructions without side effects, before which deoptimization may resume the interpreter.
_PURE = frozenset(
    [
        "LOAD_FAST",
        "LOAD_NAME",
        "LOAD_GLOBAL",
        "LOAD_CONST_SMALL_INT",
        "LOAD_CONST_OBJ",
        "BINARY_OP",
    ]
)


class Walker(NameEmitter, ContainerEmitter, JumpEmitter):
    """Translates the blocks of one function."""

    def __init__(self, unit: WholeFunction, sink: Sink) -> None:
        super().__init__(unit, sink)
        self.on_edge = self._note

    def walk(self, block: CodeBlock, state: BlockState) -> dict[int, Shape]:
        """Translate a block.

        Args:
            block: The block.
            state: The slots at its start; updated.

        Returns:
            The shape with which control flow reaches each successor, by position.
        """
        self.state, self.block = state, block
        self.hot = block.at in self.graph.again
        self.edges, self.done, self.ended = {}, None, False
        for instruction in block.code:
            if instruction is self.done:
                continue
            self.here = instruction
            if instruction.name not in _PURE:
                settle_all(self)
            if instruction.name == "RETURN_VALUE":
                self.end_function()
                return self.edges
            if instruction.name not in KNOWN or len(self.state.stack) < needs(instruction):
                self.say(self.way_out(instruction.at))
                return self.edges
            getattr(self, f"do_{instruction.name.lower()}")(instruction)
            if self.ended:
                return self.edges
        last = block.last
        if last.name != "JUMP" and len(block.followers) == 1:
            settle_all(self)
            self.on_edge(block.followers[0])
        return self.edges

    def _note(self, to: int) -> None:
        if self.leads(to):
            self.edges[to] = self.state.shape()

    # ---- constants and variables ----

    def push(self, value: Value) -> None:
        """Push a value."""
        self.state.stack.append(value.moved())

    def do_load_const_false(self, _: BytecodeInstruction) -> None:
        self.push(Value(BOOL, "false"))

    def do_load_const_true(self, _: BytecodeInstruction) -> None:
        self.push(Value(BOOL, "true"))

    def do_load_const_none(self, _: BytecodeInstruction) -> None:
        self.push(Value(OBJECT, "mp_const_none"))

    def do_load_null(self, _: BytecodeInstruction) -> None:
        self.push(Value(OBJECT, "MP_OBJ_NULL"))

    def do_load_const_small_int(self, it: BytecodeInstruction) -> None:
        number = it.argument
        self.push(Value(INT, f"INT64_C({number})", range=Range(number, number)))

    def do_load_const_string(self, it: BytecodeInstruction) -> None:
        self.push(self.new(OBJECT, f"MP_OBJ_NEW_QSTR(tier_name(cs, {it.argument}))"))

    def do_load_const_obj(self, it: BytecodeInstruction) -> None:
        constant: Constant = self.module.constants[it.argument]
        if constant.kind == _FLOAT_CONSTANT:
            number = float(constant.text)
            if math.isfinite(number):
                self.push(Value(FLOAT, f"({number.hex()})"))
                return
        if constant.kind == _INT_CONSTANT and len(constant.text) < _DIGITS:
            whole = int(constant.text)
            # Constant folding in the interpreter makes a large integer of the minimum.
            if LEAST < whole <= MOST:
                self.push(Value(INT, f"INT64_C({whole})", range=Range(whole, whole)))
                return
        self.push(self.new(OBJECT, f"tier_constant(cs, {it.argument})"))

    def do_load_fast(self, it: BytecodeInstruction) -> None:
        value = self.state.locals[it.argument]
        if not value.bound:
            if value.kind == OBJECT:
                self.leave_if(f"{value.text} == MP_OBJ_NULL")
            value = evolve(value, bound=True)
            self.state.locals[it.argument] = value
        kind = self.seen(it.next)
        if value.kind == OBJECT and kind is not None and self.may_guess():
            value = self.require(value, kind, "a variable")
        self.push(value)

    def do_store_fast(self, it: BytecodeInstruction) -> None:
        self.state.locals[it.argument] = self.state.stack.pop().moved()
        self.state.views[it.argument] = False

    # ---- the stack's order ----

    def do_dup_top(self, _: BytecodeInstruction) -> None:
        self.push(self.state.stack[-1])

    def do_dup_top_two(self, _: BytecodeInstruction) -> None:
        self.push(self.state.stack[-2])
        self.push(self.state.stack[-2])

    def do_pop_top(self, _: BytecodeInstruction) -> None:
        self.state.stack.pop()

    def do_rot_two(self, _: BytecodeInstruction) -> None:
        top, below = self.state.stack.pop(), self.state.stack.pop()
        self.push(top)
        self.push(below)

    def do_rot_three(self, _: BytecodeInstruction) -> None:
        top, below, lowest = (self.state.stack.pop() for _ in range(3))
        self.push(top)
        self.push(lowest)
        self.push(below)

    # ---- operators ----

    def do_unary_op(self, it: BytecodeInstruction) -> None:
        if self.tables.unary[it.argument] == "NOT":
            truth = self.truth(self.state.stack[-1])
            self.state.stack[-1] = Value(BOOL, f"(!{truth})")
            return
        arithmetic.unary(self, it)

    def do_binary_op(self, it: BytecodeInstruction) -> None:
        arithmetic.binary(self, it)


assert all(hasattr(Walker, f"do_{name.lower()}") for name in KNOWN | CALLS)
