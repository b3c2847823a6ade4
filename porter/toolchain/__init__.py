"""The compilers and disassemblers of this machine, and what sanitized builds need around them."""

from porter.toolchain.compilers import Tool, cuda_tool, gxx, nvcc, programs

__all__ = ["Tool", "cuda_tool", "gxx", "nvcc", "programs"]
