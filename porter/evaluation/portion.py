"""Portions: cut a stream of programs into groups that are judged together, with their cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np
from attrs import define, field, frozen

from porter.errors import UsageError, WrongType
from porter.evaluation.cases import Cases
from porter.run import Program

Source = str | bytes
HINT = "Give an iterable of sources; or of pairs (source, cases), and no cases beside it."


@frozen(eq=False)
class Portion:
    """Programs that are judged together, and their cases. It can be pickled.

    Attributes:
        first: Index of sources[0] among all programs.
        sources: The programs' sources.
        cases: The cases; shared cases are one object in all portions.
        first_case: Program i has `counts[i]` cases from first_case[i] on (int64).
        counts: The number of cases of each program (int64).
    """

    first: int
    sources: tuple[bytes, ...] = field(repr=False)
    cases: Cases = field(repr=False)
    first_case: np.ndarray[Any, Any] = field(repr=False)
    counts: np.ndarray[Any, Any] = field(repr=False)

    @property
    def rows(self) -> int:
        """Number of calls: a row for each case of each program, in this order."""
        return int(self.counts.sum())


def portions(
    programs: Iterable[Any], cases: Cases | None, *, rows: int, most: int
) -> Iterator[Portion]:
    """Cut `programs` into portions of at most `rows` calls and at most `most` programs.

    The cases of a portion are all calls of a function, or all of programs that run as a whole.

    A portion has at least one program. Programs are read as portions are requested.

    Args:
        programs: Sources; or pairs of a source and its cases, where `cases` is None.
        cases: The shared cases.
        rows: Maximum calls per portion.
        most: Maximum programs per portion.

    Raises:
        WrongType: A program has a wrong type; the message has its index.
        UsageError: A program has no cases; the message has its index.
    """
    one = isinstance(programs, Mapping) or Program.is_one(programs)
    if one or not isinstance(programs, Iterable):
        raise WrongType(f"programs: {type(programs).__name__} is not a list of programs", hint=HINT)
    if cases is not None:
        yield from _of_shared(iter(programs), cases, max(1, min(most, rows // max(1, len(cases)))))
        return
    gathered = _Gathered()
    for i, program in enumerate(programs):
        source, own = _with_cases(program, f"programs[{i}]")
        full = gathered.rows + len(own) > rows or len(gathered.sources) == most
        if gathered.sources and (full or gathered.differs(own)):
            yield gathered.portion()
            gathered = _Gathered(i)
        gathered.add(source, own)
    if gathered.sources:
        yield gathered.portion()


def _of_shared(programs: Iterator[Any], cases: Cases, count: int) -> Iterator[Portion]:
    """Yield portions of `count` programs, with minimal work per program: there may be millions."""
    first = 0
    while given := list(islice(programs, count)):
        if set(map(type, given)) == {str}:
            sources = tuple([source.encode("utf-8", "surrogatepass") for source in given])
        else:
            sources = tuple(_source(one, f"programs[{i}]") for i, one in enumerate(given, first))
        starts = np.zeros(len(sources), np.int64)
        yield Portion(first, sources, cases, starts, np.full(len(sources), len(cases), np.int64))
        first += len(sources)


def _with_cases(program: Any, name: str) -> tuple[bytes, Cases]:
    if not isinstance(program, tuple | list) or len(program) != 2:
        raise UsageError(
            f"{name}: without shared cases each program is a pair (source, cases)", hint=HINT
        )
    return _source(program[0], name), Cases.of(program[1], f"{name}, cases")


def _source(source: Any, name: str) -> bytes:
    if isinstance(source, str):
        return str.encode(source, "utf-8", "surrogatepass")
    if isinstance(source, bytes | bytearray):
        return bytes(source)
    pair = isinstance(source, tuple | list) and len(source) == 2
    raise WrongType(
        f"{name}: {type(source).__name__} is not text",
        hint=HINT if pair else "A program is a str, or bytes of UTF-8.",
    )


@define(eq=False)
class _Gathered:
    """A portion under construction, of programs with their own cases."""

    first: int = 0
    rows: int = 0
    sources: list[bytes] = field(factory=list)
    own: list[Cases] = field(factory=list)

    def differs(self, cases: Cases) -> bool:
        """Return whether `cases` are of another kind: calls, or whole programs."""
        return (cases.texts is None) != (self.own[0].texts is None)

    def add(self, source: bytes, cases: Cases) -> None:
        """Add a program."""
        self.sources.append(source)
        self.rows += len(cases)
        self.own.append(cases)

    def portion(self) -> Portion:
        """Return the portion."""
        counts = np.array([len(cases) for cases in self.own], np.int64)
        starts = np.cumsum(counts) - counts
        return Portion(self.first, tuple(self.sources), Cases.join(self.own), starts, counts)
