"""The data of a regression run, and the baseline: the facts that a maintainer has accepted.

A run has stages, their problems, and facts of a release.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

import attrs
from attrs import field, frozen

from porter.base.documents import read_json, structured
from porter.base.files import write_whole
from porter.base.release_name import version_key
from porter.errors import FileProblem, PorterError
from porter.patches import Fit

Numbers = Mapping[str, int]


class StageState(Enum):
    """The state of a stage after the run."""

    OK = "ok"
    CACHED = "cached"  # not run: a remembered result for equal inputs was used
    FAILED = "failed"
    SKIPPED = "skipped"  # impossible on this machine, which is no failure
    NOT_REACHED = "not reached"  # an earlier stage failed


@frozen
class Problem:
    """An error of a stage, for the reports. `line` is 0 and texts are "" if unknown."""

    error: str
    code: int
    message: str
    hint: str = ""
    file: str = ""
    line: int = 0
    rule: str = ""
    patch: str = ""

    @classmethod
    def of(cls, error: PorterError) -> Problem:
        """Collect the details of `error`."""
        return cls(
            error=type(error).__name__,
            code=error.exit_code,
            message=error.message,
            hint=error.hint or "",
            file=str(getattr(error, "file", "")),
            line=int(getattr(error, "line", 0)),
            rule=str(getattr(error, "rule", "")),
            patch=str(getattr(error, "patch", "")),
        )


@frozen
class Stage:
    """A stage of one release; `target` is "" for stages that all targets share."""

    name: str
    target: str = ""
    state: StageState = StageState.OK
    seconds: float = 0.0
    note: str = ""
    problems: tuple[Problem, ...] = ()


@frozen
class Facts:
    """The facts about a release that a baseline stores and compares, without times.

    Attributes:
        tree: Hash of its sources.
        patches: State of each patch.
        units: By the path of each unit, the edits per rule.
        warnings: clang's warnings without line numbers, with their counts.
        sizes: By target, the build's sizes (bytes, registers).
        tests: By target, the verdict on each test.
    """

    tree: str = ""
    patches: Mapping[str, str] = field(factory=dict)
    units: Mapping[str, Numbers] = field(factory=dict)
    warnings: Numbers = field(factory=dict)
    sizes: Mapping[str, Numbers] = field(factory=dict)
    tests: Mapping[str, Mapping[str, str]] = field(factory=dict)

    def per_rule(self) -> dict[str, int]:
        """Return the edits of each rule, over all units."""
        totals: dict[str, int] = {}
        for counts in self.units.values():
            for rule, count in counts.items():
                totals[rule] = totals.get(rule, 0) + count
        return totals


@frozen
class ReleaseRun:
    """The outputs of one run over one release.

    Attributes:
        release: The release's name.
        origin: The origin of its sources.
        stages: The stages in their order.
        facts: The facts that the stages found before one failed.
        reasons: By target, the reason of each test whose verdict is wrong.
        errors: The errors of the stages.
        skipped: The patches that the build does without, and the functions that patches replace
            in other releases and that this one keeps.
    """

    release: str
    origin: str
    stages: tuple[Stage, ...]
    facts: Facts
    reasons: Mapping[str, Mapping[str, str]] = field(factory=dict)
    errors: tuple[PorterError, ...] = field(default=(), repr=False)
    skipped: tuple[Fit, ...] = ()

    @property
    def complete(self) -> bool:
        """Return whether the rewriter finished; only then the facts may become a baseline."""
        return bool(self.facts.units)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        values = attrs.asdict(self, filter=lambda attribute, _: attribute.name != "errors")
        for stage in values["stages"]:
            stage["state"] = stage["state"].value
        values["skipped"] = [fit.as_dict() for fit in self.skipped]
        return values


SHIPPED = Path(__file__).with_name("baseline.json")
FORMAT = 1

Baseline = Mapping[str, Facts]


@attrs.frozen
class _StoredFacts:
    """The facts in the file's form: `tests` by target, folder and verdict."""

    tree: str
    patches: Mapping[str, str]
    units: Mapping[str, Mapping[str, int]]
    warnings: Mapping[str, int]
    sizes: Mapping[str, Mapping[str, int]]
    tests: Mapping[str, Mapping[str, Mapping[str, tuple[str, ...]]]]


@attrs.frozen
class _BaselineFile:
    format: int
    releases: Mapping[str, _StoredFacts]


def read_baseline(path: Path) -> Baseline:
    """Read the facts by release; empty if there is no file. Raises FileProblem."""
    if not path.exists():
        return {}
    document = read_json(path, FileProblem, "not a baseline")
    if isinstance(document, dict) and document.get("format", FORMAT) != FORMAT:
        raise FileProblem(
            f"{path}: a baseline of another porter", hint="`--update-baseline` writes it anew."
        )
    stored = structured(document, _BaselineFile, f"{path}: not a baseline", FileProblem)
    return {name: _facts(facts) for name, facts in stored.releases.items()}


def updated(baseline: Baseline, runs: Iterable[ReleaseRun]) -> Baseline:
    """Return `baseline` with the facts of `runs`; facts that a run did not determine stay."""
    result = dict(baseline)
    for run in runs:
        if not run.complete:
            continue
        old, new = result.get(run.release, Facts()), run.facts
        result[run.release] = attrs.evolve(
            new, sizes={**old.sizes, **new.sizes}, tests={**old.tests, **new.tests}
        )
    return result


def reference(baseline: Baseline, release: str) -> str:
    """Return the baseline's release to compare `release` with.

    It is the release itself, else its predecessor, else the oldest one, else "".
    """
    names = sorted(baseline, key=version_key)
    older = [name for name in names if version_key(name) < version_key(release)]
    return release if release in baseline else (older or names or [""])[-1 if older else 0]


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Write `path` atomically. Equal facts give equal bytes."""
    ordered = sorted(baseline, key=version_key)
    releases = {name: _dump(baseline[name]) for name in ordered}
    write_whole(path, _text({"format": FORMAT, "releases": releases}) + "\n", parents=True)


def _dump(facts: Facts) -> dict[str, Any]:
    values = attrs.asdict(facts)
    values["tests"] = {target: _by_folder(tests) for target, tests in facts.tests.items()}
    return values


def _by_folder(tests: Mapping[str, str]) -> dict[str, dict[str, list[str]]]:
    """Group tests by folder and verdict, to keep the file short."""
    found: dict[str, dict[str, list[str]]] = {}
    for test, verdict in sorted(tests.items()):
        folder, _, name = test.rpartition("/")
        found.setdefault(folder, {}).setdefault(verdict, []).append(name.removesuffix(".py"))
    return found


def _facts(stored: _StoredFacts) -> Facts:
    tests = {
        target: {
            f"{folder}/{name}.py": verdict
            for folder, verdicts in folders.items()
            for verdict, names in verdicts.items()
            for name in names
        }
        for target, folders in stored.tests.items()
    }
    return Facts(stored.tree, stored.patches, stored.units, stored.warnings, stored.sizes, tests)


def _text(value: Any, depth: int = 0) -> str:
    """Return JSON with one line per innermost table or list."""
    nested = isinstance(value, dict) and any(isinstance(v, dict) for v in value.values())
    if not nested and not _has_lists(value):
        return json.dumps(value, sort_keys=depth > 2)
    pad = " " * (depth + 1)
    rows = [f"{pad}{json.dumps(k)}: {_text(v, depth + 1)}" for k, v in value.items()]
    return "{\n" + ",\n".join(rows) + "\n" + " " * depth + "}"


def _has_lists(value: Any) -> bool:
    return isinstance(value, dict) and any(isinstance(v, list) for v in value.values())
