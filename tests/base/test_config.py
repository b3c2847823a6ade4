"""Sizes and their bounds, and the origins of a build's configuration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from porter import settings
from porter.base import paths
from porter.base.sizes import format_size, parse_size
from porter.cli._options import build_options
from porter.config import FIELDS, SIZE_BOUNDS, BuildConfig
from porter.errors import PorterError, UsageError
from porter.settings import load_config


@pytest.mark.parametrize(
    ("text", "size"),
    [("4096", 4096), ("12K", 12288), ("64KiB", 65536), ("1M", 1 << 20), ("1.5k", 1536), (7, 7)],
)
def test_sizes(text: str | int, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "K", "-1", "12 Q", "1e3", "12K5", "0.3", True, -4])
def test_nonsense_sizes(text: str | int) -> None:
    with pytest.raises(UsageError):
        parse_size(text)


@given(st.integers(0, 2047), st.sampled_from([1, 1024, 1 << 20, 1 << 30]))
def test_format_is_read_back_or_near(count: int, factor: int) -> None:
    size = count * factor
    assert abs(parse_size(format_size(size)) - size) <= size * 0.05


@pytest.mark.parametrize("name", list(SIZE_BOUNDS))
def test_bounds_are_named(name: str) -> None:
    bounds = SIZE_BOUNDS[name]
    extra: dict[str, Any] = {"arena": "global"}
    with pytest.raises(UsageError, match=rf"{name}: .* the minimum is {format_size(bounds.low)}"):
        BuildConfig(release="1", **extra | {name: bounds.low - 16})
    with pytest.raises(UsageError, match=rf"{name}: .* the maximum is {format_size(bounds.high)}"):
        BuildConfig(release="1", **extra | {name: bounds.high + 16})
    BuildConfig(release="1", **extra | {name: bounds.low})
    BuildConfig(release="1", **extra | {name: bounds.high})


@pytest.mark.parametrize(
    "wrong",
    [
        {"arch": "90"},
        {"arch": "sm_20"},
        {"arena": "shared"},
        {"target": "fpga"},
        {"float": "half"},
        {"level": "most"},
        {"release": "../../etc"},
        {"release": ""},
        {"heap": 12345},
        {"heap": 500 * 1024, "target": "cuda"},
    ],
)
def test_wrong_values(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        BuildConfig(**{"release": "1.26.1", **wrong})  # type: ignore[arg-type]


def test_key_is_stable_and_covers_what_matters() -> None:
    base = BuildConfig(release="1.26.1")
    assert base.key() == BuildConfig(release="1.26.1").key()
    assert base.key() == BuildConfig(release="1.26.1", target="cuda").key()
    others = [
        BuildConfig(release="1.25.0"),
        BuildConfig(release="1.26.1", heap=16384),
        BuildConfig(release="1.26.1", gc_stress=True),
        BuildConfig(release="1.26.1", float="single"),
        BuildConfig(release="1.26.1", bounds_checks=True),
        BuildConfig(release="1.26.1", profile=True),
    ]
    assert len({base.key(), *(other.key() for other in others)}) == 7
    # Most sizes are launch parameters: builds share sources and compiled code.
    assert len({base.source_key(), *(other.source_key() for other in others)}) == 4
    assert base.source_key() == others[1].source_key() == others[4].source_key()
    assert BuildConfig(release="1.26.1", target="all").targets == ("host", "cuda")


def test_later_sources_win(tmp_path: Path) -> None:
    (tmp_path / "porter.toml").write_text('heap = "16K"\nstack = 4096\nstdout = "2K"\n')
    config = load_config(
        {"stdout": 4096, "stack": None},
        cwd=tmp_path,
        environ={"PORTER_STACK": "6K", "PORTER_STDOUT": "3K", "PORTER_HOME": "/x"},
        default_release="1.2.3",
    )
    assert (config.heap, config.stack, config.stdout) == (16384, 6144, 4096)
    assert (config.release, config.pystack) == ("1.2.3", BuildConfig(release="1").pystack)


def test_an_empty_variable_is_an_absent_one(tmp_path: Path) -> None:
    (tmp_path / "porter.toml").write_text('heap = "16K"\n')
    empty = {f"PORTER_{name.upper()}": "" for name in FIELDS}
    config = load_config({}, cwd=tmp_path, environ=empty, default_release="1.2.3")
    assert config == load_config({}, cwd=tmp_path, environ={}, default_release="1.2.3")


def test_every_key_in_a_file(tmp_path: Path) -> None:
    """Each field of a BuildConfig, written as TOML, by itself and in one table."""
    values: dict[str, object] = {
        "release": "1.25.0",
        "heap": "20K",
        "stack": 6144,
        "pystack": "2K",
        "stdout": "4K",
        "stderr": "512",
        "fs_size": "64K",
        "arch": "sm_86",
        "arena": "global",
        "target": "all",
        "float": "single",
        "level": "extra",
        "library": "none",
        "freeze": "manifest.py",
        "gc_stress": True,
        "bounds_checks": True,
        "profile": True,
        "reconverge": False,
        "skip_patches": "texts,tooling",
    }
    assert values.keys() == FIELDS.keys()
    rows = {key: f"{key} = {json.dumps(value)}" for key, value in values.items()}
    file = tmp_path / "porter.toml"
    default = BuildConfig(release="1.26.1")
    for key, row in rows.items():
        file.write_text(row + "\n")
        config = load_config({}, cwd=tmp_path, environ={}, default_release="1.26.1")
        changed = {name for name in FIELDS if getattr(config, name) != getattr(default, name)}
        assert changed - {"target"} == {key} - {"target"}
    file.write_text("\n".join(rows.values()))
    config = load_config({}, cwd=tmp_path, environ={}, default_release="1")
    assert (config.heap, config.fs_size, config.target, config.gc_stress) == (
        20480,
        65536,
        "all",
        True,
    )


def test_a_manifest_is_relative_to_its_file(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "porter.toml").write_text('freeze = "../lists/manifest.py"\n')
    wanted = str(tmp_path / "lists" / "manifest.py")
    assert load_config({}, cwd=folder, environ={}, default_release="1").freeze == wanted
    given = {"freeze": str(tmp_path / "b.py")}
    config = load_config(given, cwd=folder, environ={}, default_release="1")
    assert config.freeze == str(tmp_path / "b.py")
    assert BuildConfig(release="1", freeze="a.py").freeze == str(Path.cwd() / "a.py")
    keys = {
        BuildConfig(release="1", freeze=name, library=library).source_key()
        for name in ("", "a.py", "b.py")
        for library in ("full", "none")
    }
    assert len(keys) == 6


def test_pyproject_table(tmp_path: Path) -> None:
    text = '[project]\nname = "x"\n[tool.porter.build]\nheap = "20K"\ngc_stress = true\n'
    (tmp_path / "pyproject.toml").write_text(text)
    config = load_config({}, cwd=tmp_path, environ={}, default_release="1")
    assert (config.heap, config.gc_stress) == (20480, True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("heap = ", "not TOML"),
        ("haep = '1K'", "haep: there is no such key"),
        ("stdin = 256", "stdin: there is no such key any more"),
        ("heap = 1.5", "is not a size"),
        ("heap = '1K'", "the minimum is 2K"),
        ("arena = 3", "is not text"),
        ("gc_stress = 'maybe'", "neither true nor false"),
    ],
)
def test_wrong_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "porter.toml").write_text(text)
    with pytest.raises(UsageError, match=message) as caught:
        load_config({}, cwd=tmp_path, environ={}, default_release="1")
    assert "porter.toml" in str(caught.value)


def test_wrong_environment_is_named() -> None:
    with pytest.raises(UsageError, match=r"\$PORTER_HEAP: heap: 'big' is not a size"):
        load_config({}, cwd=Path("/"), environ={"PORTER_HEAP": "big"}, default_release="1")


def test_a_named_release_needs_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "lock_file", lambda: tmp_path / "none.toml")
    config = load_config({"release": "1.2.3"}, cwd=tmp_path, environ={})
    assert config.release == "1.2.3"
    with pytest.raises(PorterError):
        load_config({}, cwd=tmp_path, environ={})


def test_missing_config_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        load_config({}, config_file=tmp_path / "x.toml", environ={}, default_release="1")


def test_options_reach_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PORTER_HEAP", raising=False)
    seen: list[BuildConfig] = []

    @click.command()
    @click.argument("word")
    @build_options
    def command(word: str, config: BuildConfig) -> None:
        assert word == "w"
        seen.append(config)

    shown = " ".join(CliRunner().invoke(command, ["--help"]).output.split())
    assert "Python heap per interpreter, 2K to 1G [48K]." in shown
    args = ["w", "--heap", "64KiB", "--arena", "global", "--gc-stress", "--release", "1.25.0"]
    result = CliRunner().invoke(command, args, catch_exceptions=False)
    assert result.exit_code == 0
    assert seen[0] == BuildConfig(release="1.25.0", heap=65536, arena="global", gc_stress=True)
    with pytest.raises(UsageError, match="heap: '12Q'"):
        CliRunner().invoke(command, ["w", "--heap", "12Q"], catch_exceptions=False)


def test_target_is_the_gpu_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def target(options: dict[str, object], environ: dict[str, str]) -> str:
        cwd = Path("/nonexistent")
        return load_config(options, cwd=cwd, environ=environ, default_release="1").target

    monkeypatch.setattr(settings, "default_target", lambda bundled: "cuda")
    assert target({}, {}) == "cuda"
    assert target({"target": None}, {"PORTER_TARGET": "host"}) == "host"
    assert target({"target": "all"}, {"PORTER_TARGET": "host"}) == "all"
