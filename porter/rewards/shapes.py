"""Tests in the shapes that data sets for training have, as tasks with cases.

Input: a program and its tests. Output: a `FormatTask`. `scorer` judges it.
"""

from __future__ import annotations

import ast
import json
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve

from porter.errors import UsageError, WrongType
from porter.evaluation import Cases
from porter.evaluation.cases import TEXT_KEYS
from porter.evaluation.formats import TO_THE_END, FormatTask, detect, tasks, tested
from porter.evaluation.options import entry_of

SHAPES = (
    "Tests are cases such as [((1, 2), 3)] or [{'stdin': ..., 'stdout': ...}]; a text of "
    "assertions; a list of such texts; or an object with test and entry_point, test_list, inputs "
    "and outputs, public_test_cases, or cases and entry."
)
MOST_TEST = 1 << 20  # characters of a text of assertions
_CHECK = re.compile(r"^def[ \t]+check[ \t]*\(", re.MULTILINE)
_CALLS_CHECK = re.compile(r"^check[ \t]*\(", re.MULTILINE)


def task_of(source: str, tests: Any, entry: str) -> FormatTask:
    """Return a program with its tests as a task.

    Args:
        source: The program.
        tests: The tests; a text of JSON stands for its value.
        entry: The function that cases call, and that `check(candidate)` gets.

    Raises:
        UsageError: The tests have no known shape, or are incomplete.
        WrongType: A case has a wrong type.
    """
    task = _task_of(source, tests, entry)
    if isinstance(task.cases, Cases):
        return task
    for number, case in enumerate(task.cases):
        if case is not TO_THE_END and _lacks_output(case):
            raise UsageError(
                f"tests: case {number} has no expected output, so any answer passes it", hint=SHAPES
            )
    return task


def _lacks_output(case: Any) -> bool:
    """Return whether a case gives a program input, and compares nothing."""
    if not isinstance(case, Mapping) or not any(key in case for key in TEXT_KEYS):
        return False
    return case.get("stdout") is None and case.get("expected") is None


def _task_of(source: str, tests: Any, entry: str) -> FormatTask:
    if isinstance(tests, str):
        value = _decoded(tests)
        return _of_code(source, tests, entry) if value is None else _task_of(source, value, entry)
    if isinstance(tests, Mapping):
        return _of_object(source, tests, entry)
    if isinstance(tests, Cases):
        return FormatTask("", source, tests, entry)
    if isinstance(tests, Sequence) and tests and all(isinstance(one, str) for one in tests):
        return _of_code(source, "\n".join(tests), entry)
    if isinstance(tests, Sequence) and not isinstance(tests, bytes | bytearray):
        return FormatTask("", source, list(tests), entry)
    raise WrongType(f"tests: {type(tests).__name__} has no known shape", hint=SHAPES)


def _decoded(text: str) -> Any:
    """Return the value of a text of JSON that is an object or a list; None for other texts."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list | dict) else None


def _of_code(source: str, test: str, entry: str) -> FormatTask:
    calls = _calls(test)
    if _CHECK.search(test) and not _CALLS_CHECK.search(test):
        calls.append(f"check({entry_of(entry)})")
    return tested(source, "\n".join([test, *calls, ""]))


def _calls(test: str) -> list[str]:
    """Return the calls that run the tests of a text: functions and methods as pytest finds them.

    Raises:
        UsageError: The text is no Python, or checks nothing, so that every answer would pass.
    """
    if len(test) > MOST_TEST:
        raise UsageError(f"tests: a text of {len(test)} characters; at most {MOST_TEST}")
    try:
        tree = ast.parse(test)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        message = f"tests: a text that is neither JSON nor Python: {error}"
        raise UsageError(message, hint=SHAPES) from error
    if not any(map(_is_check, ast.walk(tree))):
        raise UsageError("tests: a text without an assertion, which any answer passes", hint=SHAPES)
    called = {node.func.id for node in ast.walk(tree)
              if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}  # fmt: skip
    found = [f"{one.name}()" for one in _tests_in(tree.body) if one.name not in called]
    for owner in tree.body:
        if not isinstance(owner, ast.ClassDef) or not owner.name.startswith("Test"):
            continue
        if not any("TestCase" in ast.unparse(base) for base in owner.bases):
            found += [f"{owner.name}().{one.name}()" for one in _tests_in(owner.body)]
    return found


def _is_check(node: ast.AST) -> bool:
    """Return whether a node can refuse an answer."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id == "check"
    attribute = isinstance(node, ast.Attribute) and node.attr.startswith(("assert", "fail"))
    return attribute or isinstance(node, ast.Assert | ast.Raise)


def _tests_in(body: list[ast.stmt]) -> list[ast.FunctionDef]:
    """Return the functions of a module or class that are tests without parameters."""
    return [
        one
        for one in body
        if isinstance(one, ast.FunctionDef)
        and one.name.startswith("test")
        and not [arg for arg in one.args.args if arg.arg != "self"]
    ]


def _of_object(source: str, tests: Mapping[Any, Any], entry: str) -> FormatTask:
    if "cases" in tests:
        own = entry_of(tests.get("entry", entry))
        return evolve(_task_of(source, tests["cases"], own), entry=own)
    if isinstance(tests.get("test"), str):
        name = entry_of(tests.get("entry_point") or entry)
        if isinstance(tests.get("prompt"), str):
            source = _continued(tests["prompt"], source, name)
        return _of_code(source, tests["test"], name)
    if isinstance(tests.get("test_list"), Sequence) and not isinstance(tests["test_list"], str):
        _calls("\n".join(map(str, tests["test_list"])))
    if "inputs" in tests and "outputs" in tests:
        tests = {"input_output": _called(tests)}
    line = {**tests, "solution": source}
    form = detect(line)
    if form == "porter":
        keys = ", ".join(map(str, tests)) or "none"
        raise UsageError(f"tests: an object with these keys: {keys}", hint=SHAPES)
    return tasks(line, form, "")[0]


def _continued(prompt: str, source: str, name: str) -> str:
    """Return a prompt that ends in the function `name`, continued by an answer.

    An answer that defines the function follows the prompt, whose imports and helpers it may use.
    Another answer is the function's body, with or without its indentation.
    """
    if re.search(rf"^(?:async[ \t]+)?def[ \t]+{name}\b|^{name}[ \t]*=", source, re.MULTILINE):
        return f"{prompt.rstrip()}\n    pass\n\n{source}"
    lines = source.split("\n")
    rest = [line for line in lines[1:] if line.strip()]
    if lines[0][:1].strip() and rest and all(line.startswith("    ") for line in rest):
        return f"{prompt.rstrip()}\n    {source}"
    return f"{prompt.rstrip()}\n{textwrap.indent(textwrap.dedent(source), '    ')}"


def _called(tests: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return inputs and outputs of a function with texts of JSON replaced by their values."""
    if tests.get("fn_name") is None:
        return tests
    inputs = [
        [_json(line) for line in one.split("\n") if line.strip()] if isinstance(one, str) else one
        for one in tests["inputs"]
    ]
    outputs = [_json(one) if isinstance(one, str) else one for one in tests["outputs"]]
    return {**tests, "inputs": inputs, "outputs": outputs}


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
