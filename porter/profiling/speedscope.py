"""Convert a profile to the format of https://www.speedscope.app.

The schema is `https://www.speedscope.app/file-format-schema.json`. The document has two profiles of
type `sampled`, in which each stack has a weight: bytecode instructions, and time.
"""

from __future__ import annotations

import json
from typing import Any

from attrs import define, field

from porter.profiling.counts import Counts, ProfileCounts, StackCounts
from porter.version import __version__

SCHEMA = "https://www.speedscope.app/file-format-schema.json"


@define
class _Frames:
    numbers: dict[tuple[str, str, int], int] = field(factory=dict)

    def number(self, name: str, file: str, line: int) -> int:
        return self.numbers.setdefault((name, file, line), len(self.numbers))

    def rows(self) -> list[dict[str, Any]]:
        return [
            {"name": name, "file": file, **({"line": line} if line else {})}
            for name, file, line in self.numbers
        ]


def document(profile: ProfileCounts) -> str:
    """Return the JSON text."""
    frames = _Frames()
    stacks = [_stack(profile, frames, stack) for stack in profile.stacks]
    unit = "nanoseconds" if profile.time_unit == "ns" else "none"
    kinds = [("instructions", "none", _instructions), ("time", unit, _time)]
    profiles = []
    for name, unit, weight in kinds:
        weights = [weight(stack.counts) for stack in profile.stacks]
        chosen = [i for i, value in enumerate(weights) if value]
        profiles.append(
            {
                "type": "sampled",
                "name": name,
                "unit": unit,
                "startValue": 0,
                "endValue": sum(weights),
                "samples": [stacks[i] for i in chosen],
                "weights": [weights[i] for i in chosen],
            }
        )
    return json.dumps(
        {
            "$schema": SCHEMA,
            "shared": {"frames": frames.rows()},
            "profiles": profiles,
            "name": f"{profile.counted} of {profile.n} interpreters",
            "activeProfileIndex": 1 if profile.total.time else 0,
            "exporter": f"porter {__version__}",
        }
    )


def _stack(profile: ProfileCounts, frames: _Frames, stack: StackCounts) -> list[int]:
    """Return the frame numbers of a stack, outermost first; the line is the innermost frame."""
    numbers = [frames.number(name, file, line) for file, name, line in stack.functions]
    file = stack.functions[-1][0]
    text = profile.source_line(file, stack.line).strip()
    named = f"line {stack.line}: {text}" if text else f"line {stack.line}"
    return [*numbers, frames.number(named, file, stack.line)]


def _instructions(counts: Counts) -> int:
    return counts.instructions


def _time(counts: Counts) -> int:
    return counts.time
