"""Templates of many programs: made in one launch, cached by content, bounded."""

from __future__ import annotations

import numpy as np
import pytest
from local_twin import LocalTwin
from programs_mixed import assert_same, mixed

from porter import InterpreterArray
from porter.errors import NotEnoughMemory
from porter.run import Device, Launch, Program, run
from porter.run.device.template_cache import TemplateBatch, Templates
from porter.run.footprint import MemoryBudget
from porter.run.launch.options import Phase
from porter.run.launch.templates import PAYS_EACH, PAYS_FROM

GOOD = "def f(n):\n    return n * {p} + threadIdx\nprint(f(3))"


@pytest.fixture
def counted(device: Device) -> LocalTwin:
    """Return a device that records the number of threads of each launch."""
    if not isinstance(device, LocalTwin):
        pytest.skip("a GPU does not count")
    device.threads.clear()
    return device


def good(count: int) -> list[str]:
    return [GOOD.format(p=p) for p in range(count)]


def test_all_are_made_in_one_launch(counted: LocalTwin) -> None:
    which, launch = mixed(50, 600), Launch(fork=True)
    for _ in range(2):
        result = run(counted, good(50), 600, launch, program_of=which)
        assert not result.status.any()
    made, first, second = counted.threads
    assert made == 50 * 32  # one program a warp
    assert first == second == 50 * 32
    assert len(counted.templates) == 50
    run(counted, good(51), 600, launch, program_of=mixed(51, 600))
    assert counted.threads[3] == 1  # the missing template


def test_where_it_pays(counted: LocalTwin) -> None:
    def launches(counts: list[int], **options: bool) -> int:
        counted.threads.clear()
        counted.templates = Templates()
        which = np.repeat(np.arange(len(counts)), counts)
        result = run(counted, good(len(counts)), len(which), Launch(**options), program_of=which)  # type: ignore[arg-type]
        assert not result.status.any()
        return len(counted.threads)

    assert launches([PAYS_FROM - 1]) == 1
    assert launches([PAYS_FROM]) == 2
    enough = PAYS_FROM // PAYS_EACH
    assert launches([PAYS_EACH] * enough) == 2
    assert launches([PAYS_EACH] * (enough - 1) + [PAYS_EACH - 1]) == 1
    assert launches([PAYS_EACH - 1] * 50) == 1
    assert launches([2, 2], fork=True) == 2
    assert launches([PAYS_FROM] * 2, fork=False) == 1


def test_some_boot_and_some_are_copies(device: Device) -> None:
    counts = [PAYS_FROM, 3, PAYS_EACH, 1]
    which = np.random.default_rng(4).permutation(np.repeat(np.arange(4), counts))
    texts = [*good(3), "x = = 1"]
    launch = Launch(seed=3)
    result = run(device, texts, len(which), launch, program_of=which)
    alone = run(device, texts, len(which), Launch(seed=3, fork=False), program_of=which)
    assert_same(alone, result, device)
    assert len(device.templates) == 2


@pytest.mark.parametrize("fork", [None, True])
def test_a_program_that_does_not_compile_reports_for_itself(
    device: Device, fork: bool | None
) -> None:
    count, n = 6, 600
    which = np.arange(n) % count
    texts = [
        *good(2),
        Program("def f(:\n", "broken.py"),
        "x = [" + "'0123456789', " * 3000 + "]",  # too large for the heap
        "pass\n" * 3,
        "   indented",
    ]
    launch = {"heap": 24 << 10, "seed": 1}
    first = run(device, texts, n, Launch(**launch, fork=False), program_of=which)  # type: ignore[arg-type]
    other = run(device, texts, n, Launch(**launch, fork=fork), program_of=which)  # type: ignore[arg-type]
    assert_same(first, other, device)
    status = device.built.status
    assert other.status[:6].tolist() == [
        *(status["OK"], status["OK"], status["SYNTAX_ERROR"]),
        *(status["EXCEPTION"], status["OK"], status["SYNTAX_ERROR"]),
    ]
    assert b"broken.py" in other.stderr[2]


def test_one_that_has_no_time_to_compile(device: Device) -> None:
    n = 2 * PAYS_FROM
    long = "x = 0\n" + "x = x * 3 + 1\n" * 2000
    deadline = [None if i % 2 else 1e-7 for i in range(n)]
    launch = Launch(heap=40 << 10 if device.on_gpu else 400 << 10, deadline=deadline)
    which = np.arange(n) % 2
    result = run(device, [long, GOOD.format(p=1)], n, launch, program_of=which)
    status = device.built.status
    assert (result.status[::2] == status["OUT_OF_TIME"]).all()
    assert (result.status[1::2] == status["OK"]).all()
    assert len(device.templates) == 1


def test_resting_interpreters_of_one_program(device: Device) -> None:
    rests = device.built.constants["GPUSNEK_NO_PROGRAM"]
    which = np.where(np.arange(2000) % 3, 0, rests)
    result = run(device, [GOOD.format(p=2)], 2000, program_of=which)
    assert [result.stdout[i] for i in (0, 1, 1999)] == [b"", b"7\n", b"2005\n"]
    assert len(device.templates) == 1


def test_code_lives_as_long_as_interpreters(device: Device) -> None:
    config, n = device.built.config, 40
    arenas = device.arenas(n, config["pystack"], config["heap"])
    keep, which = Phase(arenas=arenas, stop=False), np.arange(n) % 4
    run(device, good(4), n, Launch(fork=True), keep, program_of=which)
    device.templates = Templates()  # drops all other references
    for _ in range(3):  # memory that was given back would be used for these
        run(device, [f"y = {p}" * 9 for p in range(4)], n, Launch(fork=True), program_of=which)
        device.templates = Templates()
    result = run(device, ["print(f(5))"], n, Launch(), keep)
    assert [result.stdout[i] for i in range(n)] == [b"%d\n" % (5 * (i % 4) + i) for i in range(n)]


def test_arrays_begin_as_copies_and_trim(device: Device) -> None:
    with InterpreterArray(PAYS_FROM, device=device) as pythons:
        which = np.arange(PAYS_FROM) % 8
        pythons.exec([f"x = [{p}] * 9" for p in range(8)], which=which)
        assert pythons.trim() > 0
        pythons.exec([f"x.append(threadIdx + {p})" for p in range(8)], which=which)
        assert (device.host(pythons.eval("x[-1]")) == np.arange(PAYS_FROM) + which).all()


def test_no_room_for_templates(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    n = 8 * PAYS_FROM
    which = np.arange(n) % 64
    options = {"stdout": 64, "stderr": 64}
    room = MemoryBudget(n * (64 + 64 + 80) + (1 << 20), 0)
    monkeypatch.setattr(device, "memory_budget", lambda local: room)
    with pytest.raises(NotEnoughMemory, match="templates of 64 programs"):
        run(device, good(64), n, Launch(**options, fork=True), program_of=which)  # type: ignore[arg-type]
    result = run(device, good(64), n, Launch(**options), program_of=which)  # type: ignore[arg-type]
    assert not result.status.any() and not len(device.templates)


def test_what_is_kept_is_bounded() -> None:
    kept = Templates(most=3, most_bytes=100)
    made = iter(range(1, 100))

    def keep(names: str, size: int, how: str = "") -> None:
        kept.keep(TemplateBatch(how, {name: next(made) for name in names}, None, (), size))

    def found(names: str, how: str = "") -> list[int]:
        return kept.find(how, names)[0].tolist()

    keep("ab", 40)
    keep("c", 40)
    assert found("xa") == [0, 1]  # used last
    keep("d", 30)
    assert found("c") == [0] and found("bd") == [2, 4]
    keep("h", 101)  # too large
    for _ in range(2):
        keep("", 50)  # none of them compiled
    assert found("h") == [0] and kept.size == 70
    keep("a", 1)  # made anew
    keep("d", 1, "otherwise")
    assert found("ab") == [6, 0] and found("d") == [4] and found("d", "otherwise") == [7]
    for name in "vwxyz":
        keep(name, 1)
    assert found("vwxyz") == [0, 0, 10, 11, 12] and len(kept) == 3
    assert found("a") == found("d", "otherwise") == [0]


def test_batches_of_what_is_found() -> None:
    kept = Templates()
    batches = [TemplateBatch(1, {name: i}, object(), (), 1) for i, name in enumerate("ab", 1)]
    for batch in batches:
        kept.keep(batch)
    assert kept.find(1, "ba")[1] == batches and kept.find(1, "bb")[1] == batches[1:]
    assert kept.find(2, "ab")[1] == [] == kept.find(1, "c")[1]
