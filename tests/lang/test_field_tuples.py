"""Descriptions of fields of uctypes structures that are too short are refused."""

from __future__ import annotations

import pytest

from porter.run import Device, run

PROGRAM = """\
import uctypes
memory = bytearray(64)
try:
    {call}
except (TypeError, ValueError) as error:
    print('refused')
"""
STRUCT = "uctypes.struct(uctypes.addressof(memory), {})"
SHORT = [
    "uctypes.sizeof({'a': ()}, 0)",
    "uctypes.sizeof({'a': (0,)})",
    "uctypes.sizeof({'a': (uctypes.ARRAY | 0,)})",
    STRUCT.format("{'a': ()}") + ".a",
    STRUCT.format("{'a': (uctypes.ARRAY,)}") + ".a",
    STRUCT.format("()") + "[0]",
    "print(" + STRUCT.format("()") + ")",
    "int(" + STRUCT.format("(uctypes.PTR,)") + ")",
]


@pytest.mark.parametrize("call", SHORT)
def test_too_short_is_refused(any_device: Device, call: str) -> None:
    assert run(any_device, [PROGRAM.format(call=call)], 2).stdout[0] == b"refused\n"


def test_long_enough_is_not(any_device: Device) -> None:
    fields = "{'a': (uctypes.ARRAY | 0, 4 | uctypes.UINT8), 'b': (4, {'c': uctypes.UINT8})}"
    call = f"print(uctypes.sizeof({fields}), {STRUCT.format(fields)}.b.c)"
    assert run(any_device, [PROGRAM.format(call=call)], 2).stdout[0] == b"5 0\n"
