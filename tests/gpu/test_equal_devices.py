"""Evaluations give equal arrays on cores, on a GPU, and on both: statuses, steps, values, texts.

Needs a build with both targets in $PORTER_GPU_BUILD. $PORTER_EQUAL_PROGRAMS is the number of
generated programs.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from porter import evaluate
from porter.evaluation import Evaluation
from porter.evaluation.devices import MixedDevices, open_mixed
from porter.evaluation.schedule import Schedule
from porter.run import Device, open_device
from porter.run.built import Built, open_build
from porter_dev.candidates import functions

pytestmark = pytest.mark.gpu
COUNT = int(os.environ.get("PORTER_EQUAL_PROGRAMS", "1000"))
KEEP = ("values", "outputs", "tracebacks")
HOSTILE = [
    "def solve(x):\n while True: pass",
    "def solve(x): return solve(x)",
    "def solve(x):\n a = []\n while True: a.append(a * 2)",
    "def solve(x): return 'x' * (1 << 40)",
    "def solve(x): return 9 ** 9 ** 9",
    "def solve(x):\n try:\n  while True: pass\n except BaseException: return 1",
    "def solve(x) return",
    "x = (",
    "raise SystemExit(3)",
    "def solve(x): raise BaseException('x' * x)",
    "def solve(x): print('y' * 100000)",
    "import turtle\ndef solve(x): return 1",
    "def solve(x):\n import this_is_missing",
    "def solve(x):\n class A:\n  def __eq__(self, other): return solve(x)\n return A()",
    "def solve(x): return [float('nan')] * x",
    "def solve(x): return {k: {k} for k in range(x)}",
    "def solve(x): return sum(k for k in range(100000 + x))",
    "def solve(x): return list(range(20000))[x]",
    "def solve(x): return compile('x +', '', 'eval')",
    "def solve(x): return eval('x ** x')",
]


@pytest.fixture(scope="module")
def built() -> Built:
    """Return the build; skip where it lacks a target."""
    if "PORTER_GPU_BUILD" not in os.environ:
        pytest.skip("PORTER_GPU_BUILD names no device build")
    found = open_build(Path(os.environ["PORTER_GPU_BUILD"]))
    if "host" not in found.manifest["targets"]:
        pytest.skip("the build has no host twin")
    return found


def sources() -> list[str]:
    """Return generated programs, with hostile ones among them."""
    return [*HOSTILE, *functions(7, COUNT), *HOSTILE]


def judged(device: Device | MixedDevices, each: str) -> Evaluation:
    cases = [((x,), x) for x in range(4)]
    return evaluate(
        sources(), cases, device=device, each=each, keep=KEEP, steps=400_000, max_heap="256K"
    )


@pytest.mark.parametrize("each", ["case", "program"])
def test_cores_and_gpu_agree(built: Built, each: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cores = judged(open_device(built, "host"), each)
    mixed = open_mixed(built, every=True)
    mixed.open()
    monkeypatch.setattr(Schedule, "rows", lambda self, k, left, elapsed: 800)
    for device in (open_device(built, "cuda"), mixed):
        found = judged(device, each)
        for name in ("status", "steps"):
            mine, theirs = getattr(cores, name), getattr(found, name)
            differ = np.argwhere(mine != theirs)[:5].tolist()
            assert not differ, (name, differ)
        assert cores.outputs == found.outputs
        assert repr(cores.values) == repr(found.values)
        assert cores.tracebacks == found.tracebacks
        device.close()
