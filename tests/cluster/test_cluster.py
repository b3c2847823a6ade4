"""Work on a cluster of two processes gives the local result, also if a worker is killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from porter import dask
from porter.dask.connection import workers_of
from porter.dask.tasks import Task, answers
from porter.errors import ClusterFailed, NoGpu, UsageError, WrongType
from porter.evaluation import CaseStatus, evaluate
from porter.pipeline import Build
from porter.run import Device, Launch, Result, run
from porter.run.built import open_build
from tests.cluster.conftest import killing_one

CASES = [((x,), x * x) for x in range(6)]
PROGRAMS = [
    f"def solve(x):\n    for i in range(3000): pass\n    return x * {2 + i % 3} // 2"
    for i in range(90)
]


def same(a: Result, b: Result) -> None:
    for name in ("stdout", "stderr"):
        mine, other = getattr(a, name), getattr(b, name)
        assert list(mine.groups) == list(other.groups)
        assert [mine[i] for i in range(-1, len(mine))] == [other[i] for i in range(-1, len(other))]
    for name in ("status", "exit_code", "allocations", "steps"):
        assert getattr(a, name).tolist() == getattr(b, name).tolist(), name
    assert (a.lacks, a.limited, a.order) == (b.lacks, b.limited, b.order)


def test_an_array_of_programs(client: Any, here: Device, built: Build) -> None:
    source = """
import random
print(threadIdx % 3, numThreads, blockIdx, random.getrandbits(2), input())
if threadIdx % 7 == 0: raise ValueError(threadIdx % 2)
while threadIdx % 5 == 1: pass
"""
    lines = [f"{i % 2}\n" for i in range(700)]
    launch = Launch(seed=9, block=32, stdin=lines, max_steps=[50 + i % 9 for i in range(700)])
    there = dask.run(client, source, 700, launch, part=100, build=built.folder)
    same(run(here, [source], 700, launch), there)


def test_sizes_of_a_build_travel_with_it(client: Any, built: Build) -> None:
    source = "import gc\nprint((gc.mem_free() + gc.mem_alloc()) // 2048)"
    plain = open_build(built.folder)
    for heap in (8192, 65536):
        there = dask.run(client, source, 4, build=plain.with_choices({"heap": heap}))
        assert there.stdout[0] == str(heap // 2048 - 1).encode() + b"\n"


def test_several_programs(client: Any, here: Device, built: Build) -> None:
    programs = [f"print({i} // 2, threadIdx // 50)" for i in range(9)]
    program_of = np.arange(300, dtype=np.uint32) % 7
    launch = Launch(block=16)
    there = dask.run(
        client, programs, 300, launch, program_of=program_of, part=64, build=built.folder
    )
    same(run(here, programs, 300, launch, program_of=program_of), there)


def test_a_killed_worker_loses_nothing(client: Any, here: Device, built: Build) -> None:
    killed, kill_one = killing_one(client)
    there = dask.evaluate(
        client,
        {f"p{i}": program for i, program in enumerate(PROGRAMS)},
        CASES,
        batch=5,
        progress=kill_one,
        build=built.folder,
    )
    alone = evaluate(PROGRAMS, CASES, device=here)
    assert np.array_equal(there.status, alone.status)
    assert np.array_equal(there.steps, alone.steps)
    assert there.names is not None and there.names[7] == "p7"
    client.wait_for_workers(2, timeout=30)
    assert killed and killed[0] not in client.run(os.getpid).values()


def test_the_command(client: Any, built: Build, tmp_path: Path) -> None:
    (tmp_path / "programs").mkdir()
    for i in range(8):
        (tmp_path / "programs" / f"{i}.py").write_text(f"def solve(x): return x * {i}")
    (tmp_path / "cases.jsonl").write_text('{"args": [3], "expected": 6}\n' * 2)
    command = [sys.executable, "-m", "porter", "evaluate", "programs", "cases.jsonl"]
    command += ["--out", "rows.jsonl", "--build", str(built.folder)]
    command += ["--scheduler", client.scheduler.address, "--batch", "3"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("8 programs, 16 calls, 1 solved")
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert [row["status"] for row in rows] == ["WRONG"] * 4 + ["PASSED"] * 2 + ["WRONG"] * 10


def test_a_task_that_always_fails_names_its_programs(client: Any) -> None:
    def failing(common: object) -> int:
        return 1 // 0

    tasks = [Task("programs 0 to 4", failing, ())]
    with pytest.raises(ClusterFailed, match="programs 0 to 4 failed 2 times: ZeroDivisionError"):
        list(answers(client, tasks, None, workers_of(client, None), retries=1))


def test_a_function_that_raises_ends_its_row_alone(client: Any, built: Build) -> None:
    found = dask.evaluate(
        client,
        ["def solve(x): return x"] * 4,
        [((0,), 0), ((6,), 1)],
        batch=1,
        compare=lambda got, expected: 6 // got == expected,
        build=built.folder,
    )
    assert found.status.tolist() == [[CaseStatus.NOT_COMPARED, CaseStatus.PASSED]] * 4
    said = "ZeroDivisionError: integer division or modulo by zero"
    assert found.reasons == {(program, 0): said for program in range(4)}


def test_a_task_that_ends_workers_names_its_programs(client: Any, built: Build) -> None:
    def compare(got: int, expected: int) -> bool:
        os._exit(3) if got == 20 else None
        return got == expected

    with pytest.raises(
        ClusterFailed, match="programs 1 to 1 ended every worker that ran them, alone"
    ) as raised:
        dask.evaluate(
            client,
            ["def solve(x): return x", "def solve(x): return x + 20"],
            [((0,), 0)],
            batch=1,
            compare=compare,
            build=built.folder,
        )
    assert [judgement.first for judgement in raised.value.result] == [0]
    client.wait_for_workers(2, timeout=30)


def test_what_a_cluster_cannot_do(client: Any, built: Build) -> None:
    with pytest.raises(NoGpu, match="2 of 2 workers have no GPU: tcp://"):
        dask.evaluate(client, PROGRAMS[:1], CASES, target="cuda", build=built.folder)
    with pytest.raises(UsageError, match="more programs"):
        dask.evaluate(client, PROGRAMS[:3], CASES, steps=[9], build=built.folder)
    with pytest.raises(UsageError, match="the build in a folder has its own"):
        dask.evaluate(client, PROGRAMS[:1], CASES, build=built.folder, release="1.28.0")
    with pytest.raises(UsageError, match="colour: there is no such option"):
        dask.evaluate(client, PROGRAMS[:1], CASES, colour=1, build=built.folder)
    for program in (3, None, [3], Path("program.py")):
        with pytest.raises(WrongType, match=r"source: \w+ is neither"):
            dask.run(client, program, 4, build=built.folder)  # type: ignore[arg-type]
    wrong_launches: tuple[Any, ...] = (3, {})
    for options in wrong_launches:
        with pytest.raises(WrongType, match=r"launch: \w+ is no Launch"):
            dask.run(client, "pass", 4, options, build=built.folder)
    with pytest.raises(WrongType, match=r"int is no distributed\.Client"):
        dask.run(3, "pass", 4, build=built.folder)
    for launch, name in (
        (Launch(outbuf=np.zeros(4, np.uint8)), "outbuf"),
        (Launch(bind={"a": np.zeros(4)}), "bind"),
        (Launch(console="printf"), "console"),
        (Launch(stdin=["a"] * 3), "stdin"),
    ):
        with pytest.raises(UsageError, match=f"^{name}: "):
            dask.run(client, "pass", 4, launch, build=built.folder)
    for wrong in ({"n": 0}, {"part": 0}, {"retries": -1}):
        with pytest.raises(UsageError):
            given: dict[str, Any] = {"n": 4, "build": built.folder, **wrong}
            dask.run(client, "pass", **given)
