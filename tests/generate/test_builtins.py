"""Frozen modules with the names of built-in modules."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.errors import UsageError
from porter.generate.builtins import FIXED, let_frozen_extend
from porter.generate.frozen import FrozenFile

REGISTRATIONS = """\
MP_REGISTER_MODULE(MP_QSTR_math, mp_module_math);
MP_REGISTER_MODULE(MP_QSTR_sys, mp_module_sys);
MP_REGISTER_EXTENSIBLE_MODULE(MP_QSTR_collections, mp_module_collections);
MP_REGISTER_MODULE_DELEGATION(mp_module_sys, mp_module_sys_attr);
"""


def file(name: str) -> FrozenFile:
    return FrozenFile(name, Path("/modules", name), b"")


def test_a_frozen_module_makes_a_built_in_extensible() -> None:
    changed = let_frozen_extend(REGISTRATIONS, [file("math.py"), file("other.py")])
    assert changed == REGISTRATIONS.replace(
        "MP_REGISTER_MODULE(MP_QSTR_math", "MP_REGISTER_EXTENSIBLE_MODULE(MP_QSTR_math"
    )


@pytest.mark.parametrize("name", ["collections.py", "collections/__init__.py", "mathematics.py"])
def test_other_names_change_nothing(name: str) -> None:
    assert let_frozen_extend(REGISTRATIONS, [file(name)]) == REGISTRATIONS


@pytest.mark.parametrize("name", ["sys.py", "sys/__init__.py"])
def test_a_part_of_the_interpreter_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=f"/modules/{name}: no frozen module can be called sys"):
        let_frozen_extend(REGISTRATIONS, [file(name)])
    assert "sys" in FIXED


@pytest.mark.parametrize("name", ["umath.py", "ucollections/part.py"])
def test_the_other_name_of_a_built_in_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=f"/modules/{name}: .* is never imported"):
        let_frozen_extend(REGISTRATIONS, [file(name)])


def test_a_name_that_begins_with_u() -> None:
    assert let_frozen_extend(REGISTRATIONS, [file("utility.py")]) == REGISTRATIONS
