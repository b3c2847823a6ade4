"""Memory and values that an array's interpreters have from outside."""

from __future__ import annotations

from typing import Any

from porter.array.bindings import check_name
from porter.array.runner import Runner
from porter.array.running import Running
from porter.base.arguments import flag, whole
from porter.errors import UsageError
from porter.run import Device
from porter.run.session import MAXIMUM


class Sharing(Running):
    """Globals that come from outside, and copies of interpreters."""

    n: int
    device: Device
    _runner: Runner

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
        with self._runner.lock:
            self._runner.check_open()
            self._runner.bindings.bind(name, array, split=split, readonly=readonly)

    def unbind(self, name: str) -> None:
        """Take a bound array away from the interpreters, at once. BindingError if there is none."""
        with self._runner.lock:
            self._runner.check_open()
            self._runner.bindings.unbind(name)
            self._runner.apply_bindings()

    def set(self, name: str, value: object) -> None:
        """Make `value` the global `name`: a number, str, bytes or None for all interpreters.

        A list, tuple or array of n values is one for each: numbers as NumPy makes an array of
        them, or str, or bytes. Takes effect with the next call. Raises as bind.
        """
        with self._runner.lock:
            self._runner.check_open()
            self._runner.bindings.set(name, value)

    def get(self, name: str, **options: Any) -> Any:
        """eval() of the global `name`, with its options."""
        check_name(name)
        return self.eval(name, **options)

    def clone_from(self, index: int) -> None:
        """Make every interpreter a copy of interpreter `index`, variables and all.

        Only on a GPU with local arenas, whose addresses are the same for all interpreters;
        UsageError elsewhere.
        """
        index = self._check_index(index)
        clone = getattr(self.device, "clone", None)
        if clone is None:
            raise UsageError(
                "interpreters of this target cannot be copied: each has addresses of its own",
                hint="Run the same source in all of them instead.",
            )
        with self._runner.lock:
            self._runner.check_open()
            clone(self._runner.launch.persist, index)

    def _check_index(self, index: int) -> int:
        number = whole(index, "index", -MAXIMUM, MAXIMUM)
        if not 0 <= number < self.n:
            raise UsageError(f"index {number}: there are interpreters 0 to {self.n - 1}")
        return number
