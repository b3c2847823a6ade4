"""Combine a test's outcome and upstream's verdict into its result."""

from __future__ import annotations

import attrs

from porter.conformance.discovery import Test
from porter.conformance.expected_output import (
    Expectation,
    first_difference,
    normalise,
    unittest_summary,
)
from porter.conformance.records import ReportedTest, ScriptOutcome, ScriptStatus, Verdict
from porter.conformance.runtests.runner import Answer, Judged
from porter.conformance.skips import SkipList

_ENDINGS = {
    ScriptStatus.TIMEOUT: "timed out",
    ScriptStatus.CRASH: "crashed",
    ScriptStatus.EXCEPTION: "ended with an uncaught exception",
    ScriptStatus.EXIT: "exited with a status other than 0",
}


def answer(outcome: ScriptOutcome) -> Answer:
    """Convert ``outcome`` to the form in which upstream's runner gets it from a board."""
    return outcome.status is not ScriptStatus.OK, outcome.output


def judge(
    test: Test, outcome: ScriptOutcome, expectation: Expectation, judged: Judged
) -> ReportedTest:
    """Return the result of ``test`` without the skip list; a skip gets its reason later."""
    actual = normalise(judged.output or outcome.output)
    wanted = expectation.output
    cases = len(wanted.splitlines())

    def result(verdict: Verdict, reason: str = "", cases: int = 0) -> ReportedTest:
        return ReportedTest(test.name, verdict, reason, outcome.seconds, cases, wanted, actual)

    if outcome.status is not ScriptStatus.OK:
        ending = _ENDINGS[outcome.status]
        last = normalise(outcome.output).splitlines()[-1:] or [b""]
        told = outcome.note or last[0].decode("utf-8", errors="backslashreplace")
        return result(Verdict.FAIL, f"{ending}: {told}" if told else ending)
    if judged.error:
        return result(Verdict.FAIL, f"upstream's runner ends with {judged.error}")
    if judged.verdict == "skip":
        return result(Verdict.SKIP)
    if outcome.cut:
        return result(Verdict.FAIL, "the output is longer than its buffer: raise --stdout")
    verdict = Verdict.PASS if judged.verdict == "pass" else Verdict.FAIL
    summary = unittest_summary(actual)
    if summary is not None:
        reason = "" if verdict is Verdict.PASS else actual.splitlines()[-1].decode()
        return result(verdict, reason, summary.ran)
    reason = "" if verdict is Verdict.PASS else first_difference(wanted, actual)
    return result(verdict, reason, cases)


def against(listed: str | None, result: ReportedTest) -> ReportedTest:
    """Apply the skip list to a result. listed: the list's reason for this test, or None."""
    if listed is None:
        return result
    if result.verdict is Verdict.PASS:
        why = f"passes, but is listed as: {listed}"
        return attrs.evolve(result, verdict=Verdict.UNEXPECTED_PASS, reason=why)
    return attrs.evolve(result, verdict=Verdict.SKIP, reason=listed)


def skipped(result: ReportedTest, needs: tuple[str, ...], skips: SkipList) -> ReportedTest:
    """Return the result of a test that did not run, with the reason from the skip list.

    Args:
        result: Result without a reason.
        needs: Features that the test may lack; empty if unknown.
        skips: Skip list.
    """
    for need in needs:
        reason = skips.lacking(need)
        if reason is not None:
            return attrs.evolve(result, verdict=Verdict.SKIP, reason=f"needs {need}: {reason}")
    why = " or ".join(needs) or "something that it does not tell"
    reason = f"does not run: it needs {why}, which the skip list does not say that builds lack"
    return attrs.evolve(result, verdict=Verdict.UNLISTED_SKIP, reason=reason)
