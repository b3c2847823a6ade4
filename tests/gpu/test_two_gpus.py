"""Several GPUs of one machine give the results of one, with the build in $PORTER_GPU_BUILD."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from porter import InterpreterArray, evaluate
from porter.errors import NoGpu
from porter.run.built import Built, open_build
from porter_dev.candidates import functions

pytestmark = pytest.mark.gpu
CASES = [((case,), 0) for case in range(8)]


@pytest.fixture(scope="module")
def build_of_two() -> Built:
    if "PORTER_GPU_BUILD" not in os.environ:
        pytest.skip("PORTER_GPU_BUILD names no device build")
    from porter.run.device.cuda import gpu_count

    try:
        if gpu_count() < 2:
            pytest.skip("one GPU")
    except NoGpu as error:
        pytest.skip(error.message)
    return open_build(Path(os.environ["PORTER_GPU_BUILD"]))


def test_programs_are_judged_as_on_one(build_of_two: Built) -> None:
    sources = functions(5, 600)
    one, two = (
        evaluate(sources, CASES, build=build_of_two, devices=devices) for devices in ([0], [0, 1])
    )
    assert one.passed.any() and (one.steps > 0).any(axis=1).all()
    assert np.array_equal(one.status, two.status) and np.array_equal(one.steps, two.steps)


def test_an_array_is_as_on_one(build_of_two: Built) -> None:
    source = "x = [str(i * threadIdx) for i in range(20)]\nprint(threadIdx, numThreads, x[-1])\n"
    with InterpreterArray(500, build=build_of_two, devices=[0, 1]) as array:
        outcome = array.exec(source)
        assert [outcome.stdout[i] for i in (0, 249, 250, 499)] == [
            f"{i} 500 {19 * i}\n".encode() for i in (0, 249, 250, 499)
        ]
