"""The structure of the tree: layers, short files, unique class names, and no import cycles."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

from tests.architecture.sources import PACKAGES, ROOT, cycles, repeated, sources


@pytest.fixture(scope="module")
def imports() -> list[tuple[str, str]]:
    """Return pairs of importer and imported; imports for typing and within functions count."""
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=False, cache_dir=None)
    return [(a, b) for a in graph.modules for b in graph.find_modules_directly_imported_by(a)]


def test_one_module_of_porter_loads_the_development_tools() -> None:
    # The import contract does not see imports by name.
    found = re.compile(r"""["']porter_dev\b|import_module\(.*porter_dev""")
    named = [
        name for name, text in sources().items() if name[:7] == "porter/" and found.search(text)
    ]
    assert named == ["porter/cli/_development.py"]


def test_the_contracts_between_layers_hold() -> None:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_class_name_has_one_meaning() -> None:
    assert not repeated(sources())


def test_no_module_imports_itself_through_others(imports: list[tuple[str, str]]) -> None:
    found = list(cycles(imports))
    assert not found, "\n".join(" -> ".join([*circle, circle[0]]) for circle in found)


def test_no_module_needs_the_package_as_a_whole(imports: list[tuple[str, str]]) -> None:
    assert not [importer for importer, imported in imports if imported == "porter"]


def test_the_checks_can_fail() -> None:
    texts = {"a.py": "class A: pass\n", "b.py": "def f():\n    class A: pass\n"}
    assert set(repeated(texts)) == {"A"} and repeated({"b.py": texts["b.py"]}) == {}
    circle = [("b", "c"), ("c", "a"), ("a", "b"), ("a", "d")]
    assert list(cycles(circle)) == [["a", "b", "c"]] and list(cycles([("a", "b")])) == []
