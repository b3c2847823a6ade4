"""Read and write the baseline: the facts of every release that a maintainer has accepted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import attrs

from porter.base.documents import read_json, structured
from porter.base.files import write_whole
from porter.base.release_name import version_key
from porter.errors import FileProblem
from porter.regress.facts import Facts, ReleaseRun

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
