"""Decide how many calls each device judges next, from the speeds measured in this evaluation.

`distribution` asks for each idle device, and reports what devices finished. Every decision is a
function of these reports, so tests need no device.

Model: a device judges `rate` rows per second. The rows that are left end soonest if each device
gets a share in proportion to its rate. A device gets half of its share at a time, so that later
portions correct wrong estimates.
"""

from __future__ import annotations

from attrs import define, field

# Rows per second and core, before the first portion has ended. A row of a short program takes a
# core 5 to 40 microseconds.
GUESS_CORE = 50_000.0
GUESS_GPU = 8  # the rate of a GPU before its first portion has ended, as a multiple of all cores
FIRST_ON_CORE = 16  # rows per core of the first portion on cores, whose speed is not known
GROWTH = 8  # a portion on cores has at most this many times the rows of the one before
SLICE = 0.1  # seconds of a portion on cores
# Rows of a portion on a GPU. Fewer rows leave most of its threads idle.
LEAST_ON_GPU = 1 << 16
MOST_ON_GPU = 1 << 18
STARTING = 0.5  # seconds for opening a GPU and loading the interpreter there
LAUNCHING = 0.02  # seconds of a launch on a GPU besides its rows


@define
class Seat:
    """A device of an evaluation, and what it has done.

    Attributes:
        on_gpu: Whether it is a GPU.
        most: Maximum rows per portion.
        cores: Number of cores, on the host twin.
        opened: Whether it has been opened.
        started: Time of its first portion's start, in seconds; None before it.
        rows: Rows of its finished portions.
        seconds: Seconds that it has worked.
        last: Rows of its largest finished portion.
        running: Rows of its portions in progress.
    """

    on_gpu: bool
    most: int
    cores: int = 1
    opened: bool = True
    started: float | None = None
    rows: int = 0
    seconds: float = 0.0
    last: int = 0
    running: list[int] = field(factory=list)

    def begin(self, rows: int, now: float) -> None:
        """Record the start of a portion."""
        if not self.running:
            self.started = now
        self.running.append(rows)

    def end(self, rows: int, now: float, *, judged: bool = True) -> None:
        """Record the end of a portion; `judged`: it has results."""
        self.running.remove(rows)
        assert self.started is not None
        self.seconds += max(1e-6, now - self.started)
        self.started = now
        if judged:
            self.rows += rows
            self.last = max(self.last, rows)

    def rate(self) -> float | None:
        """Return rows per second; None before a portion has ended."""
        return self.rows / self.seconds if self.rows else None


@define
class Schedule:
    """Portion sizes for a host twin and GPUs that judge together.

    Attributes:
        seats: The devices. The first one is the host twin.
    """

    seats: list[Seat]

    def rows(self, k: int, left: int | None, elapsed: float) -> int:
        """Return the rows of the next portion of device `k`; 0: none now.

        Args:
            k: The device's number.
            left: Rows that no device has yet; None where that is not known.
            elapsed: Seconds since the evaluation began.
        """
        return self._on_gpu(k, left, elapsed) if self.seats[k].on_gpu else self._on_cores(left)

    def _on_cores(self, left: int | None) -> int:
        cores = self.seats[0]
        rate, first = cores.rate(), FIRST_ON_CORE * cores.cores
        wanted = first if rate is None else min(int(rate * SLICE), GROWTH * max(cores.last, first))
        if left is not None and any(seat.running for seat in self.seats[1:]):
            # GPUs do not wait for the last portion of cores.
            wanted = min(wanted, int(left * self._rate(0) / self._sum() / 2))
        return max(cores.cores, min(wanted, cores.most))

    def _on_gpu(self, k: int, left: int | None, elapsed: float) -> int:
        seat = self.seats[k]
        overhead = LAUNCHING if seat.opened else STARTING
        if left is None:
            worth = (seat.opened and bool(seat.rows)) or elapsed >= STARTING
            return min(seat.most, MOST_ON_GPU) if worth else 0
        others = self._sum(without=k)
        if left / others < 2 * overhead:
            return 0
        share = int(left * self._rate(k) / (others + self._rate(k)))
        return min(seat.most, MOST_ON_GPU, max(share // 2, min(share, LEAST_ON_GPU)))

    def _works(self, k: int) -> bool:
        """Return whether device `k` has had a portion."""
        return self.seats[k].started is not None

    def _rate(self, k: int) -> float:
        seat = self.seats[k]
        measured = seat.rate()
        if measured is not None:
            return measured
        cores = self.seats[0].rate() or GUESS_CORE * self.seats[0].cores
        return cores * GUESS_GPU if seat.on_gpu else cores

    def _sum(self, without: int = -1) -> float:
        """Return the rate of the host twin and of all GPUs that have had a portion."""
        known = [k for k in range(len(self.seats)) if k == 0 or self._works(k)]
        return sum(self._rate(k) for k in known if k != without)
