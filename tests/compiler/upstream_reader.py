"""Upstream's own reader of .mpy files, tools/mpy-tool.py, for comparison with porter's."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

_OWN = ("makeqstrdata",)  # modules that it imports from the release's tree


def mpy_tool(release: Path) -> ModuleType:
    """Return the release's tools/mpy-tool.py as a module."""
    file = release / "tools/mpy-tool.py"
    spec = importlib.util.spec_from_file_location(f"mpy_tool_{release.name}", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    path, modules = list(sys.path), {name: sys.modules.pop(name, None) for name in _OWN}
    sys.path.insert(0, str(file.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path[:] = path
        for name, before in modules.items():
            sys.modules.pop(name, None)
            if before is not None:
                sys.modules[name] = before
    vars(module)["global_qstrs"] = module.GlobalQStrList()
    return module


def functions(code: Any) -> Iterator[Any]:
    """Yield `code` (its RawCode) and all functions below it, in the file's order."""
    yield code
    for child in code.children:
        yield from functions(child)
