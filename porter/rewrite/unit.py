"""Rewrite one unit: collect the edits of all rules, apply them, emit C++ with `#line`.

A single walk over the syntax tree calls the handlers of every rule.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import ParamSpec

from attrs import frozen

from porter.rewrite.early_exits import Pair, early_exits
from porter.rewrite.edit import Edit
from porter.rewrite.engine import apply_edits
from porter.rewrite.facts import UnitFacts, collect
from porter.rewrite.program import WholeProgram
from porter.rewrite.rule import Rule
from porter.rewrite.rules import RULES
from porter.rewrite.rules.unknown import Unknown
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


PRELUDE = '#include "porter_runtime.h"\n'
_MARKER = re.compile(r'^# (\d+) ("(?:[^"\\]|\\.)*").*$', re.MULTILINE)
_LEFT_OUT = re.compile(r'^# \d+ "<(?:built-in|command-line|command line)>".*\n', re.MULTILINE)


@frozen
class Rewritten:
    """The result of rewriting a unit: its C++, edit counts by rule, pairs of early exits."""

    unit: str
    text: str
    edits: dict[str, int]
    pairs: tuple[Pair, ...] = ()


def unit_facts(unit: Unit) -> UnitFacts:
    """Return the facts of a parsed unit.

    Raises:
        UnknownConstruct: The unit has a type that libclang's Python bindings do not know, and
            contains a word that no rule knows.
    """
    try:
        return collect(unit)
    except ValueError:
        Unknown(unit, WholeProgram()).check_words()
        raise


def rewrite_unit(unit: Unit, program: WholeProgram) -> Rewritten:
    """Rewrite a parsed unit.

    Raises:
        UnknownConstruct: A rule refuses a construct.
    """
    edits = collect_edits(unit, program)
    text = apply_edits(unit.name, unit.text, edits)
    text = _MARKER.sub(r"#line \1 \2", _LEFT_OUT.sub("", text))
    counts = Counter(edit.rule for edit in edits)
    return Rewritten(unit.name, PRELUDE + text, dict(counts), early_exits(unit, program))
