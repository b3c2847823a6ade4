"""Line profiler: `porter profile`, and `porter.profile` in Python."""

from __future__ import annotations

from porter.profiling.counts import FunctionCounts, LineCounts, StackCounts
from porter.profiling.line_profile import Profile
from porter.profiling.profiler import profile

__all__ = ["FunctionCounts", "LineCounts", "Profile", "StackCounts", "profile"]
