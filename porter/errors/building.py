"""Errors of a build: exit codes 30 to 39."""

from __future__ import annotations

from porter.errors.base import PorterError


class BuildFailed(PorterError):
    """A compiler refused the rewritten sources, or linking failed."""

    exit_code = 30
    meaning = "compiling or linking the rewritten sources failed"


class NotBuilt(PorterError):
    """A command needs a build that does not exist."""

    exit_code = 31
    meaning = "there is no such build"


class BuildDamaged(NotBuilt):
    """A file of a finished build is truncated, changed or missing."""

    exit_code = 33
    meaning = "a file of the build is damaged or was changed"


class VerifyFailed(PorterError):
    """The native code violates an assumption of the garbage collector."""

    exit_code = 32
    meaning = "the built machine code fails a check"
