"""Manifests: the modules that a build freezes."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.base import paths
from porter.config import BuildConfig
from porter.errors import FileProblem, GenerateFailed, PorterError, UsageError
from porter.generate.frozen import frozen_files, library_manifest, read_manifest


def write(folder: Path, files: dict[str, str]) -> Path:
    """Write `files` into `folder`, and return the path of its manifest."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "manifest.py"


def config(upstream: Path, library: str = "full", freeze: str = "") -> BuildConfig:
    return BuildConfig(release=upstream.name, library=library, freeze=freeze)


def test_asyncio_is_frozen(upstream: Path) -> None:
    names = [file.name for file in read_manifest(upstream, library_manifest())]
    assert "asyncio/__init__.py" in names
    assert "asyncio/core.py" in names
    assert names == sorted(names)


def test_a_build_without_library(upstream: Path) -> None:
    assert frozen_files(config(upstream, library="none"), upstream) == ()
    files = frozen_files(config(upstream), upstream)
    assert all(file.own for file in files)
    assert {"asyncio", "vram"} <= {file.root for file in files}


def test_users_modules(upstream: Path, tmp_path: Path) -> None:
    manifest = write(
        tmp_path,
        {
            "manifest.py": 'package("tool")\nmodule("one.py")\n',
            "tool/__init__.py": "",
            "tool/part.py": "A = 1\n",
            "one.py": "B = 2\n",
        },
    )
    files = frozen_files(config(upstream, library="none", freeze=str(manifest)), upstream)
    assert [file.name for file in files] == ["one.py", "tool/__init__.py", "tool/part.py"]
    assert [file.root for file in files] == ["one", "tool", "tool"]
    assert not any(file.own for file in files)
    assert files[0].path == tmp_path / "one.py" and files[0].content == b"B = 2\n"
    both = frozen_files(config(upstream, freeze=str(manifest)), upstream)
    assert {file.root for file in both} > {"asyncio", "one", "tool"}


def test_a_users_package_replaces_the_librarys(upstream: Path, tmp_path: Path) -> None:
    text = {"manifest.py": 'package("asyncio")\n', "asyncio/__init__.py": "MINE = True\n"}
    manifest = write(tmp_path, text)
    files = frozen_files(config(upstream, freeze=str(manifest)), upstream)
    assert [file.path for file in files if file.root == "asyncio"] == [
        tmp_path / "asyncio" / "__init__.py"
    ]


@pytest.mark.parametrize(
    ("files", "error", "said"),
    [
        ({}, FileProblem, "there is no such manifest"),
        ({"manifest.py": 'module("nowhere.py")\n'}, UsageError, "Cannot stat .*nowhere.py"),
        ({"manifest.py": "modul('a.py')\n"}, UsageError, "name 'modul' is not defined"),
        ({"manifest.py": "freeze(\n"}, UsageError, "never closed .*line 1"),
        (
            {"manifest.py": 'module("a.py")\nfreeze(".", "a.py")\n', "a.py": "\n"},
            UsageError,
            "a.py more than once",
        ),
        ({"manifest.py": 'freeze(".", "a.mpy")\n', "a.mpy": "M"}, UsageError, "not Python source"),
    ],
)
def test_a_bad_manifest(
    upstream: Path, tmp_path: Path, files: dict[str, str], error: type[PorterError], said: str
) -> None:
    manifest = write(tmp_path, files)
    with pytest.raises(error, match=said) as raised:
        frozen_files(config(upstream, freeze=str(manifest)), upstream)
    assert raised.value.message.count(str(manifest)) == 1
    assert len(raised.value.message.splitlines()) == 1


def test_the_librarys_manifest_is_porters_fault(upstream: Path, tmp_path: Path) -> None:
    manifest = write(tmp_path, {"manifest.py": 'module("nowhere.py")\n'})
    with pytest.raises(GenerateFailed, match=r"nowhere\.py"):
        read_manifest(upstream, manifest)


def test_a_manifest_that_prints(upstream: Path, tmp_path: Path) -> None:
    manifest = write(tmp_path, {"manifest.py": 'print("[]")\nmodule("a.py")\n', "a.py": ""})
    (file,) = read_manifest(upstream, manifest, own=False)
    assert file.name == "a.py"


def test_every_module_of_the_library_is_listed(upstream: Path) -> None:
    folder = paths.templates_dir() / "frozen" / "modules"
    listed = {file.path for file in read_manifest(upstream, library_manifest())}
    assert set(folder.rglob("*.py")) <= listed
