"""The verifier knows every instruction that a release has in its headers, as the opcode table."""

from __future__ import annotations

import re

import pytest

from porter.base import paths
from porter.compiler.opcodes import OPCODES
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


def families() -> set[str]:
    """Return the names of the instruction families in the verifier."""
    return set(_FAMILY.findall((paths.templates_dir() / FLOW).read_text()))


@pytest.mark.parametrize("release", synced_releases())
def test_every_instruction_of_a_release_is_known(release: str) -> None:
    found = tables(release)
    assert set(found.opcodes.values()) == known()
    assert set(found.families) <= families()


def test_an_instruction_that_the_verifier_lacks_is_found() -> None:
    changed = {**tables().opcodes, 0x6E: "NEW_INSTRUCTION"}
    assert set(changed.values()) - known() == {"NEW_INSTRUCTION"}


def test_the_opcode_table_has_the_instructions_of_the_verifier() -> None:
    # Three tables have facts about instructions: opcodes.py, verify_flow.c and py/vm.c.
    # tests/compiler/test_opcodes.py compares the first with the third, and test_rejected.py the
    # first two by the slots that a function needs.
    assert OPCODES.keys() == {name.removesuffix("_N") for name in known() | families()}
