"""Bookkeeping of bound globals: arrays that are bound, and changes for the next launch."""

from __future__ import annotations

import keyword

from porter.array.memory import Memory, memory_of
from porter.array.setting import value_binding
from porter.errors import BindingError, WrongType
from porter.native import like_memory, like_value
from porter.run import Device
from porter.run.launch.bindings import MOST_NAME, Binding


class Bindings:
    """Bound arrays by name, kept alive, and the queue of changes that the next launch applies."""

    def __init__(self, device: Device, n: int) -> None:
        self._device, self._n = device, n
        self._bound: dict[str, Memory] = {}
        self._first: dict[str, Binding] = {}  # interpreter 0's binding by name
        self._queue: list[Binding] = []

    def bind(self, name: str, array: object, *, split: bool, readonly: bool) -> None:
        """Queue the binding of an array. See InterpreterArray.bind."""
        check_name(name)
        memory = memory_of(array, self._device)
        typecode = memory.typecode
        if not (memory.writable or readonly):
            raise BindingError(
                f"{name}: the array is read-only", hint="Bind it with readonly=True, or a copy."
            )
        count, stride = memory.count, 0
        if split:
            if not memory.shape or memory.shape[0] != self._n:
                raise BindingError(
                    f"{name}: shape {memory.shape} has no row for each of {self._n} interpreters",
                    hint=f"The first axis must be {self._n} long.",
                )
            count //= self._n
            stride = count * memory.dtype.itemsize
        self._forget(name, memory)
        kind = "READ_ONLY" if readonly else "MEMORY"
        binding = Binding(name, kind, memory.address, stride, count, 0, typecode, memory)
        self._bound[name] = memory
        self._first[name] = binding
        self._queue.append(binding)

    def set(self, name: str, value: object) -> None:
        """Queue the setting of a value. See InterpreterArray.set."""
        check_name(name)
        binding = value_binding(self._device, self._n, name, value)
        self._forget(name)
        if not self._device.on_gpu:  # profiling runs need it, and run on the host only
            self._first[name] = like_value(self._device, binding)
        self._queue.append(binding)

    def unbind(self, name: str) -> None:
        """Queue the removal of a bound array. See InterpreterArray.unbind."""
        check_name(name)
        if name not in self._bound:
            raise BindingError(f"{name}: no array is bound to this name")
        self._forget(name)

    def _forget(self, name: str, new: Memory | None = None) -> None:
        """Queue the removal of programs' access to the memory under `name`."""
        self._first.pop(name, None)
        old = self._bound.pop(name, None)
        if old is None:
            return
        # Memory that another bound array overlaps stays accessible, because it is that array's too.
        others = [*self._bound.values(), *([new] if new else [])]
        kind = "FORGET" if not old.size or any(map(old.overlaps, others)) else "REVOKE"
        self._queue.append(Binding(name, kind, old.address, count=old.size, keep=old))

    def stand_ins(self) -> list[Binding]:
        """Return substitutes for a profiling run, which must not write to the bound arrays."""
        return [
            like_memory(self._device, one) if name in self._bound else one
            for name, one in self._first.items()
            if name not in self._bound or not self._bound[name].moved
        ]

    @property
    def bound(self) -> dict[str, str]:
        """Element type and shape of each bound array by name, for display."""
        return {name: f"{memory.dtype}{list(memory.shape)}" for name, memory in self._bound.items()}

    def changes(self) -> list[Binding]:
        """Return the changes for the next launch.

        Raises:
            BindingError: A bound array has moved.
        """
        for name, memory in list(self._bound.items()):
            if memory.moved:
                self._forget(name)
                raise BindingError(
                    f"{name}: the array's memory was freed, has moved or has another size",
                    hint="Interpreters have it no longer. Bind the array again.",
                )
        return list(self._queue)

    def made(self, changes: list[Binding]) -> None:
        """Dequeue `changes` once their launch has started."""
        del self._queue[: len(changes)]

    def clear(self) -> None:
        """Drop all arrays; the interpreters have ended."""
        self._bound.clear()
        self._first.clear()
        self._queue.clear()


def check_name(name: object) -> None:
    """Check that `name` can be a global's name.

    Raises:
        WrongType: It is no str.
        BindingError: It is no identifier or too long.
    """
    if not isinstance(name, str):
        raise WrongType(f"name: {type(name).__name__} is not a name")
    if not name.isidentifier() or keyword.iskeyword(name):
        raise BindingError(f"name: {name!r} is not a Python identifier")
    if len(name.encode()) > MOST_NAME:
        raise BindingError(
            f"name: {name[:20]}... has {len(name.encode())} bytes",
            hint=f"A name in an interpreter has {MOST_NAME} at most.",
        )
