"""Smoke programs and upstream's tests as stages: run, or remembered for an equal build."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

import porter.array
import porter.conformance
import porter.run
from porter.array import InterpreterArray
from porter.base import paths
from porter.config import BuildConfig, merge
from porter.conformance import backends, library
from porter.conformance.discovery import discover
from porter.conformance.expected import find_cpython
from porter.conformance.model import GOOD_VERDICTS, Verdict
from porter.conformance.skips import load
from porter.conformance.suite import ConformanceSuite, Events
from porter.regress.memory import StageMemory, build_values, key_of
from porter.run import Device, open_device
from porter.smoke import PROGRAMS, expected_output, smoke
from porter.toolchain.sanitizer import children

# Interpreters of a smoke program: a GPU is filled, the host twin shows that they are apart.
SMOKE = {"host": 1 << 10, "cuda": 1 << 20}
PERSISTING = 64  # interpreters that run code of another one
TIMEOUT = 30.0  # seconds a conformance test
GOOD = frozenset(verdict.value for verdict in GOOD_VERDICTS)


@frozen
class Tested:
    """The verdict of every test, the reason of each that is not as it must be, and `cached`."""

    verdicts: Mapping[str, str]
    reasons: Mapping[str, str]
    cached: bool = False

    def note(self) -> str:
        """Passed, skipped and failed, in words."""
        values = list(self.verdicts.values())
        bad = sum(value not in GOOD for value in values)
        counts = [values.count(verdict.value) for verdict in (Verdict.PASS, Verdict.SKIP)]
        return f"{counts[0]} passed, {counts[1]} skipped, {bad} failed"


def run_smoke(folder: Path, target: str, memory: StageMemory) -> tuple[list[str], bool]:
    """Names of the smoke programs that went wrong, and whether that was remembered.

    Raises what opening the device raises: NoGpu where there is none.
    """
    stage = f"smoke-{target}"
    values = {**build_values(folder, target), "n": SMOKE[target]}
    key = key_of(values, [Path(package.__path__[0]) for package in (porter.array, porter.run)])
    if memory.recall(stage, key) is not None:
        return [], True
    device = open_device(folder, target)
    try:
        checks = smoke(device, SMOKE[target])
        alike = all(_is_compiled_once(device, source) for source in PROGRAMS.values())
    finally:
        device.close()
    failed = [check.program for check in checks if not check.passed]
    if not alike:
        failed.append("code that is compiled once")
    if not failed:
        memory.keep(stage, key, sorted(PROGRAMS))
    return failed, False


def _is_compiled_once(device: Device, source: str) -> bool:
    """Whether `source`, compiled for all interpreters, prints what CPython prints."""
    with InterpreterArray(PERSISTING, device=device) as array:
        outcome = array.run(array.compile(source))
    groups = outcome.stdout.groups
    return [group.text.decode() for group in groups] == [expected_output(source)]


def run_tests(
    config: BuildConfig, folder: Path, target: str, tree: str, memory: StageMemory, events: Events
) -> Tested:
    """Upstream's tests of `config.release` on the finished build in `folder`.

    What is good is remembered for the build, the tests (`tree`) and the runner's own code.
    """
    stage = f"conformance-{target}"
    cpython = find_cpython(paths.build_dir() / "conformance" / "expected")
    values = {**build_values(folder, target), "tree": tree, "cpython": cpython.version}
    code = [Path(package.__path__[0]) for package in (porter.conformance, porter.run)]
    key = key_of(values, code)
    if (kept := memory.recall(stage, key)) is not None:
        return Tested(kept, {}, cached=True)
    root = paths.upstream_dir() / config.release
    runner = backends.open_runner(target, config, TIMEOUT, folder=folder)
    with children(target):
        results = ConformanceSuite(
            root=root / "tests",
            tests=discover(root / "tests"),
            runner=runner,
            cpython=cpython,
            skips=load(target, skipped=backends.skipped_patches(runner)),
            library=library.modules(root, paths.templates_dir() / "frozen"),
            events=events,
        ).run()
    verdicts = {result.test: result.verdict.value for result in results}
    reasons = {result.test: result.reason for result in results if not result.good}
    if not reasons:
        memory.keep(stage, key, verdicts)
    return Tested(verdicts, reasons)


def conformance_config(release: str, target: str) -> BuildConfig:
    """The build that upstream's tests need, as `porter conformance` has it."""
    return merge(("", backends.SIZES), ("", {"target": target}), release=release)
