"""Helpers of the rewriter's tests: parse a snippet, apply one rule or all, compile."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

from porter.base import paths
from porter.rewrite.engine import apply_edits
from porter.rewrite.facts import collect
from porter.rewrite.program import WholeProgram, merge
from porter.rewrite.rewrite_stage import state_header, state_unit
from porter.rewrite.rule import Rule
from porter.rewrite.rules import RULES
from porter.rewrite.unit import collect_edits, rewrite_unit
from porter.syntax import Unit, parse_unit

RULE = {rule.name: rule for rule in RULES}
# The flags of porter.compile.flags without sizes; -Werror does not apply to upstream's code.
CXX_FLAGS = ("-std=gnu++17", "-fno-strict-aliasing", "-fwrapv", "-w", "-pthread")
NVCC_FLAGS = ("-arch=sm_90", "-rdc=true", "-std=c++17", "-w", "-ptx", "-x", "cu")
RUNTIME = paths.templates_dir() / "runtime"


def parse(text: str, name: str = "unit") -> Unit:
    """Return a snippet as a parsed unit."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.i"
        path.write_text(text, encoding="latin-1")
        return parse_unit(name, path)


def whole_program(*units: Unit, prune: bool = True) -> WholeProgram:
    """Return the whole program of these units."""
    return merge([collect(unit) for unit in units], prune=prune)


def apply_rule(rule: type[Rule], text: str, name: str = "unit") -> str:
    """Return a snippet as rewritten by one rule alone."""
    unit = parse(text, name)
    return apply_edits(name, text, collect_edits(unit, whole_program(unit), [rule]))


@frozen
class Cxx:
    """The C++ of a program: files by name, the state's header and unit among them."""

    files: Mapping[str, str]
    program: WholeProgram

    def write(self, folder: Path) -> list[Path]:
        """Write every file; return the paths of the `.cpp` files."""
        for name, text in self.files.items():
            (folder / name).write_text(text, encoding="latin-1")
        return [folder / name for name in self.files if name.endswith(".cpp")]


def rewrite_all(sources: Mapping[str, str], *, prune: bool = True) -> Cxx:
    """Rewrite a program of one or several units with all rules."""
    units = [parse(text, name) for name, text in sources.items()]
    program = whole_program(*units, prune=prune)
    files = {f"{unit.name}.cpp": rewrite_unit(unit, program).text for unit in units}
    files["porter_state.cpp"] = state_unit(program)
    files["porter_state.h"] = state_header(program)
    return Cxx(files, program)


def run_tool(command: list[str], cwd: Path) -> str:
    """Run a compiler or a compiled program; return its output, or fail the test with it."""
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, encoding="latin-1", timeout=120
    )
    assert done.returncode == 0, f"{' '.join(command)}: {done.returncode}\n{done.stderr[-4000:]}"
    return done.stdout


def compile_cxx(sources: list[Path], folder: Path) -> None:
    """Compile C++ with g++, without linking."""
    include = [f"-I{folder}", f"-I{RUNTIME}"]
    names = [str(path) for path in sources]
    run_tool(["g++", *CXX_FLAGS, "-fsyntax-only", *include, *names], folder)


def has_nvcc() -> bool:
    """Return whether the device compiler is on PATH."""
    return shutil.which("nvcc") is not None
