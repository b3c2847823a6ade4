"""Groups as the paper prints them: text under `----- 349526x -----` (Figures 1 and 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from attrs import frozen

from porter.run.result import Group

STYLE = "turquoise2"
SEARCHED = 4096  # groups among which the empty one is looked for


@frozen
class Line:
    """Text to print, which ends in a newline or is empty. banner: it is a banner or a note."""

    text: str
    banner: bool = False


def banner(count: int) -> str:
    """The line above a group of `count` interpreters."""
    return f"----- {count}x -----"


def _rest(groups: int, interpreters: int | None) -> str:
    of = "" if interpreters is None else f" of {interpreters} interpreter{_s(interpreters)}"
    return f"----- {groups} more different output{_s(groups)}{of} -----\n"


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def render(
    groups: Sequence[Group],
    *,
    max_groups: int | None = None,
    skip_empty: bool = False,
    n: int | None = None,
) -> Iterator[Line]:
    """What to print for `groups`, the largest first; no banner when there is only one.

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
            yield Line(banner(group.count) + "\n", banner=True)
        yield from _body(group)
        left -= 1
        passed += group.count
    if left:
        yield Line(_rest(left, None if n is None else n - passed), banner=True)


def _body(group: Group) -> Iterator[Line]:
    text = group.text.decode("utf-8", "replace")
    if group.cut and text.endswith("\ufffd"):
        text = text[:-1]  # a character that the buffer's end cut in two
    if text and not text.endswith("\n"):
        text += "\n"
    if text:
        yield Line(text)
    if group.cut:
        note = f"----- cut: {len(group.text)} of {group.length} bytes kept -----\n"
        yield Line(note, banner=True)
