"""The compile stage: rewritten C++ in, host twin and device build out."""

from porter.compile.stage import compile_build

__all__ = ["compile_build"]
