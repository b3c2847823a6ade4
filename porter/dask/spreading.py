"""Tasks on a cluster: a window of them is under way, and answers come in the tasks' order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from itertools import count
from typing import Any, Generic, TypeVar
from uuid import uuid4

from attrs import field, frozen

from porter.dask.connecting import Abilities, package
from porter.errors import ClusterFailed, PorterError

T = TypeVar("T")
AHEAD = 3  # tasks of each thread of the cluster that are cut before somebody asks for answers
RETRIES = 2  # of a task that raises; Dask bounds how many workers one may end (allowed-failures)


@frozen
class Task(Generic[T]):
    """One call on a worker: `work(common, *arguments)`. name: what it is about, for people."""

    name: str
    work: Callable[..., T] = field(repr=False)
    arguments: tuple[Any, ...] = field(repr=False)


def unchanged(value: T) -> T:
    """Itself: a task whose result Dask can make again when the worker that has it is gone."""
    return value


def answers(
    client: Any,
    tasks: Iterable[Task[T]],
    common: object,
    workers: dict[str, Abilities],
    retries: int = RETRIES,
) -> Iterator[T]:
    """What the tasks return, in their order. common: what all of them get, sent once a worker.

    Raises ClusterFailed, which names the task that failed, and what porter raises in a task.
    """
    window = AHEAD * max(1, sum(worker.nthreads for worker in workers.values()))
    sending = _Sending(client, common, retries)
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
    """Sends tasks to a cluster, each under a key of its own, and awaits what they return."""

    def __init__(self, client: Any, common: object, retries: int) -> None:
        self._client, self._retries = client, retries
        self._batch, self._numbers = uuid4().hex[:12], count()
        key = f"porter-common-{self._batch}"
        self._common = client.submit(unchanged, common, key=key, pure=False)

    def future(self, task: Task[Any]) -> Any:
        """Its answer, some time. A task that is sent again has none of Dask's doubts about it."""
        name = task.work.__name__.strip("_")
        key = f"porter-{name}-{self._batch}-{next(self._numbers)}"
        return self._client.submit(
            task.work, self._common, *task.arguments, key=key, retries=self._retries, pure=False
        )

    def answer(self, task: Task[T], future: Any, others: Iterable[tuple[Task[Any], Any]]) -> T:
        """What it returns. others: the tasks that are under way beside it."""
        with _named(task, self._retries):
            try:
                result: T = future.result()
            except package().KilledWorker:
                # Dask blames every task that a worker had when it ended: alone it is the one.
                for _, other in others:
                    other.exception()
                result = self.future(task).result()
            return result


@contextmanager
def _named(task: Task[Any], retries: int) -> Iterator[None]:
    """What a task raises says which it was."""
    try:
        yield
    except package().KilledWorker as error:
        raise ClusterFailed(
            f"{task.name} ended every worker that ran them, alone too: {error}",
            hint="Run them with the host twin of a fenced build, to see which it is.",
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
