"""`porter run --compiled`: byte for byte what the interpreted run gives."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import Porter

if TYPE_CHECKING:
    from porter.pipeline import Build

PROGRAMS = {
    "failing": """\
import sys
def total(n):
    found = 0
    for i in range(n):
        found += i * threadIdx
    return found
print(total(1000), __file__, __name__, sys.argv)
if threadIdx % 2: total("x")
sys.exit(threadIdx)
""",
    "reading": "while True:\n    print(input())\n",
    "wrong": "def f(:\n",
    "empty": "",
    "endless": "n = 0\nwhile True: n += 1\n",
}


@pytest.fixture(scope="session")
def place(built: Build) -> list[str | Path]:
    return ["--build", built.folder, "--target", "host", "-n", "4"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_equal(porter: Porter, place: list[str | Path], tmp_path: Path, name: str) -> None:
    file = tmp_path / f"{name}.py"
    file.write_text(PROGRAMS[name])
    options = [*place, "--max-steps", "100000", "--console", "ring", file]
    plain, compiled = (
        porter("run", *more, *options, input="one\ntwo\n") for more in ([], ["--compiled"])
    )
    assert compiled == plain


def test_times_say_what_was_compiled(porter: Porter, place: list[str | Path], home: str) -> None:
    code = "def f(n):\n  for i in range(n): i * 2\nf(9)"
    lines = []
    for _ in range(2):
        done = porter("run", "--compiled", "--times", "-c", code, *place, PORTER_HOME=home)
        assert done.code == 0 and done.out == "", done.err
        lines.append(done.err.splitlines()[-2:])
    assert lines[0][1] == lines[1][1] == "  <string>:2 f"
    assert lines[0][0].startswith("compiled: 1 of 2 functions, trial 0.")
    assert lines[1][0].startswith("compiled from the cache: 1 of 2 functions, load 0.")


@pytest.fixture
def home(tmp_path: Path) -> str:
    return str(tmp_path)


def test_no_compiler(porter: Porter, place: list[str | Path]) -> None:
    done = porter("run", "--compiled", "-c", "1", *place, PORTER_CXX="/nowhere")
    assert done.code == 11
    assert "no g++ on this machine" in done.err
