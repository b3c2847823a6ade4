"""Searches in strings and bytes give CPython's results."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porter.run import Device, Launch, run

TEXTS = st.text("ab ñ€\t\n", max_size=30)
PARTS = st.one_of(st.text("abñ", max_size=3), st.sampled_from([" ", "a ", "€", "\x0b\x1c\x0c"]))

EACH = """
for text, part in CASES:
    print(text.find(part), text.rfind(part), text.count(part), part in text, text.split())
    print(text.strip(), text.strip(part), text.lstrip(part))
    if part:
        print(text.replace(part, 'x'), text.split(part), text.rsplit(part, 2))
        print(text.partition(part), text.split(part, 1))
    text, part = text.encode(), part.encode()
    print(text.find(part), text.rfind(part), part in text, text.split())
    if part:
        print(text.replace(part, b'x'), text.count(part), text.split(part))
        print(text.rsplit(part, 1), text.rpartition(part))
"""


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(TEXTS, PARTS), max_size=20))
def test_as_cpython_searches(roomy_device: Device, cases: list[tuple[str, str]]) -> None:
    lines: list[str] = []
    shown = EACH.replace("print(", "show(")
    exec(shown, {"CASES": cases, "show": lambda *values: lines.append(repr(values))})
    program = f"def show(*values): print(values)\nCASES = {cases!r}\n{shown}"
    result = run(roomy_device, [program], 1, Launch(heap=1 << 20, stdout=1 << 18))
    assert result.stderr[0] == b""
    assert result.stdout[0].decode().splitlines() == lines
