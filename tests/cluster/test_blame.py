"""The task that is blamed for the end of workers, on a fake cluster."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from porter.dask.connection import Abilities
from porter.dask.tasks import Task, answers
from porter.errors import ClusterFailed

distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")

ONE_WORKER = {"tcp://one": Abilities("0", "3", 0, 2)}


def square(common: int, x: int) -> int:
    return common + x * x


class Future:
    """A fake future, whose result was determined when its task was sent."""

    def __init__(self, value: object) -> None:
        self.value = value

    def result(self) -> object:
        if isinstance(self.value, Exception):
            raise self.value
        return self.value

    def exception(self) -> object:
        return self.value if isinstance(self.value, Exception) else None


class Cluster:
    """A fake cluster that runs each task at once, except tasks for which `ends` ends the worker.

    Attributes:
        ends: A function of a task's argument and the number of its earlier submissions.
    """

    status = "running"

    def __init__(self, ends: Callable[[int, int], bool]) -> None:
        self.ends = ends
        self.sent: list[int] = []
        self.keys: set[str] = set()

    def submit(self, work: Any, common: Any, *rest: int, key: str, **how: Any) -> Future:
        assert key not in self.keys
        self.keys.add(key)
        if not rest:
            return Future(common)
        (x,) = rest
        before = self.sent.count(x)
        self.sent.append(x)
        if self.ends(x, before):
            return Future(distributed.KilledWorker(key, SimpleNamespace(address="tcp://one"), 1))
        return Future(work(common.value, x))

    def cancel(self, futures: list[Future], **how: Any) -> None:
        assert self.status == "running"


def answered(cluster: Cluster) -> list[int]:
    tasks = [Task(f"task {x}", square, (x,)) for x in range(9)]
    return list(answers(cluster, tasks, 100, ONE_WORKER))


def test_tasks_beside_one_that_ends_workers_are_tried_alone() -> None:
    cluster = Cluster(lambda x, before: x in (2, 3) and before == 0)
    assert answered(cluster) == [100 + x * x for x in range(9)]
    assert sorted(cluster.sent) == sorted([*range(9), 2, 3])


def test_a_task_that_ends_workers_alone_is_named() -> None:
    cluster = Cluster(lambda x, before: x == 3 or (x == 2 and before == 0))
    with pytest.raises(ClusterFailed, match="task 3 ended every worker that ran them, alone too"):
        answered(cluster)
    assert cluster.sent.count(3) == 2
