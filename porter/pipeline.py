"""All stages of a build, one after the other: generate, preprocess, rewrite, compile."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from attrs import frozen

from porter import paths
from porter.compile import compile_build
from porter.compile.manifest import INFO_FIELDS, read_manifest
from porter.compile.stage import Compiled
from porter.config import BuildConfig
from porter.generate import Layout, generate
from porter.preprocess import preprocess
from porter.rewrite.stage import rewrite

STAGES = ("generate", "preprocess", "rewrite", "compile")
Started = Callable[[str], None]


@frozen
class Build:
    """A finished build: its folder, units, seconds per stage, and what compiling reported."""

    folder: Path
    units: int
    rewritten: int
    seconds: dict[str, float]
    compiled: Compiled


def folder_of(config: BuildConfig) -> Path:
    """Where the build of `config` is or will be."""
    return paths.build_dir() / f"{config.release}-{config.key()}"


def build(
    config: BuildConfig,
    *,
    folder: Path | None = None,
    variant: str = "release",
    jobs: int | None = None,
    registers: int | None = None,
    started: Started = lambda stage: None,
) -> Build:
    """Bring the build of `config` up to date; each stage does only what its inputs changed.

    `started` is called with each stage's name as it begins. Raises what the stages raise.
    """
    folder = folder or folder_of(config)
    layout = Layout.of(config.release, folder)
    seconds: dict[str, float] = {}
    clock = time.monotonic()

    def begin(stage: str) -> None:
        nonlocal clock
        clock = time.monotonic()
        started(stage)

    begin("generate")
    units = generate(config, layout)
    seconds["generate"] = time.monotonic() - clock
    begin("preprocess")
    texts = preprocess(layout, units, jobs)
    seconds["preprocess"] = time.monotonic() - clock
    begin("rewrite")
    report = rewrite({done.unit.name: done.path for done in texts}, folder / "cxx", jobs=jobs)
    seconds["rewrite"] = time.monotonic() - clock
    begin("compile")
    compiled = compile_build(config, folder, variant=variant, jobs=jobs, registers=registers)
    seconds["compile"] = time.monotonic() - clock
    return Build(folder, len(texts), len(report.rewritten), seconds, compiled)


def state_size(folder: Path) -> int | None:
    """Bytes of the state struct in the build's device code; None when there is no such build."""
    manifest = read_manifest(folder)
    info = (manifest or {}).get("targets", {}).get("cuda", {}).get("info")
    return int(info[INFO_FIELDS[1]]) if info else None
