"""Sets of polled objects that change while they are registered, modified and polled."""

from __future__ import annotations

import pytest

from porter.run import Device, Launch, run

OBJECTS = """
import io, select
class S(io.IOBase):
    def __init__(self, act=None, ready=1):
        self.act, self.ready = act, ready
    def ioctl(self, request, arg):
        if request != 3:
            return -1
        act, self.act = self.act, None
        if act:
            act()
        return self.ready
p = select.poll()
"""
# name: a program, and its output
PROGRAMS = {
    "a mask that changes the set": (
        """
objects = [S() for i in range(8)]
for o in objects:
    p.register(o, 1)
class N:
    def __int__(self):
        for o in objects:
            p.unregister(o)
        for i in range(40):
            p.register(S(), 1)
        self.kept = [[i] * 9 for i in range(60)]
        return 1
for act in (p.modify, p.register):
    try:
        act(objects[0], N())
    except (TypeError, OSError) as e:
        print(type(e).__name__)
print(len(p.poll(0)) >= 8)
""",
        ["FileNotFoundError", "True"],
    ),
    "what cannot be polled": (
        """
for o in (5, 'a', None, S, [], io.IOBase):
    try:
        p.register(o)
    except OSError as e:
        print('no', end=' ')
print()
p.register(S())
print(len(p.poll(0)), [m for o, m in p.ipoll(0)])
for o in (5, S):
    try:
        p.modify(o, 1)
    except OSError as e:
        print(e.errno)
""",
        ["no no no no no no ", "1 [1]", "2", "2"],
    ),
    "a poll within a poll": (
        """
inner = []
objects = [S(ready=0) for i in range(40)]
def again():
    for o in objects:
        o.ready = 1
    inner.append(len(p.poll(0)))
for o in objects:
    p.register(o, 1)
p.register(S(again, 1), 1)
kept = [[i] * 3 for i in range(50)]
found = p.poll(0)
print(inner, 1 <= len(found) <= 41, all(m == 1 for o, m in found))
print(kept == [[i] * 3 for i in range(50)])
""",
        ["[41] True True", "True"],
    ),
    "a poll that unregisters": (
        """
objects = [S() for i in range(20)]
def away():
    for o in objects:
        p.unregister(o)
p.register(S(away), 1)
for o in objects:
    p.register(o, 1)
found = p.poll(0)
print(all(type(o) is S and m == 1 for o, m in found), len(p.poll(0)))
""",
        ["True 1"],
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_sets_that_change(any_device: Device, name: str) -> None:
    program, lines = PROGRAMS[name]
    result = run(any_device, [OBJECTS + program], 2, Launch(heap=40 << 10, deadline=20.0))
    assert result.stderr[1] == b""
    assert result.stdout[1].decode().splitlines() == lines
