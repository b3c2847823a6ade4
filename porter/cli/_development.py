"""Load the development tools of `porter_dev`, which exist in a checkout only.

The wheel does not contain `porter_dev`. This module is the only place of porter that loads it, by
name and on demand; an import contract (pyproject.toml) forbids every import statement.
"""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

from porter.base import paths
from porter.errors import MissingPackage

PACKAGE = "porter_dev"
# Modules of porter_dev/cli/, under their heading in `porter --help`.
HEADING = "Development tools (in a checkout)"
COMMANDS = ("bench", "sweep", "fuzz", "torture")


def available() -> bool:
    """Return whether porter runs from a checkout whose `porter_dev` can be imported."""
    root = paths.checkout()
    spec = importlib.util.find_spec(PACKAGE)
    if root is None or spec is None or spec.origin is None:
        return False
    # A `porter_dev` of another checkout may fit another version of porter.
    return Path(spec.origin).resolve().parents[1] == root


def load(module: str, use: str) -> Any:
    """Return a module of `porter_dev`.

    Args:
        module: Name below `porter_dev`, such as `cli.bench`.
        use: Command line that needs it, such as `porter bench`, for the error's message.

    Raises:
        MissingPackage: Porter is installed from a wheel.
    """
    if not available():
        raise MissingPackage(
            f"`{use}` belongs to the development package {PACKAGE}, which this installation lacks",
            hint=f"Run `{use.replace('porter', 'python3 bootstrap.py', 1)}` in a checkout of "
            "porter's repository; wheels do not contain the package.",
        )
    return importlib.import_module(f"{PACKAGE}.{module}")
