"""Legal accesses outside of the arena are legal in bounds-checked builds too."""

from __future__ import annotations

import numpy as np
import pytest

from porter import InterpreterArray
from porter.errors import LaunchFailed
from porter.fs import Image
from porter.run import Device, Feed, Launch, run
from tests.bounds_checks.wild import LOAD
from tests.console.collect import Collected, run_live
from tests.fs.support import Shared

pytestmark = pytest.mark.xdist_group("fenced build")


def test_bound_arrays_are_reached_as_they_are_bound(fenced: Device) -> None:
    with InterpreterArray(4, device=fenced) as pythons:
        ours, theirs = np.zeros((4, 3)), np.arange(5.0)
        pythons.bind("mine", ours, split=True)
        pythons.bind("all", theirs, readonly=True)
        pythons.exec("for i in range(3):\n    mine[i] = threadIdx + all[i]")
        assert ours.tolist() == [[i, i + 1.0, i + 2.0] for i in range(4)]
        pythons.exec("mine[0] = 9")  # a later launch's table has them too
        assert ours[:, 0].tolist() == [9.0] * 4


@pytest.mark.parametrize(
    "wild",
    [
        "uctypes.bytearray_at(uctypes.addressof(mine) + 24, 8)[0] = 1",  # the next one's row
        "uctypes.bytes_at(uctypes.addressof(mine) + 96, 8)",
        "uctypes.bytearray_at(uctypes.addressof(all), 8)[0] = 1",
    ],
)
def test_what_is_bound_otherwise_is_refused(fenced: Device, wild: str) -> None:
    with InterpreterArray(4, device=fenced) as pythons:
        ours, theirs = np.zeros((4, 3)), np.arange(5.0)
        pythons.bind("mine", ours, split=True)
        pythons.bind("all", theirs, readonly=True)
        pythons.exec("import uctypes\nuctypes.bytes_at(uctypes.addressof(all), 8)")
        with pytest.raises(
            LaunchFailed, match=r"out_of_bounds \(1 of 4 interpreters failed a bounds check"
        ):
            pythons.exec(f"if threadIdx == 3:\n    {wild}")
        assert not ours.any()


def test_memory_that_is_unbound_is_out_of_reach(fenced: Device) -> None:
    with InterpreterArray(2, device=fenced) as pythons:
        data = np.arange(4.0)  # kept, so that a launch's own memory is never there
        pythons.bind("data", data)
        pythons.exec("import uctypes\nat = uctypes.addressof(data)\nuctypes.bytes_at(at, 8)")
        pythons.unbind("data")
        with pytest.raises(LaunchFailed, match="2 of 2 interpreters failed a bounds check: load"):
            pythons.exec("uctypes.bytes_at(at, 8)")
        assert data.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_many_bound_arrays_are_all_reached(fenced: Device) -> None:
    with InterpreterArray(2, device=fenced) as pythons:
        ours = [np.zeros(1) for _ in range(40)]
        for i, one in enumerate(ours):
            pythons.bind(f"a{i}", one)
        pythons.exec("".join(f"a{i}[0] = {i}\n" for i in range(40)))
        assert [one[0] for one in ours] == list(range(40))


def test_values_texts_and_code_come_and_go(fenced: Device) -> None:
    with InterpreterArray(3, device=fenced) as pythons:
        pythons.set("words", ["one", "two", "three"])
        code = pythons.compile("def f(x):\n    return [x, words, 'constant']")
        pythons.exec(code)
        pythons.exec("y = f(threadIdx)")
        words = [word + "constant" for word in ("one", "two", "three")]
        assert pythons.eval("y[1] + y[2]") == words


def test_outbuf_and_stdin(fenced: Device) -> None:
    outbuf = fenced.zeros(4, np.uint8)
    program = "import sys\noutbuf[threadIdx] = len(sys.stdin.readline())\nprint(input())"
    result = run(fenced, [program], 4, Launch(outbuf=outbuf, stdin=b"line\nnext\n"))
    assert outbuf.tolist() == [5] * 4
    assert result.stdout.groups[0].text == b"next\n"
    each = [b"x" * i + b"\nend\n" for i in range(4)]
    assert not np.any(run(fenced, [program], 4, Launch(outbuf=outbuf, stdin=each)).status)
    feed = Feed(100)
    feed.write("longer\nend\n")
    feed.close()
    assert not np.any(run(fenced, [program], 4, Launch(outbuf=outbuf, stdin=feed)).status)
    assert outbuf.tolist() == [7] * 4


def test_rings_get_the_report_and_what_came_before(fenced: Device) -> None:
    collected = Collected()
    program = f"if threadIdx != 40:\n    print('well', end='')\nelse:\n    exec({LOAD!r})"
    run_live(fenced, program, 64, collected)
    assert collected.stdout(64) == [b"before\n" if i == 40 else b"well" for i in range(64)]
    assert b"Bounds check: load" in collected.texts[40, "stderr"]


def test_a_shared_file_system_is_let_go(fenced: Device) -> None:
    image = Image.empty(64 * 1024)
    image.write("data.txt", b"some text\n")
    shared = Shared.of(fenced, image)
    program = """
import uctypes
print(open('data.txt').read())
if threadIdx == 1:
    f = open('new', 'w')
    f.write('x' * 2000)
    f.flush()
    uctypes.bytes_at(16, 8)
"""
    result = shared.run(program, 3, block=1)
    assert result.statuses.count(result.status, "STATUS_OUT_OF_BOUNDS") == 1
    assert not shared.held()
    assert shared.lines("with open('more', 'w') as f:\n    f.write('y')\nprint('done')", 1) == [
        ["done"]
    ]


def test_private_files_and_devices(fenced: Device) -> None:
    program = """
import vram, os
with open('/own', 'w') as f:
    f.write('text')
print(open('/own').read(), os.listdir('/'))
"""
    memory = fenced.zeros(2 * 32768, np.uint8)
    launch = Launch(fs=memory, fs_format=True, fs_shared=False)
    result = run(fenced, [program], 2, launch)
    assert not np.any(result.status), result.stderr[0]


@pytest.mark.parametrize(
    ("kind", "width"), [("UINT8", 1), ("UINT16", 2), ("UINT32", 4), ("UINT64", 8)]
)
def test_loads_end_where_an_array_ends(fenced: Device, kind: str, width: int) -> None:
    size = 21  # bytes; loads of each width begin at the last address that is legal, and behind it
    load = (
        "import uctypes\nlow = uctypes.addressof(data)\n"
        f"def load(at): return uctypes.struct(low + at, {{'v': uctypes.{kind}}}).v\n"
        f"for k in range(3): seen = [load(at) for at in range({size - width + 1})]"
    )
    with InterpreterArray(2, device=fenced) as pythons:
        pythons.bind("data", np.arange(size, dtype=np.uint8), readonly=True)
        pythons.exec(load)
        assert pythons.eval("seen[1]")[0] == int.from_bytes(bytes(range(1, 1 + width)), "little")
        with pytest.raises(LaunchFailed, match="2 of 2 interpreters failed a bounds check: load"):
            pythons.exec(f"load({size - width + 1})")
