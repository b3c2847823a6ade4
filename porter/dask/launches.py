"""Run a program in many interpreters on a Dask cluster, and send the results to the client."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import numpy as np
from attrs import frozen

from porter.base import arguments
from porter.dask.builds import Parcel, Supply, build_for, device_for
from porter.dask.connection import check_client, workers_of
from porter.dask.tasks import RETRIES, Task, answers
from porter.errors import UsageError, WrongType
from porter.run import Launch, Program, Result
from porter.run import run as run_here
from porter.run.built import Built
from porter.run.device.arrays import HostArrays
from porter.run.device.base import BLOCK
from porter.run.launch.options import Phase
from porter.run.launch.order import order_of_parts
from porter.run.launch.plan import MAXIMUM
from porter.run.launch.programs import programs_of
from porter.run.several.device import Part, Share
from porter.run.several.division import Division, divide
from porter.run.several.launch import checked
from porter.run.several.results import join
from porter.run.several.shadows import Shadows
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
        own = ("stdout", "stderr", "attempts", "taken", "values", "calls")
        names = [field.name for field in attrs.fields(Result) if field.name not in own]
        fields = {name: getattr(result, name) for name in names}
        return cls(*streams, result.steps, {**fields, "attempts": result.allocations})

    def result(self, device: Any) -> Result:
        """Return the Result on the client."""
        streams = (UnpackedStream(device, self.stdout), UnpackedStream(device, self.stderr))
        return Result(*streams, **self.fields, taken=self.steps)


# Options that need memory shared by all interpreters, or callbacks into this process.
NOT_SHARED = ("fs", "fs_guard", "outbuf", "on_output", "on_progress", "cancel", "counting")
LEAST = 1 << 10  # minimum interpreters per task, if there are enough


@frozen(eq=False)
class Destination:
    """The build and target of all parts of one launch."""

    parcel: Parcel
    target: str | None


def run_part(common: Destination, division: Division, count: int) -> Travelling:
    """Run `count` interpreters on a worker."""
    with device_for(common.parcel, common.target) as device:
        result = run_here(
            device,
            division.programs,
            count,
            division.launch,
            division.phase,
            program_of=division.program_of,
        )
        return Travelling.of(result)


def run(
    client: Any,
    program: Program | str | bytes | Sequence[Program | str | bytes],
    n: int,
    launch: Launch | None = None,
    *,
    program_of: np.ndarray[Any, Any] | None = None,
    part: int | None = None,
    target: str | None = None,
    release: str | None = None,
    build: str | os.PathLike[str] | Built | None = None,
    retries: int = RETRIES,
) -> Result:
    """Run programs on the workers of a Dask cluster; see porter.run.run.

    The result equals that of one launch on one device, output byte for byte. threadIdx and
    numThreads count all interpreters.

    Args:
        client: A distributed.Client.
        program: One program for all interpreters, or several.
        n: The number of interpreters.
        launch: Options, without those of shared memory and live output.
        program_of: With several programs: interpreter i runs `program[program_of[i]]`.
        part: The number of interpreters of a task, rounded up to whole blocks.
        target: As for porter.dask.evaluate.
        release: As for porter.dask.evaluate.
        build: As for porter.dask.evaluate.
        retries: As for porter.dask.evaluate.

    Raises:
        PorterError: As porter.run.run and porter.dask.evaluate.
    """
    began = time.monotonic()
    n = arguments.whole(n, "n", 1, MAXIMUM)
    retries = arguments.whole(retries, "retries", 0, 1000)
    launch = _portable(Launch() if launch is None else launch)
    workers = workers_of(check_client(client), target)
    built = build_for(workers, target, release, build, bounds_checks=False)
    here: Any = Elsewhere(built)
    phase = Phase()
    several = isinstance(program, Sequence) and not Program.is_one(program)
    programs: list[Any] = list(program) if several else [program]
    chosen = programs_of(here, programs, program_of, n, phase)
    launch = checked(launch, n)
    order = order_of_parts(chosen, launch, phase)
    common = attrs.evolve(launch, stdin=b"", order=False if order.kept else launch.order)
    parts = _parts(here, n, launch.block or BLOCK, part, sum(w.nthreads for w in workers.values()))

    def tasks() -> Iterator[Task[Travelling]]:
        for one in parts:
            division = divide(Share(one, Shadows(here)), chosen, common, phase, launch.stdin)  # type: ignore[arg-type]
            yield Task(one.range, run_part, (division, one.count))

    supply = Supply.of(client, built)
    destination = Destination(supply.parcel, target)
    found = list(answers(client, tasks(), destination, workers, retries, supply))
    results = [travelling.result(here) for travelling in found]
    return join(here, parts, results, str(order), time.monotonic() - began)


def _portable(launch: Any) -> Launch:
    if not isinstance(launch, Launch):
        raise WrongType(f"launch: {type(launch).__name__} is no Launch")
    for name in NOT_SHARED:
        if getattr(launch, name) is not None:
            raise UsageError(f"{name}: workers of a cluster do not share it with this process")
    if launch.bind:
        raise UsageError("bind: workers of a cluster share no memory with this process")
    if launch.console != "buffer":
        raise UsageError(f"console: {launch.console!r} does not reach this process from a worker")
    return launch


def _parts(device: Any, n: int, block: int, part: int | None, threads: int) -> list[Part]:
    """Return a few parts of whole blocks for each thread of the cluster."""
    wanted = max(LEAST, -(-n // (4 * max(1, threads)))) if part is None else part
    wanted = arguments.whole(wanted, "part", 1, MAXIMUM)
    each = -(-wanted // block) * block
    return [Part(device, "", first, min(each, n - first)) for first in range(0, n, each)]
