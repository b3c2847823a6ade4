"""The host twin's runtime, driven with the fake interpreter of tests/fake_port."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from porter.errors import NotBuilt, NotEnoughMemory, UsageError
from porter.run import Device, Launch, Program, open_device, run
from porter.run.launch.options import Phase
from porter.run.start import start
from porter.run.streams.display import render


def texts(
    device: Device, program: str, n: int, phase: Phase | None = None, **options: object
) -> list[tuple[bytes, int]]:
    result = run(device, [program], n, Launch(**options), phase)  # type: ignore[arg-type]
    return [(group.text, group.count) for group in result.stdout.groups]


def test_index_and_count(device: Device) -> None:
    assert texts(device, "i", 3, total=10, first=5) == [(b"5", 1), (b"6", 1), (b"7", 1)]
    assert texts(device, "n", 3) == [(b"3", 3)]


def test_state_is_private_and_initialised(device: Device) -> None:
    assert texts(device, "+c+c", 50) == [(b"101102", 50)]


def test_programs_per_interpreter(device: Device) -> None:
    result = run(device, ["_a", "_b"], 5, program_of=np.array([0, 1, 1, 0, 1], np.uint32))
    assert [result.stdout[i] for i in range(5)] == [b"_a", b"_", b"_", b"_a", b"_"]


def test_output_beyond_the_buffer_is_cut_and_counted(device: Device) -> None:
    result = run(device, ["_" * 40], 2, Launch(stdout=16))
    (group,) = result.stdout.groups
    assert (group.text, group.length, group.cut) == (b"_" * 16, 40, True)
    assert result.stdout.cut.tolist() == [True, True]
    assert b"16 of 40 bytes" in b"".join(line.text for line in render(result.stdout.groups))


def test_stderr_apart_or_merged(device: Device) -> None:
    result = run(device, ["_e_"], 1)
    assert (result.stdout[0], result.stderr[0]) == (b"__", b"E")


def test_stdin_shared_and_private(device: Device) -> None:
    assert texts(device, "mmm", 2, stdin=b"xy") == [(b"xy", 2)]
    assert texts(device, "mm", 2, stdin=[b"q", b"rs"]) == [(b"q", 1), (b"rs", 1)]


def test_barrier_holds_and_ended_neighbours_do_not_hang_it(device: Device) -> None:
    word = np.zeros(16, np.uint8)
    assert texts(device, "sbr", 8, block=8, fs=word) == [(b"8", 8)]
    word[:] = 0
    assert texts(device, "s?pbr", 8, block=8, fs=word) == [(b"", 4), (b"8", 4)]


def test_blocks_do_not_wait_for_each_other(device: Device) -> None:
    assert texts(device, "b_", 10, block=3) == [(b"_", 10)]


def test_write_past_the_arena_is_noticed_and_neighbours_are_unharmed(device: Device) -> None:
    result = run(device, ["w", "hg"], 4, program_of=np.array([0, 1, 0, 1], np.uint32))
    canary = device.built.constants["GPUSNEK_STATUS_CANARY"]
    assert result.status.tolist() == [canary, 0, canary, 0]
    assert result.stdout[1] == result.stdout[3] == b"79"


def test_fatal_ends_one_interpreter(device: Device) -> None:
    result = run(device, ["A", "_"], 3, program_of=np.array([1, 0, 1], np.uint32))
    assert result.status.tolist() == [0, device.built.constants["GPUSNEK_STATUS_ABORT"], 0]


def test_registers_are_scanned(device: Device) -> None:
    assert texts(device, "f", 4) == [(b"Y", 4)]


def test_deadline_interrupts(device: Device) -> None:
    result = run(device, ["l"], 3, Launch(timeout=0.2))
    assert result.interrupted
    assert set(result.status.tolist()) == {device.built.constants["GPUSNEK_STOPPED"]}


def test_arenas_persist(device: Device) -> None:
    config = device.built.config
    arenas = device.arenas(4, config["pystack"], config["heap"])
    run(device, ["++h"], 4, None, Phase(arenas=arenas, stop=False))
    with pytest.raises(UsageError, match=f"these arenas have {config['heap']}"):
        run(device, ["c"], 4, Launch(heap=16384), Phase(arenas=arenas))
    assert texts(device, "cg", 4, Phase(arenas=arenas)) == [(b"10279", 4)]
    result = run(device, ["c"], 4, None, Phase(arenas=arenas))
    assert result.stdout.groups[0].text == b"100"  # stopped before: a fresh start


def test_many_interpreters(device: Device) -> None:
    result = run(device, ["_i"], 1 << 16)
    assert len(result.stdout.groups) == 1 << 16
    assert result.stdout[54321] == b"_54321"


def test_bad_requests(device: Device) -> None:
    with pytest.raises(UsageError, match="from 1 to"):
        run(device, ["_"], 0)
    with pytest.raises(UsageError, match="no program"):
        run(device, [], 1)
    with pytest.raises(UsageError, match="there are 1"):
        run(device, ["_"], 2, program_of=np.array([0, 1], np.uint32))
    with pytest.raises(UsageError, match="stdin"):
        run(device, ["_"], 2, Launch(stdin=[b""]))
    with pytest.raises(UsageError, match="kind"):
        run(device, ["_"], 2, Launch(kind="module"))


def test_more_interpreters_than_memory(device: Device) -> None:
    with pytest.raises(NotEnoughMemory, match="do not fit") as caught:
        run(device, ["_"], 1 << 30, Launch(stdout=1 << 20))
    assert "At most" in (caught.value.hint or "")


def test_a_build_that_is_not_there(tmp_path: Path, build: Path) -> None:
    with pytest.raises(NotBuilt):
        open_device(tmp_path, "host")
    with pytest.raises(NotBuilt):
        open_device(build, "cuda")
    with pytest.raises(UsageError):
        open_device(build, "tpu")


def test_names_with_many_programs(device: Device) -> None:
    result = run(device, [Program(b"_", "a.py"), Program(b"", "")], 1)
    assert result.stdout[0] == b"_"


def test_a_launch_that_was_waited_for_is_watched_no_more(device: Device) -> None:
    each: list[Any] = [start(device, ["c"], 3) for _ in range(2)]
    waited, forgotten = each
    waited.wait()
    assert waited._unwatch() is None
    assert forgotten._unwatch() is not None
    forgotten.wait()  # no other reference keeps its memory now
