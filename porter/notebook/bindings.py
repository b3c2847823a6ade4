"""Bind objects of the notebook to variables of interpreters: `--bind`, `--split`, `--share`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import frozen

from porter.array import InterpreterArray
from porter.array.bindings import check_name
from porter.errors import BindingError, UsageError, WrongType
from porter.notebook.options import Request

VALUES = (bool, int, float, str, bytes, list, tuple, np.generic, type(None))  # copied, not bound


@frozen
class WantedBinding:
    """An object to bind. `option` is the option that names it."""

    option: str
    name: str
    value: Any

    def bind(self, array: InterpreterArray) -> None:
        """Bind the object in all interpreters of `array`, from their next call on.

        Raises:
            WrongType, BindingError: The object cannot be bound; the message names the option.
        """
        self._check_kind()
        try:
            if self.option == "--bind" and isinstance(self.value, VALUES):
                array.set(self.name, self.value)
            else:
                split = self.option == "--split" or (
                    self.option == "--bind" and _rows(self.value) == array.n
                )
                array.bind(self.name, self.value, split=split, readonly=_read_only(self.value))
        except (BindingError, WrongType) as error:
            said = error.message.removeprefix(f"{self.name}: ")
            raise type(error)(f"{self.option} {self.name}: {said}", hint=error.hint) from error

    def _check_kind(self) -> None:
        value = self.value
        known = isinstance(value, VALUES) if self.option == "--bind" else False
        if known or hasattr(value, "__dlpack__") or hasattr(value, "__cuda_array_interface__"):
            return
        try:
            memoryview(value)
        except TypeError as error:
            raise WrongType(
                f"{self.option} {self.name}: {type(value).__name__} is no array",
                hint="numpy.array makes one; --bind takes numbers and texts too, and lists of n.",
            ) from error


def wanted(request: Request, names: Mapping[str, Any]) -> list[WantedBinding]:
    """Return the objects that a line binds.

    Args:
        request: The options of the line.
        names: The variables of the notebook.

    Raises:
        BindingError: A name is not valid for a global variable.
        UsageError: The notebook has no variable of that name.
    """
    options = {"--bind": request.bind, "--split": request.split, "--share": request.share}
    found = []
    for option, asked in options.items():
        for name in asked:
            named(option, name)
            if name not in names:
                raise UsageError(f"{option} {name}: the notebook has no variable of this name")
            found.append(WantedBinding(option, name, names[name]))
    return found


def named(option: str, name: str) -> None:
    """Raise BindingError unless `name` can be a global variable; the message names `option`."""
    try:
        check_name(name)
    except BindingError as error:
        said = error.message.removeprefix("name: ")
        raise BindingError(f"{option}: {said}", hint=error.hint) from error


def _rows(value: object) -> int | None:
    """Return the length of the first axis; None if the object has no axes."""
    shape = getattr(value, "shape", None)
    if shape is None:
        try:
            shape = memoryview(value).shape  # type: ignore[arg-type]
        except TypeError:
            return None
    return int(shape[0]) if shape else None


def _read_only(value: object) -> bool:
    if isinstance(value, np.ndarray):
        return not value.flags.writeable
    return isinstance(value, memoryview) and value.readonly
