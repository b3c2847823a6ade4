"""An access outside of its interpreter's memory ends that interpreter and affects no other."""

from __future__ import annotations

import re

import attrs
import numpy as np
import pytest

from porter.errors import LaunchFailed
from porter.run import Device, Launch, Program, Result, run
from porter.run.launch.options import Phase
from tests.bounds_checks.wild import LOAD, NEIGHBOUR, STORE, check_neighbours, run_one

pytestmark = pytest.mark.xdist_group("fenced build")


def ended_by_fence(result: Result, index: int) -> bool:
    return bool(result.statuses.among(result.status, "STATUS_OUT_OF_BOUNDS")[index])


@pytest.mark.parametrize(("program", "kind"), [(LOAD, "load"), (STORE, "store")])
def test_a_wild_access_ends_its_own_interpreter(fenced: Device, program: str, kind: str) -> None:
    result = run_one(fenced, program, 200, 77)
    assert ended_by_fence(result, 77)
    assert result.stdout[77] == b"before\n"
    last = result.stderr[77].decode().splitlines()[-1]
    wanted = (
        rf"Bounds check: {kind} outside of the interpreter's memory, at 0x10, in [a-z/_]+\.[ch]:\d+"
    )
    assert re.fullmatch(wanted, last)
    check_neighbours(fenced, result, 77)


def test_a_wild_access_while_an_exception_is_recorded(fenced: Device) -> None:
    """The refusal is on stderr although what `__str__` prints is dropped.

    Without a record, the printing of the exception calls `__str__`, and drops its output too.
    """
    body = (
        "        import uctypes\n        print('asked')\n        return uctypes.bytes_at(16, 8)\n"
    )
    program = f"class E(Exception):\n    def __str__(self):\n{body}raise E"
    for records in (False, True):
        phase = Phase(records=records)
        result = run(fenced, [Program(program), Program("1 // 0")], 8, Launch(), phase,
                     program_of=np.arange(8, dtype=np.uint32) % 2)  # fmt: skip
        ends = result.statuses.among(result.status, "STATUS_OUT_OF_BOUNDS")
        assert ends.tolist() == [True, False] * 4
        assert b"Bounds check: load" in result.stderr[0]
        assert b"asked" not in result.stdout[0]
        assert b"ZeroDivisionError" in result.stderr[1]


def test_an_access_that_begins_inside_and_ends_outside(fenced: Device) -> None:
    """The access is shorter than the interpreter's memory, so only its end is invalid."""
    sizes = {"heap": 64 << 10, "pystack": 4096}
    longest = sum(sizes.values()) + 512  # bytes: the state is longer than the rest
    program = f"""\
import uctypes
b = bytearray(8)
x = uctypes.bytearray_at(uctypes.addressof(b), {longest})
print('before')
x[:] = x
print('after')
"""
    result = run_one(fenced, program, 5, 2, **sizes)
    assert result.stdout[2] == b"before\n"
    assert ended_by_fence(result, 2)
    check_neighbours(fenced, result, 2)


def test_the_report_says_where_python_was(fenced: Device) -> None:
    result = run_one(fenced, LOAD, 3, 1)
    assert result.stderr[1].decode().splitlines()[:-1] == [
        "Traceback (most recent call last):",
        '  File "wild.py", line 7, in <module>',
        '  File "wild.py", line 4, in inner',
    ]


def test_the_innermost_functions_are_told_of_many(fenced: Device) -> None:
    program = f"def down(n):\n    if n == 0:\n        inner(16)\n    down(n - 1)\n{LOAD}"
    result = run_one(fenced, program.replace("\ninner(16)", "\ndown(30)"), 1, 0)
    lines = result.stderr[0].decode().splitlines()
    assert len(lines) == 10
    assert lines[-3].endswith("line 3, in down") and lines[-2].endswith("in inner")


@pytest.mark.parametrize(
    "program",
    [
        "import framebuf\nf = framebuf.FrameBuffer(bytearray(100), 10, 10, framebuf.GS8)\n"
        "f.scroll(4294967295, -1)",
        "import io\nb = io.BufferedWriter(None, 10)\nb.write(b'x' * 20)\nb.flush()",
        "import uctypes\nprint(uctypes.bytes_at(0, 8))",
        "import uctypes\nuctypes.struct(1 << 60, {'x': uctypes.UINT64 | 0}).x = 1",
        "import uctypes\nuctypes.bytes_at((1 << 62) - 8, 1 << 40)",
    ],
)
def test_what_upstream_gets_wrong_stays_within(fenced: Device, program: str) -> None:
    result = run_one(fenced, program, 64, 20)
    names = ("OK", "EXCEPTION", "STATUS_OUT_OF_BOUNDS")
    assert result.statuses.among(result.status, *names)[20]
    check_neighbours(fenced, result, 20)


def test_what_a_fence_ended_is_an_error_of_the_launch(fenced: Device) -> None:
    message = "1 of 5 interpreters failed a bounds check: load outside of the interpreter's memory"
    with pytest.raises(LaunchFailed, match=message) as raised:
        run_one(fenced, LOAD, 5, 2).raise_for_status()
    assert raised.value.exit_code == 43
    with pytest.raises(LaunchFailed, match="2 of 2 interpreters failed a bounds check: store"):
        run(fenced, [STORE], 2, Launch(merge_stderr=True)).raise_for_status()


def test_equal_refusals_read_equal(fenced: Device) -> None:
    program = "import uctypes\na = uctypes.addressof(bytearray(9))\n"
    result = run(fenced, [program + "uctypes.bytearray_at(a + (1 << 32), 8)[0] = 1"], 8)
    assert [group.count for group in result.stderr.groups] == [8]
    assert b"bytes past its heap, in " in result.stderr[0]


PAIR = Phase(stop=False)


def test_a_neighbours_object_cannot_be_read_or_written(fenced: Device) -> None:
    for access in ("print(bytes(there))", "there[0] = 7"):
        arenas = fenced.arenas(3, 4096, 16384)
        launch = Launch(heap=16384, pystack=4096)
        first = run(
            fenced,
            ["import uctypes\nmine = bytearray(b'secret')\nprint(uctypes.addressof(mine))"],
            3,
            launch,
            attrs.evolve(PAIR, arenas=arenas),
        )
        address = int(first.stdout[0])
        reach = f"there = uctypes.bytearray_at({address}, 6)\n{access}"
        result = run(fenced, [reach], 3, launch, attrs.evolve(PAIR, arenas=arenas))
        assert [ended_by_fence(result, i) for i in range(3)] == [False, True, True]
        assert all(result.stdout[i] == b"" for i in (1, 2))
        # The ended interpreters no longer exist; the others continue.
        last = run(fenced, ["print(bytes(mine))"], 3, launch, Phase(arenas=arenas))
        wanted = [fenced.built.status[s] for s in ("OK", "NOT_STARTED", "NOT_STARTED")]
        assert last.status.tolist() == wanted
        assert last.stdout[0] == (
            b"bytearray(b'secret')\n"
            if access.startswith("print")
            else b"bytearray(b'\\x07ecret')\n"
        ).replace(b"bytearray(", b"").replace(b")\n", b"\n")


# The table of ranges is directly above the word that marks an arena with an interpreter.
SEALED = """\
import uctypes
at = uctypes.addressof(bytearray(64)) // 64 * 64
while uctypes.bytes_at(at, 8) != b"!gpusnek":
    at += 8
uctypes.bytearray_at(at, 8)[0] = 0
"""


def test_no_program_changes_what_it_may_reach(fenced: Device) -> None:
    result = run(fenced, [SEALED], 2, Launch(heap=16384))
    assert ended_by_fence(result, 0) and ended_by_fence(result, 1)
    assert b"Bounds check: store" in result.stderr[0]


def test_a_barrier_does_not_wait_for_who_was_ended(fenced: Device) -> None:
    program = "if threadIdx == 3:\n    import uctypes\n    uctypes.bytes_at(16, 8)\nsyncthreads()\n"
    result = run(fenced, [program + "print('through')"], 8, Launch(block=8))
    texts = [result.stdout[i] for i in range(8)]
    assert texts == [b"" if i == 3 else b"through\n" for i in range(8)]


def test_ten_thousand_neighbours(fenced: Device) -> None:
    result = run_one(fenced, STORE, 10_000, 5_000)
    assert ended_by_fence(result, 5_000)
    check_neighbours(fenced, result, 5_000)


def test_without_a_wild_one_all_is_well(fenced: Device) -> None:
    assert fenced.built.bounds_checks
    result = run(fenced, [Program(NEIGHBOUR.encode(), "n.py")], 50, Launch(stdout=4096))
    assert not np.any(result.status)
