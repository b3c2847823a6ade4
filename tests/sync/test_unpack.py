"""Archives: every format, damaged archives, and malicious ones."""

from __future__ import annotations

import io
import random
import stat
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from porter.errors import CorruptSource, UsageError
from porter.sync.archives import unpack
from porter.sync.store import synced_releases
from porter.sync.synchronization import sync
from porter.sync.trees import tree_hash

from .conftest import MakeTree


def pack(tree: Path, path: Path) -> Path:
    """Write `tree` as an archive of the type of `path`'s suffix."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
            for file in sorted(tree.rglob("*")):
                bundle.write(file, f"micropython-x/{file.relative_to(tree)}")
        return path
    kind = path.suffix[1:]
    mode: Any = "w" if kind == "tar" else f"w:{kind}"
    with tarfile.open(path, mode) as tar:
        tar.add(tree, "micropython-x")
    return path


@pytest.mark.parametrize("suffix", [".tar", ".tar.gz", ".tar.xz", ".tar.bz2", ".zip"])
def test_round_trip(locked: Path, tmp_path: Path, suffix: str) -> None:
    archive = pack(locked, tmp_path / f"a{suffix}")
    assert tree_hash(unpack(archive, tmp_path / "out")) == tree_hash(locked)
    assert sync(source=archive).state == "verified"


@pytest.mark.parametrize("suffix", [".tar", ".tar.gz", ".tar.xz", ".zip"])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_truncated(locked: Path, tmp_path: Path, suffix: str, share: float) -> None:
    whole = pack(locked, tmp_path / f"a{suffix}").read_bytes()
    # A tar is padded with zeros at its end, which may go.
    end = whole.rindex(b"int main") if suffix == ".tar" else len(whole)
    short = tmp_path / f"short{suffix}"
    short.write_bytes(whole[: int(end * share)])
    with pytest.raises(CorruptSource):
        sync(source=short)
    assert synced_releases() == []


def test_tar_that_ends_at_a_member(locked: Path, tmp_path: Path) -> None:
    archive = pack(locked, tmp_path / "a.tar")
    with tarfile.open(archive) as tar:
        last = tar.getmembers()[-1]
    archive.write_bytes(archive.read_bytes()[: last.offset])
    with pytest.raises(CorruptSource, match="ends too early"):
        unpack(archive, tmp_path / "out")


@pytest.mark.parametrize("suffix", [".tar.gz", ".tar.xz", ".tar.bz2", ".zip"])
def test_flipped_byte(locked: Path, tmp_path: Path, suffix: str) -> None:
    # Large and incompressible, so that the byte in the middle is content, not a header.
    (locked / "py/big").write_bytes(random.Random(1).randbytes(50_000))
    archive = pack(locked, tmp_path / f"a{suffix}")
    data = bytearray(archive.read_bytes())
    data[len(data) // 2] ^= 0x55
    archive.write_bytes(data)
    with pytest.raises(CorruptSource):
        sync(source=archive)
    assert synced_releases() == []


@pytest.mark.parametrize("name", ["../evil", "/etc/evil", "a/../../evil", "C:/evil"])
def test_names_that_lead_outside(tmp_path: Path, name: str) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        member = tarfile.TarInfo(name)
        member.size = 1
        tar.addfile(member, io.BytesIO(b"x"))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as bundle:
        bundle.writestr(name, "x")
    for archive in ("a.tar", "a.zip"):
        with pytest.raises(CorruptSource, match="leads outside"):
            unpack(tmp_path / archive, tmp_path / f"out-{archive}")
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize("target", ["/etc", "../..", "a/../../.."])
def test_links_that_lead_outside(tmp_path: Path, target: str) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        link = tarfile.TarInfo("x/link")
        link.type, link.linkname = tarfile.SYMTYPE, target
        tar.addfile(link)
    info = zipfile.ZipInfo("x/link")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as bundle:
        bundle.writestr(info, target)
    for archive in ("a.tar", "a.zip"):
        with pytest.raises(CorruptSource, match="refuses the link"):
            unpack(tmp_path / archive, tmp_path / f"out-{archive}")


def test_devices_are_refused(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        pipe = tarfile.TarInfo("x/pipe")
        pipe.type = tarfile.FIFOTYPE
        tar.addfile(pipe)
    with pytest.raises(CorruptSource, match="neither file nor folder"):
        unpack(tmp_path / "a.tar", tmp_path / "out")


def test_not_an_archive(tmp_path: Path) -> None:
    (tmp_path / "a.tar.gz").write_text("<html>moved</html>")
    with pytest.raises(CorruptSource, match="not an archive"):
        unpack(tmp_path / "a.tar.gz", tmp_path / "out")
    with pytest.raises(UsageError):
        unpack(tmp_path / "missing.tar.gz", tmp_path / "out2")


def test_archive_without_a_top_folder(make_tree: MakeTree, tmp_path: Path) -> None:
    tree = make_tree()
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        for path in sorted(tree.iterdir()):
            tar.add(path, path.name)
    assert tree_hash(unpack(tmp_path / "a.tar", tmp_path / "out")) == tree_hash(tree)
