"""The files of a finished build that a wheel includes, and the licences of its compiled code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from porter.bundling import LICENCES, licences, write_bundle
from porter.errors import BuildDamaged, FileProblem, NotBuilt, VerifyFailed
from porter.manifest import open_manifest
from tests.base.test_bundled import CODE, FILES, manifest

MIT = "/*\n * The MIT License (MIT)\n *\n * Copyright (c) 2013 One Author\n */\nint a;\n"
BSD = "/*\n * Copyright (c) 2022, Others.\n * SPDX-License-Identifier: BSD-3-Clause\n */\n"
STYLE = "// Copyright 2014 Someone.\n// governed by a BSD-style\n// license.\n\nint x;\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Write a release's sources, and beside them units that were made from some of its files."""
    tree = tmp_path / "upstream"
    texts = {"py/a.c": MIT, "lib/b.c": BSD, "lib/c.c": STYLE, "lib/d.c": "int no_head;\n"}
    texts |= {"lib/unused.c": "// Copyright Nobody, GPL\n", "LICENSE": "Licence of all\n"}
    for name, text in texts.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    (tmp_path / "cxx").mkdir()
    used = ("upstream/1/py/a.c", "patched/1/lib/b.c", "upstream/1/lib/c.c", "upstream/1/lib/d.c")
    lines = "".join(f'#line 7 "{name}"\n' for name in (*used, "port/hal.c", "libc/string.h"))
    (tmp_path / "cxx" / "a.cpp").write_text(lines)
    return tree


def test_licences_of_what_is_compiled(tree: Path) -> None:
    text = licences(tree.parent / "cxx", tree, "1")
    for part in ("MicroPython 1", "Licence of all", "Copyright (c) 2013 One Author", "lib/b.c:"):
        assert text.count(part) == 1, part
    assert "Copyright 2014 Someone" in text and "Nobody" not in text and "lib/d.c" not in text
    assert text.count("Neither the name of the copyright holder") == 1


def test_a_licence_without_a_text(tree: Path) -> None:
    for name in ("GPL-9.9", "../../../etc/passwd"):
        (tree / "lib/b.c").write_text(f"// Copyright Others\n// SPDX-License-Identifier: {name}\n")
        with pytest.raises(VerifyFailed, match="no text of the licence") as caught:
            licences(tree.parent / "cxx", tree, "1")
        assert "templates/licences" in str(caught.value.hint)


@pytest.mark.parametrize("gone", ["LICENSE", "lib/b.c"])
def test_sources_that_are_gone(tree: Path, gone: str) -> None:
    (tree / gone).unlink()
    with pytest.raises(FileProblem, match=gone):
        licences(tree.parent / "cxx", tree, "1")


def finished(folder: Path) -> Path:
    build = folder / "build" / "key"
    for name in (*FILES, "include/launch.h", "host/leftover.o"):
        (build / name).parent.mkdir(parents=True, exist_ok=True)
        (build / name).write_bytes(CODE)
    document = manifest()
    document["headers"] = {
        "include/launch.h": next(iter(document["targets"]["host"]["files"].values()))
    }
    (build / "build.json").write_text(json.dumps(document))
    return build


def test_a_bundle_is_whole_or_not_there(tree: Path, tmp_path: Path) -> None:
    build, out = finished(tmp_path), tmp_path / "bundle"
    made = write_bundle(build, tmp_path / "cxx", tree, out)
    names = {str(path.relative_to(made)) for path in made.rglob("*") if path.is_file()}
    assert names == {*FILES, "include/launch.h", "build.json", LICENCES}
    for name in (FILES[0], "include/launch.h"):
        (build / name).write_bytes(b"c0de")
        with pytest.raises(BuildDamaged, match=f"{name}: the file was changed"):
            write_bundle(build, tmp_path / "cxx", tree, out)
        (build / name).unlink()
        with pytest.raises(BuildDamaged, match=f"{name}: the file is missing"):
            write_bundle(build, tmp_path / "cxx", tree, out)
        (build / name).write_bytes(CODE)
    assert [path.name for path in out.iterdir()] == ["key"] and (made / FILES[0]).is_file()
    (build / "build.json").unlink()
    with pytest.raises(NotBuilt):
        write_bundle(build, tmp_path / "cxx", tree, out)


def test_a_bundle_has_the_targets_that_were_asked_for(tree: Path, tmp_path: Path) -> None:
    """A target that an earlier build made stays out, and the bundle is a build of its own."""
    build = finished(tmp_path)
    document = json.loads((build / "build.json").read_text())
    host = document["targets"]["host"]
    other = {name.replace("host/", "host-asan/"): file for name, file in host["files"].items()}
    document["targets"]["host-asan"] = {**host, "files": other}
    for name in other:
        (build / name).parent.mkdir(exist_ok=True)
        (build / name).write_bytes(CODE)
    (build / "build.json").write_text(json.dumps(document))
    made = write_bundle(build, tmp_path / "cxx", tree, tmp_path / "bundle", ["host"])
    assert set(open_manifest(made).targets) == {"host"}
    assert not (made / "host-asan").exists() and (made / FILES[0]).is_file()
    with pytest.raises(NotBuilt, match="it has no target host-debug"):
        write_bundle(build, tmp_path / "cxx", tree, tmp_path / "bundle", ["host-debug"])


def test_a_place_that_cannot_be_written(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileProblem, match="file"):
        write_bundle(finished(tmp_path), tmp_path / "cxx", tree, tmp_path / "file")
