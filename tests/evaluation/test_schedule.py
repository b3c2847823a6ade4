"""Portion sizes: simulated devices of given speeds finish together, whatever the guesses were."""

from __future__ import annotations

import heapq

import numpy as np
import pytest

from porter.evaluation.schedule import Schedule, Seat, StepCounts


def simulated(
    total: int,
    rates: list[float],
    *,
    opening: float = 0.0,
    known: bool = True,
    longest: float = 0.0,
) -> tuple[float, list[int]]:
    """Return the seconds of an evaluation, and the rows that each device judged.

    Args:
        total: Rows.
        rates: Rows per second of the host twin and of GPUs.
        opening: Seconds for opening a GPU; 0: GPUs are open.
        known: Whether the number of rows is known. If not, GPUs see what is read ahead for them.
        longest: Minimum seconds of a portion on a GPU.
    """

    def seen(k: int) -> int | None:
        if known or not seats[k].on_gpu:
            return left if known else None
        read = schedule.ahead(k)
        return left if left <= read else read + total - left

    seats = [Seat(False, 1 << 17, 16)]
    seats += [Seat(True, 1 << 20, opened=not opening) for _ in rates[1:]]
    schedule = Schedule(seats)
    left, now, judged = total, 0.0, [0] * len(rates)
    events: list[tuple[float, int, int]] = []
    ends = 0.0
    while left or events:
        for k, seat in enumerate(seats):
            while left and len(seat.running) < (2 if seat.on_gpu else 1):
                rows = min(left, schedule.rows(k, seen(k), now))
                if not rows:
                    break
                if not seat.opened:
                    if not any(event[1] == k for event in events):
                        heapq.heappush(events, (now + opening, k, 0))
                    break
                left -= rows
                busy = sum(count for count, _ in seat.running) / rates[k]
                seat.begin(rows, now)
                took = max(busy + rows / rates[k], longest if seat.on_gpu else 0.0)
                heapq.heappush(events, (now + took, k, rows))
        if not events:
            now += 0.05
            continue
        if not left and all(event[1] > 0 for event in events):
            # Idle cores judge what GPUs have not finished.
            repeated = now + sum(rows for _, _, rows in events) / rates[0]
            if repeated < max(events)[0]:
                return repeated, judged
        now, k, rows = heapq.heappop(events)
        if rows:
            seats[k].end(rows, now)
            judged[k] += rows
            ends = now
        else:
            seats[k].opened = True
    return ends, judged


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("gpu", [5e4, 4e5, 4e6])
@pytest.mark.parametrize("cores", [3e4, 1e6])
def test_devices_share_the_rows(cores: float, gpu: float, known: bool) -> None:
    """The time is near that of perfect division, or of the faster device."""
    total = 4_000_000
    seconds, judged = simulated(total, [cores, gpu], known=known)
    best = total / (cores + gpu)
    assert seconds < 1.5 * best + 0.7
    assert judged[0] and (judged[1] or gpu < cores)


def test_short_evaluations_open_no_gpu() -> None:
    assert simulated(10_000, [1e6, 1e7], opening=2.0)[1][1] == 0
    assert simulated(2_000_000, [1e6, 1e7], opening=0.5)[1][1] > 0
    assert simulated(64_000, [1.1e6, 1e7])[1][1] == 0  # the GPU is open
    assert simulated(640_000, [1.1e6, 1e7])[1][1] > 0


def shared() -> Schedule:
    """A host twin with 16 cores, two open processes that share them, and a GPU."""
    processes = [Seat(False, 1 << 17, 8), Seat(False, 1 << 17, 8)]
    return Schedule([Seat(False, 1 << 17, 16), *processes, Seat(True, 1 << 20)])


def test_short_evaluations_use_no_processes() -> None:
    schedule = shared()
    assert [schedule.rows(k, 15_000, 0.0) > 0 for k in range(3)] == [True, False, False]
    assert [schedule.rows(k, 600_000, 0.0) > 0 for k in range(3)] == [False, True, True]
    assert [schedule.rows(k, None, 0.0) > 0 for k in range(3)] == [False, True, True]


def test_processes_that_have_begun_also_judge_the_last_rows() -> None:
    schedule = shared()
    schedule.seats[1].begin(500_000, 0.0)
    assert [schedule.rows(k, 1000, 0.1) > 0 for k in range(3)] == [False, True, True]


def test_processes_help_if_few_rows_take_long() -> None:
    schedule = shared()
    schedule.seats[0].begin(256, 0.0)
    schedule.seats[0].end(256, 3.0)
    assert [schedule.rows(k, 15_000, 0.1) > 0 for k in range(3)] == [True, False, False]
    assert [schedule.rows(k, 15_000, 3.0) > 0 for k in range(3)] == [False, True, True]


def test_processes_judge_short_evaluations_if_the_host_twin_is_lost() -> None:
    schedule = shared()
    schedule.seats[0].lost = True
    assert [schedule.rows(k, 1000, 0.0) > 0 for k in range(1, 3)] == [True, True]


def test_long_rows_come_in_small_portions() -> None:
    """The first portion shows how long a row takes; a guess would give the cores thousands."""
    schedule = Schedule([Seat(False, 1 << 17, 16)])
    assert schedule.rows(0, 1_000_000, 0.0) == 256
    schedule.seats[0].begin(256, 0.0)
    schedule.seats[0].end(256, 25.6)
    assert schedule.rows(0, None, 25.6) == 16
    assert schedule.rows(0, 1_000_000, 25.6) == 20  # 2 s, because no GPU waits for them
    assert schedule.rows(0, 30, 25.6) == 16


@pytest.mark.parametrize("rate, rows", [(200_000, 2000), (10.0, 16)])
def test_no_portion_is_tiny(rate: float, rows: int) -> None:
    """The last rows beside a GPU come in portions of 10 ms, or of a row per core."""
    schedule = Schedule([Seat(False, 1 << 17, 16), Seat(True, 1 << 20)])
    cores, gpu = schedule.seats
    assert schedule.rows(0, 500, 0.0) == 256  # its rate is not known
    cores.begin(256, 0.0)
    cores.end(256, 256 / rate)
    gpu.begin(100_000, 0.0)
    assert schedule.rows(0, 500, 0.1) == pytest.approx(rows, abs=1)
    assert cores.need(1000) == pytest.approx(1000 / rate)
    assert Seat(False, 1 << 17, 16).need(800_000) == 1.0


def test_a_failed_portion_counts_no_rows() -> None:
    seat = Seat(True, 1000)
    seat.begin(500, 1.0)
    seat.end(500, 2.0, None)
    assert seat.rate() is None
    seat.begin(500, 2.0)
    seat.end(500, 2.5)
    assert seat.rate() == pytest.approx(500 / 1.5)


def test_cores_leave_the_rows_to_a_much_faster_gpu() -> None:
    """They judge again when the GPU has proved slower, or does not run."""
    cores, gpu = Seat(False, 1 << 17, 16), Seat(True, 1 << 20)
    schedule = Schedule([cores, gpu])
    for seat, rows, seconds in ((cores, 1000, 0.1), (gpu, 4000, 0.1)):
        seat.begin(rows, 0.0)
        seat.end(rows, seconds)
    assert schedule.rows(0, 1_000_000, 1.0)
    gpu.begin(4000, 1.0)
    assert schedule.rows(0, 1_000_000, 1.0) == 0
    gpu.end(4000, 3.0)
    gpu.begin(4000, 3.0)
    assert schedule.rows(0, 1_000_000, 3.0)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("copies", [1, 5, 20, 100, 400])
@pytest.mark.parametrize("gpu", [300.0, 1800.0, 20_000.0])
def test_few_long_rows_never_take_longer_than_on_the_cores(
    gpu: float, copies: int, known: bool
) -> None:
    """The programs of a set with tests, a few milliseconds each: a GPU's lanes take seconds."""
    total, cores = 164 * copies, 2500.0
    seconds, judged = simulated(total, [cores, gpu], known=known, longest=1.7)
    assert seconds < 1.1 * total / cores + 0.2
    if copies == 400 and gpu > cores:
        assert judged[1] > judged[0]


def test_cores_judge_rows_that_a_gpu_would_return_to_them() -> None:
    """Keep rows on the cores if a GPU would return most steps, as in the set HumanEval."""
    cores, gpu = Seat(False, 1 << 17, 16), Seat(True, 1 << 20)
    schedule = Schedule([cores, gpu])
    cores.begin(256, 0.0)
    cores.end(256, 0.1, StepCounts.of(np.array([9_000_000] * 2 + [8_000] * 254)))
    assert cores.longest == pytest.approx(0.1)
    assert schedule.rows(1, 65_600, 1.0) == 0
    assert schedule.rows(1, 10_000_000, 1.0) == 1 << 18  # a thousand such rows have enough lanes
    assert schedule.rows(0, 3_000, 1.0) == 1_500
    assert schedule.rows(0, None, 1.0) == 4 * 256  # four times as long as its longest row
    cores.begin(256, 1.0)
    cores.end(256, 1.1, StepCounts.of(np.full(256, 200_000)))
    assert schedule.rows(1, 65_600, 1.0) > 0
    assert StepCounts.of(np.zeros(0, np.int64)) == StepCounts()


def test_the_speed_of_a_tiny_portion_is_not_trusted() -> None:
    cores, gpu = Seat(False, 1 << 17, 16), Seat(True, 1 << 20)
    schedule = Schedule([cores, gpu])
    cores.begin(256, 0.0)
    cores.end(256, 0.0035)  # the cores judge a million rows per second
    assert schedule.rows(1, 63_000, 0.004) == 0
    assert schedule.rows(0, 63_000, 0.004) == 31_500
    cores.begin(256, 0.1)
    cores.end(256, 0.2)
    assert schedule.rows(1, 63_000, 0.2) > 0


def test_a_gpu_of_unknown_speed_judges_one_portion_of_long_rows_at_a_time() -> None:
    cores, gpu = Seat(False, 1 << 17, 16), Seat(True, 1 << 20)
    schedule = Schedule([cores, gpu])
    assert schedule.rows(1, 5_000, 0.0) == 0
    cores.begin(256, 0.0)
    cores.end(256, 0.1)
    assert schedule.rows(1, None, 1.1) == 0
    assert schedule.rows(1, 5_000, 1.1) == 0  # the cores end before a lane has
    assert schedule.rows(1, 50_000, 1.1) == 25_000
    gpu.begin(25_000, 1.1)
    assert schedule.rows(1, 25_000, 1.1) == 0
    gpu.end(25_000, 3.1)
    assert 0 < schedule.rows(1, 25_000, 3.1) < 25_000
