"""Mutation testing: which checks of a problem's test kill which wrong programs?

    python examples/mutants.py [--set HumanEval.jsonl] [-n 1000] [mutants.html]

A mutant is the reference solution of a problem with one to four small edits: another operator, a
removed statement, a constant that is off by one. `porter.evaluate` runs every mutant on every
single check of the problem's test. The page shows the checks that kill no mutant which other
checks leave alive, and the mutants that survive. A survivor that differs from the reference on
further inputs is a wrong program that the test accepts. Plots need matplotlib.
"""

import argparse
import ast
import base64
import csv
import hashlib
import io
import json
import random
import re
import sys
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

import numpy as np

from porter import evaluate
from porter.array import Unreadable
from porter.evaluation import Cases, CaseStatus
from porter.evaluation.formats import detect, tasks

CHECK = "porter_check"  # the function that cases call
MAX_EDITS = 4  # of a mutant
MAX_HEAP = "1M"  # for the reference and for mutants
REFERENCE_STEPS = 500_000  # per check; a longer check would make its endless mutants expensive
MIN_STEPS = 10_000  # of a mutant; raising an exception takes steps too
STEPS_FACTOR = 4  # a mutant may take this many times the steps of the reference
UNKNOWN = (CaseStatus.UNSUPPORTED, CaseStatus.NOT_COMPARED, CaseStatus.SYNTAX_ERROR)
RETURNED = (CaseStatus.PASSED, CaseStatus.WRONG)
# A survivor that ends at a limit may be a slower program with the same results.
DIFFERENT = (CaseStatus.WRONG, CaseStatus.RAISED, CaseStatus.EXITED)
TOLERANCE = 1e-6  # survivors that differ from the reference by less are equal to it


# Problems

BUILT_IN = [
    {
        "task_id": "clamp",
        "prompt": "def clamp(x, low, high):\n",
        "canonical_solution": """\
    if x < low:
        return low
    if x > high:
        return high
    return x
""",
        "entry_point": "clamp",
        "test": """\
def check(candidate):
    assert candidate(5, 0, 10) == 5
    assert candidate(-3, 0, 10) == 0
    assert candidate(12, 0, 10) == 10
    assert candidate(7, 0, 10) == 7
    assert True, "a check that no program fails"
""",
    },
    {
        "task_id": "vowels",
        "prompt": "def vowels(text):\n",
        "canonical_solution": """\
    found = 0
    for letter in text:
        if letter.lower() in 'aeiou':
            found += 1
    return found
""",
        "entry_point": "vowels",
        "test": """\
def check(candidate):
    assert candidate("") == 0
    assert candidate("xyz") == 0
    assert candidate("banana") == 3
""",
    },
    {
        "task_id": "is_prime",
        "prompt": "def is_prime(n):\n",
        "canonical_solution": """\
    if n < 2:
        return False
    divisor = 2
    while divisor * divisor <= n:
        if n % divisor == 0:
            return False
        divisor += 1
    return True
""",
        "entry_point": "is_prime",
        "test": """\
def check(candidate):
    assert candidate(1) == False
    assert candidate(7) == True
    assert candidate(8) == False
    for n in (11, 13):
        assert candidate(n) == True
""",
    },
    {
        "task_id": "running_sums",
        "prompt": "def running_sums(numbers):\n",
        "canonical_solution": """\
    total, sums = 0, []
    for number in numbers:
        total += number
        sums.append(total)
    return sums
""",
        "entry_point": "running_sums",
        "test": """\
def check(candidate):
    assert candidate([]) == []
    assert candidate([1, 2, 3]) == [1, 3, 6]
    assert candidate([5, -5]) == [5, 0]
""",
    },
]


@dataclass
class Problem:
    """A reference solution and the single checks of its test.

    Attributes:
        name: The problem's name.
        source: The solution, as `canonical` returns it.
        entry: The function or "Class.method" under test; empty for programs that read stdin.
        checks: The text of each check.
        tail: The source after the solution, which defines CHECK; a call of it is a check.
        cases: The cases of all checks.
        seeds: Arguments of calls in the checks, from which further inputs are made.
        reason: Why the problem is not usable; empty if it is.
    """

    name: str
    source: str
    entry: str = ""
    checks: list = field(default_factory=list)
    tail: str = ""
    cases: list = field(default_factory=list)
    seeds: list = field(default_factory=list)
    reason: str = ""


def problem_of(line, name):
    """Return the problem of a JSON line, in one of the formats that `porter evaluate` reads."""
    name = str(line.get("task_id", line.get("id", line.get("question_id", name))))
    try:
        return _problem_of(line, name)
    except Exception as error:  # any line of a file: it is listed with its reason
        return Problem(name, "", reason=f"{type(error).__name__}: {error}")


def _problem_of(line, name):
    form = detect(line)
    if form == "humaneval":
        source, entry = line["prompt"] + line["canonical_solution"], line["entry_point"]
        return tested_problem(name, source, entry, line["test"])
    if form == "mbpp":
        setup = line.get("test_setup_code") or line.get("test_imports") or ""
        setup = "\n".join(setup) if isinstance(setup, list) else setup
        tests = [*line["test_list"], *(line.get("challenge_test_list") or [])]
        return tested_problem(name, line["code"], "", "\n".join([setup, *tests]))
    if form == "porter" and line.get("test") is not None:
        return tested_problem(name, line["source"], line.get("entry") or "", line["test"])
    if form == "porter":
        source, cases, entry = line["source"], line["cases"], line.get("entry") or "solve"
    else:
        first = tasks(line, form, name)[0]
        source, cases, entry = first.source, first.cases, first.entry
    cases = [dict(zip(("args", "expected"), one)) if isinstance(one, list) else one for one in cases]
    calls = "expected" in cases[0] and "stdin" not in cases[0]
    if not calls:
        return Problem(name, canonical(source), "", [json.dumps(one) for one in cases], "", cases)
    checks = [
        f"{entry}(*{one.get('args', [])!r}, **{one.get('kwargs', {})!r}) == {one['expected']!r}"
        for one in cases
    ]
    seeds = [tuple(one.get("args", ())) for one in cases if not one.get("kwargs")]
    return Problem(name, canonical(source), entry, checks, forwarded(entry), cases, seeds)


def forwarded(entry):
    """Return the source of CHECK as a function that calls `entry`."""
    owner, _, method = entry.partition(".")
    called = f"{owner}().{method}" if method else owner
    return f"\ndef {CHECK}(*args, **kwargs):\n    return {called}(*args, **kwargs)\n"


def tested_problem(name, source, entry, test):
    """Return a problem whose test is Python: each statement that asserts becomes a check.

    A statement without an assertion is the setup of the checks below it. A loop with assertions is
    one check.
    """
    tree, source = ast.parse(test), canonical(source)
    body, outside, parameter = tree.body, [], ""
    for one in tree.body:
        if isinstance(one, ast.FunctionDef) and one.name == "check" and one.args.args:
            parameter = one.args.args[0].arg
            body, outside = one.body, [other for other in tree.body if other is not one]
    functions, checks, setup = [], [], []
    for one in body:
        text = ast.unparse(one)
        if not any(isinstance(node, ast.Assert) for node in ast.walk(one)):
            setup.append(text)
            continue
        lines = "\n".join([*setup, text]).split("\n")
        functions.append(f"def _check_{len(checks)}({parameter}):\n    " + "\n    ".join(lines))
        checks.append(text)
    names = ", ".join(f"_check_{i}" for i in range(len(checks)))
    tail = "\n".join(
        ["", *map(ast.unparse, outside), *functions]
        + [f"def {CHECK}(number):\n    [{names}][number]({entry if parameter else ''})\n"]
    )
    cases = [((number,), None) for number in range(len(checks))]
    reason = "" if checks else "the test has no assertion"
    entry, seeds = calls_in(body, parameter, entry, source)
    return Problem(name, source, entry, checks, tail, cases, seeds, reason)


def calls_in(body, parameter, entry, source):
    """Return the function under test, and the arguments of its calls that are literals.

    Without `entry` the function is the one of `source` that the test calls first.
    """
    defined = {one.name for one in ast.parse(source).body if isinstance(one, ast.FunctionDef)}
    called = parameter or entry
    seeds = []
    for node in (node for one in body for node in ast.walk(one)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        if not called and node.func.id in defined:
            called = entry = node.func.id
        if node.func.id == called and not node.keywords:
            try:
                seeds.append(tuple(ast.literal_eval(one) for one in node.args))
            except ValueError:  # an argument that is computed
                continue
    return entry, seeds


def read_problems(path=None):
    """Return the problems of JSON lines, or the built-in ones."""
    if path is None:
        return [problem_of(line, "") for line in BUILT_IN]
    lines = [line for line in Path(path).read_text().splitlines() if line.strip()]
    return [problem_of(json.loads(line), number) for number, line in enumerate(lines)]


# Mutants


def span(node, starts):
    """Return the start and the end of a node in its source, in bytes of UTF-8."""
    return (
        starts[node.lineno - 1] + node.col_offset,
        starts[node.end_lineno - 1] + node.end_col_offset,
    )


def line_starts(source):
    """Return the offset of each line, in UTF-8 bytes, as Python's `ast` counts columns."""
    return np.cumsum([0, *(len(line.encode()) for line in source.splitlines(True))]).tolist()


OPERATION = (ast.BinOp, ast.BoolOp, ast.Compare, ast.UnaryOp, ast.IfExp, ast.Lambda)


def canonical(source):
    """Return a source in the layout of `ast.unparse`, without docstrings, operands in parentheses.

    An edit of an operator then leaves the tree around it as it is.
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)):
            if ast.get_docstring(node, clean=False) is not None:
                node.body = node.body[1:] or [ast.Pass()]
    text = ast.unparse(tree) + "\n"
    data, starts, marks = text.encode(), line_starts(text), []
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, OPERATION):
            continue
        for operand in ast.iter_child_nodes(node):
            if isinstance(operand, OPERATION):
                start, end = span(operand, starts)
                if data[start - 1 : start] != b"(" or data[end : end + 1] != b")":
                    marks += [(start, b"("), (end, b")")]
    for place, mark in sorted(marks, reverse=True):
        data = data[:place] + mark + data[place:]
    return data.decode()


@dataclass(frozen=True)
class Edit:
    """A replacement of source[start:end], in bytes of UTF-8, by `text`; `kind` names its sort."""

    start: int
    end: int
    text: bytes
    kind: str


ARITHMETIC = ["+", "-", "*", "//", "%", "/"]
OPERATORS = {
    **{operator: [one for one in ARITHMETIC if one != operator] for operator in ARITHMETIC},
    "**": ["*", "+"],
    "&": ["|", "^"],
    "|": ["&", "^"],
    "^": ["&", "|"],
    "<<": [">>"],
    ">>": ["<<"],
    "and": ["or"],
    "or": ["and"],
}
ORDER = ["<", "<=", ">", ">=", "==", "!="]
COMPARISONS = {
    **{one: [other for other in ORDER if other != one] for one in ORDER},
    "in": ["not in"],
    "not in": ["in"],
    "is": ["is not"],
    "is not": ["is"],
}
CALLS = {
    "min": ["max"],
    "max": ["min"],
    "any": ["all"],
    "all": ["any"],
    "sorted": ["list", "reversed"],
    "int": ["round"],
    "round": ["int"],
    "lower": ["upper", "swapcase"],
    "upper": ["lower"],
    "startswith": ["endswith"],
    "endswith": ["startswith"],
    "floor": ["ceil"],
    "ceil": ["floor"],
    "append": ["remove"],
    "islower": ["isupper"],
    "isupper": ["islower"],
    "isdigit": ["isalpha"],
    "isalpha": ["isdigit"],
    "find": ["rfind"],
    "strip": ["lstrip", "rstrip"],
}
RESULTS = ["None", "True", "False", "0", "1", "''", "[]"]


class Editor:
    """The edits of a canonical source."""

    def __init__(self, source):
        self.data, self.starts, self.edits = source.encode(), line_starts(source), []
        self._names = []  # of the function around the present node
        self._visit(ast.parse(source))

    def text(self, node):
        """Return the source of a node."""
        start, end = span(node, self.starts)
        return self.data[start:end].decode()

    def _put(self, node, kind, *texts):
        """Add edits that replace a node by an expression, or by a statement."""
        start, end = span(node, self.starts)
        self.edits += [Edit(start, end, text.encode(), kind) for text in texts]

    def _operator(self, left, right, kind, table):
        """Add edits of the operator between two nodes."""
        start, end = span(left, self.starts)[1], span(right, self.starts)[0]
        gap = self.data[start:end].decode()
        found = re.search(r"[^\s()]+(?: [^\s()]+)?", gap)
        for other in table.get(found.group(), ()):
            place = start + len(gap[: found.start()].encode())
            self.edits.append(Edit(place, place + len(found.group()), other.encode(), kind))

    def _visit(self, node):
        if isinstance(node, (ast.Import, ast.ImportFrom, ast.JoinedStr, ast.Global, ast.Nonlocal)):
            return
        names = self._names
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            arguments = node.args.posonlyargs + node.args.args
            bound = {one.id for one in ast.walk(node) if _is_bound(one)}
            self._names = sorted(bound | {one.arg for one in arguments if one.arg != "self"})
        if isinstance(node, ast.stmt):
            self._statement(node)
        method = getattr(self, "_" + type(node).__name__.lower(), None)
        if method is not None:
            method(node)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "args") and not isinstance(
                node, ast.Call
            ):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    self._visit(child)
        self._names = names

    def _statement(self, node):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Pass)):
            return
        start, end = span(node, self.starts)
        if self.data[start:].startswith(b"elif"):
            self.edits.append(Edit(start, end, b"", "statement removed"))
        else:
            self._put(node, "statement removed", "pass")

    def _binop(self, node):
        self._operator(node.left, node.right, "operator", OPERATORS)
        for one in (node.left, node.right):
            self._put(node, "operand dropped", f"({self.text(one)})")
        self._off_by_one(node.left)
        self._off_by_one(node.right)

    def _boolop(self, node):
        for left, right in zip(node.values, node.values[1:]):
            self._operator(left, right, "and, or", OPERATORS)
        for one in node.values:
            self._condition(one)

    def _compare(self, node):
        for left, right in zip([node.left, *node.comparators], node.comparators):
            self._operator(left, right, "comparison", COMPARISONS)
        for one in (node.left, *node.comparators):
            self._off_by_one(one)

    def _condition(self, node, kind="condition negated"):
        self._put(node, kind, f"(not ({self.text(node)}))")
        self._put(node, "condition fixed", "True", "False")

    def _if(self, node):
        self._condition(node.test, "branches swapped" if node.orelse else "condition negated")

    def _ifexp(self, node):
        self._condition(node.test, "branches swapped")

    def _while(self, node):
        self._condition(node.test)

    def _comprehension(self, node):
        for one in node.ifs:
            self._condition(one)
        self._shorter(node.iter)

    def _for(self, node):
        self._shorter(node.iter)

    def _shorter(self, node):
        text = self.text(node)
        self._put(node, "loop range", f"list({text})[1:]", f"list({text})[:-1]", f"list({text})[::-1]")

    def _unaryop(self, node):
        self._put(node, "operand dropped", f"({self.text(node.operand)})")

    def _off_by_one(self, node):
        if not isinstance(node, (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.JoinedStr)):
            self._put(node, "off by one", f"({self.text(node)} + 1)", f"({self.text(node)} - 1)")

    def _subscript(self, node):
        bounds = node.slice
        if isinstance(bounds, ast.Slice):
            for one in (bounds.lower, bounds.upper):
                if one is not None:
                    self._off_by_one(one)
        elif not isinstance(bounds, ast.Tuple):
            self._off_by_one(bounds)

    def _call(self, node):
        if len(node.args) == 1 and not isinstance(node.args[0], (ast.Starred, ast.GeneratorExp)):
            self._put(node, "call dropped", f"({self.text(node.args[0])})")
        if isinstance(node.func, ast.Attribute) and not node.args and not node.keywords:
            self._put(node, "call dropped", f"({self.text(node.func.value)})")
        if isinstance(node.func, ast.Name) and node.func.id == "range":
            for one in node.args:
                self._off_by_one(one)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else self.text(node.func)
        end = span(node.func, self.starts)[1]
        for other in CALLS.get(name, ()):
            self.edits.append(Edit(end - len(name), end, other.encode(), "other function"))
        if len(node.args) == 2 and not node.keywords:
            one, two = map(self.text, node.args)
            swapped = Edit(
                span(node.args[0], self.starts)[0],
                span(node.args[1], self.starts)[1],
                f"{two}, {one}".encode(),
                "arguments swapped",
            )
            self.edits.append(swapped)

    def _name(self, node):
        if isinstance(node.ctx, ast.Load) and node.id in self._names:
            self._put(node, "other variable", *(one for one in self._names if one != node.id))

    def _constant(self, node):
        value = node.value
        if isinstance(value, bool):
            self._put(node, "constant", repr(not value))
        elif isinstance(value, (int, float)):
            others = (value + 1, value - 1, value * 2, -value, 0, 1)
            self._put(node, "constant", *(f"({one!r})" for one in others if one != value))
        elif isinstance(value, str):
            others = (value[1:], value[:-1], value + value[-1:], value.swapcase(), value or "x")
            self._put(node, "constant", *(repr(one) for one in others if one != value))
        elif value is None:
            self._put(node, "constant", "0")

    def _return(self, node):
        if node.value is not None:
            self._put(node.value, "returned value", *RESULTS, f"(not ({self.text(node.value)}))")
            self._put(node.value, "returned value", f"({self.text(node.value)} + 1)")

    def _break(self, node):
        self._put(node, "jump", "continue")

    def _continue(self, node):
        self._put(node, "jump", "break")

    def _augassign(self, node):
        start, end = span(node.target, self.starts)[1], span(node.value, self.starts)[0]
        operator = self.data[start:end].decode().strip("() =")
        place = self.data.index(operator.encode(), start)
        for other in [*OPERATORS.get(operator, ()), ""]:
            self.edits.append(Edit(place, place + len(operator), other.encode(), "operator"))


def _is_bound(node):
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def edits_of(source):
    """Return the edits of a canonical source that give distinct programs which compile."""
    data, seen, kept = source.encode(), {_tree(source)}, []
    for edit in Editor(source).edits:
        text = edited(data, [edit])
        try:
            with warnings.catch_warnings(action="ignore"):  # comparisons of literals by `is`
                compile(text, "mutant", "exec")
                tree = _tree(text)
        except (SyntaxError, ValueError, RecursionError):
            continue
        if tree not in seen:
            seen.add(tree)
            kept.append(edit)
    return kept


def _tree(source):
    return ast.dump(ast.parse(source))


def edited(data, edits):
    """Return the source with the edits applied; their spans are disjoint."""
    parts, place = [], 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        parts += [data[place : edit.start], edit.text]
        place = edit.end
    return b"".join([*parts, data[place:]]).decode()


def disjoint(edits):
    """Return whether the spans of edits do not overlap."""
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    return all(one.end <= other.start for one, other in zip(ordered, ordered[1:]))


def mutants_of(problem, n, seed):
    """Return up to n mutants: tuples of edits whose programs have distinct texts.

    Mutants with a single edit come first. Mutants with two edits and more follow, in random order,
    until there are n.
    """
    # A seed that is a text gives the same numbers in every process and release of CPython.
    dice = random.Random(f"{seed}/{problem.name}")
    edits, data = edits_of(problem.source), problem.source.encode()
    singles = [(edit,) for edit in edits]
    if len(singles) > n:
        singles = sorted(dice.sample(range(len(singles)), n))
        return [(edits[i],) for i in singles]
    found = {edited(data, one): one for one in singles}
    for size in range(2, MAX_EDITS + 1):
        wanted = n if size == MAX_EDITS else len(found) + (n - len(found)) // 2 + 1
        misses = 0
        while len(found) < min(n, wanted) and misses < 2000 and len(edits) >= size:
            chosen = [edits[i] for i in sorted(dice.sample(range(len(edits)), size))]
            text = edited(data, chosen) if disjoint(chosen) else problem.source
            if text == problem.source or text in found:
                misses += 1
                continue
            misses, found[text] = 0, tuple(chosen)
    return list(found.values())


# Judgement


def reference_steps(problems):
    """Judge the references, note why a problem is not usable, and return each one's most steps."""
    usable = [problem for problem in problems if not problem.reason]
    if not usable:
        return {}
    found = evaluate(
        [(problem.source + problem.tail, problem.cases) for problem in usable],
        entry=CHECK,
        steps=REFERENCE_STEPS,
        max_heap=MAX_HEAP,
    )
    for number, problem in enumerate(usable):
        for case in range(len(problem.cases)):
            status = CaseStatus(found.status[number, case])
            if status != CaseStatus.PASSED:
                cause = found.causes.get((number, case), found.reasons.get((number, case), ""))
                problem.reason = f"the reference is {status.name} on check {case}"
                problem.reason += f": {cause}" if cause else ""
                break
    most = found.steps.max(axis=1).tolist()
    return {p.name: steps for p, steps in zip(usable, most) if not p.reason}


def budget(steps):
    """Return the steps that a mutant may take."""
    return max(MIN_STEPS, STEPS_FACTOR * steps)


@dataclass
class Result:
    """The outcome of one problem's mutants on its checks.

    Attributes:
        problem: The problem.
        mutants: The mutants that every check judged; a row of `kills` is one of them.
        kills: Whether check c kills mutant m (bool, mutants x checks).
        needed: The indices of a small set of checks that kills the same mutants.
        unknown: The number of mutants with a check that could not be judged.
        differing: For each surviving mutant that differs from the reference on a further input:
            arguments, the reference's result, the mutant's result.
        inputs: The number of further inputs on which the reference returned.
    """

    problem: Problem
    mutants: list
    kills: np.ndarray
    needed: list
    unknown: int
    differing: dict = field(default_factory=dict)
    inputs: int = 0

    @property
    def survivors(self):
        """The indices of the mutants that no check kills."""
        return np.flatnonzero(~self.kills.any(axis=1)).tolist()

    def text(self, mutant):
        """Return the source of mutant number `mutant`."""
        return edited(self.problem.source.encode(), self.mutants[mutant])


def greedy(kills):
    """Return the checks of a greedy cover: each kills most of what the ones before left alive."""
    alive, chosen = kills.any(axis=1), []
    while alive.any():
        chosen.append(int(kills[alive].sum(axis=0).argmax()))  # the first of equals
        alive &= ~kills[:, chosen[-1]]
    return chosen


def judged(problems, n, seed, progress=None):
    """Return a Result for each usable problem, and the number of rows by status."""
    steps = reference_steps(problems)
    usable = [problem for problem in problems if problem.name in steps and not problem.reason]
    mutants = [mutants_of(problem, n, seed) for problem in usable]
    if not usable:
        return [], Counter()

    def programs():
        for problem, own in zip(usable, mutants):
            cases, data = Cases.of(problem.cases), problem.source.encode()
            for edits in own:
                yield edited(data, edits) + problem.tail, cases

    limits = [budget(steps[p.name]) for p, own in zip(usable, mutants) for _ in own]
    found = evaluate(programs(), entry=CHECK, steps=limits, max_heap=MAX_HEAP, progress=progress)
    results, first = [], 0
    for problem, own in zip(usable, mutants):
        status = found.status[first : first + len(own), : len(problem.cases)]
        first += len(own)
        known = ~np.isin(status, UNKNOWN).any(axis=1)
        kills = status[known] != CaseStatus.PASSED
        kept = [edits for edits, good in zip(own, known.tolist()) if good]
        results.append(Result(problem, kept, kills, greedy(kills), int((~known).sum())))
    return results, Counter({status.name: many for status, many in found.counts().items()})


# Further inputs


class Inputs:
    """A generator of arguments like those of a problem's checks.

    Values keep their types; integers keep their sign, and non-negative ones stay non-negative.
    Texts have the characters of the checks, and lists stay non-empty unless a check has an empty
    one. So most inputs are of the sort that the problem describes.
    """

    def __init__(self, seeds, dice):
        self.dice, self.seeds = dice, seeds
        texts = [one for seed in seeds for one in leaves(seed)]
        self.letters = "".join(sorted({c for one in texts if isinstance(one, str) for c in one}))
        self.empty = any(one in ("", []) for one in texts)

    def make(self):
        """Return new arguments: one of the seeds with one to three changed values."""
        args = self.dice.choice(self.seeds)
        for _ in range(self.dice.randint(1, 3)):
            args = tuple(self._changed(one) if self.dice.random() < 0.6 else one for one in args)
        return args

    def _changed(self, value):
        dice = self.dice
        if isinstance(value, bool):
            return dice.random() < 0.5
        if isinstance(value, int):
            near = value + dice.choice((-3, -2, -1, 1, 2, 3, 7, value, -(value // 2)))
            return abs(near) if value >= 0 else -abs(near)
        if isinstance(value, float):
            near = round(value + dice.choice((-1.0, -0.25, 0.5, 1.0, value)), 6)
            return abs(near) if value >= 0 else -abs(near)
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, (list, tuple)) and value:
            return type(value)(self._items(list(value), isinstance(value, tuple)))
        if isinstance(value, dict) and value:
            key = dice.choice(list(value))
            return {**value, key: self._changed(value[key])}
        return value

    def _text(self, value):
        place, letter = self.dice.randint(0, len(value)), self.dice.choice(self.letters or "a")
        new = self.dice.choice(
            (
                value[:place] + letter + value[place:],
                value[:place] + letter + value[place + 1 :],
                value[: max(0, place - 1)] + value[place:],
                value[::-1],
                value[:place],
            )
        )
        return new if new or self.empty else value

    def _items(self, items, fixed):
        place = self.dice.randrange(len(items))
        move = "change" if fixed else self.dice.choice(("change", "drop", "repeat", "shuffle"))
        if move == "change":
            items[place] = self._changed(items[place])
        elif move == "drop" and (len(items) > 1 or self.empty):
            del items[place]
        elif move == "repeat":
            items.insert(place, items[place])
        elif move == "shuffle":
            self.dice.shuffle(items)
        return items


def leaves(value):
    """Yield a value, or the values in it."""
    if isinstance(value, (list, tuple, dict)) and value:
        for one in value.values() if isinstance(value, dict) else value:
            yield from leaves(one)
    else:
        yield value


def further_inputs(problem, number, seed):
    """Return up to `number` distinct arguments that no check of the problem has."""
    if not problem.seeds or not problem.entry:
        return []
    maker = Inputs(problem.seeds, random.Random(f"{seed}/inputs/{problem.name}"))
    seen, found = set(map(repr, problem.seeds)), []
    for _ in range(8 * number):
        args = maker.make()
        if repr(args) not in seen and len(found) < number:
            seen.add(repr(args))
            found.append(args)
    return found


def find_differences(results, number, seed):
    """Run references and survivors on further inputs; fill `differing` of the results."""
    inputs = [further_inputs(result.problem, number, seed) for result in results]
    some = [(result, own) for result, own in zip(results, inputs) if own and result.survivors]
    if not some:
        return
    known = evaluate(
        [
            (result.problem.source + forwarded(result.problem.entry), [(args, None) for args in own])
            for result, own in some
        ],
        entry=CHECK,
        steps=REFERENCE_STEPS,
        max_heap=MAX_HEAP,
        keep="values",
    )
    programs, limits, owners, given = [], [], [], []
    for place, (result, own) in enumerate(some):
        good = [
            (args, known.values[place][case])
            for case, args in enumerate(own)
            if known.status[place, case] in RETURNED and is_plain(known.values[place][case])
        ]
        result.inputs = len(good)
        if not good:
            continue
        cases, tail = Cases.of(good), forwarded(result.problem.entry)
        most = int(known.steps[place].max())
        for mutant in result.survivors:
            programs.append((result.text(mutant) + tail, cases))
            limits.append(budget(most))
            owners.append((result, mutant))
            given.append(good)
    if not programs:
        return
    found = evaluate(
        programs,
        entry=CHECK,
        steps=limits,
        max_heap=MAX_HEAP,
        compare=TOLERANCE,
        keep="values",
    )
    for place, (result, mutant) in enumerate(owners):
        for case, (args, right) in enumerate(given[place]):
            status = CaseStatus(found.status[place, case])
            if status in DIFFERENT:
                value = found.values[place][case]
                wrong = repr(value) if status == CaseStatus.WRONG else status.name
                result.differing[mutant] = (args, repr(right), wrong)
                break


def is_plain(value):
    """Return whether a case can have the value as its expected one."""
    try:
        Cases.of([((), value)])
    except Exception:
        return False
    return not isinstance(value, Unreadable)


# Tables

COLUMNS = (
    "problem",
    "mutants",
    "one edit",
    "killed",
    "survivors",
    "differing",
    "checks",
    "needed",
    "redundant",
    "inputs",
    "unknown",
    "kills",
    "reason",
)


def table_of(problems, results):
    """Return a row of COLUMNS for each problem. `kills` is a digest of the whole matrix."""
    by_name = {result.problem.name: result for result in results}
    rows = []
    for problem in problems:
        result = by_name.get(problem.name)
        if result is None:
            empty = [""] * (len(COLUMNS) - 2)
            rows.append([problem.name, *empty, problem.reason])
            continue
        checks = range(len(problem.checks))
        texts = "\0".join(result.text(mutant) for mutant in range(len(result.mutants)))
        digest = hashlib.sha256(np.packbits(result.kills).tobytes() + texts.encode()).hexdigest()
        rows.append(
            [
                problem.name,
                len(result.mutants),
                sum(len(edits) == 1 for edits in result.mutants),
                len(result.mutants) - len(result.survivors),
                len(result.survivors),
                len(result.differing),
                len(problem.checks),
                " ".join(map(str, sorted(result.needed))),
                " ".join(str(check) for check in checks if check not in result.needed),
                result.inputs,
                result.unknown,
                digest[:16],
                "",
            ]
        )
    return rows


def written(rows):
    """Return the table as CSV."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    return file.getvalue()


def write_kills(results, path):
    """Write a JSON line for each mutant: its edits, and the checks that kill it."""
    with open(path, "w") as file:
        for result in results:
            for edits, row in zip(result.mutants, result.kills):
                line = {
                    "problem": result.problem.name,
                    "edits": [[e.start, e.end, e.text.decode(), e.kind] for e in edits],
                    "killed_by": np.flatnonzero(row).tolist(),
                }
                file.write(json.dumps(line) + "\n")


# The page

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; background: #fff }
table { border-collapse: collapse } td, th { padding: .15rem .6rem; text-align: right;
  border-bottom: 1px solid #ddd; vertical-align: top }
td:first-child, th:first-child, .text { text-align: left }
div.table { overflow: auto } code, pre { font-size: 13px }
pre { background: #f5f5f5; padding: .5rem; overflow: auto; margin: .3rem 0 }
td code { white-space: pre-wrap; overflow-wrap: anywhere }
summary { cursor: pointer; padding: .2rem 0 } .bad { color: #b3261e } .idle { color: #777 }
img { max-width: 100% } img.kills { image-rendering: pixelated; width: 100%;
  border: 1px solid #ccc } del { color: #b3261e } ins { color: #17643a }
"""
MAX_SHOWN = 5  # survivors of a problem on the page
MAX_CHECK = 300  # characters of a check on the page
CHECK_HEIGHT = 6  # pixels of a check's row in the picture of the kills


def image(data, kind="png", **attributes):
    """Return an HTML image with its data."""
    rest = "".join(f' {name}="{escape(str(value))}"' for name, value in attributes.items())
    return f'<img src="data:image/{kind};base64,{base64.b64encode(data).decode()}"{rest}>'


def kills_picture(result):
    """Return a PNG: a row for each check, a column for each mutant; dark where a check kills."""
    from PIL import Image

    kills = result.kills[np.lexsort(result.kills.T[::-1])[::-1]]
    pixels = np.where(kills.T, np.uint8(0), np.uint8(1)).repeat(CHECK_HEIGHT, axis=0)
    pixels[CHECK_HEIGHT - 1 :: CHECK_HEIGHT] = 2  # a line below each check
    picture = Image.fromarray(pixels, "P")
    picture.putpalette([40, 90, 120, 247, 236, 205, 255, 255, 255])
    file = io.BytesIO()
    picture.save(file, "PNG", optimize=True)
    return file.getvalue()


def draw(results, path):
    """Plot killed mutants by problem, needed checks, and survivors by kind of edit."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    killed = np.array([r.kills.any(axis=1).mean() if len(r.mutants) else 1.0 for r in results])
    wrong = np.array([len(r.differing) / max(1, len(r.mutants)) for r in results])
    order = np.argsort(killed, kind="stable")
    figure = Figure(figsize=(11, 8.2), layout="constrained")
    (one, two), (three, four) = figure.subplots(2, 2)
    places = np.arange(len(results))
    one.bar(places, killed[order], width=1, color="#4f8fa8", label="killed by a check")
    survived = 1 - killed[order] - wrong[order]
    one.bar(places, survived, width=1, bottom=killed[order], color="#d9d4c5",
            label="survives, no difference found")
    one.bar(places, wrong[order], width=1, bottom=killed[order] + survived, color="#c4473a",
            label="survives, and differs on a further input")
    lowest = min(0.9, float(killed.min()) - 0.05)
    one.set(xlabel="problem, by share of killed mutants", ylim=(max(0, lowest), 1),
            title="Mutants by problem")
    one.margins(x=0)
    one.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    one.legend(loc="lower right")

    checks = np.array([len(r.problem.checks) for r in results])
    needed = np.array([len(r.needed) for r in results])
    pairs = Counter(zip(checks.tolist(), needed.tolist()))
    sizes = [18 + 14 * many for many in pairs.values()]
    xs, ys = zip(*pairs)
    two.scatter(xs, ys, s=sizes, color="#4f8fa8", alpha=0.75, lw=0)
    two.axline((0, 0), slope=1, color="0.7", lw=1)
    two.text(0.3, 0.94, "line: all checks needed", color="0.4", transform=two.transAxes)
    two.set(xlabel="checks of the test", ylabel="checks that kill all that the test kills",
            title=f"{needed.sum():,} of {checks.sum():,} checks are needed (area: problems)",
            xlim=(0, checks.max() + 1), ylim=(0, checks.max() + 1))
    for axis in (two.xaxis, two.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))

    kinds = by_kind(results)
    names = sorted(kinds, key=lambda kind: (kinds[kind][1] / kinds[kind][0], kind))
    alive = np.array([kinds[kind][1] / kinds[kind][0] for kind in names])
    differ = np.array([kinds[kind][2] / kinds[kind][0] for kind in names])
    labels = [f"{kind} ({kinds[kind][0]:,})" for kind in names]
    three.barh(labels, alive, color="#d9d4c5", label="survive")
    three.barh(labels, differ, color="#c4473a", label="of these, differ on a further input")
    three.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    three.set(title="Survivors among mutants with one edit", xlabel="share of the mutants")
    three.legend(loc="lower right")

    counts = np.concatenate([r.kills.sum(axis=1) / len(r.problem.checks) for r in results])
    four.hist(counts, bins=np.linspace(0, 1, 21), color="#4f8fa8")
    four.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    four.set(xlabel="share of a test's checks that kill the mutant", ylabel="mutants",
             title=f"{len(counts):,} mutants")
    four.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    figure.savefig(path, dpi=100, format="png", metadata={"Software": None})


def by_kind(results):
    """Return for each kind of edit: mutants with this edit alone, survivors, differing ones."""
    found = {}
    for result in results:
        alive = set(result.survivors)
        for mutant, edits in enumerate(result.mutants):
            if len(edits) == 1:
                row = found.setdefault(edits[0].kind, [0, 0, 0])
                row[0] += 1
                row[1] += mutant in alive
                row[2] += mutant in result.differing
    return found


def marked(result, mutant):
    """Return HTML of the lines that the edits of a mutant change."""
    data, html, place = result.problem.source.encode(), "", 0
    for edit in sorted(result.mutants[mutant], key=lambda edit: edit.start):
        html += escape(data[place : edit.start].decode())
        html += f"<del>{escape(data[edit.start : edit.end].decode())}</del>"
        html += f"<ins>{escape(edit.text.decode())}</ins>"
        place = edit.end
    return "<pre>" + html + escape(data[place:].decode()) + "</pre>"


def section(result):
    """Return the part of the page for one problem."""
    problem, kills = result.problem, result.kills
    alive = set(result.survivors)
    title = (
        f"{escape(problem.name)}: {len(result.mutants):,} mutants, {len(alive)} survive, "
        f"{len(result.differing)} of these differ"
    )
    lines = [f'<details id="{escape(problem.name)}"><summary>{title}</summary>']
    size = f"height: {CHECK_HEIGHT * len(problem.checks)}px"
    shown = {"class": "kills", "alt": "kills by check", "style": size}
    lines.append(image(kills_picture(result), **shown))
    lines.append("<table><tr><th>check<th><th>kills<th>alone<th>")
    only = kills & (kills.sum(axis=1, keepdims=True) == 1)
    for number, text in enumerate(problem.checks):
        many = int(kills[:, number].sum())
        word = "needed" if number in result.needed else "redundant" if many else "kills nothing"
        style = "" if word == "needed" else ' class="idle"'
        shown = text if len(text) <= MAX_CHECK else text[:MAX_CHECK] + " ..."
        lines.append(
            f'<tr{style}><td>{number}<td class="text"><code>{escape(shown)}</code><td>{many}'
            f"<td>{int(only[:, number].sum())}<td>{word}"
        )
    lines.append("</table>")
    order = sorted(result.differing, key=lambda m: (len(result.mutants[m]), m))
    for mutant in order[:MAX_SHOWN]:
        args, right, wrong = result.differing[mutant]
        call = ", ".join(map(repr, args))
        lines.append(
            f'<p class="bad">The test accepts this program. With the arguments <code>'
            f"{escape(call[:MAX_CHECK])}</code> the reference returns <code>"
            f"{escape(right[:MAX_CHECK])}</code>, this program <code>{escape(wrong[:MAX_CHECK])}"
            f"</code>.</p>{marked(result, mutant)}"
        )
    others = [mutant for mutant in result.survivors if mutant not in result.differing]
    for mutant in others[: max(0, 2 - len(order))]:
        lines.append("<p>It survives, and no input tells it from the reference:</p>")
        lines.append(marked(result, mutant))
    return "\n".join([*lines, "</details>"])


def page(problems, results, rows, plot=None):
    """Return the page as HTML without scripts."""
    total = sum(len(result.mutants) for result in results)
    alive = sum(len(result.survivors) for result in results)
    checks = sum(len(result.problem.checks) for result in results)
    needed = sum(len(result.needed) for result in results)
    idle = sum(int((~result.kills.any(axis=0)).sum()) for result in results)
    accepting = [result for result in results if result.differing]
    digest = hashlib.sha256(written(rows).encode()).hexdigest()
    lines = [
        "<!doctype html>",
        '<html lang="en"><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>Mutants</title><style>{STYLE}</style>",
        "<h1>Which checks kill which mutants</h1>",
        f"<p>{len(results)} problems have {total:,} mutants and {checks:,} checks. "
        f"{total - alive:,} mutants are killed by a check, {alive:,} survive. {needed:,} checks "
        f"kill the same mutants as all {checks:,}. Checks that kill nothing: {idle}. The tests of "
        f"{len(accepting)} problems accept a program that differs from the reference on a further "
        f"input of the same types: {sum(len(r.differing) for r in results):,} programs.</p>",
        f"<p>SHA-256 of the table: <code>{digest}</code></p>",
    ]
    if plot is not None:
        lines.append(image(plot, alt="Mutants by problem, needed checks, kinds of edits"))
    skipped = [problem for problem in problems if problem.reason]
    if skipped:
        lines.append("<h2>Not usable</h2><table><tr><th>problem<th class=\"text\">reason")
        for problem in skipped:
            lines.append(
                f'<tr><td>{escape(problem.name)}<td class="text">{escape(problem.reason)}'
            )
        lines.append("</table>")
    lines.append("<h2>Problems</h2>")
    lines.append(
        "<p>Problems whose tests accept most differing programs come first. In a picture each row "
        "is a check and each column a mutant, dark where the check kills it. Column "
        "<em>alone</em> counts mutants that no other check kills.</p>"
    )
    order = sorted(results, key=lambda r: (-len(r.differing), -len(r.survivors), r.problem.name))
    lines += map(section, order)
    lines.append('<h2>Table</h2><div class="table"><table>')
    lines.append("<tr>" + "".join(f"<th>{name}" for name in COLUMNS))
    lines += ["<tr>" + "".join(f"<td>{escape(str(cell))}" for cell in row) for row in rows]
    return "\n".join([*lines, "</table></div></html>", ""])


def plotted(results):
    """Return the plots as PNG, or None without matplotlib."""
    try:
        file = io.BytesIO()
        draw(results, file)
    except ImportError:
        return None
    return file.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", help="JSON lines of problems; without it, four built-in ones")
    parser.add_argument("--first", type=int, help="number of problems to read")
    parser.add_argument("-n", type=int, default=1000, help="mutants of a problem")
    parser.add_argument("--inputs", type=int, default=64, help="further inputs of a problem")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--table", help="write the table to this CSV file")
    parser.add_argument("--kills", help="write each mutant and its killers to these JSON lines")
    parser.add_argument("--plot", help="write the plots to this PNG file too")
    parser.add_argument("page", nargs="?", default="mutants.html")
    options = parser.parse_args()
    start = time.perf_counter()
    problems = read_problems(options.set)[: options.first]
    shown = sys.stderr.isatty()
    progress = (lambda done: print(f"\r{done} mutants", end="", file=sys.stderr)) if shown else None
    results, statuses = judged(problems, options.n, options.seed, progress)
    middle = time.perf_counter()
    find_differences(results, options.inputs, options.seed)
    end = time.perf_counter()
    rows = table_of(problems, results)
    plot = plotted(results) if results else None
    Path(options.page).write_text(page(problems, results, rows, plot))
    if options.table:
        Path(options.table).write_text(written(rows))
    if options.kills:
        write_kills(results, options.kills)
    if options.plot and plot:
        Path(options.plot).write_bytes(plot)
    total = sum(len(result.mutants) for result in results)
    print(f"{len(results)} of {len(problems)} problems are usable")
    print(f"{total} mutants, {sum(statuses.values())} calls: ", end="")
    print(f"{sum(len(result.survivors) for result in results)} survive,", end=" ")
    print(f"{sum(len(result.differing) for result in results)} of these differ")
    needed = sum(len(result.needed) for result in results)
    print(f"{needed} of {sum(len(r.problem.checks) for r in results)} checks are needed")
    print("table", hashlib.sha256(written(rows).encode()).hexdigest()[:16])
    seconds = f"mutants {middle - start:.1f} s, further inputs {end - middle:.1f} s"
    print(f"{seconds}; {dict(statuses)}", file=sys.stderr)


if __name__ == "__main__":
    main()
