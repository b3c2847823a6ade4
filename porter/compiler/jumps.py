"""Translate bytecode instructions that jump, call or return; one of the mix-ins of `Walker`."""

from __future__ import annotations

from attrs import evolve

from porter.compiler.calling import CallEmitter
from porter.compiler.emitter import TAKES, CounterTest, Label, Look
from porter.compiler.mpy import BytecodeInstruction
from porter.compiler.values import BOOL, FLOAT, INT, OBJECT, TYPES, BlockState, Range, Value

_INVERSE = {
    "LESS": "MORE_EQUAL",
    "MORE": "LESS_EQUAL",
    "EQUAL": "NOT_EQUAL",
    "LESS_EQUAL": "MORE",
    "MORE_EQUAL": "LESS",
    "NOT_EQUAL": "EQUAL",
}
_SWAPPED = {"LESS": "MORE", "MORE": "LESS", "LESS_EQUAL": "MORE_EQUAL", "MORE_EQUAL": "LESS_EQUAL"}


class JumpEmitter(CallEmitter):
    """Emits branches, interrupt polls, calls and returns.

    The C++ variable `left` counts the branches until the next interrupt poll. Each branch
    decrements it, so native code polls as often as the interpreter.
    """

    def leads(self, to: int) -> bool:
        """Return whether native code continues at `to`: a block of the current stack depth."""
        block = self.graph.blocks.get(to)
        return block is not None and block.depth == len(self.state.stack)

    def truth(self, value: Value) -> str:
        """Return the C++ condition for the truth of a value."""
        if value.kind == BOOL:
            return value.text
        if value.kind in (INT, FLOAT):
            return f"({value.text} != 0)"
        known = self.variable("int", "b")
        self.say(f"{known} = tier_truth({value.text});")
        self.leave_if(f"{known} < 0")  # the truth test may run any code
        return f"({known} != 0)"

    def look(self, it: BytecodeInstruction) -> None:
        """Emit an interrupt poll before a branch.

        The interpreter polls after the jump and native code before it, both equally often.
        """
        number = next(self.sink.numbers)
        self.say(Look(f"if (TIER_UNLIKELY(left <= 0)) {{ goto Z{number}; }}"))
        self.say(Label(f"C{number}:;"))
        self.sink.cold.append(
            f"Z{number}: {self.stores(self.state, frame=False)} cs->ip = code + {it.at}; "
            "tier_give_polls(left); looked = tier_look(); if (PORTER_UNWINDING) { return cs; } "
            f"left = tier_polls(); if (!looked) {{ {self.way_out(it.at)} }} "
            f"left++; goto C{number};"
        )

    def do_jump(self, it: BytecodeInstruction) -> None:
        self.look(it)
        self.say(TAKES)
        self.on_edge(it.argument)

    def _pop_jump(self, it: BytecodeInstruction, sense: bool) -> None:
        value = self.state.stack[-1]
        when = self.truth(value)
        self.look(it)
        self.say(TAKES)
        self.state.stack.pop()
        if value.test is not None and sense:
            op, lhs, rhs = value.test
            self.tested = CounterTest(op, lhs.text, rhs.text, it.argument, when)
        self.say(f"if ({'' if sense else '!'}{when}) {{")
        before = self.state
        self.state = _learned(before.copy(), value, sense)
        self.on_edge(it.argument)
        self.say("}")
        self.state = _learned(before, value, not sense)
        self.on_edge(it.next)

    def do_pop_jump_if_true(self, it: BytecodeInstruction) -> None:
        self._pop_jump(it, True)

    def do_pop_jump_if_false(self, it: BytecodeInstruction) -> None:
        self._pop_jump(it, False)

    def _jump_or_pop(self, it: BytecodeInstruction, sense: str) -> None:
        when = self.truth(self.state.stack[-1])
        self.look(it)
        self.say(TAKES)
        self.say(f"if ({sense}{when}) {{")
        self.on_edge(it.argument)
        self.say("}")
        self.state.stack.pop()
        self.on_edge(it.next)

    def do_jump_if_true_or_pop(self, it: BytecodeInstruction) -> None:
        self._jump_or_pop(it, "")

    def do_jump_if_false_or_pop(self, it: BytecodeInstruction) -> None:
        self._jump_or_pop(it, "!")

    # ---- calls ----

    def _call(self, it: BytecodeInstruction, first: int, call: str) -> None:
        counts = f"{it.argument & 0xFF}, {it.argument >> 8 & 0xFF}"
        passed = (it.argument & 0xFF) + (it.argument >> 7 & 0x1FE) + first
        at = len(self.state.stack) - passed
        called = self.state.stack[at].boxed()
        result = Value(OBJECT, self.variable(TYPES[OBJECT]))
        if self.unit.options.enter == "apart":  # GPU: one path for all callables halves the C++
            self.say(self.stores(self.state))
            self._keep(True, variables=True)
            self._call_function(at, f"{counts} | {it.next - it.at} << 16", first == 2, result)
            self.forget()
        else:
            self.say(f"if (tier_is_called({called})) {{")
            self.say(self.stores(self.state))
            self._call_function(at, counts, first == 2, result)
            self.say("} else {")
            self.leave_if(f"tier_is_interpreted({called})")
            self.flush(at)
            text = call.format(at=at, after=at + 1, counts=counts)
            self.call(text, f"{result.text} = ")
            self.say("}")
        del self.state.stack[at:]
        self.state.stack.append(result)
        self.guess_top("the result of a call")

    def _call_function(self, at: int, counts: str, method: bool, result: Value) -> None:
        """Emit a call of the object in the frame's slot `at`.

        The callee may bail out, and the interpreter then finishes both frames. Hence the caller's
        frame is complete before the call.
        """
        arguments = f"frame + {at + 1}"
        if method:  # the next slot holds the first argument, or MP_OBJ_NULL for none
            bound = f"(frame[{at + 1}] != MP_OBJ_NULL)"
            arguments, counts = f"frame + {at + 2} - {bound}", f"{bound} + {counts}"
        self.say(f"cs->ip = code + {self.here.next}; cs->sp = frame + {at}; tier_give_polls(left);")
        self.say(f"next = called(cs, {arguments}, {counts}, native);")
        self.say(
            "if (TIER_UNLIKELY(next != NULL)) { if (next != cs || PORTER_UNWINDING) "
            f"{{ return next; }} {self.way_out(self.here.at)} }}"
        )
        self.say(f"{result.text} = frame[{at}]; left = tier_polls();")

    def do_call_function(self, it: BytecodeInstruction) -> None:
        self._call(it, 1, "mp_call_function_n_kw(frame[{at}], {counts}, &frame[{after}])")

    def do_call_method(self, it: BytecodeInstruction) -> None:
        self._call(it, 2, "mp_call_method_n_kw({counts}, &frame[{at}])")

    def end_function(self) -> None:
        """Emit RETURN_VALUE: store the value and the globals.

        In a function with exception handlers, which may read the frame, store the whole frame.
        """
        top = len(self.state.stack) - 1
        if self.graph.protected:
            self.say(self.stores(self.state))
        else:
            self.say(self.stores(self.state, only=range(top, top + 1)))
            self.say(self.stores(self.state, frame=False))
        self.sink.returns = True
        self.say(f"at = {self.here.at}; top = {top}; goto returns;")


def _learned(state: BlockState, value: Value, holds: bool) -> BlockState:
    """Narrow the ranges of a comparison's operands, given whether the comparison holds."""
    if value.test is None:
        return state
    op, lhs, rhs = value.test
    op = op if holds else _INVERSE[op]
    for one, other, how in ((lhs, rhs, op), (rhs, lhs, _SWAPPED.get(op, op))):
        range_ = _limited(one.range, how, other.range)
        if range_ is not None and range_ != one.range:
            state.narrow(one, evolve(one, range=range_))
    return state


def _limited(one: Range, op: str, other: Range) -> Range | None:
    """Return the range of `one` if `one op other` holds, or None if that range is empty."""
    low, high = one.low, one.high
    if op == "LESS":
        high = min(high, other.high - 1)
    elif op == "LESS_EQUAL":
        high = min(high, other.high)
    elif op == "MORE":
        low = max(low, other.low + 1)
    elif op == "MORE_EQUAL":
        low = max(low, other.low)
    elif op == "EQUAL":
        low, high = max(low, other.low), min(high, other.high)
    return Range(low, high) if low <= high else None
