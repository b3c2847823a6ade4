"""Builds with a truncated, changed, missing or replaced file, before and during loading."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from porter.array.device_selection import open_built
from porter.base.fingerprint import TICK_NS
from porter.cli import execute
from porter.errors import BuildDamaged, LaunchFailed, NotBuilt
from porter.manifest import BuiltFile, DeviceOutput
from porter.run import open_device, open_several, run
from porter.run.built import Built, device_code, open_build

LIBRARY = "host/libgpusnek.so"


@pytest.fixture
def copy(build: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(build, tmp_path / "copy"))


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def change(path: Path) -> None:
    """Change one bit; the file keeps its size and the time of its last change."""
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=times)


def remove(path: Path) -> None:
    path.unlink()


DAMAGES = [
    (truncate, "it has .* bytes, and build.json says"),
    (change, "the file was changed after the build"),
    (remove, "the file is missing"),
    (lambda path: path.write_bytes(b""), "it has 0 bytes"),
    (lambda path: path.write_bytes(path.read_bytes() + b"\0"), "the file is damaged"),
]


def replace_by_damaged(path: Path, damage: Callable[[Path], object]) -> None:
    """Replace a library that this process has loaded by a damaged copy.

    A change in place would change the code that is mapped, and the process would end by a signal
    when the loader calls the library's destructors at exit.
    """
    other = path.with_name("other")
    shutil.copy2(path, other)
    damage(other)
    if other.exists():
        other.replace(path)
    else:
        path.unlink()


@pytest.mark.parametrize(("damage", "said"), DAMAGES)
def test_a_damaged_library_is_refused(
    copy: Path, damage: Callable[[Path], object], said: str
) -> None:
    assert run(open_device(copy, "host"), ["i"], 1).stdout[0] == b"0"  # remembered as whole
    replace_by_damaged(copy / LIBRARY, damage)
    for opening in (
        lambda: open_device(copy, "host"),
        lambda: open_several(copy, ["host", "host"]),
        lambda: open_built(open_build(copy), None),
    ):
        with pytest.raises(BuildDamaged, match=said) as caught:
            opening()
        assert str(copy / LIBRARY) in caught.value.message
        assert "porter build" in str(caught.value.hint)


def test_the_command_says_so_and_exits_with_33(
    copy: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    truncate(copy / LIBRARY)
    arguments = ["run", "-c", "i", "-n", "1", "--build", str(copy), "--target", "host"]
    assert execute(arguments) == 33
    out, err = capfd.readouterr()
    assert out == "" and "the file is damaged" in err and "porter: hint: Build again" in err


def test_a_file_that_the_library_reads(copy: Path) -> None:
    places = copy / "host/libgpusnek.places"
    places.write_bytes(b"places")
    built = listed(open_build(copy), "host", "host/libgpusnek.places", b"places")
    open_device(built, "host")
    change(places)
    with pytest.raises(BuildDamaged, match=r"libgpusnek\.places: the file was changed"):
        open_device(built, "host")


def listed(built: Built, target: str, name: str, content: bytes) -> Built:
    """Return `built` with a build.json that lists the file `name` with this content."""
    record = BuiltFile(len(content), hashlib.sha256(content).hexdigest())
    output = built.whole.targets[target]
    targets = {**built.whole.targets}
    targets[target] = attrs.evolve(output, files={**output.files, name: record})
    return attrs.evolve(built, whole=attrs.evolve(built.whole, targets=targets))


def test_a_damaged_cubin_does_not_run_on_the_host_instead(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cubin = copy / "cuda/gpusnek.cubin"
    cubin.parent.mkdir()
    cubin.write_bytes(b"code")
    built = open_build(copy)
    output = DeviceOutput("", (), {}, {}, "cuda/gpusnek.cubin", {})
    whole = attrs.evolve(built.whole, targets={**built.whole.targets, "cuda": output})
    manifest = {**built.manifest, "targets": {name: {} for name in ("host", "cuda")}}
    built = listed(
        attrs.evolve(built, whole=whole, manifest=manifest), "cuda", output.code, b"code"
    )
    assert device_code(built) == cubin
    monkeypatch.setattr("porter.run.device.cuda._cupy", lambda: None)  # as if there were a GPU
    truncate(cubin)
    with pytest.raises(BuildDamaged, match=r"gpusnek\.cubin: .* it has 2 bytes"):
        open_built(built, None)


def test_a_changed_build_json(copy: Path) -> None:
    path = copy / "build.json"
    text = path.read_text()
    document = json.loads(text)
    document["layout"]["state_size"] += 16
    path.write_text(json.dumps(document))
    with pytest.raises(BuildDamaged, match=r"build\.json: the file was changed"):
        open_build(copy)
    path.write_text(text[: len(text) // 2])
    with pytest.raises(NotBuilt, match="not a manifest"):
        open_build(copy)
    path.write_text(text)
    assert open_build(copy).folder == copy


@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 100_000, "\0", "1e999"])
def test_a_build_json_that_is_no_manifest(copy: Path, text: str) -> None:
    path = copy / "build.json"
    path.unlink()
    path.write_text(text)
    with pytest.raises(NotBuilt, match="not a manifest"):
        open_build(copy)


@pytest.mark.parametrize("replace", [os.mkfifo, os.mkdir, str], ids=["fifo", "folder", "none"])
def test_a_build_json_that_is_no_file(copy: Path, replace: Callable[[Path], object]) -> None:
    path = copy / "build.json"
    path.unlink()
    replace(path)
    with pytest.raises(NotBuilt, match="there is no finished build"):
        open_build(copy)


def test_a_flipped_bit_anywhere_is_found(copy: Path) -> None:
    """A flip in the name of the seal leaves a file without one, with the content as it was."""
    chance = random.Random(40)
    for name, flips in (("build.json", 80), (LIBRARY, 20)):
        path = copy / name
        whole = path.read_bytes()
        for _ in range(flips):
            at, bit = chance.randrange(len(whole)), chance.randrange(8)
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :])
            try:
                manifest = open_device(copy, "host").built.whole
            except (BuildDamaged, NotBuilt):
                continue
            path.write_bytes(whole)
            assert name == "build.json" and manifest == open_build(copy).whole, (name, at, bit)
        path.write_bytes(whole)
    assert run(open_device(copy, "host"), ["i"], 1).stdout[0] == b"0"


def test_without_its_seal_it_was_edited_on_purpose(copy: Path) -> None:
    path = copy / "build.json"
    document = json.loads(path.read_text())
    assert len(document.pop("seal")) == 64
    document["inputs"]["config"]["heap"] = 8192
    path.write_text(json.dumps(document))
    assert open_build(copy).config["heap"] == 8192


def test_a_build_without_hashes_is_an_older_one(copy: Path) -> None:
    path = copy / "build.json"
    document = json.loads(path.read_text())
    document["format"] = 6
    for output in document["targets"].values():
        output["files"] = sorted(output["files"])
    path.write_text(json.dumps(document))
    with pytest.raises(NotBuilt, match="another version of porter") as caught:
        open_build(copy)
    assert caught.value.hint == "Run `porter build` again."


def test_each_file_is_hashed_once(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(copy / LIBRARY)
    hashed = []

    def counting(file: Any, kind: str) -> Any:
        hashed.append(file.name)
        return digest(file, kind)

    digest = hashlib.file_digest
    monkeypatch.setattr(hashlib, "file_digest", counting)
    for _ in range(3):
        open_device(copy, "host")
    assert hashed == [str(copy / LIBRARY)]
    os.utime(copy / LIBRARY)  # the same content, written again
    settle(copy / LIBRARY)
    open_device(copy, "host")
    assert len(hashed) == 2


def settle(path: Path) -> None:
    """Wait until a further change of `path` would change its times."""
    now = path.with_name("now")
    while path.stat().st_ctime_ns + TICK_NS >= now_ns(now):
        pass


def now_ns(path: Path) -> int:
    path.touch()
    return path.stat().st_mtime_ns


def test_a_library_that_is_replaced_while_it_loads(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = ctypes.CDLL

    def replacing(path: str) -> ctypes.CDLL:
        library = load(path)
        other = Path(path).with_name("other")
        other.write_bytes(Path(path).read_bytes()[:-1] + b"?")
        other.replace(path)
        return library

    monkeypatch.setattr(ctypes, "CDLL", replacing)
    with pytest.raises(BuildDamaged, match="was changed"):
        open_device(copy, "host")


def test_a_library_that_is_none(copy: Path) -> None:
    (copy / LIBRARY).write_bytes(b"not a library")
    with pytest.raises(LaunchFailed, match="does not load"):
        open_device(listed(open_build(copy), "host", LIBRARY, b"not a library"), "host")
