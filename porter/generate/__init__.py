"""The generate stage: make port sources, headers and the list of units of one build.

Input: a release's sources and a configuration. The preprocess stage reads the output.
"""

from __future__ import annotations

from porter.generate.build_paths import Layout
from porter.generate.generate_stage import generate
from porter.generate.units import SourceUnit, UnitList, read_units

__all__ = ["Layout", "SourceUnit", "UnitList", "generate", "read_units"]
