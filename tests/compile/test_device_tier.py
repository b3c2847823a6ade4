"""What device builds carry so that their kernels can run machine code of programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import pytest

from porter.compile.device_tier import LOOKING, device_tier
from porter.compile.prelude import main, prelude
from porter.compile.sources import find_sources
from porter.config import BuildConfig
from porter.sync.store import synced_releases

if TYPE_CHECKING:
    from porter.pipeline import Build


def test_the_prelude_is_what_stands_in_files() -> None:
    text = '# 0 "<built-in>"\n#define __STDC__ 1\n# 1 "a.cpp" 2\nint x;\n\n# 9 "<command-line>"\n'
    assert prelude(text + '#define A 1\n# 4 "b.h"\nint y;\n') == "int x;\nint y;\n"


def test_its_step(tmp_path: Path) -> None:
    assert main(["one"]) == 2
    (tmp_path / "in").write_text('# 1 "a.cpp"\nint x;\n')
    assert main([str(tmp_path / "in"), str(tmp_path / "out")]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("changed", [{"fences": True}, {"profile": True}, {"arch": "sm_80,sm_90"}])
def test_builds_that_carry_nothing(built: Build, tmp_path: Path, changed: dict[str, Any]) -> None:
    sources = find_sources(built.folder.parent)
    config = BuildConfig(release=synced_releases()[-1], arch="sm_90")
    assert device_tier(attrs.evolve(config, **changed), sources, tmp_path, ["nvcc"]).files == ()
    tier = device_tier(config, sources, tmp_path, ["nvcc"])
    names = ["libgpusnek-native.a", "prelude.hpp", "dispatcher.cubin", "instructions.json"]
    assert [path.name for path in tier.files] == names
    units = [edge.inputs[0].name for edge in tier.edges if edge.rule == "native-ptx"]
    assert sorted(units) == sorted((*LOOKING, "dispatcher.cu"))
