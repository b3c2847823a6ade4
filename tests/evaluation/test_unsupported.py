"""UNSUPPORTED: programs that CPython runs and interpreters cannot, not programs that are wrong."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from porter.base.exception_record import ExceptionRecord, Missing, TracebackFrame
from porter.cli import execute
from porter.evaluation import CaseStatus, Cause, Evaluation, judgement
from porter.evaluation.unsupported import MAX_SOURCE, causes_of, compiles, cpython_names
from porter_dev.cpython_names import table

from .conftest import Judge

PASSED, RAISED, UNSUPPORTED = CaseStatus.PASSED, CaseStatus.RAISED, CaseStatus.UNSUPPORTED
SYNTAX = CaseStatus.SYNTAX_ERROR

# Programs that CPython runs, and what interpreters lack.
LACKING = {
    "import tkinter\ndef solve(): return 1": Cause("module", "", "tkinter"),
    "def solve():\n import xml.etree.ElementTree as tree\n return 1": Cause("module", "", "xml"),
    "from ctypes import c_int\ndef solve(): return 1": Cause("module", "", "ctypes"),
    "import sys\ndef solve(): return bool(sys.getallocatedblocks())": Cause(
        "name", "sys", "getallocatedblocks"
    ),
    "from sys import getallocatedblocks\ndef solve(): return 1": Cause(
        "name", "sys", "getallocatedblocks"
    ),
    "from contextlib import asynccontextmanager\ndef solve(): return 1": Cause(
        "name", "contextlib", "asynccontextmanager"
    ),
    "import sys\ndef solve(): return callable(sys._getframe)": Cause("name", "sys", "_getframe"),
    "import _thread\ndef solve(): return 1": Cause("module", "", "_thread"),
    "def solve(): return 1 if callable(breakpoint) else 0": Cause("name", "", "breakpoint"),
    "def solve(): return len(''.__getnewargs__())": Cause("attribute", "str", "__getnewargs__"),
    "class Own(str): pass\ndef solve(): return len(Own().__getnewargs__())": Cause(
        "attribute", "str", "__getnewargs__"
    ),
    "def solve(): return len(str.__getnewargs__('a'))": Cause("attribute", "str", "__getnewargs__"),
    "class Own: pass\ndef solve(): return len(Own().__reduce_ex__(2)) > 0": Cause(
        "attribute", "object", "__reduce_ex__"
    ),
    "def solve(): return len('\\N{BULLET}')": None,
}


def cause_of(record: ExceptionRecord, source: bytes) -> Cause | None:
    (cause,) = causes_of([(record, source)])
    return cause


def runs_in_cpython(source: str) -> bool:
    """Return whether CPython makes the call without an exception."""
    names: dict[str, Any] = {}
    exec(source, names)
    return bool(names["solve"]())


@pytest.mark.parametrize("each", ["case", "program"])
@pytest.mark.parametrize("keep", [(), ("exceptions", "tracebacks")])
def test_what_cpython_has(judged: Judge, each: str, keep: tuple[str, ...]) -> None:
    assert all(map(runs_in_cpython, list(LACKING)[3:]))  # tkinter may be absent here
    found = judged(list(LACKING), [((), True)] * 3, each=each, keep=keep)
    wanted = [[cause] * 3 for cause in LACKING.values()]
    causes = [[found.causes.get((p, c)) for c in range(3)] for p in range(len(found))]
    for row, cause in zip(causes, wanted, strict=True):
        kinds = ["operation"] * 3 if cause[0] is None else None
        assert (row == cause) if kinds is None else [one and one.kind for one in row] == kinds
    assert (found.status == UNSUPPORTED).all()
    assert not found.passed.any() and not found.solved.any() and not found.scores.any()
    assert found.counts() == {UNSUPPORTED: 3 * len(LACKING)}
    assert (found.exceptions is not None) == ("exceptions" in keep)
    assert found.unsupported()[Cause("name", "sys", "getallocatedblocks")] == 2
    again = judged(list(LACKING), [((), True)] * 3, each=each)
    assert (again.steps == found.steps).all()


# The program ends, in the order of x: for lack of two names that CPython has, for lack of a name
# that CPython lacks too, for lack of an operation, and by an exception that it raises itself.
DIFFERENT = """\
def solve(x):
    if x == 4:
        raise AttributeError("__getnewargs__")
    if x == 3:
        return eval("'\\\\N{BULLET}'")
    return getattr("", ["__getnewargs__", "__reduce_ex__", "nowhere"][x])
"""


@pytest.mark.parametrize("each", ["case", "program"])
def test_one_row_of_those_that_lack_the_same_runs_again(
    judged: Judge, each: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    again: list[list[int]] = []
    real = judgement._recorded

    def noting(*arguments: Any) -> Any:
        again.append(arguments[4].tolist())
        return real(*arguments)

    monkeypatch.setattr(judgement, "_recorded", noting)
    kinds = [x for x in (0, 1, 2, 3, 4, 2, 1, 0) for _ in range(5)]
    found = judged([DIFFERENT, DIFFERENT + "#"], [((x,), True) for x in kinds], each=each)
    causes = [
        Cause("attribute", "str", "__getnewargs__"),
        Cause("attribute", "str", "__reduce_ex__"),
        None,
        None,
        None,
    ]
    for p in range(2):
        for c, x in enumerate(kinds):
            cause = found.causes.get((p, c))
            if x == 3:
                assert cause is not None and cause.kind == "operation"
            else:
                assert cause == causes[x]
    # Of each program: three names, and each of the five rows whose record alone tells.
    (rows,) = again
    assert len(rows) == 2 * (3 + 5)


# Programs that fail in CPython too. Several raise the core's exceptions, before or after the core.
WRONG = [
    "import nosuchmodule_at_all\ndef solve(): return 1",
    "from sys import nosuchname_at_all\ndef solve(): return 1",
    "import sys\ndef solve(): return sys.nosuchname_at_all",
    "def solve(): return nosuchname_at_all",
    "def solve(): return ''.nosuchmethod_at_all()",
    "def solve(): return str.nosuchmethod_at_all",
    "class Own: pass\ndef solve(): return Own().casefold_it()",
    "raise ImportError(\"no module named 'tkinter'\")\ndef solve(): return 1",
    "def solve(): raise AttributeError(\"'str' object has no attribute '__getnewargs__'\")",
    "def solve(): raise NameError(\"name 'breakpoint' is not defined\")",
    "def solve(): raise NotImplementedError",
    "def solve(): raise NotImplementedError('unicode name escapes')",
    "def solve():\n try: ''.__nosuch__\n except AttributeError:\n"
    "  raise AttributeError(\"'str' object has no attribute '__getnewargs__'\")",
    "def solve():\n import gc\n try: import tkinter_no\n except ImportError: pass\n"
    " gc.collect()\n raise ImportError(\"no module named 'tkinter'\")",
    "class Own(ImportError): pass\ndef solve(): raise Own('tkinter')",
    "def solve():\n getattr('', '__getnewargs_x__', 1)\n hasattr('', 'x')\n"
    " raise AttributeError('__getnewargs__')",
    "def solve(): return [].sort(nosuch=1)",
    "def solve(): return len(x=1)",
]


@pytest.mark.parametrize("each", ["case", "program"])
def test_what_cpython_refuses_too(judged: Judge, each: str) -> None:
    for source in WRONG:
        with pytest.raises((ImportError, AttributeError, NameError, TypeError, RuntimeError)):
            runs_in_cpython(source)
    found = judged(WRONG, [((), 1)] * 2, each=each)
    assert found.status.tolist() == [[RAISED] * 2] * len(WRONG) and found.causes == {}


def test_look_alikes_after_the_core_raised(judged: Judge) -> None:
    caught = (
        "def solve(k):\n"
        " try: import tkinter\n"
        " except ImportError as error: first = error\n"
        " if k == 0: return 1\n"
        " if k == 1: raise ImportError(\"no module named 'tkinter'\")\n"
        " if k == 2: raise first\n"
        " first = None\n"
        " for _ in range(2000): ImportError()\n"  # objects at the addresses of earlier ones
        " raise ImportError(\"no module named 'tkinter'\")\n"
    )
    found = judged([caught], [((k,), 1) for k in range(4)])
    assert found.status.tolist() == [[PASSED, RAISED, UNSUPPORTED, RAISED]]


def test_syntax(judged: Judge) -> None:
    valid = ["def solve(a={}): return a[*(1, 2)] if a else 1", "x = 1\ndef solve(): return x"]
    assert all(map(runs_in_cpython, valid))
    invalid = ["x = = 1", "return 1", "def solve(): return (", "\x00", "print 'a'"]
    found = judged([*valid, *invalid], [((), 1)])
    status = found.status.ravel().tolist()
    assert status[0] in (PASSED, UNSUPPORTED) and status[1] == PASSED
    assert (found.causes.get((0, 0)) == Cause("syntax")) == (status[0] == UNSUPPORTED)
    assert status[2:] == [SYNTAX] * len(invalid)


def test_cpythons_compiler_runs_with_limits() -> None:
    sources = [
        b"match 1:\n case 2: pass", b"x = = 1", b"(" * 100_000, b"-" * 200_000 + b"1", b"x = 1",
        b"#" * (MAX_SOURCE + 1), b"f(1)(" + b"(lambda:" * 5000, b"", b"# coding: nosuch\nx = 1",
        b"x = 9 ** 9 ** 9 ** 9", b"\xff",
    ]  # fmt: skip
    wanted = [True, False, False, False, True, False, False, True, False, True, False]
    assert compiles(sources) == wanted and compiles([]) == []


def test_a_source_that_ends_the_compiler_leaves_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from porter.evaluation import unsupported

    ends = unsupported._WORKER.replace("found = []", "found = []; source == b'0' and 1 / 0", 1)
    monkeypatch.setattr(unsupported, "_WORKER", ends)
    assert compiles([b"1", b"0", b"2", b"0", b"3"]) == [True, False, True, False, True]
    assert compiles([b"0"] * 20 + [b"1"]) == [False] * 21  # a bounded number of processes
    monkeypatch.setattr(sys, "executable", "/nowhere")
    assert compiles([b"1", b"2"]) == [False, False]


def test_keyword_arguments() -> None:
    source = b"def solve(a):\n    a.sort()\n    return sorted(\n        a, key=len, nosuch=1)\n"
    frames = (TracebackFrame("<program>", 3, "solve"),)

    def cause(name: str, line: int = 3) -> Cause | None:
        frames = (TracebackFrame("<program>", line, "solve"),) if line else ()
        missing = Missing("keyword", "", name)
        return cause_of(ExceptionRecord("TypeError", "", frames=frames, missing=missing), source)

    assert cause("key") == Cause("keyword", "sorted", "key") == cause("")
    assert cause("nosuch") is None and cause("key", 2) is None and cause("key", 0) is None
    assert cause_of(ExceptionRecord("TypeError", "x", frames=frames), source) is None
    missing = Missing("keyword", "", "key")
    record = ExceptionRecord("TypeError", "x", frames=frames, missing=missing)
    assert cause_of(record, b"\n\n(((") is None


def test_causes_of_many_programs_need_few_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    from porter.evaluation import unsupported

    ran: list[int] = []

    def counted(questions: list[tuple[bytes, int]]) -> list[bytes]:
        ran.append(len(questions))
        return run(questions)

    run = unsupported._run
    monkeypatch.setattr(unsupported, "_run", counted)
    monkeypatch.setattr(unsupported, "GROUP", 30)
    failures = []
    for line in range(1, 71):
        frames = (TracebackFrame("<program>", line, "solve"),)
        missing = Missing("keyword", "", "sep")
        record = ExceptionRecord("TypeError", "", frames=frames, missing=missing)
        failures.append((record, b"\n" * (line - 1) + b"''.split(sep=1); x" + b"(" * (line % 2)))
    wanted = [None if line % 2 else Cause("keyword", "split", "sep") for line in range(1, 71)]
    assert causes_of(failures) == wanted and ran == [30, 30, 10]


@pytest.mark.parametrize(
    ("missing", "text"),
    [
        (Missing("module", "", "turtle"), "could not import turtle"),
        (Missing("module", "", "nosuch"), None),
        (Missing("module", "", "json.tool"), "could not import json.tool"),
        (Missing("module", "", "json.nosuch"), None),
        (Missing("name", "", "compile"), "has no name compile"),
        (Missing("name", "", "nosuch"), None),
        (Missing("module name", "math", "gcd"), "has no name math.gcd"),
        (Missing("module name", "os", "path"), "has no name os.path"),
        (Missing("module name", "nosuch", "gcd"), None),
        (Missing("attribute", "str", "casefold"), "has no attribute str.casefold"),
        (Missing("attribute", "str", "append"), None),
        (Missing("attribute", "Point", "__reduce__"), "has no attribute Point.__reduce__"),
        (Missing("type attribute", "object", "mro"), "has no attribute object.mro"),
        (Missing("operation"), "not implemented: too hard"),
        (Missing("attribute"), None),
    ],
)
def test_names(missing: Missing, text: str | None) -> None:
    record = ExceptionRecord("Error", "too hard", missing=missing)
    found = cause_of(record, b"")
    assert (None if found is None else str(found)) == text


def test_the_table_is_cpythons() -> None:
    known, here = cpython_names(), table()
    assert set(known) == set(here)
    for name in ("str", "dict", "list", "set", "bytes", "object"):
        assert set(known["types"][name]) <= {*here["types"][name], "__getstate__"}
    assert {"turtle", "threading", "typing"} <= set(known["modules"])
    assert set(known["builtins"]) - set(here["builtins"]) <= {"PythonFinalizationError"}
    assert known["keywords"]["sorted"] == ["key", "reverse"]


def test_the_command_counts_causes(
    built: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sources = ["import tkinter\ndef solve(): return 1"] * 3
    lines = [{"source": source, "cases": [[[], 1]] * 2} for source in sources]
    lines.append({"source": "def solve(): return breakpoint", "cases": [[[], 1]]})
    (tmp_path / "tasks.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    out = tmp_path / "rows.jsonl"
    argv = ["evaluate", str(tmp_path / "tasks.jsonl"), "--out", str(out)]
    assert execute([*argv, "--build", str(built.folder)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "4 programs, 7 calls, 0 solved",
        "         7 UNSUPPORTED",
        "         3 programs could not import tkinter",
        "         1 program has no name breakpoint",
    ]
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["lacks"] for row in rows] == ["module"] * 6 + ["name"]
    assert [row["lacks_name"] for row in rows] == ["tkinter"] * 6 + ["breakpoint"]
    assert rows[0]["reason"] == "could not import tkinter" and rows[0]["passed"] is False


def test_an_evaluation_of_several_portions(judged: Judge) -> None:
    sources = ["def solve(): return 1", "import tkinter", "import ctypes", "import tkinter"]
    found = judged(sources, [((), 1)] * 2, batch=1)
    assert isinstance(found, Evaluation)
    assert list(found.unsupported().values()) == [2, 1]
    assert sorted({program for program, _ in found.causes}) == [1, 2, 3]
