"""Smoke test: run a few programs on many interpreters and compare the output with CPython's."""

from porter.smoke.checks import Check, expected_output, smoke
from porter.smoke.programs import PROGRAMS

__all__ = ["PROGRAMS", "Check", "expected_output", "smoke"]
