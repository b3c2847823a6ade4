"""Classify the faults in the answer of a launch: the type and the place of each."""

from __future__ import annotations

import re
from collections.abc import Sequence

from attrs import frozen

from porter_dev.fuzz.calls.fuzz_batch import Answer, BatchDied, BatchEnded, BatchStuck

# Kinds of findings. `fence`: a bounds check failed, and the interpreter ended with the status for
# it and no other effect. A build with bounds checks must end upstream's faults in this way.
KINDS = ("died", "stuck", "broken", "sentinel", "differs", "fence")
# Statuses that a program may end with. Any other status means that its interpreter broke.
GOOD = frozenset(
    f"GPUSNEK_{name}"
    for name in (
        *("OK", "EXCEPTION", "EXIT", "SYNTAX_ERROR", "STOPPED", "MORE"),
        *("OUT_OF_STEPS", "OUT_OF_TIME"),
    )
)
NOT_RUN = "GPUSNEK_STATUS_NOT_RUN"
OUT_OF_BOUNDS = "GPUSNEK_STATUS_OUT_OF_BOUNDS"
_FRAME = re.compile(r"^\s*#\d+ 0x[0-9a-f]+ in (\S+)(?: (\S+))?", re.MULTILINE)
_UBSAN = re.compile(r"^(\S+?):(\d+):\d+: runtime error: (.+)$", re.MULTILINE)
_ASAN = re.compile(r"AddressSanitizer: (\S+)")
# Frames of the sanitizer and of libc, above the code at fault.
_FOREIGN = re.compile(
    r"__asan|__ubsan|__sanitizer|__interceptor|_ubsan|^(memcpy|memmove|memset|memcmp|strlen|abort"
    r"|raise|mem\w+|str\w+|porter_fence\w*)$|libc|libasan|libpython|^<null>"
)
# Functions that call any function of a program.
_ANYTHING = re.compile(r"fun_builtin_|mp_call_function|mp_execute_bytecode|vm_")


@frozen
class Fault:
    """A fault of programs in a launch.

    Attributes:
        kind: Name out of KINDS.
        place: Function at fault and its caller, if a report names them.
        program: Number of the program in the batch; None if unknown.
        what: Description for the reader.
        report: The sanitizer's report.
    """

    kind: str
    place: str = ""
    program: int | None = None
    what: str = ""
    report: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The identity of the fault; faults with equal keys are one finding."""
        return (self.kind, self.place)


def faults(answer: Answer, sentinel: tuple[str, bytes]) -> list[Fault]:
    """Return the faults in `answer`. sentinel: the expected status and output of sentinels."""
    if isinstance(answer, BatchDied):
        what = f"{answer.how}: {_headline(answer.report)}".rstrip(": ")
        return [Fault("died", place(answer.report), None, what, answer.report)]
    if isinstance(answer, BatchStuck):
        only = answer.suspects[0] if len(answer.suspects) == 1 else None
        what = "did not end when it was stopped"
        return [Fault("stuck", place(answer.report), only, what, answer.report)]
    return [*_broken(answer), *_sentinels(answer, sentinel)]


def _broken(answer: BatchEnded) -> list[Fault]:
    found = []
    for i, status in enumerate(answer.statuses):
        if status in GOOD or (status == NOT_RUN and answer.interrupted):
            continue
        kind = "fence" if status == OUT_OF_BOUNDS else "broken"
        found.append(Fault(kind, "", i, status))
    return found


def _sentinels(answer: BatchEnded, sentinel: tuple[str, bytes]) -> list[Fault]:
    for status, output in answer.sentinels:
        if (status, output) == sentinel:
            continue
        if answer.interrupted and (status in GOOD or status == NOT_RUN):
            continue
        return [Fault("sentinel", "", None, f"a sentinel ended with {status}: {output[:200]!r}")]
    return []


def differing(first: BatchEnded, second: BatchEnded, sources: Sequence[bytes]) -> list[Fault]:
    """Return the programs whose status or output differs between two launches of a batch."""
    if first.interrupted or second.interrupted:
        return []
    ends = zip(first.statuses, first.outputs, second.statuses, second.outputs, strict=True)
    return [
        Fault("differs", "", i, f"{b[:200]!r} and then {d[:200]!r}")
        for i, (a, b, c, d) in enumerate(ends)
        if (a, _steady(b)) != (c, _steady(d)) and not _UNSTEADY.search(sources[i])
    ]


def _steady(output: bytes) -> bytes:
    """Remove the addresses that objects print of themselves."""
    return _ADDRESS.sub(rb"\1", output)


_ADDRESS = re.compile(rb"( at |_method )(?:0x)?[0-9a-f]{4,16}\b")


# Names whose results depend on time, randomness or addresses.
_UNSTEADY = re.compile(
    rb"\bid\(|hash|time|ticks|random|urandom|addressof|mem_|stack_use|qstr_info|uctypes|popitem"
    rb"|\bset\(|getrandbits|rand|choice|uniform|shuffle|_m\(v\d,|cpu|clock|\bgpu\b|thread"
)


def place(report: str) -> str:
    """Return the place that a sanitizer's report blames: porter's first function `<` its caller.

    "" without a report, and where the compiler has merged the function at fault with its caller.
    """
    names: list[str] = []
    for name, where in _FRAME.findall(report):
        if names and not name.isidentifier():
            break
        if not _FOREIGN.search(name) and not (where and _FOREIGN.search(where)):
            names.append(str(name).partition("(")[0])
        if len(names) == 2:
            break
    return "" if names and _ANYTHING.match(names[0]) else "<".join(names)


def _headline(report: str) -> str:
    found = _UBSAN.search(report)
    if found:
        return f"{found[1].rpartition('/')[2]}:{found[2]}: {found[3]}"
    found = _ASAN.search(report)
    return f"AddressSanitizer: {found[1]}" if found else ""
