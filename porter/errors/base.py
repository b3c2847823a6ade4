"""The base class of porter's exceptions, and those of commands, files and releases."""

from __future__ import annotations

from typing import ClassVar


class PorterError(Exception):
    """An error that the user can act on.

    Attributes:
        message: The mistake and its place, as plain text.
        hint: The remedy, as plain text; None without one.
    """

    exit_code: ClassVar[int] = 1
    meaning: ClassVar[str] = "an error of no particular kind"

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        # A program's exception text may contain surrogates, which UTF-8 streams reject.
        return self.message.encode("utf-8", "backslashreplace").decode("utf-8")


class UsageError(PorterError, ValueError):
    """An option, size, path or configuration key is invalid."""

    exit_code = 2
    meaning = "an option, a size or a configuration value is wrong"


class UnknownRelease(PorterError):
    """Neither the lock nor any origin has the release."""

    exit_code = 3
    meaning = "no such release, or it is not synced"


class SyncFailed(PorterError):
    """No origin could provide the sources (no network, no apt, no such package)."""

    exit_code = 4
    meaning = "no origin could give the sources (no network, no archive)"


class CorruptSource(PorterError):
    """The sources differ from the lock, or are no MicroPython tree."""

    exit_code = 5
    meaning = "sources are damaged, incomplete, or not what the lock says"


class FileProblem(PorterError):
    """A file or folder cannot be read or written."""

    exit_code = 6
    meaning = "a file or folder cannot be read or written"
