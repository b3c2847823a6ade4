"""Benchmarks: time a suite of programs on many interpreters and on reference implementations."""
