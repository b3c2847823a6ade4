"""The headings of `porter --help`, by kind of user, with their commands.

Each command is in one group: add the name of a new one (`new-kernel`, not `new_kernel`) here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from porter.cli import _development

GROUPS: dict[str, tuple[str, ...]] = {
    "Run programs": ("run", "repl", "evaluate", "serve", "profile", "compile"),
    "Files": ("fs",),
    "Build and kernels": ("build", "bundle", "new-kernel", "doctor"),
    "Follow upstream": ("sync", "releases", "rules", "patch", "regress"),
    "Check": ("smoke", "conformance"),
    _development.HEADING: _development.COMMANDS,
}
REST = "Other commands"


def grouped(commands: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the non-empty groups with their commands in order; REST comes last."""
    left = list(commands)
    for title, names in GROUPS.items():
        if here := [name for name in names if name in left]:
            yield title, here
            left = [name for name in left if name not in here]
    if left:
        yield REST, left
