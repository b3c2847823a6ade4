"""Public names of CPython's modules, and the subset that the library lacks."""

from __future__ import annotations

import tomllib
import types
from importlib import import_module
from pathlib import Path

MISSING = Path(__file__).parent / "missing_names.toml"


def listed() -> dict[str, list[str]]:
    """Return the missing names of each module of the library, from `missing_names.toml`."""
    return {name: entry["missing"] for name, entry in tomllib.loads(MISSING.read_text()).items()}


def public_names(module: str) -> list[str]:
    """Return `__all__` of CPython's module, or else its names without those it imports."""
    found = import_module(module)
    if hasattr(found, "__all__"):
        return sorted(found.__all__)
    return sorted(
        name
        for name, value in vars(found).items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType)
    )


def program(modules: list[str]) -> str:
    """Return a program that prints a line `module name` for each public name it lacks."""
    lines = []
    for module in modules:
        lines.append(f"import {module} as found")
        lines.append(f"for name in {public_names(module)!r}:")
        lines.append(f"    if not hasattr(found, name): print({module!r}, name)")
    return "\n".join(lines) + "\n"
