"""Portions: cut a stream of programs into groups that are judged together, with their cases."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from operator import length_hint
from typing import Any

import numpy as np
from attrs import define, field, frozen

from porter.errors import UsageError, WrongType
from porter.evaluation.cases import Cases
from porter.run import Program

Source = str | bytes
READING = 0.5  # seconds in which a portion is read from a source of unknown length
MOST_COUNTED = 1 << 20  # programs with their own cases of a sequence, whose cases are counted
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

    def part(self, start: int, rows: int) -> Portion:
        """Return the programs from `start` on: at least one, at most `rows` calls."""
        ends = np.cumsum(self.counts[start:])
        stop = start + max(1, int(np.searchsorted(ends, rows, side="right")))
        return Portion(
            self.first + start,
            self.sources[start:stop],
            self.cases,
            self.first_case[start:stop],
            self.counts[start:stop],
        )

    def parts(self, rows: int) -> list[Portion]:
        """Divide the portion into portions of at most `rows` calls; [self] if it has no more."""
        if self.rows <= rows:
            return [self]
        found: list[Portion] = []
        start = 0
        while start < len(self.sources):
            found.append(self.part(start, rows))
            start += len(found[-1].sources)
        return found


def portions(
    programs: Iterable[Any], cases: Cases | None, *, rows: int, most: int
) -> Iterator[Portion]:
    """Cut `programs` into portions of at most `rows` calls. Arguments and errors as of `Cutter`."""
    cutter = Cutter(programs, cases, most=most)
    while (portion := cutter.next(rows)) is not None:
        yield portion


class Cutter:
    """A stream of programs, from which the caller cuts one portion after another.

    The cases of a portion are all calls of a function, or all of programs that run as a whole.

    A portion has at least one program. Programs are read as portions are requested. An error of a
    program, or of their source, is raised by the call of `next` behind the portion before it.

    Attributes:
        first: Index of the first program that is not in a portion yet.
        cut: Number of calls in all portions.

    Args:
        programs: Sources; or pairs of a source and its cases, where `cases` is None.
        cases: The shared cases.
        most: Maximum programs per portion.
        seconds: A portion is cut when reading it has taken this time, because a source of programs
            may be slow.

    Raises:
        WrongType: A program has a wrong type; the message has its index. `next` raises it too.
        UsageError: A program has no cases; the message has its index. `next` raises it too.
    """

    def __init__(
        self,
        programs: Iterable[Any],
        cases: Cases | None,
        *,
        most: int,
        seconds: float = math.inf,
    ) -> None:
        one = isinstance(programs, Mapping) or Program.is_one(programs)
        if one or not isinstance(programs, Iterable):
            raise WrongType(
                f"programs: {type(programs).__name__} is not a list of programs", hint=HINT
            )
        self._programs_expected = length_hint(programs)
        self._expected = self._programs_expected * (0 if cases is None else len(cases))
        if cases is None and isinstance(programs, list | tuple) and len(programs) <= MOST_COUNTED:
            self._expected = sum(map(_own_rows, programs))
        self._programs = _ReadAhead(iter(programs))
        self._cases = cases
        self._most = most
        self._seconds = seconds
        self._failure: Exception | None = None
        self._ahead: tuple[bytes, Cases] | None = None  # read, but in no portion yet
        self.first = 0
        self.cut = 0

    @property
    def left(self) -> int | None:
        """Calls that are in no portion yet; None where their number is not known.

        It is known for a sequence of programs, and once `ahead` has found the end.
        """
        if self._programs.ended:
            return self._read_rows
        return max(0, self._expected - self.cut) if self._expected else None

    @property
    def programs_left(self) -> int | None:
        """Programs that are in no portion yet; None where their number is not known."""
        expected = self._programs_expected
        return max(0, expected - self.first) if expected else None

    @property
    def _read_rows(self) -> int:
        """Calls of programs that were read ahead."""
        return self._programs.rows + (len(self._ahead[1]) if self._ahead else 0)

    def ahead(self, rows: int, seconds: float) -> int:
        """Read programs ahead until they have `rows` calls; return the number of read calls.

        Args:
            rows: The calls.
            seconds: Reading ends after this time, because a source of programs may be slow.
        """
        cases = self._cases
        more = rows - self._read_rows + self._programs.rows
        self._programs.ahead(more, seconds, _own_rows if cases is None else lambda _: len(cases))
        return self._read_rows

    def next(self, rows: int) -> Portion | None:
        """Cut the next portion, of at most `rows` calls; return None after the last program."""
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        if self.left is None:
            each = 1 if self._cases is None else max(1, len(self._cases))
            wanted = min(rows, self._most * each)
            rows = max(1, min(rows, self.ahead(wanted, self._seconds)))
        cut = self._own(rows) if self._cases is None else self._shared(rows, self._cases)
        if cut is not None:
            self.first += len(cut.sources)
            self.cut += cut.rows
        return cut

    def _shared(self, rows: int, cases: Cases) -> Portion | None:
        """Cut with minimal work per program, because there may be millions."""
        count = max(1, min(self._most, rows // max(1, len(cases))))
        given = list(islice(self._programs, count))
        if not given:
            return None
        if set(map(type, given)) == {str}:
            sources = tuple([source.encode("utf-8", "surrogatepass") for source in given])
        else:
            sources = self._checked(given)
        starts = np.zeros(len(sources), np.int64)
        counts = np.full(len(sources), len(cases), np.int64)
        return Portion(self.first, sources, cases, starts, counts)

    def _checked(self, given: list[Any]) -> tuple[bytes, ...]:
        """Return the encoded sources up to the first of a wrong type, which `next` reports later.

        Raises:
            WrongType: The first source has a wrong type.
        """
        found: list[bytes] = []
        try:
            for index, one in enumerate(given, self.first):
                found.append(_source(one, f"programs[{index}]"))
        except WrongType as error:
            if not found:
                raise
            self._failure = error
        return tuple(found)

    def _own(self, rows: int) -> Portion | None:
        gathered = _Gathered(self.first)
        while len(gathered.sources) < self._most:
            try:
                following = self._ahead or self._read(self.first + len(gathered.sources))
            except Exception as error:
                if not gathered.sources:
                    raise
                self._failure = error
                break
            if following is None:
                break
            self._ahead = following
            own = following[1]
            full = gathered.rows + len(own) > rows
            if gathered.sources and (full or gathered.differs(own)):
                break
            gathered.add(*following)
            self._ahead = None
        return gathered.portion() if gathered.sources else None

    def _read(self, index: int) -> tuple[bytes, Cases] | None:
        for program in self._programs:
            return _with_cases(program, f"programs[{index}]")
        return None


class _ReadAhead:
    """An iterator over programs that can be read ahead.

    A program is checked when it is cut. An error of the iterator is raised behind the programs
    that were read before it, so reading ahead loses none of them.

    Attributes:
        rows: Calls of the programs that were read ahead.
        ended: Whether the last program was read.

    Args:
        programs: The iterator.
    """

    def __init__(self, programs: Iterator[Any]) -> None:
        self._programs = programs
        self._read: deque[tuple[Any, int]] = deque()
        self._failure: Exception | None = None
        self.rows = 0
        self.ended = False

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._read:
            program, rows = self._read.popleft()
            self.rows -= rows
            return program
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        return next(self._programs)

    def ahead(self, rows: int, seconds: float, count: Callable[[Any], int]) -> None:
        """Read programs ahead; arguments as of `Cutter.ahead`. `count`: returns their calls."""
        stop = time.monotonic() + seconds
        while self.rows < rows and not self.ended and self._failure is None:
            try:
                program = next(self._programs)
                calls = count(program)
            except StopIteration:
                self.ended = True
                return
            except Exception as error:
                self._failure = error
                return
            self._read.append((program, calls))
            self.rows += calls
            if time.monotonic() >= stop:
                return


def _own_rows(program: Any) -> int:
    """Return the number of cases of a program that was not checked yet; 1 if it is not known."""
    try:
        return max(1, length_hint(program[1], 1))
    except Exception:  # also one of the object's own __len__; `_with_cases` reports it
        return 1


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
