"""The data of a regression run: stages and their problems, and the facts of a baseline."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

import attrs
from attrs import field, frozen

from porter.errors import PorterError
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
