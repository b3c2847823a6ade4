"""Run a batch of programs as C and as rewritten C++, in one process each; compare the outputs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from porter.base import paths, process
from porter.compile.flags import COMMON_CXX
from porter.errors import PorterError, ToolFailed, ToolTimedOut, UnknownConstruct
from porter.rewrite.facts import collect
from porter.rewrite.program import merge
from porter.rewrite.rewrite_stage import state_header, state_unit
from porter.rewrite.unit import rewrite_unit
from porter.syntax import parse_unit
from porter_dev.torture.program import CProgram

COMPILE_TIMEOUT = 300.0  # seconds
RUN_TIMEOUT = 20.0
HARNESS = Path(__file__).with_name("harness")  # C and C++ beside the generated programs
C_FLAGS = ("-std=gnu99", "-w", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off")
_GCC_CRASHED = "internal compiler error"
_UNITS = ("first", "second", "support")
_PROGRAM = re.compile(r"\bp(\d+)/")


@frozen
class Finding:
    """A fault in one program.

    Attributes:
        kind: "refused" (a rule rejects it), "rewriter" (an internal error), "compiler" (g++
            rejects the C++), "differs", or "generator" (the program is invalid as C).
        detail: Description for the reader.
        about: Identity of the fault, which must stay the same while the program is reduced.
    """

    kind: str
    detail: str
    about: str


class _Stopped(Exception):
    """A step failed for a whole batch."""

    def __init__(self, finding: Finding, text: str) -> None:
        super().__init__(finding.detail)
        self.finding = finding
        self.text = text


def examine(
    programs: Sequence[CProgram], folder: Path, optimise: str = "-O1"
) -> dict[str, Finding]:
    """Find the faulty programs of a batch, by name.

    A program that crashes gcc itself is no finding; `(_Bool)((4, 11))` crashes gcc 12. A batch that
    fails as a whole is split until the faulty program is found.

    Args:
        programs: Programs of the batch.
        folder: Folder for sources and executables.
        optimise: Optimisation level of both compilers.
    """
    if not programs:
        return {}
    try:
        as_c, as_cxx = _outputs(programs, folder, optimise)
    except _Stopped as stopped:
        if len(programs) == 1:
            finding = stopped.finding
            crashed = finding.kind == "generator" and _GCC_CRASHED in finding.detail
            return {} if crashed else {programs[0].name: finding}
        found: dict[str, Finding] = {}
        for part in _split(programs, stopped.text):
            found |= examine(part, folder, optimise)
        return found
    different = [p for p in programs if _lines(as_c, p) != _lines(as_cxx, p) or not _lines(as_c, p)]
    if len(programs) == 1 and different:
        return {
            programs[0].name: _difference(_lines(as_c, programs[0]), _lines(as_cxx, programs[0]))
        }
    found = {}
    for program in different:
        found |= examine([program], folder, optimise) or {
            program.name: Finding("differs", "only beside other programs", "beside")
        }
    return found


def _split(programs: Sequence[CProgram], text: str) -> list[Sequence[CProgram]]:
    """Split a failed batch: the program that a message names and the rest, or halves."""
    named = {f"p{number}" for number in _PROGRAM.findall(text)[:1]}
    alone = [p for p in programs if p.name in named]
    if alone:
        return [alone, [p for p in programs if p not in alone]]
    half = len(programs) // 2
    return [programs[:half], programs[half:]]


def _lines(output: str, program: CProgram) -> list[str]:
    return [line for line in output.splitlines() if line.startswith(f"{program.name} ")]


def _difference(as_c: list[str], as_cxx: list[str]) -> Finding:
    for left, right in zip(as_c, as_cxx, strict=False):
        if left != right:
            where = left.rpartition(" ")[0]
            return Finding("differs", f"{where}: C {left.split()[-1]}, C++ {right.split()[-1]}", "")
    return Finding("differs", f"{len(as_c)} lines as C, {len(as_cxx)} as C++", "")


def sources(programs: Sequence[CProgram]) -> dict[str, str]:
    """Return the C sources of a batch, by file name."""
    files = {}
    for at, unit in enumerate(_UNITS[:2]):
        text = '#include "torture.h"\n'
        for program in programs:
            text += f'#line 1 "{program.name}/header.h"\n{program.header}'
            text += f'#line 1 "{program.name}/{unit}.c"\n{program.units[at]}'
            text += f"void {program.entry}(void);\n"
        if at == 0:
            calls = "".join(f"{program.entry}();\n" for program in programs)
            text += f'#line 1 "program.c"\nint program(void) {{\n{calls}return 0;\n}}\n'
        files[f"{unit}.c"] = text
    return files


def _outputs(programs: Sequence[CProgram], folder: Path, optimise: str) -> tuple[str, str]:
    for name, text in sources(programs).items():
        (folder / name).write_text(text)
    as_c = run_as_c(folder, optimise)
    rewrite_here(folder)
    return as_c, run_as_cxx(folder, optimise)


def _preprocess(folder: Path, *options: str) -> None:
    templates = paths.templates_dir()
    for unit in _UNITS:
        source = folder / f"{unit}.c"
        if unit == "support":
            source = HARNESS / "support.c"
        include = ["-nostdinc", f"-I{templates}/libc", f"-I{HARNESS}"]
        target = folder / f"{unit}.i"
        _tool(["gcc", "-E", "-std=gnu99", *include, *options, source, "-o", target], "generator")


def run_as_c(folder: Path, optimise: str = "-O1", *options: str) -> str:
    """Build the batch in a folder as C, with further `options`, and return its output."""
    _preprocess(folder, "-DPORTER_NATIVE_SETJMP")
    host = HARNESS / "host.c"
    units = [folder / f"{unit}.i" for unit in _UNITS]
    command: list[str | Path] = ["gcc", *C_FLAGS, optimise, *options, *units, host]
    _tool([*command, "-o", folder / "as_c"], "generator")
    return _tool([folder / "as_c"], "generator", RUN_TIMEOUT)


def rewrite_here(folder: Path) -> None:
    """Rewrite the batch in a folder to C++."""
    _preprocess(folder)
    try:
        units = [parse_unit(unit, folder / f"{unit}.i") for unit in _UNITS]
        program = merge([collect(unit) for unit in units], saturate=False)
        files = {f"{unit.name}.cpp": rewrite_unit(unit, program).text for unit in units}
        files |= {"porter_state.h": state_header(program), "porter_state.cpp": state_unit(program)}
    except UnknownConstruct as error:
        about = f"{error.rule}: {error.reason}"
        raise _Stopped(Finding("refused", str(error), about), str(error)) from error
    except Exception as error:  # internal errors of the rewriter are findings, too
        detail = f"{type(error).__name__}: {error}"
        about = type(error).__name__
        if isinstance(error, PorterError):
            about = re.sub(r"'.*?'|\d+|p\d+\w*", "", detail, flags=re.DOTALL)
        raise _Stopped(Finding("rewriter", detail, about), str(error)) from error
    for name, text in files.items():
        (folder / name).write_text(text, encoding="latin-1")


def run_as_cxx(folder: Path, optimise: str = "-O1") -> str:
    """Build the rewritten batch in a folder as C++ and return its output."""
    templates = paths.templates_dir()
    names = [folder / f"{unit}.cpp" for unit in (*_UNITS, "porter_state")]
    include = [f"-I{folder}", f"-I{templates}/runtime"]
    command: list[str | Path] = [
        "g++",
        *COMMON_CXX,
        optimise,
        *include,
        *names,
        HARNESS / "host.cpp",
    ]
    _tool([*command, "-o", folder / "as_cxx"], "compiler")
    return _tool([folder / "as_cxx"], "differs", RUN_TIMEOUT)


def _tool(command: Sequence[str | Path], kind: str, timeout: float = COMPILE_TIMEOUT) -> str:
    try:
        return process.run(command, timeout=timeout, env={"LC_ALL": "C"}).stdout
    except ToolTimedOut as error:
        raise _Stopped(Finding(kind, str(error), "no end"), "") from error
    except ToolFailed as error:
        output = error.output or str(error)
        first = next((row for row in output.splitlines() if "error" in row), output[-300:])
        about = re.sub(r"'.*?'|\d+|p\d+\w*", "", first.partition("error:")[2])
        raise _Stopped(Finding(kind, first, about), first if "error" in first else "") from error
