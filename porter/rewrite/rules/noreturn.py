"""Drops noreturn: what never returned now returns while unwinding."""

from __future__ import annotations

import re
from collections.abc import Iterator

from porter.rewrite.edit import Edit, Span, replace
from porter.rewrite.names import ATTRIBUTE
from porter.rewrite.program import Program
from porter.rewrite.rules.base import Example, Rule
from porter.syntax.node import Unit

_STRING = r'"(?:[^"\\\n]|\\.)*"'
_PLACES = re.compile(f"{_STRING}|{ATTRIBUTE.pattern}|\\b_Noreturn\\b")
_ITEM = re.compile(r"\b(?:__noreturn__|noreturn)\b")


class NoReturn(Rule):
    """Drops the noreturn attribute, since such a function returns while unwinding."""

    name = "noreturn"
    example = Example(
        "__attribute__((noreturn)) void die(void);",
        " void die(void);",
    )

    def edits(self, unit: Unit, program: Program) -> Iterator[Edit]:
        for match in _PLACES.finditer(unit.text):
            place = match.group()
            if place == "_Noreturn":
                yield replace(Span(*match.span()), self.name)
            elif not place.startswith('"') and _ITEM.search(place):
                others = _ITEM.sub("", match.group(1)).replace(",", "").strip()
                kept = [_ITEM.sub("", place)] if others else []
                yield replace(Span(*match.span()), self.name, *kept)
