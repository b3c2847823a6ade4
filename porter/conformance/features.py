"""What a build can do, found by running upstream's ``feature_check`` programs on it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from porter.conformance.model import Outcome, Program, Runner, Status

# Program of tests/feature_check, and the output that upstream's runner asks for.
_EXACT = {
    "native": ("native_check", b"native\n"),
    "int_big": ("int_big", b"1000000000000000000000000000000000000000000000\n"),
    "int_64": ("int_64", b"4611686018427387904\n"),
    "bytearray": ("bytearray", b"bytearray\n"),
    "set": ("set_check", b"{1}\n"),
    "slice": ("slice", b"slice\n"),
    "async_": ("async_check", b"async\n"),
    "const": ("const", b"1\n"),
    "io": ("io_module", b"io\n"),
    "fstring": ("fstring", b"a=1\n"),
    "complex": ("complex", b"complex\n"),
    "coverage": ("coverage", b"coverage\n"),
}
# Modules that tests need and a build may or may not have frozen.
_MODULES = ("asyncio", "uasyncio", "unittest")
_OTHERS = ("reverse_ops", "byteorder", "float", "target_info")


@attrs.frozen
class Features:
    """The features that upstream's rules for leaving tests out ask about."""

    native: bool = False
    int_big: bool = True
    int_64: bool = True
    bytearray: bool = True
    set: bool = True
    slice: bool = True
    async_: bool = True
    const: bool = True
    reverse_ops: bool = True
    io: bool = True
    fstring: bool = True
    complex: bool = True
    coverage: bool = False
    host_byteorder: bool = True
    float_bits: int = 64
    platform: str = ""
    modules: frozenset[str] = frozenset()  # those of _MODULES that can be imported


def check(root: Path, runner: Runner) -> Features:
    """Run the checks of ``root`` (a release's ``tests/``) in one go.

    A check that a release lacks counts as supported: that release's runner has
    no rule that asks for it.
    """
    names = [name for name, _ in _EXACT.values()] + list(_OTHERS)
    files = {name: root / "feature_check" / f"{name}.py" for name in names}
    present = [name for name in names if files[name].is_file()]
    sources = {name: files[name].read_bytes() for name in present}
    sources |= {f"import {name}": f"import {name}\n".encode() for name in _MODULES}
    programs = [
        Program(f"/{name.replace(' ', '_')}.py", source) for name, source in sources.items()
    ]
    return from_outcomes(dict(zip(sources, runner.run(programs), strict=True)))


def from_outcomes(outcomes: Mapping[str, Outcome]) -> Features:
    """Read the features from the outcomes of the check programs, by program name."""
    answers = {name: _answer(outcome) for name, outcome in outcomes.items()}
    flags: dict[str, Any] = {
        field: answers[name] == wanted
        for field, (name, wanted) in _EXACT.items()
        if name in answers
    }
    float_text = answers.get("float", b"64").strip()
    info = answers.get("target_info", b"").split()
    return Features(
        **flags,
        reverse_ops=answers.get("reverse_ops", b"") != b"TypeError\n",
        host_byteorder=answers.get("byteorder", b"").strip() == sys.byteorder.encode(),
        float_bits=int(float_text) if float_text.isdigit() else 0,
        platform=info[0].decode(errors="replace") if info else "",
        modules=frozenset(name for name in _MODULES if answers.get(f"import {name}") == b""),
    )


def _answer(outcome: Outcome) -> bytes:
    # Upstream takes the output of a check that failed as "CRASH".
    return outcome.output if outcome.status is Status.OK else b"CRASH"
