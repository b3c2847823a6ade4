"""OUT_OF_MEMORY follows from an exception's class and from failed allocations, not its message."""

from __future__ import annotations

from typing import Any

import pytest

from porter.evaluation import CaseStatus

from .conftest import Judge

CLASSES = """\
class Mine(MemoryError): pass
class MemoryErrorOfMine(ValueError): pass
class Deep(RuntimeError): pass
Other = type('MemoryError', (ValueError,), {})
FAILED = 'memory allocation failed, allocating 8 bytes'
DEPTH = 'maximum recursion depth exceeded'
def fail():
    try: bytes(1 << 40)
    except MemoryError: pass
def down(n): return down(n + 1) + 1
"""
# Statements that raise, and whether memory was missing.
RAISING = {
    "a failed allocation": ("bytes(1 << 40)", True),
    "recursion": ("down(0)", True),
    "the program's MemoryError": ("raise MemoryError(FAILED)", False),
    "its subclass": ("raise Mine(FAILED)", False),
    "its subclass after a failed allocation": ("fail(); raise Mine('x')", True),
    "another error after a failed allocation": ("fail(); raise ValueError(FAILED)", False),
    "a class with a longer name": ("raise MemoryErrorOfMine(FAILED)", False),
    "another class of the same name": ("raise Other(FAILED)", False),
    "a message that begins like it": ("raise ValueError('MemoryError: ' + FAILED)", False),
    "a message about depth": ("raise RuntimeError(DEPTH + ' by far')", False),
    "a subclass with the message about depth": ("raise Deep(DEPTH)", False),
    "the message about depth": ("raise RuntimeError(DEPTH)", True),
}


@pytest.mark.parametrize("keep", [(), ("values", "tracebacks")])
def test_the_encoding_of_a_value(judged: Judge, keep: tuple[str, ...]) -> None:
    sources = [
        f"{CLASSES}class A:\n def __repr__(self): {text}\ndef solve(): return A()"
        for text, _ in RAISING.values()
    ]
    sources.append("def solve(): return 1")
    seen: list[Any] = []

    def compare(value: Any, expected: Any) -> bool:
        seen.append(value)
        return bool(value == expected)

    found = judged(sources, [((), 1)], compare=compare, keep=keep)
    memory, not_compared = CaseStatus.OUT_OF_MEMORY, CaseStatus.NOT_COMPARED
    wanted = [memory if lacked else not_compared for _, lacked in RAISING.values()]
    assert found.status.ravel().tolist() == [*wanted, CaseStatus.PASSED]
    assert seen == [1] and len(found.reasons) == len(RAISING)


def test_a_failure_in_the_call_is_none_of_the_encoding(judged: Judge) -> None:
    source = f"{CLASSES}class A:\n def __repr__(self): raise MemoryError('x')\n"
    source += "def solve():\n fail()\n return A()"
    found = judged([source], [((), 1)], compare=lambda a, b: True)
    assert found.status.tolist() == [[CaseStatus.NOT_COMPARED]]


@pytest.mark.parametrize("each", ["case", "program"])
def test_a_call(judged: Judge, each: str) -> None:
    sources = [f"{CLASSES}def solve(): {text}" for text, _ in RAISING.values()]
    found = judged(sources, [((), 1), ((), 2)], each=each)
    memory, raised = CaseStatus.OUT_OF_MEMORY, CaseStatus.RAISED
    wanted = [[memory if lacked else raised] * 2 for _, lacked in RAISING.values()]
    assert found.status.tolist() == wanted
