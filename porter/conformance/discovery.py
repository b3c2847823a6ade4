"""Which tests there are, and which of them a command line asks for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import attrs

from porter.base import arguments
from porter.conformance.runtests.runner import default_tests
from porter.errors import UnknownRelease, UsageError

_EMITTER = "bytecode"  # what run-tests.py calls the emitter that all builds have


@attrs.frozen
class Test:
    """One test file of a release."""

    __test__ = False  # not a test of ours, whatever pytest thinks of the name

    root: Path  # the release's tests/ directory
    name: str  # "basics/list1.py", always with forward slashes

    @property
    def path(self) -> Path:
        """The test's file."""
        return self.root / self.name

    @property
    def directory(self) -> str:
        """Its directory below ``tests/``, "basics" or "ports/unix"."""
        return self.name.rpartition("/")[0]

    @property
    def stem(self) -> str:
        """Its file name without ``.py``: what upstream's rules look at."""
        return self.name.rpartition("/")[2].removesuffix(".py")

    @property
    def expected_file(self) -> Path:
        """Where upstream keeps its expected output, if it does; that of its emitter wins."""
        own = self.path.with_name(self.path.name + f".{_EMITTER}.exp")
        return own if own.is_file() else self.path.with_name(self.path.name + ".exp")


def discover(root: arguments.StrPath, asked: Sequence[str] = ()) -> list[Test]:
    """The tests under ``root`` that ``asked`` names, sorted; without, those that upstream runs.

    Each of ``asked`` is a directory (``basics``), a test (``basics/list1.py``,
    with or without ``.py``), or a pattern (``basics/list*``).

    Raises UnknownRelease if ``root`` holds no tests, UsageError for a name that matches
    nothing, and UpstreamChange if the release's own runner does not say what it runs.
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
