"""Mutation of size literals: programs in which an integer literal is replaced by a huge number.

Sizes in C come from integers of the program: counts, indexes, offsets, widths. The generator takes
working programs, such as upstream's tests, and replaces one or two of their integer literals by
numbers near the limits of C's integer types. `SizeGenerator` feeds the same campaign as the
generator of calls (programs.py).
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable
from pathlib import Path
from random import Random

from attrs import field, frozen

from porter.base import arguments
from porter.errors import FileProblem, UsageError
from porter_dev.fuzz.calls.programs import CallProgram, Statement

# Products and sums of these numbers wrap around 2**64 in different ways.
VALUES = (
    *((1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 46) - 1, 1 << 46, 1 << 61, 1 << 62),
    *((1 << 63) - 1, 1 << 63, (1 << 64) - 8, (1 << 64) - 1, 1 << 64, -1, -(1 << 31), -(1 << 63)),
)
BOTH = 0.3  # fraction of programs with two replaced literals
LONGEST = 8192  # bytes; longer programs are skipped


@frozen
class _Place:
    """The byte range of an integer literal in its source."""

    start: int
    end: int


@frozen
class _Subject:
    """A program with at least one integer literal, and the ranges of these literals."""

    source: bytes = field(repr=False)
    places: tuple[_Place, ...] = field(repr=False)


class SizeGenerator:
    """A generator of mutated programs. Equal seeds and folders give equal programs.

    Args:
        folders: Folders of programs. A file is skipped if CPython cannot parse it, if it has no
            integer literal, or if it is longer than LONGEST.
        without: A regular expression. Programs with a match are skipped.

    Raises:
        FileProblem: A folder cannot be read.
        UsageError: No program is left, or `without` is not a valid regular expression.
    """

    def __init__(self, folders: Iterable[arguments.StrPath], without: str = "") -> None:
        try:
            unwanted = re.compile(without.encode()) if without else None
        except re.error as error:
            raise UsageError(f"--without: {without!r} is no regular expression: {error}") from None
        self._subjects: list[_Subject] = []
        names = [arguments.path(folder, "--mutate") for folder in folders]
        for folder in names:
            if not folder.is_dir():
                raise FileProblem(f"{folder}: there is no such folder")
            for file in sorted(folder.glob("**/*.py")):
                subject = _subject(file)
                if subject is not None and not (unwanted and unwanted.search(subject.source)):
                    self._subjects.append(subject)
        if not self._subjects:
            raise UsageError(
                f"{', '.join(map(str, names))}: no program with an integer literal",
                hint="Name a folder of upstream's tests, such as upstream/RELEASE/tests/basics.",
            )

    @property
    def places(self) -> int:
        """The number of integer literals in all programs."""
        return sum(len(subject.places) for subject in self._subjects)

    def program(self, seed: str) -> CallProgram:
        """Return the program for a seed."""
        random = Random(seed)
        # Weighted by literals, so that each literal is equally likely.
        subject = random.choices(self._subjects, [len(one.places) for one in self._subjects])[0]
        count = 2 if random.random() < BOTH and len(subject.places) > 1 else 1
        source = subject.source
        for place in sorted(random.sample(subject.places, count), key=lambda one: -one.start):
            value = VALUES[int(random.random() * len(VALUES))]
            source = source[: place.start] + b"(%d)" % value + source[place.end :]
        # Continuation lines of a statement are indented by one space (CallProgram.source).
        text = source.decode("utf-8", "surrogateescape").replace("\n", "\n ")
        return CallProgram((Statement((text,)),), seed, bare=True)


def _subject(file: Path) -> _Subject | None:
    try:
        source = file.read_bytes()
    except OSError as error:
        raise FileProblem(f"{file}: {error.strerror}") from error
    if len(source) > LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None
    lines = [0]
    for line in source.split(b"\n"):
        lines.append(lines[-1] + len(line) + 1)
    places = []
    inside_text = {
        id(node)
        for text in ast.walk(tree)
        if isinstance(text, ast.JoinedStr)
        for node in ast.walk(text)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            assert node.end_lineno is not None and node.end_col_offset is not None
            start = lines[node.lineno - 1] + node.col_offset
            end = lines[node.end_lineno - 1] + node.end_col_offset
            # Positions can be wrong if the source has carriage returns or form feeds.
            if id(node) not in inside_text and source[start:end].strip().isalnum():
                places.append(_Place(start, end))
    return _Subject(source, tuple(places)) if places else None
