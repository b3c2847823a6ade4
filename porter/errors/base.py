"""What every error has, and the errors of commands, files and releases."""

from __future__ import annotations

from typing import ClassVar


class PorterError(Exception):
    """A mistake or a lack that the user can act on.

    `message` says what is wrong and where, `hint` what to do; both are plain text.
    """

    exit_code: ClassVar[int] = 1
    meaning: ClassVar[str] = "an error of no particular kind"

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        # The text of a program's exception may hold surrogates, which no stream in UTF-8 takes.
        return self.message.encode("utf-8", "backslashreplace").decode("utf-8")


class UsageError(PorterError, ValueError):
    """An option, size, path or configuration key that makes no sense."""

    exit_code = 2
    meaning = "an option, a size or a configuration value is wrong"


class UnknownRelease(PorterError):
    """A release that neither the lock nor any origin knows."""

    exit_code = 3
    meaning = "no such release, or it is not synced"


class SyncFailed(PorterError):
    """No origin could give the sources (no network, no apt, no such package)."""

    exit_code = 4
    meaning = "no origin could give the sources (no network, no archive)"


class CorruptSource(PorterError):
    """Sources that are not what the lock says, or not a MicroPython tree."""

    exit_code = 5
    meaning = "sources are damaged, incomplete, or not what the lock says"


class FileProblem(PorterError):
    """A file or folder that cannot be read or written."""

    exit_code = 6
    meaning = "a file or folder cannot be read or written"
