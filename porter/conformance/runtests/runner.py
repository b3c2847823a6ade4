"""Ask a release's own test runner, through driver.py in a child process."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import attrs

from porter.base import process
from porter.errors import ToolFailed, UpstreamChange

_DRIVER = Path(__file__).with_name("driver.py")
TIMEOUT = 300.0  # seconds; the runner usually needs a few
Answer = tuple[bool, bytes]  # whether the program crashed, and its output


@attrs.frozen
class Judged:
    """The verdict of upstream's runner on one test.

    Attributes:
        verdict: "pass", "fail" or "skip".
        output: Output that the runner compared.
        error: Error with which the runner ended on this test; "" if none.
    """

    verdict: str
    output: bytes
    error: str = ""


@attrs.frozen
class UpstreamRunner:
    """``run-tests.py`` of the release whose ``tests/`` is ``root``.

    All methods raise UpstreamChange if porter cannot drive the release's runner.

    Attributes:
        root: The release's ``tests/`` directory.
        features: Outputs of its ``feature_check`` programs on the build, by file name.
    """

    root: Path
    features: Mapping[str, Answer] = attrs.field(factory=dict)

    def left_out(self, tests: Sequence[str]) -> dict[str, list[str]]:
        """Return the tests that the runner would not run, with the feature checks they need."""
        left: dict[str, list[str]] = self._ask("plan", tests=list(tests))["left_out"]
        return left

    def judge(
        self, outputs: Mapping[str, Answer], expected: Mapping[str, bytes]
    ) -> dict[str, Judged]:
        """Return the runner's verdicts on ``outputs``; ``expected`` holds CPython's outputs."""
        answer = self._ask(
            "judge",
            outputs={name: _text(output) for name, output in outputs.items()},
            expected={name: output.decode("latin-1") for name, output in expected.items()},
        )
        return {
            name: Judged(verdict, output.encode("latin-1"), error)
            for name, (verdict, output, error) in answer["verdicts"].items()
        }

    def _ask(self, what: str, **question: Any) -> dict[str, Any]:
        question |= {
            "ask": what,
            "features": {name: _text(answer) for name, answer in self.features.items()},
        }
        return _ask(self.root, json.dumps(question))


@cache
def default_tests(root: Path) -> tuple[str, ...]:
    """Return the tests that upstream runs on a PC, relative to ``root``, without those of ports.

    Raises:
        UpstreamChange: Porter cannot drive the release's runner.
    """
    answer = _ask(root, json.dumps({"ask": "discover", "features": {}}))
    return tuple(name for name in answer["tests"] if not name.startswith("ports/"))


def _ask(root: Path, question: str) -> dict[str, Any]:
    script = root / "run-tests.py"
    if not script.is_file():
        raise UpstreamChange(f"{script}: there is no such file: upstream's test runner is wanted")
    try:
        done = process.run(
            [sys.executable, "-B", _DRIVER],
            cwd=root,
            env={"PYTHONPATH": str(_DRIVER.parents[3])},
            input=question,
            timeout=TIMEOUT,
        )
    except ToolFailed as error:
        raise _changed(script, error.message) from error
    answer: dict[str, Any] = json.loads(done.stdout)
    if "unknown" in answer:
        raise _changed(script, str(answer["unknown"]))
    return answer


def _changed(script: Path, why: str) -> UpstreamChange:
    return UpstreamChange(
        f"{script}: porter cannot drive this test runner: {why}",
        hint="porter/conformance/runtests/driver.py says what it needs of upstream's runner.",
    )


def _text(answer: Answer) -> tuple[bool, str]:
    crashed, output = answer
    return crashed, output.decode("latin-1")
