"""The compilers and disassemblers of this machine, and what sanitized builds need around them."""

from porter.toolchain.compilers import Tool, compiler_cache, cuda_tool, gxx, nvcc, programs

__all__ = ["Tool", "compiler_cache", "cuda_tool", "gxx", "nvcc", "programs"]
