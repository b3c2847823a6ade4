"""Run the C preprocessor with its options; report its errors about upstream's files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from porter.errors import PreprocessFailed
from porter.generate.build_paths import Layout

CC = "cc"

# Macros by which C code detects an operating system; an interpreter has none.
_HOST_NAMES = (
    "linux", "__linux", "__linux__", "__gnu_linux__",
    "unix", "__unix", "__unix__", "__ELF__",
)  # fmt: skip


def preprocessor_flags(layout: Layout, defines: Sequence[str]) -> list[str]:
    """Return the options of `cc -E`: the port's headers first, then upstream's, no host headers.

    Args:
        layout: The folders of the build.
        defines: -D options from upstream's makefiles.
    """
    flags = ["-std=gnu99", "-nostdinc", "-ffreestanding", "-DPORTER", "-DNDEBUG"]
    flags += [f"-U{name}" for name in _HOST_NAMES]
    flags += defines
    for folder in (layout.port, layout.libc, layout.build, layout.patched, layout.upstream):
        flags += ["-I", str(folder)]
    return [*flags, "-include", "porter_names.h"]


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
