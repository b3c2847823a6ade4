"""Where programs spend their time, by line: `porter profile`, and `porter.profile` in Python."""

from __future__ import annotations

from porter.profiling.model import FunctionCounts, LineCounts, Profile, StackCounts
from porter.profiling.running import profile

__all__ = ["FunctionCounts", "LineCounts", "Profile", "StackCounts", "profile"]
