"""Where a hunk belongs in a file: its anchor's lines, and what is near where they are not."""

from __future__ import annotations

import difflib
import re

from attrs import frozen

from porter.errors import PatchDrift
from porter.patches.model import Hunk, squeeze


@frozen
class Applied:
    """A text after a hunk; `exact` says that the anchor matched letter by letter."""

    text: str
    exact: bool


def apply_hunk(hunk: Hunk, text: str, patch: str = "", number: int = 1) -> Applied:
    """`text` with that hunk. Raises PatchDrift when the anchor is not there exactly once."""
    lines = text.splitlines(keepends=True)
    if hunk.action == "enter":
        head = _scope(hunk, lines, patch, number)[0]
        body = next(i for i in range(head, len(lines)) if "{" in lines[i]) + 1
        lines[body:body] = _whole_lines(hunk.text)
        return Applied("".join(lines), True)
    at = _find(hunk, lines, patch, number)
    size = len(hunk.anchor)
    exact = _window(lines, at, size) == hunk.anchor
    new = _whole_lines(hunk.text)
    if hunk.action == "before":
        lines[at:at] = new
    elif hunk.action == "after":
        lines[at + size : at + size] = new
    else:
        lines[at : at + size] = new
    return Applied("".join(lines), exact)


def _whole_lines(text: str) -> list[str]:
    return [line + "\n" for line in text.splitlines()]


def match_hunk(hunk: Hunk, text: str, patch: str = "", number: int = 1) -> tuple[str, ...]:
    """The lines of `text` that the hunk's anchor matches. Raises PatchDrift."""
    lines = text.splitlines(keepends=True)
    if hunk.action == "enter":
        _scope(hunk, lines, patch, number)
        return ()
    return _window(lines, _find(hunk, lines, patch, number), len(hunk.anchor))


def _find(hunk: Hunk, lines: list[str], patch: str, number: int) -> int:
    start, end = _scope(hunk, lines, patch, number)
    size = len(hunk.anchor)
    want = tuple(map(squeeze, hunk.anchor))
    exact, loose = [], []
    for i in range(start, end - size + 1):
        window = _window(lines, i, size)
        if window == hunk.anchor:
            exact.append(i)
        elif tuple(map(squeeze, window)) == want:
            loose.append(i)
    found = exact or loose
    if len(found) != 1:
        raise drift(hunk, patch, number, _explain(hunk, lines, start, end, found))
    return found[0]


def _scope(hunk: Hunk, lines: list[str], patch: str, number: int) -> tuple[int, int]:
    """Line range of the function `hunk.inside`, the whole file without one.

    Upstream formats its code: a definition starts and its closing brace stands in column 0.
    """
    if not hunk.inside:
        return 0, len(lines)
    head = re.compile(rf"[A-Za-z_].*\b{re.escape(hunk.inside)}\s*\(")
    for i, line in enumerate(lines):
        if not head.match(line):
            continue
        opening = next((j for j in range(i, len(lines)) if re.search(r"[{;]", lines[j])), None)
        if opening is None or ";" in lines[opening].split("{")[0]:
            continue  # a declaration
        closing = (j for j in range(opening, len(lines)) if lines[j].startswith("}"))
        return i, next(closing, len(lines) - 1) + 1
    raise drift(hunk, patch, number, f"there is no function {hunk.inside}")


def _explain(hunk: Hunk, lines: list[str], start: int, end: int, found: list[int]) -> str:
    wanted = "\n".join(f"    {line}" for line in hunk.anchor)
    if found:
        where = ", ".join(str(i + 1) for i in found)
        return f"the anchor is there {len(found)} times (lines {where}):\n{wanted}"
    size = len(hunk.anchor)
    goal = "\n".join(map(squeeze, hunk.anchor))
    best, score = start, 0.0
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(goal)
    for i in range(start, max(start + 1, end - size + 1)):
        matcher.set_seq1("\n".join(map(squeeze, _window(lines, i, size))))
        if matcher.real_quick_ratio() > score and matcher.quick_ratio() > score:
            ratio = matcher.ratio()
            if ratio > score:
                best, score = i, ratio
    near = "\n".join(f"    {line}" for line in _window(lines, best, size))
    return f"expected\n{wanted}\n  nearest, line {best + 1} ({score:.0%} alike)\n{near}"


def drift(hunk: Hunk, patch: str, number: int, detail: str) -> PatchDrift:
    inside = f", in {hunk.inside}" if hunk.inside else ""
    return PatchDrift(
        f"patch {patch or '?'}, hunk {number}: {hunk.file}{inside}: {detail}",
        hint="`porter patch check` shows all of them; see docs/upstream.md.",
        patch=patch,
        file=hunk.file,
    )


def _window(lines: list[str], at: int, size: int) -> tuple[str, ...]:
    return tuple(line.rstrip("\r\n") for line in lines[at : at + size])
