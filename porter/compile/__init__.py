"""The compile stage: compile the rewriter's C++ to the host twin and the device build."""

from porter.compile.compile_stage import compile_build

__all__ = ["compile_build"]
