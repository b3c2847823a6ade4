"""A patch: hunks, and the trees that they are for."""

from __future__ import annotations

import re
from pathlib import Path

from attrs import frozen

ACTIONS = ("replace", "before", "after", "enter")


@frozen
class Hunk:
    """Put `text` before or after the lines `anchor` of `file`, or in their place.

    `enter` has no anchor: it puts `text` at the start of the body of the function `inside`.
    """

    file: str
    anchor: tuple[str, ...]
    action: str
    text: str
    inside: str = ""


@frozen
class Sign:
    """A line that one of upstream's files has or has not; blanks do not matter."""

    file: str
    text: str

    def shows(self, root: Path) -> bool:
        """Whether the tree `root` has it."""
        try:
            text = (root / self.file).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return False
        return any(squeeze(self.text) in squeeze(line) for line in text.splitlines())


@frozen
class Patch:
    """One feature's change to upstream.

    `unless`: upstream does it itself where this shows. `where`: this variant is for trees that
    show this. `needs`: trees that do not show this lack what the patch changes, and want none of
    it. A feature none of whose variants fits a tree is a PatchDrift, never silence.
    `file` is the patch's own, beside the series. `releases` are those it was tried on, `test`
    is what shows that it works.
    """

    name: str
    file: str
    purpose: str
    test: str
    releases: tuple[str, ...]
    hunks: tuple[Hunk, ...]
    where: Sign | None = None
    unless: Sign | None = None
    needs: Sign | None = None


def squeeze(line: str) -> str:
    """`line` with one blank for each run of them: what anchors and signs are compared by."""
    return re.sub(r"\s+", " ", line).strip()
