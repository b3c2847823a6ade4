"""Line profiler: `porter profile`, and `porter.profile` in Python."""

from __future__ import annotations

from porter.profiling.model import FunctionCounts, LineCounts, StackCounts
from porter.profiling.running import profile
from porter.profiling.showing import Profile

__all__ = ["FunctionCounts", "LineCounts", "Profile", "StackCounts", "profile"]
