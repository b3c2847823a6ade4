"""Run all stages of a build in order: generate, preprocess, freeze, rewrite, compile.

Called by commands and the Python API. Stages that are up to date are skipped.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from porter import toolchain
from porter.base import arguments, paths
from porter.base.deprecated import renamed_arguments
from porter.base.documents import structured
from porter.base.locks import locked
from porter.base.progress import DEFAULT, ProgressReporter
from porter.compile import compile_build
from porter.compile.compile_stage import Compiled
from porter.compile.flags import MOST_REGISTERS, REGISTERS, check_variant
from porter.config import BuildConfig
from porter.errors import FileProblem, NotBuilt, PreprocessFailed
from porter.freeze import freeze
from porter.freshness import Freshness
from porter.generate import Layout, generate
from porter.generate.port import patches_asked
from porter.generate.units import UnitList
from porter.manifest import NO_PATCHES, FrozenModule, Patches, patches_document
from porter.patches import load_series, refuse_kept, refuse_skipped, touching
from porter.patches.patch import REQUIRED
from porter.preprocess import kept_functions, preprocess
from porter.preprocess.preprocess_stage import Preprocessed
from porter.rewrite.rewrite_stage import RewriteReport, rewrite
from porter.sync.synchronization import ensure

MOST_JOBS = 1 << 16  # processes
STAGES = ("generate", "preprocess", "freeze", "rewrite", "compile")


@frozen
class Build:
    """A finished build.

    Attributes:
        folder: The build's folder.
        sources: The folder that it shares with builds of other sizes.
        units: The number of units.
        rewritten: The number of units that this run rewrote.
        seconds: The wall time of each stage.
        compiled: The result of the compile stage.
        patches: The applied and the skipped patches.
    """

    folder: Path
    sources: Path
    units: int
    rewritten: int
    seconds: dict[str, float]
    compiled: Compiled
    patches: Patches = NO_PATCHES


@frozen
class RewrittenSources:
    """The C++ of one release in `folder`/cxx, and the preprocessed units it was made from.

    Attributes:
        folder: The folder of the sources.
        units: The preprocessed units.
        report: The result of the rewrite stage.
        patches: The applied and the skipped patches.
        modules: The frozen Python modules.
    """

    folder: Path
    units: tuple[Preprocessed, ...]
    report: RewriteReport
    patches: Patches = NO_PATCHES
    modules: tuple[FrozenModule, ...] = ()

    @property
    def fresh(self) -> int:
        """The number of units that this run preprocessed or rewrote."""
        return max(sum(unit.fresh for unit in self.units), len(self.report.rewritten))


def sources_of(config: BuildConfig) -> Path:
    """Return the folder of `config`'s sources and compiler outputs."""
    return paths.build_dir() / f"{config.release}-{config.source_key()}"


@renamed_arguments(tell="progress")
def build(
    config: BuildConfig,
    *,
    folder: arguments.StrPath | None = None,
    variant: str = "release",
    jobs: int | None = None,
    registers: int = REGISTERS,
    strict: bool = False,
    progress: ProgressReporter = DEFAULT,
) -> Build:
    """Bring the build of `config` up to date; each stage repeats only what its inputs changed.

    Fetches the release if it is not synced. One process at a time works in a folder; others wait.
    An up-to-date build of another user is used without writing to it.

    Args:
        config: The build.
        folder: Replaces `sources_of(config)`.
        variant: The variant of the host twin.
        jobs: The number of parallel compilers; None for one per core.
        registers: The cap on registers per device thread.
        strict: Whether a skipped patch that `config` does not leave out is an error.
        progress: Receives progress reports; none if the build is up to date.

    Raises:
        PatchDrift: A required patch does not apply, or with `strict` any patch.
        FileProblem: The build is out of date and cannot be written.
        PorterError: As `ensure` and the stages.
    """
    folder = None if folder is None else arguments.path(folder, "folder")
    strict = arguments.flag(strict, "strict")
    jobs = None if jobs is None else arguments.whole(jobs, "jobs", 1, MOST_JOBS)
    registers = arguments.whole(registers, "registers", 1, MOST_REGISTERS)
    check_variant(variant, config.bounds_checks, config.profile)
    if "host" in config.targets:
        toolchain.gxx()  # report a missing compiler before minutes of other work
    if "cuda" in config.targets:
        toolchain.nvcc()
    folder = folder or sources_of(config)
    freshness = Freshness(config, folder, variant, registers, ensure(config.release, progress.say))
    if (kept := freshness.current()) is not None:
        return _as_kept(freshness, kept, strict)
    try:
        with _working_in(folder, progress):
            if (kept := freshness.current()) is not None:  # another process has built it meanwhile
                return _as_kept(freshness, kept, strict)
            inputs = freshness.inputs()
            done = _build(config, folder, variant, jobs, registers, strict, progress)
            freshness.keep(inputs, _to_keep(done))
            return done
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise
        if (kept := freshness.equal()) is not None:
            return _as_kept(freshness, kept, strict)
        raise FileProblem(
            f"{error.filename or folder}: there is no build of these settings that is up to date, "
            f"and this user may not make one there: {error.strerror}",
            hint="Set PORTER_HOME to a folder of yours. `--build` runs a finished build as it is.",
        ) from error


@contextmanager
def _working_in(folder: Path, progress: ProgressReporter) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / "lock", progress.say):
        yield


def _to_keep(done: Build) -> dict[str, Any]:
    compiled = done.compiled
    return {
        "units": done.units,
        "state": compiled.state,
        "warning": compiled.warning,
        "patches": patches_document(done.patches),
    }


def _as_kept(freshness: Freshness, kept: Mapping[str, Any], strict: bool) -> Build:
    """Return the Build of an up-to-date build."""
    document = kept["patches"]
    patches = Patches(tuple(document["applied"]))
    if document["skipped"] or document["kept"]:  # else avoid loading the document reader
        patches = structured(document, Patches, freshness.path, NotBuilt)
    if strict:
        refuse_skipped(patches.skipped)
        refuse_kept(patches.kept)
    steps = {"host": 0, "cuda": 0}
    compiled = Compiled(freshness.out, steps, 0.0, kept["state"], kept["warning"])
    seconds = dict.fromkeys(STAGES, 0.0)
    return Build(freshness.out, freshness.folder, kept["units"], 0, seconds, compiled, patches)


def _build(
    config: BuildConfig,
    folder: Path,
    variant: str,
    jobs: int | None,
    registers: int,
    strict: bool,
    progress: ProgressReporter,
) -> Build:
    seconds: dict[str, float] = {}

    @contextmanager
    def stage(name: str) -> Iterator[None]:
        start = time.monotonic()
        yield
        seconds[name] = time.monotonic() - start

    done = _rewrite(config, folder, jobs, stage, strict, progress)
    with stage("compile"):
        compiled = compile_build(
            config,
            folder,
            variant=variant,
            jobs=jobs,
            registers=registers,
            patches=done.patches,
            modules=done.modules,
            progress=progress,
        )
    count = len(done.report.rewritten)
    return Build(compiled.folder, folder, len(done.units), count, seconds, compiled, done.patches)


@renamed_arguments(tell="progress")
def rewrite_sources(
    config: BuildConfig,
    *,
    folder: arguments.StrPath | None = None,
    jobs: int | None = None,
    strict: bool = False,
    progress: ProgressReporter = DEFAULT,
) -> RewrittenSources:
    """Bring the C++ of `config` up to date without compiling it.

    Fetches the release if it is not synced.

    Args:
        config: The build.
        folder: Replaces `sources_of(config)`.
        jobs: The number of parallel processes; None for one per core.
        strict: As for `build`.
        progress: Receives progress reports.

    Raises:
        PorterError: As `ensure` and the stages.
    """
    folder = None if folder is None else arguments.path(folder, "folder")
    strict = arguments.flag(strict, "strict")
    jobs = None if jobs is None else arguments.whole(jobs, "jobs", 1, MOST_JOBS)
    ensure(config.release, progress.say)
    folder = folder or sources_of(config)
    with _working_in(folder, progress):
        return _rewrite(config, folder, jobs, lambda name: nullcontext(), strict, progress)


def _rewrite(
    config: BuildConfig,
    folder: Path,
    jobs: int | None,
    stage: Callable[[str], AbstractContextManager[None]],
    strict: bool,
    progress: ProgressReporter,
) -> RewrittenSources:
    layout = Layout.of(config.release, folder)
    unreadable: dict[str, str] | None = None
    while True:
        with stage("generate"):
            units = generate(config, layout, progress, strict=strict, unreadable=unreadable)
        with stage("preprocess"):
            texts = preprocess(layout, units, jobs, progress)
        patches = evolve(units.patches, kept=kept_functions(layout, units, texts))
        if strict:
            refuse_kept(patches.kept)
        if broken := _broken_patches(patches, units):
            unreadable = {**units.unreadable, **broken}
            continue
        try:
            with stage("freeze"):
                frozen_modules = freeze(config, layout, units, texts, jobs, progress)
            texts += frozen_modules.texts
            with stage("rewrite"):
                named = {done.unit.name: done.path for done in texts}
                report = rewrite(named, folder / "cxx", jobs=jobs, progress=progress)
            return RewrittenSources(folder, tuple(texts), report, patches, frozen_modules.modules)
        except PreprocessFailed as error:
            to_blame = _patches_to_blame(error, units)
            if strict or not to_blame:
                raise
            reason = f"a unit cannot be read with it: {error.message}"
            unreadable = {**units.unreadable, **dict.fromkeys(to_blame, reason)}
            progress.say(f"{config.release}: without {', '.join(to_blame)}: {error.message}")


def _broken_patches(patches: Patches, units: UnitList) -> dict[str, str]:
    """Return the patches with an unreplaced function that their other edits need, with reasons."""
    whole = {(one.patch, one.function) for one in units.replacements if one.whole}
    return {
        one.patch: f"it needs {one.function} ({one.file}), {one.reason}"
        for one in patches.kept
        if (one.patch, one.function) in whole
    }


def _patches_to_blame(error: PreprocessFailed, units: UnitList) -> list[str]:
    """Return the applied patches that may make a unit unreadable, except required ones.

    A patch can apply although upstream changed a type or a function that its text uses. For a unit
    of upstream, these are the patches of its file. If some of them include the header with the
    error, only these. For a unit of the port, these are the patches whose macros the unit mentions.
    """
    unit = next((one for one in units.units if one.name == error.unit), None)
    if unit is None:
        return []
    series, applied = load_series(), units.patches.applied
    if unit.origin != "port":
        return touching(series, applied, unit.path, Path(error.file).name)
    text = Path(unit.source).read_text(encoding="utf-8", errors="replace")
    required = {patch.name for patch in series if patch.class_ == REQUIRED}
    return [name for name in patches_asked(text) if name in applied and name not in required]


@renamed_arguments(tell="progress")
def rewrite_release(
    config: BuildConfig, jobs: int | None = None, progress: ProgressReporter = DEFAULT
) -> dict[str, int]:
    """Bring the C++ of a release up to date; return the number of edits by rule."""
    return rewrite_sources(config, jobs=jobs, progress=progress).report.per_rule()
