"""Rule `noreturn`: drop noreturn, because an unwind returns from such functions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from porter.rewrite.edit import Edit, replace
from porter.rewrite.names import ATTRIBUTE
from porter.rewrite.rule import Example, Rule
from porter.syntax.span import Span

_STRING = r'"(?:[^"\\\n]|\\.)*"'
_PLACES = re.compile(f"{_STRING}|{ATTRIBUTE.pattern}|\\b_Noreturn\\b")
_ITEM = re.compile(r"\b(?:__noreturn__|noreturn)\b")


class NoReturn(Rule):
    """Drops the noreturn attribute, because an unwind returns from the function."""

    name = "noreturn"
    example = Example(
        "__attribute__((noreturn)) void die(void);",
        " void die(void);",
    )

    def before_walk(self) -> Iterator[Edit]:
        """Search the text, because libclang reports attributes without their location."""
        for match in _PLACES.finditer(self.unit.text):
            place = match.group()
            if place == "_Noreturn":
                yield replace(Span(*match.span()), self.name)
            elif not place.startswith('"') and _ITEM.search(place):
                others = _ITEM.sub("", match.group(1)).replace(",", "").strip()
                kept = [_ITEM.sub("", place)] if others else []
                yield replace(Span(*match.span()), self.name, *kept)
