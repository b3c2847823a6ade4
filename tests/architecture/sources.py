"""The Python sources of porter and porter_dev, without the programs that interpreters run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("porter", "porter_dev")


def sources(root: Path = ROOT) -> dict[str, str]:
    """Return the texts of all files by path below `root`."""
    found = {
        path.relative_to(root).as_posix(): path
        for package in PACKAGES
        for path in (root / package).rglob("*.py")
    }
    return {
        name: path.read_text(encoding="utf-8")
        for name, path in sorted(found.items())
        if not name.startswith(("porter_dev/bench/programs/", "porter/_data/"))
    }


def classes(texts: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the files that define each class; classes of functions and classes count too."""
    found: dict[str, list[str]] = {}
    for name, text in texts.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(name)
    return found


def repeated(texts: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the class names that several files define, with these files."""
    return {name: files for name, files in classes(texts).items() if len(files) > 1}


def cycles(imports: Iterable[tuple[str, str]]) -> Iterator[list[str]]:
    """Yield the modules of each cycle of `imports`, which has pairs of importer and imported."""
    import networkx

    graph = networkx.DiGraph(imports)
    for component in networkx.strongly_connected_components(graph):
        if len(component) > 1:
            first = min(component)
            circle = networkx.find_cycle(graph.subgraph(component), first)
            yield [importer for importer, _ in circle]
