"""Requests for programs: their fields, and their translation to work of the service.

Input: JSON values of bodies. Output: `ProgramWork`, which `service` submits to a batcher, and which
makes the answer of the judged program. `sandbox_fusion` has the requests of another protocol.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from attrs import evolve, field, frozen

from porter.base.untrusted import printable, printable_text
from porter.errors import PorterError
from porter.evaluation import Cases, CaseStatus, Judging, Tolerance
from porter.evaluation.batching import JudgedProgram
from porter.evaluation.execution import judging_of
from porter.evaluation.options import MAX_HEAP, OUTPUTS, STDOUT, entry_of
from porter.rewards import program_of
from porter.rewards.scorer import ENTRY, calls_of, reward_of
from porter.run import Cancel
from porter.serve.schemas import InvalidField, member, read, shown
from porter.serve.settings import ServeSettings

MOST_PROGRAM = 1 << 20  # characters
MOST_ID = 256  # characters
OPTIONS_KEPT = 256  # different options; requests with other options still run, in their own batches
KEEP_RUN = ("outputs", "stderr", "exit_codes", "exceptions")
KEEP_EVALUATE = ("exceptions",)
RAN = (CaseStatus.PASSED, CaseStatus.EXITED)


@frozen(kw_only=True)
class CallLimits:
    """Limits of each call of a program."""

    steps: int | None = member("Maximum loop iterations, branches and calls.", default=None, low=1)
    deadline: float | None = member("Maximum seconds.", default=None, positive=True)
    max_heap: int | None = member(
        "Maximum bytes of the heap, which grows on demand; 0: the build's heap, which does not.",
        default=None,
        low=0,
    )
    stdout: int | None = member("Maximum bytes of stdout, and of stderr.", default=None, low=4096)


@frozen(kw_only=True)
class RunRequest:
    """A program to run."""

    program: str = member("The program.", longest=MOST_PROGRAM, example="print(input()[::-1])")
    stdin: str = member("The program's input.", default="", example="abc")
    id: str | int | None = member("A name that the answer repeats.", default=None, longest=MOST_ID)
    limits: CallLimits = member("Limits of the program.", factory=CallLimits)


@frozen(kw_only=True)
class EvaluateRequest:
    """A program to judge on tests."""

    tests: Any = member(
        "Tests in any shape that the guide 'Score answers for training' lists.",
        example={"cases": [[[1, 2], 3]], "entry": "add"},
    )
    program: str | None = member(
        "The program; give either this or `answer`.",
        default=None,
        longest=MOST_PROGRAM,
        example="def add(a, b): return a + b",
    )
    answer: str | None = member(
        "The answer of a model, with the program in a code block.",
        default=None,
        longest=MOST_PROGRAM,
    )
    entry: str = member("The function that cases call, where tests do not name it.", default=ENTRY)
    partial: bool = member(
        "Whether the score is the fraction of passed cases; else it is 1 if all passed.",
        default=True,
    )
    tolerance: float | None = member(
        "Relative tolerance of floats, in values and in printed words.", default=None, low=0
    )
    output: str = member("How printed outputs are compared.", default="lines", choices=OUTPUTS)
    id: str | int | None = member("A name that the answer repeats.", default=None, longest=MOST_ID)
    limits: CallLimits = member("Limits of each call.", factory=CallLimits)


@frozen(kw_only=True)
class RunAnswer:
    """The end of a program."""

    id: str | int | None = member("The request's id.")
    status: str = member(
        "PASSED: it ran to its end; else as in the reference of evaluations.",
        choices=tuple(one.name for one in CaseStatus),
    )
    ok: bool = member("Whether the program ran to its end, or exited with code 0.")
    stdout: str = member("The output; bytes that are not UTF-8 are written as \\xXX.")
    stderr: str = member("What the program wrote to stderr, with the traceback of an exception.")
    stdout_base64: str | None = member("The bytes of an output that is not UTF-8.")
    stderr_base64: str | None = member("The bytes of a stderr that is not UTF-8.")
    exit_code: int | None = member(
        "0, the code of SystemExit, 1 after an exception; null if the program was stopped."
    )
    steps: int = member("Steps of the program.")
    reason: str = member("Why the program did not run to its end; empty if it did.")
    unsupported: str | None = member("What CPython has and the interpreter lacks.")
    in_cpython: bool = member("Whether CPython ran it: the fallback of `porter serve --fallback`.")


@frozen(kw_only=True)
class CaseAnswer:
    """The end of one case."""

    status: str = member("The status.", choices=tuple(one.name for one in CaseStatus))
    steps: int = member("Its steps.")
    reason: str = member("The exception, the missing feature or the limit; else empty.")
    in_cpython: bool = member("Whether CPython ran it.")


@frozen(kw_only=True)
class EvaluateAnswer:
    """The score of a program."""

    id: str | int | None = member("The request's id.")
    score: float = member("From 0 to 1.")
    solved: bool = member("Whether all cases passed.")
    passed: int = member("Number of cases that passed.")
    reason: str = member("Why the score is below 1; empty if it is 1.")
    unsupported: bool = member(
        "Whether a case was not judged, because it uses what CPython has and interpreters lack."
    )
    in_cpython: bool = member("Whether CPython ran a case.")
    cases: list[CaseAnswer] = member("The end of each case, in the order of the tests.")


@frozen(eq=False)
class ProgramWork:
    """A validated request.

    Attributes:
        id: The request's name of itself.
        source: The program.
        cases: Its cases.
        how: The options; one object for all equal requests.
        answer: Makes the answer from the judged program and the seconds since its submission.
    """

    id: Any
    source: bytes = field(repr=False)
    cases: Cases
    how: Judging
    answer: Callable[[JudgedProgram, float], Any]

    @property
    def rows(self) -> int:
        """The number of cases."""
        return len(self.cases)


@frozen
class _Key:
    """The options of a request, which can be compared."""

    steps: int
    deadline: float
    max_heap: int | None
    stdout: int
    keep: tuple[str, ...]
    tolerance: float | None = None
    output: str = "lines"


class Translator:
    """Makes work of requests.

    Args:
        settings: The service's limits.
        cancel: Ends all launches; None for devices that cannot be interrupted.
    """

    def __init__(self, settings: ServeSettings, cancel: Cancel | None) -> None:
        self.settings, self._cancel = settings, cancel
        # Batches hold requests with one options object, so equal options must be one object.
        self._judging = lru_cache(OPTIONS_KEPT)(self._new_judging)

    def of_json(self, value: Any) -> ProgramWork:
        """Return the work of a line of a batch: an evaluation if it has tests, else a run."""
        if isinstance(value, dict) and "tests" in value:
            return self.evaluation(value)
        return self.run(value)

    def run(self, value: Any) -> ProgramWork:
        """Return the work of a RunRequest as JSON. Raises InvalidField."""
        request = read(RunRequest, value)
        name = request.id  # an answer must not keep the request in memory
        return self.program(
            request.program,
            request.stdin,
            request.limits,
            lambda found, _: run_answer(name, found),
            name,
        )

    def program(
        self,
        program: str,
        stdin: str,
        limits: CallLimits,
        answer: Callable[[JudgedProgram, float], Any],
        name: Any = None,
    ) -> ProgramWork:
        """Return the work of a whole program. Raises InvalidField."""
        how = self.judging(limits, KEEP_RUN)
        try:
            cases = Cases.of([{"stdin": stdin}])
        except PorterError as error:
            raise InvalidField(f"stdin{str(error).removeprefix('cases[0]')}") from error
        source = self._checked(program.encode("utf-8", "surrogatepass"))
        return ProgramWork(name, source, cases, how, answer)

    def evaluation(self, value: Any) -> ProgramWork:
        """Return the work of an EvaluateRequest as JSON. Raises InvalidField."""
        request = read(EvaluateRequest, value)
        if (request.program is None) == (request.answer is None):
            raise InvalidField("program: give either `program` or `answer`")
        program = request.program
        if program is None:
            program = program_of(request.answer)
        source, cases = self.tested(program, request.tests, request.entry)
        how = self.judging(
            request.limits,
            KEEP_EVALUATE,
            len(cases),
            tolerance=request.tolerance,
            output=request.output,
        )
        name, partial = request.id, request.partial
        return ProgramWork(
            name,
            source,
            cases,
            how,
            lambda found, _: evaluate_answer(name, found, partial=partial),
        )

    def tested(self, program: str, tests: Any, name: str = ENTRY) -> tuple[bytes, Cases]:
        """Return the source and the cases of a program with tests. Raises InvalidField."""
        try:
            source, cases = calls_of(program, tests, entry_of(name), ENTRY)
        except PorterError as error:
            raise InvalidField(str(error), hint=error.hint) from error
        except (ValueError, TypeError, KeyError, RecursionError, MemoryError) as error:
            # Tests are values of a client in any shape, nested in any way.
            raise InvalidField(f"tests: {type(error).__name__}: {printable(str(error))}") from error
        if len(cases) > (most := self.settings.max_cases):
            raise InvalidField(f"tests: there are {len(cases)} cases, the maximum is {most}")
        return self._checked(source), cases

    def _checked(self, source: bytes) -> bytes:
        """Return a source that is not too long. Raises InvalidField."""
        if len(source) > (most := self.settings.max_program):
            raise InvalidField(
                f"the program and its tests have {len(source)} bytes, the maximum is {most}",
                hint="Give tests as cases, or let the service start with a larger --max-program.",
            )
        return source

    def _steps(self, asked: int | None, cases: int) -> int:
        """Return the steps of each case of a program.

        Without a limit of the request, the default is halved until all cases fit `max_work`, so
        that programs with similar numbers of cases have equal options.
        """
        most, steps = self.settings.max_work, self.settings.steps if asked is None else asked
        if asked is not None and asked * cases > most:
            raise InvalidField(
                f"limits.steps: {shown(asked)} for each of {cases} cases: more than {most} in all"
            )
        while steps > 1 and steps * cases > most:
            steps //= 2
        return steps

    def judging(
        self, limits: CallLimits, keep: tuple[str, ...], cases: int = 1, **options: Any
    ) -> Judging:
        """Return the options of a request; equal requests get one object.

        Args:
            limits: The limits of each call.
            keep: Data that the answer needs.
            cases: The number of cases.
            options: Further fields of the key.

        Raises:
            InvalidField: A limit is larger than the service permits.
        """
        settings = self.settings
        given: dict[str, Any] = {
            "steps": self._steps(limits.steps, cases),
            "deadline": settings.deadline if limits.deadline is None else limits.deadline,
            "max_heap": limits.max_heap,
            "stdout": min(STDOUT, settings.max_stdout) if limits.stdout is None else limits.stdout,
        }
        for name, value in given.items():
            most = getattr(settings, f"max_{name.removeprefix('max_')}")
            if value is not None and value > most:
                raise InvalidField(
                    f"limits.{name}: {shown(value)} is more than {most}, the maximum"
                )
        try:
            return self._judging(_Key(**given, keep=keep, **options))
        except PorterError as error:
            raise InvalidField(f"limits: {error}", hint=error.hint) from error

    def _new_judging(self, key: _Key) -> Judging:
        fallback = self.settings.fallback
        found = judging_of(
            steps=key.steps,
            deadline=key.deadline,
            max_heap=min(self.settings.max_heap, MAX_HEAP)
            if key.max_heap is None
            else key.max_heap,
            stdout=key.stdout,
            keep=key.keep,
            compare="equal" if key.tolerance is None else Tolerance(key.tolerance),
            output=key.output,
            cancel=self._cancel,
        )
        # The service itself uses the fallback, for rows that are UNSUPPORTED.
        return found if fallback is None else evolve(found, modules=fallback.modules)


def text_and_bytes(data: bytes) -> tuple[str, str | None]:
    """Return output as text, and in base64 if it is not UTF-8, else None."""
    try:
        return data.decode(), None
    except UnicodeDecodeError:
        return printable_text(data), base64.b64encode(data).decode("ascii")


def reason_of(found: JudgedProgram, case: int) -> str:
    """Return what is known about the end of a case: missing feature, exception, or limit."""
    detail = found.reasons.get(case) or found.messages.get(case)
    if not detail and found.statuses[case] == CaseStatus.UNSUPPORTED:
        detail = str(found.causes.get(case, ""))
    return printable(detail or "")


def exit_code_of(found: JudgedProgram) -> int | None:
    """Return the exit code of a whole program; None if a limit ended it."""
    assert found.exit_codes is not None
    status = found.statuses[0]
    if status == CaseStatus.PASSED:
        return 0
    if status == CaseStatus.EXITED:
        return found.exit_codes[0]
    stopped = (
        CaseStatus.OUT_OF_STEPS,
        CaseStatus.OUT_OF_TIME,
        CaseStatus.BROKEN,
        CaseStatus.OUT_OF_OUTPUT,
    )
    return None if status in stopped else 1


def run_answer(name: Any, found: JudgedProgram) -> RunAnswer:
    """Return the answer of a program that ran."""
    assert found.outputs is not None and found.stderr is not None
    status = found.statuses[0]
    out, err = text_and_bytes(found.outputs[0]), text_and_bytes(found.stderr[0])
    code = exit_code_of(found)
    reason = "" if status == CaseStatus.PASSED else reason_of(found, 0)
    return RunAnswer(
        id=name,
        status=status.name,
        ok=status in RAN and code == 0,
        stdout=out[0],
        stderr=err[0],
        stdout_base64=out[1],
        stderr_base64=err[1],
        exit_code=code,
        steps=found.steps[0],
        reason=reason,
        unsupported=printable(str(found.causes[0])) if 0 in found.causes else None,
        in_cpython=any(found.in_cpython),
    )


def evaluate_answer(name: Any, found: JudgedProgram, *, partial: bool) -> EvaluateAnswer:
    """Return the answer of a judged program."""
    reward = reward_of(found, partial=partial)
    return EvaluateAnswer(
        id=name,
        score=reward.score,
        solved=reward.solved,
        passed=found.passed,
        reason=printable(reward.reason),
        unsupported=reward.unsupported,
        in_cpython=reward.in_cpython,
        cases=[
            CaseAnswer(
                status=found.statuses[case].name,
                steps=found.steps[case],
                reason=reason_of(found, case),
                in_cpython=found.in_cpython[case],
            )
            for case in range(len(found.statuses))
        ],
    )
