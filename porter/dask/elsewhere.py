"""Results that come from a worker."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from attrs import frozen

from porter.run import Result
from porter.run.built import Built
from porter.run.device.host_arrays import HostArrays
from porter.run.streams.packed import PackedRows, UnpackedStream


@frozen(eq=False)
class Elsewhere(HostArrays):
    """Stands for the devices of workers, where results are looked at: their memory is the host's.

    Of a Device it has what results and the division of launches need.
    """

    built: Built


@frozen(eq=False)
class Travelling:
    """A Result without what belongs to a device: it can be pickled, and its outputs are merged."""

    stdout: PackedRows
    stderr: PackedRows
    steps: np.ndarray[Any, Any]
    fields: dict[str, Any]

    @classmethod
    def of(cls, result: Result) -> Travelling:
        """What a worker sends."""
        streams = (PackedRows.of(result.stdout), PackedRows.of(result.stderr))
        own = ("stdout", "stderr", "taken", "values", "calls")
        names = [field.name for field in attrs.fields(Result) if field.name not in own]
        return cls(*streams, result.steps, {name: getattr(result, name) for name in names})

    def result(self, device: Any) -> Result:
        """What the client makes of it."""
        streams = (UnpackedStream(device, self.stdout), UnpackedStream(device, self.stderr))
        return Result(*streams, **self.fields, taken=self.steps)
