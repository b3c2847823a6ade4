"""Provide modules that upstream's tests import and that a build may lack."""

from __future__ import annotations

import re
from collections.abc import Collection

import attrs

from porter.base import arguments
from porter.conformance.images import Tree

FOLDER = "lib"  # folder in the image; last in sys.path, so that a frozen module takes precedence


@attrs.frozen
class Module:
    """An importable module: its name and its files, with paths relative to ``/``."""

    name: str
    tree: Tree

    def wanted_by(self, source: bytes) -> bool:
        """Return whether ``source`` imports the module."""
        name = re.escape(self.name.encode())
        return re.search(rb"\b(?:import|from)\s+(\w+,\s*)*" + name + rb"\b", source) is not None


def modules(release: arguments.StrPath, frozen: arguments.StrPath) -> tuple[Module, ...]:
    """Return the available modules: upstream's asyncio and uasyncio, and porter's unittest.

    Upstream's unittest is in micropython-lib, which the distribution's source package lacks.

    Args:
        release: Upstream's source tree.
        frozen: Porter's folder of Python modules.
    """
    release = arguments.path(release, "release")
    frozen = arguments.path(frozen, "frozen")
    extmod = release / "extmod"
    # task.py is for builds without the C module _asyncio (extmod/asyncio/manifest.py).
    package = [p for p in sorted((extmod / "asyncio").glob("*.py")) if p.name != "task.py"]
    core = tuple(
        (f"{FOLDER}/asyncio/{p.name}", p.read_bytes()) for p in package if p.stem != "uasyncio"
    )
    found = [Module("asyncio", core)] if core else []
    alias = extmod / "asyncio" / "uasyncio.py"
    if alias.is_file():
        found.append(Module("uasyncio", (*core, (f"{FOLDER}/uasyncio.py", alias.read_bytes()))))
    unittest = frozen / "unittest.py"
    found.append(Module("unittest", ((f"{FOLDER}/unittest.py", unittest.read_bytes()),)))
    return tuple(found)


def missing(
    wanted: Collection[Module], importable: Collection[str], source: bytes, tree: Tree
) -> Tree:
    """Add to ``tree`` the modules that ``source`` imports and the build lacks.

    Args:
        wanted: Available modules.
        importable: Names of the modules that the build has.
        source: Text of the test.
        tree: Files of the test.
    """
    added = dict(tree)
    for module in wanted:
        if module.name not in importable and module.wanted_by(source):
            added.update(module.tree)
    return tuple(sorted(added.items()))
