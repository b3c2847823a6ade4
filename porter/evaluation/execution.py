"""`evaluate`: open a device, and run programs on test cases, one batch of programs at a time."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sized
from typing import Any

import attrs

from porter.array.device_selection import (
    built_for_all,
    check_device,
    check_no_options,
    open_target,
)
from porter.base.arguments import path
from porter.errors import LaunchInterrupted, UsageError
from porter.evaluation.cases import Cases
from porter.evaluation.devices import MixedDevices, open_mixed
from porter.evaluation.distribution import judged
from porter.evaluation.growth import suited
from porter.evaluation.judgement import Judgement
from porter.evaluation.options import (
    CLOCK,
    MAX_HEAP,
    MOST_BATCH,
    STDOUT,
    STEPS,
    Files,
    Judging,
    Progress,
    batch_of,
    progress_of,
)
from porter.evaluation.portion import READING, Cutter
from porter.evaluation.results import Evaluation
from porter.fallback import Fallback
from porter.fs import Image
from porter.fs.folder import image_of
from porter.run import Device
from porter.run.built import Built
from porter.run.open import ALL, Devices, chosen_devices

Opened = Device | MixedDevices


def open_sandbox(
    target: str | None = None,
    release: str | None = None,
    build: str | os.PathLike[str] | Built | None = None,
    device: Device | MixedDevices | None = None,
    devices: Devices | None = None,
) -> tuple[Opened, bool]:
    """Open the devices of an evaluation, or validate an open one.

    A finished `build` or an open `device` is used as it is, with or without bounds checks.
    Otherwise a build with bounds checks is made, with progress on stderr.

    Args:
        target: The target: cores or the GPU alone. None: both, where there is a GPU.
        release: The MicroPython release to build.
        build: A finished build or its folder.
        device: An open device.
        devices: Several devices to open as one; "all": all GPUs, and the cores beside them.

    Returns:
        The device, and whether the caller has to close it.

    Raises:
        UsageError: The arguments contradict each other.
        NotBuilt: The build lacks the target.
        NoGpu: There is no GPU.
        MissingPackage: CuPy cannot be imported.
        PorterError: Making a build failed.
    """
    if device is not None:
        others: dict[str, Any] = {"target": target, "release": release, "build": build}
        others["devices"] = devices
        if isinstance(device, MixedDevices):
            check_no_options(**others)
            return device, False
        return check_device(device, **others), False
    checks = {"bounds_checks": True}
    every = devices is not None and chosen_devices(devices) == (ALL,)
    if target is None and (devices is None or every):
        built = built_for_all(release, build, checks)
        if built is not None and {"host", "cuda"} <= set(built.manifest["targets"]):
            return open_mixed(built, every=every), True
        build, release = (build, release) if built is None else (built, None)
    return open_target(target, release, build, checks, devices=devices), True


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
    max_heap: Size = MAX_HEAP,
    stdout: Size = STDOUT,
    seed: int = 0,
    clock: float | None = CLOCK,
    compare: Any = "equal",
    output: str = "lines",
    each: str = "case",
    keep: str | Iterable[str] = (),
    files: str | os.PathLike[str] | Image | None = None,
    fallback: Fallback | str | None = None,
    batch: int | None = None,
    progress: Progress | None = None,
    target: str | None = None,
    release: str | None = None,
    build: str | os.PathLike[str] | Built | None = None,
    device: Device | MixedDevices | None = None,
    devices: Devices | None = None,
) -> Evaluation:
    """Run each program, call its function `entry` for each case, and compare the results.

    A failing program does not raise. Its outcome is in `CaseStatus`. Raises also the exceptions of
    opening or making a build.

    Args:
        programs: An iterable of sources (str, or bytes in UTF-8), or a dict of them by name. For
            programs with their own cases: pairs (source, cases).
        cases: (args, expected), {"args", "kwargs", "expected"}, or {"stdin", "stdout"}, for all
            programs; None: programs have their own cases.
        entry: The function's name, or "Class.method" of a class that is made without arguments.
        steps: Maximum steps of running a program, and of each call; one for all, or one for each
            program by its index. None: no limit, if there is a deadline.
        deadline: Maximum seconds of running a program, and of each call, likewise. None: no limit,
            if `steps` is given.
        heap: Bytes of each interpreter's heap; None: the build's size.
        pystack: Bytes of its Python stack, likewise.
        stack: Bytes of its C stack, likewise.
        max_heap: A call that runs out of heap, Python stack or C stack is run again with four times
            as much of it, up to this heap; 12 MiB by default. 0: calls are not run again.
        stdout: Maximum bytes of output per call; None: 16K.
        seed: Seed of random numbers, which are the same in every call.
        clock: The fixed time of the clock in seconds since 1970; only a program's own sleeps
            advance it. None: the machine's clock.
        compare: "equal": Python's ==, except that NaN equals NaN. A relative tolerance, or a
            Tolerance, for floats. Or a function of the returned and the expected value, which runs
            in CPython.
        output: How outputs are compared in cases with "stdout": "text": equal texts; "lines": as
            "text", without spaces at the ends of lines and empty lines at the end; "tokens": equal
            words, of which floats may differ by the tolerance of `compare`.
        each: "case": an interpreter for each call; "program": one for all calls of a program.
        keep: Data to keep beside statuses and steps: "outputs", "values", "tracebacks",
            "exceptions", "stderr", "exit_codes".
        files: A folder, or a littlefs2 image, that programs read at "/".
        fallback: "cpython", or a porter.fallback.Fallback: calls that are UNSUPPORTED run in
            CPython, in restricted processes, and `in_cpython` marks them. None: they do not.
        batch: Programs per launch; None: determined by memory.
        progress: A function that is called with the number of finished programs.
        target: As in InterpreterArray.
        release: As in InterpreterArray.
        build: As in InterpreterArray; without a build, one with bounds checks is made.
        device: As in InterpreterArray.
        devices: As in InterpreterArray.

    Raises:
        UsageError: An argument has an invalid value.
        WrongType: An argument has a wrong type.
        NotEnoughMemory: The interpreters do not fit.
        LaunchFailed: A device failed; `result` has the Judgements of earlier programs.
        LaunchInterrupted: Ctrl-C came; `result` has the Judgements of earlier programs.
        FallbackUnavailable: The machine cannot restrict programs in CPython.
        Exception: An exception of the iterator `programs`. Also for a program of a wrong type,
            `result` has the Judgements of earlier programs.
    """
    how = judging_of(
        entry=entry,
        steps=steps,
        deadline=deadline,
        heap=heap,
        pystack=pystack,
        stack=stack,
        max_heap=max_heap,
        stdout=stdout,
        seed=seed,
        clock=clock,
        compare=compare,
        output=output,
        each=each,
        keep=keep,
        files=files,
        fallback=fallback,
    )
    most, progress = batch_of(batch), progress_of(progress)
    programs, names = named(programs)
    if isinstance(programs, Sized):
        how.check_number(len(programs))
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
    """Validate the options of `evaluate`. Raises UsageError, WrongType, FileProblem."""
    own = ("sizes", "files", "reserved")
    known = [one.name for one in attrs.fields(Judging) if one.name not in own]
    if unknown := [name for name in options if name not in known]:
        raise UsageError(
            f"{unknown[0]}: there is no such option",
            hint=f"There are {', '.join((*known, 'heap', 'pystack', 'stack', 'files'))}.",
        )
    sizes = {"heap": heap, "pystack": pystack, "stack": stack}
    return Judging(sizes=sizes, files=None if files is None else files_of(files), **options)


def judgements(
    device: Opened,
    programs: Iterable[Any],
    cases: Cases | None,
    how: Judging,
    *,
    batch: int | None = None,
    progress: Progress | None = None,
) -> Iterator[Judgement]:
    """Judge `programs` in order, and yield a judgement per portion. Arguments as in evaluate."""
    if not isinstance(device, MixedDevices):
        device = suited(device, how)
    seconds = READING if batch is None else math.inf
    cutter = Cutter(programs, cases, most=batch or MOST_BATCH, seconds=seconds)
    return counted(judged(device, cutter, how, sized=batch is not None), progress)


def named(programs: Iterable[Any]) -> tuple[Iterable[Any], tuple[str, ...] | None]:
    """Split a dict of programs into programs and names; without a dict there are no names."""
    if isinstance(programs, Mapping):
        return programs.values(), tuple(map(str, programs))
    return programs, None


def counted(judgements: Iterable[Judgement], progress: Progress | None) -> Iterator[Judgement]:
    """Yield `judgements`, and report the number of finished programs to `progress`."""
    done = 0
    for judgement in judgements:
        yield judgement
        done += len(judgement.counts)
        if progress is not None:
            progress(done)


def collected(judgements: Iterable[Judgement]) -> list[Judgement]:
    """Collect all judgements.

    An exception that ends the iteration gets the judgements so far as its `result`.
    """
    found: list[Judgement] = []
    try:
        for judgement in judgements:
            found.append(judgement)
    except (LaunchInterrupted, Exception) as error:  # the latter also of the caller's iterator
        vars(error)["result"] = tuple(found)
        raise
    except KeyboardInterrupt as error:
        raise LaunchInterrupted(tuple(found)) from error
    return found


def files_of(files: str | os.PathLike[str] | Image) -> Files:
    """Make read-only files of a folder, an image file, or an Image. Raises FileProblem."""
    if not isinstance(files, Image):
        folder = path(files, "files")
        files = image_of(folder) if folder.is_dir() else Image.load(folder)
    return Files(bytes(files.data), files.block_size)
