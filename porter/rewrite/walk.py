"""Walk over a unit once and call the handlers of every rule."""

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
    """The edits of each rule, in rule order, up to the first rule that fails.

    The walk alternates between rules, so a later rule may fail at an earlier node. The reported
    failure is that of the first failing rule in rule order, as if the rules ran one by one. After
    a failure, later rules are skipped and earlier rules continue.
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
        """Call a handler of the rule at a position and store its edits."""
        if position >= self._asked:
            return
        try:
            self._edits[position].extend(question(*args, **kwargs))
        except Exception as error:  # any exception: `all` raises it after the walk
            self._asked, self._failure = position, error

    def all(self) -> list[Edit]:
        """Return the edits in rule order, without duplicates, or raise the failure of a rule."""
        if self._failure is not None:
            raise self._failure
        return list(dict.fromkeys(edit for edits in self._edits for edit in edits))


def collect_edits(
    unit: Unit, program: WholeProgram, rules: Sequence[type[Rule]] = RULES
) -> list[Edit]:
    """Return the edits of `rules` for a unit, in rule order, without duplicates.

    Duplicates occur because libclang reports a record twice if a typedef or a field declares it.

    Raises:
        UnknownConstruct: A rule refuses a construct. If several rules do, the error is that of the
            first one in rule order.
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
