"""Distribute portions over devices, each with a batch size for its memory and occupancy.

A device takes the next portion when it is free.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from operator import length_hint
from queue import SimpleQueue
from typing import Any

from attrs import define, evolve, field

from porter.errors import DeviceFailed, LaunchFailed
from porter.evaluation.batch_size import rows_at_once
from porter.evaluation.cases import Cases
from porter.evaluation.judgement import Judgement, judge
from porter.evaluation.options import Judging
from porter.evaluation.portion import Portion
from porter.run import Cancel, Device
from porter.run.device.base import MemberDevice

AHEAD = 2  # portions per device that are cut and judged before their results are requested
MOST_FAILURES = 2  # a portion is abandoned after it broke this many devices
# With several portions per device, the host's work on one portion overlaps a launch of another. On
# two H200s this minimum of rows was faster than larger ones, although it is half of a GPU's
# threads.
PORTIONS, LEAST_ROWS = 4, 1 << 17


def rows_for(device: Device, how: Judging, programs: Iterable[Any], cases: Cases | None) -> int:
    """Return the number of calls per portion, from the devices' memory and number.

    Args:
        device: The device or devices.
        how: The options.
        programs: The programs; their number matters for several devices.
        cases: The shared cases.
    """
    if not device.members:
        return rows_at_once(device, how)
    found = []
    for member in device.members:
        with member.device.here():
            found.append(rows_at_once(member.device, how))
    rows = length_hint(programs) * (0 if cases is None else len(cases))
    if rows:
        each = -(-rows // len(device.members))
        found.append(min(each, max(-(-each // PORTIONS), LEAST_ROWS)))
    return min(found)


def judged(device: Device, portions: Iterable[Portion], how: Judging) -> Iterator[Judgement]:
    """Yield the judgements of `portions`, in their order.

    On several devices, a portion whose device failed is judged on another one, because the result
    is the same. Raises as judge; DeviceFailed where no device is left, or a portion breaks several.
    """
    if device.members:
        cancel = how.cancel or Cancel()
        return _Spread(device.members, evolve(how, cancel=cancel), cancel).run(portions)
    return (judge(device, portion, how) for portion in portions)


@define(eq=False)
class _Spread:
    members: Sequence[MemberDevice]
    how: Judging
    cancel: Cancel
    _free: SimpleQueue[int | None] = field(factory=SimpleQueue, init=False)
    _left: set[int] = field(factory=set, init=False)
    _failures: list[tuple[int, LaunchFailed]] = field(factory=list, init=False)

    def run(self, portions: Iterable[Portion]) -> Iterator[Judgement]:
        count = len(self.members)
        self._left.update(range(count))
        for k in range(count):
            self._free.put(k)
        waiting: deque[Future[Judgement]] = deque()
        with ThreadPoolExecutor(count) as pool:
            try:
                for portion in portions:
                    waiting.append(pool.submit(self._judge, portion))
                    if len(waiting) >= AHEAD * count:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            except BaseException:
                self.cancel()  # the remaining results are not needed; end them soon
                self.cancel()
                for future in waiting:
                    future.cancel()
                raise

    def _judge(self, portion: Portion) -> Judgement:
        failures: list[tuple[int, LaunchFailed]] = []  # failures with this portion
        while True:
            k = self._free.get()
            if k is None:
                self._free.put(None)  # wakes the next waiting thread
                raise self._failed(portion, failures)
            device = self.members[k].device
            try:
                with device.here():
                    judgement = judge(device, portion, self.how)
            except LaunchFailed as error:
                failures.append((k, error))
                self._lost(k, error)
                if len(failures) == MOST_FAILURES or not self._left:
                    raise self._failed(portion, failures) from error
            except BaseException:
                self._free.put(k)
                raise
            else:
                self._free.put(k)
                return judgement

    def _lost(self, k: int, error: LaunchFailed) -> None:
        self._failures.append((k, error))
        self._left.discard(k)
        if not self._left:
            self._free.put(None)

    def _failed(self, portion: Portion, failures: list[tuple[int, LaunchFailed]]) -> DeviceFailed:
        """Return the error for a portion that no device can judge.

        Args:
            portion: The portion.
            failures: Failures of devices with this portion; may be empty.
        """
        last = portion.first + len(portion.sources) - 1
        what = f"programs {portion.first} to {last}"
        k, error = (failures or self._failures)[-1]
        if not failures:
            return DeviceFailed(
                f"no device is left to judge {what}: {self.members[k].label} failed: {error}"
            )
        return DeviceFailed(
            f"{self.members[k].label} failed with {what}: {error}",
            hint="Judge its programs separately, on builds with bounds checks, to find the cause.",
        )
