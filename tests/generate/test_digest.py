"""The digest of a generation covers every file that generation reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.base import paths
from porter.generate.generate_stage import digest_of, tree_files


@pytest.mark.parametrize("name", ["port", "libc"])
def test_every_template_counts(name: str) -> None:
    folder = paths.templates_dir() / name
    files = {path for path in folder.rglob("*") if path.is_file()}
    assert files
    assert files - set(tree_files([folder])) == set()


@pytest.mark.parametrize("name", ["a.c", "b.h", "c.mk", "d.py", "e.j2", "sub/f.inc"])
def test_a_change_changes_it(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("one")
    before = digest_of([tmp_path], {"level": 1})
    path.write_text("two")
    changed = digest_of([tmp_path], {"level": 1})
    path.rename(path.with_stem("other"))
    renamed = digest_of([tmp_path], {"level": 1})
    assert len({before, changed, renamed, digest_of([tmp_path], {"level": 2})}) == 4
