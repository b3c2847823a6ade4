"""Records of exceptions: type, message and frames survive full heaps, recursion and bad code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from attrs import frozen

from porter import InterpreterArray
from porter.array import ExceptionRecord, Raised
from porter.base import exception_record
from porter.base.exception_record import FRAME, HEADER
from porter.run import Device, Launch, Program, open_device, run
from porter.run.launch.options import Phase
from tests.array.conftest import Make
from tests.conftest import shared

STEP = 40  # interpreters from one fault to the next
PRELUDE = """\
class Loops(ValueError):
    def __str__(self):
        while True: pass
class Raises(Exception):
    def __str__(self): return 1 // 0
class Recurses(KeyError):
    def __str__(self): return str(self)
class Allocates(Exception):
    def __str__(self):
        kept = []
        while True: kept.append(bytes(1000))
class Prints(Exception):
    def __str__(self):
        print('from str')
        return 'said'
class Formats(Exception):
    def __str__(self): return 'own %d' % self.args[0]
class Opaque:
    def __repr__(self): return 1 // 0
def full():
    kept = []
    try:
        while True: kept.append(bytes(100))
    except MemoryError: pass
    return kept
def down(n):
    if n == 0: raise KeyError('deep')
    down(n - 1)
def even(n):
    if n == 0: raise OSError(2)
    odd(n - 1)
def odd(n):
    even(n - 1)
def runaway():
    runaway()
"""


@frozen
class Fault:
    """A program that ends with an exception, and the expected record.

    Attributes:
        body: Statements of the function that fails.
        type: The exception's type.
        messages: Messages of which the record has one; None: any.
        base: The built-in type.
        frames: Entries of the traceback below the module's; None: at least 10.
        cut: The parts that do not fit.
        source: `message_from` of the record.
    """

    body: str
    type: str
    messages: tuple[str, ...] | None
    base: str
    frames: int | None = 1
    cut: tuple[str, ...] = ()
    source: str = "str"


RECURSION = ("maximum recursion depth exceeded",)
FAULTS: Mapping[str, Fault] = {
    "recursion": Fault("runaway()", "RecursionError", RECURSION, "RecursionError", None),
    "recursion, caught first": Fault(
        "try: runaway()\nexcept RuntimeError: pass\nrunaway()",
        "RecursionError", RECURSION, "RecursionError", None,
    ),
    "MemoryError": Fault("kept = []\nwhile True: kept.append(bytes(100))", "MemoryError", None,
                         "MemoryError"),
    "full heap": Fault("kept = full()\nraise KeyError('kk')", "KeyError", ("'kk'",), "KeyError"),
    "full heap, deep": Fault("kept = full()\ndown(20)", "KeyError", ("'deep'",), "KeyError", 22),
    "full heap, frames that differ": Fault(
        "kept = full()\neven(24)", "OSError", None, "OSError", 26, ("frames",)
    ),
    "full heap, a class of the program": Fault(
        "error = Formats(5)\nkept = full()\nraise error", "Formats", ("own 5",), "Exception"
    ),
    "fragments": Fault(
        "kept = full()\nfor i in range(0, len(kept), 2): kept[i] = None\ndown(30)",
        "KeyError", ("'deep'",), "KeyError", 32,
    ),
    "another one lost frames before": Fault(
        "kept = full()\ntry: down(9)\nexcept KeyError: pass\nraise ValueError('v')",
        "ValueError", ("v",), "ValueError",
    ),
    "while another is handled": Fault(
        "try: 1 // 0\nexcept ZeroDivisionError: raise IndexError('second')",
        "IndexError", ("second",), "IndexError",
    ),
    "long message": Fault("raise ValueError('\u00e9' * 700)", "ValueError", None, "ValueError",
                          cut=("message",)),
    "not UTF-8": Fault("raise ValueError(eval(b\"'a\\xff\\xfe'\"))", "ValueError",
                       ("a\udcff\udcfe",), "ValueError"),
    "deep": Fault("down(30)", "KeyError", ("'deep'",), "KeyError", 32),
    "deep, frames that differ": Fault("even(24)", "OSError", None, "OSError", 26, ("frames",)),
    "no name": Fault("raise type('', (Exception,), {})('m')", "", ("m",), "Exception"),
    "long name": Fault("raise type('A' * 200, (Exception,), {})('m')", "A" * 128, ("m",),
                       "Exception", cut=("type",)),
    "name of 10 KB": Fault("raise type('A' * 10000, (Exception,), {})('m')", "RuntimeError",
                           ("name too long",), "RuntimeError"),
    "str that never ends": Fault("raise Loops('argument', 2)", "Loops", ("argument",), "ValueError",
                                 source="argument"),
    "str that raises": Fault("raise Raises(3)", "Raises", ("",), "Exception", source="missing"),
    "str that recurses": Fault("raise Recurses('argument')", "Recurses", ("argument",), "KeyError",
                               source="argument"),
    "str that allocates": Fault("raise Allocates", "Allocates", ("",), "Exception",
                                source="missing"),
    "str that prints": Fault("raise Prints('x')", "Prints", ("said",), "Exception"),
    "argument whose repr raises": Fault("raise ValueError(Opaque())", "ValueError", ("",),
                                        "ValueError", source="missing"),
    "no message": Fault("assert False", "AssertionError", ("",), "AssertionError"),
    "exit": Fault("import sys\nsys.exit('bad')", "SystemExit", ("bad",), "SystemExit"),
}  # fmt: skip


def source_of(faults: Mapping[str, Fault]) -> str:
    """Return one program: interpreter STEP * k has the k-th fault, and its neighbours have none."""
    functions = [
        f"def fault{k}():\n" + "".join(f"    {line}\n" for line in fault.body.split("\n"))
        for k, fault in enumerate(faults.values())
    ]
    chosen = "".join(f"if threadIdx == {k * STEP}: fault{k}()\n" for k in range(len(faults)))
    return PRELUDE + "".join(functions) + chosen + "print('fine')\n"


def checked(raised: Raised, name: str, fault: Fault) -> None:
    record = raised.record
    assert (record.type, record.base) == (fault.type, fault.base), name
    assert fault.messages is None or record.message in fault.messages, (name, record.message)
    assert (record.cut, record.message_from) == (set(fault.cut), fault.source), name
    assert record.frames[0].function == "<module>" and record.frames[0].count == 1
    below = sum(frame.count for frame in record.frames[1:]) + record.omitted
    assert below >= 10 if fault.frames is None else below == fault.frames, (name, record.frames)
    assert bool(record.omitted) == ("frames" in fault.cut)
    assert raised.traceback.startswith('Traceback (most recent call last):\n  File "<string>"')
    assert raised.traceback.count("\n") < 50


def all_checked(array: InterpreterArray, **options: Any) -> None:
    outcome = array.exec(source_of(FAULTS), check=False, **options)
    where = np.arange(len(FAULTS)) * STEP
    assert np.flatnonzero(outcome.failed).tolist() == where.tolist()
    by_index = {int(index): raised for raised in outcome.exceptions for index in raised.which}
    for k, (name, fault) in enumerate(FAULTS.items()):
        checked(by_index[k * STEP], name, fault)
    printed = {group.text: group.count for group in outcome.stdout.groups}
    assert printed == {b"fine\n": array.n - len(FAULTS), b"": len(FAULTS)}


N = STEP * len(FAULTS)


def test_among_neighbours_again_and_again(make: Make) -> None:
    array = make(N)
    for _ in range(3):
        all_checked(array)
    assert array.eval("threadIdx").tolist() == list(range(N))


def test_in_a_sandbox(make: Make) -> None:
    all_checked(make(N, sandbox=True))


@pytest.fixture
def bounds_checked() -> Iterator[Device]:
    device = open_device(shared("bounds-checked").folder, "host")
    yield device
    device.close()


def test_with_bounds_checks(bounds_checked: Device) -> None:
    for sandbox in (False, True):
        with InterpreterArray(N, device=bounds_checked, sandbox=sandbox) as array:
            all_checked(array)


def test_compiled(built: Any) -> None:
    """Native code raises the same exceptions from the same lines."""
    with InterpreterArray(N, build=built.folder, target="host") as array:
        all_checked(array, compiled=True)


def test_messages_do_not_reach_output_steps_or_stderr(any_device: Device) -> None:
    """A launch with records leaves everything else as one without."""
    program = [Program(source_of(FAULTS), "<string>")]
    launch = Launch(max_steps=10**6, stderr=2048)
    plain, recorded = (
        run(any_device, program, N, launch, Phase(records=records)) for records in (False, True)
    )
    assert plain.records is None and recorded.records is not None
    for name in ("status", "exit_code"):
        assert (getattr(plain, name) == getattr(recorded, name)).all(), name
    # The amount of free heap depends on the values that the conservative collector treats as
    # pointers, so launches on a GPU may differ in it.
    free = [
        k * STEP
        for k, (name, fault) in enumerate(FAULTS.items())
        if name == "MemoryError" or (any_device.on_gpu and "full()" in fault.body)
    ]
    assert set(np.flatnonzero(plain.steps != recorded.steps)) <= set(free)
    for stream in ("stdout", "stderr"):
        pairs = zip(getattr(plain, stream), getattr(recorded, stream), strict=True)
        assert {i for i, (one, other) in enumerate(pairs) if one != other} <= set(free)


def test_what_str_lacks_is_not_what_the_program_lacked(four: InterpreterArray) -> None:
    source = PRELUDE + "class Large(MemoryError):\n    def __str__(self): return bytes(10**6)\n"
    outcome = four.exec(source + "raise Large", check=False)
    assert [(one.type, one.count) for one in outcome.exceptions] == [("Large", 4)]
    assert outcome.lacks == ()


def test_a_limit_bounds_str(make: Make) -> None:
    """The limits of the program hold for its `__str__` too, which spends none of its steps."""
    array = make(4)
    source = PRELUDE + "raise Formats(5) if threadIdx else Loops('argument')"
    outcome = array.exec(source, check=False, max_steps=3000)
    assert sorted((one.type, one.message) for one in outcome.exceptions) == [
        ("Formats", "own 5"),
        ("Loops", "argument"),
    ]
    assert (outcome.steps < 3000).all()


ORDINARY = [
    "raise ValueError('text')",
    "raise ValueError",
    "raise ValueError()",
    "raise TypeError(1)",
    "raise ValueError('a', 2)",
    "raise Exception([1, 'b'])",
    "raise RuntimeError('\u0142\u00f3d\u017a')",
    "raise StopIteration(3)",
    "raise NotImplementedError('later')",
    "raise ZeroDivisionError(None)",
    "assert 0, 'failed'",
    "class A(LookupError): pass\nclass B(A): pass\nraise B('b')",
    "class A(ValueError):\n    def __str__(self): return 'text of ' + self.args[0]\nraise A('a')",
    "class A(Exception):\n    def __init__(self, x): super().__init__(x, 'y')\nraise A('x')",
    "try:\n    1 // 0\nexcept ZeroDivisionError:\n    raise OSError('io')",
    "def f(): raise ValueError('in f')\ndef g(): f()\ng()",
    "raise SystemExit('bye')",
]


@pytest.mark.parametrize("source", ORDINARY)
def test_as_cpython(four: InterpreterArray, source: str) -> None:
    try:
        exec(compile(source, "<string>", "exec"), {"__name__": "__main__"})
        raise AssertionError("the program does not raise")
    except BaseException as error:
        wanted, trace = error, error.__traceback__
    base = next(one for one in type(wanted).__mro__ if one.__module__ == "builtins")
    (raised,) = four.exec(source, check=False).exceptions
    record = raised.record
    assert (record.type, record.message) == (type(wanted).__name__, str(wanted))
    assert (record.base, record.cut) == (base.__name__, frozenset())
    places = []
    while (trace := trace and trace.tb_next) is not None:
        places.append((trace.tb_lineno, trace.tb_frame.f_code.co_name))
    assert [(frame.line, frame.function) for frame in record.frames] == places


def test_a_syntax_error_has_its_line(four: InterpreterArray) -> None:
    (raised,) = four.exec("x = 1\ny = = 2", "typo.py", check=False).exceptions
    assert (raised.type, raised.count) == ("SyntaxError", 4)
    assert [(frame.file, frame.line, frame.function) for frame in raised.frames] == [
        ("typo.py", 2, "")
    ]


def test_a_value_whose_repr_raises(four: InterpreterArray) -> None:
    source = "class A:\n    def __repr__(self): raise KeyError(threadIdx // 2)\na = A()"
    four.exec(source)
    assert four.eval("a if threadIdx != 1 else 7", check=False) == [None, 7, None, None]
    found = {raised.message: raised.which.tolist() for raised in four.exceptions}
    assert found == {"0": [0], "1": [2, 3]}


def test_cut_output_is_counted(make: Make) -> None:
    array = make(4, stdout=64)
    (raised,) = array.exec("print('x' * (100 * threadIdx))\n1 // 0", check=False).exceptions
    assert (raised.count, raised.output_cut) == (4, 3)


def test_several_devices(built: Any) -> None:
    with InterpreterArray(70, build=built.folder, devices=["host", "host"]) as array:
        outcome = array.exec("raise KeyError(threadIdx % 2)", check=False)
        found = {raised.message: raised.which.tolist() for raised in outcome.exceptions}
        assert found == {str(k): list(range(k, 70, 2)) for k in range(2)}


def test_the_decoder_has_the_layout_of_the_build(any_device: Device) -> None:
    built = any_device.built
    assert built.structs["gpusnek_exception_t"].itemsize == HEADER.size
    assert built.structs["gpusnek_frame_t"].itemsize == FRAME.size
    header = built.structs["gpusnek_exception_t"].names
    assert header == (
        "flags", "used", "message_length", "omitted", "frames", "first", "type_at", "type_size",
        "base_at", "base_size", "message_at", "message_size", "missing", "owner_at", "owner_size",
        "missing_at", "missing_size", "reserved",
    )  # fmt: skip
    assert built.structs["gpusnek_frame_t"].names == (
        "line", "count", "file_at", "file_size", "name_at", "name_size"
    )  # fmt: skip
    constants = built.constants
    for name in ("THERE", "MESSAGE_ARGUMENT", "MESSAGE_MISSING"):
        assert getattr(exception_record, name) == constants[f"GPUSNEK_EXCEPTION_{name}"]
    names = ("TYPE_CUT", "MESSAGE_CUT", "FRAMES_OMITTED", "NAMES_CUT")
    flags = [constants[f"GPUSNEK_EXCEPTION_{name}"] for name in names]
    assert dict(zip(flags, ("type", "message", "frames", "names"), strict=True)) == (
        exception_record._CUT
    )
    assert sys.byteorder == "little"


def test_records_take_what_the_footprint_says(any_device: Device) -> None:
    result = run(any_device, [Program("1 // 0")], 3, Launch(), Phase(records=True))
    assert result.records is not None
    size = any_device.built.constants["GPUSNEK_EXCEPTION_BYTES"]
    assert (len(result.records), result.records.size) == (3, size)
    text: Callable[[bytes], ExceptionRecord] = exception_record.record_of
    assert [text(record).type for record in result.records] == ["ZeroDivisionError"] * 3
