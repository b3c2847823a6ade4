"""The table of instructions in a build: read back unchanged, or refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from porter.base.paths import templates_dir
from porter.compiler.stored import INSTRUCTIONS, load_tables, stored
from porter.compiler.tables import read_tables
from porter.errors import NotBuilt
from porter.sync.store import synced_releases

if TYPE_CHECKING:
    from porter.pipeline import Build

UPSTREAM = Path(__file__).parents[2] / "upstream"
RELEASES = [release for release in synced_releases() if (UPSTREAM / release / "py").is_dir()]
Change = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize("release", RELEASES)
def test_every_release(release: str, tmp_path: Path) -> None:
    tables = read_tables(UPSTREAM / release, templates_dir())
    path = tmp_path / INSTRUCTIONS
    path.write_text(stored(tables))
    assert load_tables(path) == tables


def test_a_build_carries_its_own(built: Build) -> None:
    release = built.sources.name.rpartition("-")[0]
    tables = load_tables(built.folder / "host" / INSTRUCTIONS)
    assert tables == read_tables(UPSTREAM / release, templates_dir())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda one: one.update(more=1), "unknown key more"),
        (lambda one: one.pop("excess"), "lacks 'excess'"),
        (lambda one: one["opcodes"].update(NEW="2"), "opcodes: NEW: a whole number is wanted"),
        (lambda one: one["families"].update(NEW=[1]), "families: NEW: two numbers are wanted"),
        (lambda one: one.update(formats="byte"), "formats: a list of strings is wanted"),
    ],
)
def test_what_is_not_such_a_table(built: Build, tmp_path: Path, change: Change, said: str) -> None:
    document = json.loads((built.folder / "host" / INSTRUCTIONS).read_text())
    change(document)
    path = tmp_path / INSTRUCTIONS
    path.write_text(json.dumps(document))
    with pytest.raises(NotBuilt, match=said):
        load_tables(path)


@pytest.mark.parametrize("text", ["", "[]", "{", "null"])
def test_what_is_no_table_at_all(tmp_path: Path, text: str) -> None:
    path = tmp_path / INSTRUCTIONS
    path.write_text(text)
    with pytest.raises(NotBuilt, match=INSTRUCTIONS):
        load_tables(path)
    with pytest.raises(NotBuilt, match="No such file"):
        load_tables(tmp_path / "nowhere")
