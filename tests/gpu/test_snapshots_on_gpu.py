"""Snapshots on a GPU: many interpreters keep their state over many launches."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from porter import InterpreterArray
from porter.base.sizes import format_size
from porter.errors import NotEnoughMemory
from porter.repl.session import Session
from porter.run import Device, Launch, open_device, run
from porter.run.device import chunks
from porter.run.device.snapshots import SnapshotStore
from porter.run.footprint import ROW, MemoryBudget
from porter.run.launch.options import Phase
from porter.run.start import clone
from tests.local_twin import store_of

pytestmark = pytest.mark.gpu

N = 300_000


@pytest.fixture(scope="module")
def gpu() -> Iterator[Device]:
    if "PORTER_GPU_BUILD" not in os.environ:
        pytest.skip("PORTER_GPU_BUILD names no device build")
    device = open_device(Path(os.environ["PORTER_GPU_BUILD"]), "cuda")
    if not device.local:
        pytest.skip("arenas in global memory do not rest as images")
    yield device
    device.close()


def told(images: SnapshotStore, what: str) -> None:
    each = images.size / images.n
    rows = format_size(images.rows * ROW)
    print(f"{what}: {each:.0f} bytes each at rest, {images.n} interpreters, rows for {rows}")


def images_of(array: InterpreterArray) -> SnapshotStore:
    return store_of(array._open_arenas())


def test_many_keep_what_they_left(gpu: Device) -> None:
    with InterpreterArray(N, device=gpu) as sneks:
        told(images_of(sneks), "booted")
        sneks.exec("x = threadIdx * 2\nwords = {}")
        told(images_of(sneks), "x = threadIdx * 2")
        for k in range(3):
            # Interpreters grow, shrink, or do nothing, by their index.
            sneks.exec(
                f"if threadIdx % 7 == {k}: words[{k}] = [threadIdx] * (threadIdx % 50)\n"
                f"elif threadIdx % 7 == {k + 1}: words.clear()"
            )
            assert (sneks.eval("x").get() == 2 * np.arange(N)).all()
            if k == 1:
                before = images_of(sneks).size
                assert sneks.trim() > 0
                assert images_of(sneks).size <= before
                assert sneks.trim() == 0
        told(images_of(sneks), "lists")
        lanes = np.arange(N)
        want = np.where(lanes % 7 < 3, lanes % 50, 0)
        assert (sneks.eval("sum(len(w) for w in words.values())").get() == want).all()
        wrong = sneks.eval("sum(sum(a != threadIdx for a in w) for w in words.values())")
        assert not wrong.get().any()


def test_those_that_booted_by_themselves(gpu: Device) -> None:
    config = gpu.built.config
    arenas = gpu.arenas(N, config["pystack"], config["heap"])
    launch, keep = Launch(fork=False), Phase(arenas=arenas, stop=False)
    assert not run(gpu, ["x = [threadIdx] * 5"], N, launch, keep).status.any()
    told(store_of(arenas), "booted by themselves")
    before = store_of(arenas).size
    assert gpu.trim(arenas) > 0
    told(store_of(arenas), "and trimmed")
    assert store_of(arenas).size < before // 2
    result = run(gpu, ["print(x == [threadIdx] * 5)"], N, launch, keep)
    assert [(group.text, group.count) for group in result.stdout.groups] == [(b"True\n", N)]


@pytest.mark.parametrize("block", [1, 48, 100, 128])
def test_copies_of_several_programs(gpu: Device, block: int) -> None:
    n = 60_000
    config = gpu.built.config
    rng = np.random.default_rng(block)
    programs = [f"x = [threadIdx + {k}] * {k + 1}" for k in range(5)]
    for order in (None, False):
        which = rng.integers(0, 5, n).astype(np.uint32)
        arenas = gpu.arenas(n, config["pystack"], config["heap"])
        launch = Launch(block=block, order=order)
        keep = Phase(arenas=arenas, stop=False)
        assert not run(gpu, programs, n, launch, keep, program_of=which).status.any()
        told(store_of(arenas), f"five programs, blocks of {block}")
        rests = gpu.built.constants["GPUSNEK_NO_PROGRAM"]
        some = np.where(rng.random(n) < 0.4, rests, rng.integers(0, 2, n)).astype(np.uint32)
        more = ["x.append(threadIdx)", "x += x"]
        run(gpu, more, n, launch, keep, program_of=some)
        gpu.trim(arenas)
        want = [[i + k] * (k + 1) for i, k in enumerate(which.tolist())]
        for row, what in zip(enumerate(want), some.tolist(), strict=True):
            i, mine = row
            if what == 0:
                mine.append(i)
            elif what == 1:
                mine += mine
        result = run(gpu, ["print(x)"], n, launch, keep)
        assert not result.status.any()
        for i in (0, 1, 31, 32, 33, n - 1, *rng.integers(0, n, 300).tolist()):
            assert result.stdout[i] == f"{want[i]}\n".encode()


def test_all_become_copies_of_one(gpu: Device) -> None:
    n = 100_000
    config = gpu.built.config
    arenas = gpu.arenas(n, config["pystack"], config["heap"])
    launch, keep = Launch(), Phase(arenas=arenas, stop=False)
    run(gpu, ["x = [threadIdx] * 300\ndef f():\n    return x[0]"], n, launch, keep)
    told(store_of(arenas), "lists of 300")
    for index in (5, 77_777):
        clone(gpu, arenas, index)
        gpu.trim(arenas)
        told(store_of(arenas), f"copies of {index}")
        result = run(gpu, ["print(f(), len(x), threadIdx == x[0])"], n, launch, keep)
        texts = {group.text: group.count for group in result.stdout.groups}
        assert texts == {b"5 300 False\n": n - 1, b"5 300 True\n": 1}


def test_more_than_fit_at_their_most(gpu: Device) -> None:
    n = 4_000_000
    need = gpu.figures.resting(gpu.built.config["pystack"], gpu.built.config["heap"])
    print(f"{n} interpreters at their most: {format_size(n * need)}")
    try:
        sneks = InterpreterArray(n, device=gpu, stdout=64, stderr=64)
    except NotEnoughMemory as error:
        pytest.skip(str(error))
    with sneks:
        told(images_of(sneks), "booted")
        sneks.exec("x = threadIdx * 2")
        told(images_of(sneks), "x = threadIdx * 2")
        assert (sneks.eval("x").get() == 2 * np.arange(n)).all()
        sneks.exec("x += 1")
        assert (sneks.eval("x").get() == 2 * np.arange(n) + 1).all()
        sneks.trim()
        told(images_of(sneks), "trimmed")


def test_chunks(gpu: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "CHUNK", 1 << 16)
    each = gpu.figures.pages(gpu.built.config["heap"]) * ROW // 32
    room: Callable[[int], MemoryBudget] = gpu.memory_budget

    def short(local: int) -> MemoryBudget:
        found = room(local)
        return MemoryBudget(min(found.free, found.fixed + N * 4096 + 90_000 * each), found.fixed)

    monkeypatch.setattr(gpu, "memory_budget", short)
    started: list[tuple[int, int]] = []
    start: Any = gpu._start  # type: ignore[attr-defined]

    def counted(record: Any, threads: int) -> Any:
        started.append((int(record["offset"]), threads))
        return start(record, threads)

    monkeypatch.setattr(gpu, "_start", counted)
    with InterpreterArray(N, device=gpu) as sneks:
        sneks.exec("x = [threadIdx] * 20")
        sneks.exec("x.append(blockIdx * blockDim + localIdx)")
        assert len(started) > 6, started
        assert (sneks.eval("sum(x)").get() == 21 * np.arange(N)).all()


def test_a_prompt(gpu: Device) -> None:
    session = Session.open(gpu, 100_000)
    session.execute("a = [threadIdx % 3]")
    session.rest()
    told(store_of(session.arenas), "at the prompt")
    for k in range(3):
        session.execute(f"a.append({k})")
        session.rest()
    answer = session.execute("a")
    texts = {group.text: group.count for group in answer.outputs[0].groups}
    assert texts == {b"[%d, 0, 1, 2]\n" % k: len(range(k, 100_000, 3)) for k in range(3)}
    session.close()
