"""Tests in the shapes that data sets for training have, as tasks with cases.

Input: a program and its tests. Output: a `FormatTask`. `scorer` judges it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve

from porter.errors import UsageError, WrongType
from porter.evaluation import Cases
from porter.evaluation.formats import FormatTask, detect, tasks, tested
from porter.evaluation.options import entry_of

SHAPES = (
    "Tests are cases such as [((1, 2), 3)] or [{'stdin': ..., 'stdout': ...}]; a text of "
    "assertions; a list of such texts; or an object with test and entry_point, test_list, inputs "
    "and outputs, public_test_cases, or cases and entry."
)
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
    if isinstance(tests, str):
        value = _decoded(tests)
        return _of_code(source, tests, entry) if value is None else task_of(source, value, entry)
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
    if _CHECK.search(test) and not _CALLS_CHECK.search(test):
        test += f"\ncheck({entry_of(entry)})\n"
    return tested(source, test)


def _of_object(source: str, tests: Mapping[Any, Any], entry: str) -> FormatTask:
    if "cases" in tests:
        own = tests.get("entry", entry)
        return evolve(task_of(source, tests["cases"], own), entry=entry_of(own))
    if isinstance(tests.get("test"), str):
        name = entry_of(tests.get("entry_point") or entry)
        prompt = tests.get("prompt")
        if isinstance(prompt, str) and not re.search(rf"\bdef[ \t]+{name}\b", source):
            source = prompt + source  # the answer continues the prompt
        return _of_code(source, tests["test"], name)
    if "inputs" in tests and "outputs" in tests:
        tests = {"input_output": _called(tests)}
    line = {**tests, "solution": source}
    form = detect(line)
    if form == "porter":
        keys = ", ".join(map(str, tests))
        raise UsageError(f"tests: an object with the keys {keys}", hint=SHAPES)
    return tasks(line, form, "")[0]


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
