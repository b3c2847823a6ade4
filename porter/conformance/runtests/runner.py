"""Our side of driver.py: asks a release's own runner, in a child process."""

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
TIMEOUT = 300.0  # seconds; it takes a few
Answer = tuple[bool, bytes]  # whether the program crashed, and what it printed


@attrs.frozen
class Judged:
    """What upstream's runner says of one test: pass, fail or skip, and the output it compared.

    ``error`` is what it ended with on this test, if it did.
    """

    verdict: str
    output: bytes
    error: str = ""


@attrs.frozen
class UpstreamRunner:
    """``run-tests.py`` of the release whose ``tests/`` is ``root``.

    ``features`` holds what its ``feature_check`` programs print on the build, by file name.
    All methods raise UpstreamChange where the release's runner has a form that porter cannot
    drive.
    """

    root: Path
    features: Mapping[str, Answer] = attrs.field(factory=dict)

    def left_out(self, tests: Sequence[str]) -> dict[str, list[str]]:
        """Those of ``tests`` that it would not run, each with the feature checks it asks for."""
        left: dict[str, list[str]] = self._ask("plan", tests=list(tests))["left_out"]
        return left

    def judge(
        self, outputs: Mapping[str, Answer], expected: Mapping[str, bytes]
    ) -> dict[str, Judged]:
        """Its verdicts on ``outputs``; ``expected`` is what CPython printed where it asks that."""
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
    """The tests that upstream runs on a PC, relative to ``root``; those of its ports left out.

    Raises UpstreamChange as UpstreamRunner's methods do.
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
