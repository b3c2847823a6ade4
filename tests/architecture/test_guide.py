"""Check docs/reference/architecture.md against pyproject.toml and the source tree."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "reference" / "architecture.md").read_text(encoding="utf-8")
# Where a path of a table may begin.
BEGINNINGS = ("porter", "tests", "templates/runtime", "templates/port", ".")
PATH = re.compile(r"`([\w./]+(?:/|\.(?:py|toml|md|h|c|cu|cpp|cuh|j2)))`")


def layers() -> list[set[str]]:
    """Return the layers that `lint-imports` checks, the highest first."""
    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = (
        one
        for one in document["tool"]["importlinter"]["contracts"]
        if "porter.cli" in one.get("layers", ())
    )
    found = [set(layer.replace("porter.", "").split(" | ")) for layer in contract["layers"]]
    return found[1:]  # __main__


def section(title: str) -> str:
    return TEXT.split(f"\n## {title}")[1].split("\n## ")[0]


def test_layers() -> None:
    (block,) = re.findall(r"```text\n(.*?)```", section("Layers"), re.DOTALL)
    told = [set(re.split(r" {4,}", line)[0].split()) for line in block.splitlines()]
    assert told == layers()


def test_every_part_of_porter_has_a_layer() -> None:
    parts = {path.name.removesuffix(".py") for path in (ROOT / "porter").iterdir()}
    parts -= {"__init__", "__main__", "__pycache__", "py.typed", "_data"}
    assert parts == set().union(*layers())


def test_tables_name_what_there_is() -> None:
    tables = [section(title) for title in ("One program", "One unit of C", "To change something")]
    rows = [line for table in tables for line in table.splitlines() if line.startswith("|")]
    named = set(PATH.findall(" ".join(rows).replace("NAME", "run")))
    assert len(named) > 60
    upstream_and_made = {"py/compile.c", "py/vm.c", "genhdr/", "cxx/py_vm.c.cpp"}
    missing = [
        path
        for path in named - upstream_and_made
        if not any((ROOT / start / path).exists() for start in BEGINNINGS)
    ]
    # A row names rules by a pattern.
    assert set(missing) <= {"rewrite/rules/run.py"}
