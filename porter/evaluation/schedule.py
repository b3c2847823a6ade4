"""Decide how many calls each device judges next, from the speeds measured in this evaluation.

`distribution` asks for each idle device, and reports what devices finished. Every decision is a
function of these reports, so tests need no device.

Model: a device judges `rate` rows per second. The rows that are left end soonest if each device
gets a share in proportion to its rate. A device gets half of its share at a time, so that later
portions correct wrong estimates.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import define, field, frozen

from porter.evaluation.stragglers import LIMITS
from porter.evaluation.twins import FEW

# Rows per second and core, before the first portion has ended. A row of a short program takes a
# core 5 to 40 microseconds.
GUESS_CORE = 50_000.0
GUESS_GPU = 8  # the rate of a GPU before its first portion has ended, as a multiple of all cores
FIRST_ON_CORE = 16  # rows per core of the first portion on cores, whose speed is not known
# Seconds of work after which the measured speed of cores counts where it is less than the guess. A
# first portion of short rows mostly shows what Python needs for a portion.
TRUSTED = 0.03
GROWTH = 8  # a portion on cores has at most this many times the rows of the one before
SLICE = 0.1  # seconds of a portion on cores
ROWS_OF_SLICE = 4  # its minimum length, as a multiple of the longest row's
ALONE = 2.0  # seconds of a portion on cores where no GPU judges
# Minimum seconds of a portion on cores, by the measured rate. Python works for milliseconds on any
# portion, and shares its time with the portions of GPUs.
LEAST_SLICE = 0.01
# Rows of a portion on a GPU. Fewer rows leave most of its threads idle.
LEAST_ON_GPU = 1 << 17
MOST_ON_GPU = 1 << 18
FASTER = 2  # a GPU this many times as fast as the cores judges without them
AHEAD_OF_GPU = 0.25  # seconds of a GPU's work for which programs are read ahead
STARTING = 1.0  # seconds for opening a GPU, or for starting a process
LAUNCHING = 0.05  # seconds of a small portion on a GPU, with what it costs the cores meanwhile
# A portion on a GPU lasts as long as its longest row: a lane takes 50 times as long as a core, and
# the longest row is assumed to take four times as long as the mean.
LONGEST = 200
# Seconds, by GUESS_CORE, of an evaluation that the cores judge within this process. Portions for
# other processes are copied, and begin small, so such an evaluation would take longer with them.
SHORT = 0.02
PATIENCE = 0.4  # seconds after which such an evaluation uses the processes too


@frozen
class StepCounts:
    """The steps that the rows of a portion took.

    Attributes:
        steps: Steps of all rows.
        longest: Steps of the longest row.
        long: Steps of rows that a GPU would run on the cores if they are few (`stragglers`).
        long_rows: Number of these rows.
    """

    steps: int = 0
    longest: int = 0
    long: int = 0
    long_rows: int = 0

    @classmethod
    def of(cls, steps: np.ndarray[Any, Any]) -> StepCounts:
        """Return the work of rows from their steps (int64)."""
        if not len(steps):
            return cls()
        long = steps[steps > LIMITS[0]]
        return cls(int(steps.sum()), int(steps.max()), int(long.sum()), len(long))


NOTHING = StepCounts()


@define
class Seat:
    """A device of an evaluation, with the numbers that measure its speed.

    Attributes:
        on_gpu: Whether it is a GPU.
        most: Maximum rows per portion.
        cores: Number of cores, on the host twin.
        opened: Whether it has been opened.
        lost: Whether it has failed.
        started: Time of its first portion's start, in seconds; None before it.
        rows: Rows of its finished portions.
        seconds: Seconds that it has worked.
        last: Rows of its largest finished portion.
        quickest: Seconds of its shortest finished portion; None before one has ended.
        longest: Seconds of the longest row of its finished portions, at most.
        steps: Steps of its finished portions.
        long: Steps of the long rows of these, as in `StepCounts`.
        long_rows: Number of these rows.
        running: Rows and start of each portion in progress.
    """

    on_gpu: bool
    most: int
    cores: int = 1
    opened: bool = True
    lost: bool = False
    started: float | None = None
    rows: int = 0
    seconds: float = 0.0
    last: int = 0
    quickest: float | None = None
    longest: float = 0.0
    steps: int = 0
    long: int = 0
    long_rows: int = 0
    running: list[tuple[int, float]] = field(factory=list)

    def begin(self, rows: int, now: float) -> None:
        """Record the start of a portion."""
        if not self.running:
            self.started = now
        self.running.append((rows, now))

    def end(self, rows: int, now: float, work: StepCounts | None = NOTHING) -> None:
        """Record the end of a portion; `work`: the steps of its rows, None without results."""
        at = next(k for k, (count, _) in enumerate(self.running) if count == rows)
        _, began = self.running.pop(at)
        assert self.started is not None
        self.seconds += max(1e-6, now - self.started)
        self.started = now
        if work is not None:
            self.rows += rows
            self.last = max(self.last, rows)
            took = now - began
            self.quickest = took if self.quickest is None else min(self.quickest, took)
            # All cores worked for all of the time, at most.
            share = min(1.0, self.cores * work.longest / max(1, work.steps))
            self.longest = max(self.longest, share * took)
            self.steps += work.steps
            self.long += work.long
            self.long_rows += work.long_rows

    def rate(self) -> float | None:
        """Return rows per second; None before a portion has ended."""
        return self.rows / self.seconds if self.rows else None

    def need(self, rows: int) -> float:
        """Return the seconds that cores would take for `rows`."""
        return rows / (self.rate() or GUESS_CORE * self.cores)


@define
class Schedule:
    """Portion sizes for a host twin, processes that share its cores, and GPUs.

    Attributes:
        seats: The devices. The first one is the host twin of this process. It gets no portion while
            other processes use the cores, which they do in an evaluation that is not short.
    """

    seats: list[Seat]

    def rows(self, k: int, left: int | None, elapsed: float) -> int:
        """Return the rows of the next portion of device `k`; 0: none now.

        Args:
            k: The device's number.
            left: Rows that no device has yet, or a lower bound of them; None where that is not
                known. A GPU gets none then.
            elapsed: Seconds since the evaluation began.
        """
        seat = self.seats[k]
        if seat.on_gpu:
            return self._on_gpu(k, left)
        if self._shared and (k == 0) != self._is_short(left, elapsed):
            return 0
        if not seat.opened:
            rate = self._sum() or self._rate(0)
            return int(elapsed > STARTING if left is None else left / rate > 2 * STARTING)
        return self._on_cores(k, left)

    @property
    def _shared(self) -> bool:
        """Return whether processes judge on the cores."""
        return any(one.opened and not one.lost and not one.on_gpu for one in self.seats[1:])

    def _is_short(self, left: int | None, elapsed: float) -> bool:
        """Return whether cores judge what is left within this process, before others have begun."""
        host, *others = self.seats
        begun = any(one.started is not None for one in others if not one.on_gpu)
        if left is None or begun or host.lost or elapsed > PATIENCE:
            return False
        return left < SHORT * GUESS_CORE * host.cores

    def _on_cores(self, k: int, left: int | None) -> int:
        cores = self.seats[k]
        rate, first = cores.rate(), FIRST_ON_CORE * cores.cores
        if rate is not None and self._is_much_slower(rate):
            return 0
        wanted = first
        # Half of these cores' share of what is left.
        half = int((left or 0) * self._rate(k) / (self._sum() or self._rate(k)) / 2)
        if rate is not None:
            # A portion lasts as long as its longest row, so it gets work for the other cores.
            slice_ = max(SLICE, ROWS_OF_SLICE * cores.longest)
            wanted = min(int(rate * slice_), GROWTH * max(cores.last, first))
            if left is not None and not self._wants_gpu(left):
                wanted = max(wanted, min(half, int(rate * ALONE)))
        if left is not None and any(seat.running for seat in self.seats if seat is not cores):
            # Other devices do not wait for the last portion of these cores.
            wanted = max(min(wanted, half), first if rate is None else int(rate * LEAST_SLICE))
        return max(cores.cores, min(wanted, cores.most))

    def _is_much_slower(self, rate: float) -> bool:
        """Return whether a GPU that judges now is FASTER times as fast as these cores.

        Their portions would delay what Python does for the GPU by more than they save. They
        continue with what GPUs have not finished in the end (`distribution`).
        """
        running = [seat.rate() for seat in self.seats if seat.on_gpu and seat.running]
        return any(gpu is not None and gpu > FASTER * rate for gpu in running)

    def _wants_gpu(self, left: int) -> bool:
        """Return whether a GPU judges, or would get some of the rows that are left."""
        return any(
            not seat.lost and (bool(seat.running) or self._on_gpu(k, left) > 0)
            for k, seat in enumerate(self.seats)
            if seat.on_gpu
        )

    def ahead(self, k: int) -> int:
        """Return the rows to read ahead before GPU `k` gets some, where `left` is not known."""
        work = 3 * self._overhead(k) * self._sum(without=k) + AHEAD_OF_GPU * self._rate(k)
        return max(1, min(MOST_ON_GPU, int(work)))

    def _on_gpu(self, k: int, left: int | None) -> int:
        """Return the rows of the next portion of GPU `k`.

        It gets none where the cores would end before it, so few long rows stay on the cores.
        """
        seat = self.seats[k]
        others = self._sum(without=k)
        if left is None or (others and left / others < 2 * self._overhead(k)):
            return 0
        share = int(left * self._rate(k) / (others + self._rate(k)))
        if seat.rate() is None and any(one.rows for one in self.seats):
            # The rows are long, or there would be none left. A GPU may be slow at long rows.
            share = 0 if seat.running else min(share, left // 2)
        rows = min(seat.most, MOST_ON_GPU, max(share // 2, min(share, LEAST_ON_GPU)))
        return 0 if self._returns(rows) else rows

    def _returns(self, rows: int) -> bool:
        """Return whether a GPU would return the rows that take most of the steps to the cores."""
        seats = self.seats
        if 2 * sum(one.long for one in seats) <= sum(one.steps for one in seats):
            return False
        long = sum(one.long_rows for one in seats) / sum(one.rows for one in seats)
        return rows * long <= FEW * seats[0].cores

    def _overhead(self, k: int) -> float:
        """Return the minimum seconds of a portion on GPU `k`, with those for opening it."""
        seat, host = self.seats[k], self.seats[0]
        rows = self._sum(without=k) or self._rate(0)  # per second, on all cores
        longest = LONGEST * host.cores / rows
        if seat.quickest is not None:
            longest = min(longest, seat.quickest)
        return max(LAUNCHING, longest) + (0.0 if seat.opened else STARTING)

    def _works(self, k: int) -> bool:
        """Return whether device `k` gets portions, and its rate counts."""
        seat = self.seats[k]
        if seat.lost or (k == 0 and self._shared):
            return False
        return k == 0 or seat.started is not None or (seat.opened and not seat.on_gpu)

    def _rate(self, k: int) -> float:
        seat, host = self.seats[k], self.seats[0]
        measured = seat.rate()
        if measured is not None and (seat.on_gpu or seat.seconds >= TRUSTED):
            return measured
        known = host.rate() if host.seconds >= TRUSTED else None
        each = (known or GUESS_CORE * host.cores) / host.cores
        guessed = each * (GUESS_GPU * host.cores if seat.on_gpu else seat.cores)
        return max(guessed, measured or 0.0)

    def _sum(self, without: int = -1) -> float:
        """Return the sum of the rates of all devices that get portions."""
        known = [k for k in range(len(self.seats)) if self._works(k) and k != without]
        return sum(map(self._rate, known))
