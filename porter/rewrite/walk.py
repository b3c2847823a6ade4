"""The one walk over a unit that asks every rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import ParamSpec

from porter.rewrite.edit import Edit
from porter.rewrite.program import WholeProgram
from porter.rewrite.rule import Rule
from porter.rewrite.rules import RULES
from porter.syntax.node import CursorKind, Node, Unit

_Arguments = ParamSpec("_Arguments")


class _Answers:
    """Each rule's edits, in the rules' order, up to the first rule that fails.

    The walk asks rules in turn, so a later rule may fail at an earlier node. Callers are to see
    the failure of the rule that comes first in the order, as if rules ran one after the other:
    rules behind it are asked no more, and those before it are asked to the end.
    """

    def __init__(self, count: int) -> None:
        self._edits: list[list[Edit]] = [[] for _ in range(count)]
        self._asked = count
        self._failure: Exception | None = None

    def ask(
        self,
        position: int,
        question: Callable[_Arguments, Iterable[Edit]],
        *args: _Arguments.args,
        **kwargs: _Arguments.kwargs,
    ) -> None:
        """Adds the answer of the rule at a position."""
        if position >= self._asked:
            return
        try:
            self._edits[position].extend(question(*args, **kwargs))
        except Exception as error:  # whatever it is: it is raised when the walk is over
            self._asked, self._failure = position, error

    def all(self) -> list[Edit]:
        """The edits in the rules' order, without repetitions. Raises what a rule raised."""
        if self._failure is not None:
            raise self._failure
        return list(dict.fromkeys(edit for edits in self._edits for edit in edits))


def collect_edits(
    unit: Unit, program: WholeProgram, rules: Sequence[type[Rule]] = RULES
) -> list[Edit]:
    """The edits of `rules` for a unit, in the order of the rules, without repetitions.

    libclang shows a record twice if a typedef or a field declares it, so a rule may make an edit
    more than once.

    Raises:
        UnknownConstruct: a rule refuses something; of several rules, the first one in the order.
    """
    working = [rule(unit, program) for rule in rules]
    answers = _Answers(len(working))
    handlers: dict[CursorKind, list[tuple[int, Callable[[Node], Iterable[Edit]]]]] = {}
    for position, rule in enumerate(working):
        answers.ask(position, rule.before_walk)
        for kind, handler in rule.handlers():
            handlers.setdefault(kind, []).append((position, handler))
    for node in unit.walk():
        for position, handler in handlers.get(node.kind, ()):
            answers.ask(position, handler, node)
    for position, rule in enumerate(working):
        answers.ask(position, rule.after_walk)
    return answers.all()
