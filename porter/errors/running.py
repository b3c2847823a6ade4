"""Errors of programs and launches: exit codes 40 to 49, and 60 to 69."""

from __future__ import annotations

from typing import Any

from porter.errors.base import PorterError


class ProgramSyntaxError(PorterError):
    """The user's Python program does not compile."""

    exit_code = 40
    meaning = "the Python program has a syntax error"


class ProgramFailed(PorterError):
    """At least one interpreter ended with an exception that nothing caught."""

    exit_code = 41
    meaning = "an interpreter ended with an uncaught exception"


class LimitReached(ProgramFailed):
    """Programs took more steps or time than each of them may; nothing else failed."""

    exit_code = 49
    meaning = "an interpreter took more steps or time than it may"


class NotEnoughMemory(PorterError, MemoryError):
    """More interpreters, or larger ones, than the memory holds."""

    exit_code = 42
    meaning = "the interpreters do not fit into memory"


class LaunchFailed(PorterError):
    """The GPU or the host twin failed while interpreters ran.

    result: of an evaluation the Judgements of the programs before; else None.
    """

    exit_code = 43
    meaning = "the launch failed (a fault, or the arena has moved)"

    def __init__(self, message: str, *, hint: str | None = None, result: Any = None) -> None:
        super().__init__(message, hint=hint)
        self.result = result


class DeviceFailed(LaunchFailed):
    """One of several devices failed while interpreters ran; the others went on to the end.

    result: what they left, a porter.run.Result of all interpreters, in which those of the failed
    device have not run; of an evaluation the Judgements of the programs before.
    """

    exit_code = 60
    meaning = "one of several devices failed with its part of the interpreters"


class InterpreterError(PorterError):
    """Interpreters of an array ended with exceptions that nothing caught.

    `exceptions` are the groups (porter.array.Exceptions), `outcome` all that the launch left.
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
        # What the launch left is on its device. A process pool sends the message alone.
        return (type(self), (self.message,), {"hint": self.hint})


class InterpreterTimeout(InterpreterError, TimeoutError):
    """Interpreters of an array ran past a time limit or took more steps than they may."""

    exit_code = 45
    meaning = "interpreters of an array ran past a limit of time or steps"


class BindingError(PorterError, ValueError):
    """An array or a value that interpreters cannot have, or not under that name."""

    exit_code = 46
    meaning = "an array or a value cannot be bound to a name"


class WrongType(PorterError, TypeError):
    """An object of a type that interpreters cannot have, or where another one belongs."""

    exit_code = 47
    meaning = "an object has a type that interpreters cannot have"


class ArrayClosed(PorterError, ValueError):
    """An array of interpreters is used after it was closed."""

    exit_code = 48
    meaning = "an array of interpreters is closed"


class LaunchInterrupted(KeyboardInterrupt):
    """Ctrl-C came while interpreters ran: they have been interrupted, and have ended.

    result: what they left, a porter.run.Result; of an evaluation the Judgements of the programs
    before.
    """

    def __init__(self, result: Any) -> None:
        super().__init__("interrupted")
        self.result = result
