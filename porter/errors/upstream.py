"""Errors of a release: exit codes 20 to 29. Upstream changed in a way porter cannot handle."""

from __future__ import annotations

import os

from porter.errors.base import PorterError


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
    meaning = "the build does without a patch that the command needs"

    def __init__(self, message: str, *, hint: str | None = None, patch: str = "") -> None:
        super().__init__(message, hint=hint)
        self.patch = patch


class CompilerRefused(UpstreamChange):
    """A compiler or the linker refuses rewritten sources: a rule or hook is missing."""

    exit_code = 25
    meaning = "a compiler refuses what the rules made of a release"
