"""Emit accesses to elements of containers, and the construction of containers.

Elements that type feedback saw as numbers stay unboxed.
"""

from __future__ import annotations

from porter.compiler.builder import BlockBuilder
from porter.compiler.emitters.integers import from_bool
from porter.compiler.ir.expressions import (
    NONE,
    NULL_OBJECT,
    SENTINEL,
    AddressOf,
    Compare,
    Expression,
    FramePointer,
    HelperCall,
    Item,
    Literal,
    Not,
    Temporary,
    ViewAccess,
    call,
)
from porter.compiler.ir.operations import Assign
from porter.compiler.mpy import BytecodeInstruction
from porter.compiler.representations import BOOL, FLOAT, INT, OBJECT
from porter.compiler.values import C_TYPES, Value

_LOADS = {INT: "tier_int_element", FLOAT: "tier_float_element"}
_STORES = {INT: "tier_store_int", FLOAT: "tier_store_float"}
_LIST, _DICT = 0, 1  # containers of STORE_COMP

# ---- elements ----


def load_subscript(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Replace a container and an index by the element."""
    container, index = b.state.stack[-2:]
    kind = b.seen(it.next)
    hot = b.hot and container.kind == OBJECT and b.may_speculate()
    if index.kind == BOOL:
        index = from_bool(index)
    if hot and kind in _LOADS and index.kind == OBJECT:
        index = b.require(index, INT, "an index")
    holder = b.state.holder(container)
    if hot and index.kind == INT and (kind in _LOADS or holder is not None):
        number = kind if kind is not None and kind in _LOADS else OBJECT
        _load_element(b, number, container, index, holder)
    else:
        found = b.temporary("mp_obj_t")
        x, y = container.boxed(), index.boxed()
        b.emit(Assign(found, call("tier_element", x, y)))
        b.fast_path(
            Compare("EQUAL", found, NULL_OBJECT),
            call("mp_obj_subscr", x, y, SENTINEL),
            2,
            [Value(OBJECT, found)],
            target=found,
        )
    b.speculate_on_top("an element")


def _load_element(
    b: BlockBuilder, kind: str, container: Value, index: Value, holder: int | None
) -> None:
    result = b.temporary(C_TYPES[kind])
    found = result if kind == OBJECT else b.temporary("mp_obj_t")
    fast: HelperCall | ViewAccess
    if holder is None:
        fast = call(_LOADS[kind], container.expression, index.expression, AddressOf(result))
    else:
        b.view(holder)
        fast = ViewAccess(holder, kind, index.expression, AddressOf(result))
    b.fast_path(
        Not(fast),
        call("mp_obj_subscr", container.expression, index.boxed(), SENTINEL),
        2,
        [Value(kind, result)],
        target=found,
        unboxed=None if kind == OBJECT else found,
    )


def store_subscript(b: BlockBuilder, _: BytecodeInstruction) -> None:
    """Pop a value, a container and an index, and store the value as the element."""
    value, container, index = b.state.stack[-3:]
    x, y, z = container.boxed(), index.boxed(), value.boxed()
    if value.kind == OBJECT:
        b.exit_if(Compare("EQUAL", z, NULL_OBJECT))  # MP_OBJ_NULL means `del`
    fast: HelperCall | ViewAccess = call("tier_store_element", x, y, z)
    if b.hot and container.kind == OBJECT and index.kind == INT:
        holder = b.state.holder(container)
        unboxed = value.kind in _STORES
        if holder is not None:
            b.view(holder)
            kind, word = (value.kind, value.expression) if unboxed else (OBJECT, z)
            fast = ViewAccess(holder, kind, index.expression, word, stores=True)
        elif unboxed:
            fast = call(_STORES[value.kind], x, index.expression, value.expression)
    b.fast_path(Not(fast), call("mp_obj_subscr", x, y, z), 3)


def unpack_sequence(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Replace a sequence by its elements."""
    sequence = b.state.stack[-1].boxed()
    items: Temporary = b.array(max(it.argument, 1))
    count = Literal(it.argument)
    b.fast_path(
        Not(call("tier_unpack", sequence, count, items)),
        call("mp_unpack_sequence", sequence, count, items),
        1,
        [Value(OBJECT, Item(items, number)) for number in range(it.argument)],
    )
    at = len(b.state.stack) - it.argument
    b.state.stack[at:] = [b.assign(OBJECT, v.expression) for v in b.state.stack[at:]]
    if it.argument:
        b.speculate_on_top("an element")


# ---- construction ----


def _build(b: BlockBuilder, it: BytecodeInstruction, maker: str, plain: bool = True) -> None:
    at = len(b.state.stack) - it.argument
    b.flush(at)
    value = b.invoked(call(maker, Literal(it.argument), FramePointer(at)), plain=plain)
    del b.state.stack[at:]
    b.state.stack.append(value)


def build_tuple(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Replace values by a tuple of them."""
    _build(b, it, "mp_obj_new_tuple")


def build_list(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Replace values by a list of them."""
    _build(b, it, "mp_obj_new_list")


def build_set(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Replace values by a set of them, whose hashes and comparisons may run any code."""
    _build(b, it, "mp_obj_new_set", plain=False)


def build_map(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Push an empty dict."""
    made = call("mp_obj_new_dict", Literal(it.argument))
    b.state.stack.append(b.invoked(made, plain=True))


def build_slice(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Replace start, stop and step by a slice, or by the subscript that follows."""
    after = next(other for other in b.graph.function.code if other.at == it.next)
    if after.name not in ("LOAD_SUBSCR", "STORE_SUBSCR"):
        at, limits = _slice(b, it)
        value = b.invoked(call("mp_obj_new_slice", *limits), plain=True)
        b.state.stack[at:] = [value]
    elif after not in b.context.block.code:
        b.exit(it.at)  # the interpreter runs both instructions as one
        b.ended = True
    else:
        _subscript_by_slice(b, it, after)


def _slice(b: BlockBuilder, it: BytecodeInstruction) -> tuple[int, list[Expression]]:
    """Return the stack position of a slice's start, and the slice's start, stop and step."""
    at = len(b.state.stack) - it.argument
    limits = [value.boxed() for value in b.state.stack[at:]]
    return at, [*limits, NONE][:3]


def _subscript_by_slice(
    b: BlockBuilder, it: BytecodeInstruction, after: BytecodeInstruction
) -> None:
    """Emit a slice and its subscript as one call, as the interpreter does.

    The slice then needs no heap unless other code may keep it.
    """
    at, limits = _slice(b, it)
    stores = after.name == "STORE_SUBSCR"
    value = b.state.stack[at - 2].boxed() if stores else SENTINEL
    container = b.state.stack[at - 1].boxed()
    subscript = call("tier_slice", container, *limits, value)
    if stores:
        b.invoke(subscript)
        del b.state.stack[at - 2 :]
    else:
        b.state.stack[at - 1 :] = [b.invoked(subscript)]
    b.here = b.done = after
    if not stores:
        b.speculate_on_top("a slice")


def store_map(b: BlockBuilder, _: BytecodeInstruction) -> None:
    """Pop a key and a value into the dict below them."""
    container, value, key = (v.boxed() for v in b.state.stack[-3:])
    b.invoke(call("mp_obj_dict_store", container, key, value))
    del b.state.stack[-2:]


def store_comprehension(b: BlockBuilder, it: BytecodeInstruction) -> None:
    """Pop an item into the container that a comprehension builds."""
    stack = b.state.stack
    container = stack[len(stack) - 1 - (it.argument >> 2)].boxed()
    kind = it.argument & 3
    if kind == _DICT:
        key, value = stack[-1].boxed(), stack[-2].boxed()
        b.invoke(call("mp_obj_dict_store", container, key, value))
        del stack[-2:]
    else:
        plain = kind == _LIST
        maker = "mp_obj_list_append" if plain else "mp_obj_set_store"
        b.invoke(call(maker, container, stack[-1].boxed()), plain=plain)
        del stack[-1:]
