"""Program shapes: methods, programs that read stdin and print, programs that test themselves."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from porter.errors import UsageError, WrongType
from porter.evaluation import Cases, CaseStatus, Tolerance
from porter.evaluation.shapes import (
    END_CODE,
    equal_outputs,
    whole_program,
    with_entry,
    with_solution,
)

from .conftest import Judge

PASSED, WRONG, RAISED, EXITED, NO_ENTRY = (
    CaseStatus.PASSED, CaseStatus.WRONG, CaseStatus.RAISED, CaseStatus.EXITED, CaseStatus.NO_ENTRY
)  # fmt: skip
READERS = [
    "n = int(input())\nfor k in range(n): print(k, input())",
    "import sys\nn, *rest = sys.stdin.read().split()\nfor k in range(int(n)): print(k, rest[k])",
    "import sys\nn = int(sys.stdin.readline())\nfor k in range(n):\n"
    " sys.stdout.write(str(k) + ' ' + sys.stdin.readline())",
    "import sys\nlines = [line.strip() for line in sys.stdin]\n"
    "if __name__ == '__main__':\n for k in range(int(lines[0])): print(k, lines[k + 1])",
    "import sys\nfor k in range(int(input())): print(k, input())\nsys.exit()",
    "for k in range(int(input())): print(k, input(), end='  \\n')\nraise SystemExit(0)",
]
INPUTS = ["2\na\nb\n", "0\n", "3\nx\ny\n\u00e9\n", "1\n" + "z" * 5000 + "\n"]


def cpython(source: str, text: str) -> tuple[int, str]:
    """Return CPython's exit code and output."""
    command = [sys.executable, "-X", "utf8", "-c", source]
    done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", check=False)
    return done.returncode, done.stdout


def test_programs_that_read_and_print(judged: Judge) -> None:
    cases = [{"stdin": text, "stdout": cpython(READERS[0], text)[1]} for text in INPUTS]
    for source in READERS:
        assert cpython(source, INPUTS[0])[0] == 0
    for each in ("case", "program"):
        found = judged(READERS, cases, each=each, keep=["outputs", "values", "tracebacks"])
        assert found.solved.all() and (found.steps > 0).all()
        assert found.outputs is not None and found.values == [[None] * 4] * len(READERS)
        for source, outputs in zip(READERS, found.outputs, strict=True):
            wanted = [cpython(source, text)[1].encode() for text in INPUTS]
            assert outputs == wanted
    again = judged(READERS, cases)
    assert again.outputs is None and (again.steps == found.steps).all()


def test_programs_that_fail(judged: Judge) -> None:
    sources = {
        "print(1)": WRONG,
        "print(2)\nraise SystemExit(3)": EXITED,
        "print(2)\n1 // 0": RAISED,
        "print(2": CaseStatus.SYNTAX_ERROR,
        "print(2)\nwhile True: pass": CaseStatus.OUT_OF_STEPS,
        "input()\ninput()\nprint(2)": RAISED,
        "for k in range(9000): print(2)": CaseStatus.OUT_OF_OUTPUT,
        "print(2)\nsolve = 3": PASSED,
        "import tkinter\nprint(2)": CaseStatus.UNSUPPORTED,
        "SystemExit = print\nprint(2)": RAISED,
        "": WRONG,
    }
    found = judged(list(sources), [{"stdin": "1\n", "stdout": "2\n"}], steps=100_000)
    assert dict(zip(sources, found.status[:, 0].tolist(), strict=True)) == sources


def test_programs_that_test_themselves(judged: Judge) -> None:
    sources = {
        "assert 1 + 1 == 2": PASSED,
        "def check(f):\n assert f(2) == 4\ndef f(x): return x * x\ncheck(f)": PASSED,
        "assert 1 + 1 == 3": RAISED,
        "raise SystemExit": EXITED,  # nobody skips the tests that follow
        "raise SystemExit(0)": EXITED,
        "import sys\nsys.exit(1000)": EXITED,
    }
    found = judged(list(sources), [{"stdin": ""}])
    assert dict(zip(sources, found.status[:, 0].tolist(), strict=True)) == sources


def test_larger_outputs_and_heaps(judged: Judge) -> None:
    source = "n = int(input())\nkept = [0] * n\nprint('x' * n)"
    cases = [{"stdin": f"{n}\n", "stdout": "x" * n} for n in (3, 30_000)]
    assert judged([source], cases, heap="32K").solved.all()


@pytest.mark.parametrize(
    ("output", "expected", "how", "tolerance", "equal"),
    [
        ("1\n2\n", "1\n2\n", "text", None, True),
        ("1\n2", "1\n2\n", "text", None, False),
        ("1 \n2\n\n", "1\n2", "lines", None, True),
        (" 1", "1", "lines", None, False),
        ("1\n\n2", "1\n2", "lines", None, False),
        ("1\n\n2 3", "1 2\n3", "tokens", None, True),
        ("1 2", "1 2 3", "tokens", None, False),
        ("0.30001 a", "0.3 a", "tokens", (1e-3, 0.0), True),
        ("0.31 a", "0.3 a", "tokens", (1e-3, 0.0), False),
        ("0.3 b", "0.3 a", "tokens", (1e-3, 0.0), False),
        ("0.30001\n1", "0.3\n1", "lines", (1e-3, 0.0), True),
        ("0.30001 1", "0.3\n1", "lines", (1e-3, 0.0), False),
        ("nan", "nan", "tokens", (1e-3, 0.0), True),
        ("", "", "lines", None, True),
        ("x", "", "lines", (1.0, 1.0), False),
    ],
)
def test_outputs(output: str, expected: str, how: str, tolerance: Any, equal: bool) -> None:
    assert equal_outputs(output, expected, how, tolerance) is equal


def test_comparisons(judged: Judge) -> None:
    program = ["print(1 / 3, 'a')"]
    cases = [{"stdin": "", "stdout": "0.333 a"}]
    assert judged(program, cases).status.tolist() == [[WRONG]]
    assert judged(program, cases, compare=Tolerance(0.01)).solved.all()
    assert judged(["print(1)\nprint(2)"], [{"stdout": "1 2"}], output="tokens").solved.all()
    assert judged(["print(1)"], [{"stdout": "1"}], output="text").status.tolist() == [[WRONG]]
    seen: list[tuple[str, str]] = []

    def compare(one: str, other: str) -> bool:
        seen.append((one, other))
        return True

    found = judged(program, cases, compare=compare)
    assert found.solved.all() and seen == [("0.3333333333333333 a\n", "0.333 a")]
    found = judged(program, cases, compare=lambda one, other: 1 // 0)
    assert found.status.tolist() == [[CaseStatus.NOT_COMPARED]]
    found = judged(["print(b'\\xff')\nimport sys\nsys.stdout.buffer.write(b'\\xff')"], cases)
    assert found.status[0, 0] in (WRONG, CaseStatus.UNSUPPORTED)


def test_methods(judged: Judge) -> None:
    sources = {
        "class Solution:\n def two(self, a, b=0): return a + b": PASSED,
        "class Solution:\n @staticmethod\n def two(a, b): return a + b": PASSED,
        "class Base:\n def two(self, a, b): return self.k + b\n"
        "class Solution(Base):\n def __init__(self): self.k = 1": PASSED,
        "class Solution:\n def three(self): pass": NO_ENTRY,
        "class Other: pass": NO_ENTRY,
        "Solution = 3": NO_ENTRY,
        "def two(a, b): return a + b  # no newline": NO_ENTRY,
        "class Solution:\n def two(self): pass": RAISED,
        "class Solution:\n def __init__(self, x): pass\n def two(self, a, b): return 3": RAISED,
        "class Solution:\n def two(self, a, b): return a - b": WRONG,
    }
    for each in ("case", "program"):
        found = judged(list(sources), [((1, 2), 3)], entry="Solution.two", each=each)
        assert dict(zip(sources, found.status[:, 0].tolist(), strict=True)) == sources


def test_each_call_has_a_new_object(judged: Judge) -> None:
    source = "class Solution:\n def __init__(self): self.n = 0\n def f(self):\n  self.n += 1\n"
    source += "  return self.n"
    assert judged([source], [((), 1)] * 3, entry="Solution.f", each="program").solved.all()


def test_shapes_mix_among_programs(judged: Judge) -> None:
    programs = [
        ("def solve(x): return x", [((1,), 1)]),
        ("print(input())", [{"stdin": "a", "stdout": "a"}, {"stdin": "b", "stdout": "c"}]),
        ("def solve(x): return -x", [((1,), 1), ((0,), 0)]),
        ("assert True", [{"stdin": ""}]),
    ]
    found = judged(programs)
    none = CaseStatus.NO_CASE
    assert found.status.tolist() == [
        [PASSED, none], [PASSED, WRONG], [WRONG, PASSED], [PASSED, none]
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("cases", "error", "message"),
    [
        ([{"stdin": 3}], WrongType, "stdin is a text, not int"),
        ([{"stdin": None}], WrongType, "stdin is a text, not NoneType"),
        ([{"stdout": b"x"}], WrongType, "stdout is a text, not bytes"),
        ([{"stdin": "", "args": []}], UsageError, "'args' is not one of stdin, stdout"),
        ([{"stdin": ""}, ((), 1)], UsageError, r"cases\[1\]: some cases have stdin"),
        ([((), 1), {"stdin": ""}], UsageError, r"cases\[0\]: some cases have stdin"),
        ([{"stdin": "\udcff"}], UsageError, "surrogates not allowed"),
    ],
)
def test_invalid_cases(cases: list[Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Cases.of(cases)


@pytest.mark.parametrize("entry", ["a.b.c", "a.", ".b", "a.1", "class.x", "", "a b"])
def test_invalid_entries(judged: Judge, entry: str) -> None:
    with pytest.raises(UsageError, match="is not a Python identifier"):
        judged(["x = 1"], [((), 1)], entry=entry)


def test_appended_lines() -> None:
    names: dict[str, Any] = {}
    exec(with_entry(b"class A:\n def f(self, x): return x  # end", "A.f", "g"), names)
    assert names["g"](3) == 3
    exec(with_entry(b"", "nosuch", "g"), names)
    assert names["g"] is None
    with pytest.raises(SystemExit) as ended:
        exec(whole_program(b"x = 1 # end"), names)
    assert ended.value.code == END_CODE >= 1000


def test_the_method_of_a_class_solution_is_found(judged: Judge) -> None:
    sources = {
        "class Solution:\n    def add(self, a, b):\n        return a + b\n": PASSED,
        "class Solution:\n    def add(self, a, b):\n        return a + b": PASSED,
        "class Solution(object):\n\n# text\n\n  def _help(self): return 0\n"
        "  def add(self, a, b):\n    def inner(): return a\n"
        "    return inner() + b\nx = 1\n": PASSED,
        "class Solution:\n def add(self, a, b): return a + b\n def other(self): pass\n": NO_ENTRY,
        "class Solution:\n x = 1\n": NO_ENTRY,
        "class Solution: pass\n": NO_ENTRY,
        "Solution = 1\ndef add(a, b): return a + b\n": NO_ENTRY,
        "class Solution:\n def add(self, a, b): return 0\ndef solve(a, b): return a + b\n": PASSED,
        "class Solutions:\n def add(self, a, b): return a + b\n": NO_ENTRY,
    }
    found = judged(list(sources), [((1, 2), 3)])
    assert found.status.ravel().tolist() == list(sources.values())


def test_the_search_for_a_method_takes_time_in_proportion() -> None:
    """A search in quadratic time would take minutes for each of these sources."""
    head = b"class Solution:\n"
    method = b" def f(self): pass\n"
    assert with_solution(head + method * 100_000, "solve").endswith(b"else None\n")
    assert with_solution(head + b" \n" * 100_000 + method, "solve").endswith(b"else None\n")
    for source in (head + b" " * 100_000, (head + method) * 50_000, b"class" + b" " * 100_000):
        assert with_solution(source, "solve") == source


def test_a_text_case_may_say_expected(judged: Judge) -> None:
    case = {"stdin": "3\n", "expected": "6\n"}
    found = judged(["print(int(input()) * 2)", "print(int(input()))"], [case])
    assert found.status.ravel().tolist() == [PASSED, WRONG]
    with pytest.raises(UsageError, match="'expected' is not one of stdin, stdout"):
        judged(["1"], [case | {"stdout": ""}])


LONG = "print('x' * 30_000)"


def test_the_limit_of_output_is_the_case_s_own(judged: Judge) -> None:
    """Rows of one launch share the size of its buffers, which depends on the longest output."""
    programs = [
        (LONG, [{"stdin": ""}]),
        (LONG, [{"stdin": "", "stdout": "x"}]),
        (LONG, [{"stdin": "", "stdout": "x" * 30_000}]),
        ("print('x' * 9)", [{"stdin": "", "stdout": "x" * 9}]),
    ]
    together = judged(programs, keep="outputs")
    names = [CaseStatus(value).name for value in together.status[:, 0].tolist()]
    assert names == ["OUT_OF_OUTPUT", "OUT_OF_OUTPUT", "PASSED", "PASSED"]
    for k, program in enumerate(programs):
        alone = judged([program], keep="outputs")
        assert alone.status[0, 0] == together.status[k, 0]
        assert alone.outputs is not None and together.outputs is not None
        assert alone.outputs[0] == together.outputs[k]
