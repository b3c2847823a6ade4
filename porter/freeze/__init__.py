"""The freeze stage: Python modules to bytecode that is a part of the build.

Upstream's mechanism: a unit with the code, constants and names of all modules, which py/frozenmod.c
finds by their names. The stage runs after preprocessing, because it compiles the modules with the
build's own compiler (compiler.py); the rewrite stage reads the unit.
"""

from __future__ import annotations

from porter.freeze.stage import Frozen, freeze

__all__ = ["Frozen", "freeze"]
