"""Write porter/evaluation/cpython_names.json: the names that the running CPython defines.

`porter.evaluation.unsupported` compares the name that an interpreter lacked with this table.

    python -m porter_dev.cpython_names     # rewrite the table from this CPython
"""

from __future__ import annotations

import builtins
import collections
import importlib
import inspect
import json
import platform
import sys
import types
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from porter.evaluation.unsupported import TABLE

# Modules that do something when they are imported, or that belong to an application.
_OMITTED = frozenset({"antigravity", "this", "idlelib", "turtledemo", "lib2to3", "test"})
# Submodules that programs import by name.
_SUBMODULES = (
    "asyncio.subprocess", "collections.abc", "concurrent.futures", "html.parser", "http.client",
    "http.server", "importlib.util", "json.decoder", "json.encoder", "logging.handlers",
    "multiprocessing.pool", "os.path", "unittest.mock", "urllib.error", "urllib.parse",
    "urllib.request", "xml.dom.minidom", "xml.etree.ElementTree",
)  # fmt: skip
# Built-in types beside those of `builtins`, by the names that interpreters have for them.
_TYPES: dict[str, type] = {
    "NoneType": type(None),
    "OrderedDict": collections.OrderedDict,
    "bound_method": types.MethodType,
    "closure": types.FunctionType,
    "deque": collections.deque,
    "function": types.FunctionType,
    "generator": types.GeneratorType,
    "module": types.ModuleType,
}
# Keyword arguments of functions and constructors that have no signature to inspect.
_KEYWORDS = {
    "bytearray": ["encoding", "errors", "source"],
    "bytes": ["encoding", "errors", "source"],
    "int": ["base"],
    "max": ["default", "key"],
    "min": ["default", "key"],
    "str": ["encoding", "errors", "object"],
    "zip": ["strict"],
}


# Names with an underscore that programs use.
_PRIVATE_MODULES = frozenset({"__future__", "_thread"})
_PRIVATE_NAMES = {"os": ["_exit"], "sys": ["_getframe"]}


def _public(names: Iterable[str]) -> list[str]:
    return sorted(name for name in names if not name.startswith("_"))


def _modules() -> dict[str, list[str]]:
    found = {}
    for name in sorted({*sys.stdlib_module_names, *_SUBMODULES} - _OMITTED):
        if name.startswith("_") and name not in _PRIVATE_MODULES:
            continue
        try:
            names = _public(dir(importlib.import_module(name)))
            found[name] = sorted(names + _PRIVATE_NAMES.get(name, []))
        except (ImportError, OSError):  # modules of other platforms, or without a display
            found[name] = []
    return found


def _submodules() -> list[str]:
    """Return all submodules of the standard library, which are found without importing them."""
    library = Path(importlib.__file__).parents[1]
    found = set(_SUBMODULES)
    for package in sys.stdlib_module_names - _OMITTED:
        for path in (library / package).rglob("*.py"):
            parts = path.relative_to(library).with_suffix("").parts
            name = ".".join(part for part in parts if part != "__init__")
            if "." in name and not {"test", "tests", "__main__"} & set(parts):
                found.add(name)
    return sorted(found)


def _built_in() -> list[type]:
    names = _public(vars(builtins))
    return [value for name in names if isinstance(value := getattr(builtins, name), type)]


def _types() -> dict[str, list[str]]:
    named = {value.__name__: value for value in _built_in()} | _TYPES
    return {name: sorted(dir(value)) for name, value in sorted(named.items())}


def _keywords() -> dict[str, list[str]]:
    """Return the keyword arguments of built-in functions, types and methods, by their names."""
    found: dict[str, set[str]] = {name: set(names) for name, names in _KEYWORDS.items()}
    for owner in (builtins, *_built_in()):
        for name in dir(owner):
            value: Any = getattr(owner, name, None)
            if name.startswith("_") or not callable(value):
                continue
            try:
                parameters = inspect.signature(value).parameters.values()
            except (ValueError, TypeError):
                continue
            kinds = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
            names = {one.name for one in parameters if one.kind in kinds} - {"self"}
            if names:
                found.setdefault(name, set()).update(names)
    return {name: sorted(names) for name, names in sorted(found.items())}


def table() -> dict[str, Any]:
    """Return the table of the running CPython."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            "cpython": platform.python_version(),
            "builtins": sorted(dir(builtins)),
            "keywords": _keywords(),
            "modules": _modules(),
            "submodules": _submodules(),
            "types": _types(),
        }


def main() -> None:
    """Rewrite the table."""
    text = json.dumps(table(), sort_keys=True, separators=(",", ":"))
    TABLE.write_text(text.replace('],"', '],\n"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
