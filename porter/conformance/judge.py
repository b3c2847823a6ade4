"""From a test's outcome to its result."""

from __future__ import annotations

from porter.conformance.discovery import Test
from porter.conformance.expected import Expectation
from porter.conformance.matching import (
    asks_to_skip,
    first_difference,
    has_patterns,
    matches_patterns,
    normalise,
    unittest_summary,
)
from porter.conformance.model import Outcome, Result, Status, Verdict

_ENDINGS = {
    Status.TIMEOUT: "timed out",
    Status.CRASH: "crashed",
    Status.EXCEPTION: "ended with an uncaught exception",
    Status.EXIT: "exited with a status other than 0",
}


def judge(test: Test, outcome: Outcome, expectation: Expectation, listed: str | None) -> Result:
    """The result of ``test``; ``listed`` is its reason on the skip list, None off it."""
    result = _compare(test, outcome, expectation)
    if listed is None:
        if result.verdict is Verdict.SKIP:
            return _with(result, Verdict.UNLISTED_SKIP, "skips itself, and is not on the skip list")
        return result
    if result.verdict is Verdict.PASS:
        return _with(result, Verdict.UNEXPECTED_PASS, f"passes, but is listed as: {listed}")
    return _with(result, Verdict.SKIP, listed)


def _compare(test: Test, outcome: Outcome, expectation: Expectation) -> Result:
    actual = normalise(outcome.output)
    wanted = expectation.output

    def result(verdict: Verdict, reason: str = "", cases: int = 0) -> Result:
        return Result(test.name, verdict, reason, outcome.seconds, cases, wanted, actual)

    if outcome.status is not Status.OK:
        ending = _ENDINGS[outcome.status]
        last = actual.splitlines()[-1:] or [b""]
        told = outcome.note or last[0].decode("utf-8", errors="backslashreplace")
        return result(Verdict.FAIL, f"{ending}: {told}" if told else ending)
    if asks_to_skip(test, actual):
        return result(Verdict.SKIP)
    if outcome.cut:
        return result(Verdict.FAIL, "the output is longer than its buffer: raise --stdout")
    summary = unittest_summary(actual)
    if summary is not None:
        verdict = Verdict.PASS if summary.ok else Verdict.FAIL
        reason = "" if summary.ok else actual.splitlines()[-1].decode()
        return result(verdict, reason, summary.ran)
    if has_patterns(test) and expectation.source == "exp":
        same = matches_patterns(wanted, actual)
    else:
        same = wanted == actual
    cases = len(wanted.splitlines())
    if same:
        return result(Verdict.PASS, cases=cases)
    return result(Verdict.FAIL, first_difference(wanted, actual), cases)


def _with(result: Result, verdict: Verdict, reason: str) -> Result:
    return Result(
        result.test,
        verdict,
        reason,
        result.seconds,
        result.cases,
        result.expected,
        result.actual,
    )
