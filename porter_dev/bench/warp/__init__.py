"""Simulate a warp on the CPU from recorded traces, to find divergence without a GPU."""
