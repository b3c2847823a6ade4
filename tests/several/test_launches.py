"""A launch on several devices gives the results of one device, byte for byte."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from porter.errors import NotEnoughMemory, ProgramFailed, UsageError, WrongType
from porter.run import Batch, Cancel, Device, Feed, Launch, Program, Result, run
from porter.run.several.device import Several, parts_of

PROGRAM = """
import random
print(threadIdx % 3, numThreads, blockIdx, localIdx, input())
if threadIdx % 7 == 0:
    print(random.getrandbits(20), 'x' * (threadIdx % 90))
if threadIdx % 5 == 0:
    raise ValueError(threadIdx % 2)
if threadIdx % 41 == 0:
    raise SystemExit(3)
"""


def same(a: Result, b: Result) -> None:
    for name in ("stdout", "stderr"):
        mine, other = getattr(a, name), getattr(b, name)
        assert list(mine.groups) == list(other.groups)
        assert [mine[i] for i in range(-1, len(mine))] == [other[i] for i in range(-1, len(other))]
        assert mine.longest == other.longest and (mine.cut == other.cut).all()
        some = np.arange(len(mine))[::-7]
        assert list(mine.of(some).groups) == list(other.of(some).groups)
    # On a GPU, copies of a template have not compiled, and parts may be too small for copies.
    forked = ("allocations",) if a.stdout.device.name != "cuda" else ()
    for name in ("status", "exit_code", "steps", *forked):
        assert getattr(a, name).tolist() == getattr(b, name).tolist(), name
    assert (a.lacks, a.limited, a.order) == (b.lacks, b.limited, b.order)


@pytest.mark.parametrize("block", [0, 33])
@pytest.mark.parametrize("n", [1, 129, 700])
def test_as_on_one(one: Device, several: Several, n: int, block: int) -> None:
    lines = [f"line {i % 4}\n" for i in range(n)]
    launch = Launch(block=block, seed=7, stdin=lines, stdout=64)
    both = [run(device, [Program(PROGRAM, "p.py")], n, launch) for device in (one, several)]
    same(*both)
    with pytest.raises(ProgramFailed) as first:
        both[0].raise_for_status()
    with pytest.raises(ProgramFailed) as second:
        both[1].raise_for_status()
    assert str(first.value) == str(second.value) and first.value.hint == second.value.hint


def test_numbers_begin_at_first(one: Device, several: Several) -> None:
    launch = Launch(block=32, first=1000, total=5000)
    program = "print(threadIdx, numThreads)"
    found = [run(device, [program], 300, launch) for device in (one, several)]
    same(*found)
    for result in found:
        assert [result.stdout[i] for i in (0, 299)] == [b"1000 5000\n", b"1299 5000\n"]


def test_several_programs_go_to_who_runs_them(one: Device, several: Several) -> None:
    rests = one.built.constants["GPUSNEK_NO_PROGRAM"]
    programs = [f"print({i}, threadIdx)" for i in range(40)] + ["print(0, threadIdx)"]
    program_of = np.arange(300, dtype=np.uint32) * 7 % 41
    program_of[5::11] = rests
    program_of[256:] = rests
    launch = Launch(block=64)
    same(*(run(d, programs, 300, launch, program_of=program_of) for d in (one, several)))


def test_order_is_decided_for_all(one: Device, several: Several) -> None:
    programs = ["print('a')", "import gpu\ngpu.syncthreads()\nprint('b')"]
    program_of = np.zeros(64, np.uint32)
    program_of[:4] = 1
    launch = Launch(block=4)
    results = [run(d, programs, 64, launch, program_of=program_of) for d in (one, several)]
    same(*results)
    assert results[1].order.startswith("caller: ")


def test_limits_of_each(one: Device, several: Several) -> None:
    steps = [None if i % 3 else 50 + i for i in range(90)]
    launch = Launch(block=16, max_steps=steps, fail_allocation=[0, 1, 0] * 30, heap=16 << 10)
    program = "x = []\nfor i in range(200 if threadIdx % 3 == 0 else 9): x.append(i)"
    same(*(run(d, [program], 90, launch) for d in (one, several)))


def test_lacks_are_those_of_all(one: Device, several: Several) -> None:
    programs = ["x = bytearray(threadIdx * 4000)"]
    same(*(run(d, programs, 60, Launch(block=8, heap=16 << 10)) for d in (one, several)))


def test_output_as_it_comes(several: Several) -> None:
    pieces: list[tuple[int, str, bytes]] = []

    def show(batch: Batch) -> None:
        pieces.extend(batch)

    feed = Feed()
    feed.write("hello\n")
    launch = Launch(block=8, console="ring", on_output=show, stdin=feed)
    result = run(several, ["print(threadIdx, input())"], 40, launch)
    assert sorted(pieces) == [(i, "stdout", f"{i} hello\n".encode()) for i in range(40)]
    assert feed.closed and result.lost is not None and not result.lost.any()


ENDLESS = "while threadIdx >= 0: pass"


@pytest.mark.parametrize("how", ["timeout", "cancel"])
def test_all_are_interrupted(several: Several, how: str) -> None:
    cancel = Cancel()
    launch = Launch(block=4, timeout=0.3 if how == "timeout" else None, cancel=cancel)
    if how == "cancel":
        cancel()
    result = run(several, [ENDLESS], 16, launch)
    assert result.interrupted
    assert {result.statuses(int(value)).name for value in result.status} == {"EXCEPTION"}
    assert all(b"KeyboardInterrupt" in result.stderr[i] for i in range(16))


WRONG: list[tuple[dict[str, Any], type[Exception]]] = [
    ({"n": 0}, UsageError),
    ({"n": "4"}, WrongType),
    ({"program_of": np.full(4, 9)}, UsageError),
    ({"program_of": np.zeros(3, np.uint32)}, UsageError),
    ({"stdin": ["a"] * 3}, UsageError),
    ({"max_steps": [5] * 3}, UsageError),
    ({"fail_allocation": [1] * 3}, UsageError),
    ({"heap": 1 << 40}, UsageError),
    ({"block": 4096}, UsageError),
]


@pytest.mark.parametrize("wrong, error", WRONG, ids=lambda value: str(value)[:30])
def test_mistakes_are_told_as_on_one(
    one: Device, several: Several, wrong: dict[str, Any], error: type[Exception]
) -> None:
    def attempt(device: Device) -> str:
        options = dict(wrong)
        n, program_of = options.pop("n", 4), options.pop("program_of", None)
        with pytest.raises(error) as raised:
            run(device, ["pass"], n, Launch(**{"block": 1, **options}), program_of=program_of)
        return str(raised.value)

    assert attempt(one) == attempt(several)


def test_too_many_do_not_fit(several: Several) -> None:
    with pytest.raises(NotEnoughMemory, match="do not fit"):
        run(several, ["pass"], 2**31 - 1, Launch(stdout=1 << 20))


def test_one_file_system_for_all_is_refused(several: Several) -> None:
    memory = several.zeros(1 << 16, np.uint8)
    with pytest.raises(UsageError, match="one device's memory"):
        run(several, ["pass"], 8, Launch(block=1, fs=memory, fs_block=512))


def test_parts_are_whole_blocks() -> None:
    devices: Any = Several([_Named()] * 3, ["a", "b", "c"])  # type: ignore[list-item]

    def three(n: int, block: int) -> list[tuple[int, int]]:
        return [(part.first, part.count) for part in parts_of(devices.members, n, block)]

    assert three(10, 4) == [(0, 4), (4, 4), (8, 2)]
    assert three(4, 4) == [(0, 4)]
    assert three(7, 1) == [(0, 2), (2, 2), (4, 3)]


class _Named:
    name = "host"
    built = figures = warp = block = local = scratch = None
    most_block = 1024
    cores = 1
