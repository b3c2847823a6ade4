"""`porter compile` as a user starts it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from porter import InterpreterArray
from tests.cli.conftest import Raw

if TYPE_CHECKING:
    from porter.pipeline import Build


LOOP = "x = 0\nfor i in range(9):\n    x += i  # été \U0001f40d\nprint(x)\n"


@pytest.mark.parametrize(
    ("stage", "expected"),
    [
        ("bytecode", "INPLACE_ADD"),
        ("cfg", "entry, loop"),
        ("types", "stack: "),
        ("ir", "jump"),
        ("cxx", 'extern "C"'),
    ],
)
def test_each_stage_goes_to_stdout(
    on_build: Raw, tmp_path: Path, stage: str, expected: str
) -> None:
    program = tmp_path / "program.py"
    program.write_text(LOOP)
    done = on_build("compile", program, "--show", stage, LC_ALL="C", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode()
    assert expected in text
    assert "x += i  # été \U0001f40d" in text or stage in ("cfg", "types")
    assert text.endswith("\n")


def test_the_cxx_is_that_of_machine_code_that_runs(
    on_build: Raw, built: Build, tmp_path: Path
) -> None:
    program = tmp_path / "program.py"
    program.write_text(LOOP)
    with InterpreterArray(1, build=built.folder, target="host") as array:
        native = array.compile(LOOP, str(program), native=True).native
    assert native is not None
    assert on_build("compile", program).stdout.decode() == native.text
    assert on_build("compile", program, "--no-profiling-run").stdout.decode() != native.text


def test_the_ir_after_a_pass(on_build: Raw) -> None:
    program = "def f(n):\n    for i in range(n):\n        n += g(i)\n    return n\nf(3)\n"
    options = ("-c", program, "--no-profiling-run", "--show", "ir", "--kernels")
    last, first = (
        on_build("compile", *options),
        on_build("compile", *options, "--after", "construction"),
    )
    assert "region start" in last.stdout.decode()
    assert "region whole" in first.stdout.decode()


def test_code_on_the_command_line(on_build: Raw) -> None:
    done = on_build("compile", "-c", "while True: pass", "--show", "cfg", "--dot")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"digraph ")


def test_a_program_is_refused_as_porter_run_refuses_it(on_build: Raw, tmp_path: Path) -> None:
    program = tmp_path / "broken.py"
    program.write_text("x = 1\nprint((\n")
    done, run = on_build("compile", program), on_build("run", program)
    assert done.returncode == run.returncode == 40
    assert done.stdout == b""
    assert done.stderr == run.stderr
    assert done.stderr.count(b"SyntaxError") == 1
    program.write_bytes(b"x = '\xff'\n")
    assert on_build("compile", program).stderr == on_build("run", program).stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), b"give either FILE or -c CODE"),
        (("-c", "1", "file.py"), b"give either FILE or -c CODE"),
        (("no such file.py",), b"no such file.py: No such file"),
        (("-c", "1", "--show", "assembly"), b"'assembly' is not one of"),
        (("-c", "1", "--dot"), b"--dot: it requires --show cfg"),
        (("-c", "1", "--after", "outlining"), b"--after: it requires --show ir"),
        (("-c", "1", "--show", "ir", "--after", "sorting"), b"'sorting' is not one of"),
    ],
)
def test_one_message_for_a_mistake(on_build: Raw, args: tuple[str, ...], message: bytes) -> None:
    done = on_build("compile", *args)
    assert (done.returncode, done.stdout) == (2, b"")
    assert message in done.stderr
    assert b"Traceback" not in done.stderr
