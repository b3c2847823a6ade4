"""Selection of releases by the arguments, and runs that end before a compiler is needed."""

from __future__ import annotations

import json
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from porter import cli
from porter.base import paths
from porter.errors import CorruptSource, PatchDrift, SyncFailed, UsageError
from porter.regress import release_arguments
from porter.sync import release_list
from porter.sync.lock import read_lock

FILES = {
    "py/mpconfig.h": "".join(
        f"#define MICROPY_VERSION_{name} {value}\n"
        for name, value in (("MAJOR", 1), ("MINOR", 26), ("MICRO", 1), ("PRERELEASE", 0))
    ),
    "py/py.mk": "",
    "py/makeqstrdefs.py": "",
    "extmod/extmod.mk": "",
    "shared/x.c": "",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a fake tree of 1.26.1 with other files."""
    root = tmp_path / "tree"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def run(tmp_path: Path, *args: str | Path) -> tuple[int, dict[str, Any]]:
    file = tmp_path / "report.json"
    code = cli.execute(["regress", *map(str, args), "--json", str(file)])
    return code, json.loads(file.read_text()) if file.exists() else {}


def test_a_modified_tree_gets_a_name_of_its_own(home: Path, tree: Path, tmp_path: Path) -> None:
    code, report = run(tmp_path, tree)
    assert code == PatchDrift.exit_code
    (release,) = report["releases"]
    assert release["release"].startswith("1.26.1+")
    assert (home / "upstream" / release["release"] / "py/py.mk").is_file()
    problem = release["stages"][1]["problems"][0]
    assert problem["error"] == "PatchDrift" and "compiler-stack" in problem["patch"]
    assert "py/compile.c" in problem["file"] and "patches/" in problem["hint"]
    states = [(stage["name"], stage["state"]) for stage in release["stages"]]
    assert states == [
        ("sync", "ok"),
        ("patch", "failed"),
        ("rewrite", "not reached"),
        ("build", "not reached"),
        ("smoke", "not reached"),
        ("conformance", "not reached"),
    ] + [(name, "not reached") for name in ("build", "smoke", "conformance")]  # device code
    _, again = run(tmp_path, tree)
    assert again["releases"][0]["stages"][0]["state"] == "cached"


def test_a_tarball_of_the_same_is_the_same(home: Path, tree: Path, tmp_path: Path) -> None:
    archive = tmp_path / "micropython.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(tree, "micropython-1.26.1")
    _, one = run(tmp_path, tree)
    _, two = run(tmp_path, archive)
    assert one["releases"][0]["release"] == two["releases"][0]["release"]


def test_sources_that_cannot_be_had_are_no_upstream_change(home: Path, tmp_path: Path) -> None:
    code, report = run(tmp_path, tmp_path)
    assert code == CorruptSource.exit_code
    stages = report["releases"][0]["stages"]
    assert stages[0]["problems"][0]["error"] == "CorruptSource"
    assert {stage["state"] for stage in stages[1:]} == {"not reached"}


def test_report_in_markdown(home: Path, tree: Path, tmp_path: Path) -> None:
    file = tmp_path / "report.md"
    assert cli.execute(["regress", str(tree), "--report", str(file)]) == PatchDrift.exit_code
    text = file.read_text()
    assert "## What failed" in text and "patch `" in text and "exit code 22" in text


def test_reports_list_skipped_patches(home: Path, tree: Path, tmp_path: Path) -> None:
    file = tmp_path / "report.md"
    _, report = run(tmp_path, tree, "--report", file)
    (release,) = report["releases"]
    skipped = release["skipped"]
    states = release["facts"]["patches"]
    assert {fit["patch"] for fit in skipped} == {n for n, s in states.items() if s == "skipped"}
    lines = file.read_text().split("## Patches that are skipped\n")[1].splitlines()
    for fit in skipped:
        row = f"| {release['release']} | `{fit['patch']}` | {fit['class']} | {fit['without']} |"
        assert lines.count(row) == 1
        assert f"{release['release']}, {fit['patch']}: {fit['detail'].splitlines()[0]}" in lines


@pytest.mark.parametrize(
    "args",
    [
        ["--all", "1.26.1"],
        ["--all", "--latest"],
        ["--latest", "master"],
        ["master", "--record"],
        ["/nowhere/at/all"],
        ["--target", "x"],
    ],
)
def test_arguments_that_make_no_sense(home: Path, args: list[str]) -> None:
    assert cli.execute(["regress", *args]) == UsageError.exit_code


def test_latest_and_all(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"1.9.4": ["git"], "1.99.0": ["git"], "2.0.0-preview": ["git"]}
    monkeypatch.setattr(release_list, "online_releases", lambda origins: (found, ["git: no"]))
    said: list[str] = []

    def wanted(*given: str, everything: bool = False, latest: bool = False) -> list[str]:
        done = release_arguments.wanted_releases(
            given, everything=everything, latest=latest, record=False, say=said.append
        )
        return [one.name for one in done]

    known = read_lock(paths.lock_file())
    assert wanted(latest=True) == ["1.99.0"] and said == ["git: no"]
    assert wanted(everything=True) == sorted(known.entries)
    assert wanted() == [known.newest().release]
    found.clear()
    assert wanted(latest=True) == [known.newest().release]


def test_a_release_that_nobody_has(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")  # no git, no apt
    code, report = run(tmp_path, "1.98.7")
    assert code == SyncFailed.exit_code
    assert "1.98.7" in str(report["releases"])


def test_master_is_the_development_branch(
    home: Path, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for args in (["init", "-q", "-b", "master"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run(["git", *identity, *args], cwd=tree, check=True)
    (home / "gitmodules").write_text(f'[submodule "upstream/micropython"]\n\turl = file://{tree}\n')
    monkeypatch.delenv("PORTER_SOURCES", raising=False)
    monkeypatch.chdir(home)
    (home / "master").mkdir()  # ./master would be this folder
    lock = paths.lock_file().read_bytes()
    code, report = run(tmp_path, "master")
    (release,) = report["releases"]
    assert code == PatchDrift.exit_code
    assert release["release"].startswith("1.26.1+")
    assert release["origin"].startswith("git commit ")
    assert paths.lock_file().read_bytes() == lock
    _, again = run(tmp_path, "master")
    assert again["releases"][0]["stages"][0]["state"] == "cached"


def test_master_without_git_reaches_no_stage(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    code, report = run(tmp_path, "master")
    (release,) = report["releases"]
    assert (code, release["release"]) == (SyncFailed.exit_code, "master")
    assert "no git on this machine" in release["stages"][0]["problems"][0]["message"]
