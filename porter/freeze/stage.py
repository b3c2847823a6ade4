"""Compile a build's frozen modules, and write the unit that has them."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from attrs import evolve, frozen

from porter.base.files import read_sealed, write_sealed, write_whole
from porter.base.fingerprint import content_digest, file_digest
from porter.base.progress import QUIET, ProgressReporter
from porter.config import BuildConfig
from porter.freeze.compiler import compiler_of
from porter.freeze.tables import frozen_unit
from porter.generate import qstr_table
from porter.generate.build_paths import Layout
from porter.generate.frozen import frozen_files
from porter.generate.genhdr import NUMBERED, QSTRS
from porter.generate.units import SourceUnit, UnitList
from porter.manifest import FrozenModule
from porter.preprocess import Preprocessed, preprocess

UNIT = "port_frozen_content"
PATH = "port/frozen_content.c"  # in messages


@frozen
class Frozen:
    """The result of the freeze stage.

    Attributes:
        texts: The preprocessed unit with the modules; empty without modules.
        modules: The modules, for `build.json`.
    """

    texts: tuple[Preprocessed, ...] = ()
    modules: tuple[FrozenModule, ...] = ()


def freeze(
    config: BuildConfig,
    layout: Layout,
    units: UnitList,
    texts: list[Preprocessed],
    jobs: int | None = None,
    progress: ProgressReporter = QUIET,
) -> Frozen:
    """Bring the unit with the frozen modules of `config` up to date.

    Args:
        config: The build.
        layout: Its folders.
        units: The result of the generate stage.
        texts: The result of the preprocess stage: all other units.
        jobs: The number of parallel processes; None for one per core.
        progress: Receives progress reports.

    Raises:
        FileProblem: A manifest or module cannot be read.
        UsageError: The user's manifest is invalid, or a module has a syntax error.
        BuildFailed: A compiler fails.
        GenerateFailed: Upstream's tool fails.
    """
    files = frozen_files(config, layout.upstream)
    if not files:
        shutil.rmtree(layout.frozen, ignore_errors=True)
        return Frozen()
    modules = tuple(
        FrozenModule(
            file.name,
            hashlib.sha256(file.content).hexdigest(),
            "" if file.own else str(file.path),
        )
        for file in files
    )
    source = layout.frozen / Path(PATH).name
    record = layout.frozen / "frozen.json"
    compiler = compiler_of(texts, layout.port, layout.genhdr, jobs, progress)
    digest = _digest(modules, compiler.folder, layout)
    known = read_sealed(record)
    made = file_digest(source) if source.is_file() else ""
    if known != {"inputs": digest, "made": made}:
        progress.say(f"{layout.upstream.name}: freezing {len(files)} modules")
        with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
            compiled = list(pool.map(compiler.compile, files))
        write_whole(source, frozen_unit(layout, compiled), parents=True)
        write_sealed(record, {"inputs": digest, "made": file_digest(source)})
    unit = SourceUnit(UNIT, PATH, str(source), "port")
    done = preprocess(layout, evolve(units, units=(unit,)), 1, progress, into=layout.frozen)
    return Frozen(tuple(done), modules)


def _digest(modules: tuple[FrozenModule, ...], compiler: Path, layout: Layout) -> str:
    read = [layout.upstream / "tools" / "mpy-tool.py", Path(qstr_table.__file__)]
    read += [layout.genhdr / name for name in (QSTRS, NUMBERED)]
    values = {
        "modules": [(one.name, one.sha256) for one in modules],
        "compiler": compiler.name,
        "files": content_digest([*read, Path(__file__).parent]),
    }
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
