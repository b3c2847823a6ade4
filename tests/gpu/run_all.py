"""Run every GPU test and timing in one call, from a finished build, on a bare machine.

    python tests/gpu/run_all.py BUILD_FOLDER [RESULTS.json] [-n INTERPRETERS]

Needs numpy, CuPy and attrs. Writes the passed checks, their times and the failures; the exit status
is the number of failures.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import attrs
import numpy as np

from porter.run import Device, Launch, open_device, run
from porter.run.launch.options import Phase
from porter.smoke import smoke
from porter_dev.allocation_failure.injection import Effect
from porter_dev.allocation_failure.injection_campaign import inject_failures
from porter_dev.allocation_failure.injection_runner import InjectionRunner, Run, injections_on
from porter_dev.allocation_failure.subjects import folder
from porter_dev.fuzz.replay import replay

ROOT = Path(__file__).resolve().parents[2]
Check = Callable[[Device, int], dict[str, Any]]


@attrs.frozen
class Here:
    """A runner of launches in this process, which a failing launch may end."""

    run: Run

    def close(self) -> None:
        """Do nothing: there is no resource to release."""


def check_smoke(device: Device, n: int) -> dict[str, Any]:
    """Run the smoke programs on all interpreters."""
    checks = smoke(device, n)
    wrong = [check.as_dict() for check in checks if not check.passed]
    assert not wrong, json.dumps(wrong, indent=1)
    return {check.program: check.seconds for check in checks}


def check_three_groups(device: Device, n: int) -> dict[str, Any]:
    """Run Figure 1: three different outputs."""
    result = run(device, ["print('I am thread', threadIdx % 3)"], n)
    start = time.monotonic()
    groups = result.stdout.groups
    assert [group.count for group in groups] == [len(range(k, n, 3)) for k in range(3)]
    return {"launch": result.seconds, "merge": time.monotonic() - start}


def check_all_different(device: Device, n: int) -> dict[str, Any]:
    """Check that there are as many outputs as interpreters."""
    result = run(device, ["print(threadIdx)"], n)
    start = time.monotonic()
    assert len(result.stdout.groups) == n
    return {"launch": result.seconds, "merge": time.monotonic() - start}


def check_exceptions_stay_private(device: Device, n: int) -> dict[str, Any]:
    """Check that every fourth interpreter raises and the others continue."""
    result = run(device, ["if threadIdx % 4 == 0:\n    raise ValueError(1)\nprint('well')\n"], n)
    raised = device.built.constants["GPUSNEK_EXCEPTION"]
    expected = np.where(np.arange(n) % 4 == 0, raised, 0)
    assert (result.status == expected).all()
    assert {group.text for group in result.stdout.groups} == {b"", b"well\n"}
    assert any(b"ValueError: 1" in group.text for group in result.stderr.groups)
    return {"launch": result.seconds}


def check_interrupt(device: Device, n: int) -> dict[str, Any]:
    """Interrupt an endless loop from the host."""
    result = run(device, ["while True: pass"], min(n, 4096), Launch(timeout=1.0))
    assert result.interrupted
    assert (result.status != 0).all()
    return {"launch": result.seconds}


def check_persistence(device: Device, n: int) -> dict[str, Any]:
    """Check that interpreters persist over launches."""
    n = min(n, 65536)
    config = device.built.config
    arenas = device.arenas(n, config["pystack"], config["heap"])
    first = run(device, ["x = [threadIdx] * 3"], n, None, Phase(arenas=arenas, stop=False))
    second = run(device, ["print(sum(x) == 3 * threadIdx)"], n, None, Phase(arenas=arenas))
    assert not first.status.any() and not second.status.any()
    assert [group.text for group in second.stdout.groups] == [b"True\n"]
    return {"first": first.seconds, "second": second.seconds}


def check_collection(device: Device, n: int) -> dict[str, Any]:
    """Allocate far more than the heap holds, and keep some of it."""
    program = "keep = []\nfor i in range(300):\n    s = [i] * 20\n    if i % 50 == 0:\n"
    program += "        keep.append(s)\nprint([k[7] for k in keep])\n"
    result = run(device, [program], n, Launch(gc_stress=n <= 4096))
    assert [group.text for group in result.stdout.groups] == [b"[0, 50, 100, 150, 200, 250]\n"]
    return {"launch": result.seconds}


def check_failing_allocations(device: Device, n: int) -> dict[str, Any]:
    """Let every allocation of porter's programs fail once, each in a separate interpreter."""
    launch = Launch(stdout=4096, stderr=2048, timeout=60.0)
    runner = InjectionRunner(Here(injections_on(device, launch)), chunk=1 << 16, parallel=1 << 16)
    results = inject_failures(folder(ROOT / "tests" / "sweep" / "programs"), runner)
    assert results.rows and not results.bad, [bad.ending for bad in results.bad[:3]]
    outcomes = {verdict.value: results.total(verdict) for verdict in Effect if verdict.good}
    return {"programs": len(results.rows), "interpreters": results.interpreters, **outcomes}


def check_fuzz_corpus(device: Device, n: int) -> dict[str, Any]:
    """Run the fuzzer's corpus between neighbours whose output must not change by a bit."""
    corpus = ROOT / "tests" / "fuzz" / "corpus"
    inputs = {path.name: path.read_bytes() for path in sorted(corpus.iterdir())}
    done = replay(device, inputs, Launch(stdout=4096, stderr=2048))
    assert not done.broken, done.broken
    assert done.neighbours == 1
    return {"inputs": done.inputs, **done.statuses}


CHECKS: tuple[Check, ...] = (
    check_three_groups,
    check_all_different,
    check_exceptions_stay_private,
    check_collection,
    check_interrupt,
    check_persistence,
    check_smoke,
    check_failing_allocations,
    check_fuzz_corpus,
)


def main() -> int:
    """Run all checks; returns the number of failures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("build", type=Path)
    parser.add_argument("results", type=Path, nargs="?")
    parser.add_argument("-n", type=int, default=1 << 20)
    parser.add_argument("--target", default="cuda")
    arguments = parser.parse_args()
    device = open_device(arguments.build, arguments.target)
    results: dict[str, Any] = {"build": device.built.manifest["inputs"]["config"]}
    failures = 0
    for check in CHECKS:
        start = time.monotonic()
        entry: dict[str, Any] = {"passed": True}
        try:
            entry["figures"] = check(device, arguments.n)
        except Exception:
            failures += 1
            entry = {"passed": False, "traceback": traceback.format_exc()[-4000:]}
        entry["seconds"] = time.monotonic() - start
        results[check.__name__] = entry
        print(check.__name__, json.dumps(entry)[:1500], flush=True)
        if arguments.results is not None:  # after each: a killed run keeps its results
            arguments.results.write_text(json.dumps(results, indent=1) + "\n")
    return failures


if __name__ == "__main__":
    sys.exit(main())
