"""Errors of programs and launches: exit codes 40 to 49, and 60 to 69."""

from __future__ import annotations

from typing import Any

from porter.errors.base import PorterError


class ProgramSyntaxError(PorterError):
    """The user's Python program does not compile."""

    exit_code = 40
    meaning = "the Python program has a syntax error"


class ProgramFailed(PorterError):
    """At least one interpreter ended with an uncaught exception."""

    exit_code = 41
    meaning = "an interpreter ended with an uncaught exception"


class LimitReached(ProgramFailed):
    """Programs exceeded their limits of steps or time; nothing else failed."""

    exit_code = 49
    meaning = "an interpreter took more steps or time than it may"


class NotEnoughMemory(PorterError, MemoryError):
    """The interpreters do not fit into memory."""

    exit_code = 42
    meaning = "the interpreters do not fit into memory"


class LaunchFailed(PorterError):
    """The GPU or the host twin failed while interpreters ran.

    Attributes:
        result: The Judgements of earlier programs of an evaluation; else None.
    """

    exit_code = 43
    meaning = "the launch failed (a fault, or the arena has moved)"

    def __init__(self, message: str, *, hint: str | None = None, result: Any = None) -> None:
        super().__init__(message, hint=hint)
        self.result = result


class DeviceFailed(LaunchFailed):
    """A device failed while interpreters ran; the other devices finished their part.

    Attributes:
        result: A porter.run.Result of all interpreters, in which those of the failed device did not
            run. In an evaluation: the Judgements of earlier programs.
    """

    exit_code = 60
    meaning = "one of several devices failed with its part of the interpreters"


class InterpreterError(PorterError):
    """Interpreters of an array ended with uncaught exceptions.

    Attributes:
        exceptions: The grouped exceptions (porter.array.Exceptions).
        outcome: The outcome of the launch.
    """

    exit_code = 44
    meaning = "interpreters of an array raised exceptions"

    def __init__(
        self, message: str, *, hint: str | None = None, exceptions: Any = (), outcome: Any = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.exceptions = exceptions
        self.outcome = outcome

    def __reduce__(self) -> tuple[Any, ...]:
        # The outcome is on its device, so pickling keeps the message and hint only.
        return (type(self), (self.message,), {"hint": self.hint})


class InterpreterTimeout(InterpreterError, TimeoutError):
    """Interpreters of an array exceeded a limit of time or steps."""

    exit_code = 45
    meaning = "interpreters of an array ran past a limit of time or steps"


class BindingError(PorterError, ValueError):
    """An array or a value cannot be bound, or not under this name."""

    exit_code = 46
    meaning = "an array or a value cannot be bound to a name"


class WrongType(PorterError, TypeError):
    """An object has a type that interpreters or this argument cannot have."""

    exit_code = 47
    meaning = "an object has a type that interpreters cannot have"


class ArrayClosed(PorterError, ValueError):
    """An array of interpreters is used after it was closed."""

    exit_code = 48
    meaning = "an array of interpreters is closed"


class LaunchInterrupted(KeyboardInterrupt):
    """Ctrl-C came while interpreters ran; they were interrupted and have ended.

    Attributes:
        result: The porter.run.Result of the launch; in an evaluation the Judgements of earlier
            programs.
    """

    def __init__(self, result: Any) -> None:
        super().__init__("interrupted")
        self.result = result
