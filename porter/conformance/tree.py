"""The files that one test finds beside itself."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from porter.conformance.discovery import Test

# A sibling is named by an import, as a string (`__import__("import1a")`), or as a file.
_MENTION = re.compile(r"""(?:import|from)([\w., \t]+)|["'](\w+)["']|["'/](\w+)\.py\b""")


def files_for(test: Test) -> tuple[tuple[str, bytes], ...]:
    """What ``test`` may import or open: pairs of path below ``tests/`` and content, sorted.

    That is every file in the directories below the test's own (packages, data),
    and of the files in its own directory those that the test or one of these
    names, the test itself included. Whole directories are too much: basics alone
    is 550 files, and each interpreter carries its own copy.
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
    """The files in the directories below ``directory``, relative to it."""
    return tuple(
        (path.relative_to(directory).as_posix(), path.read_bytes())
        for path in sorted(directory.glob("*/**/*"))
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".exp"
    )
