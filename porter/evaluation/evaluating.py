"""`evaluate`: programs x cases, a batch of programs at a time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs

from porter.base.arguments import path
from porter.errors import ClusterFailed, LaunchFailed, LaunchInterrupted, UsageError
from porter.evaluation.cases import Cases
from porter.evaluation.evaluation import Evaluation
from porter.evaluation.judgement import Judgement
from porter.evaluation.judging import (
    CLOCK,
    MOST_BATCH,
    STDOUT,
    STEPS,
    Files,
    Judging,
    Progress,
    batch_of,
    progress_of,
)
from porter.evaluation.opening import open_sandbox
from porter.evaluation.portion import portions
from porter.evaluation.spreading import judged, rows_for
from porter.fs import Image
from porter.fs.folder import image_of
from porter.run import Device
from porter.run.built import Built
from porter.run.open_several import Devices

Size = int | str | None


def evaluate(
    programs: Iterable[Any] | Mapping[str, str | bytes],
    cases: Iterable[Any] | None = None,
    *,
    entry: str = "solve",
    steps: Any = STEPS,
    deadline: Any = None,
    heap: Size = None,
    pystack: Size = None,
    stack: Size = None,
    stdout: Size = STDOUT,
    seed: int = 0,
    clock: float | None = CLOCK,
    compare: Any = "equal",
    each: str = "case",
    keep: str | Iterable[str] = (),
    files: str | os.PathLike[str] | Image | None = None,
    batch: int | None = None,
    progress: Progress | None = None,
    target: str | None = None,
    release: str | None = None,
    build: str | os.PathLike[str] | Built | None = None,
    device: Device | None = None,
    devices: Devices | None = None,
) -> Evaluation:
    """Run each program, call its function `entry` for each case, and compare what it returns.

    programs: sources (str, or bytes of UTF-8), a generator of them too, or a dict of them by name.
    cases: (args, expected), or {"args", "kwargs", "expected"}, for all programs. Where programs
    have cases of their own, they are pairs (source, cases), and `cases` is left out.

    steps, deadline: that running a program, and each call, may take; one for all, or one for each
    program by its index; None: no limit, of one of the two. heap, pystack, stack: bytes of each
    interpreter; None: the build's. stdout: bytes that a call may print; None: 16K. each: "case", an
    interpreter for each call; "program": one for all calls of a program. seed: of random numbers,
    the same for every call. clock: seconds since 1970 at which it stands, but for what programs
    wait; None: the machine's. files: a folder, or a littlefs2 image, that programs read at "/".

    compare: "equal", as Python's ==, but that NaN equals NaN; a relative tolerance, or a Tolerance,
    for floats; or a function of the returned and the expected value, which runs here. keep:
    "outputs", "values", "tracebacks", "exceptions", what is kept beside statuses and steps.

    batch: programs of one launch; None: as memory has room for. progress: is called with the number
    of programs that are done. target, release, build, device, devices: as InterpreterArray has
    them; without a build one with fences is made.

    Programs that fail are no errors; CaseStatus says how each case ended. Raises UsageError,
    WrongType, NotEnoughMemory, and what opening or making a build raises; LaunchFailed, and after
    Ctrl-C LaunchInterrupted, whose `result` has the Judgements of the programs before.
    """
    how = judging_of(
        entry=entry,
        steps=steps,
        deadline=deadline,
        heap=heap,
        pystack=pystack,
        stack=stack,
        stdout=stdout,
        seed=seed,
        clock=clock,
        compare=compare,
        each=each,
        keep=keep,
        files=files,
    )
    most, progress = batch_of(batch), progress_of(progress)
    programs, names = named(programs)
    shared = None if cases is None else Cases.of(cases)
    opened, owned = open_sandbox(target, release, build, device, devices)
    try:
        found = collected(judgements(opened, programs, shared, how, batch=most, progress=progress))
    finally:
        if owned:
            opened.close()
    return Evaluation.of(found, 0 if shared is None else len(shared), names)


def judging_of(
    *,
    heap: Size = None,
    pystack: Size = None,
    stack: Size = None,
    files: str | os.PathLike[str] | Image | None = None,
    **options: Any,
) -> Judging:
    """What `evaluate` is asked for, checked. Raises UsageError, WrongType, FileProblem."""
    known = [one.name for one in attrs.fields(Judging) if one.name not in ("sizes", "files")]
    if unknown := [name for name in options if name not in known]:
        raise UsageError(
            f"{unknown[0]}: there is no such option",
            hint=f"There are {', '.join((*known, 'heap', 'pystack', 'stack', 'files'))}.",
        )
    sizes = {"heap": heap, "pystack": pystack, "stack": stack}
    return Judging(sizes=sizes, files=None if files is None else files_of(files), **options)


def judgements(
    device: Device,
    programs: Iterable[Any],
    cases: Cases | None,
    how: Judging,
    *,
    batch: int | None = None,
    progress: Progress | None = None,
) -> Iterator[Judgement]:
    """Judge `programs`, a portion at a time, in their order. As `evaluate` has the arguments."""
    rows = rows_for(device, how, programs if batch is None else (), cases)
    cut = portions(programs, cases, rows=rows, most=batch or MOST_BATCH)
    return counted(judged(device, cut, how), progress)


def named(programs: Iterable[Any]) -> tuple[Iterable[Any], tuple[str, ...] | None]:
    """Programs without their names, and these, where they are a dict by name."""
    if isinstance(programs, Mapping):
        return programs.values(), tuple(map(str, programs))
    return programs, None


def counted(judgements: Iterable[Judgement], progress: Progress | None) -> Iterator[Judgement]:
    """`judgements` as they come. progress: is called with the number of programs that are done."""
    done = 0
    for judgement in judgements:
        yield judgement
        done += len(judgement.counts)
        if progress is not None:
            progress(done)


def collected(judgements: Iterable[Judgement]) -> list[Judgement]:
    """All of them. An error that ends them has as its `result` those that there were."""
    found: list[Judgement] = []
    try:
        for judgement in judgements:
            found.append(judgement)
    except (LaunchFailed, ClusterFailed, LaunchInterrupted) as error:
        error.result = tuple(found)
        raise
    except KeyboardInterrupt as error:
        raise LaunchInterrupted(tuple(found)) from error
    return found


def files_of(files: str | os.PathLike[str] | Image) -> Files:
    """The image of a folder, of a littlefs2 image's file, or an image. Raises FileProblem."""
    if not isinstance(files, Image):
        folder = path(files, "files")
        files = image_of(folder) if folder.is_dir() else Image.load(folder)
    return Files(bytes(files.data), files.block_size)
