"""Generate and preprocess on real releases."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from porter.config import BuildConfig
from porter.errors import GenerateFailed, NotBuilt, PreprocessFailed, UnknownRelease
from porter.generate import Layout, SourceUnit, UnitList, generate, read_units
from porter.generate.port import Wishes, render_port
from porter.generate.units import check_names
from porter.preprocess import preprocess
from porter.preprocess.preprocess_stage import has_code, read_dependencies
from porter.sync.trees import HASHED


def contents(folder: Path) -> dict[str, str]:
    """Name and hash of every file below `folder` that a later stage reads."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix in {".h", ".c", ".i"}
    }


@pytest.mark.campaign("releases")
def test_release(release: str, tmp_path: Path) -> None:
    config = BuildConfig(release=release)
    layout = Layout.of(release, tmp_path / "build")
    units = generate(config, layout)
    done = preprocess(layout, units)
    names = {item.unit.path for item in done}
    assert {"py/vm.c", "py/nlrsetjmp.c", "port/lifecycle.c", "libc/string.c"} <= names
    assert "port/frozen_content.c" not in names  # the freeze stage makes it
    assert "py/emitnx64.c" not in names  # no emitter: the unit is empty
    assert "extmod/machine_adc.c" not in names
    assert all(item.fresh for item in done)
    text = (layout.pre / "py_vm.i").read_text()
    assert "/usr/" not in text  # no header of the host
    assert "porter_memcpy" in (layout.pre / "py_gc.i").read_text() + text
    assert f'"v{release}"' in (layout.genhdr / "mpversion.h").read_text()

    # Without a change nothing is written. After a change of one header its readers are rewritten.
    assert read_units(layout.units) == units
    assert generate(config, layout) == units
    read_files = (layout.pre / "cache.json").read_text()
    folders = set(re.findall(rf'{re.escape(str(layout.upstream))}/([^"]+)/[^/"]+"', read_files))
    # The lock's hash covers all inputs of a build.
    assert folders and all(folder.startswith(HASHED) for folder in folders)
    assert not any(item.fresh for item in preprocess(layout, units))
    before = contents(layout.build)
    hooks = layout.port / "hooks.h"
    hooks.write_text(hooks.read_text() + "\n")
    fresh = {item.unit.path for item in preprocess(layout, units) if item.fresh}
    assert "port/lifecycle.c" in fresh
    assert "py/map.c" not in fresh

    # Damaged files and generated files are rewritten too.
    for name in ("py_map.i", "py_vm.i"):
        (layout.pre / name).write_bytes((layout.pre / name).read_bytes()[:1000])
    again = {item.unit.name for item in preprocess(layout, units) if item.fresh}
    assert again == {"py_map", "py_vm"}
    for damaged in (layout.genhdr / "qstrdefs.generated.h", layout.units):
        damaged.write_bytes(damaged.read_bytes()[:-100])
        assert generate(config, layout) == units
    hooks.write_text(hooks.read_text() + "\n")
    assert generate(config, layout) == units

    # Equal input in the same place gives equal bytes.
    layout.units.unlink()
    (layout.pre / "cache.json").unlink()
    preprocess(layout, generate(config, layout))
    assert contents(layout.build) == before


def test_configuration_reaches_the_units(release: str, tmp_path: Path) -> None:
    config = BuildConfig(release=release, float="single", level="extra", gc_stress=True)
    layout = Layout.of(release, tmp_path / "build")
    generate(config, layout)
    text = (layout.port / "mpconfigport.h").read_text()
    assert "MICROPY_CONFIG_ROM_LEVEL_EXTRA_FEATURES" in text
    assert "(MICROPY_FLOAT_IMPL_FLOAT)" in text
    assert "MICROPY_GPUSNEK_GC_STRESS (1)" in text


def test_release_that_is_not_synced(tmp_path: Path) -> None:
    layout = Layout(tmp_path / "build", tmp_path / "nowhere")
    with pytest.raises(UnknownRelease, match="0\\.1"):
        generate(BuildConfig(release="0.1"), layout)
    assert not layout.units.exists()


def test_template_mistake(tmp_path: Path) -> None:
    (tmp_path / "x.h.j2").write_text("{{ nothing_of_that_name }}")
    with pytest.raises(GenerateFailed, match=r"x\.h\.j2.*nothing_of_that_name"):
        render_port(tmp_path, {}, tmp_path / "out", Wishes())


def test_two_units_of_one_name() -> None:
    units = [SourceUnit("py_a_b", path, path, "upstream") for path in ("py/a_b.c", "py/a/b.c")]
    with pytest.raises(GenerateFailed, match="would both be py_a_b"):
        check_names(units)


def test_units_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(NotBuilt):
        read_units(tmp_path / "units.json")
    (tmp_path / "units.json").write_text('{"format": 0}')
    with pytest.raises(NotBuilt, match="no list of units"):
        read_units(tmp_path / "units.json")


def test_unit_that_does_not_preprocess(tmp_path: Path) -> None:
    source = tmp_path / "bad.c"
    source.write_text('#include "no_such_header.h"\n')
    units = UnitList("", (), (SourceUnit("bad", "port/bad.c", str(source), "port"),))
    layout = Layout(tmp_path / "build", tmp_path)
    with pytest.raises(PreprocessFailed, match=r"port/bad\.c.*no_such_header\.h"):
        preprocess(layout, units)
    assert not list(layout.pre.glob("*.i"))


def test_a_patched_file_hides_one_that_was_included(tmp_path: Path) -> None:
    layout = Layout(tmp_path / "build", tmp_path / "upstream")
    source = layout.upstream / "py" / "unit.c"
    for file, text in (
        (source, '#include "py/part.c"\n'),
        (source.with_name("part.c"), "int a;\n"),
    ):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    units = UnitList("", (), (SourceUnit("py_unit", "py/unit.c", str(source), "upstream"),))
    assert [item.fresh for item in preprocess(layout, units)] == [True]
    assert [item.fresh for item in preprocess(layout, units)] == [False]
    ours = layout.patched / "py" / "part.c"
    ours.parent.mkdir(parents=True)
    ours.write_text("int b;\n")
    assert [item.fresh for item in preprocess(layout, units)] == [True]
    assert "int b;" in (layout.pre / "py_unit.i").read_text()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('# 1 "py/a.c"\n\n   \n', False),
        ('# 1 "py/a.c"\n# 1 "py/a.h" 1\nint x;\n# 2 "py/a.c" 2\n\n', False),
        ('# 1 "py/a.c"\n# 1 "py/a.h" 1\nint x;\n# 2 "py/a.c" 2\nint y;\n', True),
        ('# 1 "py/a.c"\n# 1 "lib/b.c" 1\nint x;\n', True),
        ('# 1 "py/a.c"\n ;\n', False),
        ('# 1 "folder \\"of\\" b.c"\nint x;\n', True),
    ],
)
def test_has_code(text: str, expected: bool) -> None:
    assert has_code(text) is expected


def test_dependencies_with_spaces(tmp_path: Path) -> None:
    rule = tmp_path / "x.d"
    rule.write_text("x.o: a.c \\\n /a\\ folder/b.h\n")
    assert read_dependencies(rule) == ("a.c", "/a folder/b.h")
