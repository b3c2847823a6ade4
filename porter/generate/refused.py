"""Turn the preprocessor's error about a file of upstream into an error with file and line."""

from __future__ import annotations

import re
from pathlib import Path

from attrs import frozen

from porter.errors import PreprocessFailed

_ERROR = re.compile(r"^(/[^\n:]+):(\d+):(?:\d+:)? (?:fatal )?error: (.*)$", re.MULTILINE)


@frozen
class Complaint:
    """The first error in a compiler's output."""

    file: Path
    line: int
    text: str


def complaint(output: str) -> Complaint | None:
    """Return the first error in the output of `cc`; None if there is none."""
    match = _ERROR.search(output)
    return None if match is None else Complaint(Path(match[1]), int(match[2]), match[3])


def preprocess_error(output: str, upstream: Path, unit: str = "") -> PreprocessFailed | None:
    """Return the first error in the output of `cc -E`; None if there is none.

    Args:
        output: The compiler's output.
        upstream: The release's folder; files below it get the project's name for them.
        unit: The unit that was preprocessed.
    """
    said = complaint(output)
    if said is None:
        return None
    file = str(said.file)
    if said.file.is_relative_to(upstream):
        file = f"upstream/{upstream.name}/{said.file.relative_to(upstream)}"
    where = f"{file}:{said.line}: " + (f"{unit}: " if unit else "")
    hint = "A header of C's library comes from templates/libc, a port's from templates/port."
    return PreprocessFailed(
        where + said.text,
        hint="" if said.text.startswith("#error") else hint,
        file=file,
        line=said.line,
    )
