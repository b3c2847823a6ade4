"""Run smoke programs and upstream's tests as stages, or recall the results of an equal build.

The memory of a release has the result of each stage with a key of its inputs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

import porter.array
import porter.conformance
import porter.run
from porter.array import InterpreterArray
from porter.base import paths
from porter.base.documents import read_json, structured
from porter.base.files import write_whole
from porter.compile.build_record import read_manifest
from porter.config import BuildConfig, merge
from porter.conformance import backends, file_images
from porter.conformance.discovery import discover
from porter.conformance.expected_output import find_cpython
from porter.conformance.records import GOOD_VERDICTS, Verdict
from porter.conformance.skips import load
from porter.conformance.suite import ConformanceSuite, Events
from porter.errors import FileProblem
from porter.run import Device, open_device
from porter.smoke import PROGRAMS, expected_output, smoke
from porter.toolchain import children


@frozen
class _Kept:
    """A file of the memory: the result of a stage for `key`."""

    key: str
    result: Any


@frozen
class StageMemory:
    """The results of one release's stages, each in a JSON file in `folder`."""

    folder: Path

    @classmethod
    def of(cls, release: str) -> StageMemory:
        """Open the memory of `release`, in the build folder."""
        return cls(paths.build_dir() / "regress" / release)

    def recall(self, stage: str, key: str) -> Any:
        """Return the result of `stage` for `key`; None if it did not run for this key."""
        path = self.folder / f"{stage}.json"
        try:
            kept = structured(read_json(path, FileProblem), _Kept, path, FileProblem)
        except FileProblem:
            return None
        return kept.result if kept.key == key else None

    def keep(self, stage: str, key: str, result: Any) -> None:
        """Store `result`, which must be JSON."""
        text = json.dumps({"key": key, "result": result}) + "\n"
        write_whole(self.folder / f"{stage}.json", text, parents=True)


def key_of(values: Mapping[str, Any], folders: Iterable[Path] = ()) -> str:
    """Hash `values`, and the names and contents of all files of `folders`."""
    digest = hashlib.sha256(json.dumps(values, sort_keys=True).encode())
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(f"\0{path.relative_to(folder)}\0".encode())
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def build_values(folder: Path, target: str) -> dict[str, Any]:
    """Return values that identify a finished build: its configuration and the hashes of files."""
    manifest = read_manifest(folder) or {}
    return {
        "target": target,
        "config": manifest.get("inputs", {}).get("config"),
        "files": manifest.get("targets", {}).get(target, {}).get("files"),
    }


# Interpreters per smoke program: enough to fill a GPU; on the host twin, enough to show isolation.
SMOKE = {"host": 1 << 10, "cuda": 1 << 20}
PERSISTING = 64  # interpreters that run code compiled once for all
TIMEOUT = 30.0  # seconds per conformance test
GOOD = frozenset(verdict.value for verdict in GOOD_VERDICTS)


@frozen
class Tested:
    """The verdicts on all tests.

    Attributes:
        verdicts: Verdict by test.
        reasons: Reason by test, for bad verdicts.
        cached: Whether the verdicts are remembered ones.
    """

    verdicts: Mapping[str, str]
    reasons: Mapping[str, str]
    cached: bool = False

    def note(self) -> str:
        """Return the numbers of passed, skipped and failed tests as text."""
        values = list(self.verdicts.values())
        bad = sum(value not in GOOD for value in values)
        counts = [values.count(verdict.value) for verdict in (Verdict.PASS, Verdict.SKIP)]
        return f"{counts[0]} passed, {counts[1]} skipped, {bad} failed"


def run_smoke(folder: Path, target: str, memory: StageMemory) -> tuple[list[str], bool]:
    """Run the smoke programs.

    Returns:
        The names of failed programs, and whether a remembered result was used.

    Raises:
        NoGpu: There is no GPU for the target.
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
    """Return whether `source`, compiled once for all interpreters, prints what CPython prints."""
    with InterpreterArray(PERSISTING, device=device) as array:
        outcome = array.run(array.compile(source))
    groups = outcome.stdout.groups
    return [group.text.decode() for group in groups] == [expected_output(source)]


def run_tests(
    config: BuildConfig, folder: Path, target: str, tree: str, memory: StageMemory, events: Events
) -> Tested:
    """Run upstream's tests of `config.release` on the finished build in `folder`.

    A good result is remembered for the same build, tests (`tree`) and code of the runner.
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
            library=file_images.modules(root, paths.templates_dir() / "frozen"),
            events=events,
        ).run()
    verdicts = {result.test: result.verdict.value for result in results}
    reasons = {result.test: result.reason for result in results if not result.good}
    if not reasons:
        memory.keep(stage, key, verdicts)
    return Tested(verdicts, reasons)


def conformance_config(release: str, target: str) -> BuildConfig:
    """Return the configuration of `porter conformance`, which fits all of upstream's tests."""
    return merge(("", backends.SIZES), ("", {"target": target}), release=release)
