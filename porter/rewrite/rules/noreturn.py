"""Drops noreturn: what never returned now returns while unwinding."""

from __future__ import annotations

import re
from collections.abc import Iterator

from porter.rewrite.edit import Edit, Span, replace
from porter.rewrite.program import Program
from porter.rewrite.rules.base import Example, Rule
from porter.syntax.node import Unit

_NORETURN = re.compile(r"__attribute__\s*\(\(\s*(?:__)?noreturn(?:__)?\s*\)\)|\b_Noreturn\b")


class NoReturn(Rule):
    """Drops the noreturn attribute, since such a function returns while unwinding."""

    name = "noreturn"
    example = Example(
        "__attribute__((noreturn)) void die(void);",
        " void die(void);",
    )

    def edits(self, unit: Unit, program: Program) -> Iterator[Edit]:
        for match in _NORETURN.finditer(unit.text):
            yield replace(Span(*match.span()), self.name)
