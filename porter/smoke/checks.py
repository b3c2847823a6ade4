"""Run the smoke programs on all interpreters and compare the output with CPython's."""

from __future__ import annotations

import contextlib
import io
from typing import Any

from attrs import asdict, frozen

from porter.base.untrusted import printable_text
from porter.run import Device, Launch, Program, run
from porter.smoke.programs import PROGRAMS


@frozen
class Check:
    """The result of one program: whether all interpreters printed what CPython prints."""

    program: str
    passed: bool
    groups: int
    output: str
    expected: str
    stderr: str
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return asdict(self)


def expected_output(source: str) -> str:
    """Return this CPython's output for a program of PROGRAMS."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, "<smoke>", "exec"), {"__name__": "__main__"})
    return printed.getvalue()


def smoke(device: Device, n: int, launch: Launch | None = None) -> list[Check]:
    """Run every program of PROGRAMS on `n` interpreters of `device`, with options `launch`."""
    return [_check(device, name, source, n, launch) for name, source in PROGRAMS.items()]


def _check(device: Device, name: str, source: str, n: int, launch: Launch | None) -> Check:
    result = run(device, [Program(source.encode(), name)], n, launch)
    expected = expected_output(source)
    groups = result.stdout.groups
    output = printable_text(groups[0].text)
    passed = len(groups) == 1 and output == expected and not bool(result.status.any())
    stderr = printable_text(result.stderr.groups[0].text)
    return Check(name, passed, len(groups), output, expected, stderr, result.seconds)
