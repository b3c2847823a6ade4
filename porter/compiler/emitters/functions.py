"""Emit the creation of functions, calls and returns."""

from __future__ import annotations

from porter.compiler.builder import BlockBuilder
from porter.compiler.ir.expressions import (
    FRAME_STATE,
    NULL,
    AddressOf,
    FrameSlot,
    HelperCall,
    Literal,
    call,
)
from porter.compiler.ir.operations import CallFrame, If, Return
from porter.compiler.mpy import BytecodeInstruction
from porter.compiler.representations import OBJECT
from porter.compiler.values import Value

_HAS_DEFAULTS = 0x100  # added to the number of closure cells if default arguments precede them

# ---- creation ----


def make_function(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Push a function."""
    _make(b, it, 0, 0)


def make_function_with_defaults(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Replace default arguments by a function that has them."""
    _make(b, it, 2, 0)


def make_closure(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Replace closure cells by a function that has them."""
    _make(b, it, it.extra, it.extra)


def make_closure_with_defaults(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Replace default arguments and closure cells by a function that has them."""
    _make(b, it, 2 + it.extra, _HAS_DEFAULTS | it.extra)


def _make(b: BlockBuilder, it: BytecodeInstruction, taken: int, count: int) -> None:
    at = len(b.state.stack) - taken
    b.flush(at)
    given = AddressOf(FrameSlot(at)) if taken else NULL
    made = call("tier_make_function", FRAME_STATE, Literal(it.argument), Literal(count), given)
    value = b.invoked(made, plain=True)
    del b.state.stack[at:]
    b.state.stack.append(value)


# ---- calls ----


def call_function(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Replace a callee and its arguments by the result of the call."""
    _call(b, it, method=False)


def call_method(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Replace a method, its first argument or no value, and arguments by the result of the call."""
    _call(b, it, method=True)


def _call(b: BlockBuilder, it: BytecodeInstruction, *, method: bool) -> None:
    positional, keywords = it.argument & 0xFF, it.argument >> 8 & 0xFF
    at = len(b.state.stack) - positional - 2 * keywords - (2 if method else 1)
    callee = b.state.stack[at].boxed()
    result = b.temporary("mp_obj_t")

    def call_frame(length: int) -> None:
        # The callee may bail out, and the interpreter then finishes both frames. Hence the
        # caller's frame is complete before the call.
        exit_ = b.side_exit(b.here.at)
        after = b.here.next
        b.emit(CallFrame(at, after, positional, keywords, method, length, result, exit_))

    if b.options.enter == "apart":  # GPU: one path for all callables halves the C++
        b.store(b.stores())
        b.mark_saved(True, variables=True)
        call_frame(it.next - it.at)
        b.forget()
    else:
        with b.nested() as native:
            b.store(b.stores())
            call_frame(0)
        with b.nested() as general:
            b.exit_if(call("tier_is_interpreted", callee))
            b.flush(at)
            b.invoke(_upstream_call(at, positional, keywords, method), result)
        b.emit(If(call("tier_is_called", callee), tuple(native), tuple(general)))
    del b.state.stack[at:]
    b.state.stack.append(Value(OBJECT, result))
    b.speculate_on_top("the result of a call")


def _upstream_call(at: int, positional: int, keywords: int, method: bool) -> HelperCall:
    counts = Literal(positional), Literal(keywords)
    if method:
        return call("mp_call_method_n_kw", *counts, AddressOf(FrameSlot(at)))
    arguments = AddressOf(FrameSlot(at + 1))
    return call("mp_call_function_n_kw", FrameSlot(at), *counts, arguments)


def return_value(b: BlockBuilder, _: BytecodeInstruction) -> None:
    """Return the top of the stack: store the value and the globals.

    In a function with exception handlers, which may read the frame, store the whole frame.
    """
    top = len(b.state.stack) - 1
    if b.graph.protected:
        b.store(b.stores())
    else:
        b.store(b.state.stack_stores(range(top, top + 1)))
        b.store(b.stores(frame=False))
    b.emit(Return(b.here.at, top))
