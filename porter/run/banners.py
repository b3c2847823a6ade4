"""Groups as the paper prints them: text under `----- 349526x -----` (Figures 1 and 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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


def render(
    groups: Sequence[Group], *, max_groups: int | None = None, skip_empty: bool = False
) -> Iterator[Line]:
    """What to print for `groups`, the largest first; no banner when there is only one.

    `max_groups` limits how many are shown; a note says how many are not. `skip_empty` leaves
    out the group that wrote nothing (of which there is at most one).
    """
    several = len(groups) > 1
    if skip_empty and several:
        empty = next((i for i in range(min(len(groups), SEARCHED)) if not groups[i].length), None)
        if empty is not None:
            groups = [*groups[:empty], *groups[empty + 1 :]]
    shown = len(groups) if max_groups is None else min(max_groups, len(groups))
    for index in range(shown):
        group = groups[index]
        if several:
            yield Line(banner(group.count) + "\n", banner=True)
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
    if shown < len(groups):
        rest = len(groups) - shown
        yield Line(f"----- {rest} more different outputs -----\n", banner=True)
