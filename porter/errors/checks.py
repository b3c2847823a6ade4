"""Errors of checks: exit codes 50 to 59. A build does not behave as required."""

from __future__ import annotations

from porter.errors.base import PorterError


class SmokeFailed(PorterError):
    """The output of a smoke program differs from CPython's."""

    exit_code = 50
    meaning = "a smoke program gave a wrong output"


class ConformanceRegression(PorterError):
    """An upstream test that must pass fails, or a test that must be skipped passes."""

    exit_code = 51
    meaning = "conformance is not what the baseline says"


class SweepFailed(PorterError):
    """An interpreter did not survive a failing allocation, its own or a neighbour's."""

    exit_code = 52
    meaning = "a failing allocation did more than raise MemoryError"


class FuzzFailed(PorterError):
    """The fuzzer found an input that breaks an interpreter."""

    exit_code = 53
    meaning = "the fuzzer found an input that breaks an interpreter"


class BenchFailed(PorterError):
    """A benchmark's program has a wrong output, on the device or in a reference."""

    exit_code = 54
    meaning = "a benchmark's result is wrong"


class TortureFailed(PorterError):
    """The rules refuse a C program, or change its behaviour."""

    exit_code = 55
    meaning = "a C program is refused, or does something else, once rewritten"
