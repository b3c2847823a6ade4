"""Every error that a user of porter can meet, each kind with its own exit code.

`docs/exit-codes.md` is the table of these classes (`python -m porter.errors` prints it).
Codes 20 to 29 mean that upstream changed in a way porter cannot handle, 10 to 19 that this
machine lacks or broke a tool, 50 to 59 that what was built does not do what it must.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

EXIT_INTERNAL = 70
EXIT_INTERRUPTED = 130


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
        return self.message


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


class UpstreamChange(PorterError):
    """Upstream changed in a way that porter cannot handle.

    `file` and `line` are upstream's where they are known, else "" and 0.
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
    """A construct that a rule meets and cannot rewrite.

    `file`, `line` and `column` are upstream's, `rule` the rule's name, `construct` the text.
    `others` are the same of further units, where all were looked at.
    """

    exit_code = 21
    meaning = "a rule met a construct that it cannot rewrite"

    def __init__(
        self,
        file: str | Path,
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
        # Exceptions cross the process pool; the default would pass the message alone.
        return (
            type(self),
            (self.file, self.line, self.column, self.rule, self.construct, self.reason),
            {"hint": self.hint},
        )


class PatchDrift(UpstreamChange):
    """A patch whose anchor is not in the release any more, or is there twice."""

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
    """A unit cannot be preprocessed or parsed with our headers."""

    exit_code = 24
    meaning = "a unit cannot be preprocessed or parsed"


class OptionRefused(PreprocessFailed):
    """Upstream refuses the port's configuration by `#error`.

    `options` are the macros of the port's mpconfigport.h without each of which it does not.
    """

    exit_code = 26
    meaning = "upstream refuses an option of the port's configuration"

    def __init__(self, message: str, *, hint: str, options: tuple[str, ...]) -> None:
        super().__init__(message, hint=hint)
        self.options = options


class CompilerRefused(UpstreamChange):
    """A compiler or the linker refuses what the rules made of a release: a rule or hook lacks."""

    exit_code = 25
    meaning = "a compiler refuses what the rules made of a release"


class BuildFailed(PorterError):
    """A compiler refused the rewritten sources, or the link failed."""

    exit_code = 30
    meaning = "compiling or linking the rewritten sources failed"


class NotBuilt(PorterError):
    """A command needs a build that is not there."""

    exit_code = 31
    meaning = "there is no such build"


class VerifyFailed(PorterError):
    """The machine code does not hold what the collector relies on."""

    exit_code = 32
    meaning = "the built machine code fails a check"


class ProgramSyntaxError(PorterError):
    """The user's Python program does not compile."""

    exit_code = 40
    meaning = "the Python program has a syntax error"


class ProgramFailed(PorterError):
    """At least one interpreter ended with an exception that nothing caught."""

    exit_code = 41
    meaning = "an interpreter ended with an uncaught exception"


class NotEnoughMemory(PorterError, MemoryError):
    """More interpreters, or larger ones, than the memory holds."""

    exit_code = 42
    meaning = "the interpreters do not fit into memory"


class LaunchFailed(PorterError):
    """The GPU or the host twin failed while interpreters ran."""

    exit_code = 43
    meaning = "the launch failed (a fault, or the arena has moved)"


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


class InterpreterTimeout(InterpreterError, TimeoutError):
    """Interpreters of an array ran past their time limit and were interrupted."""

    exit_code = 45
    meaning = "interpreters of an array ran past their time limit"


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


class SmokeFailed(PorterError):
    """A smoke program gave an output that is not CPython's."""

    exit_code = 50
    meaning = "a smoke program gave a wrong output"


class ConformanceRegression(PorterError):
    """An upstream test that must pass fails, or one that must be skipped passes."""

    exit_code = 51
    meaning = "conformance is not what the baseline says"


class SweepFailed(PorterError):
    """An interpreter did not survive a failing allocation, or a neighbour's."""

    exit_code = 52
    meaning = "a failing allocation did more than raise MemoryError"


class FuzzFailed(PorterError):
    """The fuzzer found an input that an interpreter does not survive."""

    exit_code = 53
    meaning = "the fuzzer found an input that breaks an interpreter"


class BenchFailed(PorterError):
    """A benchmark's program gave a wrong output, on the device or in a reference."""

    exit_code = 54
    meaning = "a benchmark's result is wrong"


class TortureFailed(PorterError):
    """A C program does not do the same once the rules have rewritten it."""

    exit_code = 55
    meaning = "a C program is refused, or does something else, once rewritten"


class LaunchInterrupted(KeyboardInterrupt):
    """Ctrl-C came while interpreters ran: they have been interrupted, and have ended.

    result: what they left, a porter.run.Result.
    """

    def __init__(self, result: Any) -> None:
        super().__init__("interrupted")
        self.result = result


def error_classes() -> Iterator[type[PorterError]]:
    """Every error class, by exit code."""
    found: list[type[PorterError]] = []
    todo: list[type[PorterError]] = [PorterError]
    while todo:
        cls = todo.pop()
        found.append(cls)
        todo.extend(c for c in cls.__subclasses__() if c.__module__ == __name__)
    return iter(sorted(found, key=lambda cls: cls.exit_code))


def exit_code_table() -> str:
    """The table of `docs/exit-codes.md`, as Markdown."""
    rows = [(0, "", "all went well")]
    rows += [(cls.exit_code, f"`{cls.__name__}`", cls.meaning) for cls in error_classes()]
    rows += [
        (EXIT_INTERNAL, "", "a bug in porter; `--debug` shows where"),
        (EXIT_INTERRUPTED, "", "interrupted by Ctrl-C"),
    ]
    lines = ["| code | error | meaning |", "|---|---|---|"]
    lines += [f"| {code} | {name} | {meaning} |" for code, name, meaning in rows]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    # Under `-m` this module is `__main__`; the classes to list are the imported ones.
    from porter.errors import exit_code_table as table

    print(table(), end="")
