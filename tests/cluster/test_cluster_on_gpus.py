"""One worker per GPU: results equal those of one GPU, also if a worker is killed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from porter import dask, evaluate
from porter.errors import NoGpu
from porter.run.built import Built, open_build
from porter_dev.candidates import functions
from porter_dev.dask_workers import workers as one_per_gpu
from tests.cluster.conftest import killing_one

pytestmark = pytest.mark.gpu
CASES = [((case,), 0) for case in range(8)]
SOURCES = functions(7, 1200)


@pytest.fixture(scope="module")
def on_gpu() -> Built:
    if "PORTER_GPU_BUILD" not in os.environ:
        pytest.skip("PORTER_GPU_BUILD names no device build")
    return open_build(Path(os.environ["PORTER_GPU_BUILD"]))


@pytest.fixture(scope="module")
def workers(on_gpu: Built) -> Iterator[tuple[Any, int]]:
    """Yield a client of a scheduler with one worker process per GPU, and the number of GPUs."""
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    from porter.run.device.cuda import gpu_count

    try:
        count = gpu_count()
    except NoGpu as error:
        pytest.skip(error.message)
    with one_per_gpu(count) as client:
        yield client, count


def test_programs_are_judged_as_on_one(on_gpu: Built, workers: tuple[Any, int]) -> None:
    client, count = workers
    one = evaluate(SOURCES, CASES, build=on_gpu, devices=[0])
    seen: list[int] = []
    all_of_them = dask.evaluate(
        client, SOURCES, CASES, batch=100, target="cuda", build=on_gpu, progress=seen.append
    )
    assert np.array_equal(one.status, all_of_them.status) and one.passed.any()
    assert np.array_equal(one.steps, all_of_them.steps)
    assert seen[-1] == len(SOURCES) and len(client.scheduler_info()["workers"]) == count


def test_a_killed_worker_loses_nothing(on_gpu: Built, workers: tuple[Any, int]) -> None:
    client, count = workers
    killed, kill_one = killing_one(client)
    there = dask.evaluate(
        client, SOURCES, CASES, batch=100, target="cuda", build=on_gpu, progress=kill_one
    )
    one = evaluate(SOURCES, CASES, build=on_gpu, devices=[0])
    assert np.array_equal(one.status, there.status) and np.array_equal(one.steps, there.steps)
    client.wait_for_workers(count, timeout=60)
    assert killed and killed[0] not in client.run(os.getpid).values()


def test_an_array_of_programs(workers: tuple[Any, int], on_gpu: Built) -> None:
    client, _ = workers
    result = dask.run(
        client, "print(threadIdx // 2000, numThreads)", 4000, target="cuda", build=on_gpu
    )
    assert [(g.count, g.text) for g in result.stdout.groups] == [
        (2000, b"0 4000\n"),
        (2000, b"1 4000\n"),
    ]
