"""The programs of a launch, deduplicated, and the assignment of interpreters to programs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from attrs import field, frozen

from porter.base.sizes import MIB, format_size
from porter.errors import NotEnoughMemory, UsageError
from porter.run.device.base import Device
from porter.run.footprint import MemoryBudget
from porter.run.launch.options import Phase, Program, ProgramColumns
from porter.run.launch.validators import per_interpreter

SMALL = MIB  # bytes; the memory estimate for interpreters is no more exact than this


@frozen(eq=False, slots=False)
class Programs:
    """The programs that `n` interpreters run.

    Attributes:
        n: Number of interpreters.
        each: The programs, all distinct.
        which: The program of each interpreter, or `rests` (n uint32); None: all run the first.
        rests: Marks an interpreter without a program.
    """

    n: int
    each: Sequence[Program]
    which: np.ndarray[Any, Any] | None = field(repr=False)
    rests: int

    def chosen(self, indices: Sequence[int]) -> Sequence[Program]:
        """Select programs."""
        if isinstance(self.each, ProgramColumns):
            return self.each.chosen(indices)
        return [self.each[i] for i in indices]

    @cached_property
    def running(self) -> np.ndarray[Any, Any]:
        """Indices of the interpreters that have a program."""
        if self.which is None:
            return np.arange(self.n, dtype=np.uint32)
        return np.flatnonzero(self.which != self.rests).astype(np.uint32)

    @cached_property
    def counts(self) -> np.ndarray[Any, Any]:
        """Number of interpreters per program."""
        if self.which is None:
            return np.array([self.n])
        which = self.which if len(self.running) == self.n else self.which[self.running]
        return np.bincount(which, minlength=len(self.each))

    @cached_property
    def several(self) -> bool:
        """Whether interpreters run different programs."""
        return int((self.counts > 0).sum()) > 1

    @cached_property
    def sources(self) -> Sequence[bytes]:
        """The programs' sources."""
        if isinstance(self.each, ProgramColumns):
            return self.each.sources
        return [program.source for program in self.each]

    @cached_property
    def codes(self) -> Sequence[bytes] | None:
        """The shared code of each program, b"" for a program without; None: no program has any."""
        if isinstance(self.each, ProgramColumns):
            return self.each.codes
        codes = [program.code for program in self.each]
        return codes if any(codes) else None

    @cached_property
    def texts(self) -> Sequence[bytes]:
        """The programs' texts: shared code, or the source of a program without it."""
        codes = self.codes
        if codes is None:
            return self.sources
        return [code or source for code, source in zip(codes, self.sources, strict=True)]

    @cached_property
    def keys(self) -> Sequence[Hashable]:
        """A key of each program, by which templates are cached.

        A source alone is no key where others have shared code: a program could contain the bytes of
        another one's code.
        """
        if not isinstance(self.each, ProgramColumns):
            return self.each
        codes = self.codes
        if codes is None:
            return self.sources
        return [code or (source,) for code, source in zip(codes, self.sources, strict=True)]

    @cached_property
    def kind(self) -> Hashable:
        """Return what distinguishes the keys from those of other launches."""
        if not isinstance(self.each, ProgramColumns):
            return "programs"
        return ("sources" if self.codes is None else "codes", self.each.name)

    @cached_property
    def shared(self) -> np.ndarray[Any, Any]:
        """True for each program that has shared code (bool[programs])."""
        codes = self.codes
        if codes is None:
            return np.zeros(len(self.each), bool)
        return np.fromiter(map(bool, codes), bool, len(codes))

    @cached_property
    def lengths(self) -> np.ndarray[Any, Any]:
        """Bytes of each program's text."""
        return np.fromiter(map(len, self.texts), np.int64, len(self.each))

    @cached_property
    def text(self) -> bytes:
        """The concatenated texts."""
        return b"".join(self.texts)

    def names_word(self, word: bytes) -> bool:
        """Return whether `word` is in the joined sources; it may span two programs."""
        if isinstance(self.each, ProgramColumns):
            return word in self.each.joined
        return word in (self.text if self.codes is None else b"".join(self.sources))

    @cached_property
    def joined_names(self) -> tuple[bytes, np.ndarray[Any, Any]]:
        """The programs' names as NUL-terminated bytes, and the start of each program's (uint64)."""
        if isinstance(self.each, ProgramColumns):
            name = Program(b"", self.each.name).encoded_name
            return name, np.zeros(len(self.each), np.uint64)
        names = [program.name for program in self.each]
        encoded = {name: Program(b"", name).encoded_name for name in dict.fromkeys(names)}
        ends = np.cumsum([0, *map(len, encoded.values())])
        starts = dict(zip(encoded, ends.tolist(), strict=False))
        return b"".join(encoded.values()), np.array([starts[name] for name in names], np.uint64)

    @cached_property
    def size(self) -> int:
        """Bytes on the device of the programs and of the threads' order."""
        words = 0 if self.which is None else 4 * self.n + 8 * self.n
        texts = len(self.text) + len(self.joined_names[0])
        return texts + 16 * len(self.each) + words

    def check(self, budget: MemoryBudget, taken: int) -> None:
        """Check that the programs fit beside interpreters that take `taken` bytes.

        Raises:
            NotEnoughMemory: They do not fit.
        """
        left = max(0, budget.left - taken)
        if self.size > max(left, SMALL):
            raise NotEnoughMemory(
                f"{len(self.each)} programs take {format_size(self.size)}, and "
                f"{format_size(left)} are free beside the interpreters",
                hint="Run fewer programs in one launch, or fewer interpreters.",
            )


def programs_of(
    device: Device,
    programs: Sequence[Program | str | bytes],
    program_of: np.ndarray[Any, Any] | None,
    n: int,
    phase: Phase,
) -> Programs:
    """Deduplicate a caller's programs.

    A launch that runs none, or runs precompiled code, gets one empty program.

    Args:
        device: The device that will run them.
        programs: Programs or sources.
        program_of: Each interpreter's program; None: all run the first.
        n: Number of interpreters.
        phase: The phase.

    Raises:
        UsageError: There is no program, or program_of is out of range.
        WrongType: An argument has a wrong type.
    """
    rests = device.built.constants["GPUSNEK_NO_PROGRAM"]
    if not phase.execute or (phase.compiled is not None and phase.parts is None):
        return Programs(n, (Program(b""),), None, rests)
    if phase.parts is not None:
        programs = [Program(b"", f"<code {i}>") for i in range(len(phase.parts) - 1)]
    if not programs:
        raise UsageError("there is no program to run")
    given: Sequence[Program]
    each: Sequence[Program]
    if isinstance(programs, ProgramColumns) and programs.distinct:
        given = each = programs
    else:
        given = [p if type(p) is Program else Program.of(p) for p in programs]
        each = tuple(dict.fromkeys(given))
    if program_of is None:
        return Programs(n, each[:1], None, rests)
    which = per_interpreter(program_of, n, "program_of")
    runs = which != rests
    if runs.any() and int(which[runs].max()) >= len(programs):
        raise UsageError(f"program_of: {int(which[runs].max())}, but there are {len(programs)}")
    if len(each) < len(given):
        numbers = dict(zip(each, range(len(each)), strict=True))
        same = np.fromiter(map(numbers.__getitem__, given), np.uint32, len(given))
        which[runs] = same[which[runs]]
    if len(each) == 1 and runs.all():
        return Programs(n, each, None, rests)
    return Programs(n, each, which, rests)
