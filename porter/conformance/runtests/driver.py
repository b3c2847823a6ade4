"""Runs in a child process: lets a release's own ``run-tests.py`` decide.

Upstream's runner drives a board through an object with ``run_script_on_remote_target``. Here that
object looks answers up: what the build printed is known. The question comes as JSON on stdin, the
answer goes as JSON to stdout; bytes are latin-1 text. The working directory is upstream's
``tests/``. Nothing here needs more than CPython.
"""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any

from porter.conformance.runtests.loaded import INFO, Loaded
from porter.conformance.runtests.stand_ins import Agrees, Avoids, NotImitated, relative

_LINE = re.compile(r"^(pass|FAIL|skip|lrge) +(\S+)")
# What upstream's runner prints for a test, and our word for it.
_VERDICTS = {"pass": "pass", "FAIL": "fail", "skip": "skip", "lrge": "skip"}


def discover(question: dict[str, Any]) -> dict[str, Any]:
    """The tests that upstream runs on a PC where it is told nothing."""
    return {"tests": Loaded(question).default()[0]}


def plan(question: dict[str, Any]) -> dict[str, Any]:
    """Which of ``tests`` are left out, each with the features for want of which it is.

    A test is left out for want of a feature if it is run once the check of that feature gives
    another answer.
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
            continue  # several words: upstream takes it apart
        for answer in (Agrees(), Avoids()):
            still = left_out(
                [name for name in wants if feature not in wants[name]], {feature: answer}
            )
            for name in wants:
                if name not in still and feature not in wants[name]:
                    wants[name].append(feature)
    return {"left_out": wants}


def judge(question: dict[str, Any]) -> dict[str, Any]:
    """The verdict of upstream's runner on each test in ``outputs``.

    With it come the output that it compared and, where it ends with an error on the test, that.
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
            if len(tests) > 1:  # one test's .exp must not take the others with it
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
    os.environ.pop("GITHUB_ACTIONS", None)  # upstream's rules about its own CI
    try:
        answer = {"discover": discover, "plan": plan, "judge": judge}[question["ask"]](question)
    except NotImitated as error:
        answer = {"unknown": str(error)}
    except (Exception, SystemExit) as error:
        answer = {"unknown": f"{type(error).__name__}: {error}"}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
