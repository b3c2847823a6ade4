"""Find the tests of a release, select those that a command line names, and collect their files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import attrs

from porter.base import arguments
from porter.conformance.runtests.runner import default_tests
from porter.errors import UnknownRelease, UsageError

_EMITTER = "bytecode"  # run-tests.py's name for the emitter that all builds have


@attrs.frozen
class Test:
    """A test file of a release."""

    __test__ = False  # keeps pytest from collecting this class

    root: Path  # the release's tests/ directory
    name: str  # path relative to root, such as "basics/list1.py", with forward slashes

    @property
    def path(self) -> Path:
        """Path of the test's file."""
        return self.root / self.name

    @property
    def directory(self) -> str:
        """The test's directory below ``tests/``, such as "basics" or "ports/unix"."""
        return self.name.rpartition("/")[0]

    @property
    def stem(self) -> str:
        """File name without ``.py``, which upstream's rules match."""
        return self.name.rpartition("/")[2].removesuffix(".py")

    @property
    def expected_file(self) -> Path:
        """Path of upstream's expected output, whether it exists; an emitter's own file wins."""
        own = self.path.with_name(self.path.name + f".{_EMITTER}.exp")
        return own if own.is_file() else self.path.with_name(self.path.name + ".exp")


def discover(root: arguments.StrPath, asked: Sequence[str] = ()) -> list[Test]:
    """Return the selected tests, sorted.

    Args:
        root: The release's ``tests/`` directory.
        asked: Directories (``basics``), tests (``basics/list1.py``, with or without ``.py``) or
            patterns (``basics/list*``). If empty, the tests that upstream runs by default.

    Raises:
        UnknownRelease: ``root`` holds no tests.
        UsageError: A name matches nothing.
        UpstreamChange: The release's own runner does not reveal its default tests.
    """
    root = arguments.path(root, "root")
    if not (root / "basics").is_dir():
        raise UnknownRelease(
            f"no upstream tests in {root}", hint="Sync the release first: `porter sync RELEASE`."
        )
    names: set[str] = set() if asked else set(default_tests(root))
    for item in asked:
        found = _matching(root, item)
        if not found:
            raise UsageError(
                f"{item}: no such test or directory in {root}",
                hint="`porter conformance --list` prints the tests.",
            )
        names.update(found)
    return [Test(root, name) for name in sorted(names)]


def _matching(root: Path, item: str) -> list[str]:
    clean = item.replace("\\", "/").strip("/").removeprefix("tests/")
    if not clean or ".." in clean.split("/"):
        return []
    if (root / clean).is_dir():
        paths = (root / clean).glob("*.py")
    else:
        pattern = clean if clean.endswith(".py") else clean + ".py"
        paths = root.glob(pattern)
    return [path.relative_to(root).as_posix() for path in paths if path.is_file()]


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
