"""The interpreters that a notebook has, by name, and how they were made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
from attrs import define, field, frozen

from porter.array import Code, InterpreterArray, Outcome
from porter.array.shown import many
from porter.array.sources import limits_of
from porter.base.sizes import format_size
from porter.errors import NotEnoughMemory, UsageError
from porter.run import Launch
from porter.run.launch.plan import footprint, free
from porter.run.launch.spec import SIZES

DEFAULT_N = 1024
PIXEL = 3  # bytes of outbuf per interpreter unless a size is given: one pixel


class CellInterpreters(InterpreterArray):
    """An InterpreterArray whose interpreters share `outbuf`, and run cells.

    outbuf: its bytes [3 an interpreter]; where it is 0 there is none. Raises as InterpreterArray.
    """

    def __init__(self, n: int, *, outbuf: int | None = None, **options: Any) -> None:
        self._outbuf_size = outbuf
        self.outbuf: Any = None  # uint8 on the device
        super().__init__(n, **options)

    def _equipped(self, launch: Launch) -> Launch:
        size = self.n * PIXEL if self._outbuf_size is None else self._outbuf_size
        if not size:
            return launch
        room = free(self.device, footprint(self.device, launch))
        if size > room.left:
            raise NotEnoughMemory(
                f"outbuf of {format_size(size)} does not fit: {format_size(room.left)} are free",
                hint="Make --outbuf smaller, or -n: it has 3 bytes an interpreter by itself.",
            )
        self.outbuf = self.device.zeros(size, np.uint8)
        return attrs.evolve(launch, outbuf=self.outbuf)

    def leaves_room(self, making: Mapping[str, Any]) -> bool:
        """Whether interpreters made with these options would fit if these had ended."""
        sizes = Launch(**{name: making[name] for name in SIZES if name in making})
        need = footprint(self.device, sizes)
        own = footprint(self.device, self._launch).resting_least * self.n
        return need.persisting(int(making["n"])) <= free(self.device, need).left + own

    def run_cell(self, code: Code, limits: Mapping[str, Any], **options: Any) -> Outcome:
        """Run `code` in all. limits: timeout, max_steps, deadline. options: others of a launch.

        Exceptions of programs are in what it returns. Raises LaunchFailed.
        """
        programs, program_of, changes = self._sources(code, None, code.name, "file")
        options = {**options, **changes, **limits_of(**limits)}
        return self._go(programs, program_of, lambda outcome, _: outcome, **options).result()


@frozen
class KeptArray:
    """Interpreters, and the options that they were made with."""

    array: CellInterpreters
    making: dict[str, Any]


@define
class Kept:
    """Interpreters by name."""

    entries: dict[str, KeptArray] = field(factory=dict)

    def obtain(
        self, name: str, given: Mapping[str, Any], *, fresh: bool = False
    ) -> tuple[CellInterpreters, str | None]:
        """The interpreters `name`, made now if there are none or if `given` asks for others.

        fresh: new ones in any case. The text says what was made and what is gone. Raises what
        making raises; the old ones are there then. They end first where the new ones fit only then.
        """
        old = self.entries.get(name)
        making = {"n": DEFAULT_N, **(old.making if old else {}), **given}
        if old is not None and making == old.making and not fresh:
            return old.array, None
        if given.get("build") is not None:  # a build has its release, and its target unless given
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
        """End the interpreters `name`; returns how many they were. UsageError if there are none."""
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
