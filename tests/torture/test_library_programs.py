"""Generated programs that use the standard library: the generator, and a run of many."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING

import pytest

from porter_dev.torture.choices import Choices
from porter_dev.torture.python import cpython
from porter_dev.torture.python.library_program import generate_library
from porter_dev.torture.python.python_campaign import draw, torture

if TYPE_CHECKING:
    from porter.pipeline import Build

SEED = "ci"
FEW = 200  # programs of the default tier, which only the interpreter runs
MANY = 20_000  # programs that only the interpreter runs
NATIVE = 400  # programs that run as native code too


def test_choices_give_the_program_again() -> None:
    for index in range(20):
        program = draw("again", index, generate_library)
        assert generate_library(Choices(values=program.choices)) == program


def test_programs_use_the_library() -> None:
    texts = [draw("kinds", index, generate_library).text for index in range(400)]
    for text in texts:
        ast.parse(text)
    for part in (
        "Counter(", "itertools.accumulate", "functools.reduce", "heapq.merge", "bisect.bisect",
        "re.sub", "math.gcd", "random.Random", ".format(", "json.dumps", "struct.pack",
        ".bit_length()", "@dataclass", "yield from", "lru_cache", "wrapper.calls", "deque(",
    ):  # fmt: skip
        assert sum(part in text.partition("Pair = ")[2] for text in texts) >= 3, part


def test_most_programs_run_far_and_all_end() -> None:
    sources = [draw("ends", index, generate_library).source for index in range(60)]
    found = cpython.outputs(sources)
    assert None not in found
    assert sum(len(output.splitlines()) >= 3 for output in found if output) > 45


def _same(built: Build, count: int, modes: tuple[str, ...], jobs: int | None) -> None:
    if sys.version_info >= (3, 12):
        pytest.skip("CPython 3.11 has the expected texts")
    found = torture(
        built.folder, SEED, count, modes, make=generate_library, jobs=jobs, reduced=False
    )
    assert [(one.index, one.difference.detail) for one in found] == []


def test_programs_print_the_same(built: Build) -> None:
    _same(built, FEW, (), 1)


@pytest.mark.campaign("library-programs")
def test_many_programs_print_the_same(built: Build) -> None:
    _same(built, MANY, (), None)


@pytest.mark.campaign("library-programs")
def test_programs_print_the_same_as_native_code(built: Build) -> None:
    _same(built, NATIVE, ("usual",), None)
