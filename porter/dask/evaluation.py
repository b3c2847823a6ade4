"""`evaluate` on a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from operator import length_hint
from typing import Any

from attrs import evolve, frozen

from porter.base import arguments
from porter.dask.builds import Parcel, Supply, build_for, device_for
from porter.dask.connection import Abilities, check_client, workers_of
from porter.dask.tasks import RETRIES, Task, answers
from porter.evaluation import Cases, Evaluation, Judgement, Judging, Portion, judge, portions
from porter.evaluation.execution import collected, counted, judging_of, named
from porter.evaluation.options import MOST_BATCH, Progress, batch_of, progress_of
from porter.run.built import Built

ROWS = 1 << 15  # maximum calls of a task by default; a failed worker loses at most these
ROWS_ON_GPU = 1 << 18


@frozen(eq=False)
class Common:
    """The data that all tasks of one evaluation share. `cases`: if all programs share them."""

    parcel: Parcel
    target: str | None
    how: Judging
    cases: Cases | None


def judge_portion(common: Common, portion: Portion) -> Judgement:
    """Run and judge a portion of the programs, on a worker."""
    if common.cases is not None:
        portion = evolve(portion, cases=common.cases)
    with device_for(common.parcel, common.target) as device:
        return judge(device, portion, common.how)


def evaluate(
    client: Any,
    programs: Iterable[Any] | Mapping[str, str | bytes],
    cases: Iterable[Any] | None = None,
    *,
    batch: int | None = None,
    progress: Progress | None = None,
    target: str | None = None,
    release: str | None = None,
    build: str | os.PathLike[str] | Built | None = None,
    retries: int = RETRIES,
    **options: Any,
) -> Evaluation:
    """Evaluate programs on the workers of a Dask cluster; see porter.evaluate.

    Args:
        client: A distributed.Client.
        programs: As for porter.evaluate.
        cases: As for porter.evaluate.
        batch: The maximum number of programs of a task.
        progress: As for porter.evaluate.
        target: "cuda" if each worker must have a GPU, "host" for host twins. None: each worker
            uses its GPU, or the host twin if it has none.
        release: The release of a new build.
        build: A finished build, or its folder.
        retries: How often a task that raised is repeated. A task whose worker died is repeated in
            any case, up to Dask's `distributed.scheduler.allowed-failures`. Results do not change.
        options: Further arguments of porter.evaluate.

    Raises:
        NoCluster, ClusterMismatch, NoGpu: The workers cannot run the programs; nothing has started.
        ClusterFailed: A task failed; the message names its programs, and `result` has the
            Judgements of all programs before them.
        PorterError: As porter.evaluate.
    """
    how = judging_of(**options)
    most, progress = batch_of(batch), progress_of(progress)
    programs, names = named(programs)
    shared = None if cases is None else Cases.of(cases)
    answered = judgements(
        check_client(client),
        programs,
        shared,
        how,
        batch=most,
        progress=progress,
        target=target,
        release=release,
        build=build,
        retries=retries,
    )
    found = collected(answered)
    return Evaluation.of(found, 0 if shared is None else len(shared), names)


def judgements(
    client: Any,
    programs: Iterable[Any],
    cases: Cases | None,
    how: Judging,
    *,
    batch: int | None = None,
    progress: Progress | None = None,
    target: str | None = None,
    release: str | None = None,
    build: str | os.PathLike[str] | Built | None = None,
    retries: int = RETRIES,
) -> Iterator[Judgement]:
    """Yield the judgements of `programs`, in order. Arguments as for `evaluate`."""
    retries = arguments.whole(retries, "retries", 0, 1000)
    workers = workers_of(client, target)
    built = build_for(workers, target, release, build)
    supply = Supply.of(client, built)
    common = Common(supply.parcel, target, how, cases)
    rows = _rows(workers, programs, cases, batch)
    tasks = _tasks(portions(programs, cases, rows=rows, most=batch or MOST_BATCH), cases)
    return counted(answers(client, tasks, common, workers, retries, supply), progress)


def _tasks(cut: Iterable[Portion], cases: Cases | None) -> Iterator[Task[Judgement]]:
    for portion in cut:
        last = portion.first + len(portion.sources) - 1
        if cases is not None:  # shared cases are in Common
            portion = evolve(portion, cases=NO_CASES)
        yield Task(f"programs {portion.first} to {last}", judge_portion, (portion,))


NO_CASES: Any = None


def _rows(
    workers: dict[str, Abilities], programs: Iterable[Any], cases: Cases | None, batch: int | None
) -> int:
    """Return the calls per task: a few tasks per worker, so that idle workers can take more."""
    most = ROWS_ON_GPU if all(worker.gpus for worker in workers.values()) else ROWS
    if batch is not None or cases is None:
        return most
    rows = length_hint(programs) * len(cases)
    return min(most, -(-rows // (4 * len(workers)))) if rows else most
