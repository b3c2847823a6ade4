"""A short list of programs on many interpreters, compared with what CPython prints."""

from porter.smoke.checks import Check, expected_output, smoke
from porter.smoke.programs import PROGRAMS

__all__ = ["PROGRAMS", "Check", "expected_output", "smoke"]
