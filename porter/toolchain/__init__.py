"""The compilers and disassemblers of this machine, and the environment of sanitized builds."""

from porter.toolchain.compilers import Tool, compiler_cache, cuda_tool, gxx, nvcc, programs

__all__ = ["Tool", "compiler_cache", "cuda_tool", "gxx", "nvcc", "programs"]
