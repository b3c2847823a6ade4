"""Drive a release's own ``run-tests.py``; runs in a child process.

Upstream's runner talks to a board through an object with ``run_script_on_remote_target``. The
driver replaces that object by a fake that looks up the build's known outputs. The question comes as
JSON on stdin, the answer goes as JSON to stdout; bytes are encoded as latin-1 text. The working
directory is upstream's ``tests/``. The driver needs nothing but CPython.
"""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any

from porter.conformance.runtests.upstream_module import (
    INFO,
    Agrees,
    Avoids,
    Loaded,
    NotImitated,
    relative,
)

_LINE = re.compile(r"^(pass|FAIL|skip|lrge) +(\S+)")
# Upstream's verdict on a test, and porter's.
_VERDICTS = {"pass": "pass", "FAIL": "fail", "skip": "skip", "lrge": "skip"}


def discover(question: dict[str, Any]) -> dict[str, Any]:
    """Return the tests that upstream runs on a PC by default."""
    return {"tests": Loaded(question).default()[0]}


def plan(question: dict[str, Any]) -> dict[str, Any]:
    """Find the tests that upstream leaves out, with the features that they need.

    A test needs a feature if another answer of that feature's check makes upstream run it.
    """
    runner = Loaded(question)
    _, call = runner.default()

    def left_out(tests: list[str], answers: dict[str, bytes]) -> list[str]:
        runner.overrides = answers
        runner.go(call, tests)
        return [name for name in tests if name not in runner.target.asked]

    wants: dict[str, list[str]] = {name: [] for name in left_out(question["tests"], {})}
    for feature in sorted(runner.features) if wants else ():
        if feature == INFO:
            continue  # this answer has several words, which upstream splits
        for answer in (Agrees(), Avoids()):
            still = left_out(
                [name for name in wants if feature not in wants[name]], {feature: answer}
            )
            for name in wants:
                if name not in still and feature not in wants[name]:
                    wants[name].append(feature)
    return {"left_out": wants}


def judge(question: dict[str, Any]) -> dict[str, Any]:
    """Get the verdict of upstream's runner on each test in ``outputs``.

    Returns:
        By test: the verdict, the output that upstream compared, and the error with which its
        runner ended on this test, if any.
    """
    runner = Loaded(question)
    _, call = runner.default()
    shown: dict[str, str] = {}
    inner = runner.module.run_micropython

    def keep(pyb: Any, args: Any, test_file: str, *more: Any, **kwargs: Any) -> bytes:
        output: bytes = inner(pyb, args, test_file, *more, **kwargs)
        shown[relative(test_file)] = output.decode("latin-1")
        return output

    runner.module.run_micropython = keep
    for name, (crashed, text) in question["outputs"].items():
        runner.target.answers[name] = (crashed, text.encode("latin-1"))
    verdicts: dict[str, tuple[str, str, str]] = {}
    decided = False

    def decide(tests: list[str]) -> None:
        nonlocal decided
        try:
            printed = runner.go(call, tests)
        except (Exception, SystemExit) as error:
            if len(tests) > 1:  # an error on one test must not hide the verdicts on others
                decide(tests[: len(tests) // 2])
                decide(tests[len(tests) // 2 :])
                return
            why = f"{type(error).__name__}: {error}"
            verdicts[tests[0]] = ("fail", shown.get(tests[0], ""), why)
            return
        found = {m[2]: m[1] for m in map(_LINE.match, printed.splitlines()) if m}
        for name in tests:
            if name not in found:
                raise NotImitated(f"it prints no verdict on {name}")
            verdicts[name] = (_VERDICTS[found[name]], shown.get(name, ""), "")
        decided = True

    decide(list(question["outputs"]))
    if verdicts and not decided:
        name, (_, _, why) = next(iter(verdicts.items()))
        raise NotImitated(f"on {name}: {why}")
    return {"verdicts": verdicts}


def main() -> None:
    """Answer the question on stdin."""
    question = json.load(sys.stdin)
    os.environ.pop("GITHUB_ACTIONS", None)  # upstream's rules for its own CI do not apply
    try:
        answer = {"discover": discover, "plan": plan, "judge": judge}[question["ask"]](question)
    except NotImitated as error:
        answer = {"unknown": str(error)}
    except (Exception, SystemExit) as error:
        answer = {"unknown": f"{type(error).__name__}: {error}"}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
