"""Errors of this machine: exit codes 10 to 19. It lacks a tool, or a tool failed."""

from __future__ import annotations

from porter.errors.base import PorterError


class ToolMissing(PorterError):
    """A program that porter starts is not on this machine."""

    exit_code = 10
    meaning = "a program that porter needs is not installed"


class NoCompiler(ToolMissing):
    """No usable `g++`."""

    exit_code = 11
    meaning = "no g++"


class NoNvcc(ToolMissing):
    """No usable `nvcc`, on PATH or as a wheel."""

    exit_code = 12
    meaning = "no nvcc"


class NoGpu(PorterError):
    """No GPU, no driver, or no CuPy to reach them through."""

    exit_code = 13
    meaning = "no GPU, no driver, or no CuPy"


class ToolFailed(PorterError):
    """A subprocess ended with an error.

    `argv` is its command, `output` the tail of what it printed, `returncode` its status
    (negative: a signal).
    """

    exit_code = 14
    meaning = "a program that porter started failed"

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        argv: tuple[str, ...] = (),
        output: str = "",
        returncode: int | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.argv = argv
        self.output = output
        self.returncode = returncode


class ToolTimedOut(ToolFailed):
    """A subprocess ran past its time limit and was stopped."""

    exit_code = 15
    meaning = "a program that porter started ran past its time limit"


class MissingPackage(PorterError):
    """A Python package of an extra is not installed or does not load."""

    exit_code = 16
    meaning = "a Python package that this command needs is not installed"
