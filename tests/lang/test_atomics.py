"""gpu.atomic_...: results equal Python's computation; refused arguments."""

from __future__ import annotations

import struct

import pytest

from porter.run import Device, Launch, run

BOUNDS = {
    "i": (-(2**31), 2**31 - 1),
    "I": (0, 2**32 - 1),
    "l": (-(2**63), 2**63 - 1),
    "L": (0, 2**64 - 1),
    "q": (-(2**63), 2**63 - 1),
    "Q": (0, 2**64 - 1),
}


def wrapped(typecode: str, value: int) -> int:
    low, high = BOUNDS[typecode]
    return (value - low) % (high - low + 1) + low


def steps(typecode: str) -> list[tuple[str, list[float], float]]:
    """Operations on one item: name, operands, and the item's value afterwards."""
    if typecode in "fd":
        values = [0.0, 1.5, -2.25, 1e30, float("inf"), -0.5]
    else:
        low, high = BOUNDS[typecode]
        values = [0, 1, high, low, high // 2, 7]
    item: float = 0
    made: list[tuple[str, list[float], float]] = []
    for value in values:
        for name in ("add", "min", "max", "exchange", "cas", "cas"):
            operands = [value]
            if name == "add" and typecode in "fd":
                item = struct.unpack(typecode, struct.pack(typecode, item + value))[0]
            elif name == "add":
                item = wrapped(typecode, int(item) + int(value))
            elif name in ("min", "max"):
                item = min(item, value) if name == "min" else max(item, value)
            elif name == "exchange":
                item = value
            else:
                hits = made[-1][0] == "cas"
                operands = [item if hits else (0 if item else 1), 7]
                item = 7 if hits else item
            if typecode == "f":
                item = struct.unpack("f", struct.pack("f", item))[0]
            made.append((name, operands, item))
    return made


PROGRAM = """
import gpu, sys
from array import array
inf = float('inf')
a = array(TYPECODE, [0] * 4)
v = VIEW
last = v[1]
done = 0
for line in sys.stdin:
    name, operands, after = line.split('|')
    old = getattr(gpu, name)(v, 1, *eval(operands))
    if old != last or v[1] != eval(after):
        print(line, old, last, v[1])
    last = v[1]
    done += 1
print(done)
v[1] = 0
print(list(a), gpu.atomic_add(v, -len(v) + 1, 1), v[1])
"""


@pytest.mark.parametrize("typecode", [*BOUNDS, "f", "d"])
@pytest.mark.parametrize("view", ["a", "memoryview(a)", "memoryview(a)[1:]"])
def test_operations(any_device: Device, typecode: str, view: str) -> None:
    zero = 0.0 if typecode in "fd" else 0
    program = PROGRAM.replace("TYPECODE", repr(typecode)).replace("VIEW", view)
    lines = [f"atomic_{name}|{operands}|{after}" for name, operands, after in steps(typecode)]
    result = run(any_device, [program], 2, Launch(stdin="\n".join(lines).encode()))
    expected = f"{len(lines)}\n{[zero] * 4} {zero} {zero + 1}\n".encode()
    assert result.stdout[0] == expected, result.stderr[0].decode()
    assert result.stdout[1] == expected


WRONG = {
    "atomic_add(b'1234', 0, 1)": "TypeError",
    "atomic_add(bytearray(8), 0, 1)": "TypeError",
    "atomic_add(memoryview(b'12345678'), 0, 1)": "TypeError",
    "atomic_add(array('b', [1]), 0, 1)": "TypeError",
    "atomic_add(array('H', [1]), 0, 1)": "TypeError",
    "atomic_add([1], 0, 1)": "TypeError",
    "atomic_add(7, 0, 1)": "TypeError",
    "atomic_add(a, 4, 1)": "IndexError",
    "atomic_add(a, -5, 1)": "IndexError",
    "atomic_add(array('i'), 0, 1)": "IndexError",
    "atomic_add(a, '0', 1)": "TypeError",
    "atomic_add(a, 1.0, 1)": "TypeError",
    "atomic_add(a, slice(0, 1), 1)": "TypeError",
    "atomic_add(a, 0, 1.5)": "TypeError",
    "atomic_add(a, 0, '1')": "TypeError",
    "atomic_add(a, 0, None)": "TypeError",
    "atomic_add(a, 0, 1 << 31)": "OverflowError",
    "atomic_add(a, 0, -(1 << 31) - 1)": "OverflowError",
    "atomic_add(a, 0, 1 << 70)": "OverflowError",
    "atomic_add(array('I', [0]), 0, -1)": "OverflowError",
    "atomic_add(array('I', [0]), 0, 1 << 32)": "OverflowError",
    "atomic_add(array('Q', [0]), 0, -1)": "OverflowError",
    "atomic_add(array('Q', [0]), 0, 1 << 64)": "OverflowError",
    "atomic_add(array('f', [0]), 0, '1')": "TypeError",
    "atomic_add(a, 0)": "TypeError",
    "atomic_cas(a, 0, 1)": "TypeError",
    "atomic_cas(a, 0, 1, 1.5)": "TypeError",
    "atomic_cas(a, 0, 1.5, 1)": "TypeError",
}


@pytest.mark.parametrize("call", WRONG)
def test_refused(any_device: Device, call: str) -> None:
    program = "import gpu\nfrom array import array\na = array('i', [1, 2, 3, 4])\n"
    program += (
        f"try:\n    gpu.{call}\nexcept Exception as e:\n    print(type(e).__name__)\nprint(a)\n"
    )
    result = run(any_device, [program], 1)
    assert result.stdout[0] == f"{WRONG[call]}\narray('i', [1, 2, 3, 4])\n".encode()


def test_bool_counts_as_int(any_device: Device) -> None:
    program = "import gpu\nfrom array import array\na = array('Q', [1])\n"
    program += "print(gpu.atomic_add(a, False, True), a)"
    assert run(any_device, [program], 1).stdout[0] == b"1 array('Q', [2])\n"
