"""Transfer results from workers to the client."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from attrs import frozen

from porter.run import Result
from porter.run.built import Built
from porter.run.device.arrays import HostArrays
from porter.run.streams.groups import PackedRows, UnpackedStream


@frozen(eq=False)
class Elsewhere(HostArrays):
    """A stub for the workers' devices on the client; device memory is host memory.

    It has the part of a Device that results and the division of launches use.
    """

    built: Built


@frozen(eq=False)
class Travelling:
    """A Result that can be pickled: without its device, and with merged outputs."""

    stdout: PackedRows
    stderr: PackedRows
    steps: np.ndarray[Any, Any]
    fields: dict[str, Any]

    @classmethod
    def of(cls, result: Result) -> Travelling:
        """Return the form of `result` that a worker sends."""
        streams = (PackedRows.of(result.stdout), PackedRows.of(result.stderr))
        own = ("stdout", "stderr", "taken", "values", "calls")
        names = [field.name for field in attrs.fields(Result) if field.name not in own]
        return cls(*streams, result.steps, {name: getattr(result, name) for name in names})

    def result(self, device: Any) -> Result:
        """Return the Result on the client."""
        streams = (UnpackedStream(device, self.stdout), UnpackedStream(device, self.stderr))
        return Result(*streams, **self.fields, taken=self.steps)
