"""Choose the programs of a sweep: upstream's tests that need no files, or a folder of programs."""

from __future__ import annotations

from collections.abc import Sequence

from porter.base import arguments
from porter.conformance.discovery import Test, discover, files_for
from porter.conformance.expected_output import CPython, normalise
from porter.conformance.skips import SkipList
from porter.errors import UsageError
from porter_dev.allocation_failure.injection import Ending, InjectedProgram

# Output that depends on memory or time differs between runs. Programs that sleep would do so in
# thousands of interpreters.
_UNSTEADY = (
    b"mem_free",
    b"mem_alloc",
    b"mem_info",
    b"heap_lock",
    b"gc.threshold",
    b"time.time",
    b"sleep",
    b"asyncio",
)


def upstream(
    root: arguments.StrPath, asked: Sequence[str], cpython: CPython, skips: SkipList
) -> list[InjectedProgram]:
    """Return the upstream tests under ``root`` that need no other files and pass in CPython.

    Args:
        root: The release's ``tests/`` directory.
        asked: Tests to choose from; empty for upstream's default tests.
        cpython: Provides the expected outputs.
        skips: Skip list; its tests are left out.
    """
    tests = [test for test in discover(root, asked) if skips.reason(test) is None]
    tests = [test for test in tests if _plain(test)]
    expected = cpython.expect_all(tests)
    return [
        InjectedProgram(test.name, test.path.read_bytes(), expected[test.name].output)
        for test in tests
        if b"CPYTHON3 CRASH" not in expected[test.name].output
    ]


def _plain(test: Test) -> bool:
    source = test.path.read_bytes()
    return not (files_for(test) or any(w in source for w in _UNSTEADY))


def folder(path: arguments.StrPath) -> list[InjectedProgram]:
    """Return the programs in ``path``; NAME.out holds the expected output of NAME.py."""
    path = arguments.path(path, "path")
    files = sorted(path.glob("*.py"))
    if not files:
        raise UsageError(f"{path}: there are no .py files")
    return [
        InjectedProgram(
            file.name, file.read_bytes(), normalise(out.read_bytes()) if out.is_file() else b""
        )
        for file in files
        for out in [file.with_suffix(".out")]
    ]


def passing(
    subjects: Sequence[InjectedProgram], endings: Sequence[Ending]
) -> list[tuple[InjectedProgram, int]]:
    """Return the programs that succeed with the right output, and their allocation counts.

    A program without expected output expects the output of this run from now on.
    """
    found = []
    for subject, ending in zip(subjects, endings, strict=True):
        output = normalise(ending.stdout)
        if ending.status != "GPUSNEK_OK" or ending.cut or not ending.allocations:
            continue
        if subject.expected and output != subject.expected:
            continue
        found.append((InjectedProgram(subject.name, subject.source, output), ending.allocations))
    return found
