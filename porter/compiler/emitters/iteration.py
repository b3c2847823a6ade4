"""Emit iterators and `for` loops over them."""

from __future__ import annotations

from porter.compiler.builder import NOT_A, BlockBuilder
from porter.compiler.ir.expressions import (
    NOTHING,
    NULL,
    ZERO,
    AddressOf,
    Compare,
    FrameSlot,
    HasType,
    Not,
    Symbol,
    Temporary,
    call,
)
from porter.compiler.ir.operations import If, NextInteger, NextItem, SlowPath
from porter.compiler.mpy import BytecodeInstruction
from porter.compiler.opcodes import ITERATOR
from porter.compiler.representations import INT, MEMORY, OBJECT
from porter.compiler.values import Value

_STOP = Symbol("MP_OBJ_STOP_ITERATION")


def get_iterator(b: BlockBuilder, _: BytecodeInstruction) -> None:
    """Replace an iterable by its iterator, on the heap."""
    b.state.stack[-1] = b.invoked(call("mp_getiter", b.state.stack[-1].boxed(), NULL))


def get_iterator_on_stack(b: BlockBuilder, _: BytecodeInstruction) -> None:
    """Replace an iterable by its iterator, in slots of the frame."""
    at = len(b.state.stack) - 1
    b.flush(at)
    b.invoke(call("tier_iterate", AddressOf(FrameSlot(at))))
    del b.state.stack[at:]
    b.state.stack.extend([Value(MEMORY, NOTHING, True)] * ITERATOR)


def for_iterator(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Push the next item of an iterator in the frame, or drop the iterator and jump.

    If the iterator raises StopIteration, the interpreter handles that in this frame.
    """
    at = len(b.state.stack) - ITERATOR
    found = b.temporary("mp_obj_t")
    if b.hot and b.seen(it.next) == INT and b.may_speculate():
        value = _next_integer(b, it, at, found)
        ended = Compare("LESS_EQUAL", Symbol("counted"), ZERO)
    else:
        b.emit(_next(b, it, at, found))
        value = Value(OBJECT, found)
        ended = Compare("EQUAL", found, _STOP)
    before = b.state.copy()
    with b.nested() as body:
        del b.state.stack[at:]
        b.edge(it.argument)
    b.emit(If(ended, tuple(body)))
    b.state = before
    b.state.stack.append(value)
    b.speculate_on_top("an element")
    b.edge(it.next)


def _next_integer(b: BlockBuilder, it: BytecodeInstruction, at: int, found: Temporary) -> Value:
    """Emit the next integer; an integer from a range is never boxed."""
    value = b.temporary("int64_t")
    general = _next(b, it, at, found)
    after = b.state.copy()
    after.stack.append(Value(OBJECT, found))
    fails, what = Not(HasType(INT, found)), f"an element is {NOT_A[INT]}"
    guard = b.guard_at(fails, what, it.next, after)
    b.emit(NextInteger(FrameSlot(at), value, general, guard))
    return Value(INT, value)


def _next(b: BlockBuilder, it: BytecodeInstruction, at: int, found: Temporary) -> NextItem:
    iterator = AddressOf(FrameSlot(at))
    stores = b.stores(frame=b.graph.protected)
    quick = b.invocation(call("tier_quick_next", iterator), found)
    # Other iterators may run any code. A side exit follows if a global has changed.
    top = len(b.state.stack) - 1
    slow = b.invocation(call("tier_next", iterator), found, top)
    more, ended = b.state.copy(), b.state.copy()
    more.stack.append(Value(OBJECT, found))
    del ended.stack[at:]
    for state in (more, ended):
        state.names[:] = [None] * len(state.names)
    exits = [
        (Compare("EQUAL", found, _STOP), b.side_exit(it.argument, ended)),
        (None, b.side_exit(it.next, more)),
    ]
    path = SlowPath(b.stores(), slow, b.global_checks(exits), (), b.set_views())
    return NextItem(found, stores, quick, path)
