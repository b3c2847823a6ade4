"""The parts of device builds that linking native code with kernels requires."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import pytest

from porter import toolchain
from porter.compile.device_units import LOOKING, device_tier
from porter.compile.flags import VARIANTS, host_compile, nvcc_front
from porter.compile.native_files import prelude_rule, prelude_source, prelude_unit
from porter.compile.prelude import main, prelude
from porter.compile.sources import Sources, find_sources
from porter.config import BuildConfig
from porter.errors import NoNvcc
from porter.native.kernels import NO_HEADERS, TO_PTX, WORDS, start
from porter.sync.store import synced_releases

if TYPE_CHECKING:
    from porter.pipeline import Build


def device_config() -> BuildConfig:
    """Return a configuration with local arenas."""
    return BuildConfig(release=synced_releases()[-1], arch="sm_90")


def test_the_prelude_is_what_stands_in_files() -> None:
    text = '# 0 "<built-in>"\n#define __STDC__ 1\n# 1 "a.cpp" 2\nint x;\n\n# 9 "<command-line>"\n'
    assert prelude(text + '#define A 1\n# 4 "b.h"\nint y;\n') == "int x;\nint y;\n"


def test_its_step(tmp_path: Path) -> None:
    assert main(["one"]) == 2
    (tmp_path / "in").write_text('# 1 "a.cpp"\nint x;\n')
    assert main([str(tmp_path / "in"), str(tmp_path / "out")]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def read_by(compiler: Sequence[str], path: Path) -> str:
    """Return the lines after macro expansion, and all macros, as a compiler reads a file.

    White space beside a pragma is dropped, because a pragma from a macro is a separate line in a
    prelude.
    """
    command: list[str | Path] = [*compiler, "-E", "-P", "-x", "c++", path]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    macros = subprocess.run([*command, "-dM"], check=True, capture_output=True, text=True).stdout
    lines = [line.strip() for line in found.splitlines() if line.strip()]
    return "\n".join([*lines, *sorted(macros.splitlines())])  # macros have no order


def write_prelude(sources: Sources, folder: Path, target: str) -> tuple[Path, list[str]]:
    """Write the prelude for a target; return it and the compiler command for its source unit."""
    includes = [f"-I{path}" for path in sources.include]
    if target == "host":
        flags = host_compile(VARIANTS["release"])
        rule = prelude_rule([str(toolchain.gxx().path), *flags, *includes])
    else:
        front = ["nvcc", *nvcc_front(device_config()), *includes]
        (rule,) = (
            rule
            for rule in device_tier(device_config(), sources, folder, front).rules
            if rule.name == "prelude"
        )
    unit, prelude = prelude_source(sources), folder / "prelude.hpp"
    assert unit is not None
    command = rule.command.replace("$in", str(unit)).replace("$out", str(prelude))
    subprocess.run(command.replace("$$", "$"), shell=True, check=True)
    return prelude, shlex.split(rule.command.partition(" -E ")[0])


@pytest.mark.parametrize("target", ["host", "cuda"])
def test_a_compiler_reads_of_the_prelude_what_it_reads_of_the_unit(
    built: Build, tmp_path: Path, target: str
) -> None:
    sources = find_sources(built.folder.parent)
    unit = prelude_source(sources)
    assert unit is not None
    prelude, compiler = write_prelude(sources, tmp_path, target)
    without = [part for part in compiler if not part.startswith("-I")]
    text = read_by(without, prelude)
    assert text == read_by(compiler, unit)
    assert "tier_polls" in text and str(sources.root) not in prelude.read_text()


@pytest.mark.campaign("device-build")
def test_nvcc_needs_none_of_its_headers_for_the_prelude(built: Build, tmp_path: Path) -> None:
    """Compiling a small program's native code took twice as long when a macro was missing
    unnoticed.
    """
    try:
        nvcc = toolchain.nvcc().path
    except NoNvcc as error:
        pytest.skip(error.message)
    prelude, _ = write_prelude(find_sources(built.folder.parent), tmp_path, "cuda")
    text = tmp_path / "module.cu"
    text.write_text(f"{WORDS}{prelude.read_text()}")
    start(
        nvcc, *nvcc_front(device_config()), NO_HEADERS, *TO_PTX, text, "-o", tmp_path / "module.ptx"
    )


def test_builds_whose_prelude_holds_nothing(built: Build, tmp_path: Path) -> None:
    sources = find_sources(built.folder.parent)
    units = tuple(unit for unit in sources.units if unit != prelude_source(sources))
    assert len(units) == len(sources.units) - 1
    less, release = attrs.evolve(sources, units=units), VARIANTS["release"]
    assert prelude_unit(sources, release, False, False) is not None
    assert prelude_unit(less, release, False, False) is None
    config = device_config()
    assert device_tier(config, less, tmp_path, ["nvcc"]).files == ()


@pytest.mark.parametrize(
    "changed", [{"bounds_checks": True}, {"profile": True}, {"arch": "sm_80,sm_90"}]
)
def test_builds_that_carry_nothing(built: Build, tmp_path: Path, changed: dict[str, Any]) -> None:
    sources = find_sources(built.folder.parent)
    config = device_config()
    assert device_tier(attrs.evolve(config, **changed), sources, tmp_path, ["nvcc"]).files == ()
    tier = device_tier(config, sources, tmp_path, ["nvcc"])
    names = ["libgpusnek-native.a", "prelude.hpp", "dispatcher.cubin", "instructions.json"]
    assert [path.name for path in tier.files] == names
    units = [edge.inputs[0].name for edge in tier.edges if edge.rule == "native-ptx"]
    assert sorted(units) == sorted((*LOOKING, "dispatcher.cu"))
