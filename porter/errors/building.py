"""Errors of a build: exit codes 30 to 39."""

from __future__ import annotations

from porter.errors.base import PorterError


class BuildFailed(PorterError):
    """A compiler refused the rewritten sources, or the link failed."""

    exit_code = 30
    meaning = "compiling or linking the rewritten sources failed"


class NotBuilt(PorterError):
    """A command needs a build that is not there."""

    exit_code = 31
    meaning = "there is no such build"


class BuildDamaged(NotBuilt):
    """A file of a finished build is not as the build left it: truncated, changed or missing."""

    exit_code = 33
    meaning = "a file of the build is damaged or was changed"


class VerifyFailed(PorterError):
    """The machine code does not hold what the collector relies on."""

    exit_code = 32
    meaning = "the built machine code fails a check"
