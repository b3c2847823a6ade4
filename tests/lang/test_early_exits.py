"""An unwind restores locks, depths and namespaces that the functions it leaves have changed."""

from __future__ import annotations

import pytest

from porter import InterpreterArray
from porter.fs import Image
from porter.run import Device, Launch, open_device, run
from tests.conftest import shared

# A weak reference is an integer in C: in a sandbox what makes a pointer of it is refused, and the
# collector, which does so too, must not end there.
WEAKREF = """
import gc
try:
    import weakref
except ImportError:
    print('no weakref')
    raise SystemExit
class Held: pass
references, back = [], []
def hold(count):
    for i in range(count):
        references.append(weakref.ref(Held(), back.append))
hold(20)
for i in range(3):
    gc.collect()
    [i] * 1000
print('collected', len(back) > 10)
"""
# Each of these never ends; a limit of steps ends it where it has changed something for a while.
STOPPED = {
    "class body": "class A:\n    x = 1\n    while True: pass",
    "exec": "exec('while True: pass', {})",
    "function": "def f():\n    while True: pass\n[f() for i in range(3)]",
    "generator": "def g():\n    while True: pass\n    yield\ng_ = g()\nnext(g_)",
    "handler": "try:\n    1 / 0\nexcept ZeroDivisionError:\n    while True: pass",
    "scheduled": "import micropython\ndef f(_):\n    while True: pass\n"
    "micropython.schedule(f, 0)\nwhile True: pass",
    "sort": "l = [3, 1, 2]\ndef k(x):\n    while True: pass\nl.sort(key=k)",
}
AFTER = """
import gc, sys
gc.collect()
x = [i for i in range(1000)]
class B:
    inside = 1
after = 2
print(len(x), 'after' in globals(), 'inside' in globals(), sys.exc_info()[0])
import micropython
done = []
micropython.schedule(done.append, 1)
for i in range(300): pass
print(done, micropython.heap_locked(), sorted([2, 1]))
"""


@pytest.mark.parametrize("sandbox", [False, True])
def test_a_collection_ends_in_a_sandbox(any_device: Device, sandbox: bool) -> None:
    result = run(any_device, [WEAKREF], 2, Launch(sandbox=sandbox))
    assert result.stdout[1] in (b"collected True\n", b"no weakref\n")
    assert result.stderr[1] == b""


@pytest.mark.campaign("cut-steps")
@pytest.mark.parametrize("sandbox", [False, True])
def test_a_collection_ends_where_weak_references_call_in_it(sandbox: bool) -> None:
    built = shared("bounds-checked", skip_patches="weakrefs")
    result = run(open_device(built.folder, "host"), [WEAKREF], 2, Launch(sandbox=sandbox))
    assert (result.stdout[1], result.stderr[1]) == (b"collected True\n", b"")


@pytest.mark.parametrize("sandbox", [False, True])
def test_what_a_limit_stops_leaves_nothing(any_device: Device, sandbox: bool) -> None:
    programs = list(STOPPED.values())
    with InterpreterArray(len(programs), device=any_device, sandbox=sandbox) as array:
        outcome = array.exec(programs, check=False, max_steps=20_000)
        assert (outcome.steps == 20_000).all()
        used = array.exec(AFTER, check=False)
    printed = b"1000 True False None\n[1] 0 [1, 2]\n"
    ends = {name: used.stdout[i] + used.stderr[i] for i, name in enumerate(STOPPED)}
    assert ends == dict.fromkeys(STOPPED, printed)


DEEP = """
import gc
left = []
def deep(n):
    for i in range(4):
        open('/file%d' % i, 'w').write('x')
    gc.collect()
    left.append(n)
    return sorted([n, 0], key=deep)
try:
    deep(1)
except RuntimeError as e:
    print(repr(e))
for i in range(3):
    gc.collect()
    [i] * 1000
with open('/last', 'w') as file:
    file.write('y')
print('collected', len(left) > 2, open('/last').read())
"""


def test_files_that_are_closed_where_the_stack_is_nearly_used_up(any_device: Device) -> None:
    """A collection frees files whose finalisers have too little C stack for littlefs."""
    with InterpreterArray(2, device=any_device, fs=Image.empty(64 << 10)) as array:
        for _ in range(2):
            outcome = array.exec(DEEP, check=False)
            assert outcome.stderr[0] == b""
            lines = outcome.stdout[0].decode().splitlines()
            assert lines[0].startswith("RecursionError('maximum recursion depth")
            assert lines[1:] == ["collected True y"]
