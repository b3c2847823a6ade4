"""Render groups of equal outputs: text under `----- 349526x -----` (paper, Figures 1 and 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from attrs import frozen

from porter.run.streams.groups import Group

STYLE = "turquoise2"
SEARCHED = 4096  # number of groups that are searched for the empty one


@frozen
class Line:
    """A unit of display: bytes of a program's output, or a banner or note of porter.

    A banner is ASCII and ends in a newline, except the number before a single interpreter's text.
    """

    text: bytes
    banner: bool = False


NEWLINE = Line(b"\n")  # separates a text without a final newline from the next line


def note(text: str) -> Line:
    """Return a line of porter's own."""
    return Line(f"----- {text} -----\n".encode(), banner=True)


def banner(count: int) -> Line:
    """Return the line above a group of `count` interpreters."""
    return note(f"{count}x")


def _rest(groups: int, interpreters: int | None) -> Line:
    of = "" if interpreters is None else f" of {interpreters} interpreter{_s(interpreters)}"
    return note(f"{groups} more different output{_s(groups)}{of}")


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def render(
    groups: Sequence[Group],
    *,
    max_groups: int | None = None,
    skip_empty: bool = False,
    n: int | None = None,
) -> Iterator[Line]:
    """Yield the lines that display `groups`, the largest group first.

    A single group is its text alone, byte for byte. With several groups, each text stands under a
    banner and ends in a newline, which is added where it is missing.

    Args:
        groups: The groups.
        max_groups: Number of groups to display; a note counts the others.
        skip_empty: Omit the group without output.
        n: Interpreters of all groups; the note then also counts interpreters.
    """
    several = len(groups) > 1
    empty = None
    if skip_empty and several:
        empty = next((i for i in range(min(len(groups), SEARCHED)) if not groups[i].length), None)
    left = len(groups) - (empty is not None)
    passed = 0 if empty is None else groups[empty].count
    some = (group for index, group in enumerate(groups) if index != empty)
    for group in islice(some, max_groups):
        if several:
            yield banner(group.count)
        yield from _body(group, several)
        left -= 1
        passed += group.count
    if left:
        yield _rest(left, None if n is None else n - passed)


def _body(group: Group, several: bool) -> Iterator[Line]:
    if group.text:
        yield Line(group.text)
        if not group.text.endswith(b"\n") and (several or group.cut):
            yield NEWLINE
    if group.cut:
        yield note(f"cut: {len(group.text)} of {group.length} bytes kept")
