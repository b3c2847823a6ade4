"""Templates that a device keeps, so that what was compiled once is not compiled again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from typing import Any

import attrs
from attrs import define, frozen

from porter.base.sizes import MIB


@frozen
class Template:
    """An interpreter at rest that others begin as copies of (launch/template.py).

    image: where it is in `images`, as bases are (templates/runtime/launch.h). code: memory of the
    bytecode that all copies read, as long as they live.
    """

    image: int
    images: Any = attrs.field(repr=False)
    code: Any = attrs.field(repr=False)


@define
class Templates:
    """A device's templates by what they were made of.

    Those that were made together share memory, and so are kept, or let go of, together: the ones
    used last, at most `most` such batches, of at most `most_bytes` in all.
    """

    most: int = 16
    most_bytes: int = 256 * MIB
    _kept: dict[Hashable, tuple[int, Template]] = attrs.field(factory=dict, init=False)
    # By batch: the keys and the bytes; the batch that was used last is the last one.
    _batches: OrderedDict[int, tuple[frozenset[Hashable], int]] = attrs.field(
        factory=OrderedDict, init=False
    )
    _next: int = attrs.field(default=0, init=False)

    def get(self, key: Hashable) -> Template | None:
        """The template of `key`, if it is kept."""
        if key not in self._kept:
            return None
        batch, template = self._kept[key]
        self._batches.move_to_end(batch)
        return template

    def keep(self, made: Mapping[Hashable, Template], size: int) -> None:
        """Keep what was made together, `size` bytes; let go of what was not used for longest."""
        if size > self.most_bytes:
            return
        self._batches[self._next] = (frozenset(made), size)
        self._kept |= {key: (self._next, template) for key, template in made.items()}
        self._next += 1
        while len(self._batches) > self.most or self.size > self.most_bytes:
            oldest, (keys, _) = self._batches.popitem(last=False)
            for key in keys:
                if self._kept[key][0] == oldest:
                    del self._kept[key]

    @property
    def size(self) -> int:
        """Bytes of all that are kept."""
        return sum(size for _, size in self._batches.values())
