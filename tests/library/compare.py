"""Run one program text in CPython and in an interpreter, and compare what it prints."""

from __future__ import annotations

from collections.abc import Iterable

from porter.run import Device, Launch, Program, run
from tests.cpython import cpython

# Sizes that no test of a module exceeds.
ROOMY = Launch(heap=4 << 20, stdout=1 << 20, stderr=1 << 14, pystack=200 << 10, stack=256 << 10)

# The beginning of a program: `attempt(call)` prints what a call returns, or its exception.
ATTEMPT = """\
def attempt(call):
    try:
        print(call())
    except BaseException as e:
        print(type(e).__name__, str(e))

"""

# `show(call)` prints a result with dicts and sets in sorted order, or the type of the exception.
# The programs of programs/ compare messages, where all releases of CPython have the same one.
PRELUDE = """\
def canonical(value):
    if isinstance(value, dict):
        pairs = sorted([(repr(canonical(k)), canonical(v)) for k, v in value.items()])
        return "{%s}" % ", ".join(["%s: %s" % pair for pair in pairs])
    if isinstance(value, (set, frozenset)):
        return "set(%s)" % sorted([repr(canonical(item)) for item in value])
    if type(value) is list or type(value) is tuple:
        items = [canonical(item) for item in value]
        return "%s(%s)" % (type(value).__name__, ", ".join([str(item) for item in items]))
    return repr(value)

def show(call):
    try:
        print(canonical(call()))
    except Exception as error:
        print(type(error).__name__)

"""


def printed(device: Device, program: str) -> str:
    """Return what `program` prints in an interpreter, and its traceback if it fails."""
    result = run(device, [Program(program, "<program>")], 1, ROOMY)
    return (result.stdout[0] + result.stderr[0]).decode()


def assert_alike(device: Device, program: str) -> None:
    """Assert that `program` prints the same text in an interpreter as in CPython."""
    assert printed(device, program) == cpython(program, __name__="__main__").decode()


def calls(imports: str, expressions: Iterable[str]) -> str:
    """Return a program that shows the result of each expression."""
    lines = [f"show(lambda: ({expression}))" for expression in expressions]
    return imports + "\n" + PRELUDE + "\n".join(lines) + "\n"
