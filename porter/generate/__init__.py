"""Generate: from a release and a configuration to port sources, headers and a list of units."""

from __future__ import annotations

from porter.generate.layout import Layout
from porter.generate.stage import generate
from porter.generate.units import SourceUnit, UnitList, read_units

__all__ = ["Layout", "SourceUnit", "UnitList", "generate", "read_units"]
