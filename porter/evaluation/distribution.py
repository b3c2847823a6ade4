"""Distribute programs over devices: cut a portion for each idle device, and order the results.

An evaluation on one device judges one portion after another. On several devices, a *worker* per
device judges portions. Two decisions make the time follow the total work instead of the slowest
device:

* Sizes. GPUs among themselves get portions of one size (`rows_for`). A host twin beside GPUs gets
  portions of 0.1 s or more until a GPU proves much faster. GPUs get a share by measured speed
  (`schedule`).
* Repetition. When no program is left, idle cores judge a portion that a GPU still runs, once the
  GPU has taken as long as they would, in pieces, from the first program on. The first result
  counts; the other one is cancelled. Results do not depend on the device, so the choice cannot be
  seen.

A portion whose device failed is judged by another device.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from queue import Empty, SimpleQueue

from attrs import define, field, frozen

from porter.errors import DeviceFailed, LaunchFailed, NotEnoughMemory
from porter.evaluation.background import Background
from porter.evaluation.batch_size import LEAST_ON_HOST, SLOTS_ON_GPU, rows_at_once
from porter.evaluation.devices import LazyDevice, MixedDevices, OpenDevice, PortionJudge
from porter.evaluation.growth import suited
from porter.evaluation.judgement import Judgement, judge
from porter.evaluation.options import Judging
from porter.evaluation.portion import Cutter, Portion
from porter.evaluation.processes import MANY_PROGRAMS, processes_of
from porter.evaluation.schedule import Schedule, Seat, StepCounts
from porter.run import Cancel, Device
from porter.run.device.base import MemberDevice
from porter.run.device.host import HostTwin

AHEAD = 8  # portions per device that are cut before the results of the first are requested
MOST_FAILURES = 2  # a portion is abandoned after it broke this many devices
# With several portions per device, the host's work on one portion overlaps a launch of another. On
# two H200s this minimum of rows was faster than larger ones, although it is half of a GPU's
# threads. The first portion of a GPU is small, because nothing runs until it has been compiled.
PORTIONS, PORTIONS_ON_GPU, LEAST_ROWS, FIRST_ROWS = 4, 8, 1 << 17, 1 << 16
# With at least this many cores, two portions at a time are faster: Python prepares and reads one,
# while interpreters of the other run. With fewer, they are not, and programs are read one portion
# later.
MANY_CORES = 4
LOOK = 0.05  # seconds after which an idle device asks again
# Minimum seconds after which idle cores judge what a GPU has not finished. They also let it have
# the time that they would take, because their work delays what the host does for the GPU.
REPEATED = 0.1


@define(eq=False)
class Worker:
    """A device that judges portions.

    Attributes:
        source: The device. It may be a LazyDevice or a CoreProcess that is not open yet.
        seat: The device's portion sizes and speed.
        slots: Portions at a time. The host's work on one overlaps the launch of another.
        runs: Number of portions in progress.
        opening: Whether it is being opened.
    """

    source: PortionJudge
    seat: Seat
    slots: int = 1
    runs: int = 0
    opening: bool = False

    @property
    def label(self) -> str:
        """The device's name for messages."""
        return self.source.label

    @property
    def is_free(self) -> bool:
        """Return whether the device can take a portion."""
        return not self.seat.lost and not self.opening and self.runs < self.slots


@define(eq=False)
class _Piece:
    """A portion in the order of results, until its judgements are yielded.

    Attributes:
        portion: The programs.
        runs: The attempts in progress.
        failures: Failures of devices with it.
        judgements: Its results; None before they are complete.
        repeated: Results of its first programs, from idle cores.
        repeating: The number of programs that idle cores have begun.
    """

    portion: Portion
    runs: list[_Run] = field(factory=list)
    failures: list[tuple[Worker, LaunchFailed]] = field(factory=list)
    judgements: list[Judgement] | None = None
    repeated: list[Judgement] = field(factory=list)
    repeating: int = 0

    @property
    def rows(self) -> int:
        """Rows that idle cores have not begun."""
        done = int(self.portion.counts[: self.repeating].sum())
        return self.portion.rows - done

    def finish(self, judgements: list[Judgement]) -> None:
        """Set the results, and cancel the other attempts."""
        self.judgements = judgements
        for run in self.runs:
            run.stop()


@define(eq=False)
class _Run:
    """An attempt to judge a portion, or its part, on one device."""

    piece: _Piece
    portion: Portion
    worker: Worker
    cancel: Cancel
    began: float = field(factory=time.monotonic)

    @property
    def whole(self) -> bool:
        return self.portion is self.piece.portion

    def stop(self) -> None:
        """Stop the interpreters; their results are not needed."""
        self.cancel()
        self.cancel()


# A thread reports the end of an attempt, or a device that is open or could not be opened.
_Report = tuple["_Run", "Judgement | BaseException"] | Worker


@define(eq=False)
class Distribution:
    """The workers of an evaluation, and the portions in progress.

    Attributes:
        workers: The devices.
        how: The options.
        rows_of: Returns the rows of the next portion of a worker, from its number, the rows that
            are left (None: not known) and the seconds since the start; 0: none now.
        cutter: The programs that are in no portion yet.
        ahead: Returns the rows to read ahead for a worker with a GPU, from its number, where the
            number of rows that are left is not known. None: GPUs get portions of one size.
    """

    workers: list[Worker]
    how: Judging
    rows_of: Callable[[int, int | None, float], int]
    cutter: Cutter
    ahead: Callable[[int], int] | None = None
    _cancel: Cancel = field(init=False)
    _pieces: deque[_Piece] = field(factory=deque, init=False)
    _again: deque[_Piece] = field(factory=deque, init=False)  # pieces whose device failed
    _reports: SimpleQueue[_Report] = field(factory=SimpleQueue, init=False)
    _failures: list[tuple[Worker, LaunchFailed]] = field(factory=list, init=False)
    _cut_all: bool = field(default=False, init=False)
    _unread: Exception | None = field(default=None, init=False)  # why no more can be cut
    _repeats_later: bool = field(default=False, init=False)
    _began: float = field(factory=time.monotonic, init=False)

    def __attrs_post_init__(self) -> None:
        """Make a request that stops all launches, also at the caller's request."""
        self._cancel = Cancel(outer=self.how.cancel)

    def judgements(self) -> Iterator[Judgement]:
        """Yield the judgements in the order of the programs."""
        with ThreadPoolExecutor(sum(worker.slots for worker in self.workers)) as pool:
            try:
                while True:
                    waits = self._assign(pool)
                    while self._pieces and (found := self._pieces[0].judgements) is not None:
                        self._pieces.popleft()
                        yield from found
                    if not self._pieces and self._cut_all:
                        if self._unread is not None:
                            raise self._unread
                        return
                    if any(one.runs or one.opening for one in self.workers) or self._force(pool):
                        self._collect(LOOK if waits else None)
            except BaseException:
                self._cancel()  # the remaining results are not needed; end them soon
                self._cancel()
                raise

    def _assign(self, pool: ThreadPoolExecutor) -> bool:
        """Give portions to free workers; return whether one of them has to ask again later."""
        waits = self._repeats_later = False
        for k, worker in enumerate(self.workers):
            while worker.is_free:
                run = self._next(k, worker)
                if run is None:
                    waits |= not self._cut_all or self._repeats_later
                    break
                self._start(pool, run)
            if worker.is_free and self._may_cut and not worker.seat.opened:
                self._open(k, worker)
        return waits

    @property
    def _may_cut(self) -> bool:
        return not self._cut_all and len(self._pieces) < AHEAD * len(self.workers)

    def _open(self, k: int, worker: Worker) -> None:
        """Open a device, without waiting for it, if the schedule has rows for it."""
        assert isinstance(worker.source, Background)
        if self._rows(k):
            worker.opening = True
            worker.source.open(partial(self._reports.put, worker))

    def _force(self, pool: ThreadPoolExecutor) -> bool:
        """Use a device although the schedule has no rows for it, because no device works.

        Returns:
            Whether a device works now; False if the last program was cut.
        """
        for k, worker in enumerate(self.workers):
            if worker.is_free and worker.seat.opened:
                run = self._next(k, worker, least=worker.seat.most)
                if run is not None:
                    self._start(pool, run)
                return run is not None
        for worker in self._left:
            worker.opening = True
            assert isinstance(worker.source, Background)
            worker.source.open(partial(self._reports.put, worker))
            return True
        return False

    def _rows(self, k: int) -> int:
        elapsed = time.monotonic() - self._began
        left = self.cutter.left
        if left is not None or self.ahead is None or not self.workers[k].seat.on_gpu:
            return self.rows_of(k, left, elapsed)
        wanted = self.ahead(k)
        read = self.cutter.ahead(wanted, LOOK)
        if self.cutter.left is not None:
            return self.rows_of(k, read, elapsed)
        # The source continues, perhaps for as long as it has lasted. It may be slow, so a portion
        # has no more than what was read.
        follow = self.cutter.cut if read >= wanted or not self.workers[k].seat.opened else 0
        return min(read, self.rows_of(k, read + follow, elapsed))

    def _next(self, k: int, worker: Worker, least: int = 0) -> _Run | None:
        """Return the next attempt of a device; `least`: minimum rows of new programs."""
        if not worker.seat.opened:
            return None
        if self._again:
            return self._retry(worker)
        if self._may_cut:
            rows = max(least, self._rows(k))
            portion = self._cut(rows) if rows else None
            self._cut_all = rows > 0 and portion is None
            if portion is not None:
                piece = _Piece(portion)
                self._pieces.append(piece)
                return self._run(piece, portion, worker)
        if self._cut_all and not worker.seat.on_gpu:
            return self._repeat(k, worker)
        return None

    def _cut(self, rows: int) -> Portion | None:
        """Cut a portion. An error of the source ends the evaluation after what was cut before."""
        try:
            return self.cutter.next(rows)
        except Exception as error:
            self._unread = error
            return None

    def _retry(self, worker: Worker) -> _Run:
        """Take a piece whose device failed, in portions that fit this worker."""
        piece = self._again.popleft()
        parts = piece.portion.parts(worker.seat.most)
        if len(parts) > 1:
            pieces = [_Piece(part, failures=list(piece.failures)) for part in parts]
            at = self._pieces.index(piece)
            del self._pieces[at]
            for offset, one in enumerate(pieces):
                self._pieces.insert(at + offset, one)
            piece = pieces[0]
            self._again.extendleft(reversed(pieces[1:]))
        return self._run(piece, piece.portion, worker)

    def _repeat(self, k: int, worker: Worker) -> _Run | None:
        """Take the next programs of a portion that a GPU has not finished."""
        rows = self.rows_of(k, None, 0.0)
        for piece in self._pieces:
            left = len(piece.portion.sources) - piece.repeating
            began = [run.began for run in piece.runs if run.whole and run.worker.seat.on_gpu]
            if piece.judgements is None and left > 0 and began and rows > 0:
                if time.monotonic() - min(began) < max(REPEATED, worker.seat.need(piece.rows)):
                    self._repeats_later = True
                    continue
                part = piece.portion.part(piece.repeating, rows)
                piece.repeating += len(part.sources)
                return self._run(piece, part, worker)
        return None

    def _run(self, piece: _Piece, portion: Portion, worker: Worker) -> _Run:
        run = _Run(piece, portion, worker, Cancel(outer=self._cancel))
        piece.runs.append(run)
        return run

    def _start(self, pool: ThreadPoolExecutor, run: _Run) -> None:
        run.worker.runs += 1
        run.worker.seat.begin(run.portion.rows, time.monotonic())
        pool.submit(self._judge, run)

    def _judge(self, run: _Run) -> None:
        """Judge a portion in this thread, and report the result to the thread of `judgements`."""
        try:
            found = run.worker.source.judge(run.portion, self.how, run.cancel)
            self._reports.put((run, found))
        except BaseException as error:
            self._reports.put((run, error))

    def _collect(self, seconds: float | None) -> None:
        """Wait for a report, at most `seconds`, and handle it."""
        try:
            report = self._reports.get(timeout=seconds)
        except Empty:
            return
        if isinstance(report, Worker):
            self._opened(report)
            return
        run, found = report
        piece, worker = run.piece, run.worker
        piece.runs.remove(run)
        worker.runs -= 1
        work = StepCounts.of(found.steps) if isinstance(found, Judgement) else None
        worker.seat.end(run.portion.rows, time.monotonic(), work)
        if piece.judgements is not None:
            return
        if isinstance(found, Judgement):
            self._add(run, found)
        elif isinstance(found, LaunchFailed) and not self._cancel.requests:
            self._lost(run, found)
        elif isinstance(found, NotEnoughMemory) and any(one is not worker for one in self._left):
            worker.seat.lost = True
        else:
            raise found
        if piece.judgements is None and not piece.runs:  # nobody judges it any more
            piece.repeated.clear()
            piece.repeating = 0
            self._again.append(piece)

    def _opened(self, worker: Worker) -> None:
        assert isinstance(worker.source, Background)
        worker.opening = False
        if worker.source.is_open:
            _take_seat(worker, self.how)
            return
        worker.seat.lost = True
        if not worker.source.optional:
            assert worker.source.error is not None
            raise worker.source.error

    def _add(self, run: _Run, judgement: Judgement) -> None:
        piece = run.piece
        if run.whole:
            piece.finish([judgement])
            return
        piece.repeated.append(judgement)
        if sum(len(one.counts) for one in piece.repeated) == len(piece.portion.sources):
            piece.finish(sorted(piece.repeated, key=lambda one: one.first))

    def _lost(self, run: _Run, error: LaunchFailed) -> None:
        """Remove a device that failed.

        Raises:
            DeviceFailed: No device is left, or the portion has broken several.
        """
        piece = run.piece
        self._failures.append((run.worker, error))
        piece.failures.append((run.worker, error))
        run.worker.seat.lost = True
        if len(piece.failures) >= MOST_FAILURES or not self._left:
            raise self._failed(piece) from error

    @property
    def _left(self) -> list[Worker]:
        return [worker for worker in self.workers if not worker.seat.lost]

    def _failed(self, piece: _Piece) -> DeviceFailed:
        """Return the error for a portion that no device can judge."""
        portion = piece.portion
        last = portion.first + len(portion.sources) - 1
        what = f"programs {portion.first} to {last}"
        worker, error = (piece.failures or self._failures)[-1]
        return DeviceFailed(
            f"{worker.label} failed with {what}: {error}",
            hint="Judge its programs separately, on builds with bounds checks, to find the cause.",
        )


def judged(
    device: Device | MixedDevices, cutter: Cutter, how: Judging, *, sized: bool
) -> Iterator[Judgement]:
    """Yield the judgements of the programs in `cutter`, in their order.

    On several devices, a portion whose device failed is judged on another one, because the result
    is the same. Raises as judge; DeviceFailed where no device is left, or a portion breaks several.

    Args:
        device: The device or devices.
        cutter: The programs.
        how: The options.
        sized: Whether the caller chose the number of programs per portion.
    """
    many = not sized and _are_many(cutter)
    if isinstance(device, HostTwin) and many and (processes := processes_of(device)):
        device = MixedDevices(device, [], processes)
    if isinstance(device, MixedDevices):
        return _mixed(device, cutter, how).judgements()
    rows = rows_for(device, how, None if sized else cutter.left)
    members = device.members or (MemberDevice(device, device.name),)
    slots = 1 if sized else slots_of(members[0].device)
    if slots == 1 and not device.members:
        return _on_one(device, cutter, how, rows)
    workers = [
        Worker(OpenDevice(one.label, one.device), Seat(one.device.on_gpu, rows), slots)
        for one in members
    ]
    return Distribution(workers, how, _Sizes(workers, rows).next, cutter).judgements()


@frozen
class _Sizes:
    """The sizes of portions on devices that are alike.

    Attributes:
        workers: The devices.
        rows: Rows of a portion.
    """

    workers: list[Worker]
    rows: int

    def next(self, k: int, left: int | None, elapsed: float) -> int:
        """Return the rows of the next portion of worker `k`; arguments as in `rows_of`."""
        seat = self.workers[k].seat
        begins = seat.on_gpu and seat.started is None
        return min(self.rows, FIRST_ROWS) if begins else self.rows


def _are_many(cutter: Cutter) -> bool:
    """Return whether MANY_PROGRAMS or more programs are left, or their number is unknown."""
    left = cutter.programs_left
    return left is None or left >= MANY_PROGRAMS


def slots_of(device: Device) -> int:
    """Return the number of portions that a device judges at a time."""
    if device.on_gpu:
        return SLOTS_ON_GPU
    return 2 if device.cores >= MANY_CORES else 1


def _on_one(device: Device, cutter: Cutter, how: Judging, rows: int) -> Iterator[Judgement]:
    while (portion := cutter.next(rows)) is not None:
        yield judge(device, portion, how)


def _mixed(devices: MixedDevices, cutter: Cutter, how: Judging) -> Distribution:
    """Return the distribution over a host twin, processes that share its cores, and GPUs."""
    host = devices.host
    most = rows_at_once(host, how)
    workers = [
        Worker(OpenDevice("the host twin", host), Seat(False, most, host.cores), slots_of(host))
    ]
    if how.function is None and _are_many(cutter):  # the caller's function stays in this process
        for process in devices.processes:
            seat = Seat(False, most, process.cores, opened=process.is_open)
            workers.append(Worker(process, seat, slots=2))
    for gpu in devices.gpus:
        worker = Worker(gpu, Seat(True, 0, opened=False), slots=SLOTS_ON_GPU)
        if gpu.is_open:
            _take_seat(worker, how)
        workers.append(worker)
    schedule = Schedule([one.seat for one in workers])
    return Distribution(workers, how, schedule.rows, cutter, schedule.ahead)


def _take_seat(worker: Worker, how: Judging) -> None:
    """Let a device that was opened judge, unless interpreters of the sizes in `how` do not fit."""
    seat = worker.seat
    seat.opened = True
    if isinstance(worker.source, LazyDevice) and worker.source.device is not None:
        device = worker.source.device
        with device.here():
            try:
                seat.lost = suited(device, how) is not device
                seat.most = rows_at_once(device, how)
            except NotEnoughMemory:
                seat.lost = True


def rows_for(device: Device, how: Judging, left: int | None) -> int:
    """Return the number of calls per portion, from the devices' memory and number.

    Args:
        device: The device or devices.
        how: The options.
        left: The number of all calls; None where it is not known, or the portions' size is chosen.
    """
    found = []
    members = device.members or (MemberDevice(device, device.name),)
    for member in members:
        with member.device.here():
            found.append(rows_at_once(member.device, how))
    if left:
        each = -(-left // len(members))
        on_gpu = members[0].device.on_gpu
        least = LEAST_ROWS if on_gpu else LEAST_ON_HOST
        portions = PORTIONS_ON_GPU if on_gpu else PORTIONS
        found.append(min(each, max(-(-each // portions), least)))
    return min(found)
