"""The protocol of SandboxFusion: its requests, and answers in its shapes.

Clients of that service change their address only. Unknown fields are ignored, as there. Features
that this service lacks (other languages, files, stored data sets) are refused in a shape that those
clients read: `SandboxError` with a message, or status 422.
"""

from __future__ import annotations

import json
from typing import Any

from attrs import frozen

from porter.base.untrusted import printable, printable_text
from porter.evaluation import CaseStatus
from porter.evaluation.batching import JudgedProgram
from porter.evaluation.options import STEPS
from porter.rewards import program_of
from porter.serve.requests import (
    KEEP_RUN,
    MOST_PROGRAM,
    CallLimits,
    ProgramWork,
    Translator,
    exit_code_of,
    reason_of,
)
from porter.serve.schemas import InvalidField, member, read

LANGUAGE = "python"
RUN_TIMEOUT = 10.0  # seconds; the default of that service
STDOUT = 1 << 16  # bytes of output of a program
_MIB = 1 << 20
_TIMED_OUT = (CaseStatus.OUT_OF_STEPS, CaseStatus.OUT_OF_TIME)
_COMPLETED = (CaseStatus.PASSED, CaseStatus.WRONG)
STATUSES = ("Success", "Failed", "SandboxError")
RUN_STATUSES = ("Finished", "Error", "TimeLimitExceeded")


@frozen(kw_only=True)
class RunCodeRequest:
    """SandboxFusion's request to run a program."""

    EXTRA = True
    code: str = member("The program.", longest=MOST_PROGRAM, example="print(1 + 1)")
    language: str = member(f"{LANGUAGE}; others are answered with SandboxError.", example=LANGUAGE)
    stdin: str | None = member("The program's input.", default=None)
    run_timeout: float = member("Maximum seconds; 12 million steps each.", default=RUN_TIMEOUT)
    compile_timeout: float = member("Ignored: Python is not compiled.", default=RUN_TIMEOUT)
    memory_limit_MB: int = member("Maximum heap in MiB; -1: 12.", default=-1)
    files: dict[str, str | None] = member("Must be empty.", factory=dict)
    fetch_files: list[str] = member("Must be empty.", factory=list)
    args: list[str] = member("Ignored.", factory=list)


@frozen(kw_only=True)
class CommandRunResult:
    """SandboxFusion's result of a process."""

    status: str = member("The end of the program.", choices=RUN_STATUSES)
    execution_time: float | None = member("Seconds from its submission to its answer.")
    return_code: int | None = member("The exit code; null if a limit ended the program.")
    stdout: str | None = member("The output; bytes that are not UTF-8 are written as \\xXX.")
    stderr: str | None = member("What the program wrote to stderr, likewise.")


@frozen(kw_only=True)
class RunCodeResponse:
    """SandboxFusion's answer of a program that ran."""

    status: str = member("Success if the exit code is 0.", choices=STATUSES)
    message: str = member("Why the program was not run, or what the interpreter lacks.")
    compile_result: CommandRunResult | None = member("null", default=None)
    run_result: CommandRunResult | None = member("The result.", default=None)
    executor_pod_name: str | None = member("null", default=None)
    files: dict[str, str] = member("Empty.", factory=dict)


@frozen(kw_only=True)
class SubmitConfig:
    """SandboxFusion's configuration of a submission."""

    EXTRA = True
    language: str | None = member("python, or null.", default=None)
    run_timeout: float | None = member("Maximum seconds of each call.", default=None)
    provided_data: Any = member("The problem, or a list of problems with ids.", default=None)
    custom_extract_logic: str | None = member("Must be null.", default=None)


@frozen(kw_only=True)
class SubmitRequest:
    """SandboxFusion's request to judge an answer."""

    EXTRA = True
    dataset: str = member("The name of the data set; not used.")
    id: int | str = member("The problem's id.")
    completion: str = member("The model's answer.", longest=MOST_PROGRAM)
    config: SubmitConfig = member("The configuration, with the problem.")


@frozen(kw_only=True)
class EvalTestCase:
    """SandboxFusion's result of one test."""

    passed: bool = member("Whether the test passed.")
    exec_info: RunCodeResponse = member("The run of the program.")
    test_info: dict[str, Any] | None = member("null", default=None)


@frozen(kw_only=True)
class EvalResult:
    """SandboxFusion's answer of a submission."""

    id: int | str = member("The problem's id.")
    accepted: bool = member("Whether all tests passed.")
    extracted_code: str = member("The program that was found in the answer.")
    full_code: str | None = member("null", default=None)
    test_code: str | None = member("null", default=None)
    tests: list[EvalTestCase] = member("The tests, in order.")
    extracted_type: str | None = member("null", default=None)
    extra: dict[str, Any] | None = member("null", default=None)


class FusionTranslator:
    """Makes work of SandboxFusion's requests.

    Args:
        translator: Makes work of the service's own requests.
    """

    def __init__(self, translator: Translator) -> None:
        self._translator = translator

    def run_code(self, value: Any) -> ProgramWork | RunCodeResponse:
        """Return the work of a RunCodeRequest, or the answer of a request that cannot be run.

        Raises:
            InvalidField: The request is invalid.
        """
        request = read(RunCodeRequest, value, extra=True)
        lacking = ""
        if request.language != LANGUAGE:
            lacking = f"language: {request.language[:40]!r} is not {LANGUAGE!r}, the only one"
        elif request.files or request.fetch_files:
            name = "files" if request.files else "fetch_files"
            lacking = f"{name}: programs of this service have no files"
        if lacking:
            return RunCodeResponse(status="SandboxError", message=printable(lacking))
        return self._translator.program(
            request.code,
            request.stdin or "",
            self._limits(request.run_timeout, request.memory_limit_MB),
            run_code_response,
        )

    def submit(self, value: Any) -> ProgramWork:
        """Return the work of a SubmitRequest. Raises InvalidField."""
        request = read(SubmitRequest, value, extra=True)
        config = request.config
        if config.language not in (None, LANGUAGE):
            raise InvalidField(f"config.language: the only language is {LANGUAGE!r}")
        if config.custom_extract_logic:
            raise InvalidField(
                "config.custom_extract_logic: programs of clients do not run in this service"
            )
        program = program_of(request.completion)
        source, cases = self._translator.tested(program, _tests(_row(request)))
        limits = self._limits(config.run_timeout or RUN_TIMEOUT, cases=len(cases))
        how = self._translator.judging(limits, KEEP_RUN, len(cases))
        name = request.id
        return ProgramWork(
            name,
            source,
            cases,
            how,
            lambda found, seconds: eval_result(name, program, found, seconds),
        )

    def _limits(self, seconds: float, memory: int = -1, cases: int = 1) -> CallLimits:
        """Return limits within those of the service: clients ask for what other sandboxes need."""
        settings = self._translator.settings
        seconds = min(max(seconds, 0.001), settings.max_deadline)
        most = min(settings.max_steps, settings.max_work // cases)
        return CallLimits(
            steps=max(min(int(STEPS * seconds), most), 1),
            deadline=seconds,
            max_heap=min(memory * _MIB, settings.max_heap) if memory > 0 else None,
            stdout=min(STDOUT, settings.max_stdout),
        )


def _row(request: SubmitRequest) -> dict[str, Any]:
    """Return the problem of a submission. Raises InvalidField."""
    rows = request.config.provided_data
    if isinstance(rows, dict):
        return rows
    if isinstance(rows, list):
        for row in rows:
            if isinstance(row, dict) and str(row.get("id")) == str(request.id):
                return row
        raise InvalidField("config.provided_data: no problem has the id of the request")
    raise InvalidField(
        "config.provided_data: it is neither an object nor a list of objects",
        hint="This service stores no data sets: send the problem with its tests.",
    )


def _tests(row: dict[str, Any]) -> Any:
    """Return the tests of a problem in a shape of porter.rewards. Raises InvalidField."""
    if "test" not in row:
        return row
    test, labels = _decoded(row["test"]), _decoded(row.get("labels"))
    labels = labels if isinstance(labels, dict) else {}
    if isinstance(test, list) and test and all(isinstance(one, dict) for one in test):
        return [_stdio(one, k) for k, one in enumerate(test)]
    if isinstance(test, list) and all(isinstance(one, str) for one in test):
        setup = labels.get("test_setup_code") or ""
        return {"test_list": test, "test_setup_code": setup}
    if not isinstance(test, str):
        raise InvalidField(
            "config.provided_data.test: it is neither code, nor a list of assertions, nor a list "
            "of inputs and outputs"
        )
    name = labels.get("entry_point") or row.get("entry_point")
    if not name:
        return test
    found = {"test": test, "entry_point": name}
    content = row.get("prompt") or row.get("content")
    if isinstance(content, str) and f"def {name}" in content:
        found["prompt"] = content
    return found


def _stdio(test: dict[str, Any], index: int) -> dict[str, Any]:
    """Return a case of an input and an output. Raises InvalidField."""
    place = f"config.provided_data.test[{index}]"
    given, expected = test.get("input"), test.get("output")
    if not isinstance(given, dict) or not isinstance(expected, dict):
        raise InvalidField(f"{place}: it has no objects `input` and `output`")
    for key in (*given, *expected):
        if key not in ("stdin", "stdout"):
            raise InvalidField(f"{place}: programs of this service have no files")
    return {"stdin": given.get("stdin", ""), "stdout": expected.get("stdout", "")}


def _decoded(value: Any) -> Any:
    """Return the value of a text of JSON; other values as they are."""
    if not isinstance(value, str) or not value.lstrip().startswith(("[", "{")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def run_code_response(found: JudgedProgram, seconds: float) -> RunCodeResponse:
    """Return the answer of a program that ran."""
    return _response(found, 0, exit_code_of(found), seconds)


def eval_result(name: Any, program: str, found: JudgedProgram, seconds: float) -> EvalResult:
    """Return the answer of a judged program."""
    tests = [
        EvalTestCase(
            passed=status == CaseStatus.PASSED,
            exec_info=_response(found, case, 0 if status in _COMPLETED else 1, seconds),
        )
        for case, status in enumerate(found.statuses)
    ]
    accepted = all(one.passed for one in tests)
    return EvalResult(id=name, accepted=accepted, extracted_code=printable(program), tests=tests)


def _response(found: JudgedProgram, case: int, code: int | None, seconds: float) -> RunCodeResponse:
    assert found.outputs is not None and found.stderr is not None
    status = found.statuses[case]
    timed_out = status in _TIMED_OUT
    stderr = printable_text(found.stderr[case])
    reason = reason_of(found, case)
    if status == CaseStatus.OUT_OF_OUTPUT:
        reason = f"more than {STDOUT} bytes of output"
    if not timed_out and code is None:
        code = 1
        stderr += f"{status.name}: {reason}\n"
    result = CommandRunResult(
        status="TimeLimitExceeded" if timed_out else "Finished",
        execution_time=seconds,
        return_code=None if timed_out else code,
        stdout=printable_text(found.outputs[case]),
        stderr=stderr,
    )
    unsupported = status == CaseStatus.UNSUPPORTED
    return RunCodeResponse(
        status="Success" if code == 0 and not timed_out else "Failed",
        message=f"not supported by the interpreter: {reason}" if unsupported else "",
        run_result=result,
    )
