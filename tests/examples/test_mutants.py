"""The example of mutation testing: mutants, single checks, covers, and hostile programs."""

from __future__ import annotations

import ast
import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from .conftest import Load

LINES: list[dict[str, Any]] = [
    {
        "task_id": "set/0",
        "prompt": 'def double(x):\n    """Return twice x."""\n',
        "canonical_solution": "    return x * 2\n",
        "entry_point": "double",
        "test": "def check(candidate):\n    a = 4\n    assert candidate(2) == a\n"
        "    for i in range(3):\n        assert candidate(i) == i + i\n    assert True\n",
    },
    {
        "task_id": 7,
        "code": "def last(items):\n    return items[len(items) - 1]\n",
        "test_list": ["assert last([1, 2]) == 2", "assert last('abc') == 'c'"],
    },
    {"id": "own", "source": "def solve(x):\n    return -x", "cases": [[[3], -3], [[-1], 1]]},
    {
        "question_id": "method",
        "code": "class Solution:\n    def add(self, a, b):\n        return a + b\n",
        "metadata": {"func_name": "add"},
        "public_test_cases": [{"input": "1\n2", "output": "3", "testtype": "functional"}],
    },
    {
        "question_id": "streams",
        "code": "print(int(input()) + 1)\n",
        "public_test_cases": [{"input": "1\n", "output": "2", "testtype": "stdin"}],
    },
]
WRONG_REFERENCE = {"id": "bad", "source": "def solve(x):\n    return x", "cases": [[[3], 4]]}


@pytest.fixture
def mutants(load: Load) -> ModuleType:
    return load("mutants.py")


def outcome(source: str, case: Any) -> bool:
    """Return whether CPython passes a case of a tested problem."""
    names: dict[str, Any] = {}
    args, expected = (case["args"], case["expected"]) if isinstance(case, dict) else case
    try:
        exec(source, names)
        return names["porter_check"](*args) == expected
    except Exception:
        return False


def test_mutants_are_distinct_programs_that_compile(mutants: ModuleType) -> None:
    for problem in mutants.read_problems():
        found = mutants.mutants_of(problem, 300, 1)
        texts = [mutants.edited(problem.source.encode(), edits) for edits in found]
        assert len(set(texts)) == len(texts) == 300 and problem.source not in texts
        singles = [
            ast.dump(ast.parse(text))
            for edits, text in zip(found, texts, strict=True)
            if len(edits) == 1
        ]
        assert len(set(singles)) == len(singles) > 30
        assert ast.dump(ast.parse(problem.source)) not in singles
        assert all(mutants.disjoint(edits) for edits in found)
        assert found == mutants.mutants_of(problem, 300, 1) != mutants.mutants_of(problem, 300, 2)


def test_an_edit_of_an_operator_keeps_the_tree_around_it(mutants: ModuleType) -> None:
    source = mutants.canonical('def f(a, b, c):\n    "Doc."\n    return a - b * c + "é".index("é")\n')
    assert source == "def f(a, b, c):\n    return (a - (b * c)) + 'é'.index('é')\n"
    assert mutants.canonical(source) == source
    edits = [edit for edit in mutants.edits_of(source) if edit.kind == "operator"]
    texts = {mutants.edited(source.encode(), [edit]) for edit in edits}
    assert "def f(a, b, c):\n    return (a * (b * c)) + 'é'.index('é')\n" in texts
    assert "def f(a, b, c):\n    return (a - (b * c)) * 'é'.index('é')\n" in texts


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("if a < b:\n    x = 1\nelif a:\n    x = 2\nelse:\n    x = 3", "branches swapped"),
        ("while a:\n    a -= 1\n    break", "jump"),
        ("for i in range(n):\n    f(i)", "loop range"),
        ("x = min(a, b)", "other function"),
        ("x = f(a, b)", "arguments swapped"),
        ("x = a and b", "and, or"),
        ("x = a[1:n]", "off by one"),
        ("def f(a):\n    return a", "returned value"),
        ("x = not a", "operand dropped"),
        ("x = [i for i in a if i]", "condition negated"),
        ("x = 'text'", "constant"),
        ("x += 1", "operator"),
        ("def f(a, b):\n    return a", "other variable"),
        ("f()", "statement removed"),
    ],
)
def test_kinds_of_edits(mutants: ModuleType, source: str, expected: str) -> None:
    source = mutants.canonical(source)
    edits = mutants.edits_of(source)
    assert expected in {edit.kind for edit in edits}
    for edit in edits:
        compile(mutants.edited(source.encode(), [edit]), "mutant", "exec")


def test_each_check_is_a_case(mutants: ModuleType) -> None:
    problems = [mutants.problem_of(line, number) for number, line in enumerate(LINES)]
    assert [problem.name for problem in problems] == ["set/0", "7", "own", "method", "streams"]
    assert [len(problem.checks) for problem in problems] == [3, 2, 2, 1, 1]
    assert problems[0].checks[0] == "assert candidate(2) == a"
    assert problems[0].seeds == [(2,)] and problems[1].seeds == [([1, 2],), ("abc",)]
    assert problems[1].entry == "last" and problems[2].seeds == [(3,), (-1,)]
    steps = mutants.reference_steps(problems)
    assert len(steps) == 5 and not any(problem.reason for problem in problems)


def test_kills_are_those_of_cpython(mutants: ModuleType) -> None:
    problems = [mutants.problem_of(line, 0) for line in LINES[:3]] + mutants.read_problems()[:1]
    results, statuses = mutants.judged(problems, 60, 3)
    assert sum(statuses.values()) == sum(result.kills.size for result in results)
    for result in results:
        for mutant, kills in enumerate(result.kills):
            source = result.text(mutant) + result.problem.tail
            wanted = [not outcome(source, case) for case in result.problem.cases]
            assert wanted == kills.tolist(), source


def test_a_greedy_cover_kills_the_same_mutants(mutants: ModuleType) -> None:
    kills = np.random.default_rng(5).random((50, 12)) < 0.1
    kills[:, 3] = kills[:, 4] | kills[:, 5]
    chosen = mutants.greedy(kills)
    assert np.array_equal(kills[:, chosen].any(axis=1), kills.any(axis=1))
    assert len(set(chosen)) == len(chosen) < 12
    assert mutants.greedy(np.zeros((3, 2), bool)) == []


def test_problems_that_are_not_usable_are_listed(mutants: ModuleType) -> None:
    lines = [WRONG_REFERENCE, {"id": "empty", "source": "x = 1", "test": "y = 2"}, {"id": "odd"}]
    problems = [mutants.problem_of(line, 0) for line in [*lines, LINES[0]]]
    results, _ = mutants.judged(problems, 20, 1)
    assert [result.problem.name for result in results] == ["set/0"]
    assert problems[0].reason == "the reference is WRONG on check 0"
    assert problems[1].reason == "the test has no assertion"
    assert problems[2].reason.startswith("KeyError")
    rows = mutants.table_of(problems, results)
    assert [row[-1] == "" for row in rows] == [False, False, False, True]
    assert problems[0].reason in mutants.page(problems, results, rows)


def test_hostile_mutants_end_at_limits(mutants: ModuleType) -> None:
    source = """\
def solve(n):
    kept = []
    while n > 0:
        kept.append([n] * 50)
        n -= 1
    return len(kept)
"""
    line = {"id": "h", "source": source, "cases": [[[20], 20], [[0], 0]]}
    problem = mutants.problem_of(line, 0)
    (result,), statuses = mutants.judged([problem], 120, 1)
    endless = [
        mutant
        for mutant, edits in enumerate(result.mutants)
        if len(edits) == 1 and edits[0].kind == "condition fixed" and edits[0].text == b"True"
    ]
    assert len(endless) == 1 and result.kills[endless[0]].all()
    assert statuses["OUT_OF_MEMORY"] + statuses["OUT_OF_STEPS"] > 2


def test_a_test_that_accepts_wrong_programs_is_found(mutants: ModuleType) -> None:
    line = {"id": "weak", "source": "def solve(a, b):\n    return a * b", "cases": [[[2, 2], 4]]}
    problem = mutants.problem_of(line, 0)
    (result,), _ = mutants.judged([problem], 40, 1)
    mutants.find_differences([result], 32, 1)
    sums = [m for m in result.differing if "return a + b" in result.text(m)]
    assert len(sums) == 1 and result.inputs == 32
    args, right, wrong = result.differing[sums[0]]
    assert right == repr(args[0] * args[1]) and wrong == repr(args[0] + args[1])
    assert all(type(one) is int and one >= 0 for one in args)


def test_a_survivor_that_ends_at_a_limit_does_not_differ(mutants: ModuleType) -> None:
    source = "def solve(n):\n    while n > 5:\n        n -= 1\n    return 1"
    problem = mutants.problem_of({"id": "slow", "source": source, "cases": [[[4], 1]]}, 0)
    (result,), _ = mutants.judged([problem], 60, 1)
    mutants.find_differences([result], 32, 1)
    endless = [m for m in result.survivors if "        pass\n" in result.text(m)]
    assert endless and not set(endless) & set(result.differing)
    assert all(args[0] > 3 for args, _, _ in result.differing.values())


def test_further_inputs_are_like_those_of_the_checks(mutants: ModuleType) -> None:
    line = {
        "id": "x",
        "source": "def solve(a, b, c, d):\n    return a",
        "cases": [[[[1, 2], "ab", {"k": 1.5}, True], [1, 2]], [[[0, 3], "ba", {}, None], [0, 3]]],
    }
    problem = mutants.problem_of(line, 0)
    found = mutants.further_inputs(problem, 50, 1)
    assert len(found) > 40 and found == mutants.further_inputs(problem, 50, 1)
    for numbers, text, floats, flag in found:
        assert numbers and all(type(n) is int and n >= 0 for n in numbers)
        assert set(text) <= {"a", "b"} and text and type(flag) in (bool, type(None))
        assert all(type(one) is float and one >= 0 for one in floats.values())


def run(
    mutants: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *options: object,
) -> str:
    monkeypatch.setattr(sys, "argv", ["mutants.py", *map(str, options)])
    mutants.main()
    return capsys.readouterr().out


@pytest.mark.usefixtures("plots")
def test_the_page_and_the_table(
    mutants: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = tmp_path / "set.jsonl"
    lines.write_text("\n".join(json.dumps(line) for line in [*LINES, WRONG_REFERENCE]))
    texts, pages = [], []
    for number in range(2):
        table, page = tmp_path / f"{number}.csv", tmp_path / f"{number}.html"
        options = ["--set", lines, "-n", 40, "--inputs", 16, "--table", table, page]
        kills = ["--kills", tmp_path / "kills.jsonl", "--plot", tmp_path / "plot.png"]
        said = run(mutants, monkeypatch, capsys, *options, *kills)
        texts.append(table.read_bytes())
        pages.append(page.read_text())
    assert texts[0] == texts[1] and pages[0] == pages[1]
    assert said.startswith("5 of 6 problems are usable\n")
    assert "<script" not in pages[0] and "src=\"http" not in pages[0]
    assert pages[0].count("<details") == 5 and "the reference is WRONG" in pages[0]
    assert len(re.findall("data:image/png", pages[0])) == 6
    rows = [json.loads(line) for line in (tmp_path / "kills.jsonl").read_text().splitlines()]
    (total,) = re.findall(r"(\d+) mutants", said)
    assert len(rows) == int(total) and {row["problem"] for row in rows} >= {"set/0", "streams"}
    assert (tmp_path / "plot.png").stat().st_size > 10_000


def test_another_seed_gives_another_table(mutants: ModuleType) -> None:
    tables = []
    for seed in (1, 2):
        problems = mutants.read_problems()[:1]
        results, _ = mutants.judged(problems, 100, seed)
        tables.append(mutants.written(mutants.table_of(problems, results)))
    assert tables[0] != tables[1]
