"""Globals of an array's interpreters that are made from outside."""

from __future__ import annotations

from porter.array.interpreters import Interpreters
from porter.base.arguments import flag


class BoundGlobals(Interpreters):
    """Interpreters whose globals a Python program binds and sets."""

    def bind(
        self, name: str, array: object, *, split: bool = False, readonly: bool = False
    ) -> None:
        """Make `array`'s memory a memoryview `name` in every interpreter, without a copy.

        array: on a GPU anything with `__cuda_array_interface__` or DLPack, on the host twin
        anything with the buffer protocol or DLPack; contiguous, of integers of 8 to 64 bits or
        float32 or float64. Programs see it flat, in C order. split: its first axis is n long, and
        interpreter i has row i alone. readonly: programs cannot write to it.

        The array is kept alive as long as it is bound: until unbind(name), another bind or set of
        the name, or close(). Then every memoryview over it is empty, also one that a program has
        kept. Takes effect with the next call. Nothing orders the interpreters' accesses to one
        element; see gpu.atomic in docs/language.md.

        Raises WrongType (a TypeError) for a type or a place that cannot be, BindingError (a
        ValueError) for a name or a shape that cannot.
        """
        split, readonly = flag(split, "split"), flag(readonly, "readonly")
        with self._lock:
            self._check_open()
            self._bindings.bind(name, array, split=split, readonly=readonly)

    def unbind(self, name: str) -> None:
        """Take a bound array away from the interpreters, at once. BindingError if there is none."""
        with self._lock:
            self._check_open()
            self._bindings.unbind(name)
            self._apply_bindings()

    def set(self, name: str, value: object) -> None:
        """Make `value` the global `name`: a number, str, bytes or None for all interpreters.

        A list, tuple or array of n values is one for each: numbers as NumPy makes an array of
        them, or str, or bytes. Takes effect with the next call. Raises as bind.
        """
        with self._lock:
            self._check_open()
            self._bindings.set(name, value)
