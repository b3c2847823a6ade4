"""Public names: every name of CPython's modules exists, or `missing_names.toml` lists it."""

from __future__ import annotations

from porter.run import Device

from .compare import printed
from .names import listed, program, public_names


def test_missing_names_are_listed(any_device: Device) -> None:
    expected = listed()
    found: dict[str, list[str]] = {name: [] for name in expected}
    for line in printed(any_device, program(list(expected))).splitlines():
        module, name = line.split()
        found[module].append(name)
    # The list covers several releases of CPython.
    assert found == {
        module: [name for name in public_names(module) if name in missing]
        for module, missing in expected.items()
    }


def test_the_list_is_sorted() -> None:
    for missing in listed().values():
        assert missing == sorted(set(missing))
