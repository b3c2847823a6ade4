"""The data flow of integers in a unit: edges for a backward slice from allocation sizes.

An edge (PLACE, SOURCE) means that an integer in PLACE may be computed from one in SOURCE
(`places.py` defines places). `program.py` slices backwards over the edges of all units. Values
that are not quantities have no edge: addresses converted to integers, extracted bits (`x & 0xff`,
`x << a >> b`), and combined bits (`a | b`, `(a << 7) + (b & 0x7f)`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from porter.rewrite.integer_values import bits, constant
from porter.rewrite.places import (
    COMPARED,
    GIVEN,
    NARROWED,
    argument_place,
    bare,
    field,
    is_counted,
    is_integer,
    is_step,
    operation,
    parameter,
    place,
    pointed,
    pointed_result,
    result,
    result_place,
    variable,
)
from porter.rewrite.queries import (
    body,
    evaluated,
    initialiser,
    is_address,
    is_choice,
    is_designated,
    is_static_storage,
    strip,
    symbol_key,
)
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, TypeKind, Unit

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
