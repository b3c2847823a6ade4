"""The part of `InterpreterArray` that defines globals of interpreters from CPython."""

from __future__ import annotations

from porter.array.interpreters import Interpreters
from porter.base.arguments import flag


class BoundGlobals(Interpreters):
    """Interpreters whose globals the host program binds and sets."""

    def bind(
        self, name: str, array: object, *, split: bool = False, readonly: bool = False
    ) -> None:
        """Expose the memory of `array` as a memoryview `name` in every interpreter, without a copy.

        Programs see a one-dimensional view in C order. It takes effect with the next call. Accesses
        of different interpreters to one element are not ordered; see gpu.atomic in
        docs/language.md.

        The array is kept alive while it is bound: until unbind(name), another bind or set of the
        name, or close(). Afterwards every memoryview of it is empty, including views that programs
        kept.

        Args:
            name: The global's name.
            array: On a GPU an object with `__cuda_array_interface__` or DLPack, on the host twin
                one with the buffer protocol or DLPack. Contiguous, with integers of 8 to 64 bits,
                float32 or float64.
            split: The first axis has length n, and interpreter i sees row i only.
            readonly: Programs cannot write to the array.

        Raises:
            WrongType: The array's type or device is not supported (a TypeError).
            BindingError: The name or shape is invalid (a ValueError).
        """
        split, readonly = flag(split, "split"), flag(readonly, "readonly")
        with self._lock:
            self._check_open()
            self._bindings.bind(name, array, split=split, readonly=readonly)

    def unbind(self, name: str) -> None:
        """Revoke the interpreters' access to a bound array at once.

        Raises:
            BindingError: No array is bound to this name.
        """
        with self._lock:
            self._check_open()
            self._bindings.unbind(name)
            self._apply_bindings()

    def set(self, name: str, value: object) -> None:
        """Set the global `name` to a value for all interpreters, or to one value each.

        It takes effect with the next call. Raises as bind.

        Args:
            name: The global's name.
            value: A number, str, bytes or None for all. A list, tuple or array of n values sets one
                each: numbers that NumPy converts to one array, or str, or bytes.
        """
        with self._lock:
            self._check_open()
            self._bindings.set(name, value)
