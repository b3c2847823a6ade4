"""The named interpreters of a notebook, with the options that they were created with.

`Kept` creates and ends them. `InterpretersKept` is the output of an empty `%gpusnek`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
from attrs import define, field, frozen
from markupsafe import Markup

from porter.array import Code, InterpreterArray, Outcome
from porter.array.html import many
from porter.array.sources import limits_of
from porter.base import markup
from porter.base.sizes import format_size
from porter.errors import NotEnoughMemory, UsageError
from porter.run import Launch
from porter.run.launch.options import SIZES
from porter.run.launch.plan import footprint, free

DEFAULT_N = 1024
PIXEL = 3  # bytes of outbuf per interpreter unless a size is given: one pixel


class CellInterpreters(InterpreterArray):
    """An InterpreterArray for cells, whose interpreters share a buffer `outbuf`.

    Args:
        n: The number of interpreters.
        outbuf: The size of the buffer in bytes; None for 3 per interpreter, 0 for no buffer.
        options: As for InterpreterArray.
    """

    def __init__(self, n: int, *, outbuf: int | None = None, **options: Any) -> None:
        self._outbuf_size = outbuf
        self.outbuf: Any = None  # uint8, on the device
        super().__init__(n, **options)

    def _equipped(self, launch: Launch) -> Launch:
        size = self.n * PIXEL if self._outbuf_size is None else self._outbuf_size
        if not size:
            return launch
        budget = free(self.device, footprint(self.device, launch))
        if size > budget.left:
            raise NotEnoughMemory(
                f"outbuf of {format_size(size)} does not fit: {format_size(budget.left)} are free",
                hint="Make --outbuf smaller, or -n: its default is 3 bytes per interpreter.",
            )
        self.outbuf = self.device.zeros(size, np.uint8)
        return attrs.evolve(launch, outbuf=self.outbuf)

    def leaves_room(self, making: Mapping[str, Any]) -> bool:
        """Return whether interpreters with these options would fit after this array has ended."""
        sizes = Launch(**{name: making[name] for name in SIZES if name in making})
        need = footprint(self.device, sizes)
        own = footprint(self.device, self._launch).resting_least * self.n
        return need.persisting(int(making["n"])) <= free(self.device, need).left + own

    def run_cell(self, code: Code, limits: Mapping[str, Any], **options: Any) -> Outcome:
        """Run `code` in all interpreters.

        Args:
            code: The compiled cell.
            limits: timeout, max_steps and deadline.
            options: Further options of a launch.

        Returns:
            The outcome; it has the programs' exceptions.

        Raises:
            LaunchFailed: The launch failed.
        """
        programs, program_of, changes = self._sources(code, None, code.name, "file")
        options = {**options, **changes, **limits_of(**limits)}
        return self._go(programs, program_of, lambda outcome, _: outcome, **options).result()


@frozen
class KeptArray:
    """Interpreters, and the options that they were created with."""

    array: CellInterpreters
    making: dict[str, Any]


@define
class Kept:
    """Interpreters by name."""

    entries: dict[str, KeptArray] = field(factory=dict)

    def obtain(
        self, name: str, given: Mapping[str, Any], *, fresh: bool = False
    ) -> tuple[CellInterpreters, str | None]:
        """Return the interpreters `name`; create them if needed, or if `given` asks for others.

        Args:
            name: Their name.
            given: Options among MAKING; omitted ones keep their previous values.
            fresh: Whether to replace existing interpreters in any case.

        Returns:
            The interpreters, and a message on created and ended ones, if any.

        Raises:
            PorterError: They cannot be created. The previous interpreters still exist, unless
                they had to end first to free memory.
        """
        old = self.entries.get(name)
        making = {"n": DEFAULT_N, **(old.making if old else {}), **given}
        if old is not None and making == old.making and not fresh:
            return old.array, None
        if given.get("build") is not None:  # a build fixes the release, and the default target
            making = {key: making[key] for key in making if key != "release" or key in given}
        elif given.get("release") is not None:
            making.pop("build", None)
        array = self._made(name, making)
        if old is not None:
            old.array.close()
        self.entries[name] = KeptArray(array, making)
        return array, _told(name, array, old)

    def _made(self, name: str, making: Mapping[str, Any]) -> CellInterpreters:
        try:
            return CellInterpreters(**making)
        except NotEnoughMemory:
            old = self.entries.get(name)
            if old is None or not old.array.leaves_room(making):
                raise
        self.drop(name)
        return CellInterpreters(**making)

    def drop(self, name: str) -> int:
        """End the interpreters `name`; return their number. Raises UsageError if there are none."""
        entry = self.entries.pop(name, None)
        if entry is None:
            raise UsageError(f"--name {name}: there are no interpreters of this name")
        entry.array.close()
        return entry.array.n

    def close(self) -> None:
        """End all interpreters."""
        for name in list(self.entries):
            self.drop(name)


def _told(name: str, array: CellInterpreters, old: KeptArray | None) -> str:
    what = f"{many(array.n)} on {array.device.name}"
    if name != "main":
        what = f"{name}: {what}"
    if old is None:
        return what
    return f"{what}; the {old.array.n:,} before them have ended, with their variables"


NONE = "no interpreters yet: a %%gpusnek cell makes them"


@frozen
class InterpretersKept:
    """Arrays of interpreters by name, with a readable representation."""

    arrays: dict[str, InterpreterArray]

    def __repr__(self) -> str:
        return "\n".join(self._line(name) for name in self.arrays) or NONE

    def _repr_html_(self) -> str:
        if not self.arrays:
            return markup.note(NONE)
        return Markup("").join(
            markup.panel(_title(name, array), markup.table(array.facts()))
            for name, array in self.arrays.items()
        )

    def _line(self, name: str) -> str:
        array = self.arrays[name]
        facts = ", ".join(f"{fact} {value}" for fact, value in array.facts())
        return f"{_title(name, array)}: {facts}"


def _title(name: str, array: InterpreterArray) -> str:
    return f"{name}: {many(array.n)} on {array.device.name}"
