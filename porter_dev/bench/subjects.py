"""Launch options and result checks of each benchmark, for the timing code in this package."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from attrs import define, field, frozen

from porter.errors import BenchFailed
from porter.run.device.base import Array, Device
from porter.run.result import Result
from porter_dev.bench.catalogue import Benchmark
from porter_dev.bench.oracle import check_ended, check_outputs, expected

ROWS = 256


class TimedSubject(Protocol):
    """A benchmark on one device: its launch options, data and result check."""

    def launch(self) -> dict[str, Any]:
        """Return the options of `Launch` that bind the benchmark's data."""

    def reset(self) -> None:
        """Restore the initial data; called before each launch that runs the program."""

    def check(self, result: Result) -> None:
        """Raise BenchFailed unless every interpreter succeeds with the right result."""


@frozen
class Printing:
    """A program without bound data that prints its result."""

    benchmark: Benchmark
    device: Device

    def launch(self) -> dict[str, Any]:
        """Return no options."""
        return {}

    def reset(self) -> None:
        """Do nothing: the program has no data."""

    def check(self, result: Result) -> None:
        """Compare the output of every interpreter with CPython's."""
        check_outputs(self.benchmark.name, result, self.device, expected(self.benchmark))


def cells(xp: Any, n: int) -> Array:
    """Return the matrix of Figure 8: ROWS x n float32 values.

    programs/figure8_setup.py computes the same matrix in Python.
    """
    rows = xp.arange(ROWS, dtype=np.int32)[:, None] + 1
    columns = xp.arange(n, dtype=np.int32)[None, :] % 32 + 1
    quarters: Array = (rows * columns % 37).astype(np.float32) / np.float32(4)
    return quarters


@define
class Summing:
    """Figure 8: interpreter i writes the sum of column i of `data` to row 0."""

    benchmark: Benchmark
    device: Device
    data: Array = field(repr=False)
    first: Array = field(repr=False)

    @classmethod
    def of(cls, benchmark: Benchmark, device: Device, n: int) -> Summing:
        """Return a subject whose matrix has `n` columns."""
        data = cells(device.xp, n)
        return cls(benchmark, device, data, data[0].copy())

    def launch(self) -> dict[str, Any]:
        """Bind the matrix to the name `data`, which the programs read."""
        return {"bind": {"data": self.data.reshape(-1)}}

    def reset(self) -> None:
        """Restore row 0, the only row that programs change."""
        self.data[0] = self.first

    def check(self, result: Result) -> None:
        """Check the sums in row 0 and that nothing was printed."""
        name = self.benchmark.name
        check_ended(name, result, self.device)
        check_outputs(name, result, self.device, (b"",))
        self.check_sums()

    def check_sums(self) -> None:
        """Raise BenchFailed unless row 0 holds the column sums."""
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
    """Return the subject of `benchmark` for `n` interpreters."""
    if benchmark.setup is None:
        return Printing(benchmark, device)
    return Summing.of(benchmark, device, n)
