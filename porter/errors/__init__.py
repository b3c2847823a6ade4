"""All exceptions for porter's users, each class with its own exit code.

`docs/reference/exit-codes.md` is the table of these classes (`python -m porter.errors` prints it).

* 2 to 9: the command line, files and sources
* 10 to 19: a tool is missing or failed on this machine
* 20 to 29: upstream changed in a way that porter cannot handle
* 30 to 39: a build
* 40 to 49, 60: programs and launches
* 50 to 59: a build fails a check
* 61 to 69: a cluster
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from typing import Any, ClassVar


class PorterError(Exception):
    """An error that the user can act on.

    Attributes:
        message: The mistake and its place, as plain text.
        hint: The remedy, as plain text; None without one.
    """

    exit_code: ClassVar[int] = 1
    meaning: ClassVar[str] = "any other error"

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
    meaning = "no origin provides the sources (no network, no archive)"


class CorruptSource(PorterError):
    """The sources differ from the lock, or are no MicroPython tree."""

    exit_code = 5
    meaning = "sources are damaged, incomplete, or differ from the lock"


class FileProblem(PorterError):
    """A file or folder cannot be read or written."""

    exit_code = 6
    meaning = "a file or folder cannot be read or written"


class ToolMissing(PorterError):
    """A program that porter starts is not installed."""

    exit_code = 10
    meaning = "a program that porter needs is not installed"


class NoCompiler(ToolMissing):
    """There is no usable `g++`."""

    exit_code = 11
    meaning = "no usable g++"


class NoNvcc(ToolMissing):
    """There is no usable `nvcc`, on PATH or as a wheel."""

    exit_code = 12
    meaning = "no usable nvcc"


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
    meaning = "a program that porter started exceeded its time limit"


class MissingPackage(PorterError):
    """A Python package of an extra is not installed or cannot be imported."""

    exit_code = 16
    meaning = "a Python package that this command needs is not installed"


class UpstreamChange(PorterError):
    """Upstream changed in a way that porter cannot handle.

    Attributes:
        file: The upstream file; "" if unknown.
        line: The line; 0 if unknown.
    """

    exit_code = 20
    meaning = "upstream has something that porter cannot handle"

    def __init__(
        self, message: str, *, hint: str | None = None, file: str = "", line: int = 0
    ) -> None:
        super().__init__(message, hint=hint)
        self.file = file
        self.line = line


class UnknownConstruct(UpstreamChange):
    """A rule found a construct that it cannot rewrite.

    Attributes:
        file: The upstream file.
        line: The line.
        column: The column.
        rule: The rule's name.
        construct: The construct's text.
        reason: Why the rule cannot rewrite it.
        others: Errors of further units, where all units were read.
    """

    exit_code = 21
    meaning = "a rule met a construct that it cannot rewrite"

    def __init__(
        self,
        file: str | os.PathLike[str],
        line: int,
        column: int,
        rule: str,
        construct: str,
        reason: str = "cannot rewrite this",
        *,
        hint: str | None = None,
    ) -> None:
        shown = construct.strip()
        if len(shown) > 200:
            shown = shown[:200] + " ..."
        message = f"{file}:{line}:{column}: {rule}: {reason}: {shown}"
        super().__init__(message, hint=hint, file=str(file), line=line)
        self.column = column
        self.rule = rule
        self.construct = construct
        self.reason = reason
        self.others: tuple[UnknownConstruct, ...] = ()

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions cross the process pool. The default would pass the message only.
        return (
            type(self),
            (self.file, self.line, self.column, self.rule, self.construct, self.reason),
            {"hint": self.hint},
        )


class PatchDrift(UpstreamChange):
    """A patch's anchor is missing in the release, or occurs twice."""

    exit_code = 22
    meaning = "a patch does not apply to this release"

    def __init__(
        self, message: str, *, hint: str | None = None, patch: str = "", file: str = ""
    ) -> None:
        super().__init__(message, hint=hint, file=file)
        self.patch = patch


class GenerateFailed(UpstreamChange):
    """Upstream's build files or generators do not work as porter expects."""

    exit_code = 23
    meaning = "upstream's generators or build files do not work with our configuration"


class PreprocessFailed(UpstreamChange):
    """A unit cannot be preprocessed or parsed with porter's headers.

    Attributes:
        unit: The unit's name; "" if unknown.
    """

    exit_code = 24
    meaning = "a unit cannot be preprocessed or parsed"

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        file: str = "",
        line: int = 0,
        unit: str = "",
    ) -> None:
        super().__init__(message, hint=hint, file=file, line=line)
        self.unit = unit


class OptionRefused(PreprocessFailed):
    """Upstream refuses the port's configuration by `#error`.

    Attributes:
        options: Macros of the port's mpconfigport.h. Upstream accepts the configuration without any
            one of them.
    """

    exit_code = 26
    meaning = "upstream refuses an option of the port's configuration"

    def __init__(self, message: str, *, hint: str, options: tuple[str, ...]) -> None:
        super().__init__(message, hint=hint)
        self.options = options


class PatchMissing(UpstreamChange):
    """A command needs a patch that its build lacks.

    Attributes:
        patch: The patch's name.
    """

    exit_code = 27
    meaning = "the build lacks a patch that the command needs"

    def __init__(self, message: str, *, hint: str | None = None, patch: str = "") -> None:
        super().__init__(message, hint=hint)
        self.patch = patch


class CompilerRefused(UpstreamChange):
    """A compiler or the linker refuses rewritten sources: a rule or hook is missing."""

    exit_code = 25
    meaning = "a compiler refuses the rewritten sources of a release"


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
    meaning = "the native code of the build fails a check"


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
    meaning = "an interpreter exceeded its limit of steps or time"


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
    meaning = "one of several devices failed while it ran its interpreters"


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
    meaning = "interpreters of an array exceeded a limit of time or steps"


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


class NoCluster(PorterError):
    """No scheduler answers at the address, or it has no workers."""

    exit_code = 61
    meaning = "no Dask scheduler answers, or it has no workers"


class ClusterMismatch(PorterError):
    """Workers have another version of porter or Python, or lack the required GPU."""

    exit_code = 62
    meaning = "workers of a Dask cluster cannot do this work"


class ClusterFailed(PorterError):
    """Work on a cluster failed in all permitted attempts.

    Attributes:
        result: Results so far: Judgements in the order of programs; empty without any.
    """

    exit_code = 63
    meaning = "work on a Dask cluster failed in all attempts"

    def __init__(self, message: str, *, hint: str | None = None, result: Any = ()) -> None:
        super().__init__(message, hint=hint)
        self.result = result


class QueueFull(PorterError):
    """Too many programs wait to be judged; try again later."""

    exit_code = 64
    meaning = "too many programs wait to be judged"


class FallbackUnavailable(PorterError):
    """The machine cannot restrict programs that would run in CPython."""

    exit_code = 65
    meaning = "the machine cannot restrict programs that would run in CPython"


class SmokeFailed(PorterError):
    """The output of a smoke program differs from CPython's."""

    exit_code = 50
    meaning = "a smoke program gave a wrong output"


class ConformanceRegression(PorterError):
    """An upstream test that must pass fails, or a test that must be skipped passes."""

    exit_code = 51
    meaning = "a conformance result differs from the baseline"


class InjectionFailed(PorterError):
    """An interpreter did not survive a failing allocation, its own or a neighbour's."""

    exit_code = 52
    meaning = "a failed allocation had another effect than a MemoryError"


class FuzzFailed(PorterError):
    """The fuzzer found an input that breaks an interpreter."""

    exit_code = 53
    meaning = "the fuzzer found an input that breaks an interpreter"


class BenchFailed(PorterError):
    """A benchmark's program has a wrong output, on the device or in a reference."""

    exit_code = 54
    meaning = "a benchmark's result is wrong"


class TortureFailed(PorterError):
    """The rules refuse a C program, or change its behaviour."""

    exit_code = 55
    meaning = "the rules refuse a C program or change its behaviour"


class CountsMismatch(PorterError):
    """A profiler's counts by instruction do not fit the code of a build."""

    exit_code = 56
    meaning = "a profiler's counts do not fit the build's code"


EXIT_INTERNAL = 70
EXIT_INTERRUPTED = 130


# Old names of classes, until the release that porter/base/deprecated.py names.
_RENAMED = {"SweepFailed": "InjectionFailed"}


def __getattr__(name: str) -> Any:
    """Return the class that has replaced a deprecated name, with a warning."""
    # By name and on demand: porter.base stands above porter.errors.
    deprecated = import_module("porter.base.deprecated")
    return deprecated.renamed_names(__name__, _RENAMED)(name)


def error_classes() -> Iterator[type[PorterError]]:
    """Return all error classes, sorted by exit code."""
    found: list[type[PorterError]] = []
    todo: list[type[PorterError]] = [PorterError]
    while todo:
        cls = todo.pop()
        found.append(cls)
        todo.extend(c for c in cls.__subclasses__() if c.__module__.startswith(__package__))
    return iter(sorted(found, key=lambda cls: cls.exit_code))


def exit_code_table() -> str:
    """Return the table of `docs/reference/exit-codes.md` as Markdown."""
    rows = [(0, "", "success")]
    rows += [(cls.exit_code, f"`{cls.__name__}`", cls.meaning) for cls in error_classes()]
    rows += [
        (EXIT_INTERNAL, "", "a bug in porter; `--debug` shows where"),
        (EXIT_INTERRUPTED, "", "interrupted by Ctrl-C"),
    ]
    lines = ["| code | error | meaning |", "|---|---|---|"]
    lines += [f"| {code} | {name} | {meaning} |" for code, name, meaning in rows]
    return "\n".join(lines) + "\n"


__all__ = [
    "EXIT_INTERNAL",
    "EXIT_INTERRUPTED",
    "ArrayClosed",
    "BenchFailed",
    "BindingError",
    "BuildDamaged",
    "BuildFailed",
    "ClusterFailed",
    "ClusterMismatch",
    "CompilerRefused",
    "ConformanceRegression",
    "CorruptSource",
    "CountsMismatch",
    "DeviceFailed",
    "FallbackUnavailable",
    "FileProblem",
    "FuzzFailed",
    "GenerateFailed",
    "InjectionFailed",
    "InterpreterError",
    "InterpreterTimeout",
    "LaunchFailed",
    "LaunchInterrupted",
    "LimitReached",
    "MissingPackage",
    "NoCluster",
    "NoCompiler",
    "NoGpu",
    "NoNvcc",
    "NotBuilt",
    "NotEnoughMemory",
    "OptionRefused",
    "PatchDrift",
    "PatchMissing",
    "PorterError",
    "PreprocessFailed",
    "ProgramFailed",
    "ProgramSyntaxError",
    "SmokeFailed",
    "SyncFailed",
    "ToolFailed",
    "ToolMissing",
    "ToolTimedOut",
    "TortureFailed",
    "UnknownConstruct",
    "UnknownRelease",
    "UpstreamChange",
    "UsageError",
    "VerifyFailed",
    "WrongType",
    "error_classes",
    "exit_code_table",
]
