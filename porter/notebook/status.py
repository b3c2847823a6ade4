"""The output of an empty `%gpusnek`: the interpreters of the notebook."""

from __future__ import annotations

from attrs import frozen
from markupsafe import Markup

from porter.array import InterpreterArray
from porter.array.html import many
from porter.base import markup

NONE = "no interpreters yet: a %%gpusnek cell makes them"


@frozen
class InterpretersKept:
    """Arrays of interpreters by name, with a readable representation."""

    arrays: dict[str, InterpreterArray]

    def __repr__(self) -> str:
        return "\n".join(self._line(name) for name in self.arrays) or NONE

    def _repr_html_(self) -> str:
        if not self.arrays:
            return markup.note(NONE)
        return Markup("").join(
            markup.panel(_title(name, array), markup.table(array.facts()))
            for name, array in self.arrays.items()
        )

    def _line(self, name: str) -> str:
        array = self.arrays[name]
        facts = ", ".join(f"{fact} {value}" for fact, value in array.facts())
        return f"{_title(name, array)}: {facts}"


def _title(name: str, array: InterpreterArray) -> str:
    return f"{name}: {many(array.n)} on {array.device.name}"
