"""Groups as the paper prints them: text under `----- 349526x -----` (Figures 1 and 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from attrs import frozen

from porter.run.streams.groups import Group

STYLE = "turquoise2"
SEARCHED = 4096  # groups among which the empty one is looked for


@frozen
class Line:
    """What to print: a program's bytes as they are, or, with `banner`, a banner or note of ours.

    A banner is ASCII and ends in a newline, but for the number before one interpreter's text.
    """

    text: bytes
    banner: bool = False


NEWLINE = Line(b"\n")  # between a text that has none at its end and what follows


def note(text: str) -> Line:
    """A line of ours."""
    return Line(f"----- {text} -----\n".encode(), banner=True)


def banner(count: int) -> Line:
    """The line above a group of `count` interpreters."""
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
    """What to print for `groups`, the largest first.

    Of a single group its text alone, byte for byte. Of several each text stands under a banner and
    ends in a newline, which is added where it has none.
    `max_groups` limits how many are shown; a note says how many are not, and with `n`, the
    interpreters of all groups, of how many of them. `skip_empty` leaves out the group that wrote
    nothing (of which there is at most one).
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
