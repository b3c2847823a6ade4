"""Find the tests of a release, and select the ones that a command line names."""

from __future__ import annotations

from collections.abc import Sequence
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
