"""State changes: writes to state that outlives a call, by one function and by its callees.

The writes of a function are extracted in source order. A fixpoint over the call graph gives the net
changes of static storage by a call of each function.

The facts of a unit hold the writes to static storage. `change_pairs.py` finds the changes that a
later step of the same function undoes.
A *path* names the lvalue of a write:

    v:NAME.field       a variable with static storage, or a field of one
    l:OFFSET->.field   the target of a pointer in a local variable or a parameter
    l:OFFSET.field     a local variable itself, which is invisible to callers
    &PATH              the address of one of these

`change_pairs.py` uses net changes to match a call that opens a resource with the call that closes
it. `gc_lock` and `gc_unlock` match because one increments the field that the other decrements.
Their names do not matter.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property

from attrs import field, frozen

from porter.rewrite.integer_values import constant
from porter.rewrite.queries import (
    below_casts,
    body,
    callee,
    calls_pointer,
    evaluated,
    initialiser,
    is_address,
    is_setjmp,
    strip,
    symbol_key,
)
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, TypeKind

ADD, OR, AND, SET, CALL = "add", "or", "and", "set", "call"
POINTER = "*"  # the callee of a call through a pointer
_AGGREGATES = (TypeKind.RECORD, TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY)
_STATIC, _LOCAL = "v:", "l:"


@frozen
class StateStep:
    """A write or a call in a function.

    Attributes:
        how: `add`, `or`, `and`, `set` or `call`.
        path: The written path. For a call: the callee's key, or `*` for a call through a pointer.
        value: The amount or the bits, a decimal number. For `set`: `=N` for a constant, `p:I` for
            parameter I, the path that is read, or empty for any other value. For a call: empty.
    """

    how: str
    path: str
    value: str = ""


@frozen(eq=False)
class Placed:
    """A step and its node: the assignment, the increment or the call."""

    step: StateStep
    node: Node


class FunctionChanges:
    """The steps of one function with a body, and the paths of its expressions."""

    def __init__(self, function: Node) -> None:
        self.function = function
        self.unit = function.unit
        block = body(function)
        assert block is not None
        self.block = block
        self._parameters = [
            argument.location.offset for argument in function.cursor.get_arguments()
        ]

    @cached_property
    def steps(self) -> list[Placed]:
        """The calls, and the writes to storage that outlives the function, in source order."""
        return list(self._read())

    @cached_property
    def saved(self) -> dict[str, tuple[str, ...]]:
        """The sources of saved values (paths, or `call KEY` for getters), by the saving path."""
        kept: dict[str, dict[str, None]] = {}
        for node in self.block.walk(evaluated):
            to, value = _assigned(node)
            if value is None:
                continue
            name = self._declared(node) if node.kind == K.VAR_DECL else self.path(to)
            source = self._source(value)
            if name and source:
                kept.setdefault(name, {})[source] = None
        return {name: tuple(found) for name, found in kept.items()}

    @property
    def writes(self) -> tuple[StateStep, ...]:
        """The writes to static storage, in source order."""
        return tuple(
            placed.step
            for placed in self.steps
            if placed.step.how != CALL and is_static(placed.step.path)
        )

    @property
    def kept(self) -> tuple[tuple[str, str], ...]:
        """The names of fields, reached by pointer, that save a value, each with its source."""
        return tuple(
            (name.rpartition(".")[2], source)
            for name, sources in self.saved.items()
            if "->" in name and "." in name
            for source in sources
            if is_static(source) or source.startswith("call ")
        )

    @property
    def returned(self) -> str:
        """The path of static storage that a getter returns; empty for any other function."""
        last = self.block.children[-1] if len(self.block.children) == 1 else None
        if last is None or last.kind != K.RETURN_STMT or not last.children:
            return ""
        path = self.path(last.children[0])
        return path if is_static(path) else ""

    # Paths

    def path(self, node: Node | None) -> str:
        """Return the path of an expression, or an empty string if it has none."""
        if node is None:
            return ""
        node = below_casts(node)
        if node.kind == K.DECL_REF_EXPR:
            return self._variable(node)
        if node.kind == K.MEMBER_REF_EXPR and node.children:
            below = node.children[0]
            inner = self.path(below)
            if not inner:
                return ""
            if strip(below).canonical.kind == TypeKind.POINTER:
                return f"{self._behind(inner)}.{node.spelling}"
            return f"{inner}.{node.spelling}"
        if node.kind == K.UNARY_OPERATOR and node.text.startswith("*"):
            inner = self.path(node.children[0])
            return self._behind(inner) if inner else ""
        if node.kind == K.ARRAY_SUBSCRIPT_EXPR:
            base, index = node.children
            inner = self.path(base)
            if not inner:
                return ""
            is_pointer = strip(base).canonical.kind == TypeKind.POINTER
            return f"{self._behind(inner) if is_pointer else inner}[{strip(index).text}]"
        if is_address(node):
            inner = self.path(node.children[0])
            return f"&{inner}" if inner else ""
        return ""

    def _behind(self, path: str) -> str:
        """Return the path of a pointer's target."""
        pointer = self._aliases.get(path, path)
        return pointer[1:] if pointer.startswith("&") else f"{pointer}->"

    @cached_property
    def _aliases(self) -> dict[str, str]:
        """The addresses held by local pointers that are initialised and never reassigned."""
        self.__dict__["_aliases"] = {}  # empty while computed: `path` recurses here
        found: dict[str, str] = {}
        changed: set[str] = set()
        for node in self.block.walk(evaluated):
            to, value = _assigned(node)
            if node.kind == K.VAR_DECL:
                if value is not None and node.canonical.kind == TypeKind.POINTER:
                    path = self.path(value)
                    if path.startswith("&"):
                        found[self._declared(node)] = path
            elif to is not None:
                changed.add(self.path(to))
            elif _is_step(node):
                changed.add(self.path(node.children[0]))
        return {name: path for name, path in found.items() if name not in changed}

    def _declared(self, node: Node) -> str:
        if node.cursor.storage_class.name in ("STATIC", "EXTERN"):
            return _STATIC + symbol_key(self.unit.name, node.cursor)
        return f"{_LOCAL}{node.cursor.location.offset}"

    def _variable(self, node: Node) -> str:
        cursor = node.referenced
        if cursor is None or cursor.kind not in (K.VAR_DECL, K.PARM_DECL):
            return ""
        if cursor.kind == K.VAR_DECL and cursor.linkage.name in ("EXTERNAL", "INTERNAL"):
            return _STATIC + symbol_key(self.unit.name, cursor)
        if cursor.storage_class.name == "STATIC":
            return _STATIC + symbol_key(self.unit.name, cursor)
        return f"{_LOCAL}{cursor.location.offset}"

    def parameter(self, path: str) -> int | None:
        """Return the position of the parameter that a path names, or None."""
        for number, offset in enumerate(self._parameters):
            if path == f"{_LOCAL}{offset}":
                return number
        return None

    # Steps

    def _read(self) -> Iterator[Placed]:
        """Yield the steps in evaluation order: a call comes after its arguments."""
        found: list[tuple[int, int, Placed]] = []
        for number, node in enumerate(self.block.walk(evaluated)):
            step = self._step(node)
            if step is not None:
                found.append((node.end, -number, Placed(step, node)))
        for _, _, placed in sorted(found, key=lambda entry: entry[:2]):
            yield placed

    def _step(self, node: Node) -> StateStep | None:
        if node.kind == K.CALL_EXPR:
            target = callee(node)
            if target is None or target.referenced is None:
                return StateStep(CALL, POINTER) if calls_pointer(node) else None
            if is_setjmp(node):
                return None
            return StateStep(CALL, symbol_key(self.unit.name, target.referenced))
        if _is_step(node):
            return self._write(node.children[0], ADD, "1" if "++" in node.text else "-1")
        if node.kind == K.COMPOUND_ASSIGNMENT_OPERATOR:
            operator, value = node.binary_operator()[:-1], constant(node.children[1])
            how = {"+": ADD, "-": ADD, "|": OR, "&": AND}.get(operator)
            if how is None or value is None:
                return self._write(node.children[0], SET, "")
            return self._write(node.children[0], how, str(-value if operator == "-" else value))
        if node.kind == K.BINARY_OPERATOR and node.binary_operator() == "=":
            return self._write(node.children[0], SET, self._value(node.children[1]))
        return None

    def _write(self, to: Node, how: str, value: str) -> StateStep | None:
        path = self.path(to)
        if not path or not outlives(path) or strip(to).canonical.kind in _AGGREGATES:
            return None
        return StateStep(how, path, value)

    def _value(self, node: Node) -> str:
        value = constant(node)
        if value is not None:
            return f"={value}"
        path = self.path(node)
        number = self.parameter(path)
        if number is not None:
            return f"p:{number}"
        return path

    def _source(self, node: Node) -> str:
        """Return the path that a value is read from, or `call KEY`."""
        node = strip(node)
        if node.kind == K.CALL_EXPR:
            target = callee(node)
            if target is None or target.referenced is None:
                return ""
            return f"call {symbol_key(self.unit.name, target.referenced)}"
        return self.path(node)


def is_static(path: str) -> bool:
    """Return whether a path begins at a variable with static storage and follows no pointer."""
    return path.startswith(_STATIC) and "->" not in path


def outlives(path: str) -> bool:
    """Return whether the storage that a path names still exists after the function has returned."""
    return path.startswith(_STATIC) or "->" in path


def _is_step(node: Node) -> bool:
    return node.kind == K.UNARY_OPERATOR and (
        node.text.startswith(("++", "--")) or node.text.endswith(("++", "--"))
    )


def _assigned(node: Node) -> tuple[Node | None, Node | None]:
    """Return the target and the value of an assignment; the target is None for a declaration."""
    if node.kind == K.VAR_DECL:
        return None, initialiser(node)
    if node.kind == K.BINARY_OPERATOR and node.binary_operator() == "=":
        return node.children[0], node.children[1]
    return None, None


MIXED = "mixed"  # several writes in branches: whether the helper opens or closes depends on state
_ROUNDS = 16  # maximum depth of helpers that call helpers


@frozen
class Effects:
    """The net effects of calls on static storage, for the whole program.

    Attributes:
        changes: The changes of static storage that remain after a call, by function key.
        getters: The path that a getter returns, by function key.
        keepers: The paths whose values are saved in a field, by the field's name.
    """

    changes: Mapping[str, tuple[StateStep, ...]] = field(factory=dict)
    getters: Mapping[str, str] = field(factory=dict)
    keepers: Mapping[str, tuple[str, ...]] = field(factory=dict)

    def slice(self, names: Collection[str]) -> Effects:
        """Return the effects of the named functions, with all `keepers`."""
        return Effects(
            {key: steps for key, steps in self.changes.items() if key in names},
            {key: path for key, path in self.getters.items() if key in names},
            self.keepers,
        )

    def read_from(self, source: str) -> str:
        """Return the path of a source in `FunctionChanges.saved`; calls of getters are resolved."""
        key = source.removeprefix("call ")
        return self.getters.get(key, "") if key != source else source


@frozen
class Writes:
    """The accesses of one function to static storage: writes, the getter's path, saved values."""

    steps: tuple[StateStep, ...] = ()
    returned: str = ""
    kept: tuple[tuple[str, str], ...] = ()


def effects(
    functions: Iterable[tuple[str, tuple[str, ...], Writes]], raising: Collection[str]
) -> Effects:
    """Merge the writes of all functions.

    Args:
        functions: Each function's key, the keys of the functions that it calls, and its writes.
        raising: The functions that may leave by unwinding.
    """
    table = {key: (calls, writes) for key, calls, writes in functions}
    turning = _turning(writes for _, writes in table.values())
    changes: dict[str, tuple[StateStep, ...]] = {}
    plain = [key for key in table if key not in raising]
    for _ in range(_ROUNDS):
        following = {key: _left(False, _reached(*table[key], changes), turning) for key in plain}
        following = {key: left for key, left in following.items() if left}
        if following == changes:
            break
        changes = following
    # Callees of functions that may raise are not followed: their call graph is cyclic.
    found = {
        key: _left(True, _reached((), writes, {}), turning)
        for key, (_, writes) in table.items()
        if key in raising
    }
    changes |= {key: left for key, left in found.items() if left}
    getters = {key: writes.returned for key, (_, writes) in table.items() if writes.returned}
    known = Effects(getters=getters)
    keepers: dict[str, dict[str, None]] = {}
    for _, writes in table.values():
        for name, source in writes.kept:
            path = known.read_from(source)
            if path:
                keepers.setdefault(name, {})[path] = None
    return Effects(
        changes, getters, {name: tuple(sorted(paths)) for name, paths in sorted(keepers.items())}
    )


def is_undone(one: StateStep, other: StateStep) -> bool:
    """Return whether one change undoes another: opposite amounts, or bits set and then cleared."""
    if one.how == other.how == ADD:
        return int(one.value) == -int(other.value)
    if {one.how, other.how} != {OR, AND}:
        return False
    return int(one.value) + int(other.value) + 1 in (0, *(1 << bits for bits in (8, 16, 32, 64)))


def _turning(writes: Iterable[Writes]) -> set[str]:
    """Return the paths that the program both increments and decrements."""
    ways: dict[str, set[bool]] = {}
    for function in writes:
        for step in function.steps:
            if step.how == ADD:
                ways.setdefault(step.path, set()).add(int(step.value) > 0)
    return {path for path, signs in ways.items() if len(signs) == 2}


def _reached(
    calls: Iterable[str], writes: Writes, changes: Mapping[str, tuple[StateStep, ...]]
) -> dict[str, list[StateStep]]:
    """Return the changes by a function and by its callees, by path."""
    found: dict[str, list[StateStep]] = {}
    for step in (*writes.steps, *(step for key in calls for step in changes.get(key, ()))):
        found.setdefault(step.path, []).append(step)
    return found


def _left(
    raises: bool, steps: Mapping[str, list[StateStep]], turning: Collection[str]
) -> tuple[StateStep, ...]:
    """Return the net changes of a function, without those that it undoes itself.

    For a function that may raise, only a path with a single count or bit change is kept. Its other
    changes are ordinary work of the interpreter, not locks.
    """
    left: list[StateStep] = []
    for path, changes in steps.items():
        counts = all(step.how == ADD for step in changes)
        if counts and path in turning and (len(changes) == 1 or not raises):
            amount = sum(int(step.value) for step in changes)
            left += [StateStep(ADD, path, str(amount))] if amount else []
        elif counts:
            continue
        elif len(changes) == 1 and (not raises or changes[0].how in (OR, AND)):
            left.append(changes[0])
        elif len(changes) == 2 and is_undone(*changes):
            continue
        elif not raises and path in turning and any(s.how in (ADD, MIXED) for s in changes):
            left.append(StateStep(MIXED, path))
    return tuple(left)


__all__ = ["MIXED", "SET", "Effects", "Writes", "effects", "is_undone"]
