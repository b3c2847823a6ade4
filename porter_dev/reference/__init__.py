"""The reference build: the port and upstream compiled as plain C, for comparison in tests.

The host's compiler compiles every unit as C. All are linked into one executable.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import attrs

from porter.base import arguments, paths, process
from porter.base.files import replacing
from porter.base.locks import locked
from porter.config import BuildConfig
from porter.errors import BuildFailed, NoCompiler, ToolFailed, ToolMissing
from porter.freeze import freeze
from porter.freeze.compiler import PLAIN_C
from porter.generate import Layout, generate
from porter.preprocess import Preprocessed, preprocess
from porter.sync.synchronization import ensure

# jmp_buf must have the size of the host's setjmp; see templates/libc/setjmp.h.
_DEFINE = "-DPORTER_NATIVE_SETJMP"
_C_FLAGS = (*PLAIN_C, "-O1", "-g")


def build_reference(
    config: BuildConfig,
    folder: arguments.StrPath,
    *,
    flags: Sequence[str] = (),
    jobs: int | None = None,
) -> Path:
    """Build the port of `config` as plain C, unless the executable exists, and return its path.

    Args:
        config: Configuration of the port.
        folder: Folder for the build.
        flags: Options for every compiler and linker call, such as `-fsanitize=address`.
        jobs: Compilers at a time; None for one per core.

    Raises:
        BuildFailed: A compiler or the linker fails.
        NoCompiler: gcc or g++ is not installed.
        PorterError: Syncing the release, generating or preprocessing fails.
    """
    folder = arguments.path(folder, "folder")
    ensure(config.release)
    layout = Layout.of(config.release, folder)
    layout.build.mkdir(parents=True, exist_ok=True)
    with locked(layout.build / "lock"):
        return _build(config, layout, flags, jobs)


def _build(config: BuildConfig, layout: Layout, flags: Sequence[str], jobs: int | None) -> Path:
    units = generate(config, layout)
    units = attrs.evolve(units, defines=(*units.defines, _DEFINE))
    texts = preprocess(layout, units, jobs)
    texts += freeze(config, layout, units, texts, jobs).texts
    objects = layout.build / "objects"
    objects.mkdir(exist_ok=True)
    with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        built = list(pool.map(lambda unit: _compile(unit, objects, flags), texts))
    return _link(layout, built, flags)


def _compile(unit: Preprocessed, objects: Path, flags: Sequence[str]) -> Path:
    command = ["gcc", "-x", "cpp-output", *_C_FLAGS, *flags, "-c", str(unit.path)]
    digest = hashlib.sha256(" ".join(command).encode() + unit.path.read_bytes()).hexdigest()[:16]
    result = objects / f"{unit.unit.name}-{digest}.o"
    if not result.is_file():
        with replacing(result) as beside:
            _run([*command, "-o", str(beside)], unit.unit.path)
    return result


def _link(layout: Layout, objects: Sequence[Path], flags: Sequence[str]) -> Path:
    templates = paths.templates_dir()
    main = templates / "reference" / "reference.cpp"
    parts = [main, templates / "runtime" / "libm.inc", layout.port / "interp.h"]
    text = "".join(map(str, [*objects, *flags])).encode()
    text += b"".join(path.read_bytes() for path in parts)
    result = layout.build / f"reference-{hashlib.sha256(text).hexdigest()[:16]}"
    if not result.is_file():
        command = ["g++", "-std=c++17", "-O1", "-g", *flags, "-I", str(layout.port)]
        command += ["-I", str(templates / "runtime"), str(main), *map(str, objects)]
        with replacing(result) as beside:
            _run([*command, "-o", str(beside)], "reference")
    return result


def _run(command: Sequence[str], what: str) -> None:
    try:
        process.run(command, timeout=600)
    except ToolMissing as error:
        raise NoCompiler(f"{command[0]} is not installed", hint=error.hint) from error
    except ToolFailed as error:
        raise BuildFailed(f"{what}: {error.output or error}") from error


__all__ = ["build_reference"]
