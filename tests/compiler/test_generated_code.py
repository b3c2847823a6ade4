"""The C++ that the printers make of the IR: stable for samples, well formed for all programs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import pytest
from syrupy.assertion import SnapshotAssertion

from porter.compiler.cxx import CompiledModule, compile_module
from porter.compiler.mpy import BytecodeModule
from porter.compiler.options import SEEN_FLOAT, SEEN_INT, CompilerOptions, Enter
from porter.compiler.tables import Tables
from porter_dev.torture.choices import Choices
from porter_dev.torture.python.program import generate

Module = Callable[[str], BytecodeModule]
SAMPLES = {
    "numbers": """\
def f(n, scale):
    total = 0
    for i in range(n):
        if i & 3:
            total += i * n
    while total > scale:
        total //= 2
    return total
""",
    "elements": """\
def f(xs, ys, n):
    for i in range(n):
        ys[i] = xs[i] + xs[i - 1]
""",
    "objects": """\
count = 0
def f(a, key, *rest):
    global count
    try:
        for item in a.items(key):
            count += item.size
            a[key] = [item, {key: rest}, item[1:]]
    except KeyError:
        return lambda: a
""",
}
# Bytes of type feedback; any number of at least the code's size will do.
HINTS = 600


def made(
    module: Module, tables: Tables, source: str, enter: Enter, seen: int = 0
) -> CompiledModule:
    options = CompilerOptions(hints=bytes([seen]) * HINTS if seen else b"", enter=enter)
    lines = source.split("\n")
    return compile_module(module(source), tables, lines, loops=False, options=options)


@pytest.mark.parametrize("enter", ["usual", "apart"])
@pytest.mark.parametrize("name", SAMPLES)
def test_the_cxx_of_samples(
    module: Module, tables: Tables, snapshot: SnapshotAssertion, name: str, enter: Enter
) -> None:
    seen = SEEN_FLOAT if name == "elements" else SEEN_INT
    text = made(module, tables, SAMPLES[name], enter, seen).text
    # The C++ around the functions is the same for all programs.
    assert text[text.index("// f\n") :] == snapshot


@pytest.mark.parametrize("enter", ["usual", "apart", "everywhere"])
@pytest.mark.parametrize("index", range(3))
def test_the_cxx_is_well_formed(module: Module, tables: Tables, index: int, enter: Enter) -> None:
    """Each jump has one label, each variable a declaration, and each guard a number in the table.

    The campaigns that run generated programs (docs/how-to/torture.md) compile and execute the C++.
    """
    source = generate(Choices(f"cxx/{index}")).text
    compiled = made(module, tables, source, enter, (0, SEEN_INT, SEEN_FLOAT)[index])
    starts = re.split(
        r"^(?=static TIER_FUNCTION PORTER_DEVICE void \*f\d)", compiled.text, flags=re.M
    )
    functions = [each for each in starts if "switch (entry) {" in each]
    assert functions
    for function in functions:
        labels = Counter(re.findall(r"^\s*([A-Z]\w*|out|returns):", function, re.M))
        wanted = set(re.findall(r"goto (\w+);", function))
        assert [label for label in wanted if labels[label] != 1] == []
        head = function[: function.index("switch (entry)")]
        declared = set(re.findall(r"\b[a-z]\d+[a-z]?\b", head))
        used = set(re.findall(r"\b(?:[tbw]\d+|[svg]\d+[oifb]|[pq]\d+|e\d+[nc]?)\b", function))
        assert used <= declared
    numbers = {int(found) for found in re.findall(r"tier_count\(native, (\d+)\)", compiled.text)}
    assert numbers == {guard.number for guard in compiled.guards}
