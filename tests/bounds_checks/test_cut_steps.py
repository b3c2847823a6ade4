"""A limit of steps may end C code at any of its steps, and must leave valid objects.

The tests stop each of upstream's own tests at many of its steps, and use the objects that remain.
Then the same interpreter is used fully (use_fully.py): it allocates, collects, prints, sorts, opens
files, imports, compiles, and runs finalisers, callbacks and scheduled functions.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from porter import InterpreterArray
from porter.base.paths import upstream_dir
from porter.fs import Image
from porter.run import Device, open_device
from tests.conftest import shared

PROBE = Path(__file__).with_name("probe_all.py").read_text()
FULLY = Path(__file__).with_name("use_fully.py").read_bytes()
CUTS = 48
ENOUGH = 300_000  # steps
HEAP = "256K"
PARTS = 4
# These access memory by address, where a failed bounds check ends the interpreter.
NAMING = ("memoryview_slice_size", "uctypes_")
# These change what every program finds: builtins, modules, their paths, the collector's settings.
# The last pattern finds the program that fills the heap with objects that stay reachable.
CHANGING = re.compile(
    r"\b(heap_lock|sys\.(path|modules)|builtins\.|gc\.(disable|threshold)|append\(bytearray)\b"
)
IMAGE_BYTES = 64 << 10


def sources(device: Device, part: int) -> list[Path]:
    """Return a part of upstream's tests of C code; there are PARTS parts."""
    tests = upstream_dir() / str(device.built.config["release"]) / "tests"
    found = [*tests.glob("basics/*.py"), *tests.glob("extmod/*.py"), *tests.glob("float/*.py")]
    waiting = ("asyncio_", "vfs_", "sleep", "socket", "ssl", "tls", "time_")
    chosen = [each for each in found if not each.name.startswith((*NAMING, *waiting))]
    return sorted(chosen)[part::PARTS]


@pytest.mark.parametrize("sandbox", [False, True])
def test_what_a_few_cut_programs_leave_can_be_used(fenced: Device, sandbox: bool) -> None:
    assert cut(fenced, sources(fenced, 0)[::70], 0, sandbox) > 30


@pytest.mark.campaign("cut-steps")
@pytest.mark.parametrize("part", range(PARTS))
def test_what_a_cut_program_leaves_can_be_used(fenced: Device, part: int) -> None:
    assert cut(fenced, sources(fenced, part), part) > 2000


@pytest.mark.campaign("cut-steps")
@pytest.mark.parametrize("sandbox", [False, True])
def test_without_a_patch_too(sandbox: bool) -> None:
    """Weak references call back in the collector of this build."""
    built = shared("bounds-checked", skip_patches="weakrefs")
    device = open_device(built.folder, "host")
    assert cut(device, sources(device, 1)[::4], 1, sandbox) > 400


def cut(device: Device, programs: list[Path], seed: int, sandbox: bool = False) -> int:
    """Stop programs at steps chosen at random, and use the objects that remain.

    Args:
        device: The bounds-checked host twin.
        programs: The programs.
        seed: The seed of the choice.
        sandbox: Whether the interpreters are in a sandbox.

    Returns:
        The number of interpreters that stopped at the chosen step.

    Raises:
        LaunchFailed: An interpreter broke.
    """
    random = np.random.default_rng(seed)
    image = Image.empty(IMAGE_BYTES)
    image.write("/use_fully.py", FULLY)
    stopped = 0
    for path in programs:
        source = path.read_text("utf-8", "replace")
        with InterpreterArray(1, device=device, heap=HEAP, sandbox=sandbox) as alone:
            steps = int(alone.exec(source, check=False, max_steps=ENOUGH).steps[0])
        if steps < 2:
            continue
        # Half of the cuts are log-uniform, which covers early steps, and half are uniform.
        few = np.exp(random.uniform(0, np.log(steps), CUTS // 2)).astype(np.int64)
        wanted = np.concatenate([few, random.integers(1, steps, CUTS // 2, endpoint=True)])
        with InterpreterArray(
            len(wanted), device=device, heap=HEAP, sandbox=sandbox, fs=image
        ) as array:
            outcome = array.exec(source, check=False, max_steps=wanted.tolist())
            stopped += int((outcome.steps == wanted).sum())
            if CHANGING.search(source) is None:
                assert_usable(array, path.name)
            array.exec(PROBE, check=False, max_steps=ENOUGH, deadline=10.0)
    return stopped


def assert_usable(array: InterpreterArray, name: str) -> None:
    """Assert that every interpreter can be used fully.

    The program's own callbacks of weak references may print while the collector runs.

    Args:
        array: The interpreters, each after a program that was stopped.
        name: The program's name, for the message.
    """
    used = array.exec("import use_fully", check=False, max_steps=ENOUGH, deadline=10.0)
    ends = {(used.stdout[i], used.stderr[i]) for i in range(len(array))}
    assert not {end for end in ends if not end[0].endswith(b"used []\n") or end[1]}, name
