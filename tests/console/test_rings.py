"""Output that arrives while interpreters run: order, full rings, interruption."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from porter.errors import LaunchInterrupted, UsageError
from porter.run import Device, Launch, run
from porter.run.launch.options import Phase
from tests.console.collect import Collected, ended_well, run_live

SMALLEST = 1  # bytes: rings of the least length

LINES = """
for i in range(50):
    print(threadIdx, i, 'x' * (i * 7 % 300))
"""


def lines_of(i: int) -> bytes:
    return b"".join(b"%d %d %s\n" % (i, k, b"x" * (k * 7 % 300)) for k in range(50))


@pytest.mark.parametrize("ring", [SMALLEST, 1 << 20])
def test_each_interpreters_order_is_kept(any_device: Device, ring: int) -> None:
    collected = Collected()
    result = run_live(any_device, LINES, 40, collected, ring=ring)
    assert ended_well(any_device, result)
    assert collected.stdout(40) == [lines_of(i) for i in range(40)]
    assert result.lost is not None and not result.lost.any()
    assert result.stdout.longest == result.stderr.longest == 0


def test_many_writers(any_device: Device) -> None:
    n, collected = 20000, Collected()
    run_live(any_device, "print('I am', threadIdx)\nprint('of', numThreads)", n, collected)
    assert collected.stdout(n) == [b"I am %d\nof %d\n" % (i, n) for i in range(n)]


def test_a_slow_reader_loses_nothing(any_device: Device) -> None:
    collected = Collected(pause=0.02)
    run_live(any_device, LINES, 3, collected, ring=SMALLEST)
    assert collected.stdout(3) == [lines_of(i) for i in range(3)]


def test_dropped_bytes_are_counted(any_device: Device) -> None:
    collected = Collected(pause=0.05)
    options: dict[str, Any] = {"ring": SMALLEST, "overflow": "drop"}
    program = "for i in range(5000): print(i)"
    result = run_live(any_device, program, 2, collected, **options)
    assert ended_well(any_device, result) and result.lost is not None
    written = "".join(f"{i}\n" for i in range(5000)).encode()
    texts = collected.stdout(2)
    assert any(text.startswith(b"0\n1\n") for text in texts)
    for i, text in enumerate(texts):
        assert len(text) + int(result.lost[i]) == len(written)
        assert result.lost[i] > 0
        numbers = [int(line) for line in text.splitlines()]  # whole lines, in order
        assert numbers == sorted(set(numbers))


def test_both_streams_in_the_order_written(any_device: Device) -> None:
    program = """
import sys
for i in range(20):
    print('out', i, end='')
    sys.stderr.write('err %d' % i)
"""
    collected = Collected()
    run_live(any_device, program, 5, collected)
    for lane in range(5):
        mine = b"".join(text for i, _, text in collected.pieces if i == lane)
        assert mine == b"".join(b"out %derr %d" % (i, i) for i in range(20))
    assert collected.texts[0, "stderr"].startswith(b"err 0err 1")


def test_text_without_an_end_comes_at_a_flush(any_device: Device) -> None:
    program = "import sys\nprint('a', end='')\nsys.stdout.flush()\nprint('b', end='')"
    collected = Collected()
    run_live(any_device, program, 1, collected)
    assert [text for _, _, text in collected.pieces] == [b"a", b"b"]


def test_a_printer_without_end_is_seen_and_interrupted(any_device: Device) -> None:
    def interrupt(so_far: Collected) -> None:
        # The program has not ended, but its first lines have arrived.
        if not seen:
            seen.append(len(so_far.pieces))
            raise KeyboardInterrupt

    seen: list[int] = []
    program = "i = 0\nwhile True:\n    print(i)\n    i += 1"
    collected = Collected(then=interrupt)
    with pytest.raises(LaunchInterrupted) as caught:
        run_live(any_device, program, 4, collected)
    result = caught.value.result
    exception = any_device.built.constants["GPUSNEK_EXCEPTION"]
    assert seen and result.interrupted and result.status.tolist() == [exception] * 4
    assert any(collected.stdout(4))  # not all need have begun
    for i, text in enumerate(collected.stdout(4)):
        numbers = [int(line) for line in text.splitlines()]
        assert numbers == list(range(len(numbers)))
        assert b"KeyboardInterrupt" in collected.texts[i, "stderr"]


def test_a_deadline_interrupts_a_printer(any_device: Device) -> None:
    collected = Collected()
    program = "while True: print('again', end='')"
    result = run_live(any_device, program, 3, collected, timeout=0.3, ring=SMALLEST)
    assert result.interrupted
    assert any(text.startswith(b"againagain") for text in collected.stdout(3))
    assert all(b"KeyboardInterrupt" in collected.texts[i, "stderr"] for i in range(3))


def test_a_program_that_ignores_interruption_is_stopped(any_device: Device) -> None:
    program = """
while True:
    try:
        while True: print('on and on')
    except KeyboardInterrupt:
        pass
"""
    collected = Collected()
    result = run_live(any_device, program, 3, collected, timeout=0.1, ring=SMALLEST)
    stopped = any_device.built.constants["GPUSNEK_STOPPED"]
    assert set(result.status.tolist()) == {stopped}
    for i in range(3):  # no byte twice and none missing: the rest is in the buffer
        text = collected.texts[i, "stdout"] + result.stdout[i]
        assert b"on and on\n" * (len(text) // 10 + 1) == text + b"on and on\n"[len(text) % 10 :]


def test_an_interpreter_that_waits_for_room_can_be_interrupted(any_device: Device) -> None:
    # The host does not empty the ring meanwhile: only the interrupt word can end the wait.
    program = """
import gpu
try:
    while True: print('x')
except KeyboardInterrupt:
    gpu.RAMBlockDevice(512).writeblocks(0, b'seen')
"""
    memory = any_device.zeros(8192, np.uint8)
    words = []
    real = any_device.interrupt

    def interrupt_word(value: int) -> object:
        words.append(real(value))
        return words[-1]

    def hold(so_far: Collected) -> None:
        if so_far.batches > 1:
            return
        words[0].write(1)
        end = time.monotonic() + 20
        while any_device.host(memory[:4]).tobytes() != b"seen" and time.monotonic() < end:
            time.sleep(0.01)

    any_device.interrupt = interrupt_word  # type: ignore[method-assign,assignment]
    try:
        result = run_live(
            any_device,
            program,
            1,
            Collected(then=hold),
            ring=SMALLEST,
            fs=memory,
            fs_shared=False,
            fs_format=True,
        )
    finally:
        any_device.interrupt = real  # type: ignore[method-assign]
    assert any_device.host(memory[:4]).tobytes() == b"seen"
    assert ended_well(any_device, result)


def test_an_error_of_the_reader_stops_the_launch(any_device: Device) -> None:
    def fail(_: Collected) -> None:
        raise ValueError("no more paper")

    with pytest.raises(ValueError, match="no more paper"):
        run_live(any_device, "while True: print('x')", 3, Collected(then=fail))


def test_persistent_interpreters_write_in_later_launches(any_device: Device) -> None:
    config = any_device.built.config
    arenas = any_device.arenas(3, config["pystack"], config["heap"])
    for text in ("first", "second"):
        collected = Collected()
        program = f"print({text!r}, threadIdx)"
        run_live(any_device, program, 3, collected, Phase(arenas=arenas, stop=False))
        assert collected.stdout(3) == [f"{text} {i}\n".encode() for i in range(3)]
    kept = run(any_device, ["print('kept')"], 3, None, Phase(arenas=arenas))
    assert [(g.text, g.count) for g in kept.stdout.groups] == [(b"kept\n", 3)]


def test_stderr_merged(any_device: Device) -> None:
    collected = Collected()
    run_live(any_device, "print('before')\n1/0", 2, collected, merge_stderr=True)
    assert collected.texts[1, "stdout"].startswith(b"before\nTraceback")
    assert not collected.texts[1, "stderr"]


def test_device_printf(any_device: Device, capfd: pytest.CaptureFixture[str]) -> None:
    program = "print('héllo', threadIdx)\nprint('y' * 600)\nprint('end', end='')\n1/0"
    result = run(any_device, [program], 3, Launch(console="printf"))
    out = capfd.readouterr().out
    assert all(f"héllo {i}\n" in out for i in range(3))
    assert out.count("y") == 1800 and out.count("end") == 3
    assert result.stderr.groups[0].text.count(b"ZeroDivisionError") == 1
    assert result.stdout.longest == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"console": "paper"}, "console: 'paper' is not one of buffer, printf, ring"),
        ({"console": "ring"}, "one needs the other"),
        ({"on_output": print}, "one needs the other"),
        ({"console": "ring", "on_output": print, "overflow": "spill"}, "overflow: 'spill'"),
        ({"console": "ring", "on_output": print, "ring": 0}, "ring: 0 bytes"),
    ],
)
def test_bad_values(any_device: Device, options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        run(any_device, ["1"], 1, Launch(**options))  # type: ignore[arg-type]
