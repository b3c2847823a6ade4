"""A device's cache of templates: booted interpreters with compiled programs that others copy."""

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
    """Idle interpreters, made in one launch, that others start as copies of (launch/templates.py).

    Attributes:
        how: The properties besides their programs on which they depend.
        addresses: The address of each program's base snapshot (templates/runtime/launch.h).
        owner: The owner of the snapshots' memory.
        code: Memory of the bytecode that all copies execute as long as they exist: compiled on the
            device, and shared code.
        size: Bytes of all.
    """

    how: Hashable
    addresses: Mapping[Hashable, int] = attrs.field(repr=False)
    owner: Any = attrs.field(repr=False)
    code: tuple[Any, ...] = attrs.field(repr=False)
    size: int


@define
class Templates:
    """A device's templates, keyed by the properties and programs that they were made of.

    Templates of one batch share memory, so a batch is evicted as a whole. The cache keeps the most
    recently used batches. Launches look up thousands of programs at once, so there is no Python
    object per template.

    Attributes:
        most: Maximum number of batches.
        most_bytes: Maximum bytes of all batches.
    """

    most: int = 16
    most_bytes: int = 256 * MIB
    # The batch's number by `how` and program; batches are in order of last use, oldest first.
    _numbers: dict[Hashable, dict[Hashable, int]] = attrs.field(factory=dict, init=False)
    _batches: OrderedDict[int, TemplateBatch] = attrs.field(factory=OrderedDict, init=False)
    _next: int = attrs.field(default=0, init=False)

    def __len__(self) -> int:
        """Return the number of templates."""
        return sum(map(len, self._numbers.values()))

    def find(
        self, how: Hashable, programs: Sequence[Hashable]
    ) -> tuple[np.ndarray[Any, Any], list[TemplateBatch]]:
        """Look up the templates of `programs`.

        Args:
            how: The properties that templates must have.
            programs: The programs.

        Returns:
            The snapshots' addresses (uint64, 0 for none), and the batches that own them.
        """
        addresses = np.zeros(len(programs), np.uint64)
        kept = self._numbers.get(how)
        if not kept:
            return addresses, []
        numbers = np.array([kept.get(program, -1) for program in programs], np.int64)
        batches = []
        for number in np.unique(numbers[numbers >= 0]).tolist():
            batch = self._batches[number]
            self._batches.move_to_end(number)
            batches.append(batch)
            for i in np.flatnonzero(numbers == number).tolist():
                addresses[i] = batch.addresses[programs[i]]
        return addresses, batches

    def keep(self, batch: TemplateBatch) -> None:
        """Add a batch, and evict the least recently used ones beyond the limits."""
        if not batch.addresses or batch.size > self.most_bytes:
            return
        self._batches[self._next] = batch
        self._numbers.setdefault(batch.how, {}).update(dict.fromkeys(batch.addresses, self._next))
        self._next += 1
        while len(self._batches) > self.most or self.size > self.most_bytes:
            self._forget(*self._batches.popitem(last=False))

    def _forget(self, number: int, batch: TemplateBatch) -> None:
        kept = self._numbers[batch.how]
        for program in batch.addresses:
            if kept[program] == number:  # not replaced by a later batch
                del kept[program]
        if not kept:
            del self._numbers[batch.how]

    @property
    def size(self) -> int:
        """Bytes of all batches."""
        return sum(batch.size for batch in self._batches.values())
