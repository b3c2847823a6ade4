"""benchmarks/compiled.py, which measures the speedup of native code."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.compiled import BenchRow, slower_line
from benchmarks.compiled_programs import PROGRAMS, BenchProgram
from benchmarks.compiled_references import NVRTC, cuda_text
from porter import toolchain
from porter.base import process
from porter.errors import NoNvcc
from porter_dev.bench.measurement import Figure
from tests.cpython import cpython

if TYPE_CHECKING:
    from porter.pipeline import Build

ROOT = Path(__file__).parents[2]


def row(name: str, interpreted: float, compiled: float | None) -> BenchRow:
    figures = [None if s is None else Figure.of([s]) for s in (interpreted, compiled)]
    return BenchRow(name, True, figures[0], figures[1], Figure.of([1.0]))  # type: ignore[arg-type]


def test_what_is_slower_is_named() -> None:
    rows = [row("a", 1.0, 0.5), row("b", 1.0, 1.04), row("c", 1.0, 1.5), row("d", 1.0, None)]
    assert slower_line(rows).endswith("5 %: c (1.50 x)")
    assert slower_line(rows[:2]).endswith(": none")
    assert slower_line(rows[3:]).endswith(": nothing was compiled")


def test_every_program_is_python_and_says_one_number() -> None:
    assert len({program.name for program in PROGRAMS}) == len(PROGRAMS)
    assert {program.tuned for program in PROGRAMS} == {True, False}
    for program in PROGRAMS:
        compile(program.source, program.name, "exec")
        assert program.source.count("print(") == 1
        assert "WORK" in program.source


def printed(program: BenchProgram, names: dict[str, object]) -> int:
    return int(cpython(program.source, **names))


@pytest.mark.campaign("benchmarks")
@pytest.mark.parametrize("program", [p for p in PROGRAMS if p.numba], ids=lambda p: p.name)
def test_numbas_functions_say_the_same(program: BenchProgram) -> None:
    data = [float(i % 7) for i in range(256 * 5)] if program.bound else None
    names: dict[str, object] = {}
    text = textwrap.indent(program.numba, "    ")
    exec(f"def work(WORK, threadIdx, numThreads, data):\n{text}\n", names)
    for index in range(5):
        given = {"WORK": 3, "threadIdx": index, "numThreads": 5, "data": data}
        assert names["work"](**given) == printed(program, dict(given))  # type: ignore[operator]


@pytest.mark.campaign("benchmarks")
def test_cuda_c_compiles(tmp_path: Path) -> None:
    try:
        nvcc = toolchain.nvcc()
    except NoNvcc as error:
        pytest.skip(str(error))
    texts = [cuda_text(program) for program in PROGRAMS if program.c]
    assert len(texts) > 10
    source = tmp_path / "references.cu"
    source.write_text(
        "\n".join(
            f"namespace p{k} {{\n{text.replace('void run(', f'void run{k}(')}}}"
            for k, text in enumerate(texts)
        )
    )
    process.run([nvcc.path, "-ptx", "-arch=sm_90", *NVRTC, "-o", tmp_path / "ptx", source])


def script(*args: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "benchmarks/compiled.py", *map(str, args)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)


@pytest.mark.campaign("benchmarks")
def test_one_program_is_measured(built: Build, tmp_path: Path) -> None:
    file = tmp_path / "found.json"
    only = ("--only", "closures", "--only", "integers")
    done = script("--build", built.folder, "--target", "host", "--repeat", 1, *only, "--json", file)
    assert done.returncode == 0, done.stderr
    assert "slower than interpreted by more than 5 %: " in done.stdout
    found = json.loads(file.read_text())
    assert found["about"]["n"] == 1
    assert "benchmarks/compiled.py" in found["about"]["command"]
    rows = {row["name"]: row for row in found["programs"]}
    assert rows.keys() == {"integers, module", "integers", "closures"}
    for each in rows.values():
        assert each["notes"] == []
        assert 0 < each["compiled"]["least"] < each["interpreted"]["least"]
        assert 0 < each["compile_cached"] < each["compile_cold"]
    assert rows["integers"]["c"]["least"] > 0 < rows["integers"]["compiled"]["least"]


@pytest.mark.parametrize(
    "args", [("--only", "no such program"), ("--repeat", "0"), ("--nonsense",)]
)
def test_mistakes_end_at_once(args: tuple[str, ...]) -> None:
    done = script(*args)
    assert done.returncode == 2
    assert done.stdout == ""


def test_a_build_that_is_none(tmp_path: Path) -> None:
    done = script("--build", tmp_path, "--target", "host")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
