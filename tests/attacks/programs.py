"""Classes of hostile programs, with the only ends that each may have.

Each class exists as a program of a launch (`ATTACKS`) or as a program of an evaluation (`JUDGED`).
`test_table` and `test_judged` run them among neighbours.
"""

from __future__ import annotations

from attrs import frozen

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
        only: Modes that confine the program; empty: all.
    """

    source: str
    prints: str
    raises: str | None = None
    ends: tuple[str, ...] = ("OK",)
    checked: str | None = None
    heap: int | None = None
    only: frozenset[str] = frozenset()


def sums(members: str, period: int, repetitions: int) -> Attack:
    """Return an attack whose sizes in a struct format have a sum just above 2**64.

    The largest count of a format is below 2**46, so the sum needs more than 262,144 members. The
    text of the format is one allocation.

    Args:
        members: The repeated part of the format.
        period: Its size in bytes.
        repetitions: How often it is repeated.
    """
    assert 0 < period * repetitions - (1 << 64) < 512
    return Attack(
        f"""\
import struct
form = {members!r} * {repetitions}
for name, call in (("size", lambda: struct.calcsize(form)),
                   ("read", lambda: struct.unpack_from(form, bytes(512), 0)),
                   ("write", lambda: struct.pack_into(form, bytearray(512), 0, 1, 2))):
    try:
        print(name, call())
    except (ValueError, OverflowError, TypeError, MemoryError):
        print(name, "refused")
""",
        "size refused\nread refused\nwrite refused\n",
        heap=5 << 20,
    )


ATTACKS = {
    "sums of sizes": sums("8s67280421310713x", 67280421310721, 274177),
    "sums of sizes with alignment": sums("B68064394281232xq", 68064394281248, 271019),
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
        "(?:RecursionError maximum recursion depth exceeded\n){3}",
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
