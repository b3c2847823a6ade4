"""Launches whose maximum size exceeds memory: kernel after kernel."""

from __future__ import annotations

import math
import weakref

import numpy as np
import pytest
from local_twin import LocalTwin, store_of

from porter import InterpreterArray
from porter.errors import NotEnoughMemory
from porter.run import Launch, footprint, run
from porter.run.device import chunks
from porter.run.device.base import Arenas
from porter.run.device.snapshots import SnapshotStore
from porter.run.footprint import ROW, MemoryBudget
from porter.run.launch.options import Phase

N = 700


@pytest.fixture
def short(twin: LocalTwin, monkeypatch: pytest.MonkeyPatch) -> LocalTwin:
    """Return a device with memory for 400 snapshots of maximum size."""
    for module in (chunks, footprint):
        monkeypatch.setattr(module, "LEAST_CHUNK", 128)
    monkeypatch.setattr(chunks, "CHUNK", 1 << 20)
    most = twin.figures.pages(twin.built.config["heap"]) * 400 // 32 * ROW
    streams = N * 4096

    made: weakref.WeakSet[SnapshotStore] = weakref.WeakSet()
    arenas = twin.arenas

    def kept(*sizes: int) -> Arenas:
        found = arenas(*sizes)
        made.add(store_of(found))
        return found

    def room(local: int) -> MemoryBudget:
        for images in made:  # little is free
            if images.idle:
                images.shrink()
        return MemoryBudget(most + streams - sum(images.rows for images in made) * ROW, 0)

    monkeypatch.setattr(twin, "arenas", kept)
    monkeypatch.setattr(twin, "memory_budget", room)
    twin.kernels.clear()
    return twin


@pytest.mark.parametrize("fork", [False, True])
def test_all_run_and_live_on(short: LocalTwin, fork: bool) -> None:
    config = short.built.config
    arenas = short.arenas(N, config["pystack"], config["heap"])
    launch, keep = Launch(fork=fork), Phase(arenas=arenas, stop=False)
    for source in ("x = [threadIdx] * 9", "x.append(blockIdx * blockDim + localIdx)", "y = x[9]"):
        assert not run(short, [source], N, launch, keep).status.any()
    images = store_of(arenas)
    assert sum(count for _, count in short.kernels) == 3 * N + fork and len(short.kernels) >= 6
    assert images.taken <= images.rows < images.most
    result = run(short, ["print(x[0] == x[8] == y == threadIdx, numThreads)"], N, launch, keep)
    assert [(group.text, group.count) for group in result.stdout.groups] == [(b"True 700\n", N)]
    short.trim(arenas)
    assert images.rows - images.taken < 1 << images.shift


def test_blocks_and_bundles_stay_whole(short: LocalTwin) -> None:
    for block in (1, 32, 48, 96, 128):
        short.kernels.clear()
        with InterpreterArray(N, device=short, block=block) as sneks:
            assert sneks.eval("threadIdx").tolist() == list(range(N))
            assert sneks.eval("localIdx + blockDim * blockIdx").tolist() == list(range(N))
        assert len(short.kernels) > 5
        assert all(first % math.lcm(block, 32) == 0 for first, _ in short.kernels)


def test_a_call_that_nobody_waits_for_yet(short: LocalTwin) -> None:
    with InterpreterArray(N, device=short) as sneks:
        call = sneks.exec("x = threadIdx + 1", wait=False)
        while not call.done():
            pass
        call.result()
        assert int(sneks.eval("x").sum()) == N * (N + 1) // 2


def test_no_room_for_a_later_chunk(short: LocalTwin, monkeypatch: pytest.MonkeyPatch) -> None:
    with InterpreterArray(N, device=short) as sneks:
        sneks.exec("x = 1")
        sneks.trim()
        grow, calls = SnapshotStore.grow, []

        def fails(self: SnapshotStore, rows: int) -> None:
            calls.append(rows)
            if len(calls) > 1:
                raise MemoryError("there is no more")
            grow(self, rows)

        with monkeypatch.context() as patch:
            patch.setattr(SnapshotStore, "grow", fails)
            with pytest.raises(NotEnoughMemory, match="of 700 interpreters did not run"):
                sneks.exec("x = list(range(100))")
        status = sneks.outcome.status
        did = int((status == 0).sum())
        assert 0 < did < N and not status[:did].any()
        assert (status[did:] == short.built.status["STATUS_NOT_RUN"]).all()
        assert sneks.eval("x == 1").tolist() == [False] * did + [True] * (N - did)


def test_those_that_may_wait_for_any_other_run_at_once(short: LocalTwin) -> None:
    shared = np.zeros(8, np.uint8)
    with InterpreterArray(N, device=short) as sneks:
        sneks.exec("x = 1")
        sneks.bind("shared", shared)
        before = len(short.kernels)
        with pytest.raises(NotEnoughMemory, match="as one launch"):
            sneks.exec("x = 2")
        assert len(short.kernels) == before
    with pytest.raises(NotEnoughMemory, match="as one launch"):
        run(
            short,
            ["x = 1"],
            N,
            Launch(outbuf=shared),
            Phase(arenas=short.arenas(N, 24576, 49152), stop=False),
        )


def test_no_room_at_all(short: LocalTwin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(short, "memory_budget", lambda local: MemoryBudget(N * 4096 + (1 << 20), 0))
    with pytest.raises(NotEnoughMemory):
        InterpreterArray(N, device=short)
    arenas = short.arenas(N, 24576, 49152)
    with pytest.raises(NotEnoughMemory, match="for their snapshots"):
        run(short, ["x = 1"], N, Launch(), Phase(arenas=arenas, stop=False))
