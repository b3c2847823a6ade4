"""Programs that are no Python are refused, and no program ends the compiler."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

from porter.array.device_selection import open_target
from porter.run import Device, Launch, Program, run
from porter.sync.store import synced_releases
from porter_dev.fuzz.sources import mutants

# Nodes whose rules have no function in upstream's compiler.
MISPLACED = [
    "[*a for a in b]",
    "{*a for a in b}",
    "f(*a for a in b)",
    "{**a for a in b}",
    "{**a / 'b': 1}",
    "x = *a",
    "(*a)",
    "*a",
    "print(*a if b)",
    "del *a",
    "return *a",
    "lambda *: 1",
    "def f(*): pass",
    "def f(a, *, ): pass",
    "def f(*, **k): pass",
    "lambda *, **k: 1",
]
NUMBERS = ["1_", "1__0", "1_.5", "1._5", "1e_5", "1_j", "0x_", "0xf_", "0b1__0", "1_a", "0_x1"]
VALID = [
    "1_0", "0x_ff", "0xf_f", "1_0.0_1", "1e1_0", "1_0j", "0b_1", "0_0", "def f(*, a): pass",
    "def f(*a): pass", "lambda *, a: 1", "lambda *a, **k: 1", "[*a, *b]", "print(*a, **b)",
    r"b'\xff\u00e9'", "'é'", "if x:\n\ty\n\tz", "if x:\n\tif y:\n\t\tz\n\tu",
    "if x:\n  \ty\n  \tz", "if x:\n        y\n\n\t\n        z", "x = (1,\n\t  2)\nif x:\n    y",
    "def f():\n\tx = 1\n\n\tif x:\n\t    y\n\t    z\n\treturn",
]  # fmt: skip
TABS = [
    "if x:\n\ty\n        z",
    "if x:\n        y\n\tz",
    "if x:\n    if y:\n\tz",
    "if x:\n  \ty\n\tz",
    "def f():\n\tif x:\n\t    y\n            z",
    "if x:\n\tif y:\n\t\tz\n        u",
    *(
        "\n".join("\t" * n + "if x:" for n in range(k)) + "\n" + " " * 8 * k + "y"
        for k in (2, 9, 20)
    ),
]
ACCEPTED = 0.005  # the share of mutants that CPython refuses and gpusnek accepts

_SHOW = """\
try:
    compile({0!r}, "a", "exec")
    print("valid")
except SyntaxError as error:
    print(type(error).__name__)
except (RecursionError, RuntimeError, MemoryError, OverflowError, ValueError) as error:
    print("limit", type(error).__name__)
"""
# Syntax that CPython accepts and gpusnek does not (docs/reference/language.md).
MISSING = re.compile(r"async for|except\s*\*")


def verdicts(device: Device, sources: list[str]) -> list[str]:
    """Return "valid" or the name of an exception for each source."""
    programs = [Program(_SHOW.format(source), "a") for source in sources]
    launch = Launch(heap=1 << 20, stdout=256, max_steps=10_000_000)
    which = np.arange(len(programs), dtype=np.uint32)
    found = run(device, programs, len(programs), launch, program_of=which)
    return [
        found.stdout[i].decode().strip() or found.stderr[i].decode() for i in range(len(sources))
    ]


def expected(source: str) -> str:
    """Return CPython's verdict, or "warning" for what a later release refuses, such as `0in x`."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            compile(source, "a", "exec")
        except (SyntaxError, ValueError) as error:
            return type(error).__name__
    return "warning" if any("literal" in str(warning.message) for warning in found) else "valid"


def test_misplaced_nodes_and_numbers(any_device: Device) -> None:
    sources = MISPLACED + NUMBERS + ["b'é'", "b'''é'''", "rb'é'", "b'a' b'é'", "'a' b'b'"]
    assert {expected(source) for source in sources} == {"SyntaxError"}
    assert verdicts(any_device, sources) == ["SyntaxError"] * len(sources)


def test_valid_programs(any_device: Device) -> None:
    assert [expected(source) for source in VALID] == ["valid"] * len(VALID)
    assert verdicts(any_device, VALID) == ["valid"] * len(VALID)


def test_tabs(any_device: Device) -> None:
    assert verdicts(any_device, TABS) == [expected(source) for source in TABS]
    assert "TabError" in map(expected, TABS)


def check_mutants(device: Device, sources: list[str]) -> None:
    """Compare with CPython: what it accepts is valid, and nearly all that it refuses is not."""
    found, right = verdicts(device, sources), list(map(expected, sources))
    rows = list(zip(sources, found, right, strict=True))
    assert {verdict.split()[0] for verdict in found} <= {
        "valid", "limit", "SyntaxError", "IndentationError", "TabError",
    }  # fmt: skip
    refused = [
        source for source, mine, theirs in rows
        if theirs == "valid" and mine != "valid" and not MISSING.search(source)
    ]  # fmt: skip
    assert not refused, refused[:3]
    accepted = [
        source
        for source, mine, theirs in rows
        if mine == "valid" and theirs not in ("valid", "warning")
    ]
    assert len(accepted) <= ACCEPTED * len(sources), accepted[:5]
    assert found.count("valid") > 0.02 * len(sources)


def test_mutants(any_device: Device) -> None:
    check_mutants(any_device, mutants(1, 1500))


@pytest.mark.campaign("mutated-sources")
@pytest.mark.parametrize("release", synced_releases())
def test_many_mutants(release: str) -> None:
    device = open_target("host", release, None, {})
    for seed in range(2, 12):
        check_mutants(device, mutants(seed, 6000))
