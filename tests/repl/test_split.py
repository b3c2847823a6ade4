"""Division of programs into statements, compared with CPython's parser."""

from __future__ import annotations

import ast

import pytest

pytest.importorskip("hypothesis")

from hypothesis import given, settings
from hypothesis import strategies as st

from porter.repl import Session
from porter.repl.prompter import Prompter
from porter.repl.statements import split
from porter.run import Device


@pytest.fixture(scope="module")
def prompter(any_device: Device) -> Prompter:
    return Prompter(Session.open(any_device, 3))


LINES = [
    "x = 1",
    "if x:\n    y = 2",
    "def f(a):\n    b = a\n\n    return b",
    "for i in x:\n    pass\nelse:\n    pass",
    "try:\n    f(1)\nexcept E:\n    pass\nfinally:\n    z = 1",
    "z = (1,\n2,\n)",
    "s = '''\nif x:\n\n'''",
    "@f\nclass A:\n    x = 1\n    def g(self): pass",
    "# a comment",
    "",
]


@settings(max_examples=50)
@given(st.lists(st.sampled_from(LINES)))
def test_a_program_splits_as_cpython_sees_it(prompter: Prompter, parts: list[str]) -> None:
    text = "\n".join(parts) + "\n"
    found = list(split(text, prompter.continues))
    wanted = [ast.dump(statement) for statement in ast.parse(text).body]
    assert [ast.dump(node) for part in found for node in ast.parse(part).body] == wanted
    assert all(len(ast.parse(part).body) == 1 for part in found)
    assert all(part[0] not in "# \n" for part in found)
