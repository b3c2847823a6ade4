"""A device's cache of templates: booted interpreters with compiled programs that others copy."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from itertools import repeat
from threading import Lock
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
        addresses: The address of each program's base snapshot (templates/runtime/launch.h), by the
            program's key.
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


@define(eq=False)
class _Table:
    """The templates with equal properties. Place 0 stands for programs without one.

    A template that was dropped keeps its place, with address 0, until half of the places are such:
    dropping a batch therefore does not touch the keys of others.

    Attributes:
        places: The index of each key in the arrays.
        addresses: The snapshots' addresses (uint64); 0 at place 0 and of dropped templates.
        batches: The numbers of their batches (int64); -1 at place 0 and of dropped templates.
    """

    places: dict[Hashable, int] = attrs.field(factory=dict)
    addresses: np.ndarray[Any, Any] = attrs.field(factory=lambda: np.zeros(1, np.uint64))
    batches: np.ndarray[Any, Any] = attrs.field(factory=lambda: np.full(1, -1, np.int64))

    def add(self, number: int, addresses: Mapping[Hashable, int]) -> None:
        """Add the templates of a batch; they replace earlier ones of the same keys."""
        first, count = len(self.addresses), len(addresses)
        self.places.update(zip(addresses, range(first, first + count), strict=True))
        more = np.fromiter(addresses.values(), np.uint64, count)
        self.addresses = np.concatenate([self.addresses, more])
        self.batches = np.concatenate([self.batches, np.full(count, number, np.int64)])

    def __len__(self) -> int:
        """Return the number of templates."""
        there = np.zeros(len(self.batches), bool)
        there[list(self.places.values())] = True
        return int((there & (self.batches >= 0)).sum())

    def drop(self, number: int) -> None:
        """Drop the templates of a batch."""
        dropped = self.batches == number
        self.addresses[dropped] = 0
        self.batches[dropped] = -1
        left = np.flatnonzero(self.batches >= 0)
        if 2 * len(left) < len(self.batches):
            numbers = np.zeros(len(self.batches), np.int64)
            numbers[left] = np.arange(1, len(left) + 1)
            new = numbers[list(self.places.values())].tolist()
            self.places = {key: k for key, k in zip(self.places, new, strict=True) if k}
            kept = np.concatenate([[0], left])
            self.addresses, self.batches = self.addresses[kept], self.batches[kept]


@define
class Templates:
    """A device's templates, keyed by the properties and the programs' keys that they were made of.

    Templates of one batch share memory, so a batch is evicted as a whole. The cache keeps the most
    recently used batches. Launches look up thousands of programs at once, so there is no Python
    object per template.

    Attributes:
        most: Maximum number of batches.
        most_bytes: Maximum bytes of all batches.
    """

    most: int = 16
    most_bytes: int = 256 * MIB
    _tables: dict[Hashable, _Table] = attrs.field(factory=dict, init=False)
    # Batches are in order of last use, oldest first.
    _batches: OrderedDict[int, TemplateBatch] = attrs.field(factory=OrderedDict, init=False)
    _next: int = attrs.field(default=0, init=False)
    _lock: Lock = attrs.field(factory=Lock, init=False, repr=False)  # for launches of two threads

    def __len__(self) -> int:
        """Return the number of templates."""
        return sum(map(len, self._tables.values()))

    def find(
        self, how: Hashable, keys: Sequence[Hashable]
    ) -> tuple[np.ndarray[Any, Any], list[TemplateBatch]]:
        """Look up templates.

        Args:
            how: The properties that templates must have.
            keys: The keys of their programs.

        Returns:
            The snapshots' addresses (uint64, 0 for none), and the batches that own them.
        """
        with self._lock:
            table = self._tables.get(how)
            if table is None:
                return np.zeros(len(keys), np.uint64), []
            places = np.fromiter(map(table.places.get, keys, repeat(0)), np.int64, len(keys))
            numbers = np.unique(table.batches[places])
            found = []
            for number in numbers[numbers >= 0].tolist():
                self._batches.move_to_end(number)
                found.append(self._batches[number])
            return table.addresses[places], found

    def keep(self, batch: TemplateBatch) -> None:
        """Add a batch, and evict the least recently used ones beyond the limits."""
        if not batch.addresses or batch.size > self.most_bytes:
            return
        with self._lock:
            self._batches[self._next] = batch
            self._tables.setdefault(batch.how, _Table()).add(self._next, batch.addresses)
            self._next += 1
            while len(self._batches) > self.most or self.size > self.most_bytes:
                number, dropped = self._batches.popitem(last=False)
                table = self._tables[dropped.how]
                table.drop(number)
                if not table.places:
                    del self._tables[dropped.how]

    @property
    def size(self) -> int:
        """Bytes of all batches."""
        return sum(batch.size for batch in self._batches.values())
