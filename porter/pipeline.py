"""All stages of a build, one after the other: generate, preprocess, rewrite, compile."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from attrs import frozen

from porter import paths, toolchain
from porter.compile import compile_build
from porter.compile.flags import REGISTERS
from porter.compile.manifest import INFO_FIELDS, read_manifest
from porter.compile.stage import Compiled
from porter.config import BuildConfig
from porter.generate import Layout, generate
from porter.locking import locked
from porter.preprocess import preprocess
from porter.preprocess.stage import Preprocessed
from porter.rewrite.stage import RewriteReport, rewrite

STAGES = ("generate", "preprocess", "rewrite", "compile")
Started = Callable[[str], None]


@frozen
class Build:
    """A finished build: its folder, units, seconds per stage, and what compiling reported.

    `sources` is the folder that it shares with builds of other sizes.
    """

    folder: Path
    sources: Path
    units: int
    rewritten: int
    seconds: dict[str, float]
    compiled: Compiled


@frozen
class Rewritten:
    """The C++ of one release in `folder`/cxx, and what each unit was made from."""

    folder: Path
    units: tuple[Preprocessed, ...]
    report: RewriteReport

    @property
    def fresh(self) -> int:
        """Units that this run preprocessed or rewrote."""
        return max(sum(unit.fresh for unit in self.units), len(self.report.rewritten))


def sources_of(config: BuildConfig) -> Path:
    """The folder of `config`'s sources and of what compilers make of them."""
    return paths.build_dir() / f"{config.release}-{config.source_key()}"


def folder_of(config: BuildConfig) -> Path:
    """Where the build of `config` is or will be."""
    return sources_of(config) / config.key()


def build(
    config: BuildConfig,
    *,
    folder: Path | None = None,
    variant: str = "release",
    jobs: int | None = None,
    registers: int = REGISTERS,
    started: Started = lambda stage: None,
) -> Build:
    """Bring the build of `config` up to date; each stage does only what its inputs changed.

    `folder` replaces `sources_of(config)`. `started` is called with each stage's name as it
    begins. One process at a time works in a folder; others wait. Raises what the stages raise.
    """
    if "host" in config.targets:
        toolchain.gxx()  # what is missing is said before minutes of other work
    if "cuda" in config.targets:
        toolchain.nvcc()
    folder = folder or sources_of(config)
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / "lock"):
        return _build(config, folder, variant, jobs, registers, started)


def _build(
    config: BuildConfig,
    folder: Path,
    variant: str,
    jobs: int | None,
    registers: int,
    started: Started,
) -> Build:
    seconds: dict[str, float] = {}

    @contextmanager
    def stage(name: str) -> Iterator[None]:
        started(name)
        start = time.monotonic()
        yield
        seconds[name] = time.monotonic() - start

    done = _rewrite(config, folder, jobs, stage)
    with stage("compile"):
        compiled = compile_build(config, folder, variant=variant, jobs=jobs, registers=registers)
    count = len(done.report.rewritten)
    return Build(compiled.folder, folder, len(done.units), count, seconds, compiled)


def rewrite_sources(
    config: BuildConfig, *, folder: Path | None = None, jobs: int | None = None
) -> Rewritten:
    """Bring the C++ of `config` in `folder` (by default `sources_of(config)`) up to date.

    Compiles nothing. Raises what the stages raise.
    """
    folder = folder or sources_of(config)
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / "lock"):
        return _rewrite(config, folder, jobs, lambda name: nullcontext())


def _rewrite(
    config: BuildConfig,
    folder: Path,
    jobs: int | None,
    stage: Callable[[str], AbstractContextManager[None]],
) -> Rewritten:
    layout = Layout.of(config.release, folder)
    with stage("generate"):
        units = generate(config, layout)
    with stage("preprocess"):
        texts = preprocess(layout, units, jobs)
    with stage("rewrite"):
        report = rewrite({done.unit.name: done.path for done in texts}, folder / "cxx", jobs=jobs)
    return Rewritten(folder, tuple(texts), report)


def rewrite_release(config: BuildConfig, jobs: int | None = None) -> dict[str, int]:
    """Bring the C++ of a release up to date without compiling it; the edits that each rule made."""
    return rewrite_sources(config, jobs=jobs).report.per_rule()


def state_size(build: Build) -> int | None:
    """Bytes of the state struct: as the kernels have it, else as its header says."""
    manifest = read_manifest(build.folder)
    info = (manifest or {}).get("targets", {}).get("cuda", {}).get("info")
    return int(info[INFO_FIELDS[1]]) if info else build.compiled.state
