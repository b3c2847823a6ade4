"""Classes of hostile programs, each among many neighbours in every mode of execution.

Each program runs in three interpreters of one launch: the first, one in the middle and the last.
All other interpreters run the neighbour, in the same blocks and warps. A hostile program must end
as stated here, and each neighbour must print the neighbour's output. The default tier has 500
interpreters without native code; the campaign `attack-table` has 10,003 in every mode.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pytest
from attrs import frozen

from porter.native.known_programs import compiled_phase
from porter.run import Device, Launch, Program, open_device, run
from tests.conftest import shared

if TYPE_CHECKING:
    from porter.run.launch.options import Phase

ENDLESS = 0.3  # seconds that a program without end may run
ENOUGH = 60.0  # seconds of all others: more than any needs on a busy machine
NEIGHBOUR = """\
import gc
kept = {}
for i in range(40):
    kept[str(i)] = "%.3f" % (i / 7), [i] * 4
    if i % 20 == 0:
        gc.collect()
print(len(kept), kept["39"], 3 ** 99 % 1000003)
"""
PRINTED = b"40 ('5.571', [39, 39, 39, 39]) %d\n" % (3**99 % 1000003)


@frozen
class Attack:
    """A hostile program and the only end that it may have.

    Attributes:
        source: The program, a function's body.
        prints: Regular expression for all of stdout.
        raises: Regular expression for stderr; None: it stays empty.
        ends: The names of the statuses that it may have.
        checked: The name of its status in a bounds-checked build; None: as `ends`.
        heap: Bytes of the heap; None: the build's size.
        only: Modes in which the program must succeed; empty: all.
    """

    source: str
    prints: str
    raises: str | None = None
    ends: tuple[str, ...] = ("OK",)
    checked: str | None = None
    heap: int | None = None
    only: frozenset[str] = frozenset()


def sums(first: str, size: str) -> Attack:
    """Return an attack whose counts in a struct format have a sum just above 2**64.

    The counts are in different members: of one type, of several types, with alignment between.
    """
    return Attack(
        f"""\
import struct
most = (1 << 46) - 1
count = (1 << 64) // most
rest = (1 << 64) - count * most
form = "%dx" % rest + {first!r} + ("%dx" % most) * count + {size!r}
for name, call in (("size", lambda: struct.calcsize(form)),
                   ("read", lambda: struct.unpack_from(form, bytes(64), 0)),
                   ("write", lambda: struct.pack_into(form, bytearray(64), 0, 1, 2))):
    try:
        print(name, call())
    except (ValueError, OverflowError, TypeError, MemoryError):
        print(name, "refused")
""",
        "size refused\nread refused\nwrite refused\n",
        heap=24 << 20,
    )


ATTACKS = {
    "sums of sizes": sums("8s", "8s"),
    "sums of sizes with alignment": sums("B", "q"),
    "counts beyond a machine word": Attack(
        """\
import struct
for count in (1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 1 << 64, 1 << 200):
    for kind in "sx":
        try:
            print(struct.calcsize("%d%s" % (count, kind)))
        except (ValueError, OverflowError):
            pass
print("end")
""",
        r"(?:4611686018427387904\n){0,2}(?:9223372036854775807\n){0,2}end\n",
    ),
    "repeated sequences": Attack(
        """\
n = 1 << 60
for make in (lambda: [0] * n * 16, lambda: (0,) * n * 16, lambda: b"abcd" * n * 4,
             lambda: "abcd" * n * 4, lambda: bytearray(8) * n * 2, lambda: "%*d" % (n, 1),
             lambda: "".join(["ab" * (n >> 1)] * 4), lambda: "x".center(n * 8),
             lambda: bytes(n * 8)):
    try:
        print(len(make()))
    except (MemoryError, OverflowError, ValueError, TypeError, NotImplementedError, AttributeError):
        pass
print("end")
""",
        "end\n",
    ),
    "text that is not UTF-8": Attack(
        r"""
texts = ["{:.1}".format("\u0141"), b"\xc0\x80".decode(), b"\xed\xa0\x80".decode()]
try:
    raise ValueError(texts[0])
except ValueError as e:
    print(len(repr(e)) > 0)
raise ValueError(texts)
""",
        "True\n",
        raises=r"ValueError: ",
        ends=("EXCEPTION",),
    ),
    "weak references of collected objects": Attack(
        """\
import weakref, gc
class A:
    def __del__(self): pass
for _ in range(3):
    a = A()
    r = weakref.ref(a)
    f = weakref.ref(a, lambda _: None)
    a = None
    try:
        gc.collect()
    except OSError:
        pass
    bytes(1000)
print("alive")
""",
        "alive\n",
    ),
    "a container refilled by its key": Attack(
        """\
found = 0
class Key:
    def __init__(self, other): self.other = other
    def __hash__(self): return 1
    def __eq__(self, key):
        held = list(self.other)
        self.other.clear()
        for k in held:
            try:
                self.other.add(k)
            except AttributeError:
                self.other[k] = 0
        return False
for other in ({}, set()):
    keys = [Key(other) for _ in range(4)]
    for k in keys:
        try:
            if isinstance(other, dict):
                other[k] = 1
            else:
                other.add(k)
            k in other
        except RuntimeError:
            found += 1
print("end", found > 0)
""",
        "end (?:True|False)\n",
    ),
    "an exit function without end": Attack(
        """\
import sys
def f():
    while True:
        pass
sys.atexit(f)
print("registered")
""",
        "registered\n",
        raises="",
        ends=("OUT_OF_TIME",),
    ),
    "a finaliser without end": Attack(
        """\
class A:
    def __del__(self):
        while True:
            pass
a = A()
a = None
import gc
gc.collect()
print("collected")
""",
        "(?:collected\n)?",
        raises="",
        ends=("OK", "OUT_OF_TIME"),
    ),
    "deep recursion again and again": Attack(
        """\
def f(n): return f(n + 1) + 1
for _ in range(3):
    try:
        f(0)
    except RuntimeError as e:
        print(type(e).__name__, e)
f(0)
""",
        "RuntimeError maximum recursion depth exceeded\n" * 3,
        raises="^Traceback",
        ends=("EXCEPTION",),
    ),
    "a full heap": Attack(
        """\
kept = []
try:
    while True:
        kept.append([0] * 50)
except MemoryError as e:
    print(type(e).__name__)
while True:
    kept.append([0])
""",
        "MemoryError\n",
        raises="MemoryError",
        ends=("EXCEPTION",),
    ),
    "an event that nothing sets": Attack(
        """\
import asyncio
async def main():
    await asyncio.Event().wait()
asyncio.run(main())
""",
        "",
        raises="",
        ends=("OUT_OF_TIME",),
    ),
    "bytecode": Attack(
        """\
import marshal
for tail in (bytes(100), b"\\xff" * 100, b"\\x01\\x02\\x10a" + bytes(90), b"\\x80" * 64):
    try:
        exec(marshal.loads(b"M\\x06\\x00\\x1f" + tail))
        print("executed")
    except ValueError:
        print("refused")
""",
        "(?:refused\n){4}",
    ),
    "an exception in a class body": Attack(
        """\
try:
    class A:
        1 / 0
except ZeroDivisionError:
    pass
exec("def solve(): return 1", globals())
print("solve" in globals())
""",
        "True\n",
    ),
    "addresses as numbers": Attack(
        """\
import uctypes
x = []
print(id(x) >= 0, uctypes.addressof(bytearray(8)) >= 0)
for address in (0, 1 << 46, (1 << 64) - 8, 16):
    try:
        uctypes.bytes_at(address, 8)
    except OSError as e:
        print(e.errno)
""",
        "True True\n(?:1\n1\n1\n1\n)?",
        raises="",
        ends=("OK",),
        checked="STATUS_OUT_OF_BOUNDS",
        only=frozenset({"sandbox", "bounds-checked"}),
    ),
}

MODES = ("default", "sandbox", "bounds-checked", "compiled")
PAIRS = [
    (mode, name)
    for mode in MODES
    for name, attack in ATTACKS.items()
    if not attack.only or mode in attack.only
]


@pytest.fixture(scope="module")
def twins() -> Iterator[dict[str, Device]]:
    """Return the host twin of each mode's build."""
    opened = {
        name: open_device(shared(name).folder, "host") for name in ("default", "bounds-checked")
    }
    yield {mode: opened.get(mode, opened["default"]) for mode in MODES}
    for device in opened.values():
        device.close()


def check(device: Device, mode: str, attack: Attack, count: int) -> None:
    """Run `attack` in three of `count` interpreters; check its end and all neighbours."""
    at = [0, count // 2, count - 1]
    source = (
        f"def hostile():\n{textwrap.indent(attack.source, ' ')}\n"
        f"def neighbour():\n{textwrap.indent(NEIGHBOUR, ' ')}\n"
        f"if threadIdx in {tuple(at)}:\n hostile()\nelse:\n neighbour()\n"
    )
    deadline = np.full(count, ENOUGH)
    if "OUT_OF_TIME" in attack.ends:
        deadline[at] = ENDLESS
    launch = Launch(
        heap=attack.heap, stdout=1024, deadline=deadline, sandbox=mode == "sandbox", order=False
    )
    program = Program(source.encode(), "attack.py")
    phase: Phase | None = None
    if mode == "compiled":
        phase, brought = compiled_phase(device, program, count, launch)
        assert phase is not None and brought is not None
    result = run(device, [program], count, launch, phase)
    names = result.statuses
    ends = attack.ends
    if mode == "bounds-checked" and attack.checked is not None:
        ends = (attack.checked,)
    for i in at:
        said = (names(int(result.status[i])).name, result.stdout[i], result.stderr[i])
        assert said[0] in ends, said
        assert re.fullmatch(attack.prints.encode(), said[1]), said
        if attack.raises is None:
            assert said[2] == b"", said
        else:
            assert re.search(attack.raises.encode(), said[2]), said
    others = np.delete(np.arange(count), at)
    assert (np.asarray(result.status)[others] == names["OK"]).all()
    assert {result.stdout[int(i)] for i in others} == {PRINTED}


# The campaign compiles each program to native code, which takes seconds.
@pytest.mark.parametrize(("mode", "name"), [each for each in PAIRS if each[0] != "compiled"])
def test_an_attack_ends_among_neighbours(twins: dict[str, Device], mode: str, name: str) -> None:
    check(twins[mode], mode, ATTACKS[name], 500)


@pytest.mark.campaign("attack-table")
@pytest.mark.parametrize(("mode", "name"), PAIRS)
def test_an_attack_ends_among_ten_thousand(twins: dict[str, Device], mode: str, name: str) -> None:
    check(twins[mode], mode, ATTACKS[name], 10_003)
