"""Replay inputs of the fuzzer on a device, between neighbours that must not be affected."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import numpy as np
from attrs import frozen

from porter.run import Device, Launch, Program, run

# Fewer than 256 back edges, so that the hard stop for inputs does not hit it. Uses a bit of
# everything: objects on the heap, an exception, big integers, floats.
NEIGHBOUR = """\
kept = []
for i in range(40):
    try:
        kept.append((i, str(i) * 3, [i] * 4, 1 / (i % 4)))
    except ZeroDivisionError as e:
        kept.append(repr(e))
print(3 ** 99, kept, sorted({str(k): k for k in kept}))
"""
ENDS = (
    "OK",
    "EXCEPTION",
    "EXIT",
    "SYNTAX_ERROR",
    "OUT_OF_STEPS",
    "OUT_OF_TIME",
)
# Limits for each input, compilation included, and enough for NEIGHBOUR. The limit in seconds is for
# inputs that only wait.
STEPS, SECONDS = 20_000, 5.0


@frozen
class Replay:
    """The results of a replay.

    Attributes:
        inputs: Number of inputs.
        statuses: Number of inputs by status.
        broken: By input, the status of a broken interpreter.
        neighbours: Number of distinct outputs of the neighbours; must be 1.
    """

    inputs: int
    statuses: dict[str, int]
    broken: dict[str, int]
    neighbours: int


def replay(device: Device, inputs: Mapping[str, bytes], launch: Launch | None = None) -> Replay:
    """Run each of `inputs` with a neighbour on either side, all in one launch.

    An input that does not end is stopped after STEPS steps or SECONDS seconds.

    Args:
        device: Device to run on.
        inputs: Programs by name.
        launch: Options of the launch; None for small interpreters.
    """
    statuses = device.built.status
    launch = launch or Launch(heap=24 * 1024, pystack=2048, stack=24 * 1024, stdout=8192)
    names = list(inputs)
    programs = [Program(NEIGHBOUR.encode(), "neighbour")]
    programs += [Program(inputs[name], "fuzz") for name in names]
    which = np.zeros(2 * len(names) + 1, np.uint32)
    which[1::2] = 1 + np.arange(len(names))
    limited = attrs.evolve(launch, max_steps=STEPS, deadline=SECONDS)
    result = run(device, programs, len(which), limited, program_of=which)
    good = {int(statuses[name]): statuses[name].c_name for name in ENDS}
    ends = result.status[1::2]
    values, counts = np.unique(ends, return_counts=True)
    around = {
        (result.stdout[i], result.stderr[i], int(result.status[i])) for i in range(0, len(which), 2)
    }
    return Replay(
        len(names),
        {good.get(int(v), str(int(v))): int(c) for v, c in zip(values, counts, strict=True)},
        {name: int(end) for name, end in zip(names, ends, strict=True) if int(end) not in good},
        len(around),
    )
