"""Check that the components of `templates/` do not include each other in cycles.

`python -m porter_dev.includes` parses every `#include "..."` of all templates (headers, sources,
`.inc` files and Jinja templates of them) and prints each cycle with the files that form it.
`.ci/run` runs it next to `lint-imports`, which checks the imports of Python modules.

A component is a header with its implementation: the files of a folder that differ in their suffix
only, such as `block.h` and `block.cpp`. So a cycle is found, too, if a source includes the header
of a component whose source includes the first one's header. Files of one component may include
each other, but not in a cycle either.

A name is resolved as a compiler does it: first in the folder of the including file, then in the
other folders of templates. Names of upstream's headers and of generated headers match no template
and are ignored. So are conditions: an include in an inactive `#if` branch counts.

Exit status: 0 without a cycle, 1 otherwise.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath

from porter.base.paths import templates_dir

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
_SOURCES = {".c", ".cpp", ".cu", ".cuh", ".h", ".hpp", ".inc"}

Graph = Mapping[str, Mapping[str, str]]


def component(name: Path) -> str:
    """Return the component of a file: its path without the suffix."""
    return PurePosixPath(name).with_suffix("").as_posix()


def include_graph(root: Path, node: Callable[[Path], str] = component) -> dict[str, dict[str, str]]:
    """Return the nodes that each node of the include graph below `root` includes.

    Args:
        root: A folder with one subfolder per include path, such as `templates/`.
        node: Maps a file, relative to `root`, to its node: its component, or the file itself.

    Returns:
        By node the included nodes, each with an example: `port/native.c includes port/vm_meet.h`.
        `NAME.j2` stands for the file NAME that is rendered from it. An include between two files
        of one node is left out.
    """
    files = {_rendered(path).relative_to(root): path for path in _sources(root)}
    folders = sorted({name.parent for name in files})
    graph: dict[str, dict[str, str]] = {node(name): {} for name in sorted(files)}
    for name, path in sorted(files.items()):
        for text in _INCLUDE.findall(path.read_text(encoding="utf-8")):
            candidates = (folder / text for folder in (name.parent, *folders))
            found = next((one for one in candidates if one in files), None)
            if found is None or (node(found) == node(name) and found != name):
                continue
            example = f"{path.relative_to(root).as_posix()} includes {found.as_posix()}"
            graph[node(name)].setdefault(node(found), example)
    return graph


def cycles(graph: Graph) -> list[tuple[str, ...]]:
    """Return a shortest cycle through each node that is in one, without duplicates.

    Args:
        graph: The included nodes of each node.

    Returns:
        Cycles as paths, each of which begins and ends with its alphabetically first node.
    """
    found = set()
    for start in graph:
        path = _shortest_cycle(graph, start)
        if path:
            first = path.index(min(path))
            found.add((*path[first:], *path[:first], path[first]))
    return sorted(found)


def describe(graph: Graph, cycle: tuple[str, ...]) -> str:
    """Return the text of a cycle: its nodes, and the files that include each other."""
    steps = itertools.pairwise(cycle)
    lines = [f"    {graph[node][included]}" for node, included in steps]
    return "\n".join([f"include cycle: {' -> '.join(cycle)}", *lines])


def find_cycles(root: Path) -> list[str]:
    """Return the texts of all cycles of components, else of all cycles of files."""
    for node in (component, Path.as_posix):
        graph = include_graph(root, node)
        if found := cycles(graph):
            return [describe(graph, cycle) for cycle in found]
    return []


def main() -> int:
    """Print the cycles of `templates/`. Return the exit status."""
    found = find_cycles(templates_dir())
    for text in found:
        print(text, file=sys.stderr)
    return 1 if found else 0


def _sources(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if _rendered(path).suffix in _SOURCES]


def _rendered(path: Path) -> Path:
    return path.with_suffix("") if path.suffix == ".j2" else path


def _shortest_cycle(graph: Graph, start: str) -> list[str]:
    """Return the nodes of a shortest cycle through `start`, from `start` on; [] if none."""
    before: dict[str, str] = {}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for included in graph.get(node, ()):
            if included == start:
                path = [node]
                while path[-1] != start:
                    path.append(before[path[-1]])
                return path[::-1]
            if included not in before:
                before[included] = node
                queue.append(included)
    return []


if __name__ == "__main__":
    sys.exit(main())
