"""Launches of several programs give the results of the caller's order, byte for byte."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest
from programs_mixed import assert_same, mixed, sources

from porter import InterpreterArray
from porter.errors import InterpreterError, NotEnoughMemory, UsageError, WrongType
from porter.run import Device, Feed, Launch, Program, run
from porter.run.footprint import MemoryBudget
from porter.run.launch import programs as launch_programs
from porter.run.launch.options import Phase
from porter.run.launch.order import MOST_TOGETHER, RESIDENT, independent_block, threads_of
from porter.run.launch.programs import Programs
from porter.run.streams.rings import Batch

IDLE = 2**32 - 1
P, N = 23, 500
LIMITS = {"max_steps": 20000, "seed": 9}


def both(device: Device, count: int = P, n: int = N, **options: object) -> None:
    """Compare the caller's order with the programs' order: booted, forked, and forked from the
    cache.
    """
    rests = device.built.constants["GPUSNEK_NO_PROGRAM"]
    which = mixed(count, n, rests)
    programs = [Program(text, f"p{i}.py") for i, text in enumerate(sources(count))]

    def launch(**more: object) -> Launch:
        return Launch(**{**LIMITS, **options, **more})  # type: ignore[arg-type]

    first = run(device, programs, n, launch(order=False, fork=False), program_of=which)
    assert first.order == "caller"
    assert (first.status[which == rests] == device.built.status["STATUS_NOT_RUN"]).all()
    for fork, order in ((False, None), (True, None), (True, None), (True, False), (None, None)):
        other = run(device, programs, n, launch(fork=fork, order=order), program_of=which)
        assert other.order == ("caller" if order is False else "programs")
        assert_same(first, other, device)


def test_outputs_and_statuses(any_of_all: Device) -> None:
    both(any_of_all, stdin=[f"input {i}\n".encode() for i in range(N)])


@pytest.mark.parametrize("block", [1, 20, 32, 256])
def test_blocks(any_of_all: Device, block: int) -> None:
    both(any_of_all, block=block, first=7, total=2000)


def test_limits_of_each(any_of_all: Device) -> None:
    steps = [None if i % 3 else 50 + i for i in range(N)]
    steps = [40000 if step is None and i % 2 else step or 9000 for i, step in enumerate(steps)]
    both(any_of_all, max_steps=steps, deadline=[60.0 + i for i in range(N)])


def test_values(any_of_all: Device) -> None:
    device = any_of_all
    which = mixed(40, N)
    texts = [f"threadIdx * {p}" if p % 3 else f"[{p}][threadIdx % 2]" for p in range(40)]
    phase, how = Phase(values=True), {"kind": "eval"}
    first = run(device, texts, N, Launch(**how, order=False), phase, program_of=which)  # type: ignore[arg-type]
    for fork in (False, True):
        launch = Launch(**how, fork=fork)  # type: ignore[arg-type]
        assert_same(first, run(device, texts, N, launch, phase, program_of=which), device)


def test_equal_texts_are_one_program(any_of_all: Device) -> None:
    other = Program("print(1)", "other.py")
    texts: list[Program | str | bytes] = ["print(1)", "print(2)", "print(1)", other]
    which = np.arange(8) % 4
    result = run(any_of_all, texts, 8, program_of=which)
    assert [result.stdout[i] for i in range(4)] == [b"1\n", b"2\n", b"1\n", b"1\n"]
    alone = run(any_of_all, ["print(1)"] * 3, 6, program_of=np.arange(6) % 3)
    assert alone.order == "caller"


def test_streams_come_while_they_run(any_of_all: Device) -> None:
    got: dict[int, bytes] = {}

    def collect(batch: Batch) -> None:
        for lane, _, text in batch:
            got[lane] = got.get(lane, b"") + text

    if any_of_all.name == "host" and any_of_all.local:
        pytest.skip("one interpreter after the other: none could wait for the host")
    texts = [f"for i in range(3):\n    print(i, threadIdx, {p})" for p in range(5)]
    launch = Launch(console="ring", on_output=collect)
    assert run(any_of_all, texts, 60, launch, program_of=mixed(5, 60)).order == "programs"
    which = mixed(5, 60)
    for i in range(60):
        assert got[i] == b"".join(b"%d %d %d\n" % (k, i, which[i]) for k in range(3))


def test_input_that_all_read(any_of_all: Device) -> None:
    feed = Feed(64)
    feed.write(b"hello\n")
    feed.close()
    texts = [f"print(input(), {p})" for p in range(3)]
    result = run(any_of_all, texts, 9, Launch(stdin=feed), program_of=np.arange(9) % 3)
    assert [result.stdout[i] for i in range(3)] == [b"hello %d\n" % p for p in range(3)]


@pytest.mark.parametrize("order", [None, True])
def test_shared_arrays_keep_the_order(any_of_all: Device, order: bool | None) -> None:
    device = any_of_all
    mine = device.zeros(N, np.int64)
    texts = [f"mine[threadIdx] = threadIdx * {p}" for p in range(P)]
    which = mixed(P, N)
    result = run(device, texts, N, Launch(bind={"mine": mine}, order=order), program_of=which)
    assert result.order == (
        "programs" if order else "caller: programs share mine, and can write to it"
    )
    assert (device.host(mine) == np.arange(N) * which).all()


def test_arrays_of_interpreters(any_of_all: Device) -> None:
    device = any_of_all
    which = mixed(P, N)
    with InterpreterArray(N, device=device) as pythons:
        rows = device.zeros((N, 2), np.int64)
        pythons.bind("row", rows, split=True)
        for turn in range(3):
            texts = [f"row[{turn % 2}] += threadIdx + {p}\nx = {p}" for p in range(P)]
            assert pythons.exec(texts, which=which).order == "programs"
        host = device.host(rows)
        assert (host[:, 1] == np.arange(N) + which).all()
        assert (host[:, 0] == 2 * (np.arange(N) + which)).all()
        assert (device.host(pythons.eval("x + threadIdx")) == which + np.arange(N)).all()
        with pytest.raises(InterpreterError) as caught:
            pythons.exec([f"x // (threadIdx % 2)  # {p}" for p in range(P)], which=which)
        assert {int(i) for raised in caught.value.exceptions for i in raised.which} == set(
            range(0, N, 2)
        )


BARRIER = "shared[threadIdx] = 1\nsyncthreads()\n"
SEEN = "print(all(shared[i] for i in range(blockIdx * 32, blockIdx * 32 + 32)))"


def test_barriers_keep_the_order(any_of_all: Device) -> None:
    if any_of_all.name == "host" and any_of_all.local:
        pytest.skip("one interpreter after the other: none waits for a later one")
    texts = [BARRIER + SEEN + f"  # {p}" for p in range(4)]
    launch = Launch(block=32, bind={"shared": any_of_all.zeros(128, np.uint8)})
    result = run(any_of_all, texts, 128, launch, program_of=np.arange(128) % 4)
    assert result.order == "caller: <string> names syncthreads"
    assert [group.text for group in result.stdout.groups] == [b"True\n"]


def test_a_barrier_that_no_source_names(any_of_all: Device) -> None:
    texts = [f"try:\n    eval('sync' + 'threads()')\nexcept RuntimeError as e:\n    print(e, {p})"
             for p in range(2)]  # fmt: skip
    result = run(any_of_all, texts, 4, program_of=np.arange(4) % 2)
    assert b"order=False" in result.stdout[3]
    alone = run(any_of_all, texts, 4, Launch(block=1), program_of=np.arange(4) % 2)
    assert not alone.stdout.lengths.any()


def test_a_barrier_of_earlier_launches(any_of_all: Device) -> None:
    with InterpreterArray(40, device=any_of_all, block=1) as pythons:
        pythons.exec("def meet():\n    syncthreads()")
        outcome = pythons.exec(["meet()", "meet( )"], which=np.arange(40) % 2)
        assert outcome.order == "caller: <string> names syncthreads"
    with InterpreterArray(40, device=any_of_all, block=1) as pythons:
        pythons.exec(pythons.compile("def meet():\n    syncthreads()", "saved.py"))
        outcome = pythons.exec(["meet()", "meet( )"], which=np.arange(40) % 2)
        assert outcome.order == "caller: saved.py names syncthreads"


@pytest.mark.parametrize("fork", [None, True])
def test_thousands_of_programs(any_of_all: Device, fork: bool | None) -> None:
    count, n = 3000, 9000
    which = np.random.default_rng(3).permutation(np.arange(n) % count).astype(np.uint32)
    texts = [f"print({p} * threadIdx)" for p in range(count)]
    launch = Launch(stdout=32, stderr=64, fork=fork)
    result = run(any_of_all, texts, n, launch, program_of=which)
    assert result.order == "programs"
    assert [result.stdout[i] for i in range(n)] == [b"%d\n" % (which[i] * i) for i in range(n)]


def test_programs_beyond_memory(any_of_all: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    device = any_of_all
    monkeypatch.setattr(device, "memory_budget", lambda local: MemoryBudget(10_000_000, 0))
    with pytest.raises(NotEnoughMemory, match="2 programs take"):
        run(device, ["#" * 9_000_000, "#" * 8_000_000], 2, program_of=[0, 1])  # type: ignore[arg-type]


def test_wrong_choices(any_of_all: Device) -> None:
    with pytest.raises(UsageError, match="program_of: 2, but there are 2"):
        run(any_of_all, ["1", "1"], 2, program_of=[0, 2])  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no program"):
        run(any_of_all, [], 2, program_of=[0, 1])  # type: ignore[arg-type]
    with pytest.raises(WrongType, match=r"^order: "):
        Launch(order="programs")  # type: ignore[arg-type]


def laid_out(counts: list[int], warp: int = 32) -> list[list[int]]:
    """Return the programs of each warp."""
    which = np.repeat(np.arange(len(counts)), counts).astype(np.uint32)
    which = np.random.default_rng(1).permutation(which)
    chosen = Programs(len(which), tuple(map(Program, map(str, range(len(counts))))), which, IDLE)
    threads = threads_of(chosen, warp, IDLE)
    used = threads[threads != IDLE]
    assert sorted(used) == list(range(len(which)))
    for p in range(len(counts)):
        mine = [i for i in used if which[i] == p]
        assert mine == sorted(mine)  # the caller's order within a program
    warps = [threads[at : at + warp] for at in range(0, len(threads), warp)]
    return [sorted({int(which[i]) for i in one if i != IDLE}) for one in warps]


def test_no_warp_has_two_programs() -> None:
    assert laid_out([3, 40, 1, 32]) == [[1], [1], [3], [0], [2]]
    assert laid_out([5, 0, 7], warp=1) == [[0]] * 5 + [[2]] * 7


def test_small_groups_share_warps_where_not_all_are_resident(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert RESIDENT > 100_000
    monkeypatch.setattr("porter.run.launch.order.RESIDENT", 64)
    assert laid_out([3, 20, 1, 2, 2]) == [[1], [0, 2, 3, 4]]
    monkeypatch.setattr("porter.run.launch.order.RESIDENT", 96)
    assert laid_out([3, 20, 1, 2, 2]) == [[1], [0, 2], [3, 4]]


def test_sixteen_bits_are_not_the_limit() -> None:
    count = (1 << 16) + 5
    which = np.random.default_rng(2).permutation(count).astype(np.uint32)
    chosen = launch_programs.Programs(count, (Program("x"),) * count, which, IDLE)
    threads = threads_of(chosen, 1, IDLE)
    assert (which[threads] == np.arange(count)).all()


class Cores:
    """A device as `independent_block` sees it."""

    def __init__(self, cores: int, *, on_gpu: bool = False) -> None:
        self.cores, self.on_gpu = cores, on_gpu


@pytest.mark.parametrize("cores", [1, 2, 16, 192])
@pytest.mark.parametrize("n", [1, 5, 63, 1000, 100_000])
def test_all_threads_get_independent_interpreters(n: int, cores: int) -> None:
    block = independent_block(cast(Device, Cores(cores)), n)
    assert 1 <= block <= MOST_TOGETHER
    assert -(-n // block) >= min(n, 4 * cores)


def test_a_gpu_has_its_own_block() -> None:
    assert independent_block(cast(Device, Cores(0, on_gpu=True)), 1000) == 0
