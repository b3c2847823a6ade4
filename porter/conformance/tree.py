"""Collect the files that a test finds in its file system."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from porter.conformance.discovery import Test

# Tests name siblings in an import, as a string (`__import__("import1a")`), or as a file name.
_MENTION = re.compile(r"""(?:import|from)([\w., \t]+)|["'](\w+)["']|["'/](\w+)\.py\b""")


def files_for(test: Test) -> tuple[tuple[str, bytes], ...]:
    """Return the files that ``test`` may import or open, the test itself included.

    These are all files in the directories below the test's own (packages, data), and the files in
    its own directory that any of these files names. Whole directories would be too large: basics
    has 550 files, and each interpreter gets its own copy.

    Returns:
        Pairs of path below ``tests/`` and content, sorted.
    """
    directory = test.path.parent
    found = dict(_below(directory))
    todo = [test.path.read_bytes(), *(data for name, data in found.items() if _is_python(name))]
    while todo:
        for stem in _mentions(todo.pop()):
            sibling = directory / f"{stem}.py"
            name = sibling.name
            if name not in found and sibling.is_file():
                found[name] = sibling.read_bytes()
                todo.append(found[name])
    return tuple(sorted((f"{test.directory}/{name}", data) for name, data in found.items()))


def _mentions(source: bytes) -> set[str]:
    text = source.decode("utf-8", errors="replace")
    found = (group for match in _MENTION.finditer(text) for group in match.groups() if group)
    return {word for group in found for word in re.findall(r"\w+", group)}


def _is_python(name: str) -> bool:
    return name.endswith(".py")


@cache
def _below(directory: Path) -> tuple[tuple[str, bytes], ...]:
    """Return the files in the directories below ``directory``, with paths relative to it."""
    return tuple(
        (path.relative_to(directory).as_posix(), path.read_bytes())
        for path in sorted(directory.glob("*/**/*"))
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".exp"
    )
