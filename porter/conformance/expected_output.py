"""The expected output of a test: its ``.exp`` file, or else CPython's output.

A mismatch is described by unittest's summary or by the first difference of two outputs.

Upstream's own runner decides whether outputs are equal (runtests/).
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path

import attrs

from porter.base import arguments
from porter.base.files import write_whole
from porter.conformance.discovery import Test, files_for
from porter.errors import ToolMissing


@attrs.frozen
class UnittestSummary:
    """The summary that unittest prints last."""

    ran: int
    ok: bool


def normalise(output: bytes) -> bytes:
    """Convert line ends to ``\\n``."""
    return output.replace(b"\r\n", b"\n")


def unittest_summary(output: bytes) -> UnittestSummary | None:
    """Parse the summary at the end of ``output``; None if the test does not use unittest."""
    lines = output.splitlines()
    if len(lines) <= 4 or lines[-4] != b"-" * 70 or lines[-2] != b"":
        return None
    ran = re.fullmatch(rb"Ran (\d+) tests", lines[-3])
    ok = re.fullmatch(rb"OK( \(skipped=\d+\))?", lines[-1])
    failed = re.fullmatch(rb"FAILED \(failures=\d+, errors=\d+\)", lines[-1])
    if ran is None or (ok is None and failed is None):
        return None
    return UnittestSummary(int(ran[1]), ok is not None)


def first_difference(expected: bytes, actual: bytes) -> str:
    """Describe the first difference of two outputs in one line."""
    pairs = zip_longest(expected.splitlines(), actual.splitlines())
    for number, (want, got) in enumerate(pairs, 1):
        if want != got:
            return f"line {number}: expected {_show(want)}, got {_show(got)}"
    return "the outputs differ in line ends"


def _show(line: bytes | None) -> str:
    if line is None:
        return "the end"
    text = line.decode("utf-8", errors="backslashreplace")
    return repr(text if len(text) <= 100 else text[:100] + "...")


CPYTHON_TIMEOUT = 60.0  # seconds per test
# Upstream's options (CPYTHON3_CMD): no .pyc files, no site-packages.
_OPTIONS = ("-BS",)
_CACHE_FORMAT = 2  # to be incremented when the meaning of cached outputs changes


@attrs.frozen
class Expectation:
    """The expected output of a test, and its source."""

    output: bytes
    source: str  # "exp" or "cpython"


@attrs.frozen
class CPython:
    """A CPython executable and the cache of its outputs."""

    executable: str
    version: str
    cache: Path

    def expect(self, test: Test) -> Expectation:
        """Return the expected output of ``test``; CPython runs only if the cache lacks it."""
        if test.expected_file.is_file():
            return Expectation(normalise(test.expected_file.read_bytes()), "exp")
        cached = self.cache / f"{self._key(test)}.out"
        if cached.is_file():
            return Expectation(cached.read_bytes(), "cpython")
        output = normalise(self._run(test))
        write_whole(cached, output, parents=True)
        return Expectation(output, "cpython")

    def expect_all(
        self, tests: Sequence[Test], done: Callable[[], None] = lambda: None
    ) -> dict[str, Expectation]:
        """Return the expected outputs of ``tests``, by name; CPython runs in parallel."""

        def one(test: Test) -> Expectation:
            expectation = self.expect(test)
            done()
            return expectation

        with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
            return dict(zip((t.name for t in tests), pool.map(one, tests), strict=True))

    def _key(self, test: Test) -> str:
        digest = hashlib.sha256(repr((_CACHE_FORMAT, self.version, test.name)).encode())
        for name, data in [("", test.path.read_bytes()), *files_for(test)]:
            digest.update(b"%d %s %d " % (len(name), name.encode(), len(data)))
            digest.update(data)
        return digest.hexdigest()

    def _run(self, test: Test) -> bytes:
        # In a copy: some tests write files, and upstream's tree must not change.
        with tempfile.TemporaryDirectory(prefix="porter-expected-") as folder:
            for name, data in [*files_for(test), (test.name, test.path.read_bytes())]:
                target = Path(folder, name)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
            script = Path(folder, test.name)
            try:
                done = subprocess.run(
                    [self.executable, *_OPTIONS, str(script)],
                    cwd=script.parent,
                    env={**os.environ, "PYTHONIOENCODING": "utf-8"},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    timeout=CPYTHON_TIMEOUT,
                )
            except subprocess.TimeoutExpired:
                return b"CPYTHON3 TIMEOUT\n"
        # An interpreter has its files at "/"; remove the folder from the tests that print a path.
        output = done.stdout.replace(folder.encode(), b"")
        return output if done.returncode == 0 else b"CPYTHON3 CRASH:\n" + output


def find_cpython(cache: arguments.StrPath, executable: str | None = None) -> CPython:
    """Find CPython: ``executable``, else $MICROPY_CPYTHON3 as upstream does, else this one.

    Raises:
        ToolMissing: The executable does not start.
    """
    cache = arguments.path(cache, "cache")
    name = executable or os.environ.get("MICROPY_CPYTHON3") or sys.executable
    try:
        version = subprocess.run(
            [name, "-BSc", "import sys; print(sys.version)"],
            capture_output=True,
            check=True,
            text=True,
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError) as error:
        raise ToolMissing(
            f"{name}: this CPython does not start",
            hint="Name another with --cpython or MICROPY_CPYTHON3.",
        ) from error
    return CPython(name, version, cache)
