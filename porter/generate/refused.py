"""What the preprocessor says about a file of upstream's, as an error with its place."""

from __future__ import annotations

import re
from pathlib import Path

from porter.errors import PreprocessFailed

_ERROR = re.compile(r"^(/[^\n:]+):(\d+):(?:\d+:)? (?:fatal )?error: (.*)$", re.MULTILINE)


def preprocess_error(output: str, upstream: Path, unit: str = "") -> PreprocessFailed | None:
    """The first error in `cc -E`'s `output`, named as the project names files; None without one.

    `upstream` is the release's folder, `unit` the unit that was read.
    """
    match = _ERROR.search(output)
    if match is None:
        return None
    path, line, text = Path(match[1]), int(match[2]), match[3]
    file = str(path)
    if path.is_relative_to(upstream):
        file = f"upstream/{upstream.name}/{path.relative_to(upstream)}"
    where = f"{file}:{line}: " + (f"{unit}: " if unit else "")
    return PreprocessFailed(
        where + text,
        hint="A header of C's library comes from templates/libc, a port's from templates/port.",
        file=file,
        line=line,
    )
