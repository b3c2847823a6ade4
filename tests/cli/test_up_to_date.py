"""Freshness: an up-to-date build is used at once, whoever owns it; a stale build never is.

The stages are fakes: the tests write the output of the stages by hand.
"""

from __future__ import annotations

import errno
import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs
import pytest

from porter import cli, pipeline, toolchain
from porter.base import fingerprint, paths
from porter.base.progress import ProgressReporter
from porter.compile.compile_stage import Compiled
from porter.config import BuildConfig
from porter.errors import CorruptSource, FileProblem, SyncFailed
from porter.manifest import FORMAT
from porter.pipeline import Build, build
from porter.sync import origins
from porter.sync.lock import Lock, LockEntry, write_lock
from porter.sync.trees import tree_hash

CONFIG = BuildConfig(release="1.26.1", target="host")
TREE = {
    "py/mpconfig.h": "#define MICROPY_VERSION_MAJOR 1\n#define MICROPY_VERSION_MINOR 26\n"
    "#define MICROPY_VERSION_MICRO 1\n",
    "py/py.mk": "",
    "py/makeqstrdefs.py": "",
    "extmod/extmod.mk": "",
    "shared/x.c": "int x;\n",
    "lib/other/y.c": "int y;\n",  # the lock's hash leaves it out
    "tests/a.py": "print(1)\n",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home with its own templates and patches; its only origin is `upstream`."""
    for path, text in TREE.items():
        (tmp_path / "upstream" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "upstream" / path).write_text(text)
    home = tmp_path / "home"
    for name in ("templates", "patches"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "one").write_text("1")
        monkeypatch.setattr(paths, f"{name}_dir", lambda name=name: tmp_path / name)
    monkeypatch.setenv("PORTER_HOME", str(home))
    monkeypatch.setenv("PORTER_SOURCES", str(tmp_path / "upstream"))
    monkeypatch.setattr(paths, "lock_file", lambda: tmp_path / "lock.toml")
    entry = LockEntry("1.26.1", tree_hash(tmp_path / "upstream"))
    write_lock(Lock({"1.26.1": entry}), tmp_path / "lock.toml")
    monkeypatch.setattr(fingerprint, "TICK_NS", 0)
    return home


@pytest.fixture
def builds(home: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Return a list with one element for each run of the stages."""
    ran: list[Path] = []

    def stages(config: BuildConfig, folder: Path, *_: object) -> Build:
        ran.append(folder)
        out = folder / config.key()
        for path in ("src/port/a.c", "pre/a.i", "cxx/a.cpp", "host/libgpusnek.so", "units.json"):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(path)
        (out / "host").mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / "host/libgpusnek.so", out / "host/libgpusnek.so")
        sha = hashlib.sha256((out / "host/libgpusnek.so").read_bytes()).hexdigest()
        files = {"host/libgpusnek.so": {"sha256": sha}}
        manifest = {"format": FORMAT, "inputs": {}, "targets": {"host": {"files": files}}}
        (out / "build.json").write_text(json.dumps(manifest))
        compiled = Compiled(out, {"host": 3, "cuda": 0}, 1.0, 4711, "beware")
        return Build(out, folder, 7, 7, {}, compiled)

    monkeypatch.setattr(pipeline, "_build", stages)
    return ran


def refuse(monkeypatch: pytest.MonkeyPatch, number: int = errno.EACCES) -> None:
    """Make every build's lock unavailable, as in a folder that belongs to another user."""

    @contextmanager
    def locked(path: Path, say: object) -> Iterator[None]:
        raise OSError(number, "not yours", str(path))
        yield

    monkeypatch.setattr(pipeline, "locked", locked)


def test_nothing_is_done_and_nothing_said_twice(builds: list[Path]) -> None:
    said: list[str] = []
    first = build(CONFIG, progress=ProgressReporter(said.append))
    assert said == ["1.26.1: fetching its sources", "1.26.1: from folder upstream"]
    again = build(CONFIG, progress=ProgressReporter(said.append))
    assert len(builds) == 1 and len(said) == 2
    assert (again.folder, again.units, again.rewritten) == (first.folder, 7, 0)
    assert (again.compiled.state, again.compiled.warning) == (4711, "beware")
    assert set(again.compiled.steps.values()) == {0}
    build(attrs.evolve(CONFIG, heap=65536))
    build(CONFIG, variant="debug")
    assert len(builds) == 3  # each has its own freshness record


CHANGES: list[Callable[[Path, Path], object]] = [
    lambda root, made: (root / "templates/one").write_text("2"),
    lambda root, made: (root / "templates/new").touch(),
    lambda root, made: (root / "patches/one").unlink(),
    lambda root, made: (root / "home/upstream/1.26.1/lib/other/y.c").write_text("int z;\n"),
    lambda root, made: (made / "cxx/a.cpp").write_text("damaged"),
    lambda root, made: (made / "pre/a.i").unlink(),
    lambda root, made: (made / "host/libgpusnek.so").write_text(""),
    lambda root, made: (made / CONFIG.key() / "host/libgpusnek.so").write_text("x"),
    lambda root, made: (made / CONFIG.key() / "build.json").unlink(),
    lambda root, made: shutil.rmtree(made / "src"),
]


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changes_is_noticed(
    builds: list[Path], tmp_path: Path, change: Callable[[Path, Path], object]
) -> None:
    done = build(CONFIG)
    change(tmp_path, done.sources)
    build(CONFIG)
    assert len(builds) == 2
    build(CONFIG)
    assert len(builds) == 2


def test_another_compiler_is_noticed(
    builds: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(CONFIG)
    own = tmp_path / "g++"
    own.write_text("#!/bin/sh\necho 12.1.0\n")
    own.chmod(0o755)
    monkeypatch.setenv("PORTER_CXX", str(own))
    toolchain.gxx.cache_clear()
    build(CONFIG)
    toolchain.gxx.cache_clear()
    assert len(builds) == 2


def test_what_changed_this_instant_is_not_trusted(
    builds: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fingerprint, "TICK_NS", 10**15)
    build(CONFIG)
    build(CONFIG)
    assert len(builds) == 2


@pytest.mark.parametrize("name", ["py/mpconfig.h", "tests/a.py"])
def test_modified_sources_are_refused(builds: list[Path], home: Path, name: str) -> None:
    build(CONFIG)
    path = home / "upstream/1.26.1" / name
    text = path.read_text()
    path.write_text(text + "\n")
    for config in (CONFIG, attrs.evolve(CONFIG, float="single")):
        with pytest.raises(CorruptSource, match="it was modified") as caught:
            build(config)
        assert "porter sync 1.26.1 --force" in str(caught.value.hint)
        assert "--from" in str(caught.value.hint)
    assert [path.name for path in paths.build_dir().iterdir()] == [builds[0].name]
    path.write_text(text)
    build(CONFIG)
    # A user's own tree, too; the message explains how to use it unchanged.
    assert cli.execute(["sync", "mine", "--from", str(home / "upstream/1.26.1"), "-q"]) == 0
    build(attrs.evolve(CONFIG, release="mine"))
    (home / "upstream/mine" / name).write_text("other")
    with pytest.raises(CorruptSource) as caught:
        build(attrs.evolve(CONFIG, release="mine"))
    assert "porter sync mine --from" in str(caught.value.hint)


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS])
def test_a_build_of_another_user(
    builds: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    done = build(CONFIG)
    refuse(monkeypatch, number)
    assert build(CONFIG).folder == done.folder
    # Copied by disk or container image: times and inodes differ, the contents are equal.
    (tmp_path / "templates/one").touch()
    (done.sources / "cxx/a.cpp").touch()
    assert build(CONFIG).folder == done.folder
    library = done.folder / "host/libgpusnek.so"
    good = library.read_bytes()
    library.write_text("damaged")
    with pytest.raises(FileProblem, match=r"up to date.*may not make one there"):
        build(CONFIG)
    library.write_bytes(good)
    (tmp_path / "templates/one").write_text("2")
    with pytest.raises(FileProblem) as caught:
        build(CONFIG)
    assert "PORTER_HOME" in str(caught.value.hint)
    assert len(builds) == 1


def test_a_full_disk_is_no_matter_of_rights(
    builds: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(monkeypatch, errno.ENOSPC)
    with pytest.raises(OSError) as caught:
        build(CONFIG)
    assert caught.value.errno == errno.ENOSPC


def test_unknown_release_leaves_no_folder(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PORTER_RELEASE", "9.9")
    for args in (["run", "-c", "1", "--target", "host"], ["rules", "--edits", "--release", "9.9"]):
        assert cli.execute(args) == 3
    assert "unknown release '9.9'" in capsys.readouterr().err
    assert not paths.build_dir().exists()


def test_offline_with_nothing_there_is_one_message(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("PORTER_SOURCES")
    monkeypatch.setattr(toolchain, "gxx", lambda: None)
    monkeypatch.setenv("PATH", "/nonexistent")
    commands = [
        ["run", "-c", "1", "--target", "host"],
        ["repl", "--target", "host"],
        ["build", "--target", "host"],
        ["smoke", "--target", "host"],
        ["bench", "--target", "host"],
        ["conformance", "--target", "host"],
        ["sweep", "--target", "host"],
        ["patch", "check"],
        ["rules", "--edits"],
    ]
    for command in commands:
        assert cli.execute(command) == SyncFailed.exit_code, command
        said = capsys.readouterr().err.splitlines()
        errors = [line for line in said if "error" in line]
        assert len(errors) == 1, command
        reasons = said[said.index(errors[0]) + 1 :]
        for name, reason in zip(origins.ORIGINS, reasons, strict=False):
            assert reason.startswith(f"  {name}: "), command
        assert "PORTER_SOURCES" in said[-1] and "--from" in said[-1]
    assert not paths.build_dir().exists()
