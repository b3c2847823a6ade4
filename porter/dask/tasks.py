"""Run tasks on a cluster with a bounded number in flight, and yield results in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from itertools import count
from typing import Any, Generic, TypeVar
from uuid import uuid4

from attrs import field, frozen

from porter.dask.builds import BuildMissing
from porter.dask.connection import Abilities, package
from porter.errors import ClusterFailed, PorterError

T = TypeVar("T")
AHEAD = 3  # tasks in flight per thread of the cluster
RETRIES = 2  # of a task that raises; Dask limits how many workers one may kill (allowed-failures)

JOINING = 8  # times that one task may meet a new worker without the build


@frozen
class Task(Generic[T]):
    """A call `work(common, *arguments)` on a worker. `name` describes it in messages."""

    name: str
    work: Callable[..., T] = field(repr=False)
    arguments: tuple[Any, ...] = field(repr=False)


def unchanged(value: T) -> T:
    """Return `value`. As a task, Dask can recompute it if the worker that holds it is gone."""
    return value


def answers(
    client: Any,
    tasks: Iterable[Task[T]],
    common: object,
    workers: dict[str, Abilities],
    retries: int = RETRIES,
    supply: Callable[[], None] | None = None,
) -> Iterator[T]:
    """Yield the results of `tasks`, in order.

    Args:
        client: A distributed.Client.
        tasks: The tasks, consumed as results are.
        common: The first argument of all tasks, sent once per worker.
        workers: The workers' abilities by address.
        retries: How often a task that raised is repeated.
        supply: Sends the build to workers that joined after the start. Called if a task raises
            BuildMissing, which is then repeated.

    Raises:
        ClusterFailed: A task failed; the message names it.
        PorterError: A task raised it.
    """
    window = AHEAD * max(1, sum(worker.nthreads for worker in workers.values()))
    sending = _Sending(client, common, retries, supply)
    waiting: deque[tuple[Task[T], Any]] = deque()
    try:
        for task in tasks:
            waiting.append((task, sending.future(task)))
            if len(waiting) >= window:
                yield sending.answer(*waiting.popleft(), waiting)
        while waiting:
            yield sending.answer(*waiting.popleft(), waiting)
    finally:
        if client.status == "running":
            client.cancel([future for _, future in waiting], force=True)


class _Sending:
    """Submits tasks to a cluster, each under a unique key, and waits for their results."""

    def __init__(
        self, client: Any, common: object, retries: int, supply: Callable[[], None] | None
    ) -> None:
        self._client, self._retries, self._supply = client, retries, supply
        self._batch, self._numbers = uuid4().hex[:12], count()
        key = f"porter-common-{self._batch}"
        self._common = client.submit(unchanged, common, key=key, pure=False)

    def future(self, task: Task[Any]) -> Any:
        """Submit a task. A repeated task gets a new key, so that Dask does not suspect it."""
        name = task.work.__name__.strip("_")
        key = f"porter-{name}-{self._batch}-{next(self._numbers)}"
        return self._client.submit(
            task.work, self._common, *task.arguments, key=key, retries=self._retries, pure=False
        )

    def answer(self, task: Task[T], future: Any, others: Iterable[tuple[Task[Any], Any]]) -> T:
        """Return a task's result; `others` are the other tasks in flight."""
        with _named(task, self._retries):
            try:
                result: T = self._supplied(task, future)
            except package().KilledWorker:
                # Dask blames every task on a worker that died. Run this one alone to be sure.
                for _, other in others:
                    other.exception()
                result = self.future(task).result()
            return result

    def _supplied(self, task: Task[T], future: Any) -> T:
        """Return a task's result; repeat it while a worker lacks the build and others join."""
        for _ in range(JOINING):
            try:
                result: T = future.result()
                return result
            except BuildMissing:
                if self._supply is None:
                    raise
                self._supply()
                future = self.future(task)
        last: T = future.result()
        return last


@contextmanager
def _named(task: Task[Any], retries: int) -> Iterator[None]:
    """Add the name of the task to its errors."""
    try:
        yield
    except package().KilledWorker as error:
        raise ClusterFailed(
            f"{task.name} ended every worker that ran them, alone too: {error}",
            hint="Run them on a host twin with bounds checks to find the cause.",
        ) from error
    except (CancelledError, package().comm.CommClosedError) as error:
        raise ClusterFailed(
            f"{task.name}: the scheduler is gone, or has dropped them: {error}",
            hint="What the scheduler wrote says why.",
        ) from error
    except PorterError as error:
        error.message = f"{task.name}: {error.message} (tried {retries + 1} times)"
        raise
    except Exception as error:
        raise ClusterFailed(
            f"{task.name} failed {retries + 1} times: {type(error).__name__}: {error}"
        ) from error
