"""A limit of steps may end C code at any of its steps, and must leave valid objects.

The tests stop each of upstream's own tests at many of its steps, and use the objects that remain.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from porter import InterpreterArray
from porter.base.paths import upstream_dir
from porter.run import Device

PROBE = Path(__file__).with_name("probe_all.py").read_text()
CUTS = 48
ENOUGH = 300_000  # steps
HEAP = "256K"
PARTS = 4
# These access memory by address, where a failed bounds check ends the interpreter.
NAMING = ("memoryview_slice_size", "uctypes_")


def sources(device: Device, part: int) -> list[Path]:
    """Return a part of upstream's tests of C code; there are PARTS parts."""
    tests = upstream_dir() / str(device.built.config["release"]) / "tests"
    found = [*tests.glob("basics/*.py"), *tests.glob("extmod/*.py"), *tests.glob("float/*.py")]
    waiting = ("asyncio_", "vfs_", "sleep", "socket", "ssl", "tls", "time_")
    chosen = [each for each in found if not each.name.startswith((*NAMING, *waiting))]
    return sorted(chosen)[part::PARTS]


def test_what_a_few_cut_programs_leave_can_be_used(fenced: Device) -> None:
    assert cut(fenced, sources(fenced, 0)[::20], 0) > 100


@pytest.mark.campaign("cut-steps")
@pytest.mark.parametrize("part", range(PARTS))
def test_what_a_cut_program_leaves_can_be_used(fenced: Device, part: int) -> None:
    assert cut(fenced, sources(fenced, part), part) > 2000


def cut(device: Device, programs: list[Path], seed: int) -> int:
    """Stop programs at steps chosen at random, and run the probe on the remaining objects.

    Args:
        device: The bounds-checked host twin.
        programs: The programs.
        seed: The seed of the choice.

    Returns:
        The number of interpreters that stopped at the chosen step.

    Raises:
        LaunchFailed: An interpreter broke.
    """
    random = np.random.default_rng(seed)
    stopped = 0
    for path in programs:
        source = path.read_text("utf-8", "replace")
        with InterpreterArray(1, device=device, heap=HEAP) as alone:
            steps = int(alone.exec(source, check=False, max_steps=ENOUGH).steps[0])
        if steps < 2:
            continue
        # Half of the cuts are log-uniform, which covers early steps, and half are uniform.
        few = np.exp(random.uniform(0, np.log(steps), CUTS // 2)).astype(np.int64)
        wanted = np.concatenate([few, random.integers(1, steps, CUTS // 2, endpoint=True)])
        with InterpreterArray(len(wanted), device=device, heap=HEAP) as array:
            outcome = array.exec(source, check=False, max_steps=wanted.tolist())
            stopped += int((outcome.steps == wanted).sum())
            array.exec(PROBE, check=False, max_steps=ENOUGH, deadline=10.0)
    return stopped
