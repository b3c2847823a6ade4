"""Judge one portion of programs on one device.

`spreading` passes portions, `launching` runs them, `kept` reads the results back.
"""

from __future__ import annotations

from functools import partial
from traceback import format_exception, format_exception_only
from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from porter.base.exception_record import ExceptionRecord
from porter.base.untrusted import Unreadable, printable, text_of
from porter.errors import PorterError
from porter.evaluation import row_outputs
from porter.evaluation.batch_size import rows_at_once
from porter.evaluation.cases import Cases, encode, output_limit
from porter.evaluation.fallback_rows import run_in_cpython
from porter.evaluation.growth import caught_bit, rerun_larger
from porter.evaluation.launches import VALUE_SIZE, Work, launch, uploaded, work_of
from porter.evaluation.options import CLOCK, MAX_HEAP, STEPS, Judging
from porter.evaluation.patterns import MAX_COST
from porter.evaluation.portion import Portion
from porter.evaluation.shapes import END_CODE, equal_outputs
from porter.evaluation.status import NOT_COMPARED, RETURNED, CaseStatus, case_statuses
from porter.evaluation.stragglers import run_in_stages
from porter.evaluation.twins import device_for_few
from porter.evaluation.unsupported import Cause, causes_of, compiles
from porter.fallback import Fallback
from porter.run import Device, Result
from porter.run.advice import OPTIONS
from porter.run.device.host import HostTwin
from porter.run.result import CallRows

MOST_REASON = 1000  # characters
_TOO_MUCH = f"comparing the expected value would cost more than {MAX_COST} bytes"
_TOO_DEEP = "the C stack (stack=) is too small to compare a value of this depth"
_NO_EXCEPTION = "encoding it reached a limit"


@frozen(eq=False)
class Judgement:
    """The results of a portion: one row for each case of each program, in this order.

    It can be pickled if the values can.

    Attributes:
        first: Index of the portion's first program.
        counts: Rows of each program (int64).
        status: CaseStatus of each row (int8).
        steps: Steps of each row (int64).
        outputs: Output of each row (bytes), if `keep` names outputs.
        values: Returned value of each row, None without one, likewise.
        tracebacks: Traceback of each row (str), None without one, likewise.
        causes: By row that was UNSUPPORTED in its interpreter, what CPython has and the interpreter
            lacks.
        reasons: By row, why its value could not be fetched or compared, or which sizes were tried
            before it was OUT_OF_MEMORY.
        exceptions: Exception of each row (ExceptionRecord), None without one, likewise.
        in_cpython: Whether the fallback judged each row (bool); None without a fallback.
        stderr: Bytes that each row wrote to stderr, likewise.
        exit_codes: Code of SystemExit of each row, None without one, likewise. Calls of functions
            have none.
    """

    first: int
    counts: np.ndarray[Any, Any] = field(repr=False)
    status: np.ndarray[Any, Any] = field(repr=False)
    steps: np.ndarray[Any, Any] = field(repr=False)
    outputs: list[bytes] | None = field(default=None, repr=False)
    values: list[Any] | None = field(default=None, repr=False)
    tracebacks: list[str | None] | None = field(default=None, repr=False)
    reasons: dict[int, str] = field(factory=dict, repr=False)
    exceptions: list[ExceptionRecord | None] | None = field(default=None, repr=False)
    causes: dict[int, Cause] = field(factory=dict, repr=False)
    in_cpython: np.ndarray[Any, Any] | None = field(default=None, repr=False)
    stderr: list[bytes] | None = field(default=None, repr=False)
    exit_codes: list[int | None] | None = field(default=None, repr=False)


def judge(device: Device, portion: Portion, how: Judging) -> Judgement:
    """Run the programs of `portion` on `device` and compare the results.

    The judgement is deterministic unless `how` has a deadline or the machine's clock. An exception
    in the caller's comparison function affects its own row only.

    Raises:
        NotEnoughMemory: The interpreters do not fit.
        LaunchFailed: The device failed.
        UsageError: An option is invalid.
        LaunchInterrupted: Ctrl-C came.
    """
    # On the host twin, each interpreter boots and compiles on one thread. Restoring an interpreter
    # between rows instead costs a copy of some kilobytes.
    work = work_of(portion, how, renew=not device.on_gpu)
    asked, how = how, _of_run(portion, how)

    def run(device: Device, how: Judging, work: Work) -> _Left:
        return run_in_stages(device, portion, how, work, partial(_unbroken, portion))

    rows = run(device, how, work)
    _keep_passing(device, portion, asked, work, rows)
    tried = rerun_larger(device, how, work, rows, run)
    rows.reasons.update(tried)
    return _completed(device, portion, asked, how, rows)


def judge_in_cpython(device: Device, portion: Portion, how: Judging) -> Judgement:
    """Run all rows of `portion` in CPython, as the fallback runs rows that are UNSUPPORTED.

    Args:
        device: Compares the values that calls return.
        portion: The programs.
        how: The options, with a fallback.

    Raises:
        FallbackUnavailable: The machine cannot restrict programs.
    """
    own = _of_run(portion, how)
    count = portion.rows
    rows = _Left(
        np.full(count, CaseStatus.UNSUPPORTED, np.int8),
        np.zeros(count, np.int64),
        np.zeros(count, np.uint8),
        [b""] * count if "outputs" in own.keep else [],
        [None] * count if own.wants_values else [],
        [None] * count if "tracebacks" in own.keep else [],
        {},
        [None] * count if "exceptions" in own.keep else [],
        stderr=[b""] * count if "stderr" in own.keep else [],
        exit_codes=[None] * count if "exit_codes" in own.keep else [],
    )
    return _completed(device, portion, how, own, rows)


def _completed(
    device: Device, portion: Portion, asked: Judging, how: Judging, rows: _Left
) -> Judgement:
    """Run UNSUPPORTED rows in CPython if the options say so, compare, and return the judgement.

    Args:
        device: The device.
        portion: The programs.
        asked: The caller's options.
        how: The options of launches.
        rows: The rows.
    """
    on_host = asked.function is not None or portion.cases.texts is not None
    in_cpython = None
    if how.fallback is not None:
        compare = None if on_host else partial(_compare_values, device, portion, asked, rows)
        fallback = _with_processes(how.fallback, device)
        in_cpython = run_in_cpython(portion, how, fallback, rows, compare)
    if on_host:
        _compare(portion, asked, rows)
    keeps = asked.keep
    if "values" in keeps and portion.cases.texts is not None:
        rows.values.extend([None] * portion.rows)  # whole programs return nothing
    return Judgement(
        portion.first,
        portion.counts,
        rows.status,
        rows.steps,
        rows.outputs if "outputs" in keeps else None,
        rows.values if "values" in keeps else None,
        rows.tracebacks if "tracebacks" in keeps else None,
        rows.reasons,
        rows.exceptions if "exceptions" in keeps else None,
        rows.causes,
        in_cpython,
        rows.stderr if "stderr" in keeps else None,
        rows.exit_codes if "exit_codes" in keeps else None,
    )


def _with_processes(fallback: Fallback, device: Device) -> Fallback:
    """Return the options with a number of processes: the cores that the device has."""
    if fallback.processes is not None or not isinstance(device, HostTwin):
        return fallback
    return evolve(fallback, processes=device.cores)


# The interpreter compares its argument, a value that CPython returned, with the expected value.
_IDENTITY = b"def solve(x): return x\n"


def _compare_values(
    device: Device,
    portion: Portion,
    how: Judging,
    rows: _Left,
    returned: list[tuple[int, int, Any]],
) -> None:
    """Compare values that CPython returned, in interpreters, as the values of interpreters.

    Args:
        device: The device.
        portion: The programs.
        how: The options.
        rows: The rows, whose statuses and reasons are changed.
        returned: Row, case and value of each row to compare.
    """
    arguments, expected, chosen = [], [], []
    data, offsets = portion.cases.expected, portion.cases.expected_offsets
    for row, case, value in returned:
        try:
            arguments.append(encode(((value,), {}), "value"))
        except PorterError:  # no expected value has its type, depth or code points
            continue
        chosen.append(row)
        expected.append(data[int(offsets[case]) : int(offsets[case + 1])])
    if not chosen:
        return
    count = np.array([len(chosen)])
    part = Portion(0, (_IDENTITY,), Cases.joined(arguments, expected), np.zeros(1, int), count)
    own = evolve(
        how, entry="solve", steps=STEPS, deadline=None, sizes={}, max_heap=MAX_HEAP,
        clock=CLOCK, each="case", keep=(), fallback=None,
    )  # fmt: skip
    found = judge(device, part, own)
    for k, row in enumerate(chosen):
        status = CaseStatus(int(found.status[k]))
        if status in RETURNED:
            rows.status[row] = status
            if k in found.reasons:
                rows.reasons[row] = found.reasons[k]
        else:
            rows.status[row] = CaseStatus.NOT_COMPARED
            rows.reasons[row] = f"its comparison ended as {status.name}"


def _of_run(portion: Portion, how: Judging) -> Judging:
    """Return the options of launches: whole programs need outputs, and are compared on the host."""
    texts = portion.cases.texts
    if texts is None:
        return how
    reserved = max(output_limit(case, how.stdout) for case in texts)
    keep = (how.keep | {"outputs"}) - {"values"}
    return evolve(how, keep=keep, compare=None, reserved=reserved)


def _mark_ended(portion: Portion, work: Work, result: Result, status: np.ndarray[Any, Any]) -> None:
    """Give rows of whole programs that ran to their end the status WRONG, until outputs are equal.

    A program that exits by itself with code 0 has ended too, if its output decides.
    """
    texts = portion.cases.texts
    assert texts is not None
    codes = result.exit_code[work.of_row]
    printed = np.array([case.stdout is not None for case in texts])[work.case_of_row]
    ended = (status == CaseStatus.EXITED) & ((codes == END_CODE) | ((codes == 0) & printed))
    status[ended] = CaseStatus.WRONG


def _exit_codes(portion: Portion, work: Work, result: Result) -> list[int | None]:
    """Return the code of SystemExit of each row, None for rows without one."""
    if portion.cases.texts is None:
        return [None] * len(work.rows)
    exited = result.statuses.among(result.status, "EXIT")[work.of_row].tolist()
    codes = result.exit_code[work.of_row].tolist()
    return [
        code if own and code != END_CODE else None for own, code in zip(exited, codes, strict=True)
    ]


@frozen(eq=False)
class _Left:
    """Rows as interpreters returned them; lists that were not asked for are empty.

    Attributes:
        status: As in Judgement.
        steps: As in Judgement.
        lack: The resource or feature that each row lacked, by Built.lack (uint8); with CAUGHT, the
            resource that it ran out of without failing for it.
        outputs: As in Judgement.
        values: As in Judgement.
        tracebacks: As in Judgement.
        reasons: As in Judgement.
        exceptions: As in Judgement.
        causes: As in Judgement.
        stderr: As in Judgement.
        exit_codes: As in Judgement.
    """

    status: np.ndarray[Any, Any]
    steps: np.ndarray[Any, Any]
    lack: np.ndarray[Any, Any]
    outputs: list[bytes]
    values: list[Any]
    tracebacks: list[str | None]
    reasons: dict[int, str]
    exceptions: list[ExceptionRecord | None]
    causes: dict[int, Cause] = field(factory=dict)
    stderr: list[bytes] = field(factory=list)
    exit_codes: list[int | None] = field(factory=list)

    def replace(self, rows: np.ndarray[Any, Any], others: _Left) -> None:
        """Replace these `rows` by `others`."""
        self.status[rows] = others.status
        self.steps[rows] = others.steps
        self.lack[rows] = others.lack
        for row in rows.tolist():
            self.reasons.pop(row, None)
            self.causes.pop(row, None)
        self.reasons.update((int(rows[row]), reason) for row, reason in others.reasons.items())
        self.causes.update((int(rows[row]), cause) for row, cause in others.causes.items())
        lists: tuple[tuple[list[Any], list[Any]], ...] = (
            (self.outputs, others.outputs),
            (self.values, others.values),
            (self.tracebacks, others.tracebacks),
            (self.exceptions, others.exceptions),
            (self.stderr, others.stderr),
            (self.exit_codes, others.exit_codes),
        )
        for old, new in lists:
            for row, one in zip(rows.tolist() if new else (), new, strict=True):
                old[row] = one


def _unbroken(portion: Portion, device: Device, how: Judging, work: Work) -> _Left:
    """Return the rows of `work`, where a broken interpreter has lost only its own row."""
    rows, broken = _rows(device, portion, how, work)
    if work.renew and broken.any():
        # A broken interpreter takes its later rows with it. Rerun these rows in one interpreter
        # each.
        apart = work.apart(np.flatnonzero(broken))
        again, _ = _rows(device, portion, how, apart)
        rows.replace(np.flatnonzero(broken[work.of_row]), again)
    return rows


def _rows(
    device: Device, portion: Portion, how: Judging, work: Work
) -> tuple[_Left, np.ndarray[Any, Any]]:
    """Return the rows of one launch, and which of its interpreters broke (bools)."""
    result = launch(device, portion, how, work, VALUE_SIZE if how.wants_values else None)
    assert result.calls is not None
    status = _statuses(device, portion, how, work, result)
    if portion.cases.texts is not None:
        _mark_ended(portion, work, result, status)
    values: list[Any] = []
    reasons = _why_not_compared(device, portion, how, work, status)
    if how.wants_values:
        returned = _values(device, portion, how, work, result)
        values = returned.values
        absent: dict[int, str] = {}
        missing = np.isin(status, RETURNED) & ~returned.there
        if missing.any():
            lacked = _lacked(device, result)
            absent = _why_missing(device, portion, how, work, result, missing)
            reasons |= absent
        for row, reason in absent.items():
            if how.function is not None:
                memory = CaseStatus.OUT_OF_MEMORY
                status[row] = memory if lacked[row] else CaseStatus.NOT_COMPARED
            if status[row] != CaseStatus.OUT_OF_MEMORY:
                values[row] = Unreadable(reason, b"")
    raised, tracebacks = _raised(how, work, result, status)
    outputs = row_outputs.texts(result.stdout) if "outputs" in how.keep else []
    if outputs and (texts := portion.cases.texts) is not None:
        for row in np.flatnonzero(status == CaseStatus.OUT_OF_OUTPUT).tolist():
            limit = output_limit(texts[work.case_of_row[row]], how.stdout)
            outputs[row] = outputs[row][:limit]
    rows = _Left(
        status,
        result.calls.host(device, "steps").view(np.int64),
        np.array(result.calls.host(device, "lack")),
        outputs,
        values,
        tracebacks,
        reasons,
        raised if "exceptions" in how.keep else [],
        stderr=row_outputs.texts(result.stderr) if "stderr" in how.keep else [],
        exit_codes=_exit_codes(portion, work, result) if "exit_codes" in how.keep else [],
    )
    _classify(device, portion, how, work, rows, raised, result.calls)
    return rows, result.statuses.where_broken(result.status)


def _classify(
    device: Device,
    portion: Portion,
    how: Judging,
    work: Work,
    rows: _Left,
    raised: list[ExceptionRecord | None],
    calls: CallRows,
) -> None:
    """Find the rows whose programs use what CPython has and interpreters lack.

    Args:
        device: The device.
        portion: The programs.
        how: The options.
        work: The interpreters of the launch.
        rows: The rows, whose statuses and causes are changed.
        raised: The rows' exceptions; empty if the launch kept none. Rows whose exception the core
            raised for lack of a feature then run again, one of those of a program that lack the
            same name.
        calls: The results of the calls.
    """
    programs = work.which[work.of_row]
    lacking = np.flatnonzero(
        (rows.status == CaseStatus.RAISED) & (rows.lack == int(device.built.lack["FEATURE"]))
    )
    if len(lacking):
        if raised:  # equal records of a launch are one object
            own = (id(raised[row]) for row in lacking.tolist())
            numbers = np.fromiter(own, np.int64, len(lacking))
        else:
            known = calls.host(device, "missing")[lacking].astype(np.int64)
            numbers = np.where(known == 0, -1 - np.arange(len(lacking)), known)
        order, bounds = _groups(programs[lacking], numbers)
        first = lacking[order[bounds[:-1]]]
        if raised:
            records = [raised[row] for row in first.tolist()]
        else:
            recorded = _recorded(device, portion, how, work, np.sort(first))
            records = [recorded[row] for row in first.tolist()]
        failures = {
            group: (record, portion.sources[program])
            for group, (record, program) in enumerate(
                zip(records, programs[first].tolist(), strict=True)
            )
            if record is not None and record.missing is not None
        }
        extra = (*how.modules, *(() if how.fallback is None else how.fallback.modules))
        causes = causes_of(list(failures.values()), extra)
        for group, cause in zip(failures, causes, strict=True):
            if cause is not None:
                same = lacking[order[bounds[group] : bounds[group + 1]]]
                rows.causes.update(dict.fromkeys(same.tolist(), cause))
    refused = np.flatnonzero(rows.status == CaseStatus.SYNTAX_ERROR)
    which = np.unique(programs[refused])
    answers = compiles([portion.sources[program] for program in which.tolist()])
    for row in refused[np.isin(programs[refused], which[np.array(answers, bool)])].tolist():
        rows.causes[row] = Cause("syntax")
    rows.status[list(rows.causes)] = CaseStatus.UNSUPPORTED


def _groups(
    programs: np.ndarray[Any, Any], numbers: np.ndarray[Any, Any]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Group rows with equal programs and equal numbers.

    Returns:
        The rows, group after group, and the place of each group's first row, and their number.
    """
    order = np.lexsort((numbers, programs))
    starts = np.ones(len(order), bool)
    starts[1:] = (np.diff(programs[order].astype(np.int64)) != 0) | (np.diff(numbers[order]) != 0)
    return order, np.append(np.flatnonzero(starts), len(order))


def _recorded(
    device: Device, portion: Portion, how: Judging, work: Work, rows: np.ndarray[Any, Any]
) -> dict[int, ExceptionRecord | None]:
    """Run `rows` again with records of exceptions, and return these by row."""
    whole = how.each == "program"
    units = np.unique(work.of_row[rows]) if whole else rows
    device = device_for_few(device, len(units))
    most = rows_at_once(device, evolve(how, keep=how.keep | {"exceptions"}))
    found: dict[int, ExceptionRecord | None] = {}
    for at in range(0, len(units), most):
        chosen = units[at : at + most]
        part = work.of(chosen) if whole else work.only(chosen)
        places = np.flatnonzero(np.isin(work.of_row, chosen)) if whole else chosen
        result = launch(device, portion, how, part, None, records=True)
        assert result.records is not None
        status = _statuses(device, portion, how, part, result)
        raised = row_outputs.exceptions(result.records, status, part.first_row)
        found.update(zip(places.tolist(), raised, strict=True))
    return {row: found.get(row) for row in rows.tolist()}


def _raised(
    how: Judging, work: Work, result: Result, status: np.ndarray[Any, Any]
) -> tuple[list[ExceptionRecord | None], list[str | None]]:
    """Return the rows' exceptions and tracebacks; lists that were not asked for are empty."""
    if result.records is None:
        return [], []
    raised = row_outputs.exceptions(result.records, status, work.first_row)
    if "tracebacks" not in how.keep:
        return raised, []
    reports = row_outputs.reports(result.stderr, status)
    different = {id(one): one for one in raised if one is not None}  # equal records are one object
    texts = {key: one.traceback for key, one in different.items()}
    return raised, [
        report if one is None else texts[id(one)]
        for one, report in zip(raised, reports, strict=True)
    ]


def _statuses(
    device: Device, portion: Portion, how: Judging, work: Work, result: Result
) -> np.ndarray[Any, Any]:
    rows = result.calls
    assert rows is not None
    equal = rows.host(device, "equal")
    refused = uploaded(device, portion.cases, compares=how.function is None).refused
    if refused.any():
        equal = np.where(refused[work.case_of_row], NOT_COMPARED, equal)
    status = case_statuses(
        result.statuses,
        rows.host(device, "status"),
        equal,
        _lacked(device, result),
        device.host(result.stdout.lengths) > _output_limits(portion, how, work),
    )
    # An interpreter that overwrote its canary may have done so in any of its rows.
    damaged = result.statuses.among(result.status, "STATUS_CANARY")
    status[damaged[work.of_row]] = CaseStatus.BROKEN
    return status


def _output_limits(portion: Portion, how: Judging, work: Work) -> Any:
    """Return the bytes of output that each row may have; one number for rows of calls."""
    texts = portion.cases.texts
    if texts is None:
        return how.stdout
    return np.array([output_limit(case, how.stdout) for case in texts])[work.case_of_row]


def _lacked(device: Device, result: Result) -> np.ndarray[Any, Any]:
    """Return whether a lack of memory caused the exception of each row (bool).

    The exception ended the row's call, or the encoding of its value. The interpreter decides by the
    exception's class and by failed allocations (templates/port/lack.c), never by its message: a
    program chooses the message.
    """
    assert result.calls is not None
    is_memory = np.zeros(256, bool)
    is_memory[[int(device.built.lack[name]) for name in OPTIONS]] = True
    found: np.ndarray[Any, Any] = is_memory[result.calls.host(device, "lack")]
    return found


def _why_not_compared(
    device: Device, portion: Portion, how: Judging, work: Work, status: np.ndarray[Any, Any]
) -> dict[int, str]:
    """Return why interpreters did not compare returned values, by row."""
    rows = np.flatnonzero(status == CaseStatus.NOT_COMPARED)
    if not len(rows):
        return {}
    refused = uploaded(device, portion.cases, compares=how.function is None).refused
    cases = work.case_of_row[rows]
    return {
        row: _TOO_MUCH if too_much else _TOO_DEEP
        for row, too_much in zip(rows.tolist(), refused[cases].tolist(), strict=True)
    }


def _values(
    device: Device, portion: Portion, how: Judging, work: Work, result: Result
) -> row_outputs.Returned:
    """Return the rows' values.

    Values that exceed VALUE_SIZE come from a second launch, which behaves the same.
    """
    assert result.calls is not None
    once = row_outputs.values(device, result.calls)
    longer = once.lengths > VALUE_SIZE
    if not longer.any():
        return once
    again = np.unique(work.of_row[longer])
    size = -(-int(once.lengths.max()) // 8) * 8
    device = device_for_few(device, len(again))
    second = launch(device, portion, how, work.of(again), size)
    assert second.calls is not None
    found = row_outputs.values(device, second.calls)
    rows = np.flatnonzero(np.isin(work.of_row, again))
    for row, value in zip(rows.tolist(), found.values, strict=True):
        once.values[row] = value
    once.there[rows] = found.there
    return once


def _why_missing(
    device: Device,
    portion: Portion,
    how: Judging,
    work: Work,
    result: Result,
    missing: np.ndarray[Any, Any],
) -> dict[int, str]:
    """Return why the values of rows are missing, by row.

    An interpreter whose value cannot be encoded records the exception. Where records were not kept,
    the interpreters of these rows run again.

    Args:
        device: The device.
        portion: The programs.
        how: The options.
        work: The interpreters of the launch.
        result: The result of the launch.
        missing: Whether each row returned a value that was not kept (bool).
    """
    rows = np.flatnonzero(missing)
    places = rows
    if result.records is None:
        again = np.unique(work.of_row[rows])
        device = device_for_few(device, len(again))
        result = launch(device, portion, how, work.of(again), VALUE_SIZE, records=True)
        places = np.searchsorted(np.flatnonzero(np.isin(work.of_row, again)), rows)
    assert result.records is not None
    found = row_outputs.summaries(result.records, places)
    return dict(zip(rows.tolist(), [text or _NO_EXCEPTION for text in found], strict=True))


def _keep_passing(device: Device, portion: Portion, how: Judging, work: Work, rows: _Left) -> None:
    """Let no whole program run again that ran out of memory, caught the exception and passes."""
    texts = portion.cases.texts
    caught = rows.lack & caught_bit(device) != 0
    if texts is None or how.function is not None or not caught.any():
        return
    for row in np.flatnonzero(caught & (rows.status == CaseStatus.WRONG)).tolist():
        expected = texts[int(work.case_of_row[row])].stdout
        if expected is None or equal_outputs(
            text_of(rows.outputs[row]), expected, how=how.output, tolerance=how.tolerance
        ):
            rows.lack[row] = 0


def _compare(portion: Portion, how: Judging, rows: _Left) -> None:
    """Compare returned values, or outputs of whole programs, on the host."""
    texts = portion.cases.texts
    function = how.function or partial(equal_outputs, how=how.output, tolerance=how.tolerance)
    starts = np.repeat(np.cumsum(portion.counts) - portion.counts, portion.counts)
    cases = np.repeat(portion.first_case, portion.counts) + np.arange(portion.rows) - starts
    for row in np.flatnonzero(rows.status == CaseStatus.WRONG).tolist():
        value: Any
        expected: Any
        if texts is None:
            value, expected = rows.values[row], portion.cases.expected_value(int(cases[row]))
        elif (expected := texts[int(cases[row])].stdout) is None:
            rows.status[row] = CaseStatus.PASSED  # it ran to its end
            continue
        else:
            value = text_of(rows.outputs[row])
        try:
            equal = bool(function(value, expected))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # includes SystemExit and failures that pytest raises
            rows.status[row] = CaseStatus.NOT_COMPARED
            rows.reasons[row] = _shortened("".join(format_exception_only(error)).strip())
            if rows.tracebacks:  # interpreters recorded no exception: it was raised in CPython
                rows.tracebacks[row] = "".join(format_exception(error))
        else:
            if equal:
                rows.status[row] = CaseStatus.PASSED


def _shortened(text: str) -> str:
    """Return `text` in a form that UTF-8 can encode, cut to MOST_REASON characters."""
    return printable(text if len(text) <= MOST_REASON else f"{text[:MOST_REASON]} ...")
