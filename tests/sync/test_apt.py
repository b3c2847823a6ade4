"""The distribution's source package: detection of this machine's archive, and a private apt."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from porter.errors import SyncFailed
from porter.sync.apt import (
    Machine,
    parse_deb822,
    parse_one_line,
    private_apt,
    read_machine,
    upstream_version,
)

ONE_LINE = """\
# a comment
deb [arch=amd64 signed-by=/k.gpg] http://a.example/debian bookworm main contrib # end
deb http://a.example/security bookworm-security main
deb-src http://b.example/x sid main
rubbish
"""

DEB822 = """\
Types: deb
# between
URIs: http://a.example/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /k.gpg

Enabled: no
Types: deb
URIs: http://off.example/
Suites: bookworm
Components: main

Types: deb deb-src
URIs: http://b.example/
Suites: sid
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc
 -----END PGP PUBLIC KEY BLOCK-----
"""


def test_one_line_sources() -> None:
    first, second, third = parse_one_line(ONE_LINE)
    assert (first.uri, first.suites, first.components, first.signed_by) == (
        "http://a.example/debian",
        ("bookworm",),
        ("main", "contrib"),
        "/k.gpg",
    )
    assert second.suites == ("bookworm-security",)
    assert third.uri == "http://b.example/x"


def test_deb822_sources() -> None:
    first, second = parse_deb822(DEB822)
    assert first.suites == ("bookworm", "bookworm-updates")
    assert first.signed_by == "/k.gpg"
    assert "BEGIN PGP" in second.signed_by and "\n" in second.signed_by


def machine(tmp_path: Path, sources: str, ident: str = "debian") -> Machine:
    apt = tmp_path / "etc/apt/sources.list.d"
    apt.mkdir(parents=True)
    (tmp_path / "etc/os-release").write_text(f'ID={ident}\nVERSION_CODENAME="bookworm"\n')
    (apt / "x.sources").write_text(sources)
    (apt / "y.list").write_text("deb https://other.example apps main\n")
    return read_machine(tmp_path)


def test_own_archive_and_suites(tmp_path: Path) -> None:
    archive = machine(tmp_path, DEB822).source_archive()
    assert archive is not None
    assert archive.uri == "http://a.example/debian"
    assert archive.suites == ("bookworm", "stable", "testing", "unstable")
    assert archive.signed_by == "/k.gpg"


def test_ubuntu_has_it_in_universe(tmp_path: Path) -> None:
    archive = machine(tmp_path, DEB822, "ubuntu").source_archive()
    assert archive is not None
    assert archive.components == ("main", "universe")
    assert archive.suites == ("bookworm", "devel")


def test_no_archive_of_the_distribution(tmp_path: Path) -> None:
    nothing = machine(tmp_path, "")
    assert nothing.source_archive() is None
    if shutil.which("apt-get"):
        with pytest.raises(SyncFailed, match="no archive of debian"), private_apt(nothing):
            pass


@pytest.mark.skipif(shutil.which("apt-get") is None, reason="needs apt")
def test_unreachable_archive(tmp_path: Path) -> None:
    sources = DEB822.replace("http://a.example/debian", f"file:{tmp_path}/nowhere")
    unreachable = machine(tmp_path, sources)
    with pytest.raises(SyncFailed, match="could not read the archive"), private_apt(unreachable):
        pass


@pytest.mark.parametrize(
    ("package", "release"),
    [
        ("1.26.1+ds-1", "1.26.1"),
        ("1.25.0+ds.2-1ubuntu3", "1.25.0"),
        ("1:1.19.1+dfsg1-2~bpo12+1", "1.19.1"),
        ("1.27.0~preview+ds-1", "1.27.0-preview"),
        ("1.24.0", "1.24.0"),
    ],
)
def test_upstream_version(package: str, release: str) -> None:
    assert upstream_version(package) == release


@pytest.mark.network
@pytest.mark.skipif(shutil.which("apt-get") is None, reason="needs apt")
def test_this_machines_archive(tmp_path: Path) -> None:
    try:
        with private_apt() as apt:
            root = apt.root
            versions = apt.versions()
            assert versions, "the archive carries no micropython"
            tarball = apt.fetch(versions[0], tmp_path / "fetched")
            assert tarball.stat().st_size > 1 << 20
    except SyncFailed as error:
        pytest.skip(f"no archive here: {error}")
    assert not root.exists()
