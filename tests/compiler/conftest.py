from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from porter import InterpreterArray
from porter.base.paths import templates_dir
from porter.compiler import show
from porter.compiler.mpy import BytecodeFunction, BytecodeModule, read_module
from porter.compiler.options import SEEN_INT, CompilerOptions
from porter.compiler.show import ShownProgram
from porter.compiler.tables import Tables, read_tables
from porter.run.built import open_build
from porter.sync.store import release_dir
from tests.compiler.upstream_reader import mpy_tool

if TYPE_CHECKING:
    from porter.pipeline import Build

_HEAD = 12  # bytes of code_head_t before the .mpy; the first four of them are its length

Compile = Callable[[str], bytes]


@pytest.fixture(scope="session")
def release(built: Build) -> Path:
    """Return the sources of the shared build."""
    return release_dir(str(open_build(built.folder).config["release"]))


@pytest.fixture(scope="session")
def tables(release: Path) -> Tables:
    return read_tables(release, templates_dir())


@pytest.fixture(scope="session")
def tool(release: Path) -> ModuleType:
    return mpy_tool(release)


@pytest.fixture(scope="session")
def mpy(built: Build) -> Iterator[Compile]:
    """Return a function that compiles a source to .mpy, with the release's own compiler."""
    with InterpreterArray(1, build=built.folder, target="host", heap="1M") as array:

        def compiled(source: str) -> bytes:
            data = bytes(array.compile(source, "made.py").memory)
            return data[_HEAD : _HEAD + int.from_bytes(data[:4], "little")]

        yield compiled


@pytest.fixture(scope="session")
def module(mpy: Compile, tables: Tables) -> Callable[[str], BytecodeModule]:
    return lambda source: read_module(mpy(source), 0, tables)


@pytest.fixture(scope="session")
def function(module: Callable[[str], BytecodeModule]) -> Callable[[str], BytecodeFunction]:
    """Return the function that a source defines first."""
    return lambda source: module(source).functions[1]


@pytest.fixture
def ir(module: Callable[[str], BytecodeModule], tables: Tables) -> Callable[..., str]:
    """Return a function that gives the text of the IR of a source after a pass."""

    def text(source: str, after: str, **options: Any) -> str:
        hints = bytes([SEEN_INT]) * 400
        chosen = CompilerOptions(hints=hints, **options)
        return show.ir(ShownProgram(module(source), tables, source.split("\n"), chosen, after))

    return text
