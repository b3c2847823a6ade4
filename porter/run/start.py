"""Entry points of all launches: `start` a launch, `run` it to its end, `clone` an interpreter.

`launch.single` leads through a launch on one device, `several.launch` through one on a composite
device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from porter.errors import LaunchFailed
from porter.run.device.base import Arenas, Device
from porter.run.launch.options import Copies, Launch, Phase, Program
from porter.run.launch.plan import LaunchRequest, check_types
from porter.run.launch.running import RunningLaunch, check_not_exiting
from porter.run.launch.single import start_on_device
from porter.run.result import Result
from porter.run.several.launch import start_on_members


def run(
    device: Device,
    programs: Sequence[Program | str | bytes],
    n: int,
    launch: Launch | None = None,
    phase: Phase | None = None,
    *,
    program_of: np.ndarray[Any, Any] | None = None,
) -> Result:
    """Run `n` interpreters on `device` and wait for them.

    Interpreters of several programs are sorted by program (order.py).

    Args:
        device: An open device.
        programs: Programs or sources.
        n: Number of interpreters.
        launch: Options; None: the defaults.
        phase: The part of interpreters' lives to run; None: the whole life.
        program_of: Interpreter i runs programs[program_of[i]]; GPUSNEK_NO_PROGRAM: it stays idle.
            None: all run programs[0].

    Raises:
        NotEnoughMemory: The interpreters do not fit, and none started. Or persistent interpreters
            of a later chunk (device/chunks.py) did not fit; these are unchanged.
        LaunchFailed: The device failed.
        UsageError: An option is invalid.
        LaunchInterrupted: Ctrl-C came; the error has the result.
    """
    result = start(device, programs, n, launch, phase, program_of=program_of).wait()
    if result.refused is not None:
        raise result.refused
    return result


def start(
    device: Device,
    programs: Sequence[Program | str | bytes],
    n: int,
    launch: Launch | None = None,
    phase: Phase | None = None,
    *,
    program_of: np.ndarray[Any, Any] | None = None,
) -> RunningLaunch:
    """Start a launch as `run` does, without waiting."""
    check_not_exiting()
    launch = Launch() if launch is None else launch
    phase = Phase() if phase is None else phase
    request = LaunchRequest(programs, n, launch, phase, program_of)
    check_types(device, request)
    if device.members:
        return start_on_members(device, request)
    return start_on_device(device, request)


def clone(device: Device, arenas: Arenas, index: int, block: int = 0) -> None:
    """Replace all idle interpreters in `arenas` by copies of interpreter `index`.

    Each keeps its own threadIdx, blockIdx and localIdx, and gets its own random numbers.

    Args:
        device: The device of the arenas.
        arenas: The interpreters.
        index: The interpreter to copy.
        block: Interpreters per block, as in their launches.

    Raises:
        UsageError: The interpreters cannot be copied.
        LaunchFailed: Interpreter `index` has ended.
    """
    copy = device.single(arenas, index)
    launch = Launch(heap=arenas.sizes["heap"], pystack=arenas.sizes["pystack"], block=block)
    addresses = np.array([copy.address], np.uint64)
    copies = Copies(addresses, device.built.flag["FORK"], copy)
    phase = Phase(arenas=arenas, copies=copies, stop=False, execute=False)
    result = run(device, [], arenas.n, launch, phase)
    if result.status.any():
        raise LaunchFailed(f"interpreter {index} has ended, and cannot be copied")
