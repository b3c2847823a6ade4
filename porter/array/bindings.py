"""Globals that a host program binds or sets: bound arrays, values, changes for the next launch.

`Bindings` is the state of one array. `value_binding` converts Python values to bindings: one value
for all interpreters, or one for each.
"""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from typing import Any

import numpy as np

from porter.array.memory import Memory, memory_of
from porter.errors import BindingError, WrongType
from porter.native import like_memory, like_value
from porter.run import Device
from porter.run.device.base import Array
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

    def stubs(self) -> list[Binding]:
        """Return stubs for a profiling run, which must not write to the bound arrays."""
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


# By numpy's kind: GPUSNEK_BIND_*, and the 8-byte type of the transfer.
_WORDS = {"b": ("BOOL", np.uint64), "i": ("INT", np.int64), "u": ("UINT", np.uint64),
          "f": ("FLOAT", np.float64)}  # fmt: skip


def value_binding(device: Device, n: int, name: str, value: object) -> Binding:
    """Bind `value` to the global `name` of all `n` interpreters, or value[i] of interpreter i.

    Raises:
        WrongType: A value's type is not supported.
        BindingError: The number of values is not n, or an integer is too large.
    """
    if value is None:
        return Binding(name, "NONE")
    value = device.local_value(value)
    if isinstance(value, str | bytes):
        return _texts(device, name, [value], each=False)
    if isinstance(value, list | tuple):
        _check_length(name, len(value), n)
        if value and all(isinstance(item, str) for item in value):
            return _texts(device, name, value, each=True)
        if value and all(isinstance(item, bytes) for item in value):
            return _texts(device, name, value, each=True)
    array = _numbers(device, name, value)
    if array.ndim > 1:
        raise BindingError(f"{name}: an array of shape {array.shape} holds no value for each")
    if array.ndim == 1:
        _check_length(name, array.shape[0], n)
    kind, word = _WORDS[array.dtype.kind]
    words = _words(device, array, word)
    stride = 8 if array.ndim else 0
    return Binding(name, kind, device.address(words), stride, keep=words)


def _words(device: Device, array: Any, word: Any) -> Array:
    """Copy `array`, NumPy's or the device's own, to a vector of `word` on the device."""
    if not isinstance(array, np.ndarray):
        array = device.host(array)
    return device.array(np.array(array, word, order="C").reshape(-1))


def _check_length(name: str, length: int, n: int) -> None:
    if length != n:
        raise BindingError(f"{name}: {length} values for {n} interpreters")


def _numbers(device: Device, name: str, value: object) -> Any:
    """Convert scalars, sequences and arrays of numbers to an array, NumPy's or the device's own."""
    items = value if isinstance(value, list | tuple) and value else [value]
    if all(isinstance(item, int) and not isinstance(item, bool) for item in items):
        word = np.int64 if max(items) < 2**63 else np.uint64
        try:
            return np.array(value, word)
        except OverflowError as error:
            raise BindingError(
                f"{name}: an integer of more than 64 bits cannot come from outside",
                hint="Give exec() the assignment, where integers have no limit.",
            ) from error
    here = isinstance(value, device.xp.ndarray)
    try:
        array: Any = value if here else np.asarray(value)
    except (ValueError, TypeError) as error:  # ragged lists; arrays on another device
        raise WrongType(f"{name}: {error}") from error
    if array.dtype.kind not in _WORDS:
        raise WrongType(
            f"{name}: {type(value).__name__} of {array.dtype} is no value from outside",
            hint="Numbers, str, bytes and None are, and sequences of them, one for each.",
        )
    return array


def _texts(device: Device, name: str, values: Sequence[str | bytes], *, each: bool) -> Binding:
    kind = "STR" if isinstance(values[0], str) else "BYTES"
    try:
        texts = [value.encode() if isinstance(value, str) else value for value in values]
    except UnicodeEncodeError as error:
        raise BindingError(f"{name}: {error}") from error
    stride = max(1, *map(len, texts)) if len(texts) > 1 else max(1, len(texts[0]))
    rows = device.array(np.frombuffer(b"".join(t.ljust(stride, b"\0") for t in texts), np.uint8))
    counts = device.array(np.array([len(text) for text in texts], np.uint32))
    at = device.address(rows)
    if not each:
        return Binding(name, kind, at, 0, len(texts[0]), keep=rows)
    return Binding(name, kind, at, stride, 0, device.address(counts), keep=(rows, counts))
