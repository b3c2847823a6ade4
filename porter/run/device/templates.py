"""Templates that a device keeps, so that what was compiled once is not compiled again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
from attrs import define, frozen

from porter.base.sizes import MIB


@frozen(eq=False)
class TemplateBatch:
    """Interpreters at rest that others begin as copies of, made together (launch/template.py).

    how: what they depend on beside their programs. images: of each program where its image is, as
    bases are (templates/runtime/launch.h). owner: memory of all images. code: memory of the
    bytecode that all copies read, as long as they live. size: bytes of both.
    """

    how: Hashable
    images: Mapping[Hashable, int] = attrs.field(repr=False)
    owner: Any = attrs.field(repr=False)
    code: Any = attrs.field(repr=False)
    size: int


@define
class Templates:
    """A device's templates by what they were made of.

    Those that were made together share memory, and so are kept, or let go of, together: the ones
    used last, at most `most` such batches, of at most `most_bytes` in all. Launches ask for
    thousands of programs at once, so nothing here is an object for each.
    """

    most: int = 16
    most_bytes: int = 256 * MIB
    # By `how` and program the batch's number; the batch that was used last is the last one.
    _numbers: dict[Hashable, dict[Hashable, int]] = attrs.field(factory=dict, init=False)
    _batches: OrderedDict[int, TemplateBatch] = attrs.field(factory=OrderedDict, init=False)
    _next: int = attrs.field(default=0, init=False)

    def __len__(self) -> int:
        """How many are kept."""
        return sum(map(len, self._numbers.values()))

    def find(
        self, how: Hashable, programs: Sequence[Hashable]
    ) -> tuple[np.ndarray[Any, Any], list[TemplateBatch]]:
        """Where the images of `programs` are (uint64, 0 where none is kept), and their batches."""
        images = np.zeros(len(programs), np.uint64)
        kept = self._numbers.get(how)
        if not kept:
            return images, []
        numbers = np.array([kept.get(program, -1) for program in programs], np.int64)
        batches = []
        for number in np.unique(numbers[numbers >= 0]).tolist():
            batch = self._batches[number]
            self._batches.move_to_end(number)
            batches.append(batch)
            for i in np.flatnonzero(numbers == number).tolist():
                images[i] = batch.images[programs[i]]
        return images, batches

    def keep(self, batch: TemplateBatch) -> None:
        """Keep what was made together, if anything; let go of what was not used for longest."""
        if not batch.images or batch.size > self.most_bytes:
            return
        self._batches[self._next] = batch
        self._numbers.setdefault(batch.how, {}).update(dict.fromkeys(batch.images, self._next))
        self._next += 1
        while len(self._batches) > self.most or self.size > self.most_bytes:
            self._forget(*self._batches.popitem(last=False))

    def _forget(self, number: int, batch: TemplateBatch) -> None:
        kept = self._numbers[batch.how]
        for program in batch.images:
            if kept[program] == number:  # not made anew since then
                del kept[program]
        if not kept:
            del self._numbers[batch.how]

    @property
    def size(self) -> int:
        """Bytes of all that are kept."""
        return sum(batch.size for batch in self._batches.values())
