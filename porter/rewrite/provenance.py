"""Provenance of integers in a unit, for the taint analysis of addresses (`address_taint.py`).

Code that runs only if a parameter of its function has one constant value is a guarded part.

A *source* is a string: a variable, a field, a parameter (`p:function#0`), the result of a function
(`r:function`), the target of a pointer (`*source`), a root, or OWN, an integer that C converted
from a pointer. A *root* is a place where an integer of a Python program, or a pointer to bytes that
the program writes, enters C.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from attrs import field, frozen
from clang.cindex import Cursor, Type

from porter.rewrite.integer_values import constant
from porter.rewrite.queries import (
    below_casts,
    body,
    callee,
    calls_pointer,
    evaluated,
    initialiser,
    strip,
    symbol_key,
)
from porter.syntax.node import ALL_ARRAYS, INTEGERS, Node, TypeKind, Unit
from porter.syntax.node import CursorKind as K

_LEAVING = (K.BREAK_STMT, K.RETURN_STMT, K.GOTO_STMT, K.CONTINUE_STMT)
_CHANGING = (K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR, K.UNARY_OPERATOR)
Guard = tuple[int, int]  # a parameter's position, and its value


def literal(node: Node) -> int | None:
    """Return the value of an integer literal below casts, or None."""
    node = below_casts(node)
    if node.kind != K.INTEGER_LITERAL:
        return None
    text = node.text.rstrip("uUlL")
    return int(text, 8 if text.isdigit() and text.startswith("0") else 0)


def unchanged(function: Node) -> dict[int, int]:
    """Return the parameters that a function never changes, as positions by declaration offset."""
    declared = [node for node in function.children if node.kind == K.PARM_DECL]
    found = {node.cursor.location.offset: number for number, node in enumerate(declared)}
    for node in function.walk():
        if node.kind in _CHANGING and node.children:
            name = strip(node.children[0])
            if name.kind == K.DECL_REF_EXPR and name.referenced is not None and _changes(node):
                found.pop(name.referenced.location.offset, None)
    return found


def _changes(node: Node) -> bool:
    if node.kind == K.BINARY_OPERATOR:
        return node.binary_operator() == "="
    return node.kind != K.UNARY_OPERATOR or node.text.startswith("&") or _steps(node.text)


def _steps(text: str) -> bool:
    return text.startswith(("++", "--")) or text.endswith(("++", "--"))


def guard_of(node: Node, parameters: Mapping[int, int]) -> Guard | None:
    """Return the innermost guard of a node, or None.

    A guard is an `if` that compares a parameter with a literal, or a `case` of a parameter.

    Args:
        node: The node.
        parameters: The unchanged parameters of the function, from `unchanged`.
    """
    below = node
    for above in node.ancestors():
        if above.kind == K.IF_STMT and above.children[1] is below:
            guard = _compared(strip(above.children[0]), parameters)
        elif above.kind == K.CASE_STMT and above.children[-1] is below:
            guard = _chosen(above, parameters)
        else:
            guard = None
        if guard is not None:
            return guard
        below = above
    return None


def _compared(condition: Node, parameters: Mapping[int, int]) -> Guard | None:
    if condition.kind != K.BINARY_OPERATOR or condition.binary_operator() != "==":
        return None
    left, right = condition.children
    return _guard(left, right, parameters)


def _chosen(case: Node, parameters: Mapping[int, int]) -> Guard | None:
    """Return the guard of a case that no earlier case falls through to, or None."""
    block = case.parent
    if block is None or block.kind != K.COMPOUND_STMT or block.parent is None:
        return None
    before = block.children[: block.children.index(case)]
    switch = block.parent
    if switch.kind != K.SWITCH_STMT or (before and not _leaves(before[-1])):
        return None
    return _guard(switch.children[0], case.children[0], parameters)


def _leaves(statement: Node) -> bool:
    """Return whether a statement ends in a jump, so that control does not fall through."""
    while statement.kind in (K.CASE_STMT, K.DEFAULT_STMT, K.COMPOUND_STMT) and statement.children:
        statement = statement.children[-1]
    return statement.kind in _LEAVING


def _guard(name: Node, value: Node, parameters: Mapping[int, int]) -> Guard | None:
    name = strip(name)
    if name.kind != K.DECL_REF_EXPR or name.referenced is None:
        return None
    position, number = parameters.get(name.referenced.location.offset), literal(value)
    return None if position is None or number is None else (position, number)


OWN = "@"
# Upstream's type of a Python object, independent of the object representation.
_OBJECT = re.compile(r"\bmp_(const_)?obj_t\b")
Place = tuple[int, int]


@frozen
class Root:
    """A place where a value that a Python program chose enters C.

    Attributes:
        source: The name of this source.
        kind: `call`, `bytes`, or `untag` (a small integer whose tag is shifted out).
        function: The key of the enclosing function.
        place: The range of the expression, in offsets.
    """

    source: str
    kind: str
    function: str
    place: Place


@frozen
class Conversion:
    """A cast to a pointer or an object.

    Attributes:
        sources: The sources of the operand. `p:f#1|0=2` is parameter 1 in calls of `f` whose
            argument 0 may be 2.
        to_object: Whether the cast makes a Python object.
        function: The key of the enclosing function.
        place: The range of the cast, in offsets.
    """

    sources: tuple[str, ...]
    to_object: bool
    function: str
    place: Place


@frozen
class Argument:
    """An argument of a call.

    Attributes:
        to: The key of the function, or the signature for a call through a pointer.
        by_pointer: Whether the call goes through a pointer.
        position: The position of the argument, from 0.
        source: A source of the argument.
        constants: Positions and values of the literal arguments of the call.
    """

    to: str
    by_pointer: bool
    position: int
    source: str
    constants: tuple[tuple[int, int], ...]


@frozen
class Provenance:
    """The provenance facts of a unit.

    Attributes:
        edges: Flows, as (source, destination).
        roots: The places where values of the Python program enter C.
        conversions: The casts to pointers and objects.
        arguments: The arguments of calls.
        signatures: The functions that the unit defines, as (key, signature).
        readers: The keys of functions with an `mp_reader_t *` parameter.
    """

    edges: tuple[tuple[str, str], ...] = field(factory=tuple)
    roots: tuple[Root, ...] = field(factory=tuple)
    conversions: tuple[Conversion, ...] = field(factory=tuple)
    arguments: tuple[Argument, ...] = field(factory=tuple)
    signatures: tuple[tuple[str, str], ...] = field(factory=tuple)
    readers: tuple[str, ...] = field(factory=tuple)


def is_object(kind: Type) -> bool:
    """Return whether a type is that of a Python object."""
    spelled = kind.spelling
    return "*" not in spelled and "[" not in spelled and _OBJECT.search(spelled) is not None


def is_integer(kind: Type) -> bool:
    """Return whether a type is an integer other than bool and Python objects."""
    canonical = kind.get_canonical().kind
    return canonical in INTEGERS and canonical != TypeKind.BOOL and not is_object(kind)


def is_pointer(kind: Type) -> bool:
    """Return whether a type is a pointer or an array."""
    canonical = kind.get_canonical().kind
    return canonical == TypeKind.POINTER or canonical in ALL_ARRAYS


def reads_object(function: Cursor) -> bool:
    """Return whether a function takes a Python object and returns an integer."""
    kind = function.type
    return (
        kind.kind == TypeKind.FUNCTIONPROTO
        and is_integer(kind.get_result())
        and any(is_object(argument) for argument in kind.argument_types())
    )


def is_followed(kind: Type) -> bool:
    """Return whether the analysis follows values of a type: integers and pointers."""
    return is_integer(kind) or is_pointer(kind)


def is_tag(*operands: Node) -> bool:
    """Return whether one of two operands is a nonzero literal, as in tagging a small integer."""
    return any(
        node.kind == K.INTEGER_LITERAL and constant(node) not in (None, 0)
        for node in map(strip, operands)
    )


def reinterprets(node: Node, operand: Node) -> bool:
    """Return whether a cast gives access to pointers or objects in the operand's bytes.

    A cast that is used only for a store does not count. Neither does one whose loaded pointer is
    converted to an integer at once.
    """
    if not is_pointer(node.type) or not is_pointer(operand.type):
        return False
    if not _points_to_pointers(node.type) or _points_to_pointers(operand.type):
        return False
    used = node.parent
    while used is not None and used.kind in (K.PAREN_EXPR, K.UNEXPOSED_EXPR):
        used = used.parent
    if used is None or used.kind not in (K.ARRAY_SUBSCRIPT_EXPR, K.UNARY_OPERATOR):
        return True
    above = used.parent
    while above is not None and above.kind in (K.PAREN_EXPR, K.UNEXPOSED_EXPR):
        above = above.parent
    if above is None:
        return True
    if above.kind == K.CSTYLE_CAST_EXPR and is_integer(above.type):
        return False
    stored = above.kind == K.BINARY_OPERATOR and above.binary_operator() == "="
    return not (stored and strip(above.children[0]) is used)


def _points_to_pointers(kind: Type) -> bool:
    canonical = kind.get_canonical()
    below = kind.get_pointee() if canonical.kind == TypeKind.POINTER else kind.element_type
    spelled = kind.spelling
    is_objects = _OBJECT.search(spelled) is not None and spelled.count("*") == 1
    return bool(is_objects or below.get_canonical().kind == TypeKind.POINTER)


# Fields that point to bytes that a Python program writes: of the buffer protocol and of arrays.
BYTES = (("mp_buffer_info_t", "buf"), ("mp_obj_array_t", "items"))
_NO_VALUE = ("==", "!=", "<", ">", "<=", ">=", "&&", "||")
_SAME_POINTER = ("+", "-", "&", "|")
Sources = set[str]


def _hidden(unit: Unit) -> Iterator[int]:
    """Yield the shifts with which a unit hides pointers from the collector.

    The unit shifts a pointer to the right and tags the result as a small integer, which the
    collector does not trace. Upstream's py/modweakref.c stores its lists this way, and never gives
    such an object to a program. A value that the unit shifts back by the same distance is a hidden
    pointer.
    """
    for function in unit.declarations:
        if function.kind != K.FUNCTION_DECL or body(function) is None:
            continue
        for node in function.walk(evaluated):
            if node.kind != K.BINARY_OPERATOR or node.binary_operator() != ">>":
                continue
            pointer = below_casts(node.children[0])
            distance = literal(node.children[1])
            if distance and is_pointer(pointer.type) and any(map(_tags, node.ancestors())):
                yield distance


def _tags(node: Node) -> bool:
    """Return whether a node combines an integer with the tag of small integers."""
    return (
        node.kind == K.BINARY_OPERATOR and node.binary_operator() == "|" and is_tag(*node.children)
    )


class ProvenanceReader:
    """The collector of the provenance facts of one unit."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.edges: dict[tuple[str, str], None] = {}
        self.roots: dict[str, Root] = {}
        self.conversions: list[Conversion] = []
        self.arguments: dict[Argument, None] = {}
        self.function = ""
        self.parameters: dict[int, int] = {}  # of the current function: positions by offsets
        self._reading: dict[K, Callable[[Node, Sources], None]] = {
            K.DECL_REF_EXPR: self._name,
            K.MEMBER_REF_EXPR: self._member,
            K.CALL_EXPR: self._call,
            K.CSTYLE_CAST_EXPR: self._cast,
            K.UNEXPOSED_EXPR: self._cast,
            K.BINARY_OPERATOR: self._binary,
            K.CONDITIONAL_OPERATOR: self._choice,
            K.UNARY_OPERATOR: self._unary,
            K.ARRAY_SUBSCRIPT_EXPR: self._element,
            K.StmtExpr: self._block,
        }
        self._writing: dict[K, Callable[[Node], None]] = {
            K.VAR_DECL: self._declaration,
            K.RETURN_STMT: self._return,
            K.BINARY_OPERATOR: self._assignment,
            K.COMPOUND_ASSIGNMENT_OPERATOR: self._assignment,
            K.CALL_EXPR: self._arguments,
            K.CSTYLE_CAST_EXPR: self._conversion,
        }

    @cached_property
    def _hidden(self) -> set[int]:
        """The shifts with which the unit hides pointers; computed on first use."""
        return set(_hidden(self.unit))

    def read(self) -> Provenance:
        """Return the provenance of the unit."""
        signatures = []
        readers = []
        for function in self.unit.declarations:
            if function.kind != K.FUNCTION_DECL or body(function) is None:
                continue
            self.function = symbol_key(self.unit.name, function.cursor)
            signatures.append((self.function, function.canonical.spelling))
            declared = [node for node in function.children if node.kind == K.PARM_DECL]
            if any("mp_reader_t *" in node.type.spelling for node in declared):
                readers.append(self.function)
            self.parameters = unchanged(function)
            for number, node in enumerate(declared):
                self._flow({f"p:{self.function}#{number}"}, self._symbol(node.cursor))
            for node in function.walk(evaluated):
                if node.kind in self._writing:
                    self._writing[node.kind](node)
        return Provenance(
            tuple(self.edges),
            tuple(self.roots.values()),
            tuple(self.conversions),
            tuple(self.arguments),
            tuple(signatures),
            tuple(readers),
        )

    # Sources of an expression's value

    def sources(self, node: Node) -> Sources:
        """Return the sources of an expression."""
        found: Sources = set()
        self._read(node, found)
        return found

    def _read(self, node: Node, found: Sources) -> None:
        node = strip(node)
        if is_object(node.type):
            found.add(OWN)
        elif node.kind in self._reading:
            self._reading[node.kind](node, found)

    def _name(self, node: Node, found: Sources) -> None:
        if node.referenced is not None and node.referenced.kind in (K.VAR_DECL, K.PARM_DECL):
            found.add(self._symbol(node.referenced))

    def _member(self, node: Node, found: Sources) -> None:
        member = node.referenced
        if member is None or member.kind != K.FIELD_DECL:
            return
        if not is_pointer(node.type):
            found.add(self._symbol(member))
        elif any(
            record in member.semantic_parent.type.spelling and node.spelling == name
            for record, name in BYTES
        ):
            found.add(self._root(node, "bytes"))

    def _call(self, node: Node, found: Sources) -> None:
        target = callee(node)
        if target is None or target.referenced is None:
            return
        if reads_object(target.referenced):
            found.add(self._root(node, "call"))
        elif is_integer(node.type):
            found.add("r:" + symbol_key(self.unit.name, target.referenced))

    def _cast(self, node: Node, found: Sources) -> None:
        if not node.children:
            return
        operand = strip(node.children[-1])
        if is_integer(node.type) and (is_pointer(operand.type) or is_object(operand.type)):
            found.add(OWN)
        else:
            self._read(operand, found)

    def _binary(self, node: Node, found: Sources) -> None:
        operator = node.binary_operator()
        left, right = node.children
        if operator in ("=", ","):
            self._read(right, found)
        elif operator in _NO_VALUE or (operator == "|" and is_tag(left, right)):
            pass
        elif operator in ("<<", ">>"):
            self._shift(node, left, found)
        elif is_integer(node.type) and (is_pointer(left.type) or is_pointer(right.type)):
            pass  # a distance
        elif is_pointer(node.type):
            self._read(left if is_pointer(left.type) else right, found)
        else:
            both = self.sources(left) | self.sources(right)
            found |= {OWN} if OWN in both and operator in _SAME_POINTER else both

    def _shift(self, node: Node, left: Node, found: Sources) -> None:
        """Add the sources of a shift; a shifted object gives its small integer, a root.

        The small integer of a hidden pointer, shifted back, is a pointer that C made itself.
        """
        shifted = self.sources(left)
        if OWN in shifted:
            found.add(self._root(node, "untag"))
        elif (
            node.binary_operator() == "<<"
            and shifted
            and all(s in self.roots and self.roots[s].kind == "untag" for s in shifted)
            and literal(node.children[1]) in self._hidden
        ):
            found.add(OWN)
        else:
            found |= shifted

    def _choice(self, node: Node, found: Sources) -> None:
        for branch in node.children[1:]:
            self._read(branch, found)

    def _unary(self, node: Node, found: Sources) -> None:
        if node.text.startswith("*"):
            self._behind(node, found)
        elif not node.text.startswith(("&", "!")):
            self._read(node.children[0], found)

    def _element(self, node: Node, found: Sources) -> None:
        self._behind(node, found)

    def _behind(self, node: Node, found: Sources) -> None:
        """Add the sources of an integer that is loaded through a pointer."""
        if is_integer(node.type):
            for source in self.sources(node.children[0]) - {OWN}:
                self.edges[source, "*" + source] = None
                found.add("*" + source)

    def _block(self, node: Node, found: Sources) -> None:
        statements = node.children[0].children
        if statements:
            self._read(statements[-1], found)

    # Destinations of values

    def _flow(self, sources: Sources, to: str) -> None:
        for source in sources:
            self.edges[source, to] = None

    def _declaration(self, node: Node) -> None:
        value = initialiser(node)
        if value is not None and value.kind != K.INIT_LIST_EXPR and is_followed(node.type):
            self._flow(self.sources(value), self._symbol(node.cursor))

    def _return(self, node: Node) -> None:
        if node.children and is_integer(node.children[0].type):
            self._flow(self.sources(node.children[0]), "r:" + self.function)

    def _assignment(self, node: Node) -> None:
        compound = node.kind == K.COMPOUND_ASSIGNMENT_OPERATOR
        if (compound or node.binary_operator() == "=") and is_followed(node.type):
            to = self._assigned(node.children[0])
            if to is not None:
                self._flow(self.sources(node.children[1]), to)

    def _assigned(self, node: Node) -> str | None:
        """Return the variable or field that contains an lvalue, or None."""
        node = strip(node)
        if node.kind == K.ARRAY_SUBSCRIPT_EXPR:
            return self._assigned(node.children[0])
        if node.kind == K.MEMBER_REF_EXPR and is_pointer(node.type):
            return None  # pointers to bytes are not followed through fields
        if node.kind not in (K.DECL_REF_EXPR, K.MEMBER_REF_EXPR) or node.referenced is None:
            return None
        return self._symbol(node.referenced)

    def _arguments(self, node: Node) -> None:
        target = callee(node)
        name = None if target is None else target.referenced
        literals = enumerate(map(literal, node.children[1:]))
        constants = tuple((i, value) for i, value in literals if value is not None)
        for number, argument in enumerate(node.children[1:]):
            if not is_followed(argument.type):
                continue
            sources = self.sources(argument)
            if name is not None:
                key = symbol_key(self.unit.name, name)
                self._pass(Argument(key, False, number, s, constants) for s in sources)
                self._result(node, name, strip(argument))
            elif calls_pointer(node) and is_integer(argument.type):
                signature = node.children[0].canonical.get_pointee().spelling
                self._pass(Argument(signature, True, number, s, constants) for s in sources)

    def _pass(self, arguments: Iterable[Argument]) -> None:
        self.arguments.update(dict.fromkeys(arguments))

    def _result(self, call: Node, function: Cursor, argument: Node) -> None:
        """Add a root for an integer that a call with an object argument stores by pointer."""
        if argument.kind != K.UNARY_OPERATOR or not argument.text.startswith("&"):
            return
        kind = function.type
        reads = kind.kind == TypeKind.FUNCTIONPROTO and any(map(is_object, kind.argument_types()))
        if reads and is_integer(argument.children[0].type):
            to = self._assigned(argument.children[0])
            if to is not None:
                self._flow({self._root(call, "call")}, to)

    def _conversion(self, node: Node) -> None:
        to_object = is_object(node.type)
        if not node.children or not (to_object or is_pointer(node.type)):
            return
        operand = strip(node.children[-1])
        if is_integer(operand.type) or reinterprets(node, operand):
            sources = tuple(sorted(self._guarded(node, self.sources(operand))))
            if sources and sources != (OWN,):
                place = (node.start, node.end)
                self.conversions.append(Conversion(sources, to_object, self.function, place))

    def _guarded(self, node: Node, sources: Sources) -> Sources:
        """Return the sources, with parameters restricted to calls that satisfy the node's guard."""
        guard = guard_of(node, self.parameters)
        if guard is None:
            return sources
        named = {
            f"l:{self.unit.name}@{offset}": f"p:{self.function}#{number}|{guard[0]}={guard[1]}"
            for offset, number in self.parameters.items()
        }
        return {named.get(source, source) for source in sources}

    # Names

    def _root(self, node: Node, kind: str) -> str:
        source = f"root:{self.unit.name}@{node.start}-{node.end}"
        self.roots[source] = Root(source, kind, self.function, (node.start, node.end))
        return source

    def _symbol(self, cursor: Cursor) -> str:
        if cursor.kind == K.FIELD_DECL:
            file, line, _ = self.unit.location(cursor.extent.start.offset)
            return f"{file}:{line}.{cursor.spelling}"
        parent = cursor.semantic_parent
        if cursor.kind == K.VAR_DECL and parent is not None and parent.kind != K.FUNCTION_DECL:
            return "v:" + symbol_key(self.unit.name, cursor)
        return f"l:{self.unit.name}@{cursor.location.offset}"
