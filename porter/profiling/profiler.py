"""Run a program on a profiling build and read the counts."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import attrs

from porter.array.device_selection import check_count, open_target, read_sizes
from porter.base import arguments
from porter.base.deprecated import renamed_arguments
from porter.base.paths import templates_dir, upstream_dir
from porter.base.sizes import parse_size
from porter.errors import FileProblem, WrongType
from porter.fs import Image
from porter.manifest import FrozenModule
from porter.profiling.line_profile import Profile, read
from porter.run import Device, Launch, Program, Result, run
from porter.run.built import Built
from porter.run.filesystem import mounted
from porter.run.launch.counters import Counting

T = TypeVar("T")
LIBRARIES = ("", "lib")  # folders of the file system where an interpreter looks for modules


@renamed_arguments(room="counter_buffer")
def profile(
    program: str | bytes | Program | os.PathLike[str],
    n: int = 32,
    *,
    target: str | None = None,
    release: str | None = None,
    build: str | os.PathLike[str] | Built | None = None,
    heap: int | str | None = None,
    pystack: int | str | None = None,
    stack: int | str | None = None,
    counter_buffer: int | str | None = None,
    files: Image | None = None,
    launch: Launch | None = None,
) -> Profile:
    """Run `program` on `n` interpreters and count by line.

    A program that raises has a profile, too: its output and status are in `Profile.result`.

    Args:
        program: Source (str or bytes), or the path of a file (pathlib.Path).
        n: Number of interpreters.
        target: Target to run on.
        release: Upstream release.
        build: Finished build with `profile`; None to use or make a suitable one.
        heap: Size of the heap: bytes, or a text such as `"64K"`. All sizes here accept both.
        pystack: Size of the Python stack.
        stack: Size of the C stack.
        counter_buffer: Size of the counter buffer of each interpreter.
        files: Image that interpreters find at `/` and may write to.
        launch: Other options of the launch.

    Raises:
        UsageError: An argument is out of range or contradicts another.
        WrongType: An argument has the wrong type.
        FileProblem: The program's file cannot be read.
        PorterError: Building or running fails.
    """
    check_count(n)
    sizes: dict[str, Any] = {**read_sizes({"heap": heap, "pystack": pystack, "stack": stack})}
    chosen = program_of(program)
    options = attrs.evolve(_checked(launch, Launch, "launch") or Launch(), **sizes)
    _checked(files, Image, "files")
    counting = options.counting or Counting()
    if counter_buffer is not None:
        size = parse_size(counter_buffer, "counter_buffer")
        counting = attrs.evolve(counting, counter_buffer=size)
    device = open_target(target, release, build, {"profile": True, **sizes})
    try:
        if files is not None:
            options = mounted(options, device, files, n, shared=False)
        result = count(device, chosen, n, options, counting)
        return profile_of(device, result, n, chosen, files)
    finally:
        device.close()


def _checked(value: T | None, kind: type[T], name: str) -> T | None:
    if value is not None and not isinstance(value, kind):
        raise WrongType(f"{name}: {type(value).__name__} is no {kind.__name__}")
    return value


def program_of(program: str | bytes | Program | os.PathLike[str]) -> Program:
    """Return the program that the argument denotes. Raises FileProblem, WrongType."""
    if not isinstance(program, os.PathLike):
        return Program.of(program)
    path = arguments.path(program, "program")
    try:
        return Program(path.read_bytes(), str(path))
    except OSError as error:
        raise FileProblem(f"{path}: {error.strerror}") from error


def count(device: Device, program: Program, n: int, launch: Launch, counting: Counting) -> Result:
    """Run `program` with counters; the result contains the counts.

    Raises:
        PatchMissing: The build cannot count.
        PorterError: The launch fails.
    """
    device.built.whole.patches.need("profile", "a profile")
    return run(device, [program], n, attrs.evolve(launch, counting=counting))


def profile_of(
    device: Device, result: Result, n: int, program: Program, files: Image | None
) -> Profile:
    """Return the profile of `result`, with the sources that are available."""
    found = read(device, result, n)
    sources = {program.name: program.source.decode("utf-8", "replace")}
    release = str(device.built.config["release"])
    modules = {one.name: one for one in device.built.whole.frozen}
    for name in {line.file for line in found.lines} - set(sources):
        text = _source(name, files, _frozen(modules.get(name), release))
        if text is not None:
            sources[name] = text
    return attrs.evolve(found, sources=sources)


def _source(name: str, files: Image | None, frozen: Iterable[Path]) -> str | None:
    """Return the text of a module in the image, or of one of the files `frozen`; None without."""
    if files is not None:
        for folder in LIBRARIES:
            try:
                return files.read(f"/{folder}/{name}".replace("//", "/")).decode("utf-8", "replace")
            except (FileProblem, OSError):
                continue
    for path in frozen:
        try:
            if path.is_file():
                return path.read_text("utf-8", "replace")
        except (OSError, ValueError):
            continue
    return None


def _frozen(module: FrozenModule | None, release: str) -> Iterable[Path]:
    """Return the possible paths of a frozen module's source; none if the build lacks the module."""
    if module is None:
        return ()
    if module.source:
        return (Path(module.source),)
    inside = Path(module.name)
    frozen = templates_dir() / "frozen"
    return (
        frozen / "modules" / inside,
        frozen / inside,
        upstream_dir() / release / "extmod" / inside,
    )
