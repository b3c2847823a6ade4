"""Callbacks of weak references that change objects which the allocating C code is using."""

from __future__ import annotations

import pytest

from porter.run import Device, Launch, run

# With a collection before each allocation, the first allocation in `use` ends an object whose weak
# reference calls back. Before it, `later` callbacks each end the next object.
ATTACK = """
try:
    import weakref
except ImportError:
    print('no weakref')
    raise SystemExit
class Held: pass
def held(act):
    object = Held()
    def back(reference):
        if reference() is not None:
            print('not dead')
        if held_ones:
            held_ones.pop().clear()
        else:
            act()
    references.append(weakref.ref(object, back))
    return [object]
references, held_ones = [], []
def empty():
    while l: l.pop()
def clear():
    d.clear()
    s.clear()
    b[:] = b''
uses = (
    lambda: tuple(l), lambda: list(l), lambda: l[2:18], lambda: l * 2, lambda: l + [1],
    lambda: l.copy(), lambda: (lambda *a: a)(*l, *l), lambda: sorted(l), lambda: list(reversed(l)),
    lambda: l.extend(l), lambda: l.append(1), lambda: l.insert(3, 1), lambda: [str(x) for x in l],
    lambda: ','.join([str(x) for x in l]), lambda: str(l), lambda: list(zip(l, l)),
    lambda: dict(d), lambda: d.copy(), lambda: list(d.items()), lambda: d.update(new=1, other=2),
    lambda: (lambda **k: k)(**d), lambda: repr(d), lambda: set(d),
    lambda: s | {50}, lambda: [s.add(i) for i in range(20, 60)], lambda: s.copy(), lambda: s - {5},
    lambda: bytes(b), lambda: b + b, lambda: b.extend(b), lambda: b[3:30],
)
ends = 0
for use in uses:
    for act in (empty, clear):
        for later in range(9):
            references.clear()
            held_ones.clear()
            l = [[i] for i in range(20)]
            d = {str(i): [i] for i in range(20)}
            s = set(range(20))
            b = bytearray(range(40))
            held_ones.extend([held(act) for i in range(later + 1)])
            held_ones.pop().clear()
            found = use()
            again = repr(found), repr(l), repr(d), repr(s), repr(b)
            ends += 1
print(ends == 2 * 9 * len(uses))
"""
CALLED = """
try:
    import weakref
except ImportError:
    print('no weakref')
    raise SystemExit
import gc
class Held: pass
def made(name, fails=False):
    def back(*given):
        print(name, len(given))
        [0] * 100  # may allocate, and collect
        if fails:
            raise ValueError(name)
    return back
def some():
    one, two = Held(), Held()
    kept.append(weakref.ref(one, made('first')))
    kept.append(weakref.ref(one, made('second', True)))
    weakref.ref(one, made('gone with it'))
    weakref.finalize(one, made('last'), 1, 2, 3)
    kept.append(weakref.ref(two))
    kept.append(weakref.ref(two, made('other')))
kept = []
some()
for i in range(30): [i] * 50
gc.collect()
print([one() for one in kept])
gc.collect()
print('end')
"""


@pytest.mark.parametrize("source", [ATTACK, CALLED], ids=["attack", "called"])
@pytest.mark.parametrize("stress", [True, False])
def test_callbacks_wait(roomy_device: Device, source: str, stress: bool) -> None:
    result = run(roomy_device, [source], 2, Launch(heap=1 << 19, gc_stress=stress, stdout=1 << 14))
    lines = result.stdout[1].splitlines()
    if lines == [b"no weakref"]:
        return
    if source is ATTACK:
        assert (lines, result.stderr[1]) == ([b"True"], b"")
        return
    assert sorted(lines[:4]) == [b"first 1", b"last 3", b"other 1", b"second 1"]
    assert lines[4:] == [b"[None, None, None, None]", b"end"]
    assert b"ValueError: second" in result.stdout[1] + result.stderr[1]
