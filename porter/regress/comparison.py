"""Compare the facts of a run with the baseline, and reduce the run to one error.

The error follows an order of precedence: tool failure, upstream change, wrong result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import field, frozen

from porter.errors import (
    ConformanceRegression,
    LaunchFailed,
    PorterError,
    SmokeFailed,
    UpstreamChange,
)
from porter.regress.baseline import Baseline, Facts, Numbers, ReleaseRun, reference
from porter.regress.checks import GOOD

MOST_UNITS = 8  # maximum number of units named per rule


@frozen
class Change:
    """A difference: its place (a test, a rule, a unit), and both values."""

    where: str
    before: str
    after: str
    detail: str = ""


@frozen
class Changes:
    """The differences of a release to the baseline.

    Attributes:
        release: Release that ran.
        against: Release of the baseline: the same one or, for a new release, another; "" if none.
        failing: Tests that fail now and did not fail before, new tests included.
        passing: Tests that failed before and do not fail now.
        moved: Tests whose verdict changed from one good verdict to another.
        added_tests: By target, tests that are new.
        removed_tests: By target, tests that are gone.
        met: Rules whose number of edits changed, with the units.
        patches: Patches whose state changed.
        warnings: Warnings whose count changed.
        sizes: Sizes of the build that changed.
        added_units: Units that are new.
        removed_units: Units that are gone.
    """

    release: str
    against: str
    failing: tuple[Change, ...] = ()
    passing: tuple[Change, ...] = ()
    moved: tuple[Change, ...] = ()
    added_tests: Mapping[str, tuple[str, ...]] = field(factory=dict)
    removed_tests: Mapping[str, tuple[str, ...]] = field(factory=dict)
    met: tuple[Change, ...] = ()
    patches: tuple[Change, ...] = ()
    warnings: tuple[Change, ...] = ()
    sizes: tuple[Change, ...] = ()
    added_units: tuple[str, ...] = ()
    removed_units: tuple[str, ...] = ()

    @property
    def own(self) -> bool:
        """Return whether the baseline contains this release."""
        return self.release == self.against

    @property
    def found(self) -> bool:
        """Return whether there is any difference."""
        fields = (
            self.failing, self.passing, self.moved, self.added_tests, self.removed_tests,
            self.met, self.patches, self.warnings, self.sizes, self.added_units,
            self.removed_units,
        )  # fmt: skip
        return sum(map(len, fields)) > 0


def compare(run: ReleaseRun, baseline: Baseline) -> Changes:
    """Compare `run` with the baseline; without a baseline every failing test is newly failing."""
    against = reference(baseline, run.release)
    before, after = baseline.get(against, Facts()), run.facts
    tests = [_tests(run, target, before) for target in after.tests]
    known = bool(against) and run.complete
    units_before, units_after = set(before.units), set(after.units)
    return Changes(
        release=run.release,
        against=against,
        failing=tuple(change for found in tests for change in found[0]),
        passing=tuple(change for found in tests for change in found[1]),
        moved=tuple(change for found in tests for change in found[2]),
        added_tests=_only(after, before) if known else {},
        removed_tests=_only(before, after, after.tests) if known else {},
        met=_met(before, after) if known else (),
        patches=_values(before.patches, after.patches) if against else (),
        warnings=_numbers(before.warnings, after.warnings) if known else (),
        sizes=_sizes(before, after) if against else (),
        added_units=tuple(sorted(units_after - units_before)) if known else (),
        removed_units=tuple(sorted(units_before - units_after)) if known else (),
    )


def _tests(
    run: ReleaseRun, target: str, before: Facts
) -> tuple[list[Change], list[Change], list[Change]]:
    was, reasons = before.tests.get(target, {}), run.reasons.get(target, {})
    failing, passing, moved = [], [], []
    for test, now in run.facts.tests[target].items():
        old = was.get(test, "not there")
        change = Change(test, old, now, reasons.get(test, target))
        if now not in GOOD:
            if old in GOOD or old == "not there":
                failing.append(change)
        elif old not in GOOD and old != "not there":
            passing.append(change)
        elif old != now and old != "not there":
            moved.append(change)
    return failing, passing, moved


def _only(
    one: Facts, other: Facts, targets: Mapping[str, object] | None = None
) -> dict[str, tuple[str, ...]]:
    """Return the tests that only `one` has, for the targets that both ran."""
    found = {}
    for target in one.tests:
        if target in other.tests and (targets is None or target in targets):
            names = tuple(sorted(set(one.tests[target]) - set(other.tests[target])))
            if names:
                found[target] = names
    return found


def _met(before: Facts, after: Facts) -> tuple[Change, ...]:
    """Return the rules whose edits changed; units where a rule had no edits before come first."""
    totals = before.per_rule(), after.per_rule()
    found = []
    for rule in sorted(totals[0].keys() | totals[1].keys()):
        units = before.units.keys() | after.units.keys()
        counts = {unit: (_count(before, unit, rule), _count(after, unit, rule)) for unit in units}
        differ = [(old > 0, -abs(new - old), u) for u, (old, new) in counts.items() if old != new]
        if differ:
            names = [unit for _, _, unit in sorted(differ)]
            places = [f"{unit} {counts[unit][0]}→{counts[unit][1]}" for unit in names[:MOST_UNITS]]
            if len(names) > MOST_UNITS:
                places.append(f"{len(names) - MOST_UNITS} more units")
            old, new = totals[0].get(rule, 0), totals[1].get(rule, 0)
            found.append(Change(rule, str(old), str(new), ", ".join(places)))
    return tuple(found)


def _count(facts: Facts, unit: str, rule: str) -> int:
    return facts.units.get(unit, {}).get(rule, 0)


def _values(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Change, ...]:
    names = [*after, *(name for name in before if name not in after)]
    pairs = ((name, before.get(name, "not there"), after.get(name, "not there")) for name in names)
    return tuple(Change(name, old, new) for name, old, new in pairs if old != new)


def _numbers(before: Numbers, after: Numbers) -> tuple[Change, ...]:
    names = sorted(before.keys() | after.keys())
    pairs = ((name, before.get(name, 0), after.get(name, 0)) for name in names)
    return tuple(Change(name, str(old), str(new)) for name, old, new in pairs if old != new)


def _sizes(before: Facts, after: Facts) -> tuple[Change, ...]:
    return tuple(
        Change(f"{target} {change.where}", change.before, change.after)
        for target in after.sizes
        if target in before.sizes
        for change in _numbers(before.sizes[target], after.sizes[target])
    )


_WRONG = (SmokeFailed, ConformanceRegression, LaunchFailed)


def verdict(runs: Sequence[ReleaseRun], changes: Sequence[Changes]) -> PorterError | None:
    """Return the error to exit with, or None if every release is good.

    A failure of a tool or of this machine comes first, since it leaves the release untested. Then
    come upstream changes that porter cannot handle, then wrong results.
    """
    errors = [error for run in runs for error in run.errors]
    tools = [error for error in errors if not isinstance(error, (UpstreamChange, *_WRONG))]
    upstream = [error for error in errors if isinstance(error, UpstreamChange)]
    wrong = [error for error in errors if isinstance(error, _WRONG)]
    failing = [(change.release, test) for change in changes for test in change.failing]
    if failing:
        release, test = failing[0]
        more = f" and {len(failing) - 1} more" if len(failing) > 1 else ""
        wrong.append(
            ConformanceRegression(
                f"newly failing: {test.where} of {release} ({test.before} before){more}",
                hint="The report names each. What this release rightly no longer passes goes onto "
                "the skip list (porter/conformance/skips.toml) with its reason.",
            )
        )
    return next(iter([*tools, *upstream, *wrong]), None)
