"""A C program, compiled by gcc, and its C++, compiled by g++, print the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.base import paths

from .support import CXX_FLAGS, RUNTIME, Cxx, rewrite_all, run_tool

PROGRAMS = Path(__file__).with_name("programs")
LIBC = paths.templates_dir() / "libc"
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.c") if path.stem != "host")
SEVERAL = {"units": ("units", "units_other")}  # programs of more than one unit


def preprocess(name: str, folder: Path, *options: str) -> str:
    """Return a program's text as after the preprocess stage."""
    result = folder / f"{name}.i"
    command = ["gcc", "-E", "-std=gnu99", "-nostdinc", f"-I{LIBC}", *options]
    run_tool([*command, str(PROGRAMS / f"{name}.c"), "-o", str(result)], folder)
    return result.read_text()


def units_of(name: str) -> tuple[str, ...]:
    return SEVERAL.get(name, (name,))


def run_as_c(name: str, folder: Path) -> str:
    """Return the program's output as C, with the host library's setjmp."""
    for unit in units_of(name):
        preprocess(unit, folder, "-DPORTER_NATIVE_SETJMP")
    sources = [str(folder / f"{unit}.i") for unit in units_of(name)]
    flags = ["-std=gnu99", "-O1", "-w", "-fcommon", "-fwrapv", "-fno-strict-aliasing", "-o", "as_c"]
    run_tool(["gcc", *flags, *sources, str(PROGRAMS / "host.c")], folder)
    return run_tool(["./as_c"], folder)


def rewritten(name: str, folder: Path, *, prune: bool = True) -> Cxx:
    sources = {unit: preprocess(unit, folder) for unit in units_of(name)}
    return rewrite_all(sources, prune=prune)


def run_as_cxx(name: str, folder: Path, *, prune: bool = True) -> str:
    """Return the program's output as rewritten C++."""
    sources = [str(path) for path in rewritten(name, folder, prune=prune).write(folder)]
    include = [f"-I{folder}", f"-I{RUNTIME}"]
    command = ["g++", *CXX_FLAGS, "-O2", *include, *sources, str(PROGRAMS / "host.cpp")]
    run_tool([*command, "-o", "as_cxx"], folder)
    return run_tool(["./as_cxx"], folder)


@pytest.mark.parametrize("name", [n for n in NAMES if not n.endswith("_other")])
def test_same_output(name: str, tmp_path: Path) -> None:
    expected = run_as_c(name, tmp_path)
    assert len(expected.splitlines()) >= 10
    assert run_as_cxx(name, tmp_path) == expected


@pytest.mark.parametrize("name", ["frames", "handlers"])
def test_pruning_changes_nothing(name: str, tmp_path: Path) -> None:
    assert run_as_cxx(name, tmp_path, prune=False) == run_as_c(name, tmp_path)
