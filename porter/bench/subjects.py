"""What a benchmark's launches need besides its source, and how their results are judged."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from attrs import define, field, frozen

from porter.bench.catalogue import Benchmark
from porter.bench.oracle import check_ended, check_outputs, expected
from porter.errors import BenchFailed
from porter.run.device.base import Array, Device
from porter.run.result import Result

ROWS = 256


class TimedSubject(Protocol):
    """One benchmark on one device."""

    def launch(self) -> dict[str, Any]:
        """What of a Launch gives programs their data."""

    def reset(self) -> None:
        """Before a launch that runs the program: data as it was at first."""

    def check(self, result: Result) -> None:
        """Raise BenchFailed unless every interpreter ended well with the right result."""


@frozen
class Printing:
    """A program without data, which prints what it has worked out."""

    benchmark: Benchmark
    device: Device

    def launch(self) -> dict[str, Any]:
        """Nothing."""
        return {}

    def reset(self) -> None:
        """Nothing to do."""

    def check(self, result: Result) -> None:
        """By what was printed."""
        check_outputs(self.benchmark.name, result, self.device, expected(self.benchmark))


def cells(xp: Any, n: int) -> Array:
    """The matrix of Figure 8, ROWS x n float32; programs/figure8_setup.py makes it for Python."""
    rows = xp.arange(ROWS, dtype=np.int32)[:, None] + 1
    columns = xp.arange(n, dtype=np.int32)[None, :] % 32 + 1
    quarters: Array = (rows * columns % 37).astype(np.float32) / np.float32(4)
    return quarters


@define
class Summing:
    """Figure 8: interpreter i leaves the sum of column i of `data` in its first row."""

    benchmark: Benchmark
    device: Device
    data: Array = field(repr=False)
    first: Array = field(repr=False)

    @classmethod
    def of(cls, benchmark: Benchmark, device: Device, n: int) -> Summing:
        """With a matrix of `n` columns."""
        data = cells(device.xp, n)
        return cls(benchmark, device, data, data[0].copy())

    def launch(self) -> dict[str, Any]:
        """The matrix by the name that programs use."""
        return {"bind": {"data": self.data.reshape(-1)}}

    def reset(self) -> None:
        """Programs change the first row alone."""
        self.data[0] = self.first

    def check(self, result: Result) -> None:
        """By the first row; nothing is printed."""
        name = self.benchmark.name
        check_ended(name, result, self.device)
        check_outputs(name, result, self.device, (b"",))
        self.check_sums()

    def check_sums(self) -> None:
        """Raise BenchFailed unless the first row holds the sums."""
        sums = self.device.host(self.data[0])
        want = np.array([int(text) / 4 for text in expected(self.benchmark)], np.float32)
        bad = sums != np.resize(want, len(sums))
        if bad.any():
            column = int(bad.argmax())
            raise BenchFailed(
                f"{self.benchmark.name}: column {column} sums to {sums[column]}, "
                f"not {np.resize(want, len(sums))[column]}"
            )


def subject(benchmark: Benchmark, device: Device, n: int) -> TimedSubject:
    """What `benchmark` needs on `n` interpreters."""
    if benchmark.setup is None:
        return Printing(benchmark, device)
    return Summing.of(benchmark, device, n)
