"""The base class of rules, the decorators that register their handlers, and their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import ClassVar, TypeVar

from attrs import frozen

from porter.errors import UnknownConstruct
from porter.rewrite.edit import Edit
from porter.rewrite.program import WholeProgram
from porter.rewrite.queries import body
from porter.syntax.node import CursorKind, Node, Span, Unit

_Method = TypeVar("_Method", bound=Callable[..., Iterable[Edit]])
_Self = TypeVar("_Self", bound="Rule")
_KINDS = "porter_kinds"  # the attribute of a handler that stores its node kinds


def on(*kinds: CursorKind) -> Callable[[_Method], _Method]:
    """Register a rule's method `(self, node)` as handler for nodes of these kinds."""

    def mark(method: _Method) -> _Method:
        setattr(method, _KINDS, kinds)
        return method

    return mark


def on_body(
    method: Callable[[_Self, Node, Node], Iterable[Edit]],
) -> Callable[[_Self, Node], Iterable[Edit]]:
    """Register a rule's method `(self, function, block)` as handler for function definitions."""

    @on(CursorKind.FUNCTION_DECL)
    @wraps(method)
    def asked(self: _Self, function: Node) -> Iterable[Edit]:
        block = body(function)
        return () if block is None else method(self, function, block)

    return asked


@frozen
class Example:
    """An example of a rule: C code, and the C++ that this rule alone makes of it."""

    before: str
    after: str


class Rule:
    """A rewrite of one C construct, as edits; only rules change source text.

    An instance works on one unit. One walk over the unit visits parents first and calls the
    handlers of all rules for nodes of their kinds (`on`, `on_body`). `before_walk` and `after_walk`
    return edits that need the unit as a whole. All of these raise UnknownConstruct for a form that
    the rule cannot rewrite (`raise self.refuse(...)`).
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
        """Yield the handlers that the walk calls, each with a node kind."""
        for kind, name in self._asked:
            yield kind, getattr(self, name)

    def before_walk(self) -> Iterable[Edit]:
        """Return the edits that precede those of the walk."""
        return ()

    def after_walk(self) -> Iterable[Edit]:
        """Return the edits that follow those of the walk."""
        return ()

    def refuse(self, node: Node, reason: str) -> UnknownConstruct:
        """Return the error for a node that this rule cannot rewrite."""
        return self.refuse_at(node.span, reason)

    def refuse_at(self, span: Span, reason: str) -> UnknownConstruct:
        """Return the error for a range of the unit's text that this rule cannot rewrite."""
        file, line, column = self.unit.location(span.start)
        construct = self.unit.text[span.start : span.end]
        return UnknownConstruct(file, line, column, self.name, construct, reason)


@frozen
class Place:
    """A rule's place in the order: the reason, and the earlier rules whose edits it meets."""

    rule: type[Rule]
    reason: str
    after: tuple[type[Rule], ...] = ()
