"""The generator: equal seeds give equal programs, and programs are valid C."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter_dev.torture.batch import run_as_c, sources
from porter_dev.torture.c_campaign import draw
from porter_dev.torture.choices import Choices
from porter_dev.torture.program import generate

SANITIZED = 60


def write(programs: list, folder: Path) -> None:
    for name, text in sources(programs).items():
        (folder / name).write_text(text)


def test_same_seed_same_program() -> None:
    assert draw("x", 3) == draw("x", 3)
    assert draw("x", 3) != draw("y", 3)
    assert draw("x", 3).units != draw("x", 4).units


def test_choices_give_the_program_again() -> None:
    for index in range(10):
        program = draw("again", index)
        assert generate(index, Choices(values=program.choices)) == program


def test_the_simplest_program_is_one(tmp_path: Path) -> None:
    program = generate(0, Choices(values=()))
    assert len(program.units[0].splitlines()) < 60
    write([program], tmp_path)
    assert run_as_c(tmp_path).startswith("p0 start ")


def test_programs_together_print_what_they_print_alone(tmp_path: Path) -> None:
    programs = [draw("together", index) for index in range(3)]
    write(programs, tmp_path)
    together = run_as_c(tmp_path)
    alone = ""
    for program in programs:
        write([program], tmp_path)
        alone += run_as_c(tmp_path)
    assert together == alone


@pytest.mark.campaign("torture-libraries")
def test_optimisation_changes_nothing(tmp_path: Path) -> None:
    """Undefined behaviour would show here, and as a false finding in a campaign."""
    write([draw("optimised", index) for index in range(10)], tmp_path)
    assert run_as_c(tmp_path, "-O2") == run_as_c(tmp_path, "-O0")


@pytest.mark.campaign("torture-libraries")
def test_no_undefined_behaviour(tmp_path: Path) -> None:
    # Shifts of negative numbers are defined in GNU C, and in C++ too.
    checks = "-fsanitize=undefined,address", "-fno-sanitize=shift", "-fno-sanitize-recover=all"
    for start in range(0, SANITIZED, 20):
        programs = [draw("sanitized", index) for index in range(start, start + 20)]
        write(programs, tmp_path)
        lines = run_as_c(tmp_path, "-O1", *checks).splitlines()
        assert {line.split()[0] for line in lines} == {program.name for program in programs}
