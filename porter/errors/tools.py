"""Errors of this machine: exit codes 10 to 19. A tool is missing or failed."""

from __future__ import annotations

from porter.errors.base import PorterError


class ToolMissing(PorterError):
    """A program that porter starts is not installed."""

    exit_code = 10
    meaning = "a program that porter needs is not installed"


class NoCompiler(ToolMissing):
    """There is no usable `g++`."""

    exit_code = 11
    meaning = "no g++"


class NoNvcc(ToolMissing):
    """There is no usable `nvcc`, on PATH or as a wheel."""

    exit_code = 12
    meaning = "no nvcc"


class NoGpu(PorterError):
    """There is no GPU, no driver, or no CuPy to access them."""

    exit_code = 13
    meaning = "no GPU, no driver, or no CuPy"


class ToolFailed(PorterError):
    """A subprocess ended with an error.

    Attributes:
        argv: Its command.
        output: The tail of its output.
        returncode: Its exit status (negative: a signal).
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
    """A Python package of an extra is not installed or cannot be imported."""

    exit_code = 16
    meaning = "a Python package that this command needs is not installed"
