"""What every rule is: a class that finds one construct in a unit and returns edits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import ClassVar, TypeVar

from attrs import frozen

from porter.errors import UnknownConstruct
from porter.rewrite.edit import Edit
from porter.rewrite.program import WholeProgram
from porter.rewrite.queries import body
from porter.syntax.node import CursorKind, Node, Unit
from porter.syntax.span import Span

_Method = TypeVar("_Method", bound=Callable[..., Iterable[Edit]])
_Self = TypeVar("_Self", bound="Rule")
_KINDS = "porter_kinds"  # the attribute in which a method keeps what it is asked for


def on(*kinds: CursorKind) -> Callable[[_Method], _Method]:
    """Has a rule's method `(self, node)` asked for each node of these kinds."""

    def mark(method: _Method) -> _Method:
        setattr(method, _KINDS, kinds)
        return method

    return mark


def on_body(
    method: Callable[[_Self, Node, Node], Iterable[Edit]],
) -> Callable[[_Self, Node], Iterable[Edit]]:
    """Has a rule's method `(self, function, block)` asked for each function with a body."""

    @on(CursorKind.FUNCTION_DECL)
    @wraps(method)
    def asked(self: _Self, function: Node) -> Iterable[Edit]:
        block = body(function)
        return () if block is None else method(self, function, block)

    return asked


@frozen
class Example:
    """A rule's example: C in, and the C++ that this rule alone makes of it."""

    before: str
    after: str


class Rule:
    """Finds one construct and returns edits; nothing else changes source.

    An instance works on one unit. One walk over the unit asks the methods of all rules, each for
    the nodes of its kinds (`on`, `on_body`), parents first. `before_walk` and `after_walk` are
    for what a rule can only tell of the unit as a whole. All of them return edits, and raise
    UnknownConstruct for a form that the rule cannot rewrite (`raise self.refuse(...)`).
    """

    name: ClassVar[str]
    example: ClassVar[Example]
    _asked: ClassVar[tuple[tuple[CursorKind, str], ...]] = ()

    def __init_subclass__(cls) -> None:
        cls._asked = tuple(
            (kind, name) for name, value in vars(cls).items() for kind in getattr(value, _KINDS, ())
        )

    def __init__(self, unit: Unit, program: WholeProgram) -> None:
        self.unit = unit
        self.program = program

    def handlers(self) -> Iterator[tuple[CursorKind, Callable[[Node], Iterable[Edit]]]]:
        """The methods that the walk asks, each with a kind of node that it is asked for."""
        for kind, name in self._asked:
            yield kind, getattr(self, name)

    def before_walk(self) -> Iterable[Edit]:
        """The edits that come before those of the walk."""
        return ()

    def after_walk(self) -> Iterable[Edit]:
        """The edits that come after those of the walk."""
        return ()

    def refuse(self, node: Node, reason: str) -> UnknownConstruct:
        """The error for a construct that this rule knows but cannot handle."""
        return self.refuse_at(node.span, reason)

    def refuse_at(self, span: Span, reason: str) -> UnknownConstruct:
        """The error for a construct that stands in a range of the unit's text."""
        file, line, column = self.unit.location(span.start)
        construct = self.unit.text[span.start : span.end]
        return UnknownConstruct(file, line, column, self.name, construct, reason)


@frozen
class Place:
    """A rule's place in the order: why it stands there, and the earlier rules that it meets."""

    rule: type[Rule]
    reason: str
    after: tuple[type[Rule], ...] = ()
