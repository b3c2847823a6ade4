"""The data flow of integers in a unit: edges for a backward slice from allocation sizes.

The nodes are places: names for the storage and operations that hold integers, unique in the
program. `program.py` slices backwards over the edges of all units.

A *place* is a string:

    p:KEY#I    parameter I of the function KEY         r:KEY    the result of the function KEY
    P:TYPE#I   argument I of calls through a pointer   R:TYPE   the result of these calls
    v:NAME     a variable                              f:R.F    field F of the records R
    *PLACE     the target of a pointer or array        @UNIT:X  an operation X of a unit

An edge (PLACE, SOURCE) means that an integer in PLACE may be computed from one in SOURCE. Values
that are not quantities have no edge: addresses converted to integers, extracted bits (`x & 0xff`,
`x << a >> b`), and combined bits (`a | b`, `(a << 7) + (b & 0x7f)`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from clang.cindex import Cursor, Type

from porter.rewrite.integer_values import bits, constant
from porter.rewrite.queries import (
    body,
    callee,
    evaluated,
    initialiser,
    is_address,
    is_choice,
    is_designated,
    is_static_storage,
    strip,
    symbol_key,
)
from porter.syntax.node import ALL_ARRAYS, INTEGERS, Node, TypeKind, Unit
from porter.syntax.node import CursorKind as K

_OPERATION = "@"
_STEPS = ("++", "--")
_LOOK_THROUGH = (K.PAREN_EXPR, K.UNEXPOSED_EXPR, K.CSTYLE_CAST_EXPR)

# The kinds of operations: an operator, a conversion to fewer bits, a passed or assigned value.
OPERATOR, NARROWED, GIVEN = "", "narrowed", "given"

COMPARED = "compared"  # the place of every size that a bounds check compares


def operation(node: Node, kind: str = OPERATOR) -> str:
    """Return the place of a node's result."""
    return f"{_OPERATION}{node.unit.name}:{node.start}-{node.end}{kind}"


def unit_of(place: str) -> str | None:
    """Return the unit of an operation's place, or None for any other place."""
    return place[1:].rpartition(":")[0] if place.startswith(_OPERATION) else None


def parameter(key: str, number: int) -> str:
    """Return the place of a function's parameter, counted from 0."""
    return f"p:{key}#{number}"


def result(key: str) -> str:
    """Return the place of a function's result."""
    return f"r:{key}"


def pointed(kind: Type, number: int) -> str:
    """Return the place of an argument of indirect calls to functions of a type."""
    return f"P:{kind.spelling}#{number}"


def pointed_result(kind: Type) -> str:
    """Return the place of the result of indirect calls to functions of a type."""
    return f"R:{kind.spelling}"


def field(record: Type, name: str) -> str:
    """Return the place of a field, shared by all records of the type."""
    words = str(record.get_canonical().spelling).split()
    return f"f:{' '.join(w for w in words if w not in ('const', 'volatile'))}.{name}"


def is_integer(node: Node) -> bool:
    """Return whether an expression is an integer."""
    return node.canonical.kind in INTEGERS


def is_counted(kind: Type) -> bool:
    """Return whether a type is an integer of at least 16 bits, or points to one."""
    kind = kind.get_canonical()
    if kind.kind == TypeKind.POINTER:
        kind = kind.get_pointee().get_canonical()
    while kind.kind in ALL_ARRAYS:
        kind = kind.element_type.get_canonical()
    return kind.kind in INTEGERS and bool(kind.get_size() >= 2)


def bare(node: Node) -> Node:
    """Return the expression below parentheses, conversions and casts."""
    while node.kind in _LOOK_THROUGH and node.children and not is_choice(node):
        node = node.children[-1]
    return node


def is_step(node: Node) -> bool:
    """Return whether an operator is `++` or `--`."""
    return node.text.startswith(_STEPS) or node.text.endswith(_STEPS)


def called_type(call: Node) -> Type | None:
    """Return the type of the functions that an indirect call reaches, or None for a builtin."""
    if not call.children or call.spelling.startswith("__builtin_"):
        return None
    kind = call.children[0].canonical
    return kind.get_pointee().get_canonical() if kind.kind == TypeKind.POINTER else kind


def argument_place(call: Node, number: int) -> str | None:
    """Return the place that a call's argument is passed to."""
    target = callee(call)
    if target is not None and target.referenced is not None:
        return parameter(symbol_key(call.unit.name, target.referenced), number)
    if call.spelling.startswith("__builtin_"):
        return parameter(call.spelling, number)
    kind = called_type(call)
    return None if kind is None else pointed(kind, number)


def result_place(call: Node) -> str | None:
    """Return the place that a call's value comes from."""
    target = callee(call)
    if target is not None and target.referenced is not None:
        return result(symbol_key(call.unit.name, target.referenced))
    kind = called_type(call)
    return None if kind is None else pointed_result(kind)


def variable(node: Node, cursor: Cursor) -> str:
    """Return the place of a variable or parameter that a node names."""
    unit = node.unit.name
    above = cursor.semantic_parent
    if cursor.kind == K.PARM_DECL and above is not None and above.kind == K.FUNCTION_DECL:
        starts = [one.location.offset for one in above.get_arguments()]
        if cursor.location.offset in starts:
            number = starts.index(cursor.location.offset)
            return parameter(symbol_key(unit, above), number)
    if cursor.kind == K.VAR_DECL and cursor.linkage.name in ("EXTERNAL", "INTERNAL"):
        return f"v:{symbol_key(unit, cursor)}"
    return f"v:{unit}@{cursor.location.offset}"


def place(node: Node) -> str | None:
    """Return the place of an lvalue, pointer or array expression, or None."""
    node = bare(node)
    if node.kind == K.DECL_REF_EXPR and node.referenced is not None:
        is_variable = node.referenced.kind in (K.VAR_DECL, K.PARM_DECL)
        return variable(node, node.referenced) if is_variable else None
    if node.kind == K.MEMBER_REF_EXPR and node.referenced is not None:
        record = node.referenced.semantic_parent
        return None if record is None else field(record.type, node.spelling)
    if node.kind == K.BINARY_OPERATOR and node.canonical.kind == TypeKind.POINTER:
        return place(node.children[0])  # a pointer that moved
    if node.kind == K.BINARY_OPERATOR and node.binary_operator() == "=":
        return place(node.children[0])
    if node.kind == K.UNARY_OPERATOR and is_step(node):
        return place(node.children[0])
    if node.kind == K.ARRAY_SUBSCRIPT_EXPR or node.text.startswith("*"):
        below = place(node.children[0]) if node.children else None
        return None if below is None else f"*{below}"
    return None


Flow = tuple[str, str]

_BOTH = frozenset({"+", "-", "*"})
_LEFT = frozenset({"<<", ">>", "/", "&"})
_RIGHT = frozenset({"%"})
_COMPUTING = _BOTH | _LEFT | _RIGHT
_BITS = frozenset({"|", "^", "&"})
_RELATIONAL = frozenset({"<", "<=", ">", ">="})


def flows(unit: Unit) -> dict[Flow, None]:
    """Return the edges of a unit, in source order."""
    reading = _Reading(unit)
    for node in unit.declarations:
        if node.kind == K.FUNCTION_DECL and body(node) is not None:
            reading.function(node)
        elif node.kind == K.VAR_DECL:
            reading.constants(node)
    return reading.found


def rounding_mask(node: Node) -> Node | None:
    """Return the mask of a `value & mask` that clears only low bits, or None."""
    for mask in reversed(node.children):
        value, size = constant(mask), strip(mask).canonical.get_size()
        if value is not None:
            cleared = -value & ((1 << 8 * size) - 1)
            return mask if cleared > 1 and cleared & (cleared - 1) == 0 else None
    return None


class _Reading:
    """The edges of one unit, collected function by function."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.found: dict[Flow, None] = {}
        self._statements: dict[K, Callable[[Node], None]] = {
            K.VAR_DECL: self._variable,
            K.BINARY_OPERATOR: self._binary,
            K.COMPOUND_ASSIGNMENT_OPERATOR: self._compound,
            K.CALL_EXPR: self._call,
            K.INIT_LIST_EXPR: self._list,
            K.DECL_REF_EXPR: self._mention,
        }

    def function(self, node: Node) -> None:
        """Add the edges of a function."""
        returned = result(symbol_key(self.unit.name, node.cursor))
        for inner in node.walk(_runs):
            if inner.kind == K.VAR_DECL and is_static_storage(inner):
                self.constants(inner)
            elif inner.kind == K.RETURN_STMT and inner.children:
                self._assign(returned, inner.children[0])
            elif inner.kind in self._statements:
                self._statements[inner.kind](inner)

    def constants(self, node: Node) -> None:
        """Add the edges of a statically initialised variable: its function addresses."""
        for inner in node.walk(evaluated):
            if inner.kind == K.DECL_REF_EXPR:
                self._mention(inner)

    # Destinations: assignments, arguments, initialisers

    def _add(self, to: str, sources: Iterator[str]) -> None:
        for source in sources:
            self.found[to, source] = None

    def _join(self, one: str | None, other: str | None) -> None:
        """Add edges both ways between two places that hold the same integer."""
        if one is not None and other is not None:
            self.found[one, other] = self.found[other, one] = None

    def _share(self, to: str | None, pointer: Node) -> None:
        """Join the targets of two pointers to integers: a store through one is visible to both."""
        below = bare(pointer)
        if is_address(below):
            self._join(f"*{to}", place(below.children[0]))
        else:
            other = place(below)
            self._join(f"*{to}", None if other is None else f"*{other}")

    def _assign(self, to: str | None, value: Node) -> None:
        if to is None or not is_counted(value.canonical):
            return
        if is_integer(value):
            given = operation(value, GIVEN)
            self.found[to, given] = None
            self._add(given, self._sources(value))
        else:
            self._share(to, value)

    def _variable(self, node: Node) -> None:
        value = initialiser(node)
        if value is not None and value.kind != K.INIT_LIST_EXPR:
            self._assign(variable(node, node.cursor), value)

    def _binary(self, node: Node) -> None:
        if node.binary_operator() == "=":
            self._assign(place(node.children[0]), node.children[1])
        elif node.binary_operator() in _RELATIONAL:
            for one, other in (node.children, node.children[::-1]):
                self._compared(one, other)

    def _compared(self, side: Node, other: Node) -> None:
        """Add the integers that a bounds check adds to an address or compares with a distance."""
        below = bare(side)
        if below.kind != K.BINARY_OPERATOR:
            return
        operator, (left, right) = below.binary_operator(), below.children
        pointers = [child.canonical.kind == TypeKind.POINTER for child in (left, right)]
        if operator in "+-" and any(pointers) and not all(pointers):
            self._add(COMPARED, self._sources(left if pointers[1] else right))
        elif operator == "-" and all(pointers) and is_integer(other):
            self._add(COMPARED, self._sources(other))

    def _compound(self, node: Node) -> None:
        to, operator = place(node.children[0]), node.binary_operator()[:-1]
        if to is None or not is_integer(node) or operator not in _BOTH | _LEFT - {"&"}:
            return
        self._join(to, operation(node))
        if operator in _BOTH:
            self._add(operation(node), self._sources(node.children[1]))

    def _call(self, node: Node) -> None:
        for number, argument in enumerate(node.children[1:]):
            if is_counted(argument.canonical):
                self._assign(argument_place(node, number), argument)

    def _mention(self, node: Node) -> None:
        """Connect a function whose address is taken to indirect calls of its type."""
        target = node.referenced
        if target is None or target.kind != K.FUNCTION_DECL or _is_called(node):
            return
        key, kind = symbol_key(self.unit.name, target), target.type.get_canonical()
        if kind.kind != TypeKind.FUNCTIONPROTO:
            return
        for number, of in enumerate(kind.argument_types()):
            if is_counted(of):
                self.found[parameter(key, number), pointed(kind, number)] = None
                if of.get_canonical().kind == TypeKind.POINTER:
                    self._join(f"*{parameter(key, number)}", f"*{pointed(kind, number)}")
        self.found[pointed_result(kind), result(key)] = None

    def _list(self, node: Node) -> None:
        """Add the items of a record's initialiser."""
        if node.canonical.kind != TypeKind.RECORD:
            return
        names = [str(of.spelling) for of in node.canonical.get_fields()]
        for number, item in enumerate(node.children):
            name = names[number] if number < len(names) else ""
            if is_designated(item) and item.children:
                name, item = item.children[0].spelling, item.children[-1]
            if name and item.kind != K.INIT_LIST_EXPR:
                self._assign(field(node.canonical, name), item)

    # Sources of an expression

    def _sources(self, node: Node) -> Iterator[str]:
        while node.kind in (K.PAREN_EXPR, K.UNEXPOSED_EXPR, K.CSTYLE_CAST_EXPR):
            if is_choice(node) or not node.children:
                break
            below = node.children[-1]
            if not is_integer(below):
                return
            if narrows(node):
                yield operation(node, NARROWED)
                self._add(operation(node, NARROWED), self._sources(below))
                return
            node = below
        if node.kind == K.BINARY_OPERATOR:
            yield from self._operator(node)
        elif node.kind == K.COMPOUND_ASSIGNMENT_OPERATOR:
            yield operation(node)
        elif node.kind == K.CONDITIONAL_OPERATOR or is_choice(node):
            for branch in node.children[-2:]:
                yield from self._sources(branch)
        elif node.kind == K.StmtExpr:
            yield from self._last(node)
        elif node.kind == K.UNARY_OPERATOR and node.text[:1] in "+-" and not is_step(node):
            yield from self._sources(node.children[0])
        else:
            source = result_place(node) if node.kind == K.CALL_EXPR else place(node)
            if source is not None:
                yield source

    def _last(self, node: Node) -> Iterator[str]:
        """Yield the sources of the value of a statement expression."""
        statements = node.children[-1].children if node.children else []
        if statements and statements[-1].kind.is_expression() and is_integer(statements[-1]):
            yield from self._sources(statements[-1])

    def _operator(self, node: Node) -> Iterator[str]:
        operator = node.binary_operator()
        left, right = node.children
        if operator in (",", "="):
            yield from self._sources(right)
        elif operator in _COMPUTING and is_integer(left) and is_integer(right):
            if _takes_bits(node):
                return
            yield operation(node)
            if operator not in _RIGHT:
                self._add(operation(node), self._sources(left))
            if operator not in _LEFT:
                self._add(operation(node), self._sources(right))


def narrows(node: Node) -> bool:
    """Return whether a conversion truncates a quantity from 64 to 32 bits."""
    below = node.children[-1]
    if node.canonical.get_size() != 4 or below.canonical.get_size() != 8:
        return False
    below = bare(below)
    return below.kind != K.BINARY_OPERATOR or below.binary_operator() not in _BITS


def _takes_bits(node: Node) -> bool:
    """Return whether an operator extracts or combines bits."""
    operator = node.binary_operator()
    left, right = node.children
    if operator == "&":
        return rounding_mask(node) is None
    below = bare(left)
    if below.kind != K.BINARY_OPERATOR or below.binary_operator() != "<<":
        return False
    if operator == ">>":
        return True
    by = constant(below.children[1])
    return operator == "+" and by is not None and bits(right) <= by


def _runs(node: Node) -> bool:
    """Return whether a node is evaluated when its function runs; walks skip all others."""
    return evaluated(node) and not (node.kind == K.VAR_DECL and is_static_storage(node))


def _is_called(node: Node) -> bool:
    above = node.parent
    while above is not None and above.kind in (K.PAREN_EXPR, K.UNEXPOSED_EXPR):
        node, above = above, above.parent
    return above is not None and above.kind == K.CALL_EXPR and above.children[0] is node
