"""Take one release through all stages, in order, and record their results and failures.

The stages are sync, patch and rewrite, then build, smoke and conformance per target.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import define, evolve, field, frozen

from porter import pipeline
from porter.base.deprecated import renamed_fields
from porter.base.progress import QUIET, ProgressReporter
from porter.config import BuildConfig
from porter.conformance.suite import Events
from porter.errors import (
    BuildFailed,
    CompilerRefused,
    MissingPackage,
    NoGpu,
    NoNvcc,
    PatchDrift,
    PorterError,
    SmokeFailed,
    UnknownConstruct,
)
from porter.generate import Layout, read_units
from porter.patches import STATES, Fit, check_series, load_series
from porter.regress.baseline import Facts, Problem, ReleaseRun, Stage, StageState
from porter.regress.checks import StageMemory, conformance_config, run_smoke, run_tests
from porter.regress.measurements import sizes_of, warnings_of
from porter.sync.store import Synced

Started = Callable[[str], None]


@define
class StageUnderWay:
    """The running stage; the code inside it sets the final state and the note."""

    state: StageState = StageState.OK
    note: str = ""


@define
class StageSequence:
    """The stages of one release so far."""

    started: Started = lambda name: None
    stages: list[Stage] = field(factory=list)
    errors: list[PorterError] = field(factory=list)

    @contextmanager
    def stage(self, name: str, target: str = "") -> Iterator[StageUnderWay]:
        """Run a stage; a PorterError in it is recorded, not raised. Check `failed` afterwards."""
        self.started(f"{name} {target}".strip())
        running = StageUnderWay()
        start = time.monotonic()
        problems: tuple[Problem, ...] = ()
        try:
            yield running
        except PorterError as error:
            found = [error, *(error.others if isinstance(error, UnknownConstruct) else ())]
            self.errors += found
            problems = tuple(Problem.of(one) for one in found)
            running.state = StageState.FAILED
        seconds = round(time.monotonic() - start, 2)
        self.stages.append(Stage(name, target, running.state, seconds, running.note, problems))

    @property
    def failed(self) -> bool:
        """Return whether the last stage failed."""
        return bool(self.stages) and self.stages[-1].state is StageState.FAILED

    def not_reached(self, *names: str, target: str = "") -> None:
        """Record stages that do not run because of a failure."""
        self.stages += [Stage(name, target, StageState.NOT_REACHED) for name in names]


TARGET_STAGES = ("build", "smoke", "conformance")
_PLACE = re.compile(r"\b(?:upstream|patched)/[^/\s:]+/([^\s:]+\.[ch]):(\d+)")


@renamed_fields(tell="progress")
@frozen
class Options:
    """The options of a run.

    Attributes:
        targets: Targets in their order.
        where_possible: Whether to skip a target whose compiler is missing, with a note.
        strict: Whether a skipped patch fails the stage `patch`.
        jobs: Processes at a time; None for one per core.
        progress: Receives progress.
        events: Progress callbacks of the conformance stage.
    """

    targets: tuple[str, ...] = ("host",)
    where_possible: bool = False
    strict: bool = False
    jobs: int | None = None
    progress: ProgressReporter = QUIET
    events: Events = field(factory=Events)


@define
class _Facts:
    """Facts under construction."""

    facts: Facts = field(factory=Facts)
    reasons: dict[str, dict[str, str]] = field(factory=dict)
    skipped: tuple[Fit, ...] = ()

    def add(self, **values: Any) -> None:
        self.facts = evolve(self.facts, **values)


def run_release(name: str, sync: Callable[[], tuple[Synced, bool]], options: Options) -> ReleaseRun:
    """Take a release through its stages.

    A PorterError of a stage is part of the result and is not raised.

    Args:
        name: Name of the release in reports until its sources are known.
        sync: Syncs the sources; returns them, and whether they existed before.
        options: Options of the run.
    """
    progress = options.progress
    steps, found = StageSequence(lambda stage: progress.say(f"{name}: {stage}")), _Facts()
    synced: Synced | None = None
    with steps.stage("sync") as running:
        synced, there = sync()
        running.note = synced.origin
        running.state = StageState.CACHED if there else StageState.OK
        found.add(tree=synced.tree)
    if synced is None:
        steps.not_reached("patch", "rewrite")
        for target in options.targets:
            steps.not_reached(*TARGET_STAGES, target=target)
        return _result(name, "", steps, found)
    release = synced.release
    with steps.stage("patch") as running:
        _patch(synced, options, running, found)
    if steps.failed:
        steps.not_reached("rewrite")
    else:
        with steps.stage("rewrite") as running:
            _rewrite(release, options, running, found)
    for target in options.targets:
        if found.facts.units:
            _target(release, target, options, steps, found)
        else:
            steps.not_reached(*TARGET_STAGES, target=target)
    return _result(release, synced.origin, steps, found)


def _result(name: str, origin: str, steps: StageSequence, found: _Facts) -> ReleaseRun:
    return ReleaseRun(
        name,
        origin,
        tuple(steps.stages),
        found.facts,
        found.reasons,
        tuple(steps.errors),
        found.skipped,
    )


def _patch(synced: Synced, options: Options, running: StageUnderWay, found: _Facts) -> None:
    checks = check_series(synced.path, synced.release, load_series())
    states = {check.patch: check.state for check in checks}
    found.add(patches=states)
    words = [f"{list(states.values()).count(state)} {state}" for state in STATES]
    words = [word for word in words if not word.startswith("0 ")]
    skipped = found.skipped = tuple(check for check in checks if check.state == "skipped")
    words += [f"skipped {check.patch}: {check.without}" for check in skipped]
    running.note = ", ".join(words)
    refused = [
        check for check in checks if check.state == "fails" or (options.strict and check in skipped)
    ]
    if refused:
        raise PatchDrift(
            "\n".join(check.detail for check in refused),
            hint="Change the anchor in patches/, or add a variant of the hunk with `where` "
            "(docs/reference/patches.md).",
            patch=", ".join(check.patch for check in refused),
            file=", ".join(dict.fromkeys(check.file for check in refused if check.file)),
        )


def _rewrite(release: str, options: Options, running: StageUnderWay, found: _Facts) -> None:
    progress = options.progress.within()
    done = pipeline.rewrite_sources(
        BuildConfig(release=release), jobs=options.jobs, strict=options.strict, progress=progress
    )
    names = {unit.unit.name: unit.unit.path for unit in done.units}
    edits = {names[name]: dict(sorted(e.items())) for name, e in done.report.edits.items()}
    jobs = options.jobs or os.cpu_count() or 1
    warnings = warnings_of([unit.path for unit in done.units], release, jobs)
    found.add(units=dict(sorted(edits.items())), warnings=warnings)
    running.state = StageState.OK if done.fresh else StageState.CACHED
    wants = read_units(Layout.of(release, done.folder).units).wants
    found_out = [f"refuses {name}" for name in wants.refused]
    found_out += [f"has {name}" for name in wants.defined]
    kept = done.patches.kept
    found_out += [f"keeps upstream's {one.function}: {one.without}" for one in kept]
    classes = {patch.name: patch.class_ for patch in load_series()}
    told = {fit.patch for fit in found.skipped}
    unread = [one for one in done.patches.skipped if one.name not in told]
    found_out += [one.message for one in unread]
    running.note = ", ".join([f"{done.fresh} of {len(edits)} units", *found_out])
    found.add(patches={**found.facts.patches, **{one.name: "skipped" for one in unread}})
    found.skipped += tuple(
        Fit(one.name, release, "skipped", one.reason, "", one.class_, one.without) for one in unread
    )
    found.skipped += tuple(
        Fit(
            f"{one.patch}: {one.function}",
            release,
            "kept",
            one.message,
            one.file,
            classes[one.patch],
            one.without,
        )
        for one in kept
    )
    bodies = [body for unit in done.units for body in unit.bodies if body.digest]
    replaced = {
        f"{body.patch}: {body.function}": "replaced" if body.known else "kept" for body in bodies
    }
    found.add(patches={**found.facts.patches, **replaced})


def _target(
    release: str, target: str, options: Options, steps: StageSequence, found: _Facts
) -> None:
    memory = StageMemory.of(release)
    folder: Path | None = None
    with steps.stage("build", target) as running:
        try:
            folder = _build(BuildConfig(release=release, target=target), options, running, found)
        except NoNvcc as error:
            if not options.where_possible:
                raise
            running.state, running.note = StageState.SKIPPED, f"not compiled: {error.message}"
    if folder is None and steps.stages[-1].state is StageState.SKIPPED:
        _skip_rest(target, steps)
        return
    if folder is None:
        steps.not_reached(*TARGET_STAGES[1:], target=target)
        return
    with steps.stage("smoke", target) as running:
        _smoke(folder, target, memory, running)
    if steps.stages[-1].state is StageState.SKIPPED:
        _skip_rest(target, steps)
        return
    # Conformance runs even after a failed smoke program, since it gives more details.
    with steps.stage("conformance", target) as running:
        config = conformance_config(release, target)
        folder = _compiled(config, options).folder
        tree = found.facts.tree
        tested = run_tests(config, folder, target, tree, memory, options.events)
        found.add(tests={**found.facts.tests, target: tested.verdicts})
        found.reasons[target] = dict(tested.reasons)
        running.note = tested.note()
        running.state = StageState.CACHED if tested.cached else StageState.OK
        if tested.reasons:
            running.state = StageState.FAILED


def _skip_rest(target: str, steps: StageSequence) -> None:
    """Skip the remaining stages of `target`, for the same reason as the last one."""
    last = steps.stages[-1]
    for name in TARGET_STAGES[TARGET_STAGES.index(last.name) + 1 :]:
        with steps.stage(name, target) as running:
            running.state, running.note = StageState.SKIPPED, last.note


def _build(config: BuildConfig, options: Options, running: StageUnderWay, found: _Facts) -> Path:
    done = _compiled(config, options)
    sizes = sizes_of(done.folder, config.target)
    found.add(sizes={**found.facts.sizes, config.target: sizes})
    steps = done.compiled.steps[config.target]
    running.state = StageState.OK if steps else StageState.CACHED
    running.note = f"{steps} steps"
    return done.folder


def _compiled(config: BuildConfig, options: Options) -> pipeline.Build:
    try:
        return pipeline.build(config, jobs=options.jobs, progress=options.progress.within())
    except BuildFailed as error:
        raise _refused(error) from error


def _refused(error: BuildFailed) -> PorterError:
    place = _PLACE.search(error.message)
    file, line = (place[1], int(place[2])) if place else ("", 0)
    return CompilerRefused(
        error.message,
        hint="A construct that needs a rule (docs/how-to/add-a-rule.md), or, at the link, a "
        "function that upstream requires of its port (templates/port).",
        file=file,
        line=line,
    )


def _smoke(folder: Path, target: str, memory: StageMemory, running: StageUnderWay) -> None:
    try:
        failed, cached = run_smoke(folder, target, memory)
    except (NoGpu, MissingPackage) as error:
        running.state = StageState.SKIPPED
        running.note = f"built, not run: {error.message}"
        return
    if failed:
        raise SmokeFailed(f"wrong output from: {', '.join(failed)}")
    running.state = StageState.CACHED if cached else StageState.OK
