"""Documents become classes; invalid content is refused with its file, place and expected type."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from porter.base.documents import read_json, read_toml, structured
from porter.errors import FileProblem, UsageError


@frozen
class Leaf:
    name: str
    weight: float = 1.0
    green: bool = True
    note: str | None = None


@frozen
class Tree:
    leaves: tuple[Leaf, ...]
    sizes: Mapping[str, int]
    words: tuple[str, ...] = ()


GOOD = {"leaves": [{"name": "a", "weight": 2}, {"name": "b", "note": "x"}], "sizes": {"c": 3}}


def test_a_document_that_fits() -> None:
    leaves = (Leaf("a", 2), Leaf("b", note="x"))
    assert structured(GOOD, Tree, "f", UsageError) == Tree(leaves, {"c": 3})
    assert structured({"a": {"b": 1}}, dict[str, dict[str, int]], "f", UsageError) == {
        "a": {"b": 1}
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"leaves": [{"name": "a"}, {}]}, "f: leaves 2: lacks 'name'"),
        ({"leaves": [{"name": 1}]}, "f: leaves 1: name: a string is wanted, 1 is not a string"),
        ({"leaves": [{"name": "a", "weight": True}]}, "f: leaves 1: weight: a number is wanted"),
        ({"leaves": [{"name": "a", "green": 1}]}, "f: leaves 1: green: true or false is wanted"),
        ({"leaves": [{"name": "a", "gren": 1}]}, "f: leaves 1: unknown key gren"),
        ({"leaves": [1]}, "f: leaves 1: a table is wanted, 1 is not a table"),
        ({"leaves": {}}, "f: leaves: a list of tables is wanted, {} is not a list"),
        ({"sizes": {"c": "3"}}, "f: sizes: c: a whole number is wanted, '3' is not"),
        ({"sizes": {"c": True}}, "f: sizes: c: a whole number is wanted, True is not"),
        ({"sizes": []}, "f: sizes: a table is wanted"),
        ({"words": "word"}, "f: words: a list of strings is wanted, 'word' is not a list"),
        ({"words": ["a", None]}, "f: words 2: a string is wanted"),
        ({"twigs": [{}]}, "f: unknown table twigs"),
    ],
)
def test_what_does_not_fit_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        structured({**GOOD, **change}, Tree, "f", UsageError)
    assert caught.value.message.startswith(message)


def test_documents_that_are_none() -> None:
    documents: tuple[Any, ...] = (None, [], "text")
    for document in documents:
        with pytest.raises(FileProblem, match="f: a table is wanted"):
            structured(document, Tree, "f", FileProblem)
    with pytest.raises(UsageError) as caught:
        structured({"leafs": 1}, Tree, "f", UsageError)
    assert caught.value.hint == "Known: leaves, sizes, words."


def test_files_that_do_not_parse(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for content in (b"a = ", b"\xff"):
        path.write_bytes(content)
        with pytest.raises(UsageError, match=r"file: not TOML: "):
            read_toml(path, UsageError)
        with pytest.raises(FileProblem, match=r"file: no list: "):
            read_json(path, FileProblem, "no list")
    with pytest.raises(UsageError, match="not JSON: Is a directory"):
        read_json(tmp_path, UsageError)
    with pytest.raises(UsageError, match="none: not JSON: No such file"):
        read_json(tmp_path / "none", UsageError)
