"""Apply the edits of all rules to a unit's text; no other module changes source text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from attrs import define, field

from porter.errors import UnknownConstruct
from porter.rewrite.edit import Edit, Part, Without
from porter.syntax.node import MARKER, Span, line_table, locate


@define
class _Engine:
    text: str
    name: str
    edits: list[Edit]
    starts: list[int] = field(init=False)
    lines: list[tuple[int, str, int]] = field(init=False)
    active: set[int] = field(factory=set)

    def __attrs_post_init__(self) -> None:
        self.starts = [edit.start for edit in self.edits]
        self.lines = line_table(self.text)

    def rendered(self, part: Part) -> str:
        """Return the text of a part of an edit."""
        if isinstance(part, str):
            return part
        if isinstance(part, Span):
            return self.render(part)
        left_out = self._left_out(part) - self.active
        self.active |= left_out
        text = self.render(part.span)
        self.active -= left_out
        return text

    def render(self, span: Span) -> str:
        """Return the text of `span` after the edits inside it."""
        pieces: list[str] = []
        position = span.start
        index = bisect_left(self.starts, span.start)
        while index < len(self.edits) and self.starts[index] <= span.end:
            edit = self.edits[index]
            if index in self.active or edit.end > span.end or self._elsewhere(edit, span):
                index += 1
                continue
            if edit.start < position:
                raise self._conflict(edit, index)
            pieces.append(self.text[position : edit.start])
            self.active.add(index)
            rendered = "".join(map(self.rendered, edit.parts))
            self.active.discard(index)
            pieces.append(rendered)
            if "\n" in self.text[edit.start : edit.end] or "\n" in rendered:
                pieces.append(self._resynchronised(edit, rendered))
            position = edit.end
            index = self._next(index, edit)
        pieces.append(self.text[position : span.end])
        return "".join(pieces)

    def _left_out(self, part: Without) -> set[int]:
        """Return the indexes of the edits that a part skips."""
        start, end = part.span.start, part.span.end
        first, last = bisect_left(self.starts, start), bisect_right(self.starts, start)
        return {
            index
            for index in range(first, last)
            if (self.edits[index].end, self.edits[index].rule) == (end, part.rule)
        }

    def _resynchronised(self, edit: Edit, rendered: str) -> str:
        """Return a line marker if an edit shifted lines, so that later text keeps its location."""
        file, line, _ = locate(self.lines, edit.start)
        wanted_file, wanted_line, _ = locate(self.lines, edit.end)
        for text in rendered.split("\n")[1:]:
            marker = MARKER.match(text)
            line = line + 1 if marker is None else int(marker.group(1)) - 1
            file = file if marker is None else marker.group(2)
        if (file, line) == (wanted_file, wanted_line) or edit.end in (0, len(self.text)):
            return ""
        return f'\n# {wanted_line} "{wanted_file}"\n'

    def _elsewhere(self, edit: Edit, span: Span) -> bool:
        """Return whether an insertion at a border of `span` belongs to the enclosing text."""
        if edit.start != edit.end:
            return False
        if edit.start == span.start:
            return any(self.starts[index] == span.start for index in self.active)
        return edit.end == span.end and bool(self.active)

    def _next(self, index: int, done: Edit) -> int:
        """Return the index of the first edit after `done` that is not nested in it."""
        following = index + 1
        if done.start == done.end:
            return following
        while following < len(self.edits) and self.edits[following].end <= done.end:
            if self.edits[following].start == self.edits[following].end == done.end:
                break
            following += 1
        return following

    def _conflict(self, edit: Edit, index: int) -> UnknownConstruct:
        other = next(
            earlier
            for earlier in reversed(self.edits[:index])
            if earlier.start < edit.start < earlier.end
        )
        return UnknownConstruct(
            *locate(self.lines, edit.start),
            f"{other.rule}, {edit.rule}",
            self.text[edit.start : edit.end],
            f"{self.name}: rules {other.rule} and {edit.rule} overlap here without one containing "
            "the other",
        )


def apply_edits(name: str, text: str, edits: list[Edit]) -> str:
    """Apply edits, which may nest but not cross, to the text of a unit.

    If two edits have the same range, the earlier one of the list is nested in the later one. If two
    insertions have the same offset, the text of the earlier one comes first.

    Args:
        name: The name of the unit, for messages.
        text: The text of the unit.
        edits: The edits in the order of their rules.

    Raises:
        UnknownConstruct: Two edits cross. The message names both rules.
    """
    numbered = sorted(
        enumerate(edits),
        key=lambda pair: (
            pair[1].start,
            pair[1].start != pair[1].end,
            -pair[1].end,
            pair[0] if pair[1].start == pair[1].end else -pair[0],
        ),
    )
    engine = _Engine(text, name, [edit for _, edit in numbered])
    return engine.render(Span(0, len(text)))
