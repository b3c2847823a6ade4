"""Read tasks of public sets of problems: HumanEval, MBPP, and sets like LiveCodeBench and APPS.

Input: the object of a JSON line. Output: the line's programs with their cases, in the form that
`data_files` reads from lines of its own format. `detect` recognizes a format by its keys. Nothing
in a line is executed or unpickled on the host.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import frozen

from porter.errors import UsageError
from porter.evaluation.cases import Cases
from porter.evaluation.options import entry_of

OWN = "porter"
# Keys of a candidate program, the first one first; a set's own solution is used without any.
_CANDIDATES = ("solution", "completion", "code", "generation")
_TYPING = "from typing import Any, Dict, List, Optional, Set, Tuple, Union\n"
_MAX_REFUSED = 60  # characters of a value in a message


@frozen
class FormatTask:
    """A program of a line, with its cases.

    Attributes:
        name: The program's name.
        source: The source, with the tests that are appended to it.
        cases: Cases, as `Cases.of` takes them.
        entry: The function that the cases call; empty for whole programs.
    """

    name: str
    source: str
    cases: list[Any] | Cases
    entry: str = ""


Line = Mapping[str, Any]


def detect(line: Any) -> str:
    """Return the name of the format of a line: a key of FORMATS, or OWN."""
    if isinstance(line, Mapping) and "source" not in line:
        for name, (keys, _) in FORMATS.items():
            if all(key in line for key in keys):
                return name
    return OWN


def tasks(line: Any, form: str, name: str) -> list[FormatTask]:
    """Return the tasks of a line.

    Args:
        line: The line's value.
        form: A key of FORMATS.
        name: The name of a program that has none.

    Raises:
        UsageError: The line lacks a key of its format, or a value has a wrong type.
    """
    if not isinstance(line, Mapping):
        raise UsageError(f"a line of the format {form} is an object, not {type(line).__name__}")
    keys, read = FORMATS[form]
    for key in keys:
        if key not in line:
            raise UsageError(f"the format {form} needs the key {key!r}")
    return list(read(line, name))


def _humaneval(line: Line, name: str) -> Iterator[FormatTask]:
    entry = entry_of(_text(line, "entry_point"))
    if "solution" in line:
        source = _text(line, "solution")
    else:
        key = next((key for key in _CANDIDATES if key in line), "canonical_solution")
        source = _text(line, "prompt") + _text(line, key)
    test = f"{_text(line, 'test')}\ncheck({entry})\n"
    yield FormatTask(_name(line, "task_id", name), _tested(source, test), [TO_THE_END])


def _mbpp(line: Line, name: str) -> Iterator[FormatTask]:
    source = _candidate(line)
    setup = line.get("test_setup_code") or line.get("test_imports") or ""
    setups = setup if isinstance(setup, list) else [setup]
    tests = [*setups, *_list(line, "test_list"), *(line.get("challenge_test_list") or [])]
    if not all(isinstance(test, str) for test in tests):
        raise UsageError("test_list: it is a list of texts")
    yield FormatTask(_name(line, "task_id", name), _tested(source, "\n".join(tests)), [TO_THE_END])


def _livecodebench(line: Line, name: str) -> Iterator[FormatTask]:
    metadata = _decoded(line, "metadata", {})
    function = metadata.get("func_name") if isinstance(metadata, Mapping) else None
    cases: list[Any] = []
    for key in ("public_test_cases", "private_test_cases"):
        for number, test in enumerate(_decoded(line, key, [])):
            place = f"{key}[{number}]"
            if not isinstance(test, Mapping):
                raise UsageError(f"{place}: it is an object with input and output")
            given, wanted = _text(test, "input", place), _text(test, "output", place)
            if function is None or test.get("testtype", "functional") == "stdin":
                cases.append({"stdin": given, "stdout": wanted})
            else:
                lines = [part for part in given.split("\n") if part.strip()]
                args = [_json(part, place) for part in lines]
                cases.append({"args": args, "expected": _json(wanted, place)})
    title = _name(line, "question_id", name)
    for suffix, source in _candidates(line, ("code_list",)):
        yield _called(title + suffix, source, cases, function)


def _apps(line: Line, name: str) -> Iterator[FormatTask]:
    tests = _decoded(line, "input_output", {})
    if not isinstance(tests, Mapping):
        raise UsageError("input_output: it is an object with inputs and outputs")
    inputs, outputs = (_list(tests, key, "input_output") for key in ("inputs", "outputs"))
    if len(inputs) != len(outputs):
        raise UsageError(f"input_output: {len(inputs)} inputs, but {len(outputs)} outputs")
    function = tests.get("fn_name")
    if function is None:
        pairs = zip(map(_joined, inputs), map(_joined, outputs), strict=True)
        cases: list[Any] = [{"stdin": given, "stdout": wanted} for given, wanted in pairs]
    else:
        # Sets have each result in a list of its own; a set whose results are lists has longer ones.
        wrapped = all(isinstance(value, list) and len(value) == 1 for value in outputs)
        results = [value[0] for value in outputs] if wrapped else outputs
        cases = [
            {"args": args, "expected": result} for args, result in zip(inputs, results, strict=True)
        ]
    title = _name(line, "problem_id", name)
    for suffix, source in _candidates(line, ("solutions",)):
        yield _called(title + suffix, source, cases, function)


NAMES = ("task_id", "problem_id", "question_id", "id")  # keys of a line's name, in this order
TO_THE_END = {"stdin": ""}  # a program that tests itself must only run to its end
# By name: keys that tell the format, and the function that reads a line.
FORMATS: dict[str, tuple[tuple[str, ...], Callable[[Line, str], Iterator[FormatTask]]]] = {
    "humaneval": (("prompt", "entry_point", "test"), _humaneval),
    "mbpp": (("test_list",), _mbpp),
    "livecodebench": (("public_test_cases",), _livecodebench),
    "apps": (("input_output",), _apps),
}


# Stands between a program and its tests. A program that leaves a string, a bracket, a decorator or
# a line open would swallow the tests: here it becomes a syntax error.
_APART = """
"'''"
'\"\"\"'
pass
"""
_MAIN = re.compile(r"\bunittest\.main\(")  # ends the program before the results are seen


def _tested(source: str, test: str) -> str:
    test = _MAIN.sub("(lambda *args, **kwargs: None)(", test)
    unittest = _UNITTEST if "unittest" in test and "TestCase" in test else ""
    return f"{source}\n{_APART}{test}\n{unittest}"


# Runs the TestCase classes of a program; a failure raises.
_UNITTEST = """
import unittest as _porter_unittest
if not _porter_unittest.main(exit=False).result.wasSuccessful():
    raise AssertionError("unittest: a test failed")
"""


def tested(source: str, test: str) -> FormatTask:
    """Return a task of `source` with an appended test: assertions, or classes of unittest."""
    return FormatTask("", _tested(source, test), [TO_THE_END])


def _called(name: str, source: str, cases: list[Any], function: Any) -> FormatTask:
    if function is None:
        return FormatTask(name, source, cases)
    if not isinstance(function, str):
        raise UsageError(f"the name of the function is a text, not {type(function).__name__}")
    method = re.search(r"^class Solution\b", source, re.MULTILINE) is not None
    entry = entry_of(f"Solution.{function}" if method else function)
    # Sites that ask for a class Solution have these names imported.
    return FormatTask(name, _TYPING + source if method else source, cases, entry)


def _candidate(line: Line) -> str:
    return next(iter(_candidates(line, ())))[1]


def _candidates(line: Line, lists: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield a suffix of the name and the source of each candidate program of a line."""
    for key in _CANDIDATES:
        if key in line:
            yield "", _text(line, key)
            return
    for key in lists:
        if key in line:
            sources = _decoded(line, key, [])
            if not isinstance(sources, list) or not sources:
                break
            for number, source in enumerate(sources):
                if not isinstance(source, str):
                    raise UsageError(f"{key}[{number}]: it is a text")
                yield f"/{number}", source
            return
    names = ", ".join((*_CANDIDATES, *lists))
    raise UsageError(f"there is no program in this line: it has none of the keys {names}")


def _text(line: Line, key: str, place: str = "") -> str:
    value = line.get(key)
    if not isinstance(value, str):
        where = f"{place}, " if place else ""
        raise UsageError(f"{where}{key}: it is a text, not {type(value).__name__}")
    return value


def _list(line: Line, key: str, place: str = "") -> list[Any]:
    value = line.get(key)
    if not isinstance(value, list):
        where = f"{place}, " if place else ""
        raise UsageError(f"{where}{key}: it is a list, not {type(value).__name__}")
    return value


def _decoded(line: Line, key: str, default: Any) -> Any:
    """Return a value that sets have as JSON or as a text of JSON."""
    value = line.get(key, default)
    if isinstance(value, str):
        value = _json(value, key) if value.strip() else default
    if value is None:
        return default
    if not isinstance(value, list | Mapping):
        raise UsageError(f"{key}: it is a list or an object, not {type(value).__name__}")
    return value


def _json(text: str, place: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        shown = text if len(text) <= _MAX_REFUSED else f"{text[:_MAX_REFUSED]}..."
        raise UsageError(
            f"{place}: not JSON: {shown!r}: {error}",
            hint="Decode compressed or pickled test cases first; porter unpickles nothing.",
        ) from error


def _joined(value: Any) -> Any:
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return "\n".join(value)
    return value


def _name(line: Line, key: str, name: str) -> str:
    """Return the name of a line: the format's `key`, else another one of NAMES, else `name`."""
    values = (line.get(one) for one in (key, *NAMES))
    return next((str(value) for value in values if value is not None), name)
