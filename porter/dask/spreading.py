"""Tasks on a cluster: a window of them is under way, and answers come in the tasks' order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
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
    batch = uuid4().hex[:12]
    waiting: deque[tuple[Task[T], Any]] = deque()
    shared = client.submit(unchanged, common, key=f"porter-common-{batch}", pure=False)
    try:
        for number, task in enumerate(tasks):
            key = f"porter-{task.work.__name__.strip('_')}-{batch}-{number}"
            future = client.submit(
                task.work, shared, *task.arguments, key=key, retries=retries, pure=False
            )
            waiting.append((task, future))
            if len(waiting) >= window:
                yield _answer(*waiting.popleft(), retries)
        while waiting:
            yield _answer(*waiting.popleft(), retries)
    finally:
        if client.status == "running":
            client.cancel([future for _, future in waiting], force=True)


def _answer(task: Task[T], future: Any, retries: int) -> T:
    try:
        result: T = future.result()
        return result
    except package().KilledWorker as error:
        raise ClusterFailed(
            f"{task.name} ended every worker that ran them: {error}",
            hint="Run them alone, with the host twin of a fenced build, to see which it is.",
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
