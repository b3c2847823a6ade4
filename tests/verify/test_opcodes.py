"""The verifier knows every instruction that a release has in its headers."""

from __future__ import annotations

import re

import pytest

from porter.base import paths
from porter.compiler.effects import effect
from porter.compiler.instructions import BytecodeInstruction
from porter.sync.store import synced_releases
from tests.verify.making import tables

FLOW = "port/verify_flow.c"
_CASE = re.compile(r"^\s+case (?:MP|GPUSNEK)_BC_(\w+):", re.M)
_FAMILY = re.compile(r"\bMP_BC_(\w+)_MULTI\b")


def known() -> set[str]:
    """Return the names of instructions in the switch of the verifier."""
    text = (paths.templates_dir() / FLOW).read_text()
    body = text[text.index("static uint32_t execute(") : text.index("static void open_targets(")]
    return set(_CASE.findall(body))


@pytest.mark.parametrize("release", synced_releases())
def test_every_instruction_of_a_release_is_known(release: str) -> None:
    found = tables(release)
    assert set(found.opcodes.values()) == known()
    text = (paths.templates_dir() / FLOW).read_text()
    assert set(found.families) <= set(_FAMILY.findall(text))


def test_an_instruction_that_the_verifier_lacks_is_found() -> None:
    changed = {**tables().opcodes, 0x6E: "NEW_INSTRUCTION"}
    assert set(changed.values()) - known() == {"NEW_INSTRUCTION"}


@pytest.mark.parametrize("name", sorted(known()))
def test_the_compiled_tier_knows_its_effect_on_the_stack(name: str) -> None:
    # Three tables have facts about instructions (effects.py, verify_flow.c, py/vm.c);
    # test_rejected.py compares the first two by the slots that a function needs.
    assert isinstance(effect(BytecodeInstruction(0, 1, name.removesuffix("_N"), 0, 0)), int)
