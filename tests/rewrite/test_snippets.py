"""Golden tests: snippets of every rule, their C++, and its acceptance by both compilers."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from porter.rewrite.rules import RULES

from .cases import SNIPPETS
from .support import (
    CXX_FLAGS,
    NVCC_FLAGS,
    RULE,
    RUNTIME,
    apply_rule,
    has_nvcc,
    rewrite_all,
    run_tool,
)

ALL = [(rule, name) for rule, cases in SNIPPETS.items() for name in cases]


def test_every_rule_has_snippets() -> None:
    assert set(SNIPPETS) == {rule.name for rule in RULES} - {"unknown"}


@pytest.mark.parametrize(("rule", "name"), ALL, ids=[f"{rule}: {name}" for rule, name in ALL])
def test_what_the_rule_makes_of_it(rule: str, name: str, snapshot: SnapshotAssertion) -> None:
    assert apply_rule(RULE[rule], SNIPPETS[rule][name]) == snapshot


def write_rewritten(folder: Path) -> list[Path]:
    """Write every snippet and example with all rules applied, each with a separate state."""
    snippets = [(rule, name, SNIPPETS[rule][name]) for rule, name in ALL]
    snippets += [(rule.name, "example", rule.example.before) for rule in RULES]
    written = []
    for rule, name, text in snippets:
        below = folder / f"{rule}-{name.replace(' ', '-')}"
        below.mkdir()
        rewrite_all({"unit": text}).write(below)
        written.append(below / "unit.cpp")
    return written


def in_one_source(units: list[Path], folder: Path) -> Path:
    """Combine the units in one source with a namespace each, because starting nvcc takes seconds.

    Functions of C linkage are one function whatever their namespace, so the units lose it.
    """
    lines = []
    for number, unit in enumerate(units):
        text = unit.read_text(encoding="latin-1").replace('extern "C" {', "namespace c {")
        unit.write_text(text, encoding="latin-1")
        lines += ["#undef PORTER_RUNTIME_H", "#undef PORTER_STATE_H", f"namespace unit_{number} {{"]
        headers = [unit.with_name("porter_state.h"), unit]
        lines += [*(f'#include "{path.relative_to(folder)}"' for path in headers), "}"]
    path = folder / "all.cu"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("fences", [0, 1])
def test_gxx_takes_every_snippet(tmp_path: Path, fences: int) -> None:
    for unit in write_rewritten(tmp_path):
        options = [f"-I{unit.parent}", f"-I{RUNTIME}", f"-DPORTER_BOUNDS_CHECKS={fences}"]
        run_tool(["g++", *CXX_FLAGS, "-fsyntax-only", *options, str(unit)], unit.parent)


@pytest.mark.skipif(not has_nvcc(), reason="no nvcc")
@pytest.mark.parametrize("fences", [0, 1])
def test_nvcc_takes_every_snippet(tmp_path: Path, fences: int) -> None:
    source = in_one_source(write_rewritten(tmp_path), tmp_path)
    sizes = [f"-DPORTER_{name}=4096" for name in ("HEAP_BYTES", "PYSTACK_BYTES", "STACK_BYTES")]
    options = ["-DPORTER_ARENA_LOCAL=1", "-DPORTER_STACK_SLACK=4096", *sizes]
    options += [f"-DPORTER_BOUNDS_CHECKS={fences}", f"-include={RUNTIME}/porter_ranges.h"]
    # Any unit's folder: porter_runtime.h includes a porter_state.h, which its guard disables.
    options += [f"-I{RUNTIME}", f"-I{next(tmp_path.iterdir())}"]
    run_tool(["nvcc", *NVCC_FLAGS, *options, str(source), "-o", "all.ptx"], tmp_path)
