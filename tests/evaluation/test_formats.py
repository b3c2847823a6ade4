"""Formats of public sets of problems: made-up tasks, and lines that no format accepts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from porter.cli import execute
from porter.errors import PorterError, UsageError
from porter.evaluation import data_files
from porter.evaluation.data_files import Problems, read_programs
from porter.evaluation.formats import FORMATS, OWN, detect, tasks

HUMANEVAL: dict[str, Any] = {
    "task_id": "Made/1",
    "prompt": "def twice(x):\n    '''Double x.'''\n",
    "entry_point": "twice",
    "canonical_solution": "    return 2 * x\n",
    "test": "def check(candidate):\n    assert candidate(3) == 6\n    assert candidate(0) == 0\n",
}
MBPP: dict[str, Any] = {
    "task_id": 7,
    "text": "Write a function that adds.",
    "code": "def add(a, b):\r\n    return a + b",
    "test_list": ["assert add(1, 2) == 3", "assert add(-1, 1) == N"],
    "test_setup_code": "N = 0",
    "challenge_test_list": [],
}
STDIN_TESTS = [{"input": "1 2\n", "output": "3\n", "testtype": "stdin"}]
CALL_TESTS = [{"input": "[1, 2]\n2", "output": "[1, 2, 1, 2]", "testtype": "functional"}]
LIVE: dict[str, Any] = {
    "question_id": "made_2",
    "question_content": "Add.",
    "public_test_cases": json.dumps(STDIN_TESTS),
    "private_test_cases": json.dumps(STDIN_TESTS * 2),
    "metadata": "{}",
    "code": "print(sum(map(int, input().split())))",
}
LIVE_CALL: dict[str, Any] = {
    "question_id": "made_3",
    "public_test_cases": json.dumps(CALL_TESTS),
    "metadata": json.dumps({"func_name": "repeat"}),
    "code_list": [
        "class Solution:\n    def repeat(self, a: List[int], n: int) -> List[int]:\n"
        "        return a * n",
        "def repeat(a, n): return a",
    ],
}
APPS: dict[str, Any] = {
    "problem_id": 4,
    "question": "Add.",
    "solutions": json.dumps(["print(int(input()) + 1)", "print(int(input()) + 2)"]),
    "input_output": json.dumps({"inputs": ["1\n", ["2", "3"]], "outputs": ["2\n", ["3"]]}),
    "difficulty": "interview",
}
APPS_CALL: dict[str, Any] = {
    "solution": "def neg(x): return -x",
    "input_output": {"fn_name": "neg", "inputs": [[1], [2]], "outputs": [[-1], [-2]]},
}
LINES = {
    "humaneval": HUMANEVAL, "mbpp": MBPP, "livecodebench": LIVE, "apps": APPS, "call": APPS_CALL,
    "live call": LIVE_CALL,
}  # fmt: skip
SOLVED = {
    "Made/1": [True], "7": [True], "made_2": [True] * 3, "4/0": [True] * 2, "4/1": [False] * 2,
    "4": [True] * 2, "made_3/0": [True], "made_3/1": [False],
}  # fmt: skip


def written(path: Path, lines: list[Any]) -> Path:
    """Write lines: texts as they are, other values as JSON."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("".join(text + "\n" for text in texts))
    return path


def results(path: Path) -> dict[str, list[bool]]:
    found: dict[str, list[bool]] = {}
    for line in path.read_text().splitlines():
        row = json.loads(line)
        found.setdefault(row["program"], []).append(row["passed"])
    return found


def test_all_formats_in_one_file(
    built: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = written(tmp_path / "tasks.jsonl", list(LINES.values())), tmp_path / "out.jsonl"
    assert execute(["evaluate", str(file), "--out", str(out), "--build", str(built.folder)]) == 0
    assert results(out) == SOLVED
    assert capsys.readouterr().out.startswith("8 programs, 13 calls, 6 solved\n")


@pytest.mark.parametrize("form", FORMATS)
def test_a_named_format(built: Any, tmp_path: Path, form: str) -> None:
    file, out = written(tmp_path / "tasks.jsonl", [LINES[form]]), tmp_path / "out.jsonl"
    argv = ["evaluate", str(file), "--out", str(out), "--build", str(built.folder)]
    assert execute([*argv, "--format", form]) == 0
    assert results(out).items() <= SOLVED.items()
    others = [name for name in FORMATS if name != form]
    assert all(execute([*argv, "--format", name]) == 2 for name in others)
    assert execute([*argv, "--format", "nosuch"]) == 2


def test_candidates_replace_the_sets_solution() -> None:
    for key, value in (("completion", "    return x"), ("solution", "def twice(x): return x")):
        (task,) = tasks(HUMANEVAL | {key: value}, "humaneval", "0")
        assert value in task.source and "2 * x" not in task.source
        with pytest.raises(AssertionError):
            exec(task.source, {})
    for line in (HUMANEVAL, MBPP):
        (task,) = tasks(line, detect(line), "0")
        exec(task.source, {})  # CPython passes the tests of the set's solution
    assert detect({"source": "", "test_list": []}) == OWN == detect([]) == detect({})


@pytest.mark.parametrize(
    "keys, names",
    [
        ({"problem_id": 4, "id": 9}, ["4/0", "4/1"]),
        ({"id": 9}, ["9/0", "9/1"]),
        ({"question_id": "q", "id": 9}, ["q/0", "q/1"]),
        ({}, ["default/0", "default/1"]),
    ],
)
def test_the_key_of_a_name(keys: dict[str, Any], names: list[str]) -> None:
    line = {key: value for key, value in APPS.items() if key != "problem_id"} | keys
    assert [task.name for task in tasks(line, "apps", "default")] == names


def test_own_lines(built: Any, tmp_path: Path) -> None:
    lines = [
        {"id": "a", "source": "def f(x): return x", "entry": "f", "cases": [[[1], 1]]},
        {"id": "b", "source": "class C:\n def g(self): return 2", "entry": "C.g",
         "cases": [[[], 2]]},
        {"id": "c", "source": "def f(x): return x", "entry": "nosuch", "cases": [[[1], 1]]},
        {"id": "d", "source": "x = 1", "test": "assert x == 1"},
        {"id": "e", "source": "raise SystemExit", "test": "assert x == 1"},
        {"id": "f", "source": "print(input())", "cases": [{"stdin": "q", "stdout": "q"}]},
        {"id": "g", "source": "def solve(x): return x", "cases": [[[1], 1]]},
    ]  # fmt: skip
    file, out = written(tmp_path / "tasks.jsonl", lines), tmp_path / "out.jsonl"
    assert execute(["evaluate", str(file), "--out", str(out), "--build", str(built.folder)]) == 0
    wanted = {name: [name not in "ce"] for name in "abcdefg"}
    assert results(out) == wanted


def test_lines_without_a_name(built: Any, tmp_path: Path) -> None:
    line = {"source": "def solve(x): return x", "cases": [[[1], 1]]}
    named = []
    for name, lines in (("none", [line, line]), ("null", [line | {"id": None}] * 2)):
        file, out = written(tmp_path / f"{name}.jsonl", lines), tmp_path / f"{name}.out.jsonl"
        command = ["evaluate", str(file), "--out", str(out), "--build", str(built.folder)]
        assert execute(command) == 0
        named.append(results(out))
    assert named[0] == named[1] and len(named[0]) == 2


UNITTEST = """
import unittest
class TestAdd(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)
"""


def test_classes_of_unittest(built: Any, tmp_path: Path) -> None:
    lines = [{"id": op, "source": f"def add(a, b): return a {op} b", "test": UNITTEST}
             for op in "+-"]  # fmt: skip
    file, out = written(tmp_path / "tasks.jsonl", lines), tmp_path / "out.jsonl"
    assert execute(["evaluate", str(file), "--out", str(out), "--build", str(built.folder)]) == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert rows[1]["passed"] is False
    assert rows[0]["passed"] or rows[0]["reason"] == "could not import unittest"


BAD: dict[str, tuple[Any, str]] = {
    "not JSON": ("{", "this line is not JSON"),
    "a number": (3, "there is no program in this line"),
    "a list": ([], "there is no program in this line"),
    "deep": ("[" * 100_000, "this line is not JSON"),
    "prompt": (HUMANEVAL | {"prompt": 3}, "prompt: it is a text, not int"),
    "test": (HUMANEVAL | {"test": None}, "test: it is a text, not NoneType"),
    "entry": (HUMANEVAL | {"entry_point": "f); import os; ("}, "is not a Python identifier"),
    "solution": ({**HUMANEVAL, "canonical_solution": []}, "canonical_solution: it is a text"),
    "no code": ({"test_list": ["assert True"]}, "there is no program in this line"),
    "tests": (MBPP | {"test_list": "assert True"}, "test_list: it is a list, not str"),
    "a test": (MBPP | {"test_list": [3]}, "test_list: it is a list of texts"),
    "pickled": (LIVE | {"private_test_cases": "eJxrYJk6"}, "porter unpickles nothing"),
    "cases": (LIVE | {"public_test_cases": "3"}, "public_test_cases: it is a list or an object"),
    "a case": (LIVE | {"public_test_cases": [3]}, "it is an object with input and output"),
    "no input": (LIVE | {"public_test_cases": [{}]}, "public_test_cases[0], input: it is a text"),
    "arguments": (
        LIVE_CALL | {"public_test_cases": [{"input": "x", "output": "1"}]}, "not JSON: 'x'"
    ),
    "no cases": (LIVE | {"public_test_cases": [], "private_test_cases": []}, "there is no case"),
    "function": (LIVE_CALL | {"metadata": {"func_name": "a-b"}}, "is not a Python identifier"),
    "its type": (LIVE_CALL | {"metadata": {"func_name": 3}}, "name of the function is a text"),
    "codes": (LIVE_CALL | {"code_list": [3]}, "code_list[0]: it is a text"),
    "inputs": (APPS | {"input_output": "{}"}, "input_output, inputs: it is a list"),
    "counts": (
        APPS | {"input_output": {"inputs": ["1"], "outputs": []}}, "1 inputs, but 0 outputs"
    ),
    "values": (APPS | {"input_output": {"inputs": [1], "outputs": [1]}}, "stdin is a text"),
    "no solutions": ({"input_output": APPS["input_output"]}, "there is no program in this line"),
    "own entry": ({"source": "", "entry": "1", "cases": []}, "is not a Python identifier"),
    "own test": ({"source": "", "test": "", "cases": []}, "test is a text, in a line without"),
    "own cases": ({"source": "", "cases": [3]}, "int is not a case"),
    "no own cases": ({"id": "last", "source": ""}, "program last has no cases"),
}  # fmt: skip


def test_bad_lines_leave_the_others(
    built: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    monkeypatch.setattr(data_files, "MOST_PROBLEMS", 100)
    good = {"id": "good", "source": "def solve(): return 1", "cases": [[[], 1]]}
    lines = [good, *(line for line, _ in BAD.values()), good]
    file, out = written(tmp_path / "tasks.jsonl", lines), tmp_path / "out.jsonl"
    assert execute(["evaluate", str(file), "--out", str(out), "--build", str(built.folder)]) == 2
    printed = capsys.readouterr()
    assert results(out) == {"good": [True, True]} and "2 solved" in printed.out
    text = " ".join(printed.err.split())
    places = [f"tasks.jsonl:{number}" for number in range(2, len(lines) - 1)]
    assert all(place in text for place in places), text
    missing = [message for _, message in BAD.values() if message not in text]
    assert missing == ["porter unpickles nothing"]  # a hint, which only a single error shows


@pytest.mark.parametrize("name", BAD)
def test_one_bad_line(tmp_path: Path, name: str) -> None:
    line, message = BAD[name]
    file = written(tmp_path / "tasks.jsonl", [line])
    if name == "no own cases":
        assert [program.cases for program in read_programs(file)] == [None]
        return
    with pytest.raises(PorterError) as caught:
        list(read_programs(file))
    assert message in f"{caught.value} {caught.value.hint}" and "tasks.jsonl:1" in str(caught.value)


def test_long_lines_and_many_problems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_files, "MAX_LINE", 1000)
    texts = [json.dumps("x" * size) for size in (10, 990, 998, 999, 5000, 10)]
    file = written(tmp_path / "tasks.jsonl", [*texts[:4], texts[4], *["3"] * 30, texts[5]])
    problems = Problems()
    names = [program.name for program in read_programs(file, problems=problems)]
    assert names == ["0", "1", "35"] or names == ["0", "1", "2", "35"]
    assert "longer than 1000" in problems.messages[0] and len(problems.messages) == 20
    with pytest.raises(UsageError, match=r"and \d+ lines more"):
        problems.check()
    Problems().check()
